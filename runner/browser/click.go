package browser

import (
	"github.com/proagentstore/pags/pkg/relay"
)

func (a *action) click() relay.Result {
	t, no := a.find(true)
	if no != nil {
		return *no
	}
	if t.Tag == "select" {
		return failed("%s is a list; use select with one of: %s", t.title(), labels(t.Options))
	}
	if t.Type == "file" || t.ControlType == "file" {
		return failed("%s takes a file; use upload", t.title())
	}
	if no := a.guard(t.judged(a.cmd.Element)); no != nil {
		return *no
	}
	before := t.Choice
	if no := a.press(t); no != nil {
		return *no
	}
	if before == nil || !before.Native {
		return ok("")
	}
	back, err := a.readback(t.handle)
	if err != nil || back.Checked == nil {
		return ok("")
	}
	return ok(t.title() + " is now " + state(*back.Checked))
}

// check sets a checkbox, radio button or switch, whatever it was before.
func (a *action) check() relay.Result {
	t, no := a.find(true)
	if no != nil {
		return *no
	}
	want := a.cmd.Checked == nil || *a.cmd.Checked
	c := t.Choice
	if c == nil {
		return failed("%s is not a checkbox, radio button or switch; click it instead", t.title())
	}
	if c.Checked == want {
		return ok(t.title() + " was " + state(want) + " already")
	}
	if c.Type == "radio" && !want {
		return failed("%s is a radio button: choose another one of its group instead", t.title())
	}
	if no := a.press(t); no != nil {
		return *no
	}
	a.still(a.tab, stillAfterField)
	back, err := a.readback(t.handle)
	switch {
	case err != nil || back.Checked == nil:
		return ok("clicked; the page replaced it, so look at the snapshot")
	case *back.Checked != want:
		return failed("%s was clicked but is still %s%s", t.title(), state(*back.Checked), invalid(back.Message))
	}
	return ok(t.title() + " is now " + state(want) + invalid(back.Message))
}

func state(checked bool) string {
	if checked {
		return "checked"
	}
	return "not checked"
}
