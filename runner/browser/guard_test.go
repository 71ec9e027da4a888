package browser

import (
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/relay"
)

func TestGuard_ReadOnly(t *testing.T) {
	u := start(t, "/readonly")
	u.call.Command.Guard = relay.GuardReadOnly
	u.want(relay.StatusRefused, "sends a form by POST", relay.Command{Action: relay.ActClick, Ref: u.ref(`button "Go"`)})
	u.want(relay.StatusRefused, "by POST", relay.Command{Action: relay.ActClick, Ref: u.ref(`button "Next"`)})
	u.want(relay.StatusRefused, "Publish", relay.Command{Action: relay.ActClick, Ref: u.ref(`button "Publish"`)})
	u.want(relay.StatusRefused, "no name", relay.Command{Action: relay.ActClick, Ref: u.ref(`button`, 4)})
	u.want(relay.StatusRefused, "by POST", relay.Command{Action: relay.ActType, Ref: u.ref(`textbox "Reason"`), Text: "x", Enter: true})
	u.want(relay.StatusRefused, "by POST", relay.Command{Action: relay.ActKey, Key: "Enter"})
	u.ok(relay.Command{Action: relay.ActKey, Key: "Tab"})
	u.ok(relay.Command{Action: relay.ActKey, Key: "Tab"})
	u.want(relay.StatusRefused, "by POST", relay.Command{Action: relay.ActKey, Key: "Space"})
	u.want(relay.StatusRefused, "no file", relay.Command{Action: relay.ActUpload, Ref: u.ref(`textbox "Reason"`), File: &relay.FileRef{}})
	if demo.Visits("POST /delete") != 0 {
		t.Fatal("something was deleted")
	}
	u.ok(relay.Command{Action: relay.ActType, Ref: u.ref(`combobox "Fruit"`), Text: "ap"})
	u.want(relay.StatusRefused, "cannot be seen", relay.Command{Action: relay.ActKey, Key: "Enter"})
	u.ok(relay.Command{Action: relay.ActKey, Key: "ArrowDown"})
	u.ok(relay.Command{Action: relay.ActKey, Key: "Enter"}) // picks the item
	u.title("picked")
	u.ok(relay.Command{Action: relay.ActType, Ref: u.ref(`searchbox "Search"`), Text: "tools", Enter: true}) // a search by GET
	u.title("Results")
}

func TestGuard_ReadOnlyRefusesWhatEnterSendsWithoutAForm(t *testing.T) {
	u := start(t, "/chat")
	u.call.Command.Guard = relay.GuardReadOnly
	u.want(relay.StatusRefused, "cannot be seen", relay.Command{Action: relay.ActType, Ref: u.ref(`textbox "Message"`), Text: "hi", Enter: true})
	u.title("chat")
	u.call.Command.Guard = relay.GuardNone
	u.ok(relay.Command{Action: relay.ActKey, Key: "Enter"})
	u.title("sent hi")
}

func TestGuard_DryRunWalksOnButDoesNotFinish(t *testing.T) {
	u := start(t, "/readonly")
	u.call.Command.Guard = relay.GuardDryRun
	u.want(relay.StatusRefused, "dry run", relay.Command{Action: relay.ActClick, Ref: u.ref(`button "Go"`)})
	u.want(relay.StatusRefused, "dry run", relay.Command{Action: relay.ActClick, Ref: u.ref(`button "Next"`), Element: "Submit order"})
	before := demo.Visits("POST /delete")
	u.click(`button "Next"`)
	if demo.Visits("POST /delete") != before+1 {
		t.Fatal("a step of the form was not taken")
	}
}

func TestGuard_ApproveStopsDescribesAndActsOnlyOnTheSame(t *testing.T) {
	u := start(t, "/readonly")
	u.call.Command.Guard = relay.GuardApprove
	u.typeIn(`textbox "Reason"`, "too old")
	u.typeIn(`textbox "PIN"`, "1379")
	go_ := relay.Command{Action: relay.ActClick, Ref: u.ref(`button "Go"`)}
	before := demo.Visits("POST /delete")
	c := u.want(relay.StatusCommit, "approval", go_).Commit
	if c == nil || c.Role != "button" || c.Name != "Go" || !strings.HasSuffix(c.FormAction, "/delete") || c.FormMethod != "post" || c.Origin != pagesAt.URL || c.Digest == "" {
		t.Fatalf("got %+v", c)
	}
	want := []relay.CommitField{{Name: "reason", Label: "Reason", Value: "too old"}, {Name: "csrf_token", Value: hidden}, {Name: "pin", Label: "PIN", Value: hidden}}
	if len(c.Fields) != len(want) {
		t.Fatalf("got %+v", c.Fields)
	}
	for i := range want {
		if c.Fields[i] != want[i] {
			t.Fatalf("field %d: got %+v, want %+v", i, c.Fields[i], want[i])
		}
	}
	u.typeIn(`textbox "Reason"`, "other")
	go_.Approved = c
	u.want(relay.StatusRefused, "the page changed since it was approved: “Reason” was “too old” and is “other”", go_)
	if demo.Visits("POST /delete") != before {
		t.Fatal("it was sent")
	}
	u.typeIn(`textbox "Reason"`, "too old")
	u.ok(go_)
	u.title("Deleted")
	if demo.Visits("POST /delete") != before+1 {
		t.Fatalf("sent %d times", demo.Visits("POST /delete")-before)
	}
}

// What a card cuts or shows by its label is part of what was approved all the same.
func TestGuard_ApproveNoticesWhatACardDoesNotShow(t *testing.T) {
	for name, change := range map[string]string{
		"the value behind a choice":         `F.amount.options[0].value = "10000"`,
		"the end of a long text":            `F.note.value += "pay eve"`,
		"the middle of a long text":         `F.note.value = "x".repeat(2500) + "y".repeat(500)`,
		"a field behind the hundredth":      `F.payee.value = "eve"`,
		"what the button itself says":       `B.value = "delete"`,
		"the encoding":                      `F.enctype = "text/plain"`,
		"nothing, then it is really sent":   ``,
		"a token, which changes by its own": `F.csrf_token.value = "new"`,
	} {
		t.Run(name, func(t *testing.T) {
			u := start(t, "/cases/approve.html")
			u.call.Command.Guard = relay.GuardApprove
			pay := relay.Command{Action: relay.ActClick, Ref: u.ref(`button "Pay"`)}
			c := u.want(relay.StatusCommit, "approval", pay).Commit
			if more := c.Fields[len(c.Fields)-1]; more.Label != "more fields" || more.Value != "10" || c.Fields[2].Value != "Ten" {
				t.Fatalf("the card shows %+v and last %+v", c.Fields[:4], more)
			}
			if _, err := shared.leases[u.call.InstanceID].current().page.Evaluate("() => { " + change + " }"); err != nil {
				t.Fatal(err)
			}
			before := demo.Visits("POST /delete")
			pay.Approved = c
			if strings.HasPrefix(name, "nothing") || strings.HasPrefix(name, "a token") {
				u.ok(pay)
				u.title("Deleted")
				return
			}
			u.want(relay.StatusRefused, "changed since it was approved", pay)
			if demo.Visits("POST /delete") != before {
				t.Fatal("it was sent")
			}
		})
	}
}

func TestGuard_ApproveDoesNotAskForALinkThatOnlyLeadsToAForm(t *testing.T) {
	u := start(t, "/")
	u.call.Command.Guard = relay.GuardApprove
	u.ok(relay.Command{Action: relay.ActClick, Ref: u.ref(`link "Apply for a workshop pass"`)})
	u.title("Sign in")
	u = start(t, "/")
	u.call.Command.Guard = relay.GuardReadOnly
	u.want(relay.StatusRefused, "Apply for a workshop pass", relay.Command{Action: relay.ActClick, Ref: u.ref(`link "Apply for a workshop pass"`)})
}

func TestGuard_QuestionsOfThePageAreDeclinedUnlessFree(t *testing.T) {
	u := start(t, "/dialog")
	u.call.Command.Guard = relay.GuardReadOnly
	u.want(relay.StatusOK, "Mind the gap", relay.Command{Action: relay.ActClick, Ref: u.ref(`button "Tell"`)})
	u.want(relay.StatusOK, "declined", relay.Command{Action: relay.ActClick, Ref: u.ref(`button "Ask"`)})
	u.title("no")
	u.call.Command.Guard = relay.GuardNone
	u.want(relay.StatusOK, "accepted", relay.Command{Action: relay.ActClick, Ref: u.ref(`button "Ask"`)})
	u.title("yes")
	u.typeIn(`textbox "Draft"`, "half a letter")
	u.want(relay.StatusOK, "stayed", relay.Command{Action: relay.ActClick, Ref: u.ref(`link "Leave"`)})
	u.title("yes")
	u.want(relay.StatusOK, "left", relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/p2"})
	u.title("p2")
}
