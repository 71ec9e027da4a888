package anthropic

import (
	"encoding/json"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

type request struct {
	Model      string         `json:"model"`
	MaxTokens  int            `json:"max_tokens"`
	System     []block        `json:"system,omitempty"`
	Messages   []message      `json:"messages"`
	Tools      []tool         `json:"tools,omitempty"`
	ToolChoice map[string]any `json:"tool_choice,omitempty"`
	Stream     bool           `json:"stream"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is any content block; Type says which fields count.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	Source    *source         `json:"source,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Cache     map[string]any  `json:"cache_control,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"` // encoding/json writes base64
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// encode writes a prompt. Tools and system text are the same in every step of a task and come first, so one cache mark
// after them lets the provider reuse both.
func encode(model string, p port.Prompt) (request, error) {
	r := request{Model: model, MaxTokens: p.MaxTokens, Stream: true, Messages: []message{}}
	if r.MaxTokens <= 0 {
		r.MaxTokens = 4096
	}
	if p.System != "" {
		r.System = []block{{Type: "text", Text: p.System, Cache: map[string]any{"type": "ephemeral"}}}
	}
	for _, t := range p.Tools {
		r.Tools = append(r.Tools, tool{t.Name, t.Description, t.Schema})
	}
	if p.ForceTool {
		if len(p.Tools) == 0 {
			return r, pags.Errorf(pags.Invalid, "a prompt that forces a tool call offers no tool")
		}
		r.ToolChoice = map[string]any{"type": "any", "disable_parallel_tool_use": true}
	}
	for _, m := range p.Messages {
		if blocks := encodeParts(m.Parts); len(blocks) > 0 {
			r.Messages = append(r.Messages, message{m.Role, blocks})
		}
	}
	if len(r.Messages) == 0 {
		return r, pags.Errorf(pags.Invalid, "a prompt needs at least one message")
	}
	return r, nil
}

// encodeParts keeps the order, but tool results come first: the API wants them right after the call. Empty texts, which
// it refuses, are left out.
func encodeParts(parts []port.Part) []block {
	var first, rest []block
	for _, p := range parts {
		switch {
		case p.Result != nil:
			first = append(first, block{Type: "tool_result", ToolUseID: p.Result.CallID, Content: p.Result.Text, IsError: p.Result.IsError})
		case p.Call != nil:
			input := p.Call.Input
			if len(input) == 0 {
				input = json.RawMessage("{}")
			}
			rest = append(rest, block{Type: "tool_use", ID: p.Call.ID, Name: p.Call.Name, Input: input})
		case p.Image != nil:
			rest = append(rest, block{Type: "image", Source: &source{"base64", p.Image.MediaType, p.Image.Data}})
		case p.Text != "":
			rest = append(rest, block{Type: "text", Text: p.Text})
		}
	}
	return append(first, rest...)
}
