package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
)

// How long an upstream may take (spec tool-runtime 3 and 4a): until the headers of its answer, then until the end of the body.
// Of a stream what came in streamLimit is the result.
const (
	headersLimit = 110 * time.Second
	bodyLimit    = 60 * time.Second
	streamLimit  = 10 * time.Second
)

// How much of a body is read: what catalog.ReadResponse keeps, and room beyond so that a secret at its edge is seen whole.
const (
	maxBody       = 10<<20 + edge
	maxStreamBody = 1_000_000 + edge
	edge          = 64 << 10
)

var errHeaders, errBody = errors.New("no headers in time"), errors.New("no end of the body in time")

var errCarries = errors.New("sent on to another host with a credential in the address")

// exchange sends a request that may hold secrets and reads the answer. No text of net/http leaves it: those quote the URL.
func (s *Service) exchange(ctx context.Context, req *catalog.Request, b *catalog.Bound, hide *mask) (catalog.Result, error) {
	caller := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sent := &progress{}
	httpReq, err := req.HTTP(httptrace.WithClientTrace(ctx, sent.trace()))
	if err != nil {
		return failed(&catalog.Failure{Code: catalog.CodeBinding, Message: "the address of this API cannot be used"}), nil
	}
	if !b.Tool.ReadOnly {
		once(httpReq)
	}
	stop := s.limit(ctx, headersLimit, func() { cancel(errHeaders) })
	res, err := s.client(b.Tool.ReadOnly, hide).Do(httpReq)
	stop()
	if err != nil {
		return s.noAnswer(caller, ctx, err, httpReq.URL.Hostname(), b.Tool.ReadOnly, sent)
	}
	defer res.Body.Close()
	most, within := int64(maxBody), bodyLimit
	if isStream(res.Header.Get("Content-Type")) {
		most, within = maxStreamBody, streamLimit
	}
	stop = s.limit(ctx, within, func() { cancel(errBody) })
	defer stop()
	raw, err := io.ReadAll(io.LimitReader(res.Body, most))
	switch {
	case err == nil:
		err = io.EOF
	case context.Cause(ctx) == errBody, errors.Is(err, context.DeadlineExceeded):
		err = os.ErrDeadlineExceeded
	case caller.Err() != nil && b.Tool.ReadOnly:
		return catalog.Result{}, caller.Err()
	}
	body := io.MultiReader(bytes.NewReader(hide.bytes(raw)), ending{err})
	return catalog.ReadResponse(res.StatusCode, hide.header(res.Header), body), nil
}

// ending is a reader that ends in a given way.
type ending struct{ err error }

func (e ending) Read([]byte) (int, error) { return 0, e.err }

// client follows redirects of reads only: an effect that is sent elsewhere could happen twice, or in a place nobody approved. It
// follows none to another host whose address holds a secret: an API that takes its key in the query may repeat that in Location.
func (s *Service) client(readOnly bool, hide *mask) *http.Client {
	c := *s.HTTP
	c.Timeout = 0 // ours are finer
	if !readOnly {
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		return &c
	}
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		to, from := r.URL, via[0].URL
		if text := to.String(); (to.Host != from.Host || to.Scheme != from.Scheme) && hide.text(text) != text {
			return errCarries
		}
		if s.HTTP.CheckRedirect != nil {
			return s.HTTP.CheckRedirect(r, via)
		}
		if len(via) >= 10 { // what net/http does by itself
			return errors.New("stopped after 10 redirects")
		}
		return nil
	}
	return &c
}

// once keeps net/http from sending an effect again by itself. It does so with methods that should be safe when a connection
// that was used before breaks under them, but not with a body that it cannot read twice.
func once(r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
	default:
		return
	}
	r.GetBody = nil
	if r.Body == nil {
		r.Body = io.NopCloser(bytes.NewReader(nil))
	}
}

// limit runs late once d has passed, unless stop is called before.
func (s *Service) limit(ctx context.Context, d time.Duration, late func()) (stop func()) {
	done := make(chan struct{})
	var once atomic.Bool
	after := s.Clock.After(d)
	go func() {
		select {
		case <-after:
			late()
		case <-done:
		case <-ctx.Done():
		}
	}()
	return func() {
		if once.CompareAndSwap(false, true) {
			close(done)
		}
	}
}

// progress knows how far a request came.
type progress struct{ asked, wrote atomic.Bool }

func (p *progress) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GetConn: func(string) { p.asked.Store(true) }, WroteHeaders: func() { p.wrote.Store(true) }}
}

// out reports whether the other side may have the request. A transport that tells nothing may have sent it.
func (p *progress) out() bool { return p.wrote.Load() || !p.asked.Load() }

// noAnswer tells what it means that no answer came.
func (s *Service) noAnswer(caller, ctx context.Context, err error, host string, readOnly bool, sent *progress) (catalog.Result, error) {
	late := context.Cause(ctx) == errHeaders || errors.Is(err, context.DeadlineExceeded)
	f := &catalog.Failure{Code: catalog.CodeUpstreamHTTP, Message: host + " closed the connection before it answered", Retryable: true}
	var t interface{ Timeout() bool }
	switch {
	case errors.Is(err, guard.ErrAddress):
		f.Code, f.Retryable = catalog.CodeBinding, false
		f.Message = "address not allowed: " + host + " stands for, or sends the call to, an address that is not public"
		if sent.out() && !readOnly {
			break
		}
		return failed(f), nil
	case errors.Is(err, errCarries):
		f.Message, f.Retryable = host+" sends the call on to another host with the connection's credential in the address, so it was not followed", false
	case late:
		f.Code, f.Message = catalog.CodeHeadersTimeout, fmt.Sprintf("%s did not begin to answer within %d s", host, int(headersLimit.Seconds()))
	case caller.Err() != nil:
		if readOnly || !sent.out() {
			return catalog.Result{}, caller.Err()
		}
		f.Message = "the call was given up before " + host + " answered"
	case strings.Contains(err.Error(), "redirects"):
		f.Message, f.Retryable = host+" redirects too often", false
	case !sent.out():
		f.Message = host + " cannot be reached"
		if errors.As(err, &t) && t.Timeout() {
			f.Message += ": it did not take a connection in time"
		}
	}
	if readOnly || !sent.out() {
		return failed(f), nil
	}
	f.Retryable = false
	return catalog.Result{}, &Unknown{Why: f.Message + "; the call was sent, so it may have taken effect", Failure: f}
}

// isStream reports whether an answer is one that may not end.
func isStream(contentType string) bool {
	media, _, _ := mime.ParseMediaType(contentType)
	switch media {
	case "text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/jsonlines", "application/stream+json", "application/json-seq":
		return true
	}
	return false
}
