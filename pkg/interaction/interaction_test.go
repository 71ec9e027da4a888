package interaction

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/keyfile"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
	"github.com/proagentstore/pags/pkg/relay"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	ada, eve = pags.UserID("usr_ada"), pags.UserID("usr_eve")
	run1     = pags.RunID("run_1")
	inst1    = pags.InstanceID("ins_1")
)

type house struct {
	*Service
	clock  *porttest.Clock
	table  *bolt.Table
	tokens *tokens
	runs   *runs
	draft  pags.Interaction
	pushed []relay.Inbox
}

func newHouse(t *testing.T) *house {
	t.Helper()
	clock := porttest.NewClock(t0)
	table, err := bolt.Open(filepath.Join(t.TempDir(), "t.db"), bolt.Options{Clock: clock, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = table.Close() })
	vault, err := keyfile.Open(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	h := &house{clock: clock, table: table, tokens: &tokens{}, runs: &runs{table: table, done: map[string]bool{}}}
	h.draft = pags.Interaction{UserID: ada, RunID: run1, InstanceID: inst1, Reason: pags.WaitValue, Title: "Password?",
		Request: map[string]any{"origin": "https://jobs.test"}, Allowed: []string{"value", "secret", "decline"}, ExpiresAt: t0.Add(time.Hour)}
	h.Service = New(Deps{Table: table, Vault: vault, Brains: h.tokens, Clock: clock, Runs: h.runs, Questions: h, Consoles: h, CheckForm: fits})
	return h
}

func (h *house) Question(_ context.Context, id pags.RunID, ref Ref) (pags.Interaction, error) {
	d := h.draft
	d.RunID, d.Step = id, ref.Step
	return d, nil
}

func (h *house) Push(_ context.Context, _ pags.UserID, m relay.Message) {
	var in relay.Inbox
	if err := json.Unmarshal(m.Body, &in); err != nil {
		panic(err)
	}
	h.pushed = append(h.pushed, in)
}

func (h *house) ask(t *testing.T, step int, token string) pags.Interaction {
	t.Helper()
	if _, err := h.Ask(t.Context(), AskInput{RunID: run1, Step: step, TaskToken: token}); err != nil {
		t.Fatal(err)
	}
	x, err := h.Of(t.Context(), run1, step)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// runs is the part of the run area that answers need: keyed, all or nothing.
type runs struct {
	mu    sync.Mutex
	table port.Table
	done  map[string]bool
	over  bool
	heard []string
}

func (r *runs) AdvanceWith(ctx context.Context, _ pags.RunID, key string, change func(*pags.Run) error, events []pags.Event, extra ...port.Write) (pags.Run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done[key] {
		return pags.Run{}, nil
	}
	if r.over {
		return pags.Run{}, pags.Errorf(pags.Conflict, "the run is over")
	}
	run := pags.Run{Status: pags.RunWaiting, WaitingFor: pags.WaitValue}
	if err := change(&run); err != nil {
		return run, err
	}
	err := r.table.Transact(ctx, pags.NewToken()[:36], extra...)
	var cancelled *port.Cancelled
	if errors.As(err, &cancelled) {
		for i := range extra {
			if cancelled.Failed(i) {
				return run, &port.ConditionFailed{Key: extra[i].Key, Item: cancelled.Reasons[i].Item}
			}
		}
	}
	if err == nil {
		r.done[key] = true
		for _, e := range events {
			r.heard = append(r.heard, string(run.Status)+" "+e.Kind+" "+e.Text)
		}
	}
	return run, err
}

// tokens is a state machine service of which only the tokens matter.
type tokens struct {
	port.Brains
	mu   sync.Mutex
	told []string
	down error
	gone bool
}

func (b *tokens) tell(text string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down != nil {
		return b.down
	}
	if b.gone {
		return pags.Errorf(pags.Gone, "nobody waits with that token")
	}
	b.told = append(b.told, text)
	return nil
}

func (b *tokens) SendSuccess(_ context.Context, token string, _ []byte) error {
	return b.tell("ok " + token)
}

func (b *tokens) SendFailure(_ context.Context, token, name, _ string) error {
	return b.tell(name + " " + token)
}

func (b *tokens) want(t *testing.T, told ...string) {
	t.Helper()
	if strings.Join(b.told, ",") != strings.Join(told, ",") {
		t.Errorf("tokens told: %v, want %v", b.told, told)
	}
}

var adaInPerson = httpapi.Caller{UserID: ada, SessionID: "ses_1", Person: true}

func wantCode(t *testing.T, err error, code pags.Code) {
	t.Helper()
	if !pags.Is(err, code) {
		t.Errorf("error = %v, want %s", err, code)
	}
}

func TestAsk_ARetryReplacesTheToken(t *testing.T) {
	h := newHouse(t)
	first := h.ask(t, 3, "tok-1")
	if again := h.ask(t, 3, "tok-2"); again.ID != first.ID {
		t.Errorf("two questions for one step: %s, %s", first.ID, again.ID)
	}
	if _, err := h.Answer(t.Context(), adaInPerson, first.ID, Said{Kind: "value", Value: "4 weeks", Note: "hurry"}); err != nil {
		t.Fatal(err)
	}
	h.tokens.want(t, "ok tok-2")
	h.ask(t, 3, "tok-3") // answered already: told at once
	h.tokens.want(t, "ok tok-2", "ok tok-3")
	x, err := h.Of(t.Context(), run1, 3)
	if err != nil || x.Status != pags.InteractionAnswered || x.Answer.Value != "4 weeks" || x.Answer.Note != "hurry" || x.Answer.By != ada {
		t.Errorf("%+v %v", x, err)
	}
	if len(h.runs.heard) != 1 || h.runs.heard[0] != "running answered The owner gave a value." {
		t.Errorf("run heard %v", h.runs.heard)
	}
	if len(h.pushed) != 2 || h.pushed[0].Open != 1 || h.pushed[1].Open != 0 {
		t.Errorf("pushed %+v", h.pushed)
	}
}

func TestAnswer_Refuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		caller httpapi.Caller
		said   Said
		after  time.Duration
		want   pags.Code
	}{
		{"a machine's session", httpapi.Caller{UserID: ada}, Said{Kind: "value", Value: "x"}, 0, pags.Forbidden},
		{"another person", httpapi.Caller{UserID: eve, Person: true}, Said{Kind: "value", Value: "x"}, 0, pags.NotFound},
		{"a kind that is not allowed", adaInPerson, Said{Kind: "accept"}, 0, pags.Unprocessable},
		{"a kind that does not exist", adaInPerson, Said{Kind: "maybe"}, 0, pags.Unprocessable},
		{"an empty value", adaInPerson, Said{Kind: "value"}, 0, pags.Unprocessable},
		{"a long value", adaInPerson, Said{Kind: "value", Value: strings.Repeat("ü", 4001)}, 0, pags.Unprocessable},
		{"a value with a no", adaInPerson, Said{Kind: "decline", Value: "x"}, 0, pags.Unprocessable},
		{"a secret given as value too", adaInPerson, Said{Kind: "value", Value: "x", Secret: "hunter2"}, 0, pags.Unprocessable},
		{"a long note", adaInPerson, Said{Kind: "decline", Note: strings.Repeat("x", 1001)}, 0, pags.Unprocessable},
		{"too late", adaInPerson, Said{Kind: "value", Value: "x"}, time.Hour, pags.Gone},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			x := h.ask(t, 1, "tok")
			h.clock.Advance(c.after)
			_, err := h.Answer(t.Context(), c.caller, x.ID, c.said)
			wantCode(t, err, c.want)
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Error("the error tells the secret")
			}
			h.tokens.want(t)
			if len(h.runs.heard) != 0 {
				t.Error(h.runs.heard)
			}
		})
	}
}

func TestAnswer_OnceEvenAtTheSameMoment(t *testing.T) {
	h := newHouse(t)
	x := h.ask(t, 1, "tok")
	var wg sync.WaitGroup
	var mu sync.Mutex
	var won []string
	for _, v := range []string{"a", "b", "c", "d", "e", "f"} {
		wg.Go(func() {
			got, err := h.Answer(context.Background(), adaInPerson, x.ID, Said{Kind: "value", Value: v})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, v)
				return
			}
			var e *pags.Error
			if !errors.As(err, &e) || e.Code != pags.Conflict {
				t.Error(err)
			} else if first, ok := e.Detail.(pags.Interaction); !ok || first.Answer == nil || got.Answer == nil {
				t.Errorf("the first answer is not attached: %+v", e.Detail)
			}
		})
	}
	wg.Wait()
	stored, _ := h.Get(t.Context(), ada, x.ID)
	if len(won) != 1 || stored.Answer.Value != won[0] {
		t.Errorf("won %v, stored %+v", won, stored.Answer)
	}
	h.tokens.want(t, "ok tok")
}

func TestAnswer_SecretIsSealedAndOpensOnlyWhereItBelongs(t *testing.T) {
	const canary = "correct-horse-battery"
	h := newHouse(t)
	x := h.ask(t, 1, "tok")
	x, err := h.Answer(t.Context(), adaInPerson, x.ID, Said{Kind: "secret", Secret: canary})
	if err != nil {
		t.Fatal(err)
	}
	handle := x.Answer.Secret
	if handle == "" || x.Answer.Value != "" {
		t.Fatalf("%+v", x.Answer)
	}
	for _, pk := range []string{"X#" + string(x.ID), "R#" + string(run1), "I#" + string(inst1), "U#" + string(ada), undelivered} {
		page, err := h.table.Query(t.Context(), port.Query{PK: pk})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			if raw, _ := json.Marshal(it); strings.Contains(string(raw), canary) {
				t.Errorf("%s holds the secret: %s", port.KeyOf(it), raw)
			}
		}
	}
	got, err := h.OpenSecret(t.Context(), inst1, handle, run1)
	if err != nil || got.Text != canary || got.Origin != "https://jobs.test" {
		t.Errorf("%+v %v", got, err)
	}
	_, err = h.OpenSecret(t.Context(), inst1, handle, "run_2")
	wantCode(t, err, pags.NotFound)
	_, err = h.OpenSecret(t.Context(), "ins_2", handle, run1)
	wantCode(t, err, pags.NotFound)
	// the origin cannot be changed underneath
	if err := h.table.Write(t.Context(), port.Update(secretKey(inst1, handle)).Setting("origin", "https://evil.test")); err != nil {
		t.Fatal(err)
	}
	if _, err = h.OpenSecret(t.Context(), inst1, handle, run1); err == nil {
		t.Error("opens for another origin")
	}
	h.clock.Advance(secretLife)
	_, err = h.OpenSecret(t.Context(), inst1, handle, run1)
	wantCode(t, err, pags.NotFound)
}

func TestDeliver_FinishesWhatDied(t *testing.T) {
	h := newHouse(t)
	x := h.ask(t, 1, "tok")
	h.tokens.down = pags.Errorf(pags.Unavailable, "down")
	if _, err := h.Answer(t.Context(), adaInPerson, x.ID, Said{Kind: "decline"}); err != nil {
		t.Fatalf("the answer is safe, so it is accepted: %v", err)
	}
	if err := h.Deliver(t.Context()); err == nil {
		t.Error("a failure is not reported")
	}
	h.tokens.down = nil
	for range 2 {
		if err := h.Deliver(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	h.tokens.want(t, "ok tok")
	t.Run("a token that nobody waits with is done with", func(t *testing.T) {
		h := newHouse(t)
		x := h.ask(t, 1, "tok")
		h.tokens.gone = true
		if _, err := h.Answer(t.Context(), adaInPerson, x.ID, Said{Kind: "decline"}); err != nil {
			t.Fatal(err)
		}
		page, err := h.table.Query(t.Context(), port.Query{PK: undelivered})
		if err != nil || len(page.Items) != 0 {
			t.Errorf("%d owed, %v", len(page.Items), err)
		}
	})
}

func TestCancelRun_EndsWhatIsOpen(t *testing.T) {
	h := newHouse(t)
	first := h.ask(t, 1, "tok-1")
	if _, err := h.Answer(t.Context(), adaInPerson, first.ID, Said{Kind: "decline"}); err != nil {
		t.Fatal(err)
	}
	second := h.ask(t, 2, "tok-2")
	if err := h.CancelRun(t.Context(), run1); err != nil {
		t.Fatal(err)
	}
	h.tokens.want(t, "ok tok-1", "Cancelled tok-2")
	_, err := h.Answer(t.Context(), adaInPerson, second.ID, Said{Kind: "decline"})
	wantCode(t, err, pags.Gone)
	if x, _ := h.Get(t.Context(), ada, first.ID); x.Status != pags.InteractionAnswered {
		t.Errorf("the answered one became %s", x.Status)
	}
	h.ask(t, 2, "tok-3")
	h.tokens.want(t, "ok tok-1", "Cancelled tok-2", "Cancelled tok-3")
	if all, err := h.OfRun(t.Context(), run1); err != nil || len(all) != 2 || all[0].Step != 1 {
		t.Errorf("%+v %v", all, err)
	}
	t.Run("a run that is over takes no answer", func(t *testing.T) {
		h := newHouse(t)
		x := h.ask(t, 1, "tok")
		h.runs.over = true
		_, err := h.Answer(t.Context(), adaInPerson, x.ID, Said{Kind: "decline"})
		wantCode(t, err, pags.Conflict)
	})
}

func TestList_ShowsWhatWaits(t *testing.T) {
	h := newHouse(t)
	list := func(uid pags.UserID, status string) int {
		t.Helper()
		page, err := h.List(t.Context(), uid, status, "", 50)
		if err != nil {
			t.Fatal(err)
		}
		return len(page.Items)
	}
	x := h.ask(t, 1, "a")
	h.ask(t, 2, "b")
	h.draft.ExpiresAt = t0.Add(3 * time.Hour)
	h.ask(t, 3, "c")
	if _, err := h.Answer(t.Context(), adaInPerson, x.ID, Said{Kind: "decline"}); err != nil {
		t.Fatal(err)
	}
	if list(ada, "open") != 2 || list(ada, "answered") != 1 || list(ada, "all") != 3 || list(eve, "all") != 0 {
		t.Error("before expiry")
	}
	h.clock.Advance(2 * time.Hour)
	if list(ada, "open") != 1 {
		t.Error("an expired one is shown as open")
	}
	late, err := h.Of(t.Context(), run1, 2) // the brain looks: it is noted
	if err != nil || late.Status != pags.InteractionExpired {
		t.Errorf("%+v %v", late, err)
	}
	if list(ada, "expired") != 1 {
		t.Error("not noted as expired")
	}
	h.ask(t, 2, "d")
	h.tokens.want(t, "ok a", "Expired d")
	_, err = h.Get(t.Context(), eve, x.ID)
	wantCode(t, err, pags.NotFound)
	_, err = h.Of(t.Context(), run1, 9)
	wantCode(t, err, pags.NotFound)
}

// fits wants a name.
func fits(_ any, content map[string]any) []string {
	if content["name"] == nil {
		return []string{"name is missing"}
	}
	return nil
}
