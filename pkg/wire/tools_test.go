package wire_test

import (
	"maps"

	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// shop is an API at which nobody answers.
const shop = `{"openapi":"3.0.3","info":{"title":"Shop","version":"1"},"servers":[{"url":"http://127.0.0.1:1"}],
"paths":{"/items":{"get":{"operationId":"listItems","tags":["items"],"responses":{"200":{"description":"ok"}}},
"post":{"operationId":"addItem","tags":["items"],"responses":{"201":{"description":"made"}}}}}}`

// toolThings gives the owner one of everything of the tool runtime, and says how its routes are asked.
func (h *house) toolThings(inputs map[string]httpapitest.Input) map[string]httpapitest.Input {
	h.t.Helper()
	call[any](h, "POST", "/v1/sources", map[string]any{"document": shop})
	policy := call[struct{ ID string }](h, "POST", "/v1/policies", map[string]any{"pattern": "shop.main.items.addItem", "action": "block"}).ID
	program := call[struct{ ID string }](h, "POST", "/v1/executions", map[string]any{"code": "return 1", "waitSeconds": 0}).ID
	token := call[struct{ ID string }](h, "POST", "/v1/auth/tokens", map[string]any{"name": "a client", "scopes": []string{"tools"}}).ID
	file := pags.NewFileID(h.clock.Now())
	h.must(h.table.Write(h.t.Context(), port.Put(port.Item{port.AttrPK: "U#" + string(h.owner.id), port.AttrSK: "FILE#" + string(file),
		"id": string(file), "contentType": "text/plain", "size": 3, "from": "shop.main.items.listItems", "createdAt": "2026-03-01T12:00:00Z"})))

	of := func(name, value string, body map[string]any) httpapitest.Input {
		in := httpapitest.Input{Params: map[string]string{name: value}}
		if body != nil {
			in.Body = body
		}
		return in
	}
	slug := func(body map[string]any) httpapitest.Input { return of("slug", "shop", body) }
	connection := func(body map[string]any) httpapitest.Input {
		in := of("source", "shop", body)
		in.Params["name"] = "main"
		return in
	}
	maps.Copy(inputs, map[string]httpapitest.Input{
		"discoverSource": {Body: map[string]any{"url": "http://127.0.0.1:1"}}, "previewSource": {Body: map[string]any{"document": shop}},
		"addSource": {Body: map[string]any{"document": shop, "slug": "again"}}, "getSource": slug(nil), "changeSource": slug(map[string]any{"name": "Mine"}), "removeSource": slug(nil),
		"refreshSource": slug(map[string]any{"document": shop}), "listDrift": slug(nil), "acceptSource": slug(map[string]any{}),
		"addConnection": {Body: map[string]any{"source": "shop", "name": "second", "method": "none"}},
		"getConnection": connection(nil), "changeConnection": connection(map[string]any{"enabled": false}), "removeConnection": connection(nil), "testConnection": connection(map[string]any{}),
		"describeTool": {Query: "path=shop.main.items.listItems"}, "callTool": {Body: map[string]any{"path": "search", "args": map[string]any{"query": "item"}}},
		"getToolFile":  of("id", string(file), nil),
		"createPolicy": {Body: map[string]any{"pattern": "shop.*", "action": "approve"}}, "checkPolicy": {Body: map[string]any{"pattern": "shop.*"}},
		"getPolicy": of("id", policy, nil), "changePolicy": of("id", policy, map[string]any{"enabled": false}), "removePolicy": of("id", policy, nil),
		"startExecution": {Body: map[string]any{"code": "return 2", "waitSeconds": 0}}, "getExecution": of("id", program, nil), "listExecutionSteps": of("id", program, nil),
		"resumeExecution": of("id", program, map[string]any{"action": "cancel", "waitSeconds": 0}), "cancelExecution": of("id", program, nil),
		"createToken": {Body: map[string]any{"name": "another", "scopes": []string{"tools"}}}, "revokeToken": of("id", token, nil),
	})
	return inputs
}
