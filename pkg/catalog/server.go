package catalog

import (
	"net/url"
	"regexp"
	"sort"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
)

// Server is an address of an API, absolute unless the document was pasted. It may hold {variables}.
type Server struct {
	URL         string              `json:"url"`
	Description string              `json:"description,omitempty"`
	Variables   map[string]Variable `json:"variables,omitempty"`
}

// Variable is a part of a server address that a connection may set.
type Variable struct {
	Default     string   `json:"default,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Description string   `json:"description,omitempty"`
}

// errNeedsBase is what a call gets when the description says no address and the connection gives none.
var errNeedsBase = pags.Errorf(pags.Invalid, "this API has no address: give the connection a base URL such as https://api.example.com/v1")

// Resolve fills in variables: the given ones, else defaults. The result is an absolute http(s) address without a slash at
// its end, or an Invalid error that says which part is missing.
func (s Server) Resolve(values map[string]string) (string, error) {
	for name, v := range s.Variables {
		if given, ok := values[name]; ok && len(v.Enum) > 0 && !contains(v.Enum, given) {
			return "", pags.Errorf(pags.Invalid, "server variable %q must be one of %s", name, strings.Join(v.Enum, ", "))
		}
	}
	var missing []string
	out := variable.ReplaceAllStringFunc(s.URL, func(m string) string {
		name := m[1 : len(m)-1]
		if v, ok := values[name]; ok {
			return v
		}
		v, ok := s.Variables[name]
		if v.Default == "" && len(v.Enum) > 0 {
			return v.Enum[0]
		}
		if !ok || v.Default == "" && len(v.Enum) == 0 {
			missing = append(missing, name)
		}
		return v.Default
	})
	if len(missing) > 0 {
		return "", pags.Errorf(pags.Invalid, "the server address needs a value for %s: give the connection a base URL", strings.Join(missing, ", "))
	}
	return checkBase(out)
}

var variable = regexp.MustCompile(`\{[^{}/]*\}`)

// checkBase accepts absolute http(s) addresses.
func checkBase(raw string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", errNeedsBase
	}
	if u.User != nil || u.Fragment != "" {
		return "", pags.Errorf(pags.Invalid, "an API address has no user name and no fragment: %s", clip(u.Redacted(), 200))
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u.String(), nil
}

// servers reads the addresses of a document (op nil) or of one operation.
func (d *document) servers(at *node, op *operation) []Server {
	if base := d.options.BaseURL; base != "" {
		if op != nil {
			return nil
		}
		if clean, err := checkBase(base); err == nil {
			return []Server{{URL: clean}}
		}
		d.warn("baseIgnored", 0, "the given base URL is not an absolute http(s) address")
	}
	if d.version == 20 {
		return d.servers2(nil)
	}
	var out []Server
	for _, n := range at.get("servers").items() {
		s := Server{URL: n.string("url"), Description: clip(oneLine(n.string("description")), 200)}
		if vars := n.get("variables"); vars.is(object) {
			s.Variables = map[string]Variable{}
			for i, name := range vars.keys {
				v := vars.vals[i]
				s.Variables[name] = Variable{v.get("default").word(), v.get("enum").strings(), clip(oneLine(v.string("description")), 200)}
			}
		}
		if s.URL = d.absolute(s); s.URL != "" {
			out = append(out, s)
		}
	}
	if len(out) == 0 && op == nil {
		out = []Server{{URL: d.absolute(Server{URL: "/"})}} // OpenAPI 3.0.3, Fixed Fields: the default is "/"
	}
	return out
}

var (
	hostFirst = regexp.MustCompile(`^(localhost|[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}|[A-Za-z0-9.-]+:\d+)(:\d+)?(/|$)`)
	hasScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
)

// absolute resolves a server address against the address of the document. A relative one stays as it is when the document
// was pasted; one with another scheme than http(s) becomes "".
func (d *document) absolute(s Server) string {
	raw := strings.TrimSpace(s.URL)
	filled := variable.ReplaceAllStringFunc(raw, func(m string) string { return s.Variables[m[1:len(m)-1]].Default })
	switch {
	case strings.HasPrefix(filled, "https://"), strings.HasPrefix(filled, "http://"):
		return raw
	case strings.HasPrefix(raw, "{"): // a whole address, or its scheme, without a default: the connection must say
		return raw
	case strings.HasPrefix(raw, "//") && d.url == nil:
		return "https:" + raw
	case hasScheme.MatchString(raw):
		d.warn("serverIgnored", 0, "server %q is not reached over http", raw)
		return ""
	case hostFirst.MatchString(raw):
		d.warn("serverGuessed", 0, "server %q has no scheme and is taken as https", raw)
		return "https://" + raw
	case d.url == nil:
		return raw
	}
	to, err := d.url.Parse(raw)
	if err != nil {
		d.warn("serverIgnored", 0, "server %q is not an address", raw)
		return ""
	}
	return strings.NewReplacer("%7B", "{", "%7D", "}").Replace(to.String())
}

// servers2 makes addresses of host, basePath and schemes, each of which defaults to that of the document's own address.
func (d *document) servers2(schemes []string) []Server {
	host, base := d.root.string("host"), d.root.string("basePath")
	if _, after, ok := strings.Cut(host, "://"); ok {
		host = after
	}
	if host == "" && d.url != nil {
		host = d.url.Host
	}
	if base != "" && !strings.HasPrefix(base, "/") {
		base = "/" + base
	}
	if host == "" {
		return []Server{{URL: orSlash(base)}}
	}
	if len(schemes) == 0 {
		schemes = d.root.get("schemes").strings()
	}
	if len(schemes) == 0 && d.url != nil {
		schemes = []string{d.url.Scheme}
	}
	var out []Server
	for _, scheme := range schemes {
		if scheme == "https" || scheme == "http" {
			out = append(out, Server{URL: scheme + "://" + strings.TrimRight(host+base, "/")})
		}
	}
	if len(out) == 0 {
		out = []Server{{URL: "https://" + strings.TrimRight(host+base, "/")}}
	}
	sort.SliceStable(out, func(i, j int) bool {
		return strings.HasPrefix(out[i].URL, "https:") && !strings.HasPrefix(out[j].URL, "https:")
	})
	return out[:1] // the same place twice, encrypted or not, is no choice
}

func orSlash(s string) string {
	if s == "" {
		return "/"
	}
	return s
}

// askForBase marks a source some of whose tools have no address yet.
func (d *document) askForBase() {
	var without []string
	for i := range d.source.Tools {
		t := &d.source.Tools[i]
		all := t.Request.Servers
		if len(all) == 0 {
			all = d.source.Servers
		}
		usable := false
		for _, s := range all {
			_, err := s.Resolve(nil)
			usable = usable || err == nil
		}
		if !usable {
			without = append(without, t.Request.Method+" "+t.Request.Path)
		}
	}
	if len(without) > 0 {
		d.source.NeedsBase = true
		d.warn("baseNeeded", 0, "the description gives no complete address for %d of its operations, such as %s: a base URL is needed", len(without), without[0])
	}
}
