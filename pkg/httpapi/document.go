package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"sort"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const (
	schemaPrefix   = "#/components/schemas/"
	securityScheme = "session"
	tokenScheme    = "programToken"
)

// humaConfig turns off everything of huma that adds routes, links or formats of its own.
func humaConfig(cfg Config, names *namer) huma.Config {
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{Title: "pags", Version: cfg.Version,
			Description: "Agents that act: brains in the cloud, hands on your machine. Errors are problem+json (RFC 9457)."},
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry(schemaPrefix, names.name),
			SecuritySchemes: map[string]*huma.SecurityScheme{securityScheme: {Type: "http", Scheme: "bearer", BearerFormat: "JWT",
				Description: "access token of a session, 15 minutes; POST /v1/auth/refresh gives a new one"},
				tokenScheme: {Type: "http", Scheme: "bearer", BearerFormat: "pags_…",
					Description: "token for a program, from POST /v1/auth/tokens; reaches what its scopes name"}},
		},
	}
	if cfg.PublicURL != "" {
		doc.Servers = []*huma.Server{{URL: cfg.PublicURL}}
	}
	return huma.Config{OpenAPI: doc, DefaultFormat: "application/json",
		Formats: map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}}
}

// OpenAPI returns the 3.1 document in JSON. Two processes with the same routes give the same bytes.
func (a *API) OpenAPI() ([]byte, error) {
	doc := *a.huma.OpenAPI()
	seen := map[string]bool{}
	doc.Tags = nil
	for _, r := range a.routes {
		if !seen[r.Tag] {
			seen[r.Tag] = true
			doc.Tags = append(doc.Tags, &huma.Tag{Name: r.Tag})
		}
	}
	sort.Slice(doc.Tags, func(i, j int) bool { return doc.Tags[i].Name < doc.Tags[j].Name })
	raw, err := json.Marshal(&doc)
	if err != nil {
		return nil, fmt.Errorf("write the API document: %w", err)
	}
	return raw, nil
}

// documentedErrors lists the statuses that a route can answer besides its success.
func documentedErrors(r Route) []int {
	out := []int{http.StatusBadRequest, http.StatusTooManyRequests}
	if !r.Public {
		out = append(out, http.StatusUnauthorized, http.StatusForbidden)
	}
	if strings.Contains(r.Path, "{") {
		out = append(out, http.StatusNotFound)
	}
	if r.Method != http.MethodGet {
		out = append(out, http.StatusConflict, http.StatusRequestEntityTooLarge)
	}
	return out
}

// namer names schemas: the type's own name, with its package in front when two packages use one name, and a number as the
// last resort. Equal order of registration gives equal names.
type namer struct {
	names map[reflect.Type]string
	used  map[string]bool
}

func newNamer() *namer { return &namer{map[reflect.Type]string{}, map[string]bool{}} }

func (n *namer) name(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	plain := huma.DefaultSchemaNamer(t, hint)
	if t.Kind() != reflect.Struct {
		return plain // never referenced by name
	}
	if name, ok := n.names[t]; ok {
		return name
	}
	name := plain
	if n.used[name] && t.PkgPath() != "" {
		area := path.Base(t.PkgPath())
		name = strings.ToUpper(area[:1]) + area[1:] + plain
	}
	for i := 2; n.used[name]; i++ {
		name = fmt.Sprintf("%s%d", plain, i)
	}
	n.names[t], n.used[name] = name, true
	return name
}
