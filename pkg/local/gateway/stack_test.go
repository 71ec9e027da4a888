package gateway

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	stack "github.com/proagentstore/pags"
)

// ours reads the template that deploys.
func ours(t testing.TB) *Stack {
	t.Helper()
	s, err := Read(stack.Files, Facts{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRead_OurTemplate(t *testing.T) {
	s := ours(t)
	if got := s.Sockets; got["$connect"] != "WsConnectFunction" || got["$default"] != "WsMessageFunction" || got["$disconnect"] != "WsDisconnectFunction" {
		t.Errorf("socket routes are %v", got)
	}
	routes := map[string]string{}
	for _, r := range s.Routes {
		routes[r.Path] = r.Function
	}
	for path, want := range map[string]string{
		"/health": "MetaFunction", "/v1/openapi.json": "MetaFunction", "/.well-known/{proxy+}": "MetaFunction",
		"/v1/runs": "RunsFunction", "/v1/runs/{proxy+}": "RunsFunction", "/v1/relay/{proxy+}": "RelayFunction",
	} {
		if routes[path] != want {
			t.Errorf("%s goes to %q, want %s", path, routes[path], want)
		}
	}
	if len(s.Schedules) != 1 || s.Schedules[0].Function != "ReconcileFunction" || s.Schedules[0].Every != time.Minute {
		t.Errorf("schedules are %+v", s.Schedules)
	}
	m := s.Machines["BrowseMachine"]
	for _, want := range []string{`"BrowseFunction"`, `"AskFunction"`, `"RelayCallFunction"`, `"BrowseMachine"`} {
		if !strings.Contains(string(m.Definition), want) {
			t.Errorf("the definition does not name %s", want)
		}
	}
	event := map[string]any{"source": "aws.states", "detail-type": "Step Functions Execution Status Change",
		"detail": map[string]any{"stateMachineArn": m.ARN, "status": "FAILED", "name": "x"}}
	if len(s.Rules) != 1 || s.Rules[0].Function != "ExecutionFunction" || !s.Rules[0].Matches(event) {
		t.Errorf("rules are %+v", s.Rules)
	}
	event["detail"].(map[string]any)["status"] = "RUNNING"
	if s.Rules[0].Matches(event) {
		t.Error("a running execution is no news, and yet the rule matches")
	}
	b := s.Functions["BrowseFunction"]
	if b.Folder != "functions/brain/browse" || b.Timeout != 300*time.Second || b.MemoryMB != 1024 {
		t.Errorf("BrowseFunction is %+v", b)
	}
	if b.Env["TABLE_NAME"] != "Table" || b.Env["BUCKET_NAME"] != "Bucket" || b.Env["LOG_LEVEL"] != "info" || b.Env["BROWSE_MACHINE_ARN"] != m.ARN {
		t.Errorf("its environment is %v", b.Env)
	}
}

func TestRead_FactsTakeThePlaceOfWhatOnlyACloudKnows(t *testing.T) {
	s, err := Read(stack.Files, Facts{
		Parameters: map[string]string{"PublicUrl": "https://pags.example", "LogLevel": "debug"},
		Resource: func(logical, attr string) string {
			if attr == "Arn" && strings.HasSuffix(logical, "Function") {
				return "arn:aws:lambda:eu-west-1:123456789012:function:" + logical
			}
			if logical == "Table" && attr == "" {
				return "real-table"
			}
			return ""
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	env := s.Functions["RunsFunction"].Env
	if env["TABLE_NAME"] != "real-table" || env["PUBLIC_URL"] != "https://pags.example" || env["LOG_LEVEL"] != "debug" {
		t.Errorf("environment is %v", env)
	}
	if s.Sockets["$default"] != "WsMessageFunction" || s.Machines["BrowseMachine"].Substitutions["AskFunctionArn"] != "AskFunction" {
		t.Error("ARNs were not read back to logical names")
	}
}

const minimal = `
Transform: AWS::Serverless-2016-10-31
Resources:
  Api: {Type: AWS::Serverless::HttpApi, Properties: {StageName: $default}}
  F:
    Type: AWS::Serverless::Function
    Metadata: {BuildMethod: makefile, Folder: functions/f}
    Properties:
      Events:
        Root: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: ANY, Path: /v1/f, PayloadFormatVersion: "2.0"}}
`

func TestRead_RefusesWhatItDoesNotUnderstandAndNamesTheLine(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"a resource type nobody listed":       {"AWS::Serverless::HttpApi", "AWS::SQS::Queue", "template.yaml:4: Api"},
		"a route finer than a family":         {"Path: /v1/f,", "Path: '/v1/f/{id}',", "template.yaml:10: path"},
		"a method":                            {"Method: ANY", "Method: GET", "template.yaml:10: routes are families"},
		"the older payload format":            {`"2.0"`, `"1.0"`, "template.yaml:10: PayloadFormatVersion"},
		"an API that is none":                 {"!Ref Api", "!Ref F", "template.yaml:10: ApiId"},
		"an event type":                       {"Type: HttpApi", "Type: SQS", "template.yaml:10: F.Root"},
		"a property of a function":            {"Properties:\n      Events", "Properties:\n      Layers: []\n      Events", "template.yaml:9: F: Layers"},
		"an intrinsic":                        {"!Ref Api", "!ImportValue Api", "template.yaml:10: !ImportValue"},
		"a long form":                         {"ApiId: !Ref Api", "ApiId: {Ref: Api}", "template.yaml:10: Ref"},
		"a reference to nothing":              {"Properties:\n      Events", "Properties:\n      Timeout: !Ref Nobody\n      Events", "template.yaml:9: Nobody"},
		"an anchor":                           {"Metadata: {", "Metadata: &m {", "template.yaml:7: anchors"},
		"a function that is not built":        {"BuildMethod: makefile", "BuildMethod: go1.x", "template.yaml:6: F: Metadata"},
		"a condition that is not there":       {"Type: AWS::Serverless::Function\n", "Type: AWS::Serverless::Function\n    Condition: Nope\n", "template.yaml:7: there is no condition"},
		"a section":                           {"Resources:", "Mappings: {}\nResources:", "template.yaml:3: the template: Mappings"},
		"a key that is there twice":           {"Transform:", "Transform: x\nTransform:", "template.yaml"},
		"a schedule with an expression":       {"Root: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: ANY, Path: /v1/f, PayloadFormatVersion: \"2.0\"}}", "Tick: {Type: ScheduleV2, Properties: {ScheduleExpression: cron(0 1 * * ? *)}}", "template.yaml:10: schedules"},
		"a rule with a content filter":        {"Root: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: ANY, Path: /v1/f, PayloadFormatVersion: \"2.0\"}}", "On: {Type: EventBridgeRule, Properties: {Pattern: {source: [{prefix: aws}]}}}", "template.yaml:10: patterns"},
		"a machine without an explicit name":  {"Resources:", "Resources:\n  M: {Type: AWS::Serverless::StateMachine, Properties: {DefinitionUri: m.json}}", "template.yaml:4: M"},
		"a placeholder that nobody filled in": {"Resources:", "Resources:\n  M: {Type: AWS::Serverless::StateMachine, Properties: {Name: m, DefinitionUri: m.json}}", "m.json:2: ${FunctionArn}"},
		"a socket API that is none":           {"Resources:", "Resources:\n  W: {Type: AWS::ApiGatewayV2::Api, Properties: {ProtocolType: HTTP}}", "template.yaml:4: W"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(minimal, c.from, c.to, 1)
			if changed == minimal {
				t.Fatal("the case changes nothing")
			}
			files := fstest.MapFS{"template.yaml": {Data: []byte(changed)}, "m.json": {Data: []byte("{\n\"x\": \"${FunctionArn}\"}")}}
			_, err := Read(files, Facts{})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s…", err, c.want)
			}
		})
	}
	if _, err := Read(fstest.MapFS{"template.yaml": {Data: []byte(minimal)}}, Facts{}); err != nil {
		t.Errorf("unchanged it must be read: %v", err)
	}
}
