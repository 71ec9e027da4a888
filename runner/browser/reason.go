package browser

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/mxschmitt/playwright-go"
)

var netError = regexp.MustCompile(`net::(ERR_[A-Z_]+)`)

// networkWords say Chromium's error names in words; others are named as they are.
var networkWords = map[string]string{
	"ERR_NAME_NOT_RESOLVED":        "its name cannot be found",
	"ERR_CONNECTION_REFUSED":       "nothing answers there",
	"ERR_CONNECTION_RESET":         "the server broke the connection",
	"ERR_CONNECTION_CLOSED":        "the server closed the connection",
	"ERR_EMPTY_RESPONSE":           "the server sent nothing",
	"ERR_CONNECTION_TIMED_OUT":     "the server does not answer",
	"ERR_TUNNEL_CONNECTION_FAILED": "the server does not answer",
	"ERR_INTERNET_DISCONNECTED":    "this machine is offline",
	"ERR_TOO_MANY_REDIRECTS":       "it redirects in a circle",
	"ERR_CERT_DATE_INVALID":        "its certificate is out of date",
	"ERR_CERT_AUTHORITY_INVALID":   "its certificate is not trusted on this machine",
	"ERR_CERT_COMMON_NAME_INVALID": "its certificate is for another name",
	"ERR_UNSAFE_PORT":              "the browser does not open that port",
	"ERR_UNKNOWN_URL_SCHEME":       "the browser does not open such an address",
	"ERR_BLOCKED_BY_RESPONSE":      "the server does not want it shown here",
}

func network(text string) string {
	if m := netError.FindStringSubmatch(text); m != nil {
		if words := networkWords[m[1]]; words != "" {
			return words
		}
		return m[1]
	}
	return shorten(text, 200)
}

// reason says a Playwright error in one line for people and models: without its call log, which may quote typed text.
func reason(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, errBusy):
		return errBusy.Error()
	case errors.Is(err, playwright.ErrTargetClosed):
		return "the page is closed"
	case netError.MatchString(err.Error()):
		return network(err.Error())
	case errors.Is(err, playwright.ErrTimeout):
		return "it did not come about in time"
	}
	text := err.Error()
	text = strings.TrimPrefix(text, "playwright: ")
	if i := strings.Index(text, "Call log:"); i >= 0 {
		text = text[:i]
	}
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return shorten(text, 200)
}

func shorten(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}

func itoa(n int) string { return strconv.Itoa(n) }

func number(v any) float64 {
	switch n := v.(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	return 0
}
