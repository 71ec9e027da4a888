package openai

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/proagentstore/pags/pkg/model/exchange"
	"github.com/proagentstore/pags/pkg/port"
)

// maxCalls bounds the tool calls of one reply.
const maxCalls = 64

// accumulator puts a streamed completion together.
type accumulator struct {
	secret   string
	reply    port.Reply
	text     strings.Builder
	calls    []*piece
	finished bool // a finish reason came
}

type piece struct {
	index    int
	id, name string
	input    strings.Builder
}

type chunk struct {
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type choice struct {
	Index        int    `json:"index"`
	Delta        said   `json:"delta"`
	Message      *said  `json:"message"` // where nothing is streamed
	FinishReason string `json:"finish_reason"`
}

type said struct {
	Content   string `json:"content"`
	Refusal   string `json:"refusal"`
	ToolCalls []struct {
		Index    int    `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"` // a string; some compatible servers send the object itself
		} `json:"function"`
	} `json:"tool_calls"`
}

func (a *accumulator) on(e exchange.Event) (exchange.Note, error) {
	if string(e.Data) == "[DONE]" {
		if !a.finished {
			return 0, exchange.Unreadable("the stream ended early")
		}
		return exchange.Done, nil
	}
	var c chunk
	if err := json.Unmarshal(e.Data, &c); err != nil {
		return 0, exchange.Unreadable("it is not JSON of a completion")
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		status, text := refusal(c.Error)
		return 0, exchange.Refused(status, text, 0, a.secret)
	}
	if c.Model != "" {
		a.reply.Model = c.Model
	}
	if c.Usage != nil {
		a.reply.InputTokens, a.reply.OutputTokens = c.Usage.Prompt, c.Usage.Completion
	}
	note := exchange.Idle
	for i, ch := range c.Choices {
		if ch.Index != 0 {
			continue // one answer was asked for
		}
		s := ch.Delta
		if ch.Message != nil {
			s = *ch.Message
			for n := range s.ToolCalls { // a whole message does not number its calls
				s.ToolCalls[n].Index = n
			}
		}
		if err := a.add(s); err != nil {
			return 0, err
		}
		if c.Choices[i].FinishReason != "" {
			a.reply.Stop, a.finished = stop(ch.FinishReason), true
		}
		if s.Content != "" || s.Refusal != "" || len(s.ToolCalls) > 0 || ch.FinishReason != "" {
			note = exchange.Progress
		}
	}
	if e.Whole && !a.finished {
		return 0, exchange.Unreadable("it is not a finished completion")
	}
	return note, nil
}

func (a *accumulator) add(s said) error {
	a.text.WriteString(s.Content)
	a.text.WriteString(s.Refusal)
	if s.Refusal != "" {
		a.reply.Stop = "refusal"
	}
	for _, t := range s.ToolCalls {
		p := a.find(t.Index)
		if p == nil || (t.ID != "" && p.id != "" && t.ID != p.id) { // a new id is a new call, whatever the index says
			if len(a.calls) >= maxCalls {
				return exchange.Unreadable("more than %d tool calls", maxCalls)
			}
			p = &piece{index: t.Index}
			a.calls = append(a.calls, p)
		}
		if t.ID != "" {
			p.id = t.ID
		}
		if p.name == "" {
			p.name = t.Function.Name
		}
		var text string
		if json.Unmarshal(t.Function.Arguments, &text) == nil {
			p.input.WriteString(text)
		} else {
			p.input.Write(t.Function.Arguments)
		}
	}
	return nil
}

// find returns the newest call at an index.
func (a *accumulator) find(index int) *piece {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if a.calls[i].index == index {
			return a.calls[i]
		}
	}
	return nil
}

// finish checks every tool input and gives the reply. A call without an id, as some servers leave it, gets its number.
func (a *accumulator) finish() (port.Reply, error) {
	a.reply.Text = a.text.String()
	for n, p := range a.calls {
		if p.id == "" {
			p.id = "call_" + strconv.Itoa(n+1)
		}
		call, err := exchange.Call(p.id, p.name, p.input.String(), a.reply.Stop)
		if err != nil {
			return port.Reply{}, err
		}
		a.reply.Calls = append(a.reply.Calls, call)
	}
	if len(a.reply.Calls) > 0 && a.reply.Stop == "end" {
		a.reply.Stop = "tool"
	}
	return a.reply, nil
}

func stop(reason string) string {
	switch reason {
	case "tool_calls", "function_call":
		return "tool"
	case "length":
		return "length"
	case "content_filter":
		return "refusal"
	}
	return "end"
}

// refusal reads an error inside a stream: an object with a type or a code (a word, or the HTTP status), or a text.
func refusal(raw json.RawMessage) (status int, text string) {
	var e struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Code    json.RawMessage `json:"code"`
	}
	if json.Unmarshal(raw, &e) != nil {
		_ = json.Unmarshal(raw, &text)
		return 500, text
	}
	var number int
	if json.Unmarshal(e.Code, &number) == nil && number >= 400 && number < 600 {
		return number, e.Message
	}
	var word string
	_ = json.Unmarshal(e.Code, &word)
	for _, w := range []string{word, e.Type} {
		switch w {
		case "rate_limit_exceeded", "insufficient_quota", "rate_limit_error", "tokens", "requests":
			return 429, e.Message
		case "invalid_api_key", "authentication_error":
			return 401, e.Message
		case "permission_error":
			return 403, e.Message
		case "invalid_request_error", "context_length_exceeded":
			return 400, e.Message
		}
	}
	return 500, e.Message
}
