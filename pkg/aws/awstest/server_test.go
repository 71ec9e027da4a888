package awstest_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"

	"github.com/proagentstore/pags/pkg/aws/awstest"
)

// ended waits for an execution; it polls because Step Functions has no other way.
func ended(t *testing.T, client *sfn.Client, arn *string) *sfn.DescribeExecutionOutput {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 1000 {
		out, err := client.DescribeExecution(t.Context(), &sfn.DescribeExecutionInput{ExecutionArn: arn})
		if err != nil {
			t.Fatal(err)
		}
		if out.Status != "RUNNING" {
			return out
		}
		<-tick.C
	}
	t.Fatal("the execution did not end")
	return nil
}

func TestServer_StateMachineCallsFunctionsHere(t *testing.T) {
	tokens := make(chan string, 1)
	s := awstest.Start(t, awstest.Options{Lambda: func(name string, payload []byte) ([]byte, error) {
		switch name {
		case "Double":
			return []byte(`{"twice":` + strings.TrimSuffix(strings.TrimPrefix(string(payload), `{"n":`), "}") + `2}`), nil
		case "Wait":
			var in struct{ Token string }
			if err := json.Unmarshal(payload, &in); err != nil {
				return nil, err
			}
			tokens <- in.Token
			return []byte("null"), nil
		}
		return nil, &awstest.FunctionError{Type: "Nobody", Message: "there is no function " + name}
	}})
	function := "arn:aws:lambda:" + awstest.Region + ":" + awstest.Account + ":function:"
	machine := s.NewStateMachine(t, `{"StartAt":"Double","States":{
		"Double":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"`+function+`Double","Payload.$":"$"},
			"OutputPath":"$.Payload","Next":"Fail"},
		"Fail":{"Type":"Task","Resource":"`+function+`Other","Catch":[{"ErrorEquals":["Nobody"],"ResultPath":"$.caught","Next":"Wait"}],"End":true},
		"Wait":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken",
			"Parameters":{"FunctionName":"`+function+`Wait","Payload":{"Token.$":"$$.Task.Token"}},
			"Catch":[{"ErrorEquals":["Broken"],"ResultPath":"$.failure","Next":"Done"}],"End":true},
		"Done":{"Type":"Succeed"}}}`)
	for _, name := range []string{"first", "second"} { // moto alone runs one
		run, err := s.SFN().StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &machine, Name: &name, Input: aws.String(`{"n":1}`)})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.SFN().SendTaskFailure(t.Context(), &sfn.SendTaskFailureInput{TaskToken: aws.String(<-tokens),
			Error: aws.String("Broken"), Cause: aws.String("the cause")})
		if err != nil {
			t.Fatal(err)
		}
		out := ended(t, s.SFN(), run.ExecutionArn)
		for _, want := range []string{`"twice": 12`, "there is no function Other", "the cause"} {
			if out.Status != "SUCCEEDED" || !strings.Contains(aws.ToString(out.Output), want) {
				t.Fatalf("%s: %s; want %s", out.Status, aws.ToString(out.Output), want)
			}
		}
	}
}

func TestServer_MakesThingsWithNamesOfTheirOwn(t *testing.T) {
	s := awstest.Start(t)
	if s != awstest.Start(t) {
		t.Error("a second server in one process")
	}
	if a, b := s.NewTable(t), s.NewTable(t); a == b {
		t.Errorf("two tables named %s", a)
	}
	if a, b := s.NewBucket(t), s.NewBucket(t); a == b {
		t.Errorf("two buckets named %s", a)
	}
	if a, b := s.NewKey(t), s.NewKey(t); a == "" || a == b {
		t.Errorf("two keys named %s", a)
	}
}
