package browser

import (
	"time"

	"github.com/mxschmitt/playwright-go"
)

// coverSecrets marks, for the picture, fields that show their text and hold a secret of the run or were password fields.
func (a *action) coverSecrets(looks []look) {
	for _, l := range looks {
		var at []int
		for i, v := range l.Values {
			if v.T && (v.P || a.lease.holds(v.V)) {
				at = append(at, i)
			}
		}
		if len(at) > 0 {
			_, _ = a.script(l.frame, "mark", map[string]any{"at": at})
		}
	}
}

// picture is a JPEG of what is visible (quality 45, spec platform 4.3) with every private field covered; nil where that
// cannot be had.
func (a *action) picture(t *tab, looks []look) []byte {
	var mask []playwright.Locator
	for _, l := range looks {
		private := false
		for _, v := range l.Values {
			private = private || v.P || a.lease.holds(v.V)
		}
		if private {
			mask = append(mask, l.frame.Locator("input[type=password], [data-pags-covered]"))
		}
	}
	shot := make(chan []byte, 1)
	err := a.bounded(6*time.Second, func() error {
		body, err := t.page.Screenshot(playwright.PageScreenshotOptions{Type: playwright.ScreenshotTypeJpeg, Quality: playwright.Int(45),
			Scale: playwright.ScreenshotScaleCss, Mask: mask, MaskColor: playwright.String("#222222"), Timeout: playwright.Float(5000)})
		shot <- body
		return err
	})
	if err != nil {
		return nil
	}
	return <-shot
}
