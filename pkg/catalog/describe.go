package catalog

import (
	"encoding/json"
	"strings"
)

// Description is a tool for someone who is about to call it.
type Description struct {
	Path             string            `json:"path"`
	Name             string            `json:"name"`
	Description      string            `json:"description"`
	Deprecated       bool              `json:"deprecated,omitempty"`
	ReadOnly         bool              `json:"readOnly,omitempty"`
	Destructive      bool              `json:"destructive,omitempty"`
	InputTypeScript  string            `json:"inputTypeScript"`
	OutputTypeScript string            `json:"outputTypeScript"` // the union of success and failure that every call resolves to
	Definitions      map[string]string `json:"typeScriptDefinitions,omitempty"`
	InputSchema      json.RawMessage   `json:"inputSchema,omitempty"`
	OutputSchema     json.RawMessage   `json:"outputSchema,omitempty"`
}

// Describe writes the types of a tool: named definitions that it reaches and no others. schemas adds the JSON Schemas.
func (t *Tool) Describe(schemas bool) Description {
	out := Description{Path: t.Address(), Name: t.Name, Description: t.Description, Deprecated: t.Deprecated, ReadOnly: t.ReadOnly, Destructive: t.Destructive}
	w := &typeWriter{source: t.source, known: map[string]bool{}}
	out.InputTypeScript = w.text(t.Input)
	data := "unknown"
	if len(t.Output) > 0 {
		data = w.text(t.Output)
	}
	out.OutputTypeScript = "{ ok: true; data: " + data + "; http?: { status: number; headers?: Record<string, string>; truncated?: boolean } } | " +
		"{ ok: false; error: { code: string; message: string; status?: number; details?: unknown; retryable?: boolean } }"
	out.Definitions = w.definitions()
	if schemas {
		out.InputSchema, out.OutputSchema = t.InputSchema(), t.OutputSchema()
	}
	return out
}

// TypeScript is the description as one text: definitions, input and output as named types.
func (d Description) TypeScript() string {
	var b strings.Builder
	names := make(map[string]any, len(d.Definitions))
	for name := range d.Definitions {
		names[name] = nil
	}
	for _, name := range sortedKeys(names) {
		b.WriteString("type " + name + " = " + d.Definitions[name] + ";\n")
	}
	b.WriteString("type Input = " + d.InputTypeScript + ";\ntype Output = " + d.OutputTypeScript + ";\n")
	return b.String()
}
