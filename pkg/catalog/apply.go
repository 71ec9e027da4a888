package catalog

import (
	"encoding/base64"
	"strings"
)

// Inputs names the values that a connection with this method has to give.
func (m *AuthMethod) Inputs() []string {
	var out []string
	for _, p := range m.Placements {
		out = append(out, p.Inputs...)
	}
	return distinct(out)
}

// Apply puts the values of a connection onto a request. A value that is missing is the failure connection_value_missing:
// a call never goes out without what it needs. The request then holds secrets; neither its URL nor its headers may be shown.
func (m *AuthMethod) Apply(r *Request, values map[string]string) error {
	for _, p := range m.Placements {
		given := make([]string, len(p.Inputs))
		for i, name := range p.Inputs {
			v, ok := values[name]
			if !ok || v == "" && !(p.Basic && i > 0) {
				return &Failure{Code: CodeValueMissing, Message: "the connection has no value for " + name}
			}
			if strings.ContainsAny(v, "\r\n\x00") {
				return &Failure{Code: CodeValueMissing, Message: "the connection's value for " + name + " has a line break in it"}
			}
			given[i] = v
		}
		text := strings.TrimSpace(given[0])
		if p.Basic {
			text = base64.StdEncoding.EncodeToString([]byte(strings.Join(given, ":")))
		}
		if p.Prefix != "" && !strings.HasPrefix(strings.ToLower(text), strings.ToLower(p.Prefix)) {
			text = p.Prefix + text
		}
		switch p.In {
		case "header":
			r.Header.Set(p.Name, text)
		case "query":
			sep := "?"
			if strings.Contains(r.URL, "?") {
				sep = "&"
			}
			r.URL += sep + escape(p.Name) + "=" + escape(text)
		case "cookie":
			pair := p.Name + "=" + escape(text)
			if own := r.Header.Get("Cookie"); own != "" {
				pair = own + "; " + pair
			}
			r.Header.Set("Cookie", pair)
		}
	}
	return nil
}
