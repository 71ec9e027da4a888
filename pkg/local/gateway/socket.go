package gateway

import "regexp"

var invocation = regexp.MustCompile(`:lambda:path/2015-03-31/functions/(.+)/invocations$`)

func (r *reader) socketAPI(name string, res *node) error {
	p := res.at("Properties")
	if err := p.only(name, "Name", "ProtocolType", "RouteSelectionExpression"); err != nil {
		return err
	}
	if !p.at("ProtocolType").is("WEBSOCKET") {
		return refusal(res.line, "%s: only WEBSOCKET is read here; HTTP is an %s", name, typeHTTPAPI)
	}
	return nil
}

func (r *reader) integration(name string, res *node) error {
	_, err := r.integrated(name, res)
	return err
}

// integrated tells which function an integration calls.
func (r *reader) integrated(name string, res *node) (string, error) {
	p := res.at("Properties")
	if err := p.only(name, "ApiId", "IntegrationType", "IntegrationUri"); err != nil {
		return "", err
	}
	uri, err := r.eval.text(p.at("IntegrationUri"))
	if err != nil {
		return "", err
	}
	m := invocation.FindStringSubmatch(uri)
	if m == nil || !p.at("IntegrationType").is("AWS_PROXY") {
		return "", refusal(res.line, "%s: an integration is an AWS_PROXY to a function", name)
	}
	return r.functionOf(res.line, m[1])
}

func (r *reader) socketRoute(name string, res *node) error {
	p := res.at("Properties")
	if err := p.only(name, "ApiId", "RouteKey", "AuthorizationType", "Target"); err != nil {
		return err
	}
	key, _ := p.at("RouteKey").scalarText()
	if key != "$connect" && key != "$default" && key != "$disconnect" {
		return refusal(res.line, "%s: message kinds are told apart by the function, so routes are $connect, $default, $disconnect", name)
	}
	target, err := r.eval.text(p.at("Target"))
	if err != nil {
		return err
	}
	for _, other := range r.eval.resources.keys {
		to := r.eval.resources.fields[other]
		if to.at("Type").is(typeIntegration) && target == "integrations/"+r.eval.resource(other, "") {
			r.stack.Sockets[key], err = r.integrated(other, to)
			return err
		}
	}
	return refusal(res.line, "%s: Target %q is no integration of this template", name, target)
}
