// Package instance holds people's private copies of agents and their configuration.
//
//	routes.go     the routes, listed first
//	subscribe.go  making one
//	read.go       reading: by owner, by machine, lists
//	change.go     name, cancel, activity
//	config.go     configuration, one key at a time; the closed list of keys
//	rows.go       how an instance is stored
package instance

import (
	"context"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Agents is what we need of templates.
type Agents interface {
	Get(ctx context.Context, id pags.AgentID) (pags.Agent, error)
}

// Members hears that the instances which a user's machines serve may have changed.
type Members interface {
	Changed(ctx context.Context, user pags.UserID)
}

// Deps is what the area needs. Members may be nil.
type Deps struct {
	Table   port.Table
	Clock   port.Clock
	Agents  Agents
	Members Members
}

// Service is the area.
type Service struct {
	Deps
	answers httpapi.Answers
}

// New makes the area.
func New(d Deps) *Service {
	return &Service{Deps: d, answers: httpapi.Answers{Table: d.Table, Clock: d.Clock}}
}

// Statuses of an instance.
const (
	Active   = "active"
	Canceled = "canceled"
)

// MaxActive is how many active instances one person may have: nobody needs more, and lists for machines stay short.
const MaxActive = 200

func (s *Service) changed(ctx context.Context, uid pags.UserID) {
	if s.Members != nil {
		s.Members.Changed(ctx, uid)
	}
}

func notFound() error { return pags.Errorf(pags.NotFound, "there is no such instance") }
