package browser

import (
	"regexp"

	"github.com/mxschmitt/playwright-go"
)

// challengeFrames are widgets that live behind a closed shadow root, where scripts of the page cannot see their frame.
var challengeFrames = []struct {
	name string
	url  *regexp.Regexp
}{
	{"turnstile", regexp.MustCompile(`^https://challenges\.cloudflare\.com/`)},
	{"hcaptcha", regexp.MustCompile(`^https://[a-z0-9.-]*\.?hcaptcha\.com/`)},
	{"arkose", regexp.MustCompile(`^https://[a-z0-9.-]+\.(?:arkoselabs|funcaptcha)\.com/`)},
}

// challengeFrame names the challenge whose frame is on the page and large enough to be seen and unsolved.
func challengeFrame(p playwright.Page) string {
	for _, f := range p.Frames() {
		for _, c := range challengeFrames {
			if f == p.MainFrame() || !c.url.MatchString(f.URL()) {
				continue
			}
			e, err := f.FrameElement()
			if err != nil {
				continue
			}
			if box, err := e.BoundingBox(); err != nil || box == nil || box.Height < 20 || box.Width < 20 {
				continue
			}
			solved, _ := p.Evaluate(`() => [...document.querySelectorAll("[name=cf-turnstile-response],[name=h-captcha-response],[name=fc-token]")].some(e => e.value)`)
			if done, _ := solved.(bool); !done {
				return c.name
			}
		}
	}
	return ""
}
