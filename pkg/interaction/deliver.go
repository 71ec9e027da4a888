package interaction

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// deliver tells the waiting token how the question ended, then forgets that it was owed. A token that nobody waits for any
// more is fine: whoever waits now has asked again and saw the end.
func (s *Service) deliver(ctx context.Context, r row) error {
	var err error
	switch r.Status {
	case pags.InteractionAnswered:
		err = s.Brains.SendSuccess(ctx, r.Token, fmt.Appendf(nil, `{"answered":%q}`, string(r.ID)))
	case pags.InteractionCancelled:
		err = s.Brains.SendFailure(ctx, r.Token, "Cancelled", "the run was cancelled")
	default:
		err = s.Brains.SendFailure(ctx, r.Token, "Expired", "nobody answered in time")
	}
	if err != nil && !pags.Is(err, pags.Gone) {
		return fmt.Errorf("tell the token of %s: %w", r.ID, err)
	}
	crash.Here(crash.AnswerTokenAfter)
	return wrap(s.Table.Write(ctx, port.Delete(undeliveredKey(r.ID))), "note that "+string(r.ID)+" was told")
}

// Deliver tells tokens that were not told, at most a page in one call; for reconcile.
func (s *Service) Deliver(ctx context.Context) error {
	page, err := s.Table.Query(ctx, port.Query{PK: undelivered, Limit: 200})
	if err != nil {
		return fmt.Errorf("list undelivered answers: %w", err)
	}
	var failed []error
	for _, it := range page.Items {
		r, err := s.load(ctx, pags.InteractionID(port.KeyOf(it).SK))
		if err == nil {
			err = s.deliver(ctx, r)
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// pushInbox tells the user's consoles that the inbox changed.
func (s *Service) pushInbox(ctx context.Context, x pags.Interaction) {
	if s.Consoles == nil {
		return
	}
	page, err := s.List(ctx, x.UserID, string(pags.InteractionOpen), "", 200)
	if err != nil {
		s.Log.WarnContext(ctx, "inbox not pushed", "error", err)
		return
	}
	body, err := json.Marshal(relay.Inbox{Interaction: x, Open: len(page.Items)})
	if err != nil {
		return // of plain data: cannot happen, and a push is best effort
	}
	s.Consoles.Push(ctx, x.UserID, relay.Message{V: relay.Version, ID: pags.NewToken()[:26], Kind: relay.KindInbox, Body: body})
}
