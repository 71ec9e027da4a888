package tool

import (
	"context"
	"fmt"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/rule"
)

// Described is a tool for someone who is about to call it.
type Described struct {
	catalog.Description
	Source     string         `json:"source,omitempty"`
	Connection string         `json:"connection,omitempty"`
	Held       string         `json:"held,omitempty" doc:"new or changed: its owner has to look at the definition first, until then each call is asked about"`
	Asks       bool           `json:"asks,omitempty" doc:"a call waits until a person consents"`
	Off        string         `json:"off,omitempty" doc:"source or connection: it is switched off"`
	Method     string         `json:"method,omitempty"`
	Route      string         `json:"route,omitempty"`
	Host       string         `json:"host,omitempty"`
	Policy     *rule.Decision `json:"policy,omitempty"`
}

// Describe describes one tool; schemas adds the JSON Schemas. A path that is no tool is a failure with suggestions, and so is
// one that a policy blocks, unless blocked says that its owner is asking.
func (s *Service) Describe(ctx context.Context, uid pags.UserID, path string, schemas, blocked bool) (Described, *catalog.Failure, error) {
	path = cleanPath(path)
	if t, ok := house().Tool(path); ok {
		d := t.Describe(schemas)
		d.Path, d.Name = path, path
		return Described{Description: d, Asks: path == personAsk}, nil, nil
	}
	b, miss, err := s.Sources.Resolve(ctx, uid, path)
	if err != nil {
		return Described{}, nil, fmt.Errorf("find the tool to describe: %w", err)
	}
	if miss != nil {
		if !blocked {
			miss, err = s.unblocked(ctx, uid, path, miss)
		}
		return Described{}, miss, err
	}
	rules, err := s.Policies.Rules(ctx, uid)
	if err != nil {
		return Described{}, nil, fmt.Errorf("read the policies for a description: %w", err)
	}
	decided := rules.Decide(b.Address, b.Tool.ReadOnly)
	if decided.Action == rule.Block && !blocked {
		return Described{}, &catalog.Failure{Code: catalog.CodeNotFound, Message: "there is no tool " + clip(path, 120)}, nil
	}
	d := Described{Description: b.Tool.Describe(schemas), Source: b.Source, Connection: b.Connection, Held: b.Held, Off: b.Off,
		Method: b.Tool.Request.Method, Route: b.Tool.Request.Path, Host: b.Host, Policy: &decided}
	d.Path = b.Address
	d.Asks = decided.Action == rule.RequireApproval || decided.Action == rule.Approve && b.Held != ""
	return d, nil, nil
}

// plain is a description for programs: whether a call asks is all that they are told of policies.
func (d Described) plain() Described {
	d.Policy = nil
	return d
}
