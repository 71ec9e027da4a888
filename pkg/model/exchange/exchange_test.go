package exchange_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/model/exchange"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

var t0 = time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)

// feed is a response body that gives one chunk for each Read. A chunk that is asked for shows that the ones before it
// were read and handled.
type feed struct {
	asked  chan struct{}
	chunks chan string
	ctx    context.Context
}

func (f *feed) Read(p []byte) (int, error) {
	f.asked <- struct{}{}
	select {
	case c, ok := <-f.chunks:
		if !ok {
			return 0, io.EOF
		}
		return copy(p, c), nil
	case <-f.ctx.Done():
		return 0, f.ctx.Err()
	}
}

func (f *feed) Close() error { return nil }

type trip func(*http.Request) (*http.Response, error)

func (t trip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func answering(status int, h http.Header, body func(*http.Request) io.ReadCloser) *http.Client {
	if h == nil {
		h = http.Header{"Content-Type": {"text/event-stream"}}
	}
	return &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: h, Body: body(r), Request: r}, nil
	})}
}

func text(s string) func(*http.Request) io.ReadCloser {
	return func(*http.Request) io.ReadCloser { return io.NopCloser(strings.NewReader(s)) }
}

// start streams from a feed; events named "idle" are signs of life only.
func start(clock port.Clock) (*feed, <-chan error) {
	f := &feed{asked: make(chan struct{}), chunks: make(chan string)}
	ready := make(chan struct{})
	c := exchange.Client{Clock: clock, HTTP: answering(200, nil, func(r *http.Request) io.ReadCloser { f.ctx = r.Context(); close(ready); return f })}
	done := make(chan error, 1)
	go func() {
		_, err := c.Stream(context.Background(), exchange.Request{URL: "http://model.test/"}, func(e exchange.Event) (exchange.Note, error) {
			if e.Name == "idle" {
				return exchange.Idle, nil
			}
			return exchange.Progress, nil
		})
		done <- err
	}()
	<-ready
	<-f.asked
	return f, done
}

// give hands a chunk over and returns when it was handled.
func (f *feed) give(chunk string) { f.chunks <- chunk; <-f.asked }

func running(t *testing.T, done <-chan error, when string) {
	t.Helper()
	select {
	case err := <-done:
		t.Fatalf("over %s: %v", when, err)
	default:
	}
}

func timedOut(t *testing.T, done <-chan error, word string) {
	t.Helper()
	if err := <-done; !pags.Is(err, pags.Timeout) || !strings.Contains(err.Error(), word) {
		t.Errorf("got %v, want a timeout that says %q", err, word)
	}
}

func TestStream_SignsOfLifeAreNotTheFirstToken(t *testing.T) {
	clock := porttest.NewClock(t0)
	f, done := start(clock)
	clock.Advance(20 * time.Second)
	f.give("event: idle\ndata: {}\n\n: comment\n\n")
	clock.Advance(4 * time.Second)
	running(t, done, "before 25 s")
	clock.Advance(time.Second)
	timedOut(t, done, "begin")
}

func TestStream_StallCountsFromTheNewestToken(t *testing.T) {
	clock := porttest.NewClock(t0)
	f, done := start(clock)
	clock.Advance(10 * time.Second)
	f.give("data: a\n\n") // stall limit now at 30 s
	clock.Advance(15 * time.Second)
	clock.AwaitWaiters(2) // the first timer fired at 25 s and was set again
	running(t, done, "15 s after a token")
	f.give("data: b\n\n") // now at 45 s
	clock.Advance(5 * time.Second)
	clock.AwaitWaiters(2)
	running(t, done, "5 s after a token")
	clock.Advance(14 * time.Second)
	running(t, done, "19 s after a token")
	clock.Advance(time.Second)
	timedOut(t, done, "middle")
}

func TestStream_TheWholeAskEndsHoweverBusy(t *testing.T) {
	clock := porttest.NewClock(t0)
	f, done := start(clock)
	for range 17 {
		f.give("data: more\n\n")
		clock.Advance(10 * time.Second)
		clock.AwaitWaiters(2)
		running(t, done, "before 180 s")
	}
	f.give("data: more\n\n")
	clock.Advance(10 * time.Second)
	timedOut(t, done, "finish")
}

func TestStream_ReadsEventsAsTheStandardSays(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want string
		err  pags.Code
	}{
		"plain":                    {"event: x\ndata: 1\n\ndata:2\n\n", "x=1|=2|", ""},
		"CRLF":                     {"event: x\r\ndata: 1\r\n\r\n", "x=1|", ""},
		"several data lines":       {"data: a\ndata: b\n\n", "=a\nb|", ""},
		"comments and other":       {": hi\nid: 4\nretry: 3\ndata: a\n\n", "=a|", ""},
		"an event without data":    {"event: x\n\ndata: a\n\n", "=a|", ""},
		"an unfinished last event": {"data: a\n\ndata: b\n", "=a|", ""},
		"a line without an end":    {"data: " + strings.Repeat("x", 2<<20), "", pags.Upstream},
		"data lines without end":   {strings.Repeat("data: "+strings.Repeat("x", 1<<16)+"\n", 40), "", pags.Upstream},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			client := exchange.Client{Clock: porttest.NewClock(t0), HTTP: answering(200, nil, text(c.body))}
			ended, err := client.Stream(context.Background(), exchange.Request{URL: "http://model.test/"}, func(e exchange.Event) (exchange.Note, error) {
				got += e.Name + "=" + string(e.Data) + "|"
				return exchange.Progress, nil
			})
			if c.err != "" {
				if !pags.Is(err, c.err) {
					t.Errorf("got %v, want code %s", err, c.err)
				}
				return
			}
			if err != nil || !ended || got != c.want {
				t.Errorf("got %q, ended %v, %v; want %q", got, ended, err, c.want)
			}
		})
	}
}

func TestStream_RetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, "0.5": 500 * time.Millisecond, "-3": 0, "soon": 0, "NaN": 0, "99999999": time.Hour,
		t0.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		t0.Add(-time.Hour).Format(http.TimeFormat):       0,
	} {
		client := exchange.Client{Clock: porttest.NewClock(t0), HTTP: answering(429, http.Header{"Retry-After": {header}}, text(`{"error":"slow down"}`))}
		_, err := client.Stream(context.Background(), exchange.Request{URL: "http://model.test/"}, nil)
		var told *port.ModelError
		if !errors.As(err, &told) || told.RetryAfter != want || told.Message != "slow down" {
			t.Errorf("Retry-After %q: got %+v, want %s", header, told, want)
		}
	}
}

func TestStream_AGuardsRefusalKeepsItsCode(t *testing.T) {
	refused := pags.Errorf(pags.Forbidden, "the address is private")
	client := exchange.Client{Clock: porttest.NewClock(t0), HTTP: &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) { return nil, refused })}}
	_, err := client.Stream(context.Background(), exchange.Request{URL: "http://model.test/"}, nil)
	if !pags.Is(err, pags.Forbidden) || !strings.Contains(err.Error(), "private") {
		t.Errorf("got %v", err)
	}
}

func TestStream_GivenUpByTheCallerIsNotATimeout(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	client := exchange.Client{Clock: porttest.NewClock(t0), HTTP: &http.Client{}}
	if _, err := client.Stream(ctx, exchange.Request{URL: "http://127.0.0.1:1/"}, nil); !pags.Is(err, pags.Unavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestEndpoint(t *testing.T) {
	for base, want := range map[string]string{
		"https://a.test":           "https://a.test/v1/messages",
		"https://a.test/":          "https://a.test/v1/messages",
		"https://a.test/v1/":       "https://a.test/v1/messages",
		" http://a.test:8080/px ":  "http://a.test:8080/px/v1/messages",
		"ftp://a.test":             "",
		"//a.test":                 "",
		"https://user@a.test":      "",
		"https://a.test/?key=oops": "",
		"https://a.test/#x":        "",
		"%":                        "",
	} {
		got, err := exchange.Endpoint(base, "/v1", "/messages")
		if got != want || (want == "") != pags.Is(err, pags.Invalid) {
			t.Errorf("%q gave %q, %v; want %q", base, got, err, want)
		}
	}
}
