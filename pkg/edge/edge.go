// Package edge is the front of every HTTP function: the same on Lambda and in the process of pags serve, so a handler sees
// the same request on both.
package edge

import (
	"context"
	"net/http"
	"net/url"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"
)

// Front takes an HTTP API event (payload format 2.0) to its response.
type Front func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// HTTP puts a handler behind HTTP API events.
//
// HTTP APIs hand over the path decoded (REST APIs and function URLs do not). The adapter pastes it into a URL, where a
// decoded "?", "#" or "%" would change what the request means; so it is encoded again first.
func HTTP(h http.Handler) Front {
	adapter := httpadapter.NewV2(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first := &writer{ResponseWriter: w}
		h.ServeHTTP(first, r)
		first.WriteHeader(http.StatusOK)
	}))
	return func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		event.RawPath = (&url.URL{Path: event.RawPath}).EscapedPath()
		return adapter.ProxyWithContext(ctx, event)
	}
}

// writer keeps net/http's contract where the adapter's does not: the first status stands, and a handler that writes
// nothing has answered 200.
type writer struct {
	http.ResponseWriter
	wrote bool
}

func (w *writer) WriteHeader(status int) {
	if w.wrote || status < 200 { // informational answers do not travel in an event
		return
	}
	w.wrote = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.ResponseWriter.Write(b)
}
