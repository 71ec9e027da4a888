package mcp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

const resumePurpose = "Go on with a program that execute started. Send the resumePayload of its result, from any session of the same user. " +
	"action accept, with content, fills in a form; accept of an approval works only if the user allowed this client to approve, else a person approves at the given url " +
	"and you use action wait to see what became of it. decline says no, cancel ends the program, wait only looks. " +
	"Sending the same answer twice does nothing twice."

const resumeSchema = `{
  "type": "object",
  "properties": {
    "executionId": {"type": "string", "minLength": 1, "maxLength": 60, "description": "executionId of the result"},
    "action": {"type": "string", "enum": ["accept", "decline", "retry", "cancel", "wait"], "description": "retry: only where it is not known whether a call happened, do it again"},
    "interactionId": {"type": "string", "maxLength": 60, "description": "which question is answered; needed for accept, decline and retry"},
    "content": {"type": "object", "description": "with accept of a form: values that fit its schema"}
  },
  "required": ["executionId", "action"],
  "additionalProperties": false
}`

// Waiting for a person is looked at in steps, for as long as an execution itself would wait.
const (
	lookEvery = time.Second
	lookFor   = 20 * time.Second
)

type resumeInput struct {
	ExecutionID   pags.RunID
	Action        string
	InteractionID pags.InteractionID
	Content       map[string]any
}

func (s *service) resume(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in resumeInput
	if err := arguments(r, &in); err != nil {
		return mcp.NewToolResultError("the arguments are not what resume takes"), nil
	}
	caller := httpapi.CallerFrom(ctx)
	switch in.Action {
	case "wait":
		return s.wait(ctx, caller, in.ExecutionID), nil
	case "cancel":
		return s.answer(ctx, caller, in), nil
	}
	if in.InteractionID == "" {
		return s.unnamed(ctx, caller, in), nil
	}
	x, err := s.Interactions.Get(ctx, caller.UserID, in.InteractionID)
	if err == nil && x.RunID != in.ExecutionID {
		err = pags.Errorf(pags.NotFound, "execution %s has no question %s", in.ExecutionID, in.InteractionID)
	}
	if err != nil {
		return s.failed(ctx, "read a question", err), nil
	}
	if x.Status != pags.InteractionOpen {
		return s.settled(ctx, caller, x), nil
	}
	if in.Action != "decline" && !(form(x) && !x.Personal) && !mayApprove(caller) {
		return s.personal(ctx, caller, x), nil
	}
	return s.answer(ctx, caller, in), nil
}

// answer passes an answer on. That somebody was faster is shown as it is.
func (s *service) answer(ctx context.Context, caller httpapi.Caller, in resumeInput) *mcp.CallToolResult {
	x, err := s.Executions.Resume(ctx, caller, ResumeRequest{ID: in.ExecutionID, Interaction: in.InteractionID, Action: in.Action, Content: in.Content})
	if pags.Is(err, pags.Conflict) || pags.Is(err, pags.Gone) {
		if asked, again := s.Interactions.Get(ctx, caller.UserID, in.InteractionID); again == nil && asked.Status != pags.InteractionOpen {
			return s.settled(ctx, caller, asked)
		}
	}
	if err != nil {
		return s.failed(ctx, "resume a program", err)
	}
	return s.present(caller, x, "", "")
}

// settled tells about a question that is not open any more, and how the program stands: a repeat of an answer sees its outcome.
func (s *service) settled(ctx context.Context, caller httpapi.Caller, asked pags.Interaction) *mcp.CallToolResult {
	x, err := s.Executions.Get(ctx, caller, asked.RunID)
	if err != nil {
		return s.failed(ctx, "read a program", err)
	}
	switch asked.Status {
	case pags.InteractionExpired:
		out := s.present(caller, x, "", fmt.Sprintf("The question %s expired at %s without an answer, and what it asked for was not done.", asked.ID, asked.ExpiresAt.UTC().Format(time.RFC3339)))
		out.IsError = true
		return out
	case pags.InteractionCancelled:
		return s.present(caller, x, "", fmt.Sprintf("The question %s was withdrawn, and what it asked for was not done.", asked.ID))
	}
	kind := ""
	if asked.Answer != nil {
		kind = " (" + asked.Answer.Kind + ")"
	}
	return s.present(caller, x, "", fmt.Sprintf("The question %s was answered before%s; that answer stands.", asked.ID, kind))
}

// unnamed refuses an answer that does not say to what. Sent again after the program went on it would answer another question.
func (s *service) unnamed(ctx context.Context, caller httpapi.Caller, in resumeInput) *mcp.CallToolResult {
	x, err := s.Executions.Get(ctx, caller, in.ExecutionID)
	if err != nil {
		return s.failed(ctx, "read a program", err)
	}
	if len(x.Interactions) == 0 {
		return s.present(caller, x, "", "Nothing of it waits for an answer.")
	}
	out := s.present(caller, x, "", "Nothing was answered: interactionId must name the question, as resumePayload does.")
	out.IsError = true
	return out
}

// personal says that a person has to approve, and where.
func (s *service) personal(ctx context.Context, caller httpapi.Caller, asked pags.Interaction) *mcp.CallToolResult {
	x, err := s.Executions.Get(ctx, caller, asked.RunID)
	if err != nil {
		return s.failed(ctx, "read a program", err)
	}
	where := "in the console"
	if x.URL != "" {
		where = "at " + x.URL
	}
	out := s.present(caller, x, "", "Not approved: a person has to approve this, "+where+". Tell the user, then use resume with action wait. "+
		"This client's token does not name the scope "+httpapi.ScopeAnswer+".")
	out.IsError = true
	return out
}

// wait looks until the program ended, or 20 s are over. A question that is open stays with the person.
func (s *service) wait(ctx context.Context, caller httpapi.Caller, id pags.RunID) *mcp.CallToolResult {
	end := s.Clock.Now().Add(lookFor)
	for {
		x, err := s.Executions.Get(ctx, caller, id)
		if err != nil {
			return s.failed(ctx, "read a program", err)
		}
		over := slices.Contains([]string{"completed", "failed", "cancelled"}, x.Status)
		if over || !s.Clock.Now().Before(end) || ctx.Err() != nil {
			return s.present(caller, x, "", "")
		}
		select {
		case <-ctx.Done():
		case <-s.Clock.After(lookEvery):
		}
	}
}

// form reports whether a question asks for values, not for consent.
func form(x pags.Interaction) bool {
	return x.Reason == pags.WaitValue && slices.Contains(x.Allowed, pags.AnswerForm)
}

// mayApprove: a person's own session, or a program whose owner said so.
func mayApprove(c httpapi.Caller) bool {
	if c.Program() {
		return c.Has(httpapi.ScopeAnswer)
	}
	return c.Person
}
