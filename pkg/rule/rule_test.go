package rule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMatch_SegmentsStarsAndCapitals(t *testing.T) {
	for _, c := range []struct {
		says, pattern, address string
		want                   bool
	}{
		{"a star alone is everything", "*", "github.main.issues.create", true},
		{"the same address", "github.main.issues.create", "github.main.issues.create", true},
		{"an address below it is another one", "github.main.issues", "github.main.issues.create", false},
		{"a star at the end is everything below", "github.main.*", "github.main.issues.create", true},
		{"and the place itself", "github.main.*", "github.main", true},
		{"but not a place that only begins alike", "github.main.*", "github.mainframe.issues.create", false},
		{"a star in the middle is one part", "github.*.issues.create", "github.work.issues.create", true},
		{"and never two", "github.*.create", "github.main.issues.create", false},
		{"nor none", "github.*.main.issues", "github.main.issues", false},
		{"two stars at the end need one part", "github.*.*", "github", false},
		{"and take it alone", "github.*.*", "github.main", true},
		{"capitals count", "github.main.Issues.*", "github.main.issues.create", false},
		{"the short address is not the canonical one", "github.issues.create", "github.main.issues.create", false},
		{"no pattern matches nothing", "git*", "github", false},
	} {
		if got := Match(c.pattern, c.address); got != c.want {
			t.Errorf("%s: Match(%q, %q) = %v", c.says, c.pattern, c.address, got)
		}
	}
}

func TestCheckPattern_SaysWhatIsWrongWithAnExample(t *testing.T) {
	for pattern, says := range map[string]string{
		"":                             "empty",
		"*.issues.create":              "cannot begin with *",
		"git*":                         "mixes * with letters",
		"github.main.create*":          "part 3",
		"github..create":               "part 2 of the pattern is empty",
		"github.main.":                 "part 3 of the pattern is empty",
		"github.main.issue s":          "no address has",
		"github.main.issues\u202e":     "no address has",
		"tools.github.main.issues.get": "write github.main.issues.get",
		strings.Repeat("a", 401):       "at most 400",
		strings.Repeat("a.", 16) + "a": "at most 16 parts",
		"github.**":                    "mixes",
	} {
		err := CheckPattern(pattern)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want something about %q", pattern, err, says)
		}
	}
	for _, pattern := range []string{"*", "github", "github.*", "github.*.issues.*", "a.b.c.d", "describe.tool", "my_api.work_2.group-x.leaf"} {
		if err := CheckPattern(pattern); err != nil {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}

func TestDecide_TheMostSpecificRuleDecides(t *testing.T) {
	const issue = "github.main.issues.create"
	for _, c := range []struct {
		says     string
		rules    []Rule
		readOnly bool
		want     Action
		by       string
	}{
		{"without rules a read goes", nil, true, Approve, ""},
		{"without rules anything else is asked about", nil, false, RequireApproval, ""},
		{"a rule about something else changes nothing", []Rule{{"1", "gitlab.*", Block}}, true, Approve, ""},
		{"a subtree gates what would go", []Rule{{"1", "github.*", RequireApproval}}, true, RequireApproval, "1"},
		{"a narrower block beats a wider approval", []Rule{{"1", "github.*", Approve}, {"2", issue, Block}}, false, Block, "2"},
		{"a broad new block does not shadow a narrower approval", []Rule{{"1", issue, Approve}, {"2", "*", Block}}, false, Approve, "1"},
		{"a broad new approval does not lift a narrower block", []Rule{{"1", "github.main.issues.*", Block}, {"2", "github.*", Approve}}, false, Block, "1"},
		{"of two that are equally specific the strictest decides", []Rule{{"1", "github.main.*", Approve}, {"2", "github.*.issues.*", Block}}, false, Block, "2"},
		{"in either order", []Rule{{"2", "github.*.issues.*", Block}, {"1", "github.main.*", Approve}}, false, Block, "2"},
		{"of two with one pattern the strictest decides", []Rule{{"1", issue, Approve}, {"2", issue, Block}}, false, Block, "2"},
		{"the whole address beats one with a star in it", []Rule{{"1", "github.*.issues.create", Block}, {"2", issue, Approve}}, false, Approve, "2"},
		{"of equal weight the one within the other decides", []Rule{{"1", "github.*", Block}, {"2", "github.*.*", Approve}}, false, Approve, "2"},
		{"a rule with an action that is none blocks", []Rule{{"1", issue, "allow"}}, true, Block, "1"},
		{"a block whose pattern is none blocks everything", []Rule{{"1", "git*", Block}}, true, Block, "1"},
		{"an approval whose pattern is none approves nothing", []Rule{{"1", "git*", Approve}}, false, RequireApproval, ""},
	} {
		got := Compile(c.rules).Decide(issue, c.readOnly)
		if got.Action != c.want || got.RuleID != c.by || got.Reason == "" {
			t.Errorf("%s: %+v", c.says, got)
		}
	}
	if got := (Rules{}).Decide("", false); got.Action != RequireApproval {
		t.Errorf("no address: %+v", got)
	}
}

// parts are few, so that patterns and addresses of the property tests meet often.
var parts = []string{"a", "b", "c"}

func anyAddress(r *rand.Rand) string {
	n := 1 + r.IntN(4)
	out := make([]string, n)
	for i := range out {
		out[i] = parts[r.IntN(len(parts))]
	}
	return strings.Join(out, ".")
}

func anyPattern(r *rand.Rand) string {
	if r.IntN(12) == 0 {
		return Any
	}
	out := strings.Split(anyAddress(r), ".")
	for i := 1; i < len(out); i++ {
		if r.IntN(3) == 0 {
			out[i] = Any
		}
	}
	if r.IntN(3) == 0 {
		out = append(out, Any)
	}
	return strings.Join(out, ".")
}

func anyRules(r *rand.Rand) []Rule {
	out := make([]Rule, r.IntN(8))
	for i := range out {
		out[i] = Rule{fmt.Sprint(i), anyPattern(r), Actions[r.IntN(len(Actions))]}
	}
	return out
}

var everyAddress = func() []string {
	all, last := []string{}, []string{""}
	for range 4 {
		var next []string
		for _, head := range last {
			for _, p := range parts {
				next = append(next, strings.TrimPrefix(head+"."+p, "."))
			}
		}
		all, last = append(all, next...), next
	}
	return all
}()

// plainly decides by reading every rule, as the spec says it.
func plainly(rules []Rule, address string) (Action, bool) {
	weight := func(p string) int {
		n, exact := 0, 1
		for _, s := range strings.Split(p, ".") {
			if s == Any {
				exact = 0
			} else {
				n += 2
			}
		}
		return n + exact
	}
	var top []Rule
	best := -1
	for _, r := range rules {
		if !Match(r.Pattern, address) {
			continue
		}
		if w := weight(r.Pattern); w > best {
			best, top = w, []Rule{r}
		} else if w == best {
			top = append(top, r)
		}
	}
	worst, found := Approve, false
	for _, r := range top {
		holds := slices.ContainsFunc(top, func(o Rule) bool { return o.Pattern != r.Pattern && inside(o.Pattern, r.Pattern) })
		if !holds {
			found = true
			if r.Action.strictness() > worst.strictness() {
				worst = r.Action
			}
		}
	}
	return worst, found
}

// inside is within, by trying every address.
func inside(p, q string) bool {
	for _, a := range append(everyAddress, "a.a.a.a.a", "z.z.z.z.z.z", "a.z", "a.b.z", "b.z", "c.z") {
		if Match(p, a) && !Match(q, a) {
			return false
		}
	}
	return true
}

func TestDecide_IsWhatReadingEveryRuleGives(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		rules := anyRules(r)
		compiled := Compile(rules)
		address := anyAddress(r)
		want, found := plainly(rules, address)
		got := compiled.Decide(address, true)
		if !found {
			want = Approve
		}
		if got.Action != want {
			t.Fatalf("%v decide %+v on %s, not %s", rules, got, address, want)
		}
		if compiled.Blocked(address) != (got.Action == Block) {
			t.Fatalf("%v: Blocked and Decide differ on %s", rules, address)
		}
	}
}

func TestDecide_AddingABlockNeverOpensAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1500 {
		rules := anyRules(r)
		before := Compile(rules)
		after := Compile(append(slices.Clone(rules), Rule{"new", anyPattern(r), Block}))
		for _, a := range everyAddress {
			for _, readOnly := range []bool{true, false} {
				b, n := before.Decide(a, readOnly), after.Decide(a, readOnly)
				if n.Action.strictness() < b.Action.strictness() {
					t.Fatalf("%v: a new block turned %+v into %+v for %s", rules, b, n, a)
				}
			}
		}
	}
}

func TestDecide_ABroadRuleNeverShadowsANarrowerOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	tried := 0
	for range 4000 {
		narrow := Rule{"narrow", anyPattern(r), Actions[r.IntN(3)]}
		broad := Rule{"broad", anyPattern(r), Actions[r.IntN(3)]}
		if narrow.Pattern == broad.Pattern || !within(narrow.Pattern, broad.Pattern) {
			continue
		}
		tried++
		both := Compile([]Rule{narrow, broad})
		for _, a := range everyAddress {
			if Match(narrow.Pattern, a) {
				if got := both.Decide(a, true); got.RuleID != "narrow" {
					t.Fatalf("%+v lies within %+v and does not decide on %s: %+v", narrow, broad, a, got)
				}
			}
		}
	}
	if tried < 200 {
		t.Fatalf("only %d pairs were tried", tried)
	}
}

func TestDecide_DoesNotDependOnTheOrderOfRules(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 1500 {
		rules := anyRules(r)
		a, first := anyAddress(r), Compile(rules)
		r.Shuffle(len(rules), func(i, j int) { rules[i], rules[j] = rules[j], rules[i] })
		if x, y := first.Decide(a, false), Compile(rules).Decide(a, false); x != y {
			t.Fatalf("%v: %+v, then %+v", rules, x, y)
		}
	}
}

// many is 500 rules as a person with many sources may have them, and some that all match one address.
func many() Rules {
	var rules []Rule
	for i := range 400 {
		rules = append(rules, Rule{fmt.Sprint(i), fmt.Sprintf("source%d.main.group%d.*", i%40, i), Actions[i%3]})
	}
	for i := range 50 {
		rules = append(rules, Rule{fmt.Sprint("w", i), fmt.Sprintf("source%d.*.group%d.leaf%d", i%40, i, i), Actions[i%3]})
	}
	for i := range 50 {
		rules = append(rules, Rule{fmt.Sprint("s", i), "source1.*" + strings.Repeat(".*", i%10), Actions[i%3]})
	}
	return Compile(rules)
}

func TestDecide_AHundredCallsUnderFiveHundredRulesTakeFarLessThanAMillisecond(t *testing.T) {
	rules := many()
	best := time.Hour
	for range 20 { // the machine may be busy: the best of several
		began := time.Now()
		for i := range 100 {
			rules.Decide(fmt.Sprintf("source%d.main.group%d.leaf", i%40, i), false)
		}
		best = min(best, time.Since(began))
	}
	if best > time.Millisecond {
		t.Errorf("100 decisions took %v", best)
	}
}

func BenchmarkDecide(b *testing.B) {
	rules := many()
	for b.Loop() {
		rules.Decide("source1.main.group1.leaf", false)
	}
}
