package stories

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
)

// three is a program with three approvals in parallel branches, reads, a timer and console lines. WORD makes what it does its
// own. Its tools answer in this order: one list (1), three reads (2 to 4), then the orders a and b and the payment c as they
// are approved (5 to 7). Only payments take a key.
const three = `
console.log("begin WORD");
const list = await tools.stub.main.items.listItems({ limit: 3 });
await new Promise((done) => setTimeout(done, 20));
console.log("has", list.data.items.length);
const out = await Promise.all(["a", "b", "c"].map(async (name) => {
  const seen = await tools.stub.main.items.getItem({ id: name });
  const body = { item: "WORD-" + name };
  const made = name === "c" ? await tools.stub.main.payments.pay({ body }) : await tools.stub.main.orders.placeOrder({ body });
  console.log("made", name, made.ok);
  return [seen.data.name, made.ok];
}));
console.log("end");
return out;`

var (
	threeResult = []any{[]any{"item a", true}, []any{"item b", true}, []any{"item c", true}}
	threeLines  = []string{"begin", "end", "has 3", "made a true", "made b true", "made c true"} // sorted; the word is cut off
)

// programKill is one way to die while that program runs.
type programKill struct {
	point  string
	nth    int
	lives  int  // how many hosts in turn die there; 0: one
	asks   asks // whether the owner is asked if a call happened
	keyed  int  // how often the payment has to arrive; 0: once
	cancel bool // the owner cancels instead of answering
	random bool // at moments that a seed chooses
	hand   bool // killed after each answer
}

func (k programKill) String() string {
	switch {
	case k.random:
		return fmt.Sprintf("at %d moments", k.lives)
	case k.hand:
		return "after each answer"
	case k.lives > 1:
		return fmt.Sprintf("%s, every %d passings", k.point, k.nth)
	}
	return fmt.Sprintf("%s %d", k.point, k.nth)
}

// programKills are every point that a program passes, more than once where it matters.
func programKills() []programKill {
	more := map[string][]programKill{
		crash.JournalBefore:    {{nth: 3, asks: may}, {nth: 2, lives: 12, asks: may}},
		crash.JournalAfter:     {{nth: 4, asks: may}, {nth: 2, lives: 12, asks: may}},
		crash.ToolAfter:        {{nth: 3}, {nth: 5, asks: must}, {nth: 7, keyed: 2}},
		crash.RestAfter:        {{nth: 2}, {nth: 1, lives: 3}},
		crash.AskRowAfter:      {{nth: 2}, {nth: 3}},
		crash.AnswerRowAfter:   {{nth: 2}, {nth: 1, lives: 3}},
		crash.AnswerTokenAfter: {{nth: 3}, {nth: 1, lives: 3}},
	}
	var all []programKill
	for _, point := range crash.ProgramPoints {
		for _, k := range append([]programKill{{nth: 1, cancel: point == crash.CancelAfter}}, more[point]...) {
			k.point = point
			all = append(all, k)
		}
	}
	return append(all, programKill{hand: true, lives: 3}, programKill{random: true, lives: 4, asks: may}, programKill{random: true, lives: 8, asks: may})
}

// TestKill_ProgramsDoEachEffectOnce plays the kills on two homes, one after the other on each.
func TestKill_ProgramsDoEachEffectOnce(t *testing.T) {
	t.Parallel()
	const homes = 2
	for h := range homes {
		t.Run(fmt.Sprint("home ", h+1), func(t *testing.T) {
			t.Parallel()
			b := newToolbox(t)
			b.host.Stop()
			for i, k := range programKills() {
				if i%homes == h {
					t.Run(k.String(), func(t *testing.T) {
						own := b.t
						defer func() { b.t = own }()
						b.t = t // this one's failures are its own
						(&mortal{toolbox: b, programKill: k, word: fmt.Sprintf("w%d", i)}).live()
					})
				}
			}
		})
	}
}

// mortal is a program, its person, and a host that dies.
type mortal struct {
	*toolbox
	programKill
	word string

	x         execution
	died      int
	answers   []string // reasons and items, in the order of the answers
	cancelled bool
	clock     *time.Timer
	moments   *rand.Rand
	back      time.Time
	slowest   time.Duration
}

func (m *mortal) live() {
	m.lives = max(1, m.lives)
	if m.random {
		seed := uint64(time.Now().UnixNano())
		m.t.Logf("seed %d", seed)
		m.moments = rand.New(rand.NewPCG(seed, 0))
	}
	m.begin()
	m.await(time.Minute, "the program to end", m.turn)
	if !m.t.Failed() {
		m.check()
	}
	m.host.Stop()
}

// begin starts a host that will die, as long as lives are left.
func (m *mortal) begin() {
	switch {
	case m.died >= m.lives || m.hand:
		m.start(nil)
	case m.random:
		m.start(nil)
		m.clock = time.AfterFunc(time.Duration(m.moments.IntN(int(150*time.Millisecond))), sync.OnceFunc(m.host.Kill))
	default:
		m.start([]string{fmt.Sprintf("PAGS_CRASH_AT=%s:%d", m.point, m.nth)})
	}
}

// start opens a host; one that dies before it answers, since it owes something from before, is dead like any other.
func (m *mortal) start(deadly []string) {
	p, err := m.Serve(m.ctx, deadly, "--allow-private")
	if p == nil || err != nil && !p.Over() {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { m.end(p) })
	m.host = p
}

// turn is one look; true ends the play.
func (m *mortal) turn() bool {
	if m.host.Over() {
		m.bury()
		return false
	}
	if m.x.over() {
		return m.died >= m.lives || m.nobodyDies()
	}
	before := m.x
	switch {
	case m.cancel && !m.cancelled && len(m.x.Interactions) > 0:
		m.cancelled = true
		_, err := m.api(http.MethodPost, m.x.path()+"/cancel", nil, nil, nil)
		m.note("cancel", err)
		m.x.Interactions = nil
	case len(m.x.Interactions) > 0 && !m.cancel:
		m.answer()
	default: // the same key finds the same program, and waits for what is visible
		next := execution{}
		_, err := m.api(http.MethodPost, "/v1/executions", http.Header{"Idempotency-Key": {m.word}},
			map[string]any{"code": strings.ReplaceAll(three, "WORD", m.word), "waitSeconds": 5}, &next)
		if m.note("look", err); err == nil {
			m.x = next
		}
		if err == nil && !m.back.IsZero() && (m.x.over() || len(m.x.Interactions) > 0) {
			m.slowest, m.back = max(m.slowest, time.Since(m.back)), time.Time{}
		}
	}
	if before.ID != "" && m.x.ID != before.ID {
		m.t.Fatalf("it became another program: %s, then %s", before.ID, m.x.ID)
	}
	return false
}

// answer says yes to the first question, and to what may have happened what the other side shows.
func (m *mortal) answer() {
	all := slices.SortedFunc(slices.Values(m.x.Interactions), func(a, b pags.Interaction) int { return strings.Compare(item(a), item(b)) })
	i, action := all[0], "accept"
	if i.Reason == pags.WaitUnknown && len(m.about(item(i))) == 0 {
		action = "retry"
	}
	next := execution{}
	_, err := m.api(http.MethodPost, m.x.path()+"/resume", nil, map[string]any{"interactionId": i.ID, "action": action, "waitSeconds": 5}, &next)
	m.note("answer", err)
	m.answers = append(m.answers, string(i.Reason)+" "+item(i))
	if err != nil {
		m.x.Interactions = nil
		return
	}
	m.x = next
	if m.hand && m.died < m.lives {
		m.host.Kill()
	}
}

func (m *mortal) note(what string, err error) {
	if err != nil {
		m.t.Logf("%s: %v", what, err)
		m.x.Interactions = nil
	}
}

// bury checks how the host died and starts the next one.
func (m *mortal) bury() {
	m.host.Reap()
	var exit *exec.ExitError
	if !errors.As(m.host.Err(), &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		m.t.Fatalf("it did not die of the kill: %v", m.host.Err())
	}
	m.died++
	m.back = time.Now()
	m.x.Interactions = nil
	m.begin()
}

// nobodyDies waits a moment for a death that comes after the end.
func (m *mortal) nobodyDies() bool {
	if m.random || m.died > 0 {
		if m.clock != nil {
			m.clock.Stop()
		}
		return m.died > 0 // it came through faster than there were lives to lose
	}
	select {
	case <-m.host.Done():
		return false
	case <-time.After(2 * time.Second):
		m.t.Errorf("it is over and nothing died: %s is not passed %d times", m.point, m.nth)
		return true
	}
}

// check compares with the program that nothing happens to.
func (m *mortal) check() {
	m.get(m.x.path(), &m.x)
	m.t.Logf("%d deaths, %d answers, slowest way back %.2f s", m.died, len(m.answers), m.slowest.Seconds())
	done := m.about(m.word + "-")
	if m.cancel {
		if m.x.Status != "cancelled" || len(done) != 0 {
			m.t.Errorf("cancelled, it is %s (%s) with %v", m.x.Status, m.x.Detail, done)
		}
		return
	}
	if m.x.Status != "completed" || !reflect.DeepEqual(m.x.Result, threeResult) {
		m.t.Errorf("it ended %s (%s) with %v, error %+v", m.x.Status, m.x.Detail, m.x.Result, m.x.Error)
	}
	if want := map[string]int{m.did("orders", "a"): 1, m.did("orders", "b"): 1, m.did("payments", "c"): 1}; !reflect.DeepEqual(done, want) {
		m.t.Errorf("upstream has %v, want %v", done, want)
	}
	lines := m.x.texts()
	slices.Sort(lines)
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], " "+m.word)
	}
	if !slices.Equal(lines, threeLines) {
		m.t.Errorf("its console says %q", lines)
	}
	if steps := m.steps(m.x); len(steps) != 7 || slices.ContainsFunc(steps, func(s step) bool { return s.Status != "completed" }) {
		m.t.Errorf("its steps: %+v", steps)
	}
	m.asked()
}

func (m *mortal) did(operation, name string) string {
	return fmt.Sprintf(`POST /%s {"item":"%s-%s"}`, operation, m.word, name)
}

// asked checks the questions: each was put once and answered once, and whether somebody had to look.
func (m *mortal) asked() {
	var inbox struct{ Items []pags.Interaction }
	m.get("/v1/interactions?status=answered&limit=200", &inbox)
	seen := map[string]int{}
	for _, i := range inbox.Items {
		if i.RunID == m.x.ID {
			seen[string(i.Reason)+" "+item(i)]++
		}
	}
	unknown := 0
	for name, n := range seen {
		if strings.HasPrefix(name, string(pags.WaitUnknown)) {
			unknown += n
		} else if n != 1 {
			m.t.Errorf("%s was asked %d times", name, n)
		}
	}
	if len(seen)-unknown != 3 && m.asks == never || m.asks == must && unknown != 1 || m.asks == never && unknown != 0 {
		m.t.Errorf("it was asked %v", seen)
	}
	var open struct{ Items []pags.Interaction }
	m.get("/v1/interactions?status=open", &open)
	for _, i := range open.Items {
		if i.RunID == m.x.ID {
			m.t.Errorf("still asked: %s about %s", i.Reason, item(i))
		}
	}
	if keys := m.up.Keys(fmt.Sprintf(`{"item":"%s-c"}`, m.word)); len(keys) != 1 || m.keyed > 0 && !slices.Contains(slices.Collect(maps.Values(keys)), m.keyed) {
		m.t.Errorf("the payment came %v, want one key, %d times", keys, m.keyed)
	}
}
