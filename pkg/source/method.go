package source

import (
	"strings"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
)

// Methods that can be chosen whatever a description says; header:<Name>, query:<Name> and cookie:<Name> too.
var (
	noAuth = catalog.AuthMethod{ID: "none", Kind: "none", Supported: true, Confidence: "low", Reason: "calls go out without a credential"}
	custom = []catalog.AuthMethod{
		{ID: "bearer", Kind: "bearer", Supported: true, Confidence: "low", Reason: "a token that you paste, whatever the description says",
			Placements: []catalog.Placement{{In: "header", Name: "Authorization", Prefix: "Bearer ", Inputs: []string{"token"}}}},
		{ID: "basic", Kind: "basic", Supported: true, Confidence: "low", Reason: "a user name and a password, whatever the description says",
			Placements: []catalog.Placement{{In: "header", Name: "Authorization", Prefix: "Basic ", Inputs: []string{"username", "password"}, Basic: true}}},
	}
)

// noOAuth is why a method cannot be used although the description has it.
const noOAuth = "signing in through OAuth is not offered; make an access token at the API and paste it, with the method bearer"

// offered are the ways in that a description has, as far as we can go them, and after those the ones that always work.
func offered(detected []catalog.AuthMethod) []catalog.AuthMethod {
	out := make([]catalog.AuthMethod, 0, len(detected)+len(custom))
	taken := map[string]bool{}
	for _, m := range detected {
		if m.Kind == "oauth2" && len(m.Placements) > 1 { // a token beside other values: all of them are pasted
			m.Kind, m.Reason = "bearer", m.Reason+"; an access token is pasted"
		} else if m.Kind == "oauth2" {
			m.Supported, m.Reason = false, noOAuth
		}
		taken[m.ID] = true
		out = append(out, m)
	}
	for _, m := range custom {
		if !taken[m.ID] {
			out = append(out, m)
		}
	}
	return out
}

// asksForNothing reports whether a description knows no way in but the open door.
func asksForNothing(detected []catalog.AuthMethod) bool {
	for _, m := range detected {
		if m.Kind != "none" {
			return false
		}
	}
	return true
}

// method picks a way in by its id. What cannot be used is pags.Unprocessable with the reason.
func method(id string, detected []catalog.AuthMethod) (catalog.AuthMethod, error) {
	all := offered(detected)
	var ids []string
	for _, m := range all {
		if m.ID == id {
			if !m.Supported || m.Kind == "unknown" {
				return m, pags.Errorf(pags.Unprocessable, "method %s cannot be used: %s", id, m.Reason)
			}
			m.OAuth = nil
			return m, nil
		}
		if m.Supported {
			ids = append(ids, m.ID)
		}
	}
	if id == noAuth.ID {
		return noAuth, nil
	}
	in, name, placed := strings.Cut(id, ":")
	if !placed || name == "" || len(name) > 100 || in != "header" && in != "query" && in != "cookie" {
		return noAuth, pags.Errorf(pags.Unprocessable, "there is no method %q; it is one of %s, none, header:<Name>, query:<Name>, cookie:<Name>", clip(id, 60), strings.Join(ids, ", "))
	}
	if in != "query" {
		if err := checkHeader(name, ""); err != nil {
			return noAuth, err
		}
	} else if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7F }) {
		return noAuth, pags.Errorf(pags.Unprocessable, "%q cannot be the name of a query parameter", clip(name, 40))
	}
	return catalog.AuthMethod{ID: id, Kind: "apiKey", Supported: true, Confidence: "low", Reason: "a key that you paste, whatever the description says",
		Placements: []catalog.Placement{{In: in, Name: name, Inputs: []string{"key"}}}}, nil
}
