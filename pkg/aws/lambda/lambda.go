// Package lambda is the one thing that our functions ask of Lambda: that another function does a piece of work and answers.
// Who may repeat a request, and when, is what it is about: a repeat that the other side did not expect is a second payment.
package lambda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// MaxPayload is the most that goes in or comes out of a call that waits for its answer (Lambda quotas: 6 MB each).
const MaxPayload = 6 << 20

const (
	tries    = 7 // of a request that did not reach the function or may be repeated
	firstGap = 100 * time.Millisecond
	maxGap   = 5 * time.Second

	// answerLimit is longer than any function that we call may run (template.yaml: 240 s), so that its end is always heard of.
	answerLimit = 250 * time.Second
	// idleLimit keeps connections for the next call of a busy program only. A function is frozen between its calls, and the other
	// end does not wait: a request on a connection that died meanwhile ends like one that was lost on its way.
	idleLimit = 5 * time.Second
)

// Function is one function.
type Function struct {
	api   *sdk.Client
	name  string
	clock port.Clock
}

// New makes the adapter. It sends nothing. Retries are ours: those of the SDK do not ask what a repeat would do.
func New(cfg aws.Config, name string, clock port.Clock) *Function {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	patient := &http.Client{Timeout: answerLimit, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, Protocols: protocols,
		DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext, TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 32, IdleConnTimeout: idleLimit}}
	return &Function{name: name, clock: clock, api: sdk.NewFromConfig(cfg, func(o *sdk.Options) {
		o.Retryer = aws.NopRetryer{}
		o.HTTPClient = patient
	})}
}

// Invoke calls the function and waits for its answer. A request that provably did not reach it (throttled, no connection) is
// made again a few times. What may have reached it is made again only if repeatable says that doing it twice is harmless. A
// function that ran and failed has a *port.FunctionError in its error; what does not fit is pags.TooLarge.
func (f *Function) Invoke(ctx context.Context, payload []byte, repeatable bool) ([]byte, error) {
	if len(payload) > MaxPayload {
		return nil, pags.Errorf(pags.TooLarge, "a call of %d bytes does not fit between functions; the most is 6 MB", len(payload))
	}
	gap := firstGap
	for try := 1; ; try++ {
		out, err := f.api.Invoke(ctx, &sdk.InvokeInput{FunctionName: &f.name, InvocationType: types.InvocationTypeRequestResponse, Payload: payload})
		if err == nil {
			return f.answer(out)
		}
		ran := mayHaveRun(err)
		err = f.coded(ctx, err)
		if try == tries || ctx.Err() != nil || !passing(err) || ran && !repeatable {
			return nil, err
		}
		select {
		case <-f.clock.After(gap/2 + rand.N(gap/2)):
		case <-ctx.Done():
			return nil, pags.Wrap(ctx.Err(), pags.Timeout, "%s could not be called in time", f.name)
		}
		gap = min(2*gap, maxGap)
	}
}

// answer reads what a function that ran has said.
func (f *Function) answer(out *sdk.InvokeOutput) ([]byte, error) {
	if out.FunctionError == nil {
		return out.Payload, nil
	}
	var said struct{ ErrorType, ErrorMessage string }
	if err := json.Unmarshal(out.Payload, &said); err != nil {
		said.ErrorMessage = "it said nothing that can be read"
	}
	cause := &port.FunctionError{Type: said.ErrorType, Message: said.ErrorMessage, Payload: out.Payload}
	switch said.ErrorType {
	case "Function.ResponseSizeTooLarge":
		return nil, pags.Wrap(cause, pags.TooLarge, "the answer of %s does not fit between functions; the most is 6 MB", f.name)
	case "Sandbox.Timedout":
		return nil, pags.Wrap(cause, pags.Timeout, "%s did not come to an end in time", f.name)
	}
	return nil, pags.Wrap(cause, pags.Upstream, "%s failed; its log says why", f.name)
}

// mayHaveRun is false where there was never a connection, and where Lambda itself refused: what it answers below 500 it says
// before the function gets anything (API reference of Invoke, Errors).
func mayHaveRun(err error) bool {
	if status := statusOf(err); status > 0 {
		return status >= 500 || status < 400
	}
	var op *net.OpError
	return !errors.As(err, &op) || op.Op != "dial"
}

// statusOf is 0 where there was no answer.
func statusOf(err error) int {
	var res *smithyhttp.ResponseError
	if errors.As(err, &res) && res.Response != nil {
		return res.HTTPStatusCode()
	}
	return 0
}

// passing reports whether a later try may go better.
func passing(err error) bool {
	return pags.Is(err, pags.RateLimited) || pags.Is(err, pags.Unavailable)
}

func (f *Function) coded(ctx context.Context, err error) error {
	status, name := statusOf(err), ""
	var api smithy.APIError
	if errors.As(err, &api) {
		name = api.ErrorCode()
	}
	var slow net.Error
	switch {
	case status == http.StatusTooManyRequests:
		return pags.Wrap(err, pags.RateLimited, "%s is called more often than allowed; try again", f.name)
	case status == http.StatusNotFound:
		return pags.Wrap(err, pags.NotFound, "there is no function %s", f.name)
	case status == http.StatusRequestEntityTooLarge:
		return pags.Wrap(err, pags.TooLarge, "a call of %s does not fit between functions; the most is 6 MB", f.name)
	case status >= 500, name == "ResourceConflictException": // which is 409: it is being deployed
		return pags.Wrap(err, pags.Unavailable, "%s is not available; try again", f.name)
	case status >= 400:
		return pags.Wrap(err, pags.Internal, "%s could not be called", f.name)
	case ctx.Err() != nil, mayHaveRun(err) && errors.As(err, &slow) && slow.Timeout():
		return pags.Wrap(err, pags.Timeout, "%s did not answer in time", f.name)
	}
	return pags.Wrap(fmt.Errorf("call %s: %w", f.name, err), pags.Unavailable, "%s could not be reached; try again", f.name)
}
