package browser

import (
	"testing"

	"github.com/mxschmitt/playwright-go"

	"github.com/proagentstore/pags/pkg/relay"
)

// What a whole command costs, and the bare Playwright calls that no design can save, on the sample site's sign-in page.
// The difference is ours: looking, judging, waiting for the page to rest (50 ms for fields, 100 ms for clicks).
func BenchmarkDo(b *testing.B) {
	t := &testing.T{}
	u := &user{t: t, hand: shared, up: &slots{bodies: map[string][]byte{}}}
	u.call = relay.Call{RunID: "run_bench", InstanceID: "ins_bench"}
	u.call.Command.AllowHosts = []string{pagesAt.Listener.Addr().String()}
	defer func() { u.do(relay.Command{Action: relay.ActClose}) }()
	u.ok(relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/login"})
	name := u.ref(`textbox "Username"`)
	page := shared.leases["ins_bench"].current().page
	picture := playwright.PageScreenshotOptions{Type: playwright.ScreenshotTypeJpeg, Quality: playwright.Int(45), Scale: playwright.ScreenshotScaleCss}
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"type", func() { u.do(relay.Command{Action: relay.ActType, Ref: name, Text: "ada"}) }},
		{"click", func() { u.do(relay.Command{Action: relay.ActClick, Ref: name}) }},
		{"snapshot", func() { u.do(relay.Command{Action: relay.ActSnapshot}) }},
		{"bare fill", func() { _ = page.GetByRef(name).Fill("ada") }},
		{"bare click", func() { _ = page.GetByRef(name).Click() }},
		{"bare snapshot", func() {
			_, _ = page.AriaSnapshot(playwright.PageAriaSnapshotOptions{Mode: playwright.AriaSnapshotModeAi})
		}},
		{"bare picture", func() { _, _ = page.Screenshot(picture) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.do()
			}
		})
	}
}
