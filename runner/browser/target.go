package browser

//lint:file-ignore SA1019 an element handle is the very element that was judged; a locator would look for it anew

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/proagentstore/pags/pkg/relay"
)

// named is what the last snapshot said of a ref: computed by Playwright in a world of its own, where a page cannot meddle.
type named struct{ Role, Name string }

// target is the element a ref stands for.
type target struct {
	handle playwright.ElementHandle
	probe
	snapshot named
}

// probe is what page/probe.js tells.
type probe struct {
	Tag, Type, Role, Name, Href, Covered, Origin, ControlType                                  string
	Connected, Disabled, Readonly, Editable, Combobox, Datalist, Password, ViaLabel, Invisible bool

	Point   *struct{ X, Y float64 }
	Choice  *choice
	Options []option
	Commit  sending
}

type choice struct {
	Type, Name      string
	Checked, Native bool
}

type option struct {
	Label, Value string
	Disabled     bool
}

// title names the target for people: by its snapshot, by itself, or by its kind.
func (t *target) title() string {
	for _, name := range []string{t.snapshot.Name, t.Name} {
		if name != "" {
			return "“" + shorten(name, 80) + "”"
		}
	}
	return "the " + t.Role
}

var refShape = regexp.MustCompile(`^(f\d+)?e\d+$`)

// find resolves the command's ref. The result is nil where that worked.
func (a *action) find(hit bool) (*target, *relay.Result) {
	no := func(r relay.Result) (*target, *relay.Result) { return nil, &r }
	if !refShape.MatchString(a.cmd.Ref) {
		return no(failed("%s needs a ref of the latest snapshot, such as e12; got %q", a.cmd.Action, shorten(a.cmd.Ref, 40)))
	}
	handle, err := a.tab.page.GetByRef(a.cmd.Ref).ElementHandle(playwright.LocatorElementHandleOptions{Timeout: playwright.Float(1000)})
	if err != nil {
		a.suspect(err)
		return no(failed("there is no %s on the page now; use a ref of the latest snapshot", a.cmd.Ref))
	}
	t := &target{handle: handle, snapshot: a.lease.names[a.cmd.Ref]}
	if err := a.probe(t, hit); err != nil {
		return no(failed("%s could not be looked at: %s", a.cmd.Ref, reason(err)))
	}
	if !t.Connected {
		return no(failed("%s is no longer on the page; use a ref of the latest snapshot", a.cmd.Ref))
	}
	if a.ctx.Err() != nil {
		return no(cancelled())
	}
	return t, nil
}

func (a *action) probe(t *target, hit bool) error {
	text, err := a.script(t.handle, "probe", map[string]any{"hit": hit})
	if err != nil {
		return err
	}
	t.probe = probe{}
	return json.Unmarshal([]byte(text), &t.probe)
}

// press clicks a target where a click on it is a click on it. A cover is named instead of clicked.
func (a *action) press(t *target) *relay.Result {
	no := func(r relay.Result) *relay.Result { return &r }
	switch {
	case t.Disabled:
		return no(failed("%s is disabled", t.title()))
	case t.Covered != "" && t.Point == nil:
		return no(failed("nothing was clicked: %s is covered by %s; deal with that first", t.title(), t.Covered))
	case t.Point == nil:
		return no(failed("nothing was clicked: %s is not visible", t.title()))
	}
	handle := t.handle
	if t.ViaLabel {
		label, err := t.handle.EvaluateHandle("e => [...e.labels].find(l => l.getClientRects().length) || e")
		if err != nil || label.AsElement() == nil {
			return no(failed("nothing was clicked: the label of %s went away", t.title()))
		}
		handle = label.AsElement()
	}
	if a.ctx.Err() != nil {
		return no(cancelled())
	}
	opens, popups := a.tab.beginWindows()
	a.begun = true
	err := handle.Click(playwright.ElementHandleClickOptions{Timeout: playwright.Float(3000), NoWaitAfter: playwright.Bool(true),
		Position: &playwright.Position{X: t.Point.X, Y: t.Point.Y}})
	if err != nil {
		if cover := coverOf(err); cover != "" {
			a.begun = false
			return no(failed("nothing was clicked: %s is covered by %s; deal with that first", t.title(), a.nameCover(t, cover)))
		}
		if errors.Is(err, playwright.ErrTimeout) {
			a.begun = false
			return no(failed("nothing was clicked: %s does not come to rest or is not visible", t.title()))
		}
		return no(failed("the click on %s failed: %s", t.title(), reason(err)))
	}
	a.windows(opens, popups)
	return nil
}

// windows waits for the pages of the windows that our own press opened, and makes the newest the active one.
func (a *action) windows(opens, popups int) {
	if a.tab.cdp != nil {
		// The page tells of its windows on its own line. An answer on that line means that all before it has been heard.
		_ = a.bounded(500*time.Millisecond, func() error {
			_, err := a.tab.cdp.Send("Runtime.evaluate", map[string]any{"expression": "0"})
			return err
		})
	}
	a.tab.mu.Lock()
	ours := a.tab.opens - opens
	if a.tab.cdp == nil {
		ours = a.tab.popups - popups
	}
	a.tab.mu.Unlock()
	last := popups + ours
	if ours > 0 {
		a.hand.until(a.ctx, 2*time.Second, func() bool { a.tab.mu.Lock(); defer a.tab.mu.Unlock(); return a.tab.popups >= last })
	}
	a.lease.welcome(a.tab, popups, last)
}

var intercepts = regexp.MustCompile(`(?m)(<[^\n]*>)[^\n]* intercepts pointer events`)

// coverOf finds in Playwright's log which element took the click.
func coverOf(err error) string {
	all := intercepts.FindAllStringSubmatch(err.Error(), -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// nameCover describes a cover that the element's own document cannot see: one in the page around its frame.
func (a *action) nameCover(t *target, cover string) string {
	if a.probe(t, true) == nil && t.Covered != "" {
		return t.Covered
	}
	if box, err := t.handle.BoundingBox(); err == nil && box != nil {
		text, err := a.tab.page.Evaluate(`([x, y]) => { const e = document.elementFromPoint(x, y); return e ? (e.closest("[role=dialog],dialog,[aria-modal]") || e).innerText.trim().slice(0, 60) : "" }`,
			[]float64{box.X + box.Width/2, box.Y + box.Height/2})
		if s, _ := text.(string); err == nil && s != "" {
			return "“" + shorten(s, 60) + "”"
		}
	}
	return shorten(cover, 100)
}

var (
	refLine = regexp.MustCompile(`(?m)^\s*- '?([a-z]+)(?: ("(?:[^"\\]|\\.)*"))?.*?\[ref=((?:f\d+)?e\d+)\]`)
)

// namesIn reads role and name of every ref from a snapshot.
func namesIn(snapshot string) map[string]named {
	names := map[string]named{}
	for _, m := range refLine.FindAllStringSubmatch(snapshot, -1) {
		name, err := strconv.Unquote(m[2])
		if err != nil {
			name = strings.Trim(m[2], `"`)
		}
		names[m[3]] = named{m[1], name}
	}
	return names
}
