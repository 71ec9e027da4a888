// Package policy keeps what a person lays down about calls of tools: which go, which are asked about, which never go.
//
//	routes.go  every route, first
//	policy.go  what a policy is, and the rules of a person as they are now
//	change.go  create, change and remove
//	read.go    list and show
//	check.go   what a pattern matches, and what it may mean if it matches nothing
package policy

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/rule"
)

// MaxPolicies is how many policies a person may have.
const MaxPolicies = 500

// Catalog knows the tools of a person.
type Catalog interface {
	Directory(ctx context.Context, uid pags.UserID) (*catalog.Directory, error)
}

// Deps is what the area needs. A function that only decides calls needs no Catalog.
type Deps struct {
	Table   port.Table
	Clock   port.Clock
	Log     *slog.Logger
	Catalog Catalog
}

// Service is the area. Safe for concurrent use.
type Service struct {
	Deps
	answers httpapi.Answers

	mu    sync.Mutex
	ready map[pags.UserID]compiled
}

// compiled are the rules of a person at one revision.
type compiled struct {
	rev   int64
	rules rule.Rules
}

// New makes the area.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{Deps: d, answers: httpapi.Answers{Table: d.Table, Clock: d.Clock}, ready: map[pags.UserID]compiled{}}
}

// Policy is one rule with what people need to keep it: a switch, a note, and what it matches now.
type Policy struct {
	ID        pags.PolicyID `json:"id"`
	Pattern   string        `json:"pattern" doc:"addresses it is about: <source>.<connection>.<group>.<leaf>; * at the end for everything below, in the middle for one part, alone for all"`
	Action    rule.Action   `json:"action" enum:"approve,require_approval,block"`
	Enabled   bool          `json:"enabled"`
	Note      string        `json:"note,omitempty"`
	Matches   int           `json:"matches" doc:"how many tools it is about now"`
	Warning   string        `json:"warning,omitempty" doc:"why it may not do what is meant"`
	CreatedAt time.Time     `json:"createdAt"`
	UpdatedAt time.Time     `json:"updatedAt"`
}

// stored is a policy as its row has it.
type stored struct {
	ID        pags.PolicyID `json:"id"`
	Pattern   string        `json:"pattern"`
	Action    rule.Action   `json:"action"`
	Enabled   bool          `json:"enabled"`
	Note      string        `json:"note"`
	CreatedAt time.Time     `json:"createdAt"`
	UpdatedAt time.Time     `json:"updatedAt"`
}

func (p stored) policy() Policy {
	return Policy{ID: p.ID, Pattern: p.Pattern, Action: p.Action, Enabled: p.Enabled, Note: p.Note, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt}
}

const rowPrefix = "POLICY#"

func owner(uid pags.UserID) string { return "U#" + string(uid) }
func rowKey(uid pags.UserID, id pags.PolicyID) port.Key {
	return port.Key{PK: owner(uid), SK: rowPrefix + string(id)}
}

// headKey is the row that counts: rev grows by one with every change, in its transaction; count is how many policies there are.
func headKey(uid pags.UserID) port.Key { return port.Key{PK: owner(uid), SK: "POLICIES"} }

type head struct {
	Rev   int64 `json:"rev"`
	Count int   `json:"count"`
}

// maxReady is of how many people this process keeps compiled rules.
const maxReady = 1000

// Rules gives a person's rules as they are now: one consistent read of the revision, and of the policies only when it has moved.
// A policy that cannot be read makes it an error, since what it forbids is not known: the caller must let nothing go.
func (s *Service) Rules(ctx context.Context, uid pags.UserID) (rule.Rules, error) {
	var h head
	it, err := s.Table.Get(ctx, headKey(uid))
	if pags.Is(err, pags.NotFound) {
		return rule.Rules{}, nil
	}
	if err == nil {
		err = port.Decode(it, &h)
	}
	if err != nil {
		return rule.Rules{}, fmt.Errorf("read the revision of the policies of %s: %w", uid, err)
	}
	s.mu.Lock()
	known, ok := s.ready[uid]
	s.mu.Unlock()
	if ok && known.rev == h.Rev {
		return known.rules, nil
	}
	all, err := s.all(ctx, uid)
	if err != nil {
		return rule.Rules{}, err
	}
	var on []rule.Rule
	for _, p := range all {
		if err := readable(p); err != nil {
			return rule.Rules{}, fmt.Errorf("the policy %s of %s cannot be followed: %w", p.ID, uid, err)
		}
		if p.Enabled {
			on = append(on, rule.Rule{ID: string(p.ID), Pattern: p.Pattern, Action: p.Action})
		}
	}
	made := compiled{h.Rev, rule.Compile(on)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ready) >= maxReady {
		clear(s.ready)
	}
	s.ready[uid] = made
	return made.rules, nil
}

// all reads every policy of a person, oldest first, consistently.
func (s *Service) all(ctx context.Context, uid pags.UserID) ([]stored, error) {
	var out []stored
	for cursor := ""; ; {
		page, err := s.Table.Query(ctx, port.Query{PK: owner(uid), Prefix: rowPrefix, Limit: MaxPolicies, Cursor: cursor})
		if err != nil {
			return nil, fmt.Errorf("read the policies of %s: %w", uid, err)
		}
		for _, it := range page.Items {
			var p stored
			if err := port.Decode(it, &p); err != nil {
				return nil, fmt.Errorf("read a policy of %s: %w", uid, err)
			}
			out = append(out, p)
		}
		if cursor = page.Cursor; cursor == "" {
			return out, nil
		}
	}
}
