package browser

//lint:file-ignore SA1019 an element handle is the very element that was judged; a locator would look for it anew

import (
	"strings"

	"github.com/mxschmitt/playwright-go"

	"github.com/proagentstore/pags/pkg/relay"
)

// selectOption chooses in a list by label, by value, or by a label without regard to case.
func (a *action) selectOption() relay.Result {
	t, no := a.find(false)
	if no != nil {
		return *no
	}
	switch {
	case t.Tag != "select" && (t.Combobox || t.Role == "combobox" || t.Role == "listbox"):
		return failed("%s is not a plain list: click it or type into it, then click the option", t.title())
	case t.Tag != "select":
		return failed("%s is not a list", t.title())
	case t.Disabled:
		return failed("%s is disabled", t.title())
	}
	found := -1
	for _, equal := range []func(option) bool{
		func(o option) bool { return o.Label == a.cmd.Text },
		func(o option) bool { return o.Value == a.cmd.Text },
		func(o option) bool { return strings.EqualFold(o.Label, strings.TrimSpace(a.cmd.Text)) },
	} {
		for i, o := range t.Options {
			if found < 0 && equal(o) {
				found = i
			}
		}
	}
	if found < 0 {
		return failed("%s has no option “%s”; it has: %s", t.title(), shorten(a.cmd.Text, 80), labels(t.Options))
	}
	if t.Options[found].Disabled {
		return failed("the option “%s” of %s is disabled", t.Options[found].Label, t.title())
	}
	a.begun = true
	if _, err := t.handle.SelectOption(playwright.SelectOptionValues{Indexes: &[]int{found}},
		playwright.ElementHandleSelectOptionOptions{Timeout: playwright.Float(3000), Force: playwright.Bool(true)}); err != nil {
		return failed("%s could not be set: %s", t.title(), reason(err))
	}
	back, err := a.readback(t.handle)
	if err != nil {
		return ok("chosen; the page replaced the list, so look at the snapshot")
	}
	return ok(t.title() + " is now “" + shorten(back.Value, 200) + "”" + invalid(back.Message))
}

// labels lists options for the model to choose from.
func labels(options []option) string {
	var list []string
	for i, o := range options {
		if i == 40 {
			list = append(list, "…")
			break
		}
		if label := or(o.Label, o.Value); label != "" {
			list = append(list, "“"+shorten(label, 60)+"”")
		}
	}
	if len(list) == 0 {
		return "nothing yet"
	}
	return strings.Join(list, ", ")
}
