package asl

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"github.com/proagentstore/pags/pkg/pags"
)

// Start begins an execution. The same name with the same input answers the execution
// while it runs; with another input, or once it is over, pags.Conflict.
func (e *Engine) Start(ctx context.Context, machine, name string, input []byte) (string, error) {
	return e.start(ctx, machine, name, input, "")
}

// start knows the task that starts a child: when it is called again after a crash, its own child is no conflict.
func (e *Engine) start(ctx context.Context, machine, name string, input []byte, by string) (string, error) {
	def := e.o.Definitions[machine]
	if def == nil {
		return "", pags.Errorf(pags.Invalid, "there is no state machine %q", machine)
	}
	if !executionName.MatchString(name) {
		return "", pags.Errorf(pags.Invalid, "an execution's name has 1 to 80 characters of A-Z a-z 0-9 _ -")
	}
	if len(input) > e.o.MaxPayload {
		return "", pags.Errorf(pags.TooLarge, "the input has %d bytes; the limit is %d", len(input), e.o.MaxPayload)
	}
	if len(input) == 0 {
		input = []byte("{}")
	}
	if _, err := decode(input); err != nil {
		return "", pags.Errorf(pags.Invalid, "the input is not JSON: %s", err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, input); err != nil {
		return "", pags.Errorf(pags.Invalid, "the input is not JSON: %s", err)
	}
	return e.admit(ctx, def, ExecutionARN(machine, name), Start{Machine: machine, Name: name, Input: compact.Bytes(),
		Definition: def.raw, At: e.o.Clock.Now().UTC(), By: by})
}

func (e *Engine) admit(ctx context.Context, def *Definition, id string, s Start) (string, error) {
	e.mu.Lock()
	if e.closed || !e.resumed {
		e.mu.Unlock()
		return "", stopped()
	}
	if x := e.live[id]; x != nil {
		e.mu.Unlock()
		return e.again(ctx, x, s)
	}
	x := e.open(id, def, s)
	e.live[id] = x
	e.mu.Unlock()

	ours, err := e.first(context.WithoutCancel(ctx), x, s)
	e.mu.Lock()
	defer e.mu.Unlock()
	x.failed = err
	close(x.ready)
	if err != nil {
		delete(e.live, id)
		close(x.gone)
		if ours {
			return id, nil
		}
		return "", err
	}
	e.launch(x)
	return id, nil
}

// first makes the start durable unless the name was used before; it tells whether the same task had used it. The caller's
// deadline does not count: an execution must not be durable and yet not run.
func (e *Engine) first(ctx context.Context, x *execution, s Start) (ours bool, err error) {
	old, _, err := e.o.Journal.Load(ctx, x.id)
	if err == nil {
		return s.By != "" && old.By == s.By, ended(x.id)
	}
	if !pags.Is(err, pags.NotFound) {
		return false, err
	}
	x.p.begin()
	b := x.p.take()
	b.Start = &s
	return false, e.o.Journal.Append(ctx, b)
}

func ended(id string) error {
	return pags.Errorf(pags.Conflict, "execution %s is over; start another name", id)
}

// again answers a start whose name is in use now.
func (e *Engine) again(ctx context.Context, x *execution, s Start) (string, error) {
	select {
	case <-x.ready:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if x.failed != nil {
		return "", x.failed
	}
	isOver := false
	select {
	case <-x.ended:
		isOver = true
	default:
	}
	mine := s.By != "" && s.By == x.p.start.By
	if mine || !isOver && bytes.Equal(x.p.start.Input, s.Input) {
		return x.id, nil
	}
	if isOver {
		return "", ended(x.id)
	}
	return "", pags.Errorf(pags.Conflict, "execution %s runs with another input", x.id)
}

// callKey names one scheduled attempt of one execution for ever.
func callKey(execution string, scheduled int64) string {
	return execution + "#" + strconv.FormatInt(scheduled, 10)
}

func stopped() error {
	return pags.Errorf(pags.Unavailable, "the host is starting or stopping; try again")
}
