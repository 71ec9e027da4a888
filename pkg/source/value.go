package source

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
)

// Lengths of values. What is shorter than minValue cannot be masked in answers without masking half of all text, so it is not
// stored as a secret. The user name of Basic is no secret while there is a password: APIs show it everywhere.
const (
	minValue = 6
	maxValue = 8 << 10
	minHint  = 12
)

// goodValues checks what a connection is given against what its method takes, and tidies it. Texts never hold a value.
func goodValues(m catalog.AuthMethod, given map[string]string) (map[string]string, error) {
	inputs := m.Inputs()
	for _, name := range sortedNames(given) {
		if !slices.Contains(inputs, name) {
			if len(inputs) == 0 {
				return nil, pags.Errorf(pags.Unprocessable, "method %s takes no values", m.ID)
			}
			return nil, pags.Errorf(pags.Unprocessable, "method %s takes %s, not %q", m.ID, strings.Join(inputs, " and "), clip(name, 40))
		}
	}
	out := map[string]string{}
	for _, p := range m.Placements {
		for i, name := range p.Inputs {
			v := given[name]
			if !p.Basic {
				v = strings.TrimSpace(v)
			}
			if err := goodValue(p, i, name, v); err != nil {
				return nil, err
			}
			out[name] = v
		}
	}
	for _, name := range secrets(m, out) {
		if v := out[name]; len(v) < minValue && v != "" {
			return nil, pags.Errorf(pags.Unprocessable, "the value for %s has fewer than %d characters and could not be kept out of results; use a longer one", name, minValue)
		}
	}
	return out, nil
}

func goodValue(p catalog.Placement, i int, name, v string) error {
	switch {
	case v == "" && !(p.Basic && i > 0):
		return pags.Errorf(pags.Unprocessable, "a value for %s is needed", name)
	case len(v) > maxValue:
		return pags.Errorf(pags.Unprocessable, "the value for %s is longer than %d characters", name, maxValue)
	case strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == 0x7F || r == 0xFFFD }):
		return pags.Errorf(pags.Unprocessable, "the value for %s has a line break or another character in it that cannot be sent", name)
	case p.In == "header" && !p.Basic && strings.ContainsFunc(v, func(r rune) bool { return r > '~' }):
		return pags.Errorf(pags.Unprocessable, "the value for %s has letters in it that a header cannot carry", name)
	case p.Basic && i == 0 && strings.Contains(v, ":"):
		return pags.Errorf(pags.Unprocessable, "a user name cannot have a colon in it (RFC 7617)")
	}
	return nil
}

// secrets names the inputs whose values nobody may see.
func secrets(m catalog.AuthMethod, values map[string]string) []string {
	var out []string
	for _, p := range m.Placements {
		for i, name := range p.Inputs {
			if p.Basic && i == 0 && len(p.Inputs) > 1 && values[p.Inputs[1]] != "" {
				continue
			}
			out = append(out, name)
		}
	}
	return out
}

// hints shows the last four characters of long values.
func hints(values map[string]string) map[string]string {
	out := map[string]string{}
	for name, v := range values {
		if r := []rune(v); len(r) >= minHint {
			out[name] = string(r[len(r)-4:])
		}
	}
	return out
}

func bind(uid pags.UserID, slug, name string) map[string]string {
	return map[string]string{"kind": "connection", "user": string(uid), "source": slug, "connection": name}
}

// seal closes values so that only this connection of this user opens them.
func (s *Service) seal(ctx context.Context, uid pags.UserID, slug, name string, values map[string]string) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	raw, err := json.Marshal(values)
	if err != nil {
		return "", err
	}
	sealed, err := s.Vault.Seal(ctx, raw, bind(uid, slug, name))
	if err != nil {
		return "", fmt.Errorf("seal the values of connection %s.%s: %w", slug, name, err)
	}
	return base64.StdEncoding.EncodeToString(sealed), nil
}

// open gives the values of a connection, for the call that needs them. What this host cannot open is a Failure: the owner has
// to give the values again.
func (s *Service) open(ctx context.Context, uid pags.UserID, c *connectionRow) (map[string]string, *catalog.Failure, error) {
	if c.Sealed == "" {
		return nil, nil, nil
	}
	shut := &catalog.Failure{Code: catalog.CodeValueMissing, Message: fmt.Sprintf("the stored values of connection %s.%s cannot be opened by this host; give them again", c.Source, c.Name)}
	sealed, err := base64.StdEncoding.DecodeString(c.Sealed)
	if err != nil {
		return nil, shut, nil
	}
	raw, err := s.Vault.Open(ctx, sealed, bind(uid, c.Source, c.Name))
	if pags.Is(err, pags.Invalid) {
		return nil, shut, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open the values of connection %s.%s: %w", c.Source, c.Name, err)
	}
	var values map[string]string
	if err := json.Unmarshal(raw, &values); err != nil {
		return nil, shut, nil // the cause could quote a value
	}
	return values, nil, nil
}

func sortedNames[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for name := range m {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}
