package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/proagentstore/pags/pkg/port"
)

// anthropic is the Messages API, version 2023-06-01.
type anthropic struct{}

type object = map[string]any

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
	Source    struct {
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	} `json:"source"`
}

// read is as strict as the service where a mistake of ours would show: every result right after its call, no empty text.
func (anthropic) read(body []byte) (Turn, error) {
	var r struct {
		Model     string          `json:"model"`
		MaxTokens int             `json:"max_tokens"`
		Stream    bool            `json:"stream"`
		System    json.RawMessage `json:"system"`
		Messages  []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
		ToolChoice struct {
			Type string `json:"type"`
		} `json:"tool_choice"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return Turn{}, fmt.Errorf("body is not a request: %w", err)
	}
	if r.Model == "" || r.MaxTokens < 1 || len(r.Messages) == 0 {
		return Turn{}, errors.New("model, max_tokens and messages are required")
	}
	t := Turn{Provider: "anthropic", Model: r.Model, MaxTokens: r.MaxTokens, Stream: r.Stream,
		ForceTool: r.ToolChoice.Type == "any" || r.ToolChoice.Type == "tool"}
	system, err := anthropicBlocks(r.System)
	if err != nil {
		return Turn{}, err
	}
	for _, b := range system {
		t.System += b.Text
	}
	for _, d := range r.Tools {
		t.Tools = append(t.Tools, port.ToolSpec{Name: d.Name, Description: d.Description, Schema: d.InputSchema})
	}
	open := map[string]bool{}
	for i, m := range r.Messages {
		blocks, err := anthropicBlocks(m.Content)
		if err != nil {
			return Turn{}, err
		}
		msg := port.Message{Role: m.Role}
		for _, b := range blocks {
			part, err := b.part(open)
			if err != nil {
				return Turn{}, fmt.Errorf("messages.%d: %w", i, err)
			}
			msg.Parts = append(msg.Parts, part)
		}
		if m.Role == "user" && len(open) > 0 {
			return Turn{}, fmt.Errorf("messages.%d: tool_use ids were found without tool_result blocks immediately after", i)
		}
		t.Messages = append(t.Messages, msg)
	}
	return t, nil
}

func anthropicBlocks(raw json.RawMessage) ([]anthropicBlock, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []anthropicBlock{{Type: "text", Text: text}}, nil
	}
	var blocks []anthropicBlock
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return nil, fmt.Errorf("content is neither text nor blocks: %w", err)
	}
	return blocks, nil
}

// part reads one block; open holds the calls that wait for a result.
func (b anthropicBlock) part(open map[string]bool) (port.Part, error) {
	switch b.Type {
	case "text":
		if b.Text == "" {
			return port.Part{}, errors.New("text content blocks must be non-empty")
		}
		return port.Part{Text: b.Text}, nil
	case "image":
		return port.Part{Image: &port.Image{MediaType: b.Source.MediaType, Data: b.Source.Data}}, nil
	case "tool_use":
		open[b.ID] = true
		return port.Part{Call: &port.ToolCall{ID: b.ID, Name: b.Name, Input: b.Input}}, nil
	case "tool_result":
		if !open[b.ToolUseID] {
			return port.Part{}, fmt.Errorf("unexpected tool_use_id %q", b.ToolUseID)
		}
		delete(open, b.ToolUseID)
		inner, err := anthropicBlocks(b.Content)
		if err != nil {
			return port.Part{}, err
		}
		text := ""
		for _, i := range inner {
			text += i.Text
		}
		return port.Part{Result: &port.ToolResult{CallID: b.ToolUseID, Text: text, IsError: b.IsError}}, nil
	}
	return port.Part{}, fmt.Errorf("content block %q", b.Type)
}

func (anthropic) stop(s string) string {
	return map[string]string{"end": "end_turn", "tool": "tool_use", "length": "max_tokens", "refusal": "refusal"}[s]
}

func (w anthropic) whole(t Turn, a Answer) any {
	content := []any{}
	if a.Text != "" {
		content = append(content, object{"type": "text", "text": a.Text})
	}
	for _, c := range a.Calls {
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Input})
	}
	return object{"id": fmt.Sprintf("msg_%d", t.N), "type": "message", "role": "assistant", "model": t.Model, "content": content,
		"stop_reason": w.stop(a.Stop), "usage": object{"input_tokens": a.InputTokens, "output_tokens": a.OutputTokens}}
}

func (w anthropic) events(t Turn, a Answer) []event {
	out := []event{}
	add := func(name string, data object) {
		data["type"] = name
		out = append(out, event{name, data})
	}
	add("message_start", object{"message": object{"id": fmt.Sprintf("msg_%d", t.N), "type": "message", "role": "assistant",
		"model": t.Model, "content": []any{}, "usage": object{"input_tokens": a.InputTokens, "output_tokens": 1}}})
	index := 0
	block := func(start, delta object, key, text string) {
		add("content_block_start", object{"index": index, "content_block": start})
		for _, piece := range pieces(text) {
			d := object{"type": delta["type"], key: piece}
			add("content_block_delta", object{"index": index, "delta": d})
		}
		add("content_block_stop", object{"index": index})
		index++
	}
	add("ping", object{})
	if a.Text != "" {
		block(object{"type": "text", "text": ""}, object{"type": "text_delta"}, "text", a.Text)
	}
	for _, c := range a.Calls {
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}},
			object{"type": "input_json_delta"}, "partial_json", string(c.Input))
	}
	add("message_delta", object{"delta": object{"stop_reason": w.stop(a.Stop)}, "usage": object{"output_tokens": a.OutputTokens}})
	add("message_stop", object{})
	return out
}

func (w anthropic) problem(status int, text string) any {
	return object{"type": "error", "error": object{"type": w.kind(status), "message": text}}
}

func (w anthropic) midStream(status int, text string) event {
	return event{"error", w.problem(status, text)}
}

func (anthropic) kind(status int) string {
	kinds := map[int]string{400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
		413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error"}
	if k := kinds[status]; k != "" {
		return k
	}
	return "api_error"
}

// pieces cuts a text in up to four, anywhere: readers must put pieces together before they look inside.
func pieces(text string) []string {
	if text == "" {
		return nil
	}
	runes := []rune(text)
	size := (len(runes) + 3) / 4
	var out []string
	for len(runes) > 0 {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}

func encode(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // a script's raw input that is not JSON, outside a stream
		return `{"unencodable":true}`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
