package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/relay"
)

func TestClick_BR01_NewTabOfOurClickBecomesActiveAnAdDoesNot(t *testing.T) {
	u := start(t, "/popup")
	res := u.click(`link "Apply"`)
	u.title("p2")
	if !strings.Contains(res.Feedback, "new tab") || len(res.Seen.Tabs) != 2 || !res.Seen.Tabs[1].Active {
		t.Fatalf("got %q %+v", res.Feedback, res.Seen.Tabs)
	}
	u.ok(relay.Command{Action: relay.ActTab, Tab: res.Seen.Tabs[0].Tab})
	u.title("popup")
	told := u.click(`button "Info"`).Feedback
	u.title("popup")
	deadline := time.Now().Add(20 * time.Second)
	for len(u.last.Seen.Tabs) < 3 {
		if time.Now().After(deadline) {
			t.Fatal("the late tab was never listed")
		}
		told += u.ok(relay.Command{Action: relay.ActWait, Seconds: 0.1}).Feedback
	}
	u.title("popup")
	if !strings.Contains(told, "by itself") {
		t.Fatalf("the late tab was not reported: %q", told)
	}
	u.click(`button "Both"`)
	u.title("p2")
}

func TestType_BR02_SuggestionsAreReportedAndAWipeIsNoticed(t *testing.T) {
	u := start(t, "/cases/BR-02.html")
	res := u.typeIn(`combobox "Location`, "spring")
	if !strings.Contains(res.Feedback, "“Springfield, Missouri”") {
		t.Fatalf("no suggestions in %q", res.Feedback)
	}
	res = u.click(`button "Send application"`)
	if !strings.Contains(res.Feedback, "lost its text") {
		t.Fatalf("the wipe was not noticed: %q", res.Feedback)
	}
	u.shows("Pick a place")
	u.typeIn(`combobox "Location`, "Springfield")
	u.click(`option "Springfield, Missouri"`)
	u.click(`button "Send application"`)
	u.title("BR-02 PASS")
}

func TestCheck_BR04_HiddenRadiosShowWithTheirQuestion(t *testing.T) {
	u := start(t, "/cases/BR-04.html")
	for _, line := range []string{`group "Do you need a work permit?"`, `radio "Yes (Do you need a work permit?)"`, `radio "No (Have you worked here before?)"`, `checkbox "I accept`} {
		u.shows(line)
	}
	u.ok(relay.Command{Action: relay.ActCheck, Ref: u.ref(`radio "No \(Do you need`)})
	u.ok(relay.Command{Action: relay.ActCheck, Ref: u.ref(`radio "Yes \(Have you`), Checked: truth(true)})
	u.want(relay.StatusOK, "now checked", relay.Command{Action: relay.ActClick, Ref: u.ref(`checkbox "I accept`)})
	u.want(relay.StatusOK, "already", relay.Command{Action: relay.ActCheck, Ref: u.ref(`checkbox "I accept`)})
	u.shows("[checked]")
	u.click(`button "Next"`)
	u.title("BR-04 PASS")
}

func TestClick_BR06_CoveredTargetIsNamedNotClicked(t *testing.T) {
	u := start(t, "/cases/BR-06.html")
	u.typeIn(`textbox "Nickname"`, "kit")
	u.want(relay.StatusFailed, "covered by dialog “Cookies”", relay.Command{Action: relay.ActClick, Ref: u.ref(`button "Save"`)})
	u.title("BR-06 pending")
	u.click(`button "Only necessary"`)
	u.click(`button "Save"`)
	u.title("BR-06 PASS")
}

func TestType_BR07_DatesOwnedFieldsAndTwoLines(t *testing.T) {
	u := start(t, "/cases/BR-07.html")
	u.want(relay.StatusOK, "2026-03-09", relay.Command{Action: relay.ActType, Ref: u.ref(`textbox "Start date"`), Text: "2026-03-09"})
	u.want(relay.StatusFailed, "takes 16:05", relay.Command{Action: relay.ActType, Ref: u.ref(`textbox "Time"`), Text: "teatime"})
	u.typeIn(`textbox "Time"`, "4:05 pm")
	u.typeIn(`textbox "Full name"`, "Ada Example")
	u.typeIn(`textbox "Short bio"`, "Line one\nLine two")
	u.ok(relay.Command{Action: relay.ActWait, Seconds: 0.7}) // the page takes back what it did not notice every 0.3 s
	u.click(`button "Send"`)
	u.title("BR-07 PASS")
}
