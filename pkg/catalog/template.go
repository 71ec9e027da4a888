package catalog

import "encoding/json"

// Template is how arguments become a request. It is data: stored with the tool, filled in by Build.
type Template struct {
	Method string `json:"method"`
	Path   string `json:"path"` // as in the description: literal text and {placeholders}
	// Servers of this operation where they differ from the source's.
	Servers []Server `json:"servers,omitempty"`
	Params  []Param  `json:"params,omitempty"`
	Body    *Body    `json:"body,omitempty"`
	Accept  string   `json:"accept,omitempty"`
	// ChooseServer: the caller may name one of several servers. ServerChoices: the variables of server addresses that have a
	// closed list of values. Other variables are for the connection only: a caller must not direct its credentials elsewhere.
	ChooseServer  bool     `json:"chooseServer,omitempty"`
	ServerChoices []string `json:"serverChoices,omitempty"`
}

// Locations of parameters; also the names of the containers in which same-named ones are kept apart.
const (
	inPath   = "path"
	inQuery  = "query"
	inHeader = "headers"
	inCookie = "cookies"
)

// Param is a parameter outside of the body.
type Param struct {
	Name string `json:"name"`
	In   string `json:"in"` // path, query, headers, cookies
	// Nested: the argument lies in the container named In, because its name occurs in several places.
	Nested        bool            `json:"nested,omitempty"`
	Required      bool            `json:"required,omitempty"`
	Style         string          `json:"style"` // simple label matrix form spaceDelimited pipeDelimited tabDelimited deepObject cookie
	Explode       bool            `json:"explode,omitempty"`
	AllowReserved bool            `json:"allowReserved,omitempty"`
	JSON          bool            `json:"json,omitempty"`    // written as one JSON text (a parameter with content)
	Default       json.RawMessage `json:"default,omitempty"` // sent when a required one is not given
}

// Body is what a request may carry. The first media type is the default.
type Body struct {
	Required bool    `json:"required,omitempty"`
	Media    []Media `json:"media"`
}

// Kinds of bodies.
const (
	bodyJSON      = "json"
	bodyLines     = "lines" // one JSON text per line
	bodyForm      = "form"
	bodyMultipart = "multipart"
	bodyText      = "text"
	bodyBinary    = "binary"
)

// Media is one way to write the body.
type Media struct {
	Type     string              `json:"type"`
	Kind     string              `json:"kind"`
	Encoding map[string]Encoding `json:"encoding,omitempty"` // by property
	Files    []string            `json:"files,omitempty"`    // properties that are files
	Open     bool                `json:"open,omitempty"`     // its properties are not described: what looks like a file is one
}

// Encoding is how one property of a form is written.
type Encoding struct {
	ContentType   string `json:"contentType,omitempty"`
	Style         string `json:"style,omitempty"`
	Explode       bool   `json:"explode,omitempty"`
	AllowReserved bool   `json:"allowReserved,omitempty"`
}
