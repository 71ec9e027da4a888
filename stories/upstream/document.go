package upstream

import "fmt"

type object = map[string]any

// Document describes the API at an address: five ways to be let in, and none.
func Document(url string) map[string]any {
	return object{
		"openapi": "3.1.0",
		"info":    object{"title": "Stub", "version": "1.0.0", "description": "Counts what it is sent."},
		"servers": []any{object{"url": url}},
		"components": object{"securitySchemes": object{
			"token":  object{"type": "http", "scheme": "bearer"},
			"header": object{"type": "apiKey", "in": "header", "name": "X-Api-Key"},
			"query":  object{"type": "apiKey", "in": "query", "name": "api_key"},
			"cookie": object{"type": "apiKey", "in": "cookie", "name": "sid"},
			"login":  object{"type": "http", "scheme": "basic"},
		}},
		"security": []any{object{"token": []any{}}, object{"header": []any{}}, object{"query": []any{}}, object{"cookie": []any{}}, object{"login": []any{}}, object{}},
		"paths": object{
			"/items": object{"get": operation("items", "listItems", "List items", in("query", "limit", "integer"))},
			"/items/{id}": object{
				"get":    operation("items", "getItem", "Read one item", in("path", "id", "string")),
				"delete": operation("items", "removeItem", "Remove an item", in("path", "id", "string")),
			},
			"/orders": object{"post": taking(operation("orders", "placeOrder", "Order something; every request is an order"))},
			"/payments": object{"post": taking(operation("payments", "pay", "Pay once for each key",
				object{"in": "header", "name": "Idempotency-Key", "schema": object{"type": "string"}}))},
			"/drops":          object{"post": taking(operation("drops", "drop", "Do something and never answer"))},
			"/held":           object{"post": taking(operation("held", "hold", "Do something and answer later"))},
			"/slow":           object{"get": operation("slow", "wait", "Answer late", in("query", "ms", "integer"))},
			"/echo":           object{"get": operation("echo", "say", "Say back what came", in("query", "q", "string")), "post": taking(operation("echo", "send", "Say back what came"))},
			"/fail/{status}":  object{"get": operation("fail", "as", "Answer with a status", in("path", "status", "integer"))},
			"/plain/{status}": object{"get": operation("fail", "before", "Answer with a status before asking who calls", in("path", "status", "integer"))},
			"/binary":         object{"get": operation("files", "read", "A file", in("query", "size", "integer"))},
			"/away":           object{"get": operation("away", "go", "Redirect to another host", in("query", "q", "string"))},
		},
	}
}

func operation(tag, id, summary string, params ...any) object {
	o := object{"tags": []any{tag}, "operationId": tag + "." + id, "summary": summary, "responses": object{"200": object{"description": "fine"}}}
	if len(params) > 0 {
		o["parameters"] = params
	}
	return o
}

func in(where, name, kind string) object {
	return object{"in": where, "name": name, "required": where == "path", "schema": object{"type": kind}}
}

// taking gives an operation a body: a text, and anything else.
func taking(o object) object {
	o["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": object{"type": "object",
		"properties": object{"item": object{"type": "string"}, "count": object{"type": "integer"}}, "required": []any{"item"}, "additionalProperties": false}}}}
	return o
}

// Large describes an API with n operations, each with its own parameters, body and answer, as generated descriptions have.
func Large(url string, n int) map[string]any {
	nouns := []string{"invoice", "customer", "project", "ticket", "device", "report", "member", "payment", "order", "contract", "webhook", "region"}
	verbs := []string{"list", "get", "create", "update", "archive", "search", "export", "approve"}
	paths, schemas := object{}, object{}
	for i := range n {
		noun, verb := nouns[i%len(nouns)], verbs[(i/len(nouns))%len(verbs)]
		name := fmt.Sprintf("%s%d", noun, i/(len(nouns)*len(verbs)))
		schema := fmt.Sprintf("%s_%d", noun, i)
		schemas[schema] = object{"type": "object", "description": "One " + noun + ", as it is kept.", "properties": object{
			"id": object{"type": "string"}, "name": object{"type": "string", "description": "What people call the " + noun},
			"status": object{"type": "string", "enum": []any{"open", "closed", "waiting"}}, "amount": object{"type": "number"},
			"tags": object{"type": "array", "items": object{"type": "string"}}, "owner": object{"type": "string", "format": "email"}}}
		ref := object{"$ref": "#/components/schemas/" + schema}
		o := object{"tags": []any{name}, "operationId": fmt.Sprintf("%s_%s_%d", name, verb, i), "summary": fmt.Sprintf("%s %s number %d", verb, noun, i),
			"description": "Works on one " + noun + " of the account; larger ones are paged.",
			"parameters":  []any{in("path", "id", "string"), in("query", "limit", "integer"), in("query", "filter", "string")},
			"responses":   object{"200": object{"description": "fine", "content": object{"application/json": object{"schema": ref}}}}}
		method := "get"
		if i%3 == 1 {
			method = "post"
			o["requestBody"] = object{"content": object{"application/json": object{"schema": ref}}}
		}
		paths[fmt.Sprintf("/v1/%s/{id}/%s/%d", name, verb, i)] = object{method: o}
	}
	return object{"openapi": "3.0.3", "info": object{"title": "Large", "version": "1"}, "servers": []any{object{"url": url}},
		"components": object{"schemas": schemas}, "paths": paths}
}
