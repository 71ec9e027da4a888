package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/port"
)

// Limits of an HTTP API (spec limits C.2).
const (
	maxHeader = 10240            // bytes of request line and headers
	maxBody   = 10 * 1024 * 1024 // bytes of a request body before Lambda's own 6 MB
)

func cutProxy(path string) (string, bool) { return strings.CutSuffix(path, "/{proxy+}") }

// route finds the route of a path and what {proxy+} stands for: an exact path first, then the longest family.
func (g *Gateway) route(path string) (*Route, string) {
	if r := g.exact[path]; r != nil {
		return r, ""
	}
	for i := len(path) - 1; i > 0; i-- {
		if path[i] != '/' || i == len(path)-1 {
			continue
		}
		if r := g.below[path[:i]]; r != nil {
			return r, path[i+1:]
		}
	}
	return nil, ""
}

// Serves reports whether a path belongs to a route of the stack.
func (g *Gateway) Serves(path string) bool {
	r, _ := g.route(path)
	return r != nil
}

// ServeHTTP answers as API Gateway in front of Lambda would: through an event of payload format 2.0 and its response, with
// the same limits and the same refusals. The function goes on when the client has gone, as on AWS.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to, proxy := g.route(r.URL.Path)
	if to == nil {
		if g.otherwise != nil {
			g.otherwise.ServeHTTP(w, r)
			return
		}
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	if headerBytes(r) > maxHeader {
		refuse(w, http.StatusRequestHeaderFieldsTooLarge, "Request Header Fields Too Large")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		return
	case err != nil:
		refuse(w, http.StatusBadRequest, "Bad Request")
		return
	}
	id := g.requestID()
	w.Header().Set("Apigw-Requestid", id)
	event := encode(r, to, proxy, body, id, g.clock.Now().UTC())
	out, err := g.call(context.WithoutCancel(r.Context()), g.functions[to.Function], to, event)
	if err != nil {
		status, text := statusOf(err)
		if status >= 500 {
			g.log.ErrorContext(r.Context(), "function failed", "function", to.Function, "request", id, "error", err.Error())
		}
		refuse(w, status, text)
		return
	}
	if err := decode(w, out); err != nil {
		g.log.ErrorContext(r.Context(), "function answered what API Gateway cannot read", "function", to.Function, "request", id, "error", err.Error())
		refuse(w, http.StatusInternalServerError, "Internal Server Error")
	}
}

// errTooLarge is a request that API Gateway would take and Lambda not.
var errTooLarge = errors.New("the event is above Lambda's 6 MB")

// call hands the event to the function: by value in this process, as JSON to one that takes bytes. Sizes count as JSON
// either way; below a sixth of the limit no escaping can reach it, so small events are not encoded just to be measured.
func (g *Gateway) call(ctx context.Context, f *bound, to *Route, event *events.APIGatewayV2HTTPRequest) (*events.APIGatewayV2HTTPResponse, error) {
	var payload []byte
	if f.front == nil || len(event.Body) > maxPayload/6-2*maxHeader {
		raw, err := json.Marshal(event)
		if err != nil {
			return nil, err
		}
		if payload = raw; len(payload) > maxPayload {
			return nil, errTooLarge
		}
	}
	limit, cut := f.Timeout, to.Timeout < f.Timeout
	if cut {
		limit = to.Timeout
	}
	out, err := run(ctx, limit, event.RequestContext.RequestID, func(ctx context.Context) (*events.APIGatewayV2HTTPResponse, error) {
		var out events.APIGatewayV2HTTPResponse
		var err error
		if f.front != nil {
			out, err = f.front(ctx, *event)
			return &out, err
		}
		raw, err := f.event(ctx, payload)
		if err == nil {
			err = json.Unmarshal(raw, &out)
		}
		return &out, err
	})
	var failed *port.FunctionError
	if cut && errors.As(err, &failed) && failed.Type == "Sandbox.Timedout" {
		return nil, errGatewayTimeout
	}
	if err == nil && len(out.Body) > maxPayload/6-2*maxHeader && len(plainJSON(out)) > maxPayload {
		return nil, failure("Function.ResponseSizeTooLarge", "the response is above Lambda's 6 MB")
	}
	return out, err
}

// errGatewayTimeout is the gateway's patience, which ended before the function's.
var errGatewayTimeout = errors.New("the integration did not answer in time")

// statusOf says what an HTTP API answers when a Lambda integration fails: its own timeout is 503, whatever went wrong in
// the function is 500.
func statusOf(err error) (int, string) {
	switch {
	case errors.Is(err, errTooLarge):
		return http.StatusRequestEntityTooLarge, "Request Entity Too Large"
	case errors.Is(err, errGatewayTimeout):
		return http.StatusServiceUnavailable, "Service Unavailable"
	}
	return http.StatusInternalServerError, "Internal Server Error"
}

// refuse answers in API Gateway's own words.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(`{"message":"` + message + `"}`))
}

func headerBytes(r *http.Request) int {
	n := len(r.Method) + len(r.RequestURI) + len(r.Proto) + 4 + len("Host: \r\n") + len(r.Host)
	for k, values := range r.Header {
		for _, v := range values {
			n += len(k) + len(v) + 4
		}
	}
	return n
}
