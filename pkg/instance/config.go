package instance

import (
	"context"
	"encoding/json"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

const keyRunnerNode = "runnerNode"

// A configKey is one key of the configuration. check returns the value as it is stored.
type configKey struct {
	personOnly bool // widens what the instance may reach
	members    bool // changes which machines serve the instance
	check      func(v any) (any, error)
}

// configKeys is the closed list of what this version honours.
var configKeys = map[string]configKey{
	"specialInstructions": {check: text(4000)}, // spec platform 1.3
	"settings":            {check: settings},
	keyRunnerNode:         {members: true, check: node},
	"allowHosts":          {personOnly: true, check: hosts},
	"maxSteps":            {check: whole(1, 60)},
}

// SetConfig changes one key of the user's instance; nil removes it. It answers the instance as it is then. byPerson says
// whether a person's own session asks: only such a one may open private addresses to an instance.
func (s *Service) SetConfig(ctx context.Context, uid pags.UserID, id pags.InstanceID, name string, value any, byPerson bool) (pags.Instance, error) {
	in, err := s.Owned(ctx, uid, id)
	if err != nil {
		return in, err
	}
	key, known := configKeys[name]
	if !known {
		return in, pags.Errorf(pags.Unprocessable, "there is no setting %.60q; there are %s", name, strings.Join(configNames(), ", "))
	}
	if key.personOnly && !byPerson {
		return in, pags.Errorf(pags.Forbidden, "only a person's own session may change %s", name)
	}
	w := port.Update(metaKey(id))
	if value == nil {
		w = w.Removing(configPrefix + name)
		delete(in.Config, name)
	} else {
		if value, err = key.check(value); err != nil {
			return in, pags.Errorf(pags.Unprocessable, "%s %s", name, err.Error())
		}
		w = w.Setting(configPrefix+name, value)
		in.Config[name] = value
	}
	if err := s.update(ctx, id, w); err != nil {
		return in, err
	}
	if key.members {
		s.changed(ctx, uid)
	}
	return in, nil
}

func configNames() []string {
	var names []string
	for name := range configKeys {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// rule is what is wrong with a value, to be read after the key's name.
type rule string

func (r rule) Error() string { return string(r) }

func text(most int) func(any) (any, error) {
	return func(v any) (any, error) {
		s, ok := v.(string)
		if !ok || utf8.RuneCountInString(s) > most {
			return nil, rule("must be a text of at most " + strconv.Itoa(most) + " characters")
		}
		return s, nil
	}
}

func whole(least, most int) func(any) (any, error) {
	return func(v any) (any, error) {
		n, ok := v.(float64)
		if !ok || n != math.Trunc(n) || n < float64(least) || n > float64(most) {
			return nil, rule("must be a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most))
		}
		return int64(n), nil
	}
}

// node is a hostname or the id of a machine.
func node(v any) (any, error) {
	s, ok := v.(string)
	s = strings.TrimSpace(s)
	if !ok || s == "" || utf8.RuneCountInString(s) > 120 || guard.Visible(s) != s || strings.ContainsAny(s, "\n\t") {
		return nil, rule("must be the name or the id of a machine, at most 120 characters; null unpins")
	}
	return s, nil
}

var hostShape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?$`)
})

func hosts(v any) (any, error) {
	list, ok := v.([]any)
	if !ok || len(list) > 20 {
		return nil, rule("must be a list of at most 20 hosts")
	}
	out := []any{}
	for _, e := range list {
		h, ok := e.(string)
		h = strings.ToLower(strings.TrimSpace(h))
		if !ok || !hostShape().MatchString(h) {
			return nil, rule("holds something that is not a host or host:port, such as intranet.example or 192.168.1.20:8080")
		}
		out = append(out, h)
	}
	return out, nil
}

// settings are answers to what a template asks its subscribers: at most twelve (spec platform 1.2), each a short text, a number or
// a switch.
func settings(v any) (any, error) {
	m, ok := v.(map[string]any)
	if !ok || len(m) > 12 {
		return nil, rule("must be an object of at most 12 entries")
	}
	out := make(map[string]any, len(m))
	for name, e := range m {
		if name == "" || utf8.RuneCountInString(name) > 60 {
			return nil, rule("has a name that is empty or longer than 60 characters")
		}
		switch x := e.(type) {
		case bool:
			out[name] = x
		case string:
			if utf8.RuneCountInString(x) > 500 {
				return nil, rule("has a text longer than 500 characters")
			}
			out[name] = x
		case float64:
			out[name] = json.Number(strconv.FormatFloat(x, 'f', -1, 64))
		default:
			return nil, rule("holds something that is not a text, a number or true or false")
		}
	}
	return out, nil
}
