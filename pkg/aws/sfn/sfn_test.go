package sfn_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/sfn"

	"github.com/proagentstore/pags/pkg/aws/awstest"
	"github.com/proagentstore/pags/pkg/aws/sfn"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

// lambda lets moto's state machines call port.Functions.
func lambda(f port.Functions) func(string, []byte) ([]byte, error) {
	return func(name string, payload []byte) ([]byte, error) {
		out, err := f.Invoke(context.Background(), name, payload)
		var failed *port.FunctionError
		if errors.As(err, &failed) {
			err = &awstest.FunctionError{Type: failed.Type, Message: failed.Message}
		}
		return out, err
	}
}

// differs is moto 5.2.1 with tools/moto/launch.py.
var differs = map[string]string{
	"a token told success ends the task with that output, once": "a failure told after the success is taken; success is proven by the beating task",
	"intrinsic functions":                     "an escaped brace in States.Format is read as a field",
	"a choice by negation":                    `the output "false" is told as false: texts lose their quotes`,
	"a choice by two timestamps of the input": "an offset from UTC is not read",
	"a choice without a match fails":          "the error is States.Runtime instead of States.NoChoiceMatched",
	"an execution starts another and goes on": "the states:startExecution task fails",
	"a stopped execution is aborted and its token is gone; stopping again changes nothing": "a task that waits for a token goes on waiting",
}

// quoted gives texts their quotes back: moto tells an output that is a text without them.
type quoted struct{ *sfn.Brains }

func (q quoted) Describe(ctx context.Context, execution string) (port.Execution, error) {
	x, err := q.Brains.Describe(ctx, execution)
	if len(x.Output) > 0 && !json.Valid(x.Output) {
		x.Output, _ = json.Marshal(string(x.Output))
	}
	return x, err
}

func TestBrains_Contract(t *testing.T) {
	porttest.Brains(t, func(t *testing.T, machines map[string]json.RawMessage, functions port.Functions) porttest.BrainsPeer {
		server := awstest.Start(t, awstest.Options{Lambda: lambda(functions)})
		api, arns := server.SFN(), map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(machines)) {
			arns[name] = "arn:aws:states:" + awstest.Region + ":" + awstest.Account + ":stateMachine:" + name
		}
		for name, definition := range machines {
			text := string(definition)
			for other, arn := range arns {
				text = strings.ReplaceAll(text, "${"+other+"Arn}", arn)
			}
			out, err := api.CreateStateMachine(t.Context(), &sdk.CreateStateMachineInput{Name: aws.String(name), Definition: &text,
				RoleArn: aws.String("arn:aws:iam::" + awstest.Account + ":role/test")})
			if err != nil || aws.ToString(out.StateMachineArn) != arns[name] {
				t.Fatalf("make %s: %v", name, err)
			}
		}
		return porttest.BrainsPeer{Brains: quoted{sfn.New(server.Config, arns)}, Differs: differs, Pass: func(d time.Duration) { time.Sleep(d) },
			EventTypes: func(t *testing.T, execution string) []string {
				var types []string
				pages := sdk.NewGetExecutionHistoryPaginator(api, &sdk.GetExecutionHistoryInput{ExecutionArn: &execution})
				for pages.HasMorePages() {
					page, err := pages.NextPage(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					for _, e := range page.Events {
						types = append(types, string(e.Type))
					}
				}
				return types
			}}
	})
}

func TestBrains_RefuseWhatTheServiceWouldRefuse(t *testing.T) {
	b := sfn.New(aws.Config{Region: "us-east-1"}, map[string]string{"M": "arn:m"})
	large := []byte(`"` + strings.Repeat("x", 256<<10) + `"`)
	for what, c := range map[string]struct {
		err  error
		want pags.Code
	}{
		"an unknown machine":           {errOf(b.Start(context.Background(), "Other", "n", []byte(`{}`))), pags.Invalid},
		"a name of 81 characters":      {errOf(b.Start(context.Background(), "M", strings.Repeat("n", 81), []byte(`{}`))), pags.Invalid},
		"a name with a slash":          {errOf(b.Start(context.Background(), "M", "a/b", []byte(`{}`))), pags.Invalid},
		"no name":                      {errOf(b.Start(context.Background(), "M", "", []byte(`{}`))), pags.Invalid},
		"an input of 256 KB and more":  {errOf(b.Start(context.Background(), "M", "n", large)), pags.TooLarge},
		"an output of 256 KB and more": {b.SendSuccess(context.Background(), "t", large), pags.TooLarge},
	} {
		if !pags.Is(c.err, c.want) {
			t.Errorf("%s: got %v, want code %s", what, c.err, c.want)
		}
	}
}

func errOf[T any](_ T, err error) error { return err }
