// Package catalog makes tools out of API descriptions and finds them again. It is pure: no network, no clock, no storage.
//
//	import.go      Import: OpenAPI 3.0, 3.1, 3.2 and Swagger 2.0 become a Source
//	json.go yaml.go repair.go node.go                   documents into one tree, leniently
//	document.go definition.go loop.go                   references, shared definitions, loops
//	schema.go schemawriter.go                           any schema as JSON Schema 2020-12
//	operation.go openapi3.go swagger2.go response.go    what an operation takes and gives
//	server.go auth.go                                   addresses, ways to be let in
//	name.go                                             addresses and legal names of tools
//	input.go payload.go template.go                     one input schema and one request template per tool
//	arguments.go validate.go bounded.go                 arguments arranged and checked, every problem listed
//	build.go style.go body.go multipart.go apply.go     arguments and credentials become a request
//	answer.go result.go                                 an upstream answer becomes {ok, data | error}
//	probe.go                                            where an API's description may lie
//	index.go term.go near.go                            search and suggestions
//	describe.go typescript.go                           a tool for a reader
package catalog

import (
	"encoding/json"
	"sync"
)

// Source is an API description turned into tools. It is read-only after Import or Load and safe for concurrent use. Its
// JSON form keeps everything; Load restores it.
type Source struct {
	Name        string                `json:"name"`
	Namespace   string                `json:"namespace"` // first part of every address: [a-z][a-z0-9_]*
	Version     string                `json:"version,omitempty"`
	Description string                `json:"description,omitempty"`
	Format      string                `json:"format"` // "openapi 3.0.3", "swagger 2.0"
	Servers     []Server              `json:"servers,omitempty"`
	NeedsBase   bool                  `json:"needsBase,omitempty"` // some tool has no address until a connection gives a base
	Auth        []AuthMethod          `json:"auth"`                // best first, never empty
	Warnings    []Warning             `json:"warnings,omitempty"`
	Tools       []Tool                `json:"tools"`
	Definitions map[string]Definition `json:"definitions,omitempty"` // shared schemas that some tool reaches

	mu       sync.Mutex
	compiled map[string]*checker // by tool name; see validate.go
}

// Warning is something that was left out or guessed. It never stops an import.
type Warning struct {
	Code    string `json:"code"` // yamlRepaired, externalReference, missingReference, schemaLoop, baseNeeded, …
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

// Definition is a schema with a name. Inside schemas it is referred to as "#/$defs/<name>".
type Definition struct {
	Schema json.RawMessage `json:"schema"`
	Uses   []string        `json:"uses,omitempty"` // definitions it refers to
}

// Tool is one operation as something to call.
type Tool struct {
	Name        string   `json:"name"` // 1-64 of [A-Za-z0-9_-], distinct in its source also after lower-casing
	Path        []string `json:"path"` // address parts below the namespace: group and leaf, each [A-Za-z][A-Za-z0-9]*
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description"`
	Deprecated  bool     `json:"deprecated,omitempty"`
	// ReadOnly: changes nothing. Destructive: may overwrite or remove. Idempotent: twice is as good as once.
	ReadOnly    bool `json:"readOnly,omitempty"`
	Destructive bool `json:"destructive,omitempty"`
	Idempotent  bool `json:"idempotent,omitempty"`
	// Input and Output are JSON Schemas (2020-12) whose references point into the source's definitions; InputUses and
	// OutputUses name the first ones. Output is empty when nothing is described.
	Input      json.RawMessage `json:"input"`
	InputUses  []string        `json:"inputUses,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"`
	OutputUses []string        `json:"outputUses,omitempty"`
	Terms      []string        `json:"terms,omitempty"` // names of parameters and body fields, for search
	// Security: alternatives, each the scopes by scheme that must come together. Nil follows the source; empty means none.
	Security []map[string][]string `json:"security,omitempty"`
	Request  Template              `json:"request"`

	source *Source
}

// Address is the dotted path of the tool, as programs call it: "<namespace>.<group>.<leaf>".
func (t *Tool) Address() string {
	address := ""
	if t.source != nil {
		address = t.source.Namespace
	}
	for _, p := range t.Path {
		address += "." + p
	}
	return address
}

// Tool finds a tool by its legal name or its address.
func (s *Source) Tool(name string) (*Tool, bool) {
	for i := range s.Tools {
		if t := &s.Tools[i]; t.Name == name || t.Address() == name {
			return t, true
		}
	}
	return nil, false
}

// Load restores a source from its JSON form.
func Load(raw []byte) (*Source, error) {
	s := &Source{}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, err
	}
	s.link()
	return s, nil
}

func (s *Source) link() {
	for i := range s.Tools {
		s.Tools[i].source = s
	}
}
