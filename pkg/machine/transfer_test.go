package machine_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/relay"
)

func socketEvent(connection, body string) events.APIGatewayWebsocketProxyRequest {
	return events.APIGatewayWebsocketProxyRequest{Body: body, RequestContext: events.APIGatewayWebsocketProxyRequestContext{ConnectionID: connection}}
}

// fetch reads a command by address as a runner does.
func fetch(t *testing.T, at relay.BodyAt) relay.Command {
	t.Helper()
	got, err := http.Get(at.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	raw, err := io.ReadAll(got.Body)
	sum := sha256.Sum256(raw)
	if err != nil || got.StatusCode != http.StatusOK || int64(len(raw)) != at.Size || hex.EncodeToString(sum[:]) != at.SHA256 {
		t.Fatalf("fetched %d bytes with status %d, %v", len(raw), got.StatusCode, err)
	}
	var cmd relay.Command
	if err := json.Unmarshal(raw, &cmd); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// upload puts a snapshot into a slot as a runner does and returns its key.
func upload(t *testing.T, p *peer, step int, body []byte) string {
	t.Helper()
	sum := sha256.Sum256(body)
	p.send(relay.KindSlots, relay.SlotsAsk{RunID: "run_1", Step: step, Items: []relay.SlotItem{{Name: "snapshot.txt", Size: int64(len(body)),
		SHA256: hex.EncodeToString(sum[:]), ContentType: "text/plain; charset=utf-8"}}})
	var given relay.SlotsGiven
	p.expect(relay.KindSlots, &given)
	if given.Error != "" || len(given.Slots) != 1 {
		t.Fatalf("slots %+v", given)
	}
	slot := given.Slots[0]
	req, err := http.NewRequestWithContext(p.ctx, slot.Method, slot.URL, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range slot.Headers {
		req.Header.Set(k, v)
	}
	got, err := http.DefaultClient.Do(req)
	if err != nil || got.StatusCode >= 300 {
		t.Fatalf("upload: %v, %v", got, err)
	}
	_ = got.Body.Close()
	return slot.Key
}
