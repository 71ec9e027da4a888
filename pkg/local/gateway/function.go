package gateway

import (
	"encoding/json"
	"strings"
	"time"
)

// function reads a function, its environment with Globals merged, and its events.
func (r *reader) function(name string, res *node) error {
	if err := res.only(name, "Type", "Metadata", "Condition", "Properties"); err != nil {
		return err
	}
	if err := res.at("Metadata").only(name+" Metadata", "BuildMethod", "Folder"); err != nil {
		return err
	}
	shared := []string{"Runtime", "Handler", "Architectures", "CodeUri", "MemorySize", "Timeout", "LoggingConfig", "Environment"}
	if err := r.globals.only("Globals Function", shared...); err != nil {
		return err
	}
	p := res.at("Properties")
	if err := p.only(name, append(shared, "Description", "ReservedConcurrentExecutions", "Policies", "Events")...); err != nil {
		return err
	}
	folder, ok := res.at("Metadata", "Folder").scalarText()
	if !ok || !res.at("Metadata", "BuildMethod").is("makefile") {
		return refusal(res.line, "%s: Metadata must say BuildMethod makefile and the Folder of its main.go", name)
	}
	d := Declared{Name: name, Folder: folder, Env: map[string]string{}}
	seconds, err := r.number(p, "Timeout")
	if err != nil {
		return err
	}
	if d.Timeout = time.Duration(seconds) * time.Second; d.Timeout <= 0 {
		d.Timeout = 3 * time.Second // Lambda's default
	}
	if d.MemoryMB, err = r.number(p, "MemorySize"); err != nil {
		return err
	}
	for _, from := range []*node{r.globals, p} {
		vars := from.at("Environment", "Variables")
		if vars == nil {
			continue
		}
		for _, k := range vars.keys {
			if d.Env[k], err = r.eval.text(vars.fields[k]); err != nil {
				return err
			}
		}
	}
	r.stack.Functions[name] = d
	return r.events(name, p.at("Events"))
}

// number reads a property of a function, or the global one.
func (r *reader) number(p *node, key string) (int, error) {
	n := p.at(key)
	if n == nil {
		n = r.globals.at(key)
	}
	if n == nil {
		return 0, nil
	}
	text, err := r.eval.text(n)
	if err != nil {
		return 0, err
	}
	v, err := json.Number(text).Int64()
	if err != nil {
		return 0, refusal(n.line, "%s must be a whole number", key)
	}
	return int(v), nil
}

// events reads what calls a function.
func (r *reader) events(function string, list *node) error {
	if list == nil {
		return nil
	}
	for _, name := range list.keys {
		ev := list.fields[name]
		if err := ev.only(function+"."+name, "Type", "Properties"); err != nil {
			return err
		}
		kind, _ := ev.at("Type").scalarText()
		p := ev.at("Properties")
		var err error
		switch kind {
		case "HttpApi":
			err = r.httpEvent(function, ev, p)
		case "ScheduleV2":
			if err = p.only(kind, "Name", "Description", "ScheduleExpression", "RetryPolicy"); err == nil {
				s := Schedule{Name: function + "." + name, Function: function}
				s.Every, err = every(p.at("ScheduleExpression"))
				r.stack.Schedules = append(r.stack.Schedules, s)
			}
		case "EventBridgeRule":
			err = r.rule(function, name, p)
		default:
			err = refusal(ev.line, "%s.%s: event type %q is outside the subset that the local host reads", function, name, kind)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// httpEvent reads one route of a family. Finer routes would each cost an integration and a statement in the function's
// resource policy (spec limits C.2), so only whole families are taken.
func (r *reader) httpEvent(function string, ev, p *node) error {
	if err := p.only("HttpApi event", "ApiId", "Method", "Path", "PayloadFormatVersion", "TimeoutInMillis"); err != nil {
		return err
	}
	path, _ := p.at("Path").scalarText()
	bare := strings.TrimSuffix(path, "/{proxy+}")
	switch {
	case !p.at("Method").is("ANY"):
		return refusal(ev.line, "routes are families: Method must be ANY")
	case !p.at("PayloadFormatVersion").is("2.0"):
		return refusal(ev.line, "PayloadFormatVersion must be \"2.0\"")
	case !strings.HasPrefix(path, "/") || strings.ContainsAny(bare, "{}") || bare == "":
		return refusal(ev.line, "path %q: a family is /name or /name/{proxy+}", path)
	}
	api, _ := p.at("ApiId").refName()
	if kind := r.eval.resources.at(api, "Type"); !kind.is(typeHTTPAPI) {
		return refusal(ev.line, "ApiId must be a !Ref of an %s", typeHTTPAPI)
	}
	for _, other := range r.stack.Routes {
		if other.Path == path {
			return refusal(ev.line, "%s goes to %s already", path, other.Function)
		}
	}
	ms, err := r.number(p, "TimeoutInMillis")
	if err != nil {
		return err
	}
	if ms <= 0 || ms > 30000 {
		ms = 30000 // HTTP API's most and its default (spec limits C.2)
	}
	r.stack.Routes = append(r.stack.Routes, Route{Path: path, Function: function, Timeout: time.Duration(ms) * time.Millisecond})
	return nil
}

// refName is the name in a !Ref.
func (n *node) refName() (string, bool) {
	if n == nil || n.fn != "Ref" {
		return "", false
	}
	return n.list[0].scalarText()
}

func (r *reader) httpAPI(name string, res *node) error {
	if err := res.only(name, "Type", "Properties"); err != nil {
		return err
	}
	return res.at("Properties").only(name, "StageName", "DefaultRouteSettings", "AccessLogSettings")
}
