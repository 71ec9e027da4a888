package wire_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"testing"

	"github.com/proagentstore/pags/pkg/httpapi/httpapitest"
	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/wire"
)

// filled is a house in which the owner has one of everything.
func filled(t *testing.T) httpapitest.World {
	t.Helper()
	h := newHouse(t, &idle{})
	ctx := t.Context()
	stranger, suspended := h.another("stranger"), h.another("suspended")
	h.must(h.Accounts.SetSuspended(ctx, suspended.id, true))
	id := h.instance("http://127.0.0.1:1")
	run := h.begin(id)
	free := call[struct{ InstanceID pags.InstanceID }](h, "POST", "/v1/instances/portal-watch/subscribe", map[string]any{}).InstanceID
	_, err := h.Blobs.Put(ctx, "runs/"+string(run.ID)+"/1/shot.jpg", []byte("a picture"), port.PutOptions{ContentType: "image/jpeg"})
	h.must(err)
	m, err := h.Machines.Register(ctx, h.owner.id, machine.Registration{PublicKey: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", Node: "desk", Version: "1", Capabilities: []string{"browser"}})
	h.must(err)
	_, _, session, err := h.Accounts.NewSession(ctx, h.owner.id, "another device", true)
	h.must(err)
	q := h.question(run)
	of := func(v string) map[string]string { return map[string]string{"id": v} }
	return httpapitest.World{
		API: h.API(), Table: h.table, Owner: h.owner.token, Stranger: stranger.token, Suspended: suspended.token,
		Params: map[string]string{"id": string(id), "instanceId": string(id), "agentId": "browser", "provider": "anthropic", "machineId": string(m.ID),
			"task": string(run.ID), "name": "1.jpg"},
		Inputs: h.toolThings(map[string]httpapitest.Input{
			"getRun": {Params: of(string(run.ID))}, "listRunEvents": {Params: of(string(run.ID))}, "cancelRun": {Params: of(string(run.ID))},
			"getRunPicture": {Params: of(string(run.ID))}, "exportRun": {Params: of(string(run.ID))},
			"startBrowse":    {Params: of(string(free)), Body: map[string]any{"url": "https://example.com", "objective": "Look"}},
			"getInteraction": {Params: of(string(q))}, "answerInteraction": {Params: of(string(q)), Body: map[string]any{"kind": "value", "value": "blue"}},
			"revokeSession":   {Params: of(string(session.ID))},
			"renameInstance":  {Body: map[string]any{"name": "Mine"}},
			"setConfig":       {Body: map[string]any{"key": "maxSteps", "value": 5}},
			"setRunnerNode":   {Body: map[string]any{"runnerNode": "desk"}},
			"subscribe":       {Body: map[string]any{}},
			"setKey":          {Body: map[string]any{"key": "another-key"}},
			"registerMachine": {Body: map[string]any{"publicKey": "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA=", "node": "x", "version": "1", "capabilities": []string{}}},
			"mintTicket":      {Body: map[string]any{"role": "console"}},
			"createLink":      {Body: map[string]any{}},
		}),
	}
}

// question opens one, as its row in docs/data-model.md.
func (h *house) question(r pags.Run) pags.InteractionID {
	h.t.Helper()
	now := h.clock.Now()
	x := struct {
		pags.Interaction
		Token string `json:"token"`
		Until int64  `json:"until"`
	}{Interaction: pags.Interaction{ID: pags.NewInteractionID(now), UserID: r.UserID, RunID: r.ID, InstanceID: r.InstanceID, Step: 1, Reason: pags.WaitValue,
		Title: "Which colour?", Allowed: []string{pags.AnswerValue}, Status: pags.InteractionOpen, CreatedAt: now, ExpiresAt: now.Add(86400e9)}, Token: "tok"}
	x.Until = x.ExpiresAt.Unix()
	it, err := port.Encode(port.Key{PK: "X#" + string(x.ID), SK: "META"}, x)
	h.must(err)
	it.In("g1", "U#"+string(x.UserID)+"#INBOX", "open#"+string(x.ID)).In("g2", "R#"+string(x.RunID)+"#ASKS", string(x.ID))
	h.must(h.table.Write(h.t.Context(), port.Put(it)))
	return x.ID
}

func TestAPI_EveryRouteIsTheOwnersOnly(t *testing.T) {
	httpapitest.Ownership(t, filled)
}

func TestAPI_DocumentIsCurrent(t *testing.T) {
	made, err := wire.New(wire.Deps{}).API().OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimSpace(made), bytes.TrimSpace(kept)) {
		t.Error("openapi.json is not what the routes say; run: go generate ./pkg/wire")
	}
	h := newHouse(t, &idle{})
	served := httpapitest.Do(t, h.API(), http.MethodGet, "/v1/openapi.json", "", nil)
	if served.Code != 200 || !bytes.Equal(bytes.TrimSpace(served.Body.Bytes()), bytes.TrimSpace(kept)) {
		t.Errorf("what is served differs: %d, %d bytes", served.Code, served.Body.Len())
	}
}

func TestAPI_OperationsAreNamedOnceAndDescribed(t *testing.T) {
	camel := regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	seen := map[string]string{}
	count := 0
	for family, routes := range wire.Routes() {
		for _, r := range routes {
			count++
			at := r.Method + " " + r.Path
			if !camel.MatchString(r.ID) || r.Summary == "" || r.Tag == "" {
				t.Errorf("%s has the id %q, the summary %q and the tag %q", at, r.ID, r.Summary, r.Tag)
			}
			if other := seen[r.ID]; other != "" {
				t.Errorf("%s and %s are both called %s (%s)", at, other, r.ID, family)
			}
			seen[r.ID] = at
		}
	}
	raw, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string
			Responses   map[string]any
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	described := 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			described++
			if seen[op.OperationID] == "" || len(op.Responses) < 2 {
				t.Errorf("%s %s: operation %q with %d answers", method, path, op.OperationID, len(op.Responses))
			}
		}
	}
	if described != count || count < 30 {
		t.Errorf("%d operations are described, %d are served", described, count)
	}
}
