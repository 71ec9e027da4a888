package mcp

import (
	"context"
	"regexp"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/proagentstore/pags/pkg/httpapi"
)

// purpose is the start of execute's description, and the server's instructions. Clients may cut after 512 characters, so it
// says all that is needed to begin.
const purpose = "Run a TypeScript program that calls the user's connected tools and returns a value. " +
	`Find tools first: await tools.search({query}); see one's types: await tools.describe.tool({path}). ` +
	"Call it: await tools.<path>(args); every call gives {ok:true,data} or {ok:false,error:{code,message}}. " +
	"Finish with return. No network, files or imports. " +
	"Where a person must consent, the result has status waiting_for_interaction and a resumePayload for the tool resume."

const executeSchema = `{
  "type": "object",
  "properties": {
    "code": {"type": "string", "minLength": 1, "maxLength": 200000, "description": "TypeScript: statements that may use await and end with return, or one async function. console.log goes to the logs."},
    "title": {"type": "string", "maxLength": 200, "description": "What it is for, in a few words, for the person who may be asked to approve it."}
  },
  "required": ["code"],
  "additionalProperties": false
}`

// keyShape is what a client may send as Idempotency-Key, so that a request that is sent again starts nothing new.
var keyShape = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,120}$`)

func (s *service) execute(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ Code, Title string }
	if err := arguments(r, &in); err != nil {
		return mcp.NewToolResultError("the arguments are not what execute takes"), nil
	}
	key := r.Header.Get("Idempotency-Key")
	if !keyShape.MatchString(key) {
		key = ""
	}
	caller := httpapi.CallerFrom(ctx)
	x, err := s.Executions.Start(ctx, caller, StartRequest{Code: in.Code, Title: in.Title, Key: key})
	if err != nil {
		return s.failed(ctx, "start a program", err), nil
	}
	return s.present(caller, x, in.Code, ""), nil
}
