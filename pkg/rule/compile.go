package rule

import (
	"cmp"
	"slices"
	"strings"
)

// Rules are the rules of one person, made ready. The zero value is no rules. Safe for concurrent use.
type Rules struct{ root *node }

// node is one place in the tree of patterns, reached by literal segments and by *.
type node struct {
	next   map[string]*node
	any    *node
	here   *ranked // a pattern that ends here
	below  *ranked // one that ends in * below this place, which is about the place itself too
	blocks bool    // some rule here or further on blocks
}

// ranked is a rule with its weight.
type ranked struct {
	Rule
	weight int
}

// Compile makes rules ready. Of two with the same pattern the strictest stays. A rule whose pattern is none is about
// everything, unless it would only let things go: what we cannot read must not open anything.
func Compile(rules []Rule) Rules {
	out := Rules{root: &node{}}
	for _, r := range rules {
		if CheckPattern(r.Pattern) != nil {
			if Actions[r.Action.strictness()] == Approve {
				continue
			}
			r.Pattern = Any
		}
		out.root.add(r)
	}
	return out
}

// add puts a rule into the tree. Its weight is 2 for each literal segment, and 1 more where nothing is left open (spec
// tool-runtime 1d).
func (n *node) add(r Rule) {
	segments := strings.Split(r.Pattern, ".")
	last := len(segments) - 1
	weight, exact, blocks := 0, 1, r.blocks()
	n.blocks = n.blocks || blocks
	for i, s := range segments {
		switch {
		case s == Any && i == last:
			stricter(&n.below, ranked{r, weight})
			return
		case s == Any:
			exact = 0
			if n.any == nil {
				n.any = &node{}
			}
			n = n.any
		default:
			weight += 2
			if n.next == nil {
				n.next = map[string]*node{}
			}
			if n.next[s] == nil {
				n.next[s] = &node{}
			}
			n = n.next[s]
		}
		n.blocks = n.blocks || blocks
	}
	stricter(&n.here, ranked{r, weight + exact})
}

// stricter keeps the stricter of two rules with one pattern; of equal ones the one with the smaller id, so that the answer does
// not depend on the order of the rules.
func stricter(at **ranked, r ranked) {
	if *at == nil || compare(r, **at) < 0 {
		*at = &r
	}
}

// compare puts what decides first: the strictest, then the smaller id and pattern.
func compare(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.Action.strictness(), a.Action.strictness()), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Pattern, b.Pattern))
}

// Decide says what becomes of a call of a canonical address. The most specific rule decides, so a broad rule never shadows a
// narrower one; of equally specific ones the strictest. Where none matches, reads go and everything else is asked about.
func (r Rules) Decide(address string, readOnly bool) Decision {
	if best := r.winner(address); best != nil {
		return best.decision()
	}
	return standard(readOnly)
}

// Blocked reports whether a call of an address is blocked, whatever kind of operation it is.
func (r Rules) Blocked(address string) bool {
	if r.root == nil || !r.root.mayBlock(address, address != "") {
		return false
	}
	best := r.winner(address)
	return best != nil && best.blocks()
}

// Blocks reports whether any rule blocks anything.
func (r Rules) Blocks() bool { return r.root != nil && r.root.blocks }

func (r Rule) blocks() bool { return Actions[r.Action.strictness()] == Block }

// mayBlock reports whether any rule that matches blocks, whoever decides in the end. It makes listings quick: most places of a
// catalog have no such rule at all.
func (n *node) mayBlock(rest string, more bool) bool {
	if !n.blocks {
		return false
	}
	if n.below != nil && n.below.blocks() {
		return true
	}
	if !more {
		return n.here != nil && n.here.blocks()
	}
	part, rest, more := strings.Cut(rest, ".")
	if part == "" {
		return false
	}
	if next := n.next[part]; next != nil && next.mayBlock(rest, more) {
		return true
	}
	return n.any != nil && n.any.mayBlock(rest, more)
}

func (r Rules) winner(address string) *ranked {
	if r.root == nil || address == "" {
		return nil
	}
	var room [8]*ranked
	top := r.root.collect(address, true, room[:0])
	switch len(top) {
	case 0:
		return nil
	case 1:
		return top[0]
	}
	return narrowest(top)
}

// collect adds the heaviest rules that match what is left of an address; more says that something is left.
func (n *node) collect(rest string, more bool, top []*ranked) []*ranked {
	top = heavier(top, n.below)
	if !more {
		return heavier(top, n.here)
	}
	part, rest, more := strings.Cut(rest, ".")
	if part == "" {
		return top
	}
	if next := n.next[part]; next != nil {
		top = next.collect(rest, more, top)
	}
	if n.any != nil {
		top = n.any.collect(rest, more, top)
	}
	return top
}

func heavier(top []*ranked, r *ranked) []*ranked {
	switch {
	case r == nil || len(top) > 0 && r.weight < top[0].weight:
		return top
	case len(top) > 0 && r.weight > top[0].weight:
		top = top[:0]
	}
	return append(top, r)
}

// narrowest picks among rules of the same weight: the strictest of those that hold no other one within them. So github.*.*
// does not decide against the wider github.*, and of two that only overlap the strictest does.
func narrowest(top []*ranked) *ranked {
	slices.SortFunc(top, func(a, b *ranked) int { return compare(*a, *b) })
	for i, r := range top {
		wider := slices.ContainsFunc(top[i+1:], func(other *ranked) bool {
			return other.Pattern != r.Pattern && within(other.Pattern, r.Pattern)
		})
		if !wider {
			return r
		}
	}
	return top[0]
}
