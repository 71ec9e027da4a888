package asl

import (
	"context"
	"crypto/sha256"

	"github.com/proagentstore/pags/pkg/pags"
)

// SendSuccess completes the task that waits with the token; nil means that its outcome is durable. Output that is not
// JSON is pags.Invalid and too much of it pags.TooLarge; the task then still waits.
func (e *Engine) SendSuccess(ctx context.Context, token string, output []byte) error {
	if len(output) > e.o.MaxPayload {
		return pags.Errorf(pags.TooLarge, "the output has %d bytes; the limit is %d", len(output), e.o.MaxPayload)
	}
	v, err := decode(output)
	if err != nil {
		return pags.Errorf(pags.Invalid, "the output is not JSON: %s", err)
	}
	return e.tell(ctx, message{token: token, result: v})
}

// Limits of SendTaskFailure on AWS.
const (
	maxErrorName = 256
	maxCause     = 32_768
)

// SendFailure fails the task that waits with the token; nil means that its outcome is durable.
func (e *Engine) SendFailure(ctx context.Context, token, errorName, cause string) error {
	if len(errorName) > maxErrorName || len(cause) > maxCause {
		return pags.Errorf(pags.Invalid, "an error has at most %d characters and its cause %d", maxErrorName, maxCause)
	}
	return e.tell(ctx, message{token: token, fail: &Failure{Error: errorName, Cause: cause}})
}

// SendHeartbeat grants the task that waits with the token a full heartbeat interval from now.
func (e *Engine) SendHeartbeat(ctx context.Context, token string) error {
	return e.tell(ctx, message{token: token, beat: true})
}

func (e *Engine) tell(ctx context.Context, m message) error {
	e.mu.Lock()
	x, up := e.tokens[sha256.Sum256([]byte(m.token))], e.resumed && !e.closed
	e.mu.Unlock()
	switch {
	case !up:
		return stopped()
	case x == nil || m.token == "":
		return tokenGone()
	}
	return x.send(ctx, m, tokenGone())
}

// Stop ends an execution as ABORTED; one that is over is left alone.
func (e *Engine) Stop(ctx context.Context, id, errorName, cause string) error {
	e.mu.Lock()
	x, up := e.live[id], e.resumed && !e.closed
	e.mu.Unlock()
	switch {
	case !up:
		return stopped()
	case x == nil:
		_, _, err := e.o.Journal.Load(ctx, id)
		return err
	}
	return x.send(ctx, message{fail: &Failure{Error: errorName, Cause: cause}}, nil)
}

// send hands a message to the execution and waits until what it changed is durable; ended is the answer if the execution
// is over.
func (x *execution) send(ctx context.Context, m message, ended error) error {
	m.answer = make(chan error, 1)
	select {
	case x.messages <- m:
	case <-x.ended:
		return ended
	case <-x.gone:
		return x.after(ended)
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-m.answer:
		return err
	case <-x.gone:
		select {
		case err := <-m.answer:
			return err
		default:
			return stopped()
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (x *execution) after(ended error) error {
	select {
	case <-x.ended:
		return ended
	default:
		return stopped()
	}
}
