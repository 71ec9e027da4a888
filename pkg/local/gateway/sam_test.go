package gateway

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"

	stack "github.com/proagentstore/pags"
)

// transformed is our template as SAM itself would hand it to CloudFormation.
func transformed(t *testing.T) *node {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	python := filepath.Join(root, ".venv", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("the Python environment is missing: make setup makes it")
		}
		t.Skip("the Python environment is missing: make setup makes it")
	}
	cmd := exec.Command(python, filepath.Join(root, "tools", "sam_transform.py"), filepath.Join(root, "template.yaml"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	raw, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	return fromJSON(doc)
}

// fromJSON makes nodes of a transformed template: there, functions are maps of one key.
func fromJSON(v any) *node {
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 1 {
			for k, arg := range x {
				if fn := strings.TrimPrefix(k, "Fn::"); intrinsics[fn] && (fn != k || k == "Ref") {
					n := &node{fn: fn}
					if n.list = []*node{fromJSON(arg)}; n.list[0].isList {
						n.list = n.list[0].list
					}
					return n
				}
			}
		}
		n := &node{isMap: true, fields: map[string]*node{}}
		for _, k := range sortedKeys(x) {
			n.keys = append(n.keys, k)
			n.fields[k] = fromJSON(x[k])
		}
		return n
	case []any:
		n := &node{isList: true}
		for _, c := range x {
			n.list = append(n.list, fromJSON(c))
		}
		return n
	}
	return &node{scalar: v}
}

// samReading reads the transformed template independently of Read: from what CloudFormation would make, not from events.
type samReading struct {
	t *testing.T
	e *evaluator
}

func (s samReading) text(n *node) string {
	s.t.Helper()
	v, err := s.e.text(n)
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// each calls f for every resource of a type, in the order of their names.
func (s samReading) each(kind string, f func(name string, p *node)) {
	for _, name := range s.e.resources.keys {
		if res := s.e.resources.fields[name]; res.at("Type").is(kind) {
			f(name, res.at("Properties"))
		}
	}
}

// called is the function in an invocation URI or an ARN.
func (s samReading) called(n *node) string {
	text := s.text(n)
	if m := invocation.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return strings.TrimSuffix(text, ".Arn")
}

func TestRead_AgreesWithTheSAMTransform(t *testing.T) {
	doc, mine := transformed(t), ours(t)
	// After the transform functions are plain Lambda functions; their ARN is their logical name here.
	facts := Facts{Resource: func(logical, attr string) string {
		if attr == "Arn" && strings.HasSuffix(logical, "Function") {
			return logical
		}
		return ""
	}}
	s := samReading{t, &evaluator{facts: facts, parameters: doc.at("Parameters"), conditions: doc.at("Conditions"), resources: doc.at("Resources")}}

	type function struct {
		Timeout, Memory int64
		Env             map[string]string
	}
	number := func(n *node) int64 {
		v, _ := json.Number(s.text(n)).Int64()
		return v
	}
	functions, wantFunctions := map[string]function{}, map[string]function{}
	s.each("AWS::Lambda::Function", func(name string, p *node) {
		f := function{number(p.at("Timeout")), number(p.at("MemorySize")), map[string]string{}}
		vars := p.at("Environment", "Variables")
		for _, k := range vars.keys {
			f.Env[k] = s.text(vars.fields[k])
		}
		wantFunctions[name] = f
	})
	for name, d := range mine.Functions {
		functions[name] = function{int64(d.Timeout / time.Second), int64(d.MemoryMB), d.Env}
	}
	same(t, "functions", functions, wantFunctions)

	routes, wantRoutes := map[string]string{}, map[string]string{}
	s.each("AWS::ApiGatewayV2::Api", func(_ string, p *node) {
		paths := p.at("Body", "paths")
		if paths == nil {
			return
		}
		for _, path := range paths.keys {
			for _, method := range paths.fields[path].keys {
				integration := paths.fields[path].at(method, "x-amazon-apigateway-integration")
				wantRoutes[method+" "+path+" "+s.text(integration.at("timeoutInMillis"))] = s.called(integration.at("uri"))
			}
		}
	})
	for _, r := range mine.Routes {
		routes["x-amazon-apigateway-any-method "+r.Path+" "+string(plainJSON(r.Timeout.Milliseconds()))] = r.Function
	}
	same(t, "routes", routes, wantRoutes)

	targets, sockets := map[string]string{}, map[string]string{}
	s.each("AWS::ApiGatewayV2::Integration", func(name string, p *node) { targets["integrations/"+name] = s.called(p.at("IntegrationUri")) })
	s.each("AWS::ApiGatewayV2::Route", func(_ string, p *node) { sockets[s.text(p.at("RouteKey"))] = targets[s.text(p.at("Target"))] })
	same(t, "socket routes", mine.Sockets, sockets)

	var schedules, wantSchedules []string
	s.each("AWS::Scheduler::Schedule", func(_ string, p *node) {
		d, err := every(p.at("ScheduleExpression"))
		if err != nil {
			t.Error(err)
		}
		wantSchedules = append(wantSchedules, s.called(p.at("Target", "Arn"))+" "+d.String())
	})
	for _, x := range mine.Schedules {
		schedules = append(schedules, x.Function+" "+x.Every.String())
	}
	sort.Strings(schedules)
	same(t, "schedules", schedules, wantSchedules)

	var rules, wantRules []string
	s.each("AWS::Events::Rule", func(_ string, p *node) {
		pattern, err := s.e.value(p.at("EventPattern"))
		if err != nil {
			t.Error(err)
		}
		for _, target := range p.at("Targets").list {
			wantRules = append(wantRules, s.called(target.at("Arn"))+" "+string(plainJSON(pattern)))
		}
	})
	for _, x := range mine.Rules {
		rules = append(rules, x.Function+" "+string(plainJSON(x.Pattern)))
	}
	same(t, "rules", rules, wantRules)

	machines, wantMachines := map[string]string{}, map[string]string{}
	s.each("AWS::StepFunctions::StateMachine", func(name string, p *node) {
		var lines []string
		for _, l := range p.at("DefinitionString").fields["Fn::Join"].list[1].list {
			lines = append(lines, l.scalar.(string))
		}
		definition := strings.Join(lines, "\n")
		subs := p.at("DefinitionSubstitutions")
		for _, k := range subs.keys {
			to := s.text(subs.fields[k])
			if m := machineARN.FindStringSubmatch(to); m != nil {
				to = ""
				s.each("AWS::StepFunctions::StateMachine", func(other string, q *node) {
					if s.text(q.at("StateMachineName")) == m[1] {
						to = other
					}
				})
			}
			definition = strings.ReplaceAll(definition, "${"+k+"}", to)
		}
		wantMachines[name] = canonical(t, []byte(definition))
	})
	for name, m := range mine.Machines {
		machines[name] = canonical(t, m.Definition)
	}
	same(t, "machines", machines, wantMachines)

	if raw, err := stack.Files.ReadFile("template.yaml"); err != nil || len(raw) == 0 {
		t.Error("the embedded template is empty")
	}
}

func canonical(t *testing.T, raw []byte) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return string(plainJSON(v))
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s differ:\n ours %s\n  SAM %s", what, plainJSON(got), plainJSON(want))
	}
	if reflect.ValueOf(want).Len() == 0 {
		t.Errorf("SAM has no %s, so nothing was compared", what)
	}
}
