package porttest

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// brainFunctions are the tasks of the suite: Echo answers its payload, Boom fails, Flaky fails until its payload's key was
// seen "fails" times, Hand keeps the token it is given.
type brainFunctions struct {
	mu     sync.Mutex
	seen   map[string]int
	tokens map[string]string
}

func (f *brainFunctions) Invoke(_ context.Context, function string, payload []byte) ([]byte, error) {
	var in struct {
		Key   string `json:"key"`
		Token string `json:"token"`
		Fails int    `json:"fails"`
	}
	if function != "Echo" {
		if err := json.Unmarshal(payload, &in); err != nil {
			return nil, &port.FunctionError{Type: "BadPayload", Message: err.Error()}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[in.Key]++
	switch function {
	case "Echo":
		return payload, nil
	case "Boom":
		return nil, &port.FunctionError{Type: "Boom", Message: "it broke"}
	case "Flaky":
		if f.seen[in.Key] <= in.Fails {
			return nil, &port.FunctionError{Type: "Flaky", Message: "not yet"}
		}
		return json.Marshal(f.seen[in.Key])
	case "Hand":
		f.tokens[in.Key] = in.Token
		return []byte(`{}`), nil
	}
	return nil, pags.Errorf(pags.NotFound, "there is no function %s", function)
}

func (f *brainFunctions) token(key string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tokens[key]
}

func (f *brainFunctions) calls(key string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[key]
}

// brainMachines are the definitions of the suite.
var brainMachines = map[string]string{
	"Data": `{"StartAt":"Shape","States":{
		"Shape":{"Type":"Pass","InputPath":"$.b","Parameters":{"kept.$":"$.c","fixed":[1,"two",null],"name.$":"$$.State.Name"},
			"ResultPath":"$.shaped","Next":"Only"},
		"Only":{"Type":"Pass","OutputPath":"$['shaped','list'][*]","Next":"Result"},
		"Result":{"Type":"Pass","InputPath":null,"Result":{"n":12345678901234567890,"t":"<é&>"},"End":true}}}`,
	"Intrinsics": `{"StartAt":"All","States":{"All":{"Type":"Pass","Parameters":{
		"text.$":"States.Format('{} is {}, \\{not\\} {}', $.name, $.age, $.yes)",
		"json.$":"States.JsonToString($.list)","parsed.$":"States.StringToJson($.doc)",
		"array.$":"States.Array($.name, 1, true, null, 'it\\'s')","part.$":"States.ArrayPartition($.list, 2)",
		"has.$":"States.ArrayContains($.list, 3)","range.$":"States.ArrayRange(1, 7, 3)",
		"item.$":"States.ArrayGetItem($.list, 1)","len.$":"States.ArrayLength(States.Array(1,2))",
		"unique.$":"States.ArrayUnique(States.Array(1,2,1))","b64.$":"States.Base64Encode($.name)",
		"plain.$":"States.Base64Decode('QWRh')","hash.$":"States.Hash($.name, 'SHA-256')",
		"sum.$":"States.MathAdd($.age, -1)","cut.$":"States.StringSplit('a,b;c', ',;')",
		"merged.$":"States.JsonMerge($.one, $.two, false)"},"End":true}}}`,
	"Call": `{"StartAt":"Echo","States":{"Echo":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke",
		"Parameters":{"FunctionName":"Echo","Payload":{"x.$":"$.x"}},
		"ResultSelector":{"echo.$":"$.Payload.x","status.$":"$.StatusCode"},"ResultPath":"$.r","Next":"Plain"},
		"Plain":{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:Echo",
		"ResultPath":"$.plain","OutputPath":"$.plain.r","Next":"End"},"End":{"Type":"Succeed"}}}`,
	"Retrying": `{"StartAt":"Flaky","States":{"Flaky":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke",
		"Parameters":{"FunctionName":"Flaky","Payload.$":"$"},"OutputPath":"$.Payload",
		"Retry":[{"ErrorEquals":["Other"],"MaxAttempts":9},{"ErrorEquals":["Flaky"],"IntervalSeconds":1,"MaxAttempts":2,
		"BackoffRate":1.0}],"End":true}}}`,
	"Catching": `{"StartAt":"Boom","States":{"Boom":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke",
		"Parameters":{"FunctionName":"Boom","Payload.$":"$"},
		"Catch":[{"ErrorEquals":["Other"],"Next":"Wrong"},{"ErrorEquals":["States.TaskFailed"],"ResultPath":"$.e","Next":"Caught"}],
		"Next":"Wrong"},"Caught":{"Type":"Pass","Parameters":{"error.$":"$.e.Error","cause.$":"States.StringToJson($.e.Cause)"},
		"End":true},"Wrong":{"Type":"Fail","Error":"Wrong"}}}`,
	"Uncaught": `{"StartAt":"Boom","States":{"Boom":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke",
		"Parameters":{"FunctionName":"Boom","Payload.$":"$"},"End":true}}}`,
	"Choosing": `{"StartAt":"Which","States":{"Which":{"Type":"Choice","Choices":[
		{"And":[{"Variable":"$.n","IsPresent":true},{"Variable":"$.n","NumericGreaterThanEquals":10}],"Next":"Big"},
		{"Or":[{"Variable":"$.s","StringMatches":"a*c"},{"Variable":"$.s","StringLessThan":"B"}],"Next":"Text"},
		{"Not":{"Variable":"$.b","BooleanEquals":true},"Next":"False"},
		{"Variable":"$.at","TimestampLessThanPath":"$.before","Next":"Early"}],"Default":"None"},
		"Big":{"Type":"Pass","Result":"big","End":true},"Text":{"Type":"Pass","Result":"text","End":true},
		"False":{"Type":"Pass","Result":"false","End":true},"Early":{"Type":"Pass","Result":"early","End":true},
		"None":{"Type":"Pass","Result":"none","End":true}}}`,
	"Waiting": `{"StartAt":"Nap","States":{"Nap":{"Type":"Wait","SecondsPath":"$.nap","Next":"Past"},
		"Past":{"Type":"Wait","Timestamp":"2001-01-01T00:00:00Z","Next":"Fine"},"Fine":{"Type":"Succeed","OutputPath":"$.nap"}}}`,
	"Failing": `{"StartAt":"Bad","States":{"Bad":{"Type":"Fail","Error":"MyError","Cause":"on purpose"}}}`,
	"NoMatch": `{"StartAt":"Which","States":{"Which":{"Type":"Choice","Choices":[{"Variable":"$.x","NumericEquals":1,"Next":"One"}]},
		"One":{"Type":"Succeed"}}}`,
	"Hand": `{"StartAt":"Hand","States":{"Hand":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken",
		"Parameters":{"FunctionName":"Hand","Payload":{"key.$":"$.key","token.$":"$$.Task.Token"}},"TimeoutSeconds":60,
		"ResultPath":"$.answer","Catch":[{"ErrorEquals":["Refused"],"Next":"No"}],"End":true},
		"No":{"Type":"Pass","Parameters":{"error.$":"$.Error"},"End":true}}}`,
	"Beating": `{"StartAt":"Hand","States":{"Hand":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken",
		"Parameters":{"FunctionName":"Hand","Payload":{"key.$":"$.key","token.$":"$$.Task.Token"}},
		"HeartbeatSeconds":2,"TimeoutSeconds":60,"Catch":[{"ErrorEquals":["States.Timeout"],"Next":"Late"}],"End":true},
		"Late":{"Type":"Pass","Parameters":{"error.$":"$.Error"},"End":true}}}`,
	"Limited": `{"StartAt":"Hand","States":{"Hand":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken",
		"Parameters":{"FunctionName":"Hand","Payload":{"key.$":"$.key","token.$":"$$.Task.Token"}},
		"TimeoutSecondsPath":"$.limit","Catch":[{"ErrorEquals":["States.TaskFailed"],"Next":"Wrong"}],"End":true},
		"Wrong":{"Type":"Succeed"}}}`,
	"Slow": `{"TimeoutSeconds":1,"StartAt":"Nap","States":{"Nap":{"Type":"Wait","Seconds":20,"End":true}}}`,
	"Parent": `{"StartAt":"Start","States":{"Start":{"Type":"Task","Resource":"arn:aws:states:::states:startExecution",
		"Parameters":{"StateMachineArn":"${FailingArn}","Name.$":"$.name","Input":{"from":"parent"}},
		"ResultSelector":{"arn.$":"$.ExecutionArn"},"ResultPath":"$.child","Next":"Told"},
		"Told":{"Type":"Choice","Choices":[{"Variable":"$.child.arn","StringMatches":"*:Failing:*","Next":"Yes"}],"Default":"No"},
		"Yes":{"Type":"Pass","Result":"started","End":true},"No":{"Type":"Fail","Error":"NoArn"}}}`,
}
