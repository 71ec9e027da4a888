package scheduler_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"

	"github.com/proagentstore/pags/pkg/aws/awstest"
	"github.com/proagentstore/pags/pkg/aws/scheduler"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

const arn = "arn:aws:lambda:us-east-1:123456789012:function:"

func open(t *testing.T) (*scheduler.Timers, *sdk.Client, *porttest.Clock) {
	server := awstest.Start(t)
	clock := porttest.NewClock(time.Date(2027, 1, 2, 3, 4, 5, 600, time.UTC))
	return scheduler.New(server.Config, scheduler.Options{Functions: map[string]string{"F": arn + "F", "G": arn + "G"},
		Role: "arn:aws:iam::123456789012:role/timers", Clock: clock}), sdk.NewFromConfig(server.Config), clock
}

// moto keeps schedules and never fires; that a fired schedule calls its target is the service's promise.
func TestTimers_Contract(t *testing.T) {
	porttest.Timers(t, func(t *testing.T) *porttest.TimersRig {
		timers, api, _ := open(t)
		return &porttest.TimersRig{Timers: timers, Stored: func(name string) porttest.Set {
			out, err := api.GetSchedule(context.Background(), &sdk.GetScheduleInput{Name: aws.String(scheduler.ScheduleName(name))})
			if err != nil {
				return porttest.Set{}
			}
			if out.ActionAfterCompletion != types.ActionAfterCompletionDelete || out.FlexibleTimeWindow.Mode != types.FlexibleTimeWindowModeOff {
				t.Errorf("%q stays after it fired, or fires when it likes: %+v", name, out)
			}
			at, err := time.Parse("at(2006-01-02T15:04:05)", aws.ToString(out.ScheduleExpression))
			if err != nil {
				t.Error(err)
			}
			return porttest.Set{At: at, Function: strings.TrimPrefix(aws.ToString(out.Target.Arn), arn), Payload: aws.ToString(out.Target.Input)}
		}}
	})
}

func TestTimers_ATimeThatIsPastIsJustAhead(t *testing.T) {
	timers, api, clock := open(t)
	if err := timers.Set(context.Background(), "past", clock.Now().Add(-time.Hour), "F", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	out, err := api.GetSchedule(context.Background(), &sdk.GetScheduleInput{Name: aws.String(scheduler.ScheduleName("past"))})
	if err != nil || aws.ToString(out.ScheduleExpression) != "at(2027-01-02T03:04:08)" {
		t.Errorf("got %v, %v", aws.ToString(out.ScheduleExpression), err)
	}
	if err := timers.Set(context.Background(), "n", clock.Now(), "Unknown", []byte(`{}`)); !pags.Is(err, pags.Invalid) {
		t.Errorf("an unknown function: %v", err)
	}
}

// SF-07: long names with odd characters become legal ones that stay apart.
func TestScheduleName_SF07_LegalAndWithoutCollisions(t *testing.T) {
	legal, seen := regexp.MustCompile(`^[0-9a-zA-Z_.-]{1,64}$`), map[string]string{}
	long := strings.Repeat("a b/c", 24)
	for _, name := range []string{"a", "a/b", "a b", "a-b", "ä", "日本", long, long + "1", long + "2", strings.Repeat("x", 512)} {
		got := scheduler.ScheduleName(name)
		if !legal.MatchString(got) || seen[got] != "" || got != scheduler.ScheduleName(name) {
			t.Errorf("%q became %q (as did %q)", name, got, seen[got])
		}
		seen[got] = name
	}
}
