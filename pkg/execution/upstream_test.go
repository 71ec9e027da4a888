package execution_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// upstream is a dispatch path of a test. The first part of a path says what happens: read., do. (goes without asking), ask. (a
// person first), form., bad. (refused), lost. (nobody knows whether it happened).
type upstream struct {
	house *house

	mu      sync.Mutex
	done    map[string]int // effects by key
	order   []string
	changed string // part of every digest; another value is another definition
	judge   func(execution.Call) *catalog.Failure
	hold    chan struct{} // sends wait for it
	also    string        // a path that is asked about too
	calm    string        // one that nobody is asked about any more once it was judged twice
	judged  int           // how often that one was
}

// askAlso is a policy that comes meanwhile.
func (u *upstream) askAlso(path string) { u.mu.Lock(); u.also = path; u.mu.Unlock() }

// calmWhenAsked is a policy that comes between the opening of a question and the look after it.
func (u *upstream) calmWhenAsked(path string) { u.mu.Lock(); u.calm = path; u.mu.Unlock() }

func (u *upstream) Judge(_ context.Context, c execution.Call) (execution.Judgement, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	sum := sha256.Sum256([]byte(c.Path + string(c.Args) + u.changed))
	j := execution.Judgement{Address: c.Path, Digest: hex.EncodeToString(sum[:]), Handle: c}
	if u.judge != nil {
		if f := u.judge(c); f != nil {
			r := catalog.Failed(f)
			j.Result = &r
			return j, nil
		}
	}
	kind, _, _ := strings.Cut(c.Path, ".")
	if c.Path == u.also {
		kind = "ask"
	}
	if c.Path == u.calm {
		if u.judged++; u.judged > 2 {
			kind = "do"
		}
	}
	switch kind {
	case "read":
		j.ReadOnly = true
	case "bad":
		r := catalog.Failed(&catalog.Failure{Code: catalog.CodeBlocked, Message: "not allowed"})
		j.Result = &r
	case "ask":
		if !c.AutoApprove {
			j.Ask = &execution.Question{Reason: pags.WaitApproval, Title: "Let it call " + c.Path, Request: map[string]any{"path": c.Path}, Allowed: []string{"accept", "decline"}}
		}
	case "form":
		schema := map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []any{"city"}}
		j.ReadOnly = true
		j.Ask = &execution.Question{Reason: pags.WaitValue, Title: "Which city?", Request: map[string]any{"schema": schema}, Allowed: []string{"form", "decline"}}
	}
	return j, nil
}

// lost is an outcome that nobody knows.
type lost struct{}

func (lost) Error() string          { return "the connection broke" }
func (lost) UnknownOutcome() string { return "the connection broke before an answer came" }

func (u *upstream) Send(ctx context.Context, j execution.Judgement, t execution.Trail) (catalog.Result, error) {
	c := j.Handle.(execution.Call)
	if j.Result != nil {
		return *j.Result, u.note(ctx, t, c, "refused")
	}
	if j.Ask != nil && j.Consent == "" {
		return catalog.Result{}, pags.Errorf(pags.Internal, "%s left without a consent", c.Path)
	}
	if !j.ReadOnly && t != nil {
		if err := t.Intent(ctx, row(c, "intent")); err != nil {
			return catalog.Result{}, err
		}
	}
	u.mu.Lock()
	if !j.ReadOnly {
		u.done[c.Key]++
		u.order = append(u.order, c.Path)
	}
	hold := u.hold
	times := u.done[c.Key]
	u.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return catalog.Result{}, ctx.Err()
		}
	}
	if strings.HasPrefix(c.Path, "lost.") && times == 1 {
		return catalog.Result{}, lost{}
	}
	var args any
	_ = json.Unmarshal(c.Args, &args)
	return catalog.Result{OK: true, Data: map[string]any{"path": c.Path, "args": args}}, u.note(ctx, t, c, "ok")
}

func (u *upstream) Ended(ctx context.Context, j execution.Judgement, how string, t execution.Trail) error {
	return u.note(ctx, t, j.Handle.(execution.Call), how)
}

func (u *upstream) note(ctx context.Context, t execution.Trail, c execution.Call, how string) error {
	if t == nil {
		return nil
	}
	return t.Outcome(ctx, row(c, how))
}

func row(c execution.Call, how string) port.Write {
	return port.Put(port.Item{port.AttrPK: "AUDIT", port.AttrSK: fmt.Sprintf("%s#%s", c.Key, how), "how": how})
}

// effects counts what happened upstream, and how often the most frequent one.
func (u *upstream) effects() (n, most int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, times := range u.done {
		n += times
		most = max(most, times)
	}
	return n, most
}

// audited lists what audit rows say.
func (h *house) audited() map[string]int {
	h.t.Helper()
	page, err := h.table.Query(h.t.Context(), port.Query{PK: "AUDIT", Limit: 1000})
	h.must(err)
	out := map[string]int{}
	for _, it := range page.Items {
		out[it["how"].(string)]++
	}
	return out
}
