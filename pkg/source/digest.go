package source

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"sort"
	"strings"

	"github.com/proagentstore/pags/pkg/catalog"
)

// digest names the definition of a tool: what it says, what it takes and gives, what a policy reads of it, and where it goes.
// Two tools with one digest are the same to their owner; shared definitions count with all that they reach. Absent: "".
func (b *book) digest(path string) string {
	t := b.tools[path]
	if t == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if d, ok := b.digests[path]; ok {
		return d
	}
	servers := t.Request.Servers
	if len(servers) == 0 {
		servers = b.Servers
	}
	h := sha256.New()
	feed(h, t.Name, path, t.Title, t.Description, string(t.Input), string(t.Output),
		text([]bool{t.Deprecated, t.ReadOnly, t.Destructive, t.Idempotent}), text(t.Request), text(servers), text(t.Security))
	for _, uses := range [][]string{t.InputUses, t.OutputUses} {
		feed(h, b.shared().of(uses))
	}
	d := hex.EncodeToString(h.Sum(nil)[:16])
	b.digests[path] = d
	return d
}

// feed writes texts so that no two lists of them are the same bytes.
func feed(h hash.Hash, all ...string) {
	raw, _ := json.Marshal(all) // texts always have JSON
	h.Write(raw)
}

// sharedDigests has one digest for each shared definition, over itself and everything it reaches. Definitions that reach each
// other have one in common.
type sharedDigests struct{ byName map[string]string }

func (d *sharedDigests) of(names []string) string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = d.byName[n]
	}
	return strings.Join(all, ",")
}

// walker finds groups of definitions that reach each other (Tarjan 1972), the innermost first.
type walker struct {
	all          map[string]catalog.Definition
	next         int
	index, low   map[string]int
	onStack      map[string]bool
	stack        []string
	digestByName map[string]string
}

func digestDefinitions(all map[string]catalog.Definition) *sharedDigests {
	w := &walker{all: all, index: map[string]int{}, low: map[string]int{}, onStack: map[string]bool{}, digestByName: make(map[string]string, len(all))}
	names := make([]string, 0, len(all))
	for n := range all {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		if _, seen := w.index[n]; !seen {
			w.visit(n)
		}
	}
	return &sharedDigests{w.digestByName}
}

func (w *walker) visit(n string) {
	w.next++
	w.index[n], w.low[n] = w.next, w.next
	w.stack, w.onStack[n] = append(w.stack, n), true
	for _, to := range w.all[n].Uses {
		if _, exists := w.all[to]; !exists {
			continue
		}
		if _, seen := w.index[to]; !seen {
			w.visit(to)
			w.low[n] = min(w.low[n], w.low[to])
		} else if w.onStack[to] {
			w.low[n] = min(w.low[n], w.index[to])
		}
	}
	if w.low[n] == w.index[n] {
		w.close(n)
	}
}

// close digests the group whose first member is n: its members' schemas, and the digests of what lies below it.
func (w *walker) close(n string) {
	at := len(w.stack) - 1
	for w.stack[at] != n {
		at--
	}
	group := append([]string(nil), w.stack[at:]...)
	w.stack = w.stack[:at]
	sort.Strings(group)
	h := sha256.New()
	below := map[string]bool{}
	for _, m := range group {
		w.onStack[m] = false
		feed(h, m, string(w.all[m].Schema))
		for _, to := range w.all[m].Uses {
			if d, done := w.digestByName[to]; done {
				below[d] = true
			}
		}
	}
	inner := make([]string, 0, len(below))
	for d := range below {
		inner = append(inner, d)
	}
	sort.Strings(inner)
	feed(h, inner...)
	sum := hex.EncodeToString(h.Sum(nil)[:16])
	for _, m := range group {
		w.digestByName[m] = sum
	}
}
