package browser

//lint:file-ignore SA1019 an element handle is the very element that was judged; a locator would look for it anew

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/proagentstore/pags/pkg/relay"
)

// typed is the field that was typed into last.
type typed struct {
	handle playwright.ElementHandle
	label  string
	value  string // as read back
	age    int
}

func (a *action) typeText() relay.Result {
	t, no := a.find(false)
	if no != nil {
		return *no
	}
	if no := t.writable(); no != nil {
		return *no
	}
	text := a.cmd.Text
	if a.cmd.Secret != "" {
		secret, known := a.call.Secrets[a.cmd.Secret]
		if !known {
			return failed("the secret was not handed over with the command; ask for it again")
		}
		if origin := a.originOf(t); origin == "" || origin != strings.TrimSuffix(secret.Origin, "/") {
			return refused("the secret was given for %s, this field belongs to %s", secret.Origin, or(origin, "no web origin"))
		}
		text = secret.Text
	}
	value := text
	if shape := shapes[t.Type]; shape != nil {
		v, fits := shape(text)
		if !fits {
			return failed("%s is a %s field and takes %s", t.title(), t.Type, examples[t.Type])
		}
		value = v
	}
	a.begun = true
	if err := a.write(t, value); err != nil {
		return failed("%s could not be filled in: %s", t.title(), reason(err))
	}
	var feedback []string
	if t.Combobox && !t.Datalist {
		feedback = append(feedback, a.suggest(t))
	} else {
		a.still(a.tab, stillAfterField)
	}
	back, err := a.readback(t.handle)
	if err != nil {
		return ok(join(append(feedback, "typed; the page replaced the field, so look at the snapshot")))
	}
	if !same(back.Value, value) && !t.Editable && a.cmd.Secret == "" && !t.Combobox {
		// a field with a mask of its own wants keys, one by one
		if again, err := a.keyByKey(t, value); err == nil {
			back = again
		}
	}
	a.lease.typed = &typed{t.handle, t.title(), back.Value, 0}
	feedback = append([]string{a.told(t, back, value)}, feedback...)
	if a.cmd.Enter {
		if no := a.pressEnter(); no != nil {
			no.Feedback = join(append(feedback, no.Feedback))
			return *no
		}
	}
	return ok(join(feedback))
}

// writable refuses what cannot be typed into, with what to do instead.
func (t *target) writable() *relay.Result {
	var r relay.Result
	switch {
	case t.Disabled:
		r = failed("%s is disabled", t.title())
	case t.Readonly:
		r = failed("%s is read-only; if it opens a picker, click it and choose there", t.title())
	case t.Tag == "select":
		r = failed("%s is a list; use select with one of: %s", t.title(), labels(t.Options))
	case t.Type == "file":
		r = failed("%s takes a file; use upload", t.title())
	case t.Tag == "input" && !notTyped[t.Type], t.Tag == "textarea", t.Editable:
		return nil
	case t.ControlType != "" && !notTyped[t.ControlType]:
		return nil // a label: its field is filled
	default:
		r = failed("%s is not a field that takes text", t.title())
	}
	return &r
}

var notTyped = map[string]bool{"checkbox": true, "radio": true, "submit": true, "button": true, "reset": true, "image": true, "file": true, "hidden": true, "select-one": true, "select-multiple": true}

// write replaces the field's content by real input events, which is what pages that own their fields listen to.
func (a *action) write(t *target, value string) error {
	limit := playwright.Float(3000)
	keys := a.tab.page.Keyboard()
	switch {
	case t.Editable && strings.Contains(value, "\n"):
		if err := t.handle.Fill("", playwright.ElementHandleFillOptions{Timeout: limit}); err != nil {
			return err
		}
		for i, line := range strings.Split(value, "\n") {
			if i > 0 { // Enter alone sends in many chats
				if err := keys.Press("Shift+Enter"); err != nil {
					return err
				}
			}
			if err := keys.InsertText(line); err != nil {
				return err
			}
		}
		return nil
	case t.Combobox && !t.Editable && value != "":
		// the last character as a key: some lists listen to keys instead of input
		head, last := splitLast(value)
		if err := t.handle.Fill(head, playwright.ElementHandleFillOptions{Timeout: limit}); err != nil {
			return err
		}
		return keys.Type(last)
	}
	return t.handle.Fill(value, playwright.ElementHandleFillOptions{Timeout: limit})
}

func splitLast(s string) (head, last string) {
	r := []rune(s)
	return string(r[:len(r)-1]), string(r[len(r)-1:])
}

func (a *action) keyByKey(t *target, value string) (readback, error) {
	if shapes[t.Type] != nil {
		return readback{}, errBusy
	}
	if err := t.handle.Fill("", playwright.ElementHandleFillOptions{Timeout: playwright.Float(3000)}); err != nil {
		return readback{}, err
	}
	if err := a.bounded(10*time.Second, func() error { return a.tab.page.Keyboard().Type(value) }); err != nil {
		return readback{}, err
	}
	a.still(a.tab, stillAfterField)
	return a.readback(t.handle)
}

// readback is what page/readback.js tells.
type readback struct {
	Connected, Password   bool
	Value, Message, Label string
	Checked               *bool
}

func (a *action) readback(handle playwright.ElementHandle) (readback, error) {
	var back readback
	text, err := a.script(handle, "readback", nil)
	if err == nil {
		err = json.Unmarshal([]byte(text), &back)
	}
	return back, err
}

// told says what the field holds now.
func (a *action) told(t *target, back readback, wanted string) string {
	if a.cmd.Secret != "" || back.Password {
		if back.Value == wanted {
			return t.title() + " is filled in (hidden)" + invalid(back.Message)
		}
		return t.title() + " does not hold what was typed (hidden)" + invalid(back.Message)
	}
	switch {
	case same(back.Value, wanted):
		return t.title() + " now holds “" + shorten(back.Value, 200) + "”" + invalid(back.Message)
	case back.Value == "":
		return t.title() + " is empty: the page took the text away" + invalid(back.Message)
	default:
		return t.title() + " now holds “" + shorten(back.Value, 200) + "”, not what was typed" + invalid(back.Message)
	}
}

func invalid(message string) string {
	if message == "" {
		return ""
	}
	return " (the page says: " + shorten(message, 200) + ")"
}

func same(a, b string) bool {
	return strings.TrimRight(strings.ReplaceAll(a, "\r\n", "\n"), "\n") == strings.TrimRight(strings.ReplaceAll(b, "\r\n", "\n"), "\n")
}

// suggest waits for the options of a combobox: typed text alone often does not count (BR-02).
func (a *action) suggest(t *target) string {
	text, err := a.script(t.handle, "suggestions", map[string]any{"cap": 1500})
	var list []string
	if err != nil || json.Unmarshal([]byte(text), &list) != nil || len(list) == 0 {
		return "No suggestions appeared"
	}
	return "Suggestions appeared: “" + strings.Join(list, "”, “") + "”; click the right one, the text alone may not count"
}

// reverted notices that the page took back what the last type put in, as lists do when focus leaves them.
func (l *lease) reverted(a *action) {
	if l.typed == nil || a.cmd.Action == relay.ActType {
		return
	}
	was := l.typed
	back, err := a.readback(was.handle)
	if was.age++; err != nil || !back.Connected || was.age > 3 {
		l.typed = nil
		return
	}
	if back.Value == was.value || back.Password {
		return
	}
	l.typed = nil
	if back.Value == "" {
		l.say("%s lost its text: the page took it away when the field was left; if it offers suggestions, type again and click one", was.label)
		return
	}
	l.say("%s now holds “%s”", was.label, shorten(back.Value, 200))
}

// originOf answers the origin of the document that holds the target, as the browser knows it.
func (a *action) originOf(t *target) string {
	frame, err := t.handle.OwnerFrame()
	for err == nil && frame != nil {
		u, bad := url.Parse(frame.URL())
		if bad == nil && (u.Scheme == "http" || u.Scheme == "https") {
			return u.Scheme + "://" + strings.ToLower(u.Host)
		}
		if frame.URL() != "about:srcdoc" && frame.URL() != "about:blank" || t.Origin == "null" {
			return ""
		}
		frame = frame.ParentFrame() // these inherit the origin of the document around them
	}
	return ""
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// shapes bring what was meant into the one form that fields of a type take in every locale (HTML, 4.10.5.1).
var shapes = map[string]func(string) (string, bool){
	"date": layouts("2006-01-02", "2 January 2006", "January 2, 2006", "2 Jan 2006", "Jan 2, 2006", "Monday, 2 January 2006"),
	"time": layouts("15:04", "15:04:05", "3:04 PM", "3:04PM", "3:04 pm", "3:04pm", "3 PM", "3PM", "3 pm", "3pm"),
	"datetime-local": layouts("2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02 3:04 PM",
		"2 January 2006 15:04", "January 2, 2006 3:04 PM"),
	"month":  layouts("2006-01", "January 2006", "Jan 2006"),
	"week":   matching(`^\d{4}-W\d{2}$`),
	"color":  matching(`^#[0-9a-fA-F]{6}$`),
	"number": matching(`^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$`),
	"range":  matching(`^[-+]?(\d+\.?\d*|\.\d+)$`),
}

var examples = map[string]string{"date": "2026-03-09", "time": "16:05", "datetime-local": "2026-03-09T16:05", "month": "2026-03",
	"week": "2026-W11", "color": "#1a2b3c", "number": "a plain number such as 1250.5", "range": "a plain number"}

// layouts accepts the first layout in this form or any other, and answers it in the first.
func layouts(first string, others ...string) func(string) (string, bool) {
	return func(text string) (string, bool) {
		text = strings.TrimSpace(text)
		if text == "" {
			return "", true
		}
		for _, layout := range append([]string{first}, others...) {
			if at, err := time.Parse(layout, text); err == nil {
				if layout == "15:04:05" || layout == "2006-01-02T15:04:05" {
					return text, true
				}
				return at.Format(first), true
			}
		}
		return "", false
	}
}

func matching(pattern string) func(string) (string, bool) {
	re := regexp.MustCompile(pattern)
	return func(text string) (string, bool) {
		text = strings.TrimSpace(text)
		return text, text == "" || re.MatchString(text)
	}
}
