package openai

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

type request struct {
	Model               string         `json:"model"`
	Messages            []message      `json:"messages"`
	Tools               []tool         `json:"tools,omitempty"`
	ToolChoice          string         `json:"tool_choice,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Stream              bool           `json:"stream"`
	StreamOptions       map[string]any `json:"stream_options,omitempty"`
}

type message struct {
	Role       string `json:"role"`
	Content    any    `json:"content,omitempty"` // a string, or []part for a user
	ToolCalls  []call `json:"tool_calls,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

type part struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string   `json:"type"`
	Function declared `json:"function"`
}

type declared struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// encode writes a prompt. OpenAI's newer models refuse max_tokens, most compatible servers know nothing else.
func encode(model string, own bool, p port.Prompt) (request, error) {
	r := request{Model: model, Stream: true, StreamOptions: map[string]any{"include_usage": true}}
	limit := p.MaxTokens
	if limit <= 0 {
		limit = 4096
	}
	if own {
		r.MaxCompletionTokens = limit
	} else {
		r.MaxTokens = limit
	}
	for _, t := range p.Tools {
		r.Tools = append(r.Tools, tool{"function", declared{t.Name, t.Description, t.Schema}})
	}
	if p.ForceTool {
		if len(p.Tools) == 0 {
			return r, pags.Errorf(pags.Invalid, "a prompt that forces a tool call offers no tool")
		}
		r.ToolChoice = "required"
	}
	if p.System != "" {
		r.Messages = append(r.Messages, message{Role: "system", Content: p.System})
	}
	before := len(r.Messages)
	for _, m := range p.Messages {
		r.Messages = append(r.Messages, encodeMessage(m)...)
	}
	if len(r.Messages) == before {
		return r, pags.Errorf(pags.Invalid, "a prompt needs at least one message")
	}
	return r, nil
}

// encodeMessage gives one message for each tool result, which must follow their calls directly, then one for the rest.
func encodeMessage(m port.Message) []message {
	var out []message
	var parts []part
	var texts []string
	var calls []call
	for _, p := range m.Parts {
		switch {
		case p.Result != nil:
			text := p.Result.Text
			if p.Result.IsError {
				text = "error: " + text // this wire has no flag for it
			}
			out = append(out, message{Role: "tool", ToolCallID: p.Result.CallID, Content: text})
		case p.Call != nil:
			input := string(p.Call.Input)
			if input == "" {
				input = "{}"
			}
			calls = append(calls, call{p.Call.ID, "function", function{p.Call.Name, input}})
		case p.Image != nil:
			data := "data:" + p.Image.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Image.Data)
			parts = append(parts, part{Type: "image_url", ImageURL: &imageURL{data}})
		case p.Text != "":
			parts = append(parts, part{Type: "text", Text: p.Text})
			texts = append(texts, p.Text)
		}
	}
	switch {
	case m.Role == "assistant" && (len(texts) > 0 || len(calls) > 0):
		rest := message{Role: "assistant", ToolCalls: calls}
		if len(texts) > 0 {
			rest.Content = strings.Join(texts, "\n")
		}
		out = append(out, rest)
	case m.Role != "assistant" && len(parts) == 1 && len(texts) == 1: // the plain form, which every server reads
		out = append(out, message{Role: m.Role, Content: texts[0]})
	case m.Role != "assistant" && len(parts) > 0:
		out = append(out, message{Role: m.Role, Content: parts})
	}
	return out
}
