package source

import (
	"encoding/json"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
)

// Statuses of a source and of a connection.
const (
	Ready    = "ready"
	Degraded = "degraded"
	Healthy  = "healthy"
	Expired  = "expired"
	Unsure   = "unknown"
)

// Source is an API of its owner as people see it.
type Source struct {
	Slug        string               `json:"slug" doc:"how the addresses of its tools begin"`
	Name        string               `json:"name"`
	Description string               `json:"description,omitempty"`
	Kind        string               `json:"kind" enum:"openapi"`
	Format      string               `json:"format" doc:"such as openapi 3.1.0 or swagger 2.0"`
	Version     string               `json:"version,omitempty"`
	URL         string               `json:"url,omitempty" doc:"where its description lies; empty: it was pasted"`
	BaseURL     string               `json:"baseUrl,omitempty" doc:"called instead of the addresses of the description"`
	Enabled     bool                 `json:"enabled"`
	Revision    int                  `json:"revision"`
	Tools       int                  `json:"tools"`
	Connections int                  `json:"connections"`
	Held        int                  `json:"held" doc:"tools that are new or changed since their owner accepted them"`
	NeedsBase   bool                 `json:"needsBase" doc:"some tools have no address until a base URL is given here or in the connection"`
	Auth        []catalog.AuthMethod `json:"auth" doc:"ways to be let in, best first"`
	Warnings    []catalog.Warning    `json:"warnings"`
	Status      string               `json:"status" enum:"ready,degraded"`
	Detail      string               `json:"detail,omitempty" doc:"why the last refresh failed"`
	CreatedAt   time.Time            `json:"createdAt"`
	RefreshedAt time.Time            `json:"refreshedAt"`
}

// Connection is one way into a source, as people see it: never its values.
type Connection struct {
	Source    string            `json:"source"`
	Name      string            `json:"name"`
	Namespace string            `json:"namespace" doc:"how the addresses of its tools begin"`
	Method    string            `json:"method"`
	Kind      string            `json:"kind" enum:"bearer,basic,apiKey,none"`
	Inputs    []string          `json:"inputs" doc:"the values it takes"`
	Hints     map[string]string `json:"hints" doc:"the last four characters of values that have at least twelve"`
	BaseURL   string            `json:"baseUrl,omitempty"`
	Variables map[string]string `json:"variables,omitempty"`
	Enabled   bool              `json:"enabled"`
	Status    string            `json:"status,omitempty" enum:"healthy,expired,degraded,unknown" doc:"of the last test"`
	Detail    string            `json:"detail,omitempty"`
	CheckedAt time.Time         `json:"checkedAt,omitzero"`
	CreatedAt time.Time         `json:"createdAt"`
}

// Found is what an address turned out to be. Kind "unknown": no description was found; the warnings say what to do.
type Found struct {
	Kind       string               `json:"kind" enum:"openapi,unknown"`
	Confidence string               `json:"confidence" enum:"high,medium,low"`
	Endpoint   string               `json:"endpoint,omitempty" doc:"where calls would go"`
	SpecURL    string               `json:"specUrl,omitempty" doc:"where the description lies"`
	Name       string               `json:"name"`
	Namespace  string               `json:"namespace"`
	Tools      int                  `json:"tools"`
	Warnings   []catalog.Warning    `json:"warnings"`
	Auth       []catalog.AuthMethod `json:"auth"`
}

// Preview is what adding a source would give.
type Preview struct {
	Name        string               `json:"name"`
	Namespace   string               `json:"namespace"`
	Format      string               `json:"format"`
	Version     string               `json:"version,omitempty"`
	Description string               `json:"description,omitempty"`
	SpecURL     string               `json:"specUrl,omitempty"`
	Servers     []catalog.Server     `json:"servers"`
	NeedsBase   bool                 `json:"needsBase"`
	Auth        []catalog.AuthMethod `json:"auth"`
	Warnings    []catalog.Warning    `json:"warnings"`
	Tools       int                  `json:"tools"`
	Groups      []PreviewGroup       `json:"groups"`
	Items       []PreviewTool        `json:"items" doc:"the first 200"`
}

// PreviewGroup counts the tools of a group.
type PreviewGroup struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// PreviewTool is a tool in one line.
type PreviewTool struct {
	Path        string `json:"path" doc:"below the source's namespace"`
	Name        string `json:"name"`
	Method      string `json:"method"`
	Title       string `json:"title,omitempty"`
	ReadOnly    bool   `json:"readOnly"`
	Destructive bool   `json:"destructive"`
}

// Refreshed is what a refresh changed, against the set before it; at most 500 tools are named in each list.
type Refreshed struct {
	Changed bool    `json:"changed"`
	Drift   Changes `json:"drift"`
	Source  Source  `json:"source"`
}

// Changes names tools by their path below the source.
type Changes struct {
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Changed []string `json:"changed"`
}

// Drift is one tool whose definition is not the one that its owner accepted.
type Drift struct {
	Tool   string      `json:"tool" doc:"path below the source"`
	Kind   string      `json:"kind" enum:"new,changed,removed"`
	Before *Definition `json:"before,omitempty" doc:"as accepted"`
	After  *Definition `json:"after,omitempty" doc:"as it is now"`
}

// Definition is what a tool says and where it goes.
type Definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Method      string          `json:"method"`
	URL         string          `json:"url" doc:"with {placeholders}"`
	ReadOnly    bool            `json:"readOnly"`
	Destructive bool            `json:"destructive"`
	Input       json.RawMessage `json:"input,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
	Cut         bool            `json:"cut,omitempty" doc:"a schema is too large to be shown here; describe the tool to see it"`
}

// Checked is what the test of a connection came to.
type Checked struct {
	Status     string `json:"status" enum:"healthy,expired,degraded,unknown"`
	Detail     string `json:"detail" doc:"what was called, or what failed and what to do"`
	HTTPStatus int    `json:"httpStatus,omitempty"`
	Millis     int64  `json:"millis"`
}

// FileLink reads a stored result for a while.
type FileLink struct {
	URL         string    `json:"url"`
	ExpiresAt   time.Time `json:"expiresAt"`
	ContentType string    `json:"contentType"`
	Filename    string    `json:"filename"`
	Size        int       `json:"size"`
}
