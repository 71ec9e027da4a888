// Package exchange does one request to a model provider and hands its streamed answer over event by event, within
// deadlines and size limits. What the providers have in common lives here: which HTTP status is which failure, that a key
// never reaches an error text, that redirects are not followed with a key in hand.
package exchange

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Deadlines of one ask (spec platform 1.4) and how much of an answer is read. MaxBytes is far above what 4,096 tokens
// need and far below what would hurt a 256 MB function.
const (
	Whole      = 180 * time.Second
	FirstToken = 25 * time.Second
	Stall      = 20 * time.Second
	MaxBytes   = 8 << 20
)

// Client does requests. HTTP and Clock are required.
type Client struct {
	HTTP  *http.Client
	Clock port.Clock
}

// Request is one POST. Secret is what must never be repeated in an error.
type Request struct {
	URL    string
	Header http.Header
	Body   []byte
	Secret string
}

// Event is one server-sent event. A provider that answers with a plain JSON document instead of a stream gives exactly
// one event with Whole set.
type Event struct {
	Name  string
	Data  []byte
	Whole bool
}

// Note is what a reader of events says about one.
type Note int

const (
	Idle     Note = iota // a sign of life without content; the clocks run on
	Progress             // content: the stall clock starts anew
	Done                 // the answer is complete; nothing more is read
)

// Stream sends the request and calls on for each event until it says Done, fails, or the stream ends; a stream that
// ended is reported with ended true, and the reader decides whether it had everything.
func (c Client) Stream(ctx context.Context, r Request, on func(Event) (Note, error)) (ended bool, err error) {
	ctx, watch := newWatch(ctx, c.Clock)
	defer watch.stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return false, pags.Errorf(pags.Invalid, "the provider's base URL cannot be used; set another one")
	}
	for name, values := range r.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")

	plain := *c.HTTP
	plain.Timeout = 0 // the watch keeps time, on the clock that was passed in
	plain.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := plain.Do(req)
	if err != nil {
		return false, c.failure(ctx, watch, err, r.Secret)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return false, c.refusal(ctx, watch, res, r.Secret)
	}

	body := &capped{r: res.Body, left: MaxBytes}
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind == "application/json" {
		all, err := io.ReadAll(body)
		if err != nil {
			return false, c.failure(ctx, watch, err, r.Secret)
		}
		_, err = on(Event{Data: all, Whole: true})
		return true, Redacted(err, r.Secret)
	}
	events := newReader(body)
	for {
		event, err := events.next()
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, c.failure(ctx, watch, err, r.Secret)
		}
		note, err := on(event)
		if err != nil {
			return false, Redacted(err, r.Secret)
		}
		switch note {
		case Done:
			return false, nil
		case Progress:
			watch.progress()
		}
	}
}

// Endpoint joins a base URL and the provider's path. It refuses what cannot carry a key safely; version ("/v1") is added
// where the base does not end with it.
func Endpoint(base, version, path string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return "", pags.Errorf(pags.Invalid, "the model key's base URL must be an http(s) address such as https://host/v1")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", pags.Errorf(pags.Invalid, "the model key's base URL must have no user name, query or fragment")
	}
	root := strings.TrimRight(u.Path, "/")
	if !strings.HasSuffix(root, version) {
		root += version
	}
	u.Path = root + path
	return u.String(), nil
}

// capped fails when more than left bytes were read.
type capped struct {
	r    io.Reader
	left int64
}

var errTooLong = errors.New("the answer is longer than is read")

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooLong
	}
	if int64(len(p)) > c.left {
		p = p[:c.left]
	}
	n, err := c.r.Read(p)
	c.left -= int64(n)
	return n, err
}
