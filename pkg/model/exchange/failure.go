package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// maxMessage is how much of a provider's own words an error keeps, in characters (port.ModelError).
const maxMessage = 500

// CodeFor maps a provider's HTTP status. 529 is Anthropic's "overloaded".
func CodeFor(status int) pags.Code {
	switch {
	case status == 401, status == 402, status == 403:
		return pags.Forbidden
	case status == 429:
		return pags.RateLimited
	case status == 408, status == 409, status == 425, status >= 500:
		return pags.Unavailable
	case status >= 400:
		return pags.Invalid
	}
	return pags.Upstream
}

// Refused makes the error of a provider that said no, inside a stream or before it.
func Refused(status int, text string, wait time.Duration, secret string) error {
	told := &port.ModelError{Status: status, RetryAfter: wait, Message: clean(text, secret)}
	if told.Message == "" {
		told.Message = "no reason was given"
	}
	switch code := CodeFor(status); code {
	case pags.Forbidden:
		return pags.Wrap(told, code, "the model provider does not accept the key (%d); set another one", status)
	case pags.RateLimited:
		return pags.Wrap(told, code, "the model provider limits requests of this key (429); wait and try again")
	case pags.Unavailable:
		return pags.Wrap(told, code, "the model provider is not available (%d); try again later", status)
	case pags.Invalid:
		return pags.Wrap(told, code, "the model provider refuses the request (%d): %s", status, told.Message)
	default:
		return pags.Wrap(told, code, "the model provider gave an answer that is none of the expected (%d)", status)
	}
}

// Unreadable is an answer that came but makes no sense.
func Unreadable(format string, args ...any) error {
	return pags.Errorf(pags.Upstream, "the model's answer cannot be read: %s", fmt.Sprintf(format, args...))
}

func (c Client) refusal(ctx context.Context, w *watch, res *http.Response, secret string) error {
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		told := &port.ModelError{Status: res.StatusCode, Message: "redirect"}
		return pags.Wrap(told, pags.Upstream, "the model's base URL redirects (%d); set the final address", res.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil && len(body) == 0 && w.reason() != "" {
		return c.failure(ctx, w, err, secret)
	}
	return Refused(res.StatusCode, reason(body), c.retryAfter(res.Header), secret)
}

// reason finds the text in {"error":{"message":…}}, {"error":"…"} or {"message":…}; else the body itself.
func reason(body []byte) string {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return string(body)
	}
	var inner struct {
		Message string `json:"message"`
	}
	var text string
	switch {
	case json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "":
		return inner.Message
	case json.Unmarshal(outer.Error, &text) == nil && text != "":
		return text
	case outer.Message != "":
		return outer.Message
	}
	return string(body)
}

// retryAfter reads seconds or an HTTP date (RFC 9110, 10.2.3) and never believes more than an hour.
func (c Client) retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil {
		return bounded(ms / 1000)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return bounded(s)
	}
	if at, err := http.ParseTime(v); err == nil {
		return bounded(at.Sub(c.Clock.Now()).Seconds())
	}
	return 0
}

func bounded(seconds float64) time.Duration {
	if !(seconds > 0) { // also not a number
		return 0
	}
	return time.Duration(min(seconds, 3600) * float64(time.Second))
}

// failure turns what the transport or the reader said into a coded error without the key.
func (c Client) failure(ctx context.Context, w *watch, err error, secret string) error {
	if text := w.reason(); text != "" {
		return pags.Errorf(pags.Timeout, "the model %s; try again later", text)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return pags.Wrap(context.DeadlineExceeded, pags.Timeout, "the model did not answer in time; try again later")
	}
	if ctx.Err() != nil {
		return pags.Wrap(context.Canceled, pags.Unavailable, "the request to the model was given up")
	}
	if ours := (*pags.Error)(nil); errors.As(err, &ours) { // the outbound guard refused the address
		return pags.Errorf(ours.Code, "%s", clean(ours.Message, secret))
	}
	if errors.Is(err, errTooLong) || errors.Is(err, errLine) {
		return Unreadable("%s", err)
	}
	var sending *url.Error // its text repeats the URL; what is inside does not
	if errors.As(err, &sending) {
		told := &port.ModelError{Message: clean(sending.Err.Error(), secret)}
		return pags.Wrap(told, pags.Unavailable, "the model provider cannot be reached; check the base URL or try again later")
	}
	return Unreadable("the connection broke: %s", clean(err.Error(), secret))
}

// Redacted makes sure that an error of a reader does not repeat the key.
func Redacted(err error, secret string) error {
	if err == nil || secret == "" || !strings.Contains(err.Error(), secret) {
		return err
	}
	return pags.Errorf(pags.CodeOf(err), "%s", clean(err.Error(), secret))
}

// clean removes the key, also where a provider shows only its ends or its last part, and control characters; and cuts.
func clean(text, secret string) string {
	if secret != "" {
		text = strings.ReplaceAll(text, secret, "[key]")
		if len(secret) >= 16 { // providers like to quote "sk-ab***wxyz"; the tail alone is enough to recognise a key
			text = strings.ReplaceAll(text, secret[len(secret)-8:], "[key]")
			text = strings.ReplaceAll(text, secret[:len(secret)-8], "[key]")
		}
	}
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if r == unicode.ReplacementChar || unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	text = strings.TrimSpace(guard.Redact(text)) // what looks like someone else's secret goes too
	if runes := []rune(text); len(runes) > maxMessage {
		text = string(runes[:maxMessage])
	}
	return text
}
