package serve

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/mcp"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/tool"
)

// agentsEndpoint is where agents come in, at mcp.Path and mcp.MetadataPath. It lives on this host only: on AWS nothing links it.
func (h *host) agentsEndpoint() http.Handler {
	w := h.house
	return mcp.New(mcp.Deps{Verifier: w.Accounts, Executions: agents{w.Executions}, Interactions: w.Interactions, Tools: finder{w.Tools}, Catalog: w.Sources, Policies: w.Policies,
		Clock: wall, Log: h.log, Limiter: httpapi.NewLimits(h.table, wall), Version: w.Config.Version, PublicURL: w.Config.PublicURL})
}

// mcpWait is how many seconds an agent's request waits for something visible.
const mcpWait = 20

// agents are executions as agents start and answer them.
type agents struct{ of *execution.Service }

func (a agents) Start(ctx context.Context, c httpapi.Caller, in mcp.StartRequest) (mcp.Execution, error) {
	x, err := a.of.Start(ctx, c, execution.Request{Code: in.Code, Title: in.Title, Key: in.Key, Via: "mcp", Wait: mcpWait})
	return forAgent(x, err)
}

func (a agents) Get(ctx context.Context, c httpapi.Caller, id pags.RunID) (mcp.Execution, error) {
	x, err := a.of.Get(ctx, c.UserID, id)
	return forAgent(x, err)
}

func (a agents) Resume(ctx context.Context, c httpapi.Caller, in mcp.ResumeRequest) (mcp.Execution, error) {
	x, err := a.of.Resume(ctx, c, in.ID, execution.Answer{Action: in.Action, Content: in.Content, Interaction: in.Interaction, Note: in.Note, Wait: mcpWait})
	return forAgent(x, err)
}

func forAgent(x execution.Execution, err error) (mcp.Execution, error) {
	if err != nil {
		return mcp.Execution{}, err
	}
	out := mcp.Execution{ID: x.ID, Status: x.Status, Title: x.Title, Detail: x.Detail, URL: x.URL, Error: x.Error, Logs: x.Logs, Interactions: x.Interactions, Calls: x.Calls}
	switch v := x.Result.(type) {
	case nil:
	case json.RawMessage:
		out.Result = v
	default:
		out.Result, err = json.Marshal(v)
	}
	return out, err
}

// finder finds tools for agents.
type finder struct{ tools *tool.Service }

func (f finder) Search(ctx context.Context, c httpapi.Caller, in mcp.SearchRequest) (mcp.SearchResult, error) {
	found, err := f.tools.List(ctx, c.UserID, tool.Ask{Query: in.Query, Namespace: in.Namespace, Limit: in.Limit})
	out := mcp.SearchResult{Items: []mcp.Tool{}, Total: found.Total}
	for _, t := range found.Items {
		out.Items = append(out.Items, mcp.Tool{Path: t.Path, Description: t.Description, ReadOnly: t.ReadOnly, Asks: t.Asks})
	}
	return out, err
}
