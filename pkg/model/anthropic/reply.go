package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/proagentstore/pags/pkg/model/exchange"
	"github.com/proagentstore/pags/pkg/port"
)

// maxBlocks bounds the content blocks of one reply; a model that opens more is not making sense.
const maxBlocks = 256

// accumulator puts a streamed reply together.
type accumulator struct {
	secret   string
	reply    port.Reply
	blocks   []*piece
	complete bool
}

type piece struct {
	index int
	kind  string
	id    string
	name  string
	text  strings.Builder // of a text block, or the input's JSON
	whole json.RawMessage // the input as given at the block's start
}

type usage struct {
	Input         int64 `json:"input_tokens"`
	Output        int64 `json:"output_tokens"`
	CacheRead     int64 `json:"cache_read_input_tokens"`
	CacheCreation int64 `json:"cache_creation_input_tokens"`
}

// streamed is the union of all event bodies, and of the whole message when nothing is streamed.
type streamed struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message *struct {
		Model string `json:"model"`
		Usage usage  `json:"usage"`
	} `json:"message"`
	ContentBlock *block `json:"content_block"`
	Delta        struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage *usage `json:"usage"`
	Error *struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`

	Model      string  `json:"model"`
	StopReason string  `json:"stop_reason"`
	Content    []block `json:"content"`
}

func (a *accumulator) on(e exchange.Event) (exchange.Note, error) {
	var s streamed
	if err := json.Unmarshal(e.Data, &s); err != nil {
		return 0, exchange.Unreadable("it is not JSON")
	}
	switch s.Type {
	case "message_start":
		if s.Message != nil {
			a.named(s.Message.Model)
			a.count(s.Message.Usage)
		}
	case "content_block_start":
		if s.ContentBlock == nil || len(a.blocks) >= maxBlocks {
			return 0, exchange.Unreadable("a content block is malformed or one too many")
		}
		a.open(s.Index, *s.ContentBlock)
		return exchange.Progress, nil
	case "content_block_delta":
		p := a.find(s.Index)
		if p == nil {
			return 0, exchange.Unreadable("a piece belongs to no content block")
		}
		p.text.WriteString(s.Delta.Text)
		p.text.WriteString(s.Delta.PartialJSON)
		return exchange.Progress, nil
	case "content_block_stop":
		return exchange.Progress, nil
	case "message_delta":
		if s.Delta.StopReason != "" {
			a.reply.Stop = stop(s.Delta.StopReason)
		}
		if s.Usage != nil {
			a.count(*s.Usage)
		}
		return exchange.Progress, nil
	case "message_stop":
		a.complete = true
		return exchange.Done, nil
	case "error":
		kind, text := "", ""
		if s.Error != nil {
			kind, text = s.Error.Type, s.Error.Message
		}
		return 0, exchange.Refused(status(kind), text, 0, a.secret)
	case "message":
		return a.all(s)
	default:
		if e.Whole {
			return 0, exchange.Unreadable("it is not a message")
		}
	}
	return exchange.Idle, nil // "ping", and kinds added later, which the API's versioning rules allow
}

// all takes a message that was not streamed.
func (a *accumulator) all(s streamed) (exchange.Note, error) {
	if len(s.Content) > maxBlocks {
		return 0, exchange.Unreadable("too many content blocks")
	}
	a.named(s.Model)
	for i, b := range s.Content {
		a.open(i, b)
	}
	if s.Usage != nil {
		a.count(*s.Usage)
	}
	a.reply.Stop, a.complete = stop(s.StopReason), true
	return exchange.Done, nil
}

func (a *accumulator) named(model string) {
	if model != "" {
		a.reply.Model = model
	}
}

// count keeps the newest figures: message_delta repeats them as running totals.
func (a *accumulator) count(u usage) {
	if in := u.Input + u.CacheRead + u.CacheCreation; in > 0 {
		a.reply.InputTokens = in
	}
	if u.Output > 0 {
		a.reply.OutputTokens = u.Output
	}
}

func (a *accumulator) open(index int, b block) {
	p := &piece{index: index, kind: b.Type, id: b.ID, name: b.Name, whole: b.Input}
	p.text.WriteString(b.Text)
	a.blocks = append(a.blocks, p)
}

func (a *accumulator) find(index int) *piece {
	for i := len(a.blocks) - 1; i >= 0; i-- {
		if a.blocks[i].index == index {
			return a.blocks[i]
		}
	}
	return nil
}

// finish checks every tool input and gives the reply.
func (a *accumulator) finish() (port.Reply, error) {
	var text strings.Builder
	for _, p := range a.blocks {
		switch p.kind {
		case "text":
			text.WriteString(p.text.String())
		case "tool_use":
			raw := p.text.String()
			if raw == "" {
				raw = string(p.whole)
			}
			call, err := exchange.Call(p.id, p.name, raw, a.reply.Stop)
			if err != nil {
				return port.Reply{}, err
			}
			a.reply.Calls = append(a.reply.Calls, call)
		}
	}
	a.reply.Text = text.String()
	return a.reply, nil
}

func stop(reason string) string {
	switch reason {
	case "tool_use":
		return "tool"
	case "max_tokens", "model_context_window_exceeded":
		return "length"
	case "refusal":
		return "refusal"
	}
	return "end"
}

// status gives an error inside a stream the HTTP status it would have had before it.
func status(kind string) int {
	switch kind {
	case "invalid_request_error":
		return 400
	case "authentication_error":
		return 401
	case "billing_error":
		return 402
	case "permission_error":
		return 403
	case "not_found_error":
		return 404
	case "request_too_large":
		return 413
	case "rate_limit_error":
		return 429
	case "timeout_error":
		return 504
	case "overloaded_error":
		return 529
	}
	return 500
}
