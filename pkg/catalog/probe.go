package catalog

import (
	"net/url"
	"strings"
)

// wellKnown are the places where frameworks put the description of an API, the commonest first.
var wellKnown = []string{
	"openapi.json", "openapi.yaml", "swagger.json", "v3/api-docs", "api-docs", "swagger/v1/swagger.json", "openapi.yml", "swagger.yaml",
	"docs/openapi.json", "api/openapi.json", "openapi", "v2/api-docs", "api-json", "swagger/doc.json", "api/schema/", "api/swagger.json", "spec.json", "q/openapi", ".well-known/openapi.json",
	"openapi/v2",
}

// maxProbes bounds how often one address is tried.
const maxProbes = 40

// Probes lists where to look for a description, given any address of an API: the address itself, then the well-known
// places below it, then those of its origin. What is no http(s) address has none.
func Probes(base string) []string {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil
	}
	u.Fragment, u.User = "", nil
	out := []string{u.String()}
	lower := strings.ToLower(u.Path)
	if strings.HasSuffix(lower, ".json") || strings.HasSuffix(lower, ".yaml") || strings.HasSuffix(lower, ".yml") {
		u.Path = u.Path[:strings.LastIndexByte(u.Path, '/')+1]
	}
	u.RawQuery, u.RawPath = "", ""
	root := *u
	root.Path = ""
	for _, at := range []url.URL{*u, root} {
		prefix := strings.TrimRight(at.String(), "/") + "/"
		for _, place := range wellKnown {
			out = append(out, prefix+place)
		}
	}
	out = distinct(out)
	if len(out) > maxProbes {
		out = out[:maxProbes]
	}
	return out
}
