package key

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Tested is what a key's test came to.
type Tested struct {
	OK     bool   `json:"ok"`
	Model  string `json:"model,omitempty" doc:"which model answered"`
	Detail string `json:"detail,omitempty" doc:"what failed and what to do"`
	Millis int64  `json:"millis"`
}

// testLimit bounds a test, within API Gateway's 30 s.
const testLimit = 20 * time.Second

// Test asks the model for one word on the user's account. What the provider says is a result, not an error.
func (s *Service) Test(ctx context.Context, uid pags.UserID, provider string) (Tested, error) {
	it, err := s.Table.Get(ctx, rowKey(uid, provider))
	if pags.Is(err, pags.NotFound) {
		return Tested{}, pags.Errorf(pags.NotFound, "there is no %s key; store one first", clip(provider))
	}
	if err != nil {
		return Tested{}, fmt.Errorf("read the %s key of %s: %w", provider, uid, err)
	}
	var r row
	if err := port.Decode(it, &r); err != nil {
		return Tested{}, err
	}
	cred, err := s.open(ctx, uid, r)
	if err != nil {
		return Tested{}, err
	}
	if err := s.Table.Write(ctx, s.audit(uid, "key.test", provider)); err != nil {
		return Tested{}, fmt.Errorf("note the test of the %s key of %s: %w", provider, uid, err)
	}
	began := s.Clock.Now()
	ctx, cancel := context.WithTimeout(ctx, testLimit)
	defer cancel()
	reply, err := s.Models.Ask(ctx, cred, port.Prompt{
		System:    "Answer with the single word ready.",
		Messages:  []port.Message{{Role: "user", Parts: []port.Part{{Text: "Are you there?"}}}},
		MaxTokens: 64,
	})
	out := Tested{OK: err == nil, Model: reply.Model, Millis: s.Clock.Now().Sub(began).Milliseconds()}
	if err != nil {
		out.Detail = advice(err)
	}
	return out, nil
}

func advice(err error) string {
	said := ""
	var m *port.ModelError
	if errors.As(err, &m) && m.Message != "" {
		said = " It said: " + guard.Redact(m.Message)
	}
	switch pags.CodeOf(err) {
	case pags.Forbidden:
		return "The provider refuses this key. Store a valid one." + said
	case pags.RateLimited:
		return "The provider limits this account now. Try again later, or raise its limits." + said
	case pags.Unavailable:
		return "The provider cannot be reached, or is overloaded. Try again later; if that does not help, check the server's address." + said
	case pags.Timeout:
		return "The model did not answer in time. Check the server's address, or try again later."
	case pags.Invalid:
		return "The provider does not take this request. Check the model's name." + said
	}
	return "The server did not answer as a model server does. Check its address." + said
}
