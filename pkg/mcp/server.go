package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/proagentstore/pags/pkg/httpapi"
)

// Names of the tools.
const (
	toolExecute = "execute"
	toolResume  = "resume"
	toolSearch  = "search"
)

// catalogAge is how long a client may keep the list of tools, in milliseconds: its texts change when sources do.
const catalogAge = 60_000

// serve makes the protocol's handler: stateless, so that current clients (2026-07-28) and older ones are served alike, by any
// process, and one answer a request.
func (s *service) serve() http.Handler {
	m := server.NewMCPServer("pags", s.Version,
		server.WithInstructions(purpose),
		server.WithToolCapabilities(false),
		server.WithRecovery(),
		server.WithInputSchemaValidation(),
		server.WithCacheHints(catalogAge, mcp.CacheScopePrivate),
		server.WithLogger(s.Log),
		server.WithToolFilter(s.describe),
	)
	for _, t := range s.tools() {
		m.AddTool(t.Tool, s.guarded(t.Handler))
	}
	return server.NewStreamableHTTPServer(m, server.WithStateLess(true), server.WithDisableStreaming(true),
		server.WithStreamableHTTPLogger(s.Log), server.WithDisableLocalhostProtection(true)) // the Host header is the front door's business
}

// tools lists every tool. Hints are all set: what is left out means the worst.
func (s *service) tools() []server.ServerTool {
	return []server.ServerTool{
		{Tool: tool(toolExecute, "Run a program", purpose, executeSchema, hints{destructive: true, open: true}), Handler: s.execute},
		{Tool: tool(toolResume, "Go on with a program", resumePurpose, resumeSchema, hints{destructive: true, idempotent: true, open: true}), Handler: s.resume},
		{Tool: tool(toolSearch, "Find tools", searchPurpose, searchSchema, hints{readOnly: true, idempotent: true}), Handler: s.search},
	}
}

type hints struct{ readOnly, destructive, idempotent, open bool }

func tool(name, title, description, schema string, h hints) mcp.Tool {
	t := mcp.NewToolWithRawSchema(name, description, json.RawMessage(schema))
	t.Title = title
	t.Annotations = mcp.ToolAnnotation{Title: title, ReadOnlyHint: &h.readOnly, DestructiveHint: &h.destructive, IdempotentHint: &h.idempotent, OpenWorldHint: &h.open}
	return t
}

// guarded keeps a defect of ours from showing its insides: the log has them, the agent a sentence.
func (s *service) guarded(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (out *mcp.CallToolResult, err error) {
		defer func() {
			if v := recover(); v != nil {
				s.Log.ErrorContext(ctx, "panic in an MCP tool", "tool", r.Params.Name, "panic", v)
				out, err = mcp.NewToolResultError("something went wrong on our side; if it happens again, tell whoever runs this host"), nil
			}
		}()
		return next(ctx, r)
	}
}

// describe gives execute the caller's own catalog when tools are listed. A call looks at one tool only, and needs no text.
func (s *service) describe(ctx context.Context, all []mcp.Tool) []mcp.Tool {
	if len(all) < 2 {
		return all
	}
	all = slices.Clone(all)
	for i := range all {
		if all[i].Name == toolExecute {
			all[i].Description += s.connected(ctx, httpapi.CallerFrom(ctx).UserID)
		}
	}
	return all
}

// arguments reads the arguments into a struct; the schema was checked before.
func arguments(r mcp.CallToolRequest, v any) error {
	raw, err := json.Marshal(r.Params.Arguments)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

// failed is an expected failure: the agent reads it and does better.
func (s *service) failed(ctx context.Context, doing string, err error) *mcp.CallToolResult {
	text := said(err)
	s.Log.InfoContext(ctx, "an MCP tool call failed", "doing", doing, "cause", err.Error())
	return mcp.NewToolResultError(text)
}
