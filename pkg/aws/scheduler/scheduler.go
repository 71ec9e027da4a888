// Package scheduler is port.Timers over EventBridge Scheduler: one one-time schedule for each timer, gone after it fired.
package scheduler

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"
	"github.com/aws/smithy-go"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Options of New. All but Group are required.
type Options struct {
	Functions map[string]string // logical name in template.yaml to ARN
	Role      string            // ARN of what may invoke them
	Group     string            // schedule group; empty: default
	Clock     port.Clock
}

// Timers keeps timers as schedules.
type Timers struct {
	api *sdk.Client
	o   Options
}

var _ port.Timers = (*Timers)(nil)

// New makes the adapter. It sends nothing.
func New(cfg aws.Config, o Options) *Timers {
	if o.Group == "" {
		o.Group = "default"
	}
	return &Timers{sdk.NewFromConfig(cfg), o}
}

// Set creates the schedule, or moves it where one of the name exists. A schedule that fires between the two calls is
// created anew, so a timer that is set again late fires again: at least once, as promised.
func (t *Timers) Set(ctx context.Context, name string, at time.Time, function string, payload []byte) error {
	if err := port.CheckTimer(name, function, payload); err != nil {
		return err
	}
	arn, ok := t.o.Functions[function]
	if !ok {
		return pags.Errorf(pags.Invalid, "no function %q may be called by a timer; add it to the configuration", function)
	}
	id, when := aws.String(ScheduleName(name)), aws.String(t.expression(at))
	window := &types.FlexibleTimeWindow{Mode: types.FlexibleTimeWindowModeOff}
	target := &types.Target{Arn: &arn, RoleArn: &t.o.Role, Input: aws.String(string(payload))}
	for range 3 {
		_, err := t.api.CreateSchedule(ctx, &sdk.CreateScheduleInput{Name: id, GroupName: &t.o.Group, ScheduleExpression: when,
			FlexibleTimeWindow: window, Target: target, ActionAfterCompletion: types.ActionAfterCompletionDelete})
		if err == nil {
			return nil
		}
		if !is(err, "ConflictException") {
			return coded(err, "create a schedule")
		}
		_, err = t.api.UpdateSchedule(ctx, &sdk.UpdateScheduleInput{Name: id, GroupName: &t.o.Group, ScheduleExpression: when,
			FlexibleTimeWindow: window, Target: target, ActionAfterCompletion: types.ActionAfterCompletionDelete})
		if err == nil {
			return nil
		}
		if !is(err, "ResourceNotFoundException") {
			return coded(err, "update a schedule")
		}
	}
	return pags.Errorf(pags.Unavailable, "the timer comes and goes while it is set; try again")
}

// Cancel removes the schedule.
func (t *Timers) Cancel(ctx context.Context, name string) error {
	_, err := t.api.DeleteSchedule(ctx, &sdk.DeleteScheduleInput{Name: aws.String(ScheduleName(name)), GroupName: &t.o.Group})
	if err != nil && !is(err, "ResourceNotFoundException") {
		return coded(err, "delete a schedule")
	}
	return nil
}

// expression rounds up to the whole second that at() can say: a timer is never early. A time that is past becomes one
// that is just ahead, because the service need not accept it.
func (t *Timers) expression(at time.Time) string {
	if soon := t.o.Clock.Now().Add(2 * time.Second); at.Before(soon) {
		at = soon
	}
	at = at.UTC().Add(time.Second - time.Nanosecond).Truncate(time.Second)
	return "at(" + at.Format("2006-01-02T15:04:05") + ")"
}

// ScheduleName makes a legal schedule name, [0-9a-zA-Z-_.] and at most 64 characters: what is readable of the name, then
// 32 hex digits of its hash, so that different names stay different.
func ScheduleName(name string) string {
	sum := sha256.Sum256([]byte(name))
	readable := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, name)
	return readable[:min(len(readable), 31)] + "-" + hex.EncodeToString(sum[:16])
}

func is(err error, code string) bool {
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorCode() == code
}

func coded(err error, doing string) error {
	switch {
	case is(err, "ThrottlingException"), is(err, "InternalServerException"), is(err, "ServiceQuotaExceededException"):
		return pags.Wrap(err, pags.Unavailable, "the scheduler is busy; try again")
	case errors.Is(err, context.DeadlineExceeded):
		return pags.Wrap(err, pags.Timeout, "the scheduler did not answer in time")
	}
	return pags.Wrap(err, pags.Internal, "%s", doing)
}
