package gateway

import (
	"io/fs"
	"regexp"
	"strings"
)

var machineARN = regexp.MustCompile(`^arn:[^:]*:states:[^:]*:[^:]*:stateMachine:(.+)$`)

// machine reads a state machine and its definition with the substitutions made.
func (r *reader) machine(name string, res *node) error {
	p := res.at("Properties")
	if err := p.only(name, "Name", "Type", "DefinitionUri", "DefinitionSubstitutions", "Logging", "Tracing", "Policies"); err != nil {
		return err
	}
	if kind := p.at("Type"); kind != nil && !kind.is("STANDARD") {
		return refusal(kind.line, "%s: only STANDARD machines wait for people", name)
	}
	explicit, err := r.eval.text(p.at("Name"))
	if err != nil {
		return err
	}
	file, ok := p.at("DefinitionUri").scalarText()
	if !ok || explicit == "" {
		return refusal(res.line, "%s: a machine has an explicit Name and a DefinitionUri in this repository", name)
	}
	raw, err := fs.ReadFile(r.files, file)
	if err != nil {
		return refusal(res.line, "%s: %v", name, err)
	}
	arn, err := r.eval.substitute(res.line, "arn:${AWS::Partition}:states:${AWS::Region}:${AWS::AccountId}:stateMachine:"+explicit)
	if err != nil {
		return err
	}
	m := Machine{Name: name, File: file, Substitutions: map[string]string{}}
	m.ARN, _ = arn.(string)
	if subs := p.at("DefinitionSubstitutions"); subs != nil {
		for _, k := range subs.keys {
			v, err := r.eval.text(subs.fields[k])
			if err != nil {
				return err
			}
			if m.Substitutions[k], err = r.logical(subs.fields[k].line, v); err != nil {
				return err
			}
		}
	}
	m.Definition, err = substitute(raw, m.Substitutions, file)
	if err != nil {
		return err
	}
	r.stack.Machines[name] = m
	return nil
}

// logical turns the ARN of one of our functions or machines into its logical name.
func (r *reader) logical(line int, arn string) (string, error) {
	if m := machineARN.FindStringSubmatch(arn); m != nil {
		for _, name := range r.eval.resources.keys {
			res := r.eval.resources.fields[name]
			if !res.at("Type").is(typeMachine) {
				continue
			}
			if own, err := r.eval.text(res.at("Properties", "Name")); err == nil && own == m[1] {
				return name, nil
			}
		}
		return "", refusal(line, "no machine of this template is named %q", m[1])
	}
	return r.functionOf(line, arn)
}

// substitute fills ${Name} in a definition, and refuses names that nobody fills: SAM would leave them as they are.
func substitute(definition []byte, values map[string]string, file string) ([]byte, error) {
	out := string(definition)
	for _, k := range sortedKeys(values) {
		out = strings.ReplaceAll(out, "${"+k+"}", values[k])
	}
	if left := placeholder.FindString(out); left != "" {
		line := 1 + strings.Count(out[:strings.Index(out, left)], "\n")
		return nil, refusalIn(file, line, "%s has no DefinitionSubstitutions entry", left)
	}
	return []byte(out), nil
}
