package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/proagentstore/pags/pkg/httpapi"
)

const searchPurpose = "Find connected tools by what they do. Gives their paths, to be called in execute as await tools.<path>(args). " +
	"With a namespace and an empty query it lists that namespace. For a tool's types run await tools.describe.tool({path}) in execute."

const searchSchema = `{
  "type": "object",
  "properties": {
    "query": {"type": "string", "maxLength": 1000, "description": "what the tool should do, such as: create an issue"},
    "namespace": {"type": "string", "maxLength": 200, "description": "only paths that begin so, such as github or github.main"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 12}
  },
  "required": ["query"],
  "additionalProperties": false
}`

// searchLimit is what a search gives unless it asks for more (spec tool-runtime 1a).
const searchLimit = 12

func (s *service) search(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in SearchRequest
	if err := arguments(r, &in); err != nil {
		return mcp.NewToolResultError("the arguments are not what search takes"), nil
	}
	if in.Limit == 0 {
		in.Limit = searchLimit
	}
	found, err := s.Tools.Search(ctx, httpapi.CallerFrom(ctx), in)
	if err != nil {
		return s.failed(ctx, "find tools", err), nil
	}
	if found.Items == nil {
		found.Items = []Tool{}
	}
	var b strings.Builder
	for _, t := range found.Items {
		fmt.Fprintf(&b, "tools.%s: %s", t.Path, oneLine(t.Description, 200))
		if t.Asks {
			b.WriteString(" [a person is asked first]")
		}
		b.WriteString("\n")
	}
	switch more := found.Total - len(found.Items); {
	case len(found.Items) == 0:
		b.WriteString("No tool fits. Try other words, or a namespace with an empty query.")
	case more > 0:
		fmt.Fprintf(&b, "%d more fit; ask with a higher limit or more exact words.", more)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(strings.TrimRight(b.String(), "\n"))}, StructuredContent: found}, nil
}

// oneLine makes a text one line of at most n characters.
func oneLine(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return string(r)
}
