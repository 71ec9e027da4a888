package codemode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// wall is the machine's clock.
type wall struct{}

func (wall) Now() time.Time                         { return time.Now() }
func (wall) After(d time.Duration) <-chan time.Time { return time.After(d) }

// memory is a journal that can die at a chosen append: before it is durable, or after.
type memory struct {
	mu      sync.Mutex
	entries []Entry
	appends int
	dieAt   int // the append that dies; 0 never
	after   bool
}

var errPower = errors.New("the power failed")

func (m *memory) Load(context.Context) ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	raw, _ := json.Marshal(m.entries) // as a store does
	var out []Entry
	return out, json.Unmarshal(raw, &out)
}

func (m *memory) Append(_ context.Context, at int, entries []Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at != len(m.entries) {
		return pags.Errorf(pags.Conflict, "the journal has %d entries, not %d", len(m.entries), at)
	}
	m.appends++
	dies := m.appends == m.dieAt
	if dies && !m.after {
		return errPower
	}
	m.entries = append(m.entries, entries...)
	if dies {
		return errPower
	}
	return nil
}

// upstream is where calls end up. It outlives crashes, counts what was done to it, and gives each key one outcome.
type upstream struct {
	mu       sync.Mutex
	done     map[string]int // effects by key, as they arrived
	outcomes map[string]json.RawMessage
	answers  map[string]string // what people said, by key: accept or decline
	asked    map[string]bool
	admitted int
	sent     int
	crash    func(Call) error                    // before the outcome comes back
	reply    func(Call) (json.RawMessage, error) // instead of the usual one
	keyed    bool
}

func newUpstream() *upstream {
	return &upstream{done: map[string]int{}, outcomes: map[string]json.RawMessage{}, answers: map[string]string{}, asked: map[string]bool{}, keyed: true}
}

func (u *upstream) Admit(_ context.Context, c Call) (Admission, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.admitted++
	if strings.HasPrefix(c.Path, "ask.") || c.Pause != nil && c.Pause.Reason == pags.WaitUnknown {
		switch u.answers[c.Key] {
		case "decline":
			return Admission{Answer: &Answer{Thrown: Declined(c.Path)}}, nil
		case "":
			u.asked[c.Key] = true
			if c.Pause != nil {
				return Admission{Pause: c.Pause}, nil
			}
			return Admission{Pause: &Pause{ID: "int_" + c.Key, Reason: pags.WaitApproval}}, nil
		}
	}
	switch {
	case strings.HasPrefix(c.Path, "refused."):
		return Admission{Answer: &Answer{Value: json.RawMessage(`{"ok":false,"error":{"code":"tool_blocked","message":"blocked"}}`)}}, nil
	case strings.HasPrefix(c.Path, "read."):
		return Admission{ReadOnly: true}, nil
	}
	return Admission{Keyed: u.keyed}, nil
}

func (u *upstream) Send(ctx context.Context, c Call) (Answer, error) {
	if strings.HasPrefix(c.Path, "slow.") || strings.HasPrefix(c.Path, "read.slow") {
		<-ctx.Done()
		return Answer{}, ctx.Err()
	}
	u.mu.Lock()
	u.sent++
	out, known := u.outcomes[c.Key]
	if !known || !u.keyed {
		if !strings.HasPrefix(c.Path, "read.") {
			u.done[c.Key+" "+c.Path]++
		}
		out = json.RawMessage(fmt.Sprintf(`{"ok":true,"data":{"path":%q,"args":%s}}`, c.Path, c.Args))
		u.outcomes[c.Key] = out
	}
	crash, reply := u.crash, u.reply
	u.mu.Unlock()
	if crash != nil {
		if err := crash(c); err != nil {
			return Answer{}, err
		}
	}
	if reply != nil {
		v, err := reply(c)
		return Answer{Value: v}, err
	}
	if strings.HasPrefix(c.Path, "fail.") {
		return Answer{Thrown: &Thrown{Name: "ToolError", Code: "broken", Message: c.Path + " is broken"}}, nil
	}
	return Answer{Value: out}, nil
}

// say answers what was asked, as a person does.
func (u *upstream) say(key, word string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.answers[key] = word
}

func (u *upstream) total() (n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, k := range u.done {
		n += k
	}
	return n
}

func slice(t testing.TB, e Sandbox, code string, j Journal, u Dispatcher) Slice {
	t.Helper()
	return Slice{Run: "run_1", Code: code, Sandbox: e, Journal: j, Tools: u, Clock: wall{}}
}

func mustRun(t testing.TB, s Slice) Outcome {
	t.Helper()
	out, err := Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
