package relay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/pags"
)

func outcomeOf(t *testing.T, text string) Message {
	t.Helper()
	m, err := New("m1", KindOutcome, Outcome{RunID: "run_1", Step: 3, Result: Result{Status: StatusOK, Seen: &Observation{Snapshot: text}}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSplit_EveryFrameFitsAndTheMessageComesBackWhole(t *testing.T) {
	texts := map[string]string{
		"small":                     "hello",
		"31 KB":                     strings.Repeat("a", 31<<10),
		"33 KB":                     strings.Repeat("b", 33<<10),
		"3-byte characters":         strings.Repeat("世", 30<<10),
		"quotes and backslashes":    strings.Repeat(`"\`, 20<<10),
		"4-byte characters":         strings.Repeat("😀", 20<<10),
		"line separators":           strings.Repeat("\u2028", 10<<10),
		"control characters":        strings.Repeat("\x01", 10<<10),
		"angle brackets and amps":   strings.Repeat("<&>", 25<<10),
		"not UTF-8 (is made valid)": strings.Repeat("a\xff", 8<<10),
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			m := outcomeOf(t, text)
			frames, err := Split(m)
			if err != nil {
				t.Fatal(err)
			}
			rand.Shuffle(len(frames), func(i, j int) { frames[i], frames[j] = frames[j], frames[i] })
			a := NewAssembler(time.Now)
			var got []Message
			for _, f := range append(slices.Clone(frames), frames...) { // each frame twice
				if len(f) > MaxFrame {
					t.Fatalf("frame of %d bytes", len(f))
				}
				if !utf8.Valid(f) {
					t.Fatal("a frame is not UTF-8")
				}
				if x, done, err := a.Add(f); err != nil {
					t.Fatal(err)
				} else if done {
					got = append(got, x)
				}
			}
			if len(got) != 1 {
				t.Fatalf("came back %d times", len(got))
			}
			if sha256.Sum256(got[0].Body) != sha256.Sum256(m.Body) || got[0].Kind != m.Kind {
				t.Fatal("the message changed on its way")
			}
		})
	}
}

func TestSplit_RefusesWhatIsTooLargeOrHasABadID(t *testing.T) {
	if _, err := Split(outcomeOf(t, strings.Repeat("a", MaxMessage))); !pags.Is(err, pags.TooLarge) {
		t.Fatalf("above the limit: %v", err)
	}
	for _, id := range []string{"", "a b", "a#b", strings.Repeat("x", MaxID+1), "ä"} {
		if _, err := Split(Message{V: 1, ID: id, Kind: KindPing}); !pags.Is(err, pags.Invalid) {
			t.Fatalf("id %q: %v", id, err)
		}
	}
}

func TestParse_RefusesWhatIsNotOfThisWire(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON": "hello", "array": "[]", "null": "null", "no id": `{"v":1,"kind":"ping"}`, "no kind": `{"v":1,"id":"x"}`,
		"piece out of range": `{"m":"x","i":2,"n":2,"d":"a"}`, "negative piece": `{"m":"x","i":-1,"n":2,"d":"a"}`,
		"too many pieces": `{"m":"x","i":0,"n":17,"d":"a"}`, "empty piece": `{"m":"x","i":0,"n":2,"d":""}`,
		"odd id": `{"m":"x#y","i":0,"n":2,"d":"a"}`, "wrong types": `{"v":"1","id":7,"kind":[]}`,
	} {
		if _, _, err := Parse([]byte(text)); !pags.Is(err, pags.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := Parse(bytes.Repeat([]byte("a"), MaxFrame+1)); !pags.Is(err, pags.TooLarge) {
		t.Errorf("oversized: %v", err)
	}
}

func TestAssembler_KeepsItsCaps(t *testing.T) {
	now := time.Unix(1000, 0)
	a := NewAssembler(func() time.Time { return now })
	piece := func(id string, i, n int, d string) []byte { b, _ := json.Marshal(Frame{id, i, n, d}); return b }
	for i := range MaxPending {
		if _, _, err := a.Add(piece("m"+string(rune('a'+i)), 0, 2, "x")); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := a.Add(piece("one-more", 0, 2, "x")); !pags.Is(err, pags.TooLarge) {
		t.Fatalf("a message too many: %v", err)
	}
	now = now.Add(PendingAge)
	if _, _, err := a.Add(piece("later", 0, 2, "x")); err != nil {
		t.Fatalf("old ones were not dropped: %v", err)
	}
	if _, _, err := a.Add(piece("later", 1, 3, "x")); !pags.Is(err, pags.Invalid) {
		t.Fatalf("frames that do not agree: %v", err)
	}
	big := strings.Repeat("y", 20<<10)
	var err error
	for i := 0; i < 6 && err == nil; i++ {
		_, _, err = a.Add(piece("big", i, 6, big))
	}
	if !pags.Is(err, pags.TooLarge) {
		t.Fatalf("above the message limit: %v", err)
	}
	if _, done, err := a.Add(piece("fake", 0, 1, `{"v":1,"id":"other","kind":"ping"}`)); done || !pags.Is(err, pags.Invalid) {
		t.Fatalf("another id inside: %v %v", done, err)
	}
}

func FuzzAssembler(f *testing.F) {
	f.Add([]byte(`{"v":1,"id":"a","kind":"ping"}`))
	f.Add([]byte(`{"m":"a","i":0,"n":2,"d":"x"}`))
	f.Add([]byte(`{"m":"a","i":0,"n":1,"d":"{\"v\":1,\"id\":\"a\",\"kind\":\"ping\"}"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a := NewAssembler(time.Now)
		for range 2 {
			m, done, err := a.Add(data)
			if err == nil && done && (m.Kind == "" || !goodID(m.ID)) {
				t.Fatalf("a message without id or kind: %+v", m)
			}
		}
		if len(a.pending) > 1 {
			t.Fatal("one frame left two messages pending")
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add("hello \"world\" \\ \u2028 世界 \xff")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := New("id", KindOutcome, text)
		if err != nil {
			t.Fatal(err)
		}
		whole, _ := encode(m)
		for _, room := range []int{16, 100, MaxFrame} {
			pieces := cut(whole, room)
			for _, p := range pieces {
				q, _ := encode(p)
				if len(q) > room+2 || !utf8.ValidString(p) {
					t.Fatalf("piece %q takes %d of %d", p, len(q), room)
				}
			}
			if strings.Join(pieces, "") != string(whole) {
				t.Fatal("pieces do not add up")
			}
		}
	})
}
