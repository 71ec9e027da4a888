package browse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/proagentstore/pags/pkg/port"
)

// The brain's tools, in the order the model sees them. Models get one call a reply.
const (
	toolClick    = "click"
	toolType     = "type"
	toolSelect   = "select"
	toolCheck    = "check"
	toolUpload   = "upload" // only where the run has files
	toolNavigate = "navigate"
	toolScroll   = "scroll"
	toolPressKey = "press_key"
	toolWait     = "wait"
	toolLook     = "look"
	toolTab      = "switch_tab"
	toolAsk      = "request_user_info"
	toolFinish   = "finish"
)

const target = `"ref":{"type":"string","description":"The element's ref from the latest snapshot, such as e12 or f1e2."},"element":{"type":"string","description":"What the element is, in your words."}`

var tools = []port.ToolSpec{
	tool(toolClick, "Click an element.", target, `"ref","element"`),
	tool(toolType, "Replace a field's content. Use a secret's handle {{secret:...}} as the whole text to type that secret.",
		target+`,"text":{"type":"string"},"enter":{"type":"boolean","description":"Press Enter afterwards."}`, `"ref","element","text"`),
	tool(toolSelect, "Choose an option of a drop-down by its label or value.", target+`,"option":{"type":"string"}`, `"ref","element","option"`),
	tool(toolCheck, "Set a checkbox or radio button; nothing happens if it is so already.", target+`,"checked":{"type":"boolean"}`, `"ref","element","checked"`),
	tool(toolUpload, "Put one of the run's files into a file field.", target+`,"file":{"type":"string","description":"Name of the file."}`, `"ref","element","file"`),
	tool(toolNavigate, "Open an http(s) address in the current tab.", `"url":{"type":"string"}`, `"url"`),
	tool(toolScroll, "Scroll by 600 pixels.", `"direction":{"type":"string","enum":["up","down"]}`, `"direction"`),
	tool(toolPressKey, "Press a key, such as Enter, Tab, Escape, ArrowDown, Control+a.", `"key":{"type":"string"}`, `"key"`),
	tool(toolWait, "Wait up to 5 seconds for the page.", `"seconds":{"type":"number","minimum":0.1,"maximum":5}`, `"seconds"`),
	tool(toolLook, "Take a fresh snapshot without doing anything.", ``, ``),
	tool(toolTab, "Make another tab the current one.", `"tab":{"type":"integer","minimum":0}`, `"tab"`),
	tool(toolAsk, "Ask the owner for something that you need and do not have: a value, or a secret such as a password or a code. Never invent personal data.",
		`"question":{"type":"string"},"secret":{"type":"boolean","description":"True for passwords, codes and the like: you get a handle, not the text."},"field":{"type":"string","description":"The field it is for."}`, `"question","secret"`),
	tool(toolFinish, "End the task: done when the objective is reached and the page shows it, blocked when it cannot be.",
		`"outcome":{"type":"string","enum":["done","blocked"]},"summary":{"type":"string","description":"What was reached or why not, in one or two sentences."}`, `"outcome","summary"`),
}

func tool(name, description, properties, required string) port.ToolSpec {
	return port.ToolSpec{Name: name, Description: description,
		Schema: json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":[` + required + `],"additionalProperties":false}`)}
}

// Tools are what the model may call in this task.
func Tools(s Start) []port.ToolSpec {
	offered := make([]port.ToolSpec, 0, len(tools))
	for _, t := range tools {
		if t.Name == toolUpload && len(s.Files) == 0 {
			continue
		}
		offered = append(offered, t)
	}
	return offered
}

// arguments of all tools; each reads its own.
type arguments struct {
	Ref       string  `json:"ref"`
	Element   string  `json:"element"`
	Text      *string `json:"text"`
	Enter     bool    `json:"enter"`
	Option    *string `json:"option"`
	Checked   *bool   `json:"checked"`
	File      string  `json:"file"`
	URL       string  `json:"url"`
	Direction string  `json:"direction"`
	Key       string  `json:"key"`
	Seconds   float64 `json:"seconds"`
	Tab       *int    `json:"tab"`
	Question  string  `json:"question"`
	Secret    bool    `json:"secret"`
	Field     string  `json:"field"`
	Outcome   string  `json:"outcome"`
	Summary   string  `json:"summary"`
}

func readArguments(raw json.RawMessage) (a arguments, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return a, fmt.Errorf("its arguments cannot be read: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return a, errors.New("its arguments are more than one JSON object")
	}
	return a, nil
}
