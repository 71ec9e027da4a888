package asl

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

type taskKind int

const (
	taskFunction taskKind = iota // a Lambda ARN: payload in, payload out
	taskInvoke                   // lambda:invoke
	taskToken                    // lambda:invoke.waitForTaskToken
	taskStart                    // states:startExecution, answered as soon as it has begun
)

// Resources of tasks as written in definitions, after the partition.
var resources = map[string]taskKind{
	":states:::lambda:invoke":                  taskInvoke,
	":states:::lambda:invoke.waitForTaskToken": taskToken,
	":states:::states:startExecution":          taskStart,
}

var functionARN = regexp.MustCompile(`^arn:aws[a-z-]*:lambda:[a-z0-9-]*:[0-9]*:function:[A-Za-z0-9_-]+(:[A-Za-z0-9_$-]+)?$`)

type task struct {
	kind          taskKind
	resource      string // the whole ARN
	service, name string // as history events have them: "lambda", "invoke.waitForTaskToken"

	timeout, heartbeat         int64 // seconds, 0 none
	timeoutPath, heartbeatPath *Path
}

func (s *state) parseTask(f *fields) {
	t := &task{resource: f.text("Resource", true)}
	s.task = t
	t.parseResource(f)
	if t.kind != taskFunction {
		s.checkParameters(f)
	}
	s.parameters, s.resultSelector, s.resultPath = f.template("Parameters"), f.template("ResultSelector"), f.resultPath()
	s.retry, s.catch = parseRetry(f), parseCatch(f)

	t.timeout = f.integer("TimeoutSeconds", 0, 1, maxSeconds)
	t.timeoutPath = f.path("TimeoutSecondsPath")
	if t.timeout > 0 && t.timeoutPath != nil {
		f.fail("TimeoutSeconds", "not together with TimeoutSecondsPath")
	}
	if t.kind != taskToken && (f.has("HeartbeatSeconds") || f.has("HeartbeatSecondsPath")) {
		f.fail("HeartbeatSeconds", "only a task that waits for a token can beat")
	}
	t.heartbeat = f.integer("HeartbeatSeconds", 0, 1, maxSeconds)
	t.heartbeatPath = f.path("HeartbeatSecondsPath")
	if t.heartbeat > 0 && (t.heartbeatPath != nil || t.timeout > 0 && t.heartbeat >= t.timeout) {
		f.fail("HeartbeatSeconds", "must be below TimeoutSeconds and not together with HeartbeatSecondsPath")
	}
}

func (t *task) parseResource(f *fields) {
	if functionARN.MatchString(t.resource) {
		t.kind = taskFunction
		return
	}
	if rest, ok := strings.CutPrefix(t.resource, "arn:aws"); ok {
		if at := strings.IndexByte(rest, ':'); at >= 0 {
			if kind, ok := resources[rest[at:]]; ok {
				t.kind = kind
				t.service, t.name, _ = strings.Cut(strings.TrimPrefix(rest[at:], ":states:::"), ":")
				return
			}
		}
	}
	f.fail("Resource", "%q is not supported; tasks are Lambda functions, lambda:invoke, "+
		"lambda:invoke.waitForTaskToken and states:startExecution", t.resource)
}

// checkParameters refuses parameters of an integration that we would ignore.
func (s *state) checkParameters(f *fields) {
	allowed, needed := "FunctionName Payload", "FunctionName"
	if s.task.kind == taskStart {
		allowed, needed = "StateMachineArn Name Input", "StateMachineArn"
	}
	parameters, ok := f.raw["Parameters"].(map[string]any)
	if !ok {
		f.fail("Parameters", "an object with %s is expected", needed)
		return
	}
	found := false
	inner := newFields(f.where, parameters)
	for _, key := range inner.names() {
		name := strings.TrimSuffix(key, ".$")
		found = found || name == needed
		if !strings.Contains(" "+allowed+" ", " "+name+" ") {
			f.fail("Parameters."+key, "is not supported; there are %s", allowed)
		}
	}
	if !found {
		f.fail("Parameters."+needed, "is missing")
	}
}

// Target of a call after its parameters were evaluated.
type callInput struct {
	name    string // function or state machine
	payload json.RawMessage
	child   string // name of an execution to start, may be empty
}

// input reads evaluated parameters. What is missing or of the wrong type ends the execution, as a bad request to the
// service would.
func (t *task) input(v any) (callInput, *Failure) {
	if t.kind == taskFunction {
		return callInput{name: lastPart(t.resource), payload: encode(v)}, nil
	}
	m, _ := v.(map[string]any)
	key, body := "FunctionName", "Payload"
	if t.kind == taskStart {
		key, body = "StateMachineArn", "Input"
	}
	target, ok := m[key].(string)
	if !ok || target == "" {
		return callInput{}, runtimeFailure("The parameter '", key, "' of the task must be a text")
	}
	in := callInput{name: lastPart(target), payload: json.RawMessage("{}")}
	if p, ok := m[body]; ok && p != nil {
		if in.payload = encode(p); t.kind == taskStart && isText(p) {
			in.payload = json.RawMessage(p.(string))
		}
	}
	if n, ok := m["Name"]; ok {
		if in.child, ok = n.(string); !ok {
			return in, runtimeFailure("The parameter 'Name' of the task must be a text")
		}
	}
	return in, nil
}

// lastPart is the logical name in an ARN: of a function without its version or alias. A bare name is itself.
func lastPart(arn string) string {
	parts := strings.Split(arn, ":")
	if len(parts) >= 7 {
		return parts[6]
	}
	return parts[0]
}

// invoked is the result of lambda:invoke, in the shape of the optimized integration but without its HTTP headers.
func invoked(payload any, requestID string) any {
	return map[string]any{
		"ExecutedVersion": "$LATEST", "Payload": payload, "StatusCode": json.Number("200"),
		"SdkHttpMetadata":     map[string]any{"HttpStatusCode": json.Number("200")},
		"SdkResponseMetadata": map[string]any{"RequestId": requestID},
	}
}

// started is the result of states:startExecution.
func started(execution string, at time.Time, requestID string) any {
	return map[string]any{
		"ExecutionArn": execution, "StartDate": number(at.UnixMilli()),
		"SdkHttpMetadata":     map[string]any{"HttpStatusCode": json.Number("200")},
		"SdkResponseMetadata": map[string]any{"RequestId": requestID},
	}
}
