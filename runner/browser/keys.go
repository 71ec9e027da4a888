package browser

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/proagentstore/pags/pkg/relay"
)

// focus is what page/focus.js tells of the element that has the keyboard.
type focus struct {
	None, Frame, Editable, Picking, Search, Presses bool
	Tag, Type, Role, Name                           string
	Commit                                          sending
}

var (
	arrows   = []string{"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"}
	keyShape = regexp.MustCompile(`^(?:(?:Control|Shift|Alt|Meta|ControlOrMeta)\+)*(?:[A-Za-z][A-Za-z0-9]*|.)$`)
)

func (a *action) key() relay.Result {
	key := normalKey(a.cmd.Key)
	if key == "" || !keyShape.MatchString(key) {
		return failed("%q is not a key; use names such as Enter, Tab, ArrowDown, Escape or Control+a", shorten(a.cmd.Key, 40))
	}
	after := a.lease.lastKey
	a.lease.lastKey = key
	if no := a.guardKey(key, after); no != nil {
		return *no
	}
	if no := a.send(key); no != nil {
		return *no
	}
	return ok("")
}

// pressEnter ends a type command that asked for Enter.
func (a *action) pressEnter() *relay.Result {
	if no := a.guardKey("Enter", ""); no != nil {
		return no
	}
	return a.send("Enter")
}

func (a *action) send(key string) *relay.Result {
	if a.ctx.Err() != nil {
		r := cancelled()
		return &r
	}
	opens, popups := a.tab.beginWindows()
	a.begun = true
	if err := a.bounded(5*time.Second, func() error { return a.tab.page.Keyboard().Press(key) }); err != nil {
		r := failed("the key %s could not be pressed: %s", key, reason(err))
		return &r
	}
	a.windows(opens, popups)
	return nil
}

// normalKey accepts the usual other names of keys.
func normalKey(key string) string {
	parts := strings.Split(strings.TrimSpace(key), "+")
	if strings.TrimSpace(key) == "+" {
		return "+"
	}
	other := map[string]string{"ctrl": "Control", "cmd": "Meta", "command": "Meta", "option": "Alt", "return": "Enter", "esc": "Escape",
		"space": "Space", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight", "del": "Delete", "enter": "Enter",
		"tab": "Tab", "escape": "Escape", "numpadenter": "NumpadEnter", "backspace": "Backspace", "delete": "Delete"}
	for i, p := range parts {
		if name, known := other[strings.ToLower(p)]; known {
			parts[i] = name
		}
	}
	if key == " " {
		return "Space"
	}
	return strings.Join(parts, "+")
}

// guardKey judges keys that press or send: Enter and Space on a control are a click on it, Enter in a form's field presses
// the form's button (HTML, implicit submission). Enter straight after an arrow key picks an item (spec platform 5.4).
func (a *action) guardKey(key, after string) *relay.Result {
	if a.cmd.Guard == relay.GuardNone {
		return nil
	}
	base := key[strings.LastIndexByte(key, '+')+1:]
	enter, space := base == "Enter" || base == "NumpadEnter", base == "Space" || key == " "
	if !enter && !space {
		return nil
	}
	f, err := a.focused()
	if err != nil {
		return a.guard(judged{unreadable: true, what: key})
	}
	chord := strings.Contains(key, "Control+") || strings.Contains(key, "Meta+") || strings.Contains(key, "ControlOrMeta+")
	switch {
	case f.None:
		return nil
	case f.Presses:
		return a.guard(judged{names: []string{f.Commit.Name, f.Name}, claimed: a.cmd.Element, sending: f.Commit, what: key + " on “" + f.Name + "”"})
	case space:
		return nil // writes a space, or toggles a box
	case enter && !chord && (slices.Contains(arrows, after) || f.Picking):
		return nil
	case f.Tag == "textarea" && !chord, f.Tag == "select":
		return nil // a new line; opens the list
	}
	j := judged{names: []string{f.Commit.Name}, claimed: a.cmd.Element, sending: f.Commit, what: key + " in “" + f.Name + "”"}
	if f.Commit.Role == "" { // no button behind it: what Enter does here is up to the page
		j.names = nil
		j.blind = !f.Search && f.Commit.Method != "get"
	}
	return a.guard(j)
}

// focused looks at the element with the keyboard, in the innermost frame.
func (a *action) focused() (focus, error) {
	var in evaluator = a.tab.page
	frame := a.tab.page.MainFrame()
	for range 6 {
		text, err := a.script(in, "focus", nil)
		if err != nil {
			return focus{}, err
		}
		var f focus
		if err := json.Unmarshal([]byte(text), &f); err != nil || !f.Frame {
			return f, err
		}
		next, err := innerFrame(frame)
		if err != nil {
			return focus{}, err
		}
		in, frame = next, next
	}
	return focus{}, errBusy
}

func innerFrame(f playwright.Frame) (playwright.Frame, error) {
	h, err := f.EvaluateHandle(`() => { let e = document.activeElement; while (e && e.shadowRoot && e.shadowRoot.activeElement) e = e.shadowRoot.activeElement; return e; }`)
	if err != nil {
		return nil, err
	}
	e := h.AsElement()
	if e == nil {
		return nil, errBusy
	}
	inner, err := e.ContentFrame()
	if err == nil && inner == nil {
		err = errBusy
	}
	return inner, err
}
