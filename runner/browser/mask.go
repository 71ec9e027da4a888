package browser

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/proagentstore/pags/pkg/relay"
)

const hidden = "••••"

// private answers the values of fields that must not leave: passwords, and fields that hold a secret of this run.
func (l *lease) private(looks []look) []string {
	var list []string
	for _, one := range looks {
		for _, v := range one.Values {
			if v.P || l.holds(v.V) {
				list = append(list, v.V)
			}
		}
	}
	return list
}

func (l *lease) holds(value string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for s := range l.secrets {
		if strings.Contains(value, s) {
			return true
		}
	}
	return false
}

var valueLine = regexp.MustCompile(`(?m)^(\s*- '?(?:textbox|searchbox|spinbutton|combobox|generic)\b.*?\[ref=[a-z0-9]+\][^:\n]*'?): (.+)$`)

// maskValues hides the values of private fields in an outline, however short they are.
func maskValues(outline string, private []string) string {
	if len(private) == 0 {
		return outline
	}
	return valueLine.ReplaceAllStringFunc(outline, func(line string) string {
		m := valueLine.FindStringSubmatch(line)
		value := m[2]
		var plain string
		if json.Unmarshal([]byte(value), &plain) == nil {
			value = plain
		}
		if slices.ContainsFunc(private, func(p string) bool { return squash(p) == squash(value) }) {
			return m[1] + ": " + hidden
		}
		return line
	})
}

func squash(s string) string { return strings.Join(strings.Fields(s), " ") }

// minScrub is the shortest text that is looked for in running text: anything shorter would tear holes everywhere and tell
// nothing. Fields that hold it are hidden whatever its length.
const minScrub = 3

// scrub removes the run's secrets, and more texts, from a text that leaves, also as they look inside URLs and JSON.
func (l *lease) scrub(text string, more ...string) string {
	if text == "" {
		return text
	}
	l.mu.Lock()
	list := slices.Clone(more)
	for s := range l.secrets {
		list = append(list, s)
	}
	l.mu.Unlock()
	var forms []string
	for _, s := range list {
		if len(s) < minScrub {
			continue
		}
		quoted, _ := json.Marshal(s)
		forms = append(forms, s, url.QueryEscape(s), url.PathEscape(s), strings.Trim(string(quoted), `"`), squash(s))
	}
	// the longest first, so that a secret which holds another leaves nothing behind
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	for _, f := range slices.Compact(forms) {
		if len(f) >= minScrub {
			text = strings.ReplaceAll(text, f, hidden)
		}
	}
	return text
}

// clean scrubs everything of a result that is text.
func (l *lease) clean(res relay.Result) relay.Result {
	res.Feedback = l.scrub(res.Feedback)
	if o := res.Seen; o != nil {
		o.URL, o.Title, o.Snapshot = l.scrub(o.URL), l.scrub(o.Title), l.scrub(o.Snapshot)
		for i := range o.Tabs {
			o.Tabs[i].URL, o.Tabs[i].Title = l.scrub(o.Tabs[i].URL), l.scrub(o.Tabs[i].Title)
		}
	}
	return res
}
