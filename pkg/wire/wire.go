// Package wire connects the areas to each other and to the ports. Both hosts build the same House: on AWS each function takes
// one thing of it, on one machine the local host takes all. It sees no adapter.
//
//	wire.go     what a house is made of
//	house.go    the areas, joined
//	http.go     the HTTP families and the whole API
//	events.go   the functions that take events
//	joints.go   where one area's words differ from another's
package wire

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/port"
)

// Deps is what a house stands on. A function gives only the ports that its part uses.
type Deps struct {
	Table   port.Table
	Blobs   port.Blobs
	Brains  port.Brains
	Sockets port.Sockets
	Vault   port.Vault
	Models  port.Models
	Clock   port.Clock
	// Outbound sends calls of tools and fetches descriptions; it comes from guard.Client.
	Outbound *http.Client
	// Sandbox runs programs; nil in a function that runs none.
	Sandbox codemode.Sandbox
	// Dispatch judges and sends the calls of programs in another function; nil does it here.
	Dispatch func(ctx context.Context, in execution.DispatchInput) (execution.DispatchOutput, error)
	Log      *slog.Logger
	Config   Config
}

// Config is what differs between stacks.
type Config struct {
	Version      string
	Host         string // "aws" or "local"
	PublicURL    string // where people and machines reach the stack
	WSURL        string // where sockets are opened
	SetupHash    string // SHA-256 (hex) of the token that may make the first account; empty: none may
	PlainCookies bool   // plain http on the loopback
	// CheckModelURL says whether a model server's address may be called from here, CheckToolURL the same for an API.
	CheckModelURL func(raw string) error
	CheckToolURL  func(raw string) error

	HandoverAfter int           // decisions, or slices of a program, in one execution; 0: the default
	LossBudget    time.Duration // how long a runner may be away; 0: the default of turns
	Compute       time.Duration // how long a program may compute between two waits; 0: the default
}
