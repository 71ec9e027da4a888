package catalog

import (
	"net/url"
	"sort"
	"strings"
)

// AuthMethod is one way to be let in, with how sure we are. A connection binds one and gives its inputs.
type AuthMethod struct {
	ID         string      `json:"id"`         // stable: the schemes it is made of
	Kind       string      `json:"kind"`       // oauth2, bearer, apiKey, basic, none, unknown
	Supported  bool        `json:"supported"`  // whether a connection can use it
	Confidence string      `json:"confidence"` // high, medium, low
	Reason     string      `json:"reason"`
	Placements []Placement `json:"placements,omitempty"`
	OAuth      *OAuth      `json:"oauth,omitempty"`
}

// Placement says where a value of the connection goes.
type Placement struct {
	In     string   `json:"in"` // header, query, cookie
	Name   string   `json:"name"`
	Prefix string   `json:"prefix,omitempty"`
	Inputs []string `json:"inputs"`          // one value, or for basic user name and password
	Basic  bool     `json:"basic,omitempty"` // RFC 7617
}

// OAuth is what a description says of an OAuth 2 flow.
type OAuth struct {
	Grant            string            `json:"grant,omitempty"` // authorizationCode, clientCredentials; empty when only discovery is known
	AuthorizationURL string            `json:"authorizationUrl,omitempty"`
	TokenURL         string            `json:"tokenUrl,omitempty"`
	RefreshURL       string            `json:"refreshUrl,omitempty"`
	DiscoveryURL     string            `json:"discoveryUrl,omitempty"`
	Scopes           map[string]string `json:"scopes,omitempty"`
}

const (
	high   = "high"
	medium = "medium"
	low    = "low"
)

var (
	kindOrder       = map[string]int{"oauth2": 0, "bearer": 1, "apiKey": 2, "basic": 3, "none": 4, "unknown": 5}
	confidenceOrder = map[string]int{high: 0, medium: 1, low: 2}
)

func (d *document) schemes() *node {
	if d.version == 20 {
		return d.root.get("securityDefinitions")
	}
	return d.root.at("components", "securitySchemes")
}

// keyNames are parameters that carry a credential even where the description does not say so.
var keyNames = map[string]bool{"x-api-key": true, "api-key": true, "apikey": true, "api_key": true, "x-auth-token": true, "x-access-token": true,
	"access_token": true, "auth_token": true}

// isCredential reports whether a parameter is one that the connection fills in. Callers never give secrets.
func (d *document) isCredential(in, name string) bool {
	all := d.schemes()
	if all.is(object) && len(all.vals) > 0 {
		for _, n := range all.vals {
			n = d.follow(n)
			if n.string("type") == "apiKey" && n.string("in") == in && strings.EqualFold(n.string("name"), name) {
				return true
			}
		}
		return false
	}
	if (in == "header" || in == "query") && keyNames[strings.ToLower(name)] {
		d.guessed = append(d.guessed, Placement{In: in, Name: name, Inputs: []string{"key"}})
		return true
	}
	return false
}

// authMethods infers how to be let in: schemes that are applied with high confidence, schemes that are only defined with
// medium, parameters that look like it with low.
func (d *document) authMethods(ops []*operation) []AuthMethod {
	var out []AuthMethod
	seen := map[string]bool{}
	free, locked := false, false
	apply := func(all []map[string][]string, reason string) {
		for _, r := range all {
			if len(r) == 0 {
				free = true
				continue
			}
			locked = true
			names := make([]string, 0, len(r))
			for name := range r {
				names = append(names, name)
			}
			sort.Strings(names)
			if id := strings.Join(names, "+"); !seen[id] {
				seen[id] = true
				out = append(out, d.methods(id, names, high, reason)...)
			}
		}
	}
	if s := d.root.get("security"); s.is(list) {
		apply(requirements(s), "the description applies it to the whole API")
		free = free || len(s.vals) == 0
	}
	for _, op := range ops {
		if op.security != nil {
			apply(op.security, "the description applies it to some operations")
			free = free || len(op.security) == 0
		}
	}
	if all := d.schemes(); all.is(object) && !locked {
		for _, name := range all.keys {
			if !seen[name] {
				seen[name] = true
				out = append(out, d.methods(name, []string{name}, medium, "the description defines it without saying where it applies")...)
			}
		}
	}
	for _, p := range d.guessed {
		id := "guessed-" + strings.ToLower(p.Name)
		if !seen[id] {
			seen[id] = true
			m := AuthMethod{ID: id, Kind: "apiKey", Supported: true, Confidence: low, Reason: "operations take a parameter named " + p.Name, Placements: []Placement{p}}
			if p.Prefix != "" {
				m.Kind = "bearer"
			}
			out = append(out, m)
		}
	}
	switch {
	case free && !locked:
		out = append(out, AuthMethod{ID: "none", Kind: "none", Supported: true, Confidence: high, Reason: "the description asks for nothing"})
	case free:
		out = append(out, AuthMethod{ID: "none", Kind: "none", Supported: true, Confidence: medium, Reason: "some operations ask for nothing"})
	case len(out) == 0:
		out = append(out, AuthMethod{ID: "none", Kind: "none", Supported: true, Confidence: low, Reason: "the description does not mention any"})
	}
	sort.SliceStable(out, func(i, j int) bool { return rank(out[i]) < rank(out[j]) })
	return out
}

func rank(m AuthMethod) int {
	r := confidenceOrder[m.Confidence]*10 + kindOrder[m.Kind]
	if !m.Supported {
		r += 100
	}
	return r
}

// methods makes the method of schemes that come together, and for OAuth also the one of pasting a token.
func (d *document) methods(id string, names []string, confidence, reason string) []AuthMethod {
	m := AuthMethod{ID: id, Supported: true, Confidence: confidence, Reason: reason}
	tokenToo := false
	for _, name := range names {
		scheme := d.follow(d.schemes().get(name))
		kind, places, oauth := d.scheme(scheme)
		if kind == "unknown" || kind == "oauth2" && oauth == nil {
			m.Supported = false
			m.Reason = "the scheme " + name + " (" + clip(strings.TrimSpace(scheme.string("type")+" "+scheme.string("scheme")+" "+scheme.string("flow")), 40) + ") is not supported"
		}
		if m.Kind == "" || kindOrder[kind] < kindOrder[m.Kind] && m.Kind != "unknown" || kind == "unknown" {
			m.Kind = kind
		}
		if kind == "oauth2" {
			tokenToo, m.OAuth = true, oauth
		}
		for _, p := range places {
			if len(names) > 1 {
				p.Inputs = append([]string(nil), p.Inputs...)
				for i := range p.Inputs {
					p.Inputs[i] = camel(name) + pascal(p.Inputs[i])
				}
			}
			m.Placements = append(m.Placements, p)
		}
	}
	out := []AuthMethod{m}
	if tokenToo && len(names) == 1 {
		paste := AuthMethod{ID: id + "-token", Kind: "bearer", Supported: true, Confidence: low, Reason: "an access token of " + id + " can be pasted", Placements: m.Placements}
		if !m.Supported {
			paste.Confidence = medium
		}
		out = append(out, paste)
	}
	return out
}

var bearer = []Placement{{In: "header", Name: "Authorization", Prefix: "Bearer ", Inputs: []string{"token"}}}

func (d *document) scheme(n *node) (kind string, places []Placement, oauth *OAuth) {
	switch strings.ToLower(n.string("type")) {
	case "basic":
		return "basic", []Placement{{In: "header", Name: "Authorization", Prefix: "Basic ", Inputs: []string{"username", "password"}, Basic: true}}, nil
	case "http":
		switch strings.ToLower(n.string("scheme")) {
		case "basic":
			return "basic", []Placement{{In: "header", Name: "Authorization", Prefix: "Basic ", Inputs: []string{"username", "password"}, Basic: true}}, nil
		case "bearer":
			return "bearer", bearer, nil
		}
	case "apikey":
		in, name := n.string("in"), n.string("name")
		if name == "" || in != "header" && in != "query" && in != "cookie" || in != "query" && !token(name) {
			return "unknown", nil, nil
		}
		if strings.EqualFold(name, "Authorization") && strings.Contains(strings.ToLower(n.string("description")), "bearer") {
			return "bearer", bearer, nil
		}
		return "apiKey", []Placement{{In: in, Name: name, Inputs: []string{"key"}}}, nil
	case "oauth2":
		return "oauth2", bearer, d.oauth(n)
	case "openidconnect":
		return "oauth2", bearer, &OAuth{DiscoveryURL: d.link(n.string("openIdConnectUrl"))}
	}
	return "unknown", nil, nil
}

// oauth picks the flow we can do; implicit and password flows are not offered (RFC 9700, sections 2.1.2 and 2.4).
func (d *document) oauth(n *node) *OAuth {
	flows := n.get("flows")
	if d.version == 20 {
		grant := map[string]string{"accessCode": "authorizationCode", "application": "clientCredentials"}[n.string("flow")]
		if grant == "" {
			return nil
		}
		flows = &node{kind: object, keys: []string{grant}, vals: []*node{n}}
	}
	for _, grant := range []string{"authorizationCode", "clientCredentials"} {
		f := flows.get(grant)
		if !f.is(object) {
			continue
		}
		out := &OAuth{Grant: grant, AuthorizationURL: d.link(f.string("authorizationUrl")), TokenURL: d.link(f.string("tokenUrl")),
			RefreshURL: d.link(f.string("refreshUrl")), Scopes: map[string]string{}}
		if s := f.get("scopes"); s.is(object) {
			for i, name := range s.keys {
				out.Scopes[name] = clip(oneLine(s.vals[i].word()), 200)
			}
		}
		return out
	}
	return nil
}

// link resolves an address against where the document, or else the API, lies.
func (d *document) link(raw string) string {
	if raw == "" || hasScheme.MatchString(raw) {
		return raw
	}
	base := d.url
	if base == nil && len(d.source.Servers) > 0 {
		if at, err := d.source.Servers[0].Resolve(nil); err == nil {
			base, _ = url.Parse(at)
		}
	}
	if base == nil {
		return raw
	}
	to, err := base.Parse(raw)
	if err != nil {
		return raw
	}
	return to.String()
}
