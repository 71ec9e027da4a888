package httpapi

import "context"

// call is what is known about the request in hand; steps fill it in as it comes through.
type call struct {
	trace  string
	caller Caller
	route  string // operation id
	code   string // error code that was answered
}

type callKey struct{}

func callFrom(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

// CallerFrom tells who asks; the zero Caller on a public route or outside a request.
func CallerFrom(ctx context.Context) Caller { return callFrom(ctx).caller }

// TraceFrom returns the correlation id of the request, for logs.
func TraceFrom(ctx context.Context) string { return callFrom(ctx).trace }

// WithCaller makes a context as a request by that caller would have it, for callers inside the process and for tests.
func WithCaller(ctx context.Context, c Caller) context.Context {
	before := callFrom(ctx)
	return context.WithValue(ctx, callKey{}, &call{trace: before.trace, route: before.route, caller: c})
}
