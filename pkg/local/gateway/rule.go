package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/pags"
)

func (r *reader) rule(function, name string, p *node) error {
	if err := p.only("EventBridgeRule", "Pattern"); err != nil {
		return err
	}
	pattern := p.at("Pattern")
	v, err := r.eval.value(pattern)
	if err != nil {
		return err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return refusal(p.line, "a rule needs a Pattern")
	}
	if err := exactOnly(pattern); err != nil {
		return err
	}
	r.stack.Rules = append(r.stack.Rules, Rule{Name: function + "." + name, Function: function, Pattern: m})
	return nil
}

// exactOnly refuses content filters such as {prefix: …}: patterns here are maps down to lists of exact values.
func exactOnly(n *node) error {
	switch {
	case n.isMap:
		for _, k := range n.keys {
			if err := exactOnly(n.fields[k]); err != nil {
				return err
			}
		}
		return nil
	case n.isList && len(n.list) > 0:
		for _, c := range n.list {
			if c.isMap || c.isList {
				return refusal(c.line, "patterns list exact values; content filters are outside the subset")
			}
		}
		return nil
	}
	return refusal(n.line, "a pattern is a map down to lists of exact values")
}

// Matches reports whether an event has, under each key of the pattern, one of the values listed there.
func (r Rule) Matches(event map[string]any) bool { return matches(r.Pattern, event) }

func matches(pattern, event map[string]any) bool {
	for k, want := range pattern {
		got, there := event[k]
		if !there {
			return false
		}
		switch w := want.(type) {
		case map[string]any:
			inner, ok := got.(map[string]any)
			if !ok || !matches(w, inner) {
				return false
			}
		case []any:
			if !listed(w, got) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func listed(values []any, got any) bool {
	some, isList := got.([]any)
	if !isList {
		some = []any{got}
	}
	for _, g := range some {
		for _, v := range values {
			if fmt.Sprint(v) == fmt.Sprint(g) {
				return true
			}
		}
	}
	return false
}

// Emit hands an event to every function whose rule matches it, the way EventBridge does: all are called, and the failures
// of some do not keep it from others. detail is anything that marshals to a JSON object.
func (g *Gateway) Emit(ctx context.Context, source, detailType string, detail any) error {
	payload, err := json.Marshal(map[string]any{
		"version": "0", "id": g.requestID(), "source": source, "detail-type": detailType, "account": pseudo["AWS::AccountId"],
		"region": pseudo["AWS::Region"], "time": g.clock.Now().UTC().Format("2006-01-02T15:04:05Z"), "resources": []string{}, "detail": detail,
	})
	if err != nil {
		return pags.Errorf(pags.Invalid, "encode the detail of a %s event: %w", detailType, err)
	}
	var event map[string]any
	if err := json.Unmarshal(payload, &event); err != nil {
		return pags.Errorf(pags.Invalid, "the detail of a %s event is not an object: %w", detailType, err)
	}
	var failed error
	for _, r := range g.stack.Rules {
		if !r.Matches(event) {
			continue
		}
		if _, err := g.Invoke(ctx, r.Function, payload); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", r.Name, err))
		}
	}
	return failed
}
