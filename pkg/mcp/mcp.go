// Package mcp serves the house to agents over the Model Context Protocol: three tools on one stateless endpoint. It is a
// facade: executions and tools are others', given as interfaces.
//
//	mcp.go       what it needs; the handler
//	front.go     every request before the protocol: origin, token, scope, size
//	server.go    the tools: names, schemas, annotations
//	execute.go   execute: run a program
//	resume.go    resume: answer, wait, cancel; from any session
//	search.go    search: find tools
//	present.go   an execution as text and structure
//	directory.go what is connected, in the description of execute
package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/rule"
)

// Paths at which the handler expects to be mounted.
const (
	Path         = "/mcp"
	MetadataPath = "/.well-known/oauth-protected-resource/mcp" // RFC 9728, 3.1: for the resource at Path
)

// Executions are programs of the caller; another's is pags.NotFound. Start and Resume wait up to 20 s by themselves and give
// whatever state is there.
type Executions interface {
	Start(ctx context.Context, caller httpapi.Caller, in StartRequest) (Execution, error)
	Get(ctx context.Context, caller httpapi.Caller, id pags.RunID) (Execution, error)
	// Resume answers one question. Repeated it changes nothing; of an expired question it is pags.Gone.
	Resume(ctx context.Context, caller httpapi.Caller, in ResumeRequest) (Execution, error)
}

// Interactions reads a question of a user, open or not.
type Interactions interface {
	Get(ctx context.Context, uid pags.UserID, id pags.InteractionID) (pags.Interaction, error)
}

// Tools finds tools by words; a namespace without words lists it.
type Tools interface {
	Search(ctx context.Context, caller httpapi.Caller, in SearchRequest) (SearchResult, error)
}

// Catalog is what a user has connected.
type Catalog interface {
	Directory(ctx context.Context, uid pags.UserID) (*catalog.Directory, error)
}

// Policies are what a user laid down about calls; what they block is not named anywhere.
type Policies interface {
	Rules(ctx context.Context, uid pags.UserID) (rule.Rules, error)
}

// StartRequest is a program to run.
type StartRequest struct {
	Code  string
	Title string
	Key   string // "" or what a repeat of the same request has in common with it
}

// ResumeRequest is an answer. Action is accept, decline, retry or cancel.
type ResumeRequest struct {
	ID          pags.RunID
	Interaction pags.InteractionID
	Action      string
	Content     map[string]any
	Note        string
}

// Execution is how a program stands.
type Execution struct {
	ID           pags.RunID
	Status       string // pending, running, waiting_for_interaction, completed, failed, cancelled
	Title        string
	Detail       string
	URL          string // its page in the console
	Result       json.RawMessage
	Error        *codemode.Failure
	Logs         []codemode.Line
	Interactions []pags.Interaction // those that are open
	Calls        int
}

// SearchRequest asks for tools.
type SearchRequest struct {
	Query     string
	Namespace string
	Limit     int
}

// SearchResult is what was found.
type SearchResult struct {
	Items []Tool `json:"items"`
	Total int    `json:"total"`
}

// Tool is a tool that was found.
type Tool struct {
	Path        string `json:"path"`
	Description string `json:"description"`
	ReadOnly    bool   `json:"readOnly"`
	Asks        bool   `json:"asks"` // a call waits until a person consents
}

// Deps is what the area needs. Limiter and Log may be nil.
type Deps struct {
	Verifier     httpapi.Verifier
	Executions   Executions
	Interactions Interactions
	Tools        Tools
	Catalog      Catalog
	Policies     Policies
	Clock        port.Clock
	Log          *slog.Logger
	Limiter      httpapi.Limiter
	Version      string
	PublicURL    string // where people and clients reach this host; "" if it is not known
}

// service is the area behind the handler.
type service struct {
	Deps
	protocol http.Handler
}

// New makes the handler for Path and MetadataPath.
func New(d Deps) http.Handler {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	d.PublicURL = strings.TrimRight(d.PublicURL, "/")
	s := &service{Deps: d}
	s.protocol = s.serve()
	mux := http.NewServeMux()
	mux.HandleFunc(Path, s.front)
	mux.HandleFunc(MetadataPath, s.metadata)
	return mux
}
