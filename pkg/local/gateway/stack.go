package gateway

import (
	"encoding/json"
	"io/fs"
	"sort"
	"strings"
	"time"
)

// Stack is what a template wires, in the words of the template: functions and machines by their logical names.
type Stack struct {
	Functions map[string]Declared
	Routes    []Route           // in the order of the template
	Sockets   map[string]string // route key ($connect, $default, $disconnect) -> function
	Schedules []Schedule
	Rules     []Rule
	Machines  map[string]Machine
}

// Declared is a function as the template declares it.
type Declared struct {
	Name     string
	Folder   string // of its main.go, from the root of the repository
	Timeout  time.Duration
	MemoryMB int
	Env      map[string]string
}

// Route sends a path to a function, whatever the method. A path that ends in "/{proxy+}" stands for everything below.
type Route struct {
	Path     string
	Function string
	Timeout  time.Duration
}

// Schedule calls a function again and again.
type Schedule struct {
	Name     string // <function>.<event>
	Function string
	Every    time.Duration
}

// Rule calls a function with each event that matches the pattern.
type Rule struct {
	Name     string
	Function string
	Pattern  map[string]any
}

// Machine is a state machine with its substitutions made: functions and machines stand in the definition by logical name.
type Machine struct {
	Name          string // logical
	ARN           string // as the stack's own events name it
	File          string
	Definition    []byte
	Substitutions map[string]string
}

const (
	typeFunction    = "AWS::Serverless::Function"
	typeMachine     = "AWS::Serverless::StateMachine"
	typeHTTPAPI     = "AWS::Serverless::HttpApi"
	typeAPI         = "AWS::ApiGatewayV2::Api"
	typeIntegration = "AWS::ApiGatewayV2::Integration"
	typeRoute       = "AWS::ApiGatewayV2::Route"
)

// plain lists the resource types that wire nothing here; everything not listed and not read is refused.
var plain = []string{
	"AWS::ApiGatewayV2::Stage", "AWS::Lambda::Permission",
	"AWS::CloudFront::Distribution", "AWS::CloudFront::Function", "AWS::CloudFront::OriginAccessControl",
	"AWS::CloudWatch::Alarm", "AWS::DynamoDB::Table", "AWS::KMS::Key", "AWS::Logs::LogGroup", "AWS::Logs::MetricFilter",
	"AWS::S3::Bucket", "AWS::S3::BucketPolicy", "AWS::SNS::Subscription", "AWS::SNS::Topic",
}

// Read reads template.yaml and the definitions that it names from files. It refuses, naming the line, whatever is outside
// the subset that it understands: what it does not understand would be wired on AWS and not here.
func Read(files fs.FS, facts Facts) (*Stack, error) {
	raw, err := fs.ReadFile(files, "template.yaml")
	if err != nil {
		return nil, err
	}
	doc, err := parse(raw)
	if err != nil {
		return nil, err
	}
	if err := doc.only("the template", "AWSTemplateFormatVersion", "Transform", "Description", "Parameters", "Conditions",
		"Globals", "Resources", "Outputs"); err != nil {
		return nil, err
	}
	r := &reader{
		files: files,
		stack: &Stack{Functions: map[string]Declared{}, Sockets: map[string]string{}, Machines: map[string]Machine{}},
		eval: &evaluator{facts: facts, parameters: doc.at("Parameters"), conditions: doc.at("Conditions"),
			resources: doc.at("Resources")},
		globals: doc.at("Globals", "Function"),
	}
	if err := doc.at("Globals").only("Globals", "Function"); err != nil {
		return nil, err
	}
	return r.stack, r.read()
}

type reader struct {
	files   fs.FS
	stack   *Stack
	eval    *evaluator
	globals *node
}

// read goes over the resources: first functions, which the rest points at, then the rest.
func (r *reader) read() error {
	resources := r.eval.resources
	if resources == nil || !resources.isMap {
		return refusal(1, "there are no Resources")
	}
	readers := map[string]func(name string, res *node) error{
		typeFunction: r.function, typeMachine: r.machine, typeHTTPAPI: r.httpAPI,
		typeAPI: r.socketAPI, typeIntegration: r.integration, typeRoute: r.socketRoute,
	}
	for _, pass := range []bool{true, false} {
		for _, name := range resources.keys {
			res := resources.fields[name]
			kind, _ := res.at("Type").scalarText()
			read := readers[kind]
			if read == nil && !contains(plain, kind) {
				return refusal(res.line, "%s: %q is outside the subset that the local host reads", name, kind)
			}
			if read == nil || (kind == typeFunction) != pass {
				continue
			}
			there, err := r.there(res)
			if err != nil {
				return err
			}
			if !there {
				continue
			}
			if err := read(name, res); err != nil {
				return err
			}
		}
	}
	return nil
}

// there tells whether a resource's condition holds.
func (r *reader) there(res *node) (bool, error) {
	c := res.at("Condition")
	if c == nil {
		return true, nil
	}
	name, _ := c.scalarText()
	return r.eval.condition(c.line, name)
}

func (n *node) scalarText() (string, bool) {
	if n == nil {
		return "", false
	}
	s, ok := n.scalar.(string)
	return s, ok
}

// functionOf finds the logical name behind a function's ARN or name.
func (r *reader) functionOf(line int, arn string) (string, error) {
	for name := range r.stack.Functions {
		if arn == r.eval.resource(name, "Arn") || arn == r.eval.resource(name, "") {
			return name, nil
		}
	}
	return "", refusal(line, "%q is none of the functions of this template", arn)
}

// plainJSON renders a value for the wire.
func plainJSON(v any) []byte {
	raw, _ := json.Marshal(v) // values come from the evaluator and always marshal
	return raw
}

// every reads "rate(N minutes)".
func every(n *node) (time.Duration, error) {
	s, _ := n.scalarText()
	body, ok := strings.CutPrefix(s, "rate(")
	body, ok2 := strings.CutSuffix(body, ")")
	parts := strings.Fields(body)
	if !ok || !ok2 || len(parts) != 2 {
		return 0, refusal(lineOf(n), "schedules are written rate(N minutes)")
	}
	units := map[string]time.Duration{"minute": time.Minute, "minutes": time.Minute, "hour": time.Hour, "hours": time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour}
	count, err := json.Number(parts[0]).Int64()
	if err != nil || count < 1 || units[parts[1]] == 0 {
		return 0, refusal(lineOf(n), "schedules are written rate(N minutes)")
	}
	return time.Duration(count) * units[parts[1]], nil
}

func lineOf(n *node) int {
	if n == nil {
		return 0
	}
	return n.line
}

// sortedKeys is for walks whose order people see.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
