package catalog

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"
)

// Entry is a tool as search knows it.
type Entry struct {
	Address     string // dotted, as a program calls it
	Name        string
	Title       string
	Description string
	Terms       []string // parameters and body fields
}

// Entries lists the tools of a source under a prefix of their address, such as "<namespace>.<connection>"; empty means the
// source's namespace.
func (s *Source) Entries(prefix string) []Entry {
	out := make([]Entry, len(s.Tools))
	for i := range s.Tools {
		t := &s.Tools[i]
		address := t.Address()
		if prefix != "" {
			address = prefix + "." + strings.Join(t.Path, ".")
		}
		out[i] = Entry{address, t.Name, t.Title, t.Description, t.Terms}
	}
	return out
}

// Weights of fields. A name says most, a parameter more than a sentence.
const (
	weightLeaf  = 12
	weightPath  = 8
	weightTitle = 5
	weightTerm  = 3
	weightText  = 2
)

// indexedText is how much of a description counts; the rest is seldom about what the tool is for.
const indexedText = 600

// Index finds tools by words. It is immutable; build a new one when the catalog changes.
type Index struct {
	entries []Entry
	lower   []string // addresses, lower-cased
	order   []int32  // entries by address
	rank    []int32  // where each entry is in that order
	words   []word   // sorted
	byWord  map[string]int32
	byLen   [65][]int32
}

type word struct {
	text    string
	letters uint32
	posts   []post
}

type post struct {
	entry  int32
	weight uint8
}

// NewIndex indexes entries by their address, title, description and arguments.
func NewIndex(entries []Entry) *Index {
	x := &Index{entries: entries, lower: make([]string, len(entries)), order: make([]int32, len(entries)), byWord: map[string]int32{}}
	weights := map[string]int{}
	for i, e := range entries {
		x.lower[i] = strings.ToLower(e.Address)
		x.order[i] = int32(i)
		clear(weights)
		note := func(s string, weight int) {
			for _, w := range terms(s, false) {
				weights[w] = max(weights[w], weight)
			}
		}
		cut := strings.LastIndexByte(e.Address, '.') + 1
		note(clip(e.Description, indexedText), weightText)
		for _, t := range e.Terms {
			note(t, weightTerm)
		}
		note(e.Title, weightTitle)
		note(e.Address[:cut], weightPath)
		note(e.Address[cut:], weightLeaf)
		for w, weight := range weights {
			if len(w) > 64 {
				continue
			}
			at, ok := x.byWord[w]
			if !ok {
				at = int32(len(x.words))
				x.words = append(x.words, word{text: strings.Clone(w), letters: letters(w)})
				x.byWord[x.words[at].text] = at
			}
			x.words[at].posts = append(x.words[at].posts, post{int32(i), uint8(weight)})
		}
	}
	sort.Slice(x.order, func(i, j int) bool { return entries[x.order[i]].Address < entries[x.order[j]].Address })
	x.rank = make([]int32, len(entries))
	for at, i := range x.order {
		x.rank[i] = int32(at)
	}
	sort.Slice(x.words, func(i, j int) bool { return x.words[i].text < x.words[j].text })
	for i := range x.words {
		w := &x.words[i]
		x.byWord[w.text] = int32(i)
		w.posts = append([]post(nil), w.posts...) // without spare room
		x.byLen[len(w.text)] = append(x.byLen[len(w.text)], int32(i))
	}
	return x
}

// Query asks for tools. Text alone ranks; a namespace alone lists it completely; neither gives nothing, unless All.
type Query struct {
	Text      string
	Namespace string // prefix of addresses, at whole parts
	All       bool   // without text and namespace: every tool, by address
	Limit     int    // 0 = 12
	Offset    int
	// Keep says which addresses may be seen; nil: all. What is not kept is as if it were not there, in totals too.
	Keep func(address string) bool
}

// Page is a part of what was found, best first; ties by address.
type Page struct {
	Items      []Hit `json:"items"`
	Total      int   `json:"total"`
	HasMore    bool  `json:"hasMore"`
	NextOffset int   `json:"nextOffset,omitempty"`
}

// Hit is a tool that was found.
type Hit struct {
	Path        string  `json:"path"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Score       float64 `json:"score"`
}

const defaultLimit = 12

// Search finds tools.
func (x *Index) Search(q Query) Page {
	var found []scored
	asked := terms(q.Text, false)
	if len(asked) == 0 {
		asked = terms(q.Text, true)
	}
	asked = distinct(asked)
	switch {
	case len(asked) > 0:
		found = x.ranked(asked, q)
	case q.Namespace != "" || q.All && strings.TrimSpace(q.Text) == "":
		for _, i := range x.order {
			if x.within(i, q.Namespace) && x.kept(i, q) {
				found = append(found, scored{i, 0})
			}
		}
	}
	limit := orDefault(q.Limit, defaultLimit)
	from := min(max(q.Offset, 0), len(found))
	to := min(from+limit, len(found))
	page := Page{Items: make([]Hit, 0, to-from), Total: len(found), HasMore: to < len(found)}
	for _, f := range found[from:to] {
		e := x.entries[f.entry]
		page.Items = append(page.Items, Hit{e.Address, e.Name, clip(oneLine(e.Description), 300), math.Round(f.score*100) / 100})
	}
	if page.HasMore {
		page.NextOffset = to
	}
	return page
}

func (x *Index) within(i int32, namespace string) bool {
	if namespace == "" {
		return true
	}
	a, n := x.lower[i], strings.ToLower(strings.TrimPrefix(namespace, "tools."))
	return strings.HasPrefix(a, n) && (len(a) == len(n) || a[len(n)] == '.')
}

func (x *Index) kept(i int32, q Query) bool { return q.Keep == nil || q.Keep(x.entries[i].Address) }

type scored struct {
	entry int32
	score float64
}

// ranked scores every entry that has enough of the asked words: all of one or two, 60 % of more; if no entry has that, any.
func (x *Index) ranked(asked []string, q Query) []scored {
	sum := make([]float64, len(x.entries))
	hits := make([]uint8, len(x.entries))
	best := make([]float64, len(x.entries))
	if len(asked) > 24 {
		asked = asked[:24]
	}
	for _, w := range asked {
		clear(best)
		for _, m := range x.matches(w) {
			posts := x.words[m.word].posts
			rarity := math.Log(1 + float64(len(x.entries))/float64(len(posts)))
			for _, p := range posts {
				best[p.entry] = max(best[p.entry], m.quality*rarity*float64(p.weight))
			}
		}
		for i, b := range best {
			if b > 0 {
				sum[i] += b
				hits[i]++
			}
		}
	}
	need := len(asked)
	if need > 2 {
		need = int(math.Ceil(float64(need) * 0.6))
	}
	whole := strings.ToLower(strings.Join(splitWords(q.Text), ""))
	for ; need > 0; need-- {
		var out []scored
		for i := range sum {
			if int(hits[i]) < need || hits[i] == 0 || !x.within(int32(i), q.Namespace) || !x.kept(int32(i), q) {
				continue
			}
			score := sum[i] * (0.5 + 0.5*float64(hits[i])/float64(len(asked)))
			a := x.lower[i]
			if leaf := a[strings.LastIndexByte(a, '.')+1:]; leaf == whole || len(a)-strings.Count(a, ".") == len(whole) && strings.ReplaceAll(a, ".", "") == whole || strings.EqualFold(x.entries[i].Name, q.Text) {
				score += 100
			}
			// Of two tools with the same words the one with the shorter name is the plainer one.
			out = append(out, scored{int32(i), score - float64(len(a))/50})
		}
		if len(out) > 0 {
			sortFirst(out, max(q.Offset, 0)+orDefault(q.Limit, defaultLimit), func(a, b scored) int {
				if a.score != b.score {
					return cmp.Compare(b.score, a.score)
				}
				return cmp.Compare(x.rank[a.entry], x.rank[b.entry])
			})
			return out
		}
	}
	return nil
}

// sortFirst puts the first n of all in order at the front; the others may lie in any order behind them.
func sortFirst(all []scored, n int, compare func(a, b scored) int) {
	if n >= len(all)/8 || n > 500 {
		slices.SortFunc(all, compare)
		return
	}
	first := all[:n]
	slices.SortFunc(first, compare)
	for i := n; i < len(all); i++ {
		c := all[i]
		if compare(c, first[n-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(first, c, compare)
		all[i] = first[n-1]
		copy(first[at+1:], first[at:n-1])
		first[at] = c
	}
}

type match struct {
	word    int32
	quality float64
}

// matches lists the words of the index that a word may mean: itself, those it begins, and, if it is not known, those that
// are a typing error away.
func (x *Index) matches(w string) []match {
	var out []match
	exact, known := x.byWord[w]
	if known {
		out = append(out, match{exact, 1})
	}
	if len(w) >= 3 {
		for i := sort.Search(len(x.words), func(i int) bool { return x.words[i].text >= w }); i < len(x.words) && strings.HasPrefix(x.words[i].text, w); i++ {
			if int32(i) != exact || !known {
				out = append(out, match{int32(i), 0.5 * float64(len(w)) / float64(len(x.words[i].text))})
			}
		}
	}
	most := tolerance(len(w))
	if known || most == 0 || len(w) > 60 {
		return out
	}
	set := letters(w)
	for n := max(1, len(w)-most); n <= min(64, len(w)+most); n++ {
		for _, i := range x.byLen[n] {
			c := &x.words[i]
			if bits.OnesCount32(c.letters^set) > 2*most {
				continue
			}
			if d := distance(w, c.text, most); d <= most {
				out = append(out, match{i, 0.6 / float64(d)})
			}
		}
	}
	return out
}

// Addresses lists every address in order, for a caller of its own.
func (x *Index) Addresses() []string {
	out := make([]string, len(x.order))
	for at, i := range x.order {
		out[at] = x.entries[i].Address
	}
	return out
}

// maxSuggestions is how many tools are named when a path is not one.
const maxSuggestions = 5

// Find returns the entry with that address or name; capitals do not matter.
func (x *Index) Find(path string) (Entry, bool) {
	want := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(path), "tools."))
	at := -1
	for i, a := range x.lower {
		if x.entries[i].Address == path || x.entries[i].Name == path {
			return x.entries[i], true
		}
		if a == want {
			at = i
		}
	}
	if at < 0 {
		return Entry{}, false
	}
	return x.entries[at], true
}

// Suggest names up to five tools that an unknown path may mean.
func (x *Index) Suggest(path string) []string {
	path = strings.TrimPrefix(strings.TrimSpace(path), "tools.")
	var out []string
	want := strings.ToLower(path)
	for _, i := range x.order { // a slip in the address itself comes first
		if a := x.lower[i]; len(a) <= 64 && distance(a, want, 2) <= 2 {
			out = append(out, x.entries[i].Address)
		}
	}
	for _, h := range x.Search(Query{Text: path, Limit: maxSuggestions}).Items {
		out = append(out, h.Path)
	}
	if out = distinct(out); len(out) > maxSuggestions {
		out = out[:maxSuggestions]
	}
	return out
}

// NotFound is the failure for a path that is not a tool, with suggestions.
func (x *Index) NotFound(path string) *Failure {
	f := &Failure{Code: CodeNotFound, Message: "there is no tool " + clip(path, 120)}
	if near := x.Suggest(path); len(near) > 0 {
		f.Message += "; did you mean " + strings.Join(near, ", ") + "?"
		f.Details = map[string]any{"suggestions": near}
	}
	return f
}
