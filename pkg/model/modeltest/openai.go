package modeltest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/proagentstore/pags/pkg/port"
)

// openai is the chat completions API.
type openai struct{}

type openaiMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (openai) read(body []byte) (Turn, error) {
	var r struct {
		Model         string          `json:"model"`
		MaxTokens     int             `json:"max_tokens"`
		MaxCompletion int             `json:"max_completion_tokens"`
		Stream        bool            `json:"stream"`
		Messages      []openaiMessage `json:"messages"`
		ToolChoice    json.RawMessage `json:"tool_choice"`
		Tools         []struct {
			Function struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Parameters  json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return Turn{}, fmt.Errorf("body is not a request: %w", err)
	}
	if r.Model == "" || len(r.Messages) == 0 {
		return Turn{}, errors.New("model and messages are required")
	}
	choice := string(r.ToolChoice)
	t := Turn{Provider: "openai", Model: r.Model, MaxTokens: max(r.MaxTokens, r.MaxCompletion), Stream: r.Stream,
		ForceTool: choice == `"required"` || strings.HasPrefix(choice, "{")}
	for _, d := range r.Tools {
		t.Tools = append(t.Tools, port.ToolSpec{Name: d.Function.Name, Description: d.Function.Description, Schema: d.Function.Parameters})
	}
	open := map[string]bool{}
	for i, m := range r.Messages {
		if m.Role != "tool" && len(open) > 0 {
			return Turn{}, fmt.Errorf("messages[%d]: an assistant message with 'tool_calls' must be followed by tool messages", i)
		}
		if err := m.into(&t, open); err != nil {
			return Turn{}, fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	return t, nil
}

// into adds a message to the turn. Tool messages and what the user says after them become one user message, as
// port.Message has it.
func (m openaiMessage) into(t *Turn, open map[string]bool) error {
	parts, text, err := openaiParts(m.Content)
	if err != nil {
		return err
	}
	add := func(role string, more ...port.Part) {
		if n := len(t.Messages); role == "user" && n > 0 && t.Messages[n-1].Role == "user" {
			t.Messages[n-1].Parts = append(t.Messages[n-1].Parts, more...)
			return
		}
		t.Messages = append(t.Messages, port.Message{Role: role, Parts: more})
	}
	switch m.Role {
	case "system", "developer":
		t.System += text
	case "user":
		add("user", parts...)
	case "assistant":
		for _, c := range m.ToolCalls {
			open[c.ID] = true
			parts = append(parts, port.Part{Call: &port.ToolCall{ID: c.ID, Name: c.Function.Name, Input: json.RawMessage(c.Function.Arguments)}})
		}
		add("assistant", parts...)
	case "tool":
		if !open[m.ToolCallID] {
			return fmt.Errorf("tool_call_id %q answers no call", m.ToolCallID)
		}
		delete(open, m.ToolCallID)
		text, failed := strings.CutPrefix(text, "error: ")
		add("user", port.Part{Result: &port.ToolResult{CallID: m.ToolCallID, Text: text, IsError: failed}})
	default:
		return fmt.Errorf("role %q", m.Role)
	}
	return nil
}

func openaiParts(raw json.RawMessage) ([]port.Part, string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, "", nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if text == "" {
			return nil, "", nil
		}
		return []port.Part{{Text: text}}, text, nil
	}
	var list []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, "", fmt.Errorf("content is neither text nor parts: %w", err)
	}
	var parts []port.Part
	for _, p := range list {
		switch p.Type {
		case "text":
			parts = append(parts, port.Part{Text: p.Text})
			text += p.Text
		case "image_url":
			kind, data, ok := strings.Cut(strings.TrimPrefix(p.ImageURL.URL, "data:"), ";base64,")
			raw, err := base64.StdEncoding.DecodeString(data)
			if !ok || err != nil {
				return nil, "", errors.New("image_url is not a data URL")
			}
			parts = append(parts, port.Part{Image: &port.Image{MediaType: kind, Data: raw}})
		default:
			return nil, "", fmt.Errorf("content part %q", p.Type)
		}
	}
	return parts, text, nil
}

func (openai) stop(s string) string {
	return map[string]string{"end": "stop", "tool": "tool_calls", "length": "length", "refusal": "content_filter"}[s]
}

func (openai) usage(a Answer) object {
	return object{"prompt_tokens": a.InputTokens, "completion_tokens": a.OutputTokens, "total_tokens": a.InputTokens + a.OutputTokens}
}

func (w openai) whole(t Turn, a Answer) any {
	m := object{"role": "assistant", "content": nil}
	if a.Text != "" {
		m["content"] = a.Text
	}
	var calls []any
	for _, c := range a.Calls {
		calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": string(c.Input)}})
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	return object{"id": fmt.Sprintf("chatcmpl-%d", t.N), "object": "chat.completion", "model": t.Model, "usage": w.usage(a),
		"choices": []any{object{"index": 0, "message": m, "finish_reason": w.stop(a.Stop)}}}
}

func (w openai) events(t Turn, a Answer) []event {
	out := []event{}
	chunk := func(choices []any, more object) {
		c := object{"id": fmt.Sprintf("chatcmpl-%d", t.N), "object": "chat.completion.chunk", "model": t.Model, "choices": choices}
		for k, v := range more {
			c[k] = v
		}
		out = append(out, event{"", c})
	}
	delta := func(d object, finish any) { chunk([]any{object{"index": 0, "delta": d, "finish_reason": finish}}, nil) }
	delta(object{"role": "assistant", "content": ""}, nil)
	for _, p := range pieces(a.Text) {
		delta(object{"content": p}, nil)
	}
	for i, c := range a.Calls {
		delta(object{"tool_calls": []any{object{"index": i, "id": c.ID, "type": "function",
			"function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(string(c.Input)) {
			delta(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	delta(object{}, w.stop(a.Stop))
	chunk([]any{}, object{"usage": w.usage(a)})
	return append(out, event{"", "[DONE]"})
}

func (w openai) problem(status int, text string) any {
	return object{"error": object{"message": text, "type": w.kind(status), "param": nil, "code": nil}}
}

func (w openai) midStream(status int, text string) event { return event{"", w.problem(status, text)} }

func (openai) kind(status int) string {
	switch {
	case status == 401:
		return "authentication_error"
	case status == 403:
		return "permission_error"
	case status == 429:
		return "rate_limit_error"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}
