package exchange

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/proagentstore/pags/pkg/port"
)

// Call makes a tool call of what a provider streamed. The input must be a JSON object; none at all is an empty one.
func Call(id, name, input, stop string) (port.ToolCall, error) {
	if name == "" {
		return port.ToolCall{}, Unreadable("a tool call has no name")
	}
	input = strings.TrimSpace(input)
	if input == "" {
		input = "{}"
	}
	var compact bytes.Buffer
	if input[0] != '{' || json.Compact(&compact, []byte(input)) != nil {
		if stop == "length" {
			return port.ToolCall{}, Unreadable("the call of %q was cut at the token limit", name)
		}
		return port.ToolCall{}, Unreadable("the input of %q is not a JSON object", name)
	}
	return port.ToolCall{ID: id, Name: name, Input: compact.Bytes()}, nil
}
