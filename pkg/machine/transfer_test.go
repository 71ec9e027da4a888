package machine_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/local/files"
	"github.com/proagentstore/pags/pkg/port"
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

func TestSlots_OnlyForAnOpenCallOfThisMachineWithExactFacts(t *testing.T) {
	c := newCloud(t)
	mine, other := c.machine("mine").up(), c.machine("other").up()
	c.order(1, string(mine.mac.ID), look)
	c.call(1, "token-1")
	mine.expect(relay.KindCall, nil)
	sum := strings.Repeat("ab", 32)
	good := relay.SlotItem{Name: "shot.jpg", Size: 10, SHA256: sum, ContentType: "image/jpeg"}
	ask := func(p *peer, items ...relay.SlotItem) relay.SlotsGiven {
		t.Helper()
		id := p.send(relay.KindSlots, relay.SlotsAsk{RunID: "run_1", Step: 1, Items: items})
		var got relay.SlotsGiven
		p.expect(relay.KindSlots, &got)
		if got.Re != id {
			t.Fatalf("answer to %s, asked %s", got.Re, id)
		}
		return got
	}
	if got := ask(mine, good); got.Error != "" || len(got.Slots) != 1 || got.Slots[0].Key != "runs/run_1/1/shot.jpg" || got.Slots[0].Method != http.MethodPut {
		t.Fatalf("slot %+v", got)
	}
	bad := map[string]func(*relay.SlotItem){
		"another name": func(i *relay.SlotItem) { i.Name = "../../state.json" }, "empty": func(i *relay.SlotItem) { i.Size = 0 },
		"huge": func(i *relay.SlotItem) { i.Size = 1 << 30 }, "type": func(i *relay.SlotItem) { i.ContentType = "text/html" },
		"checksum": func(i *relay.SlotItem) { i.SHA256 = "abc" },
	}
	for what, change := range bad {
		x := good
		change(&x)
		if got := ask(mine, x); got.Error == "" || len(got.Slots) != 0 {
			t.Errorf("%s: %+v", what, got)
		}
	}
	if got := ask(other, good); got.Error == "" {
		t.Error("another machine got a slot")
	}
	mine.send(relay.KindOutcome, done(1))
	mine.expect(relay.KindAck, nil)
	if got := ask(mine, good); got.Error == "" {
		t.Error("a closed call got a slot")
	}
}

func TestTransfer_WS03_LargeOutcomesAndCommandsArriveWhole(t *testing.T) {
	c := newCloud(t)
	site := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(site.Close)
	blobs, err := files.Open(files.Options{Dir: t.TempDir(), BaseURL: site.URL, Clock: c.clock})
	c.must(err)
	site.Config.Handler = blobs.Handler()
	c.Service = c.world.Service(c.edge, c.table, blobs, c.clock)
	p := c.machine("laptop").up()
	texts := []string{strings.Repeat("a", 31<<10), strings.Repeat("b", 33<<10), strings.Repeat("c", 127<<10), strings.Repeat("d", 129<<10), strings.Repeat("世", 5<<20/3)}
	for i, text := range texts {
		step := i + 1
		c.order(step, string(p.mac.ID), relay.Command{Action: relay.ActType, Ref: "e1", Text: text})
		c.call(step, "token")
		var got relay.Call
		p.expect(relay.KindCall, &got)
		if at := got.CommandAt; at != nil {
			got.Command = fetch(t, *at)
		}
		if got.Command.Text != text {
			t.Fatalf("command of %d bytes came as %d", len(text), len(got.Command.Text))
		}
		o := done(step)
		if len(text) <= relay.InlineOutcome {
			o.Result.Seen = &relay.Observation{Snapshot: text}
		} else {
			o.Result.Seen = &relay.Observation{SnapshotKey: upload(t, p, step, []byte(text))}
		}
		p.send(relay.KindOutcome, o)
		p.expect(relay.KindAck, nil)
		kept, _, err := c.Outcome(c.ctx, "run_1", step)
		c.must(err)
		whole := kept.Result.Seen.Snapshot
		if key := kept.Result.Seen.SnapshotKey; key != "" {
			raw, _, err := blobs.Get(c.ctx, key, 0, 0)
			c.must(err)
			whole = string(raw)
		}
		if whole != text {
			t.Fatalf("outcome of %d bytes came as %d", len(text), len(whole))
		}
	}
	if open := c.edge.Open(); !slices.Equal(open, []string{p.conn.ID}) {
		t.Fatalf("open sockets %v", open)
	}
}

func TestFragments_ArriveInAnyOrderOnceAndWithinTheirCaps(t *testing.T) {
	p := newCloud(t).machine("laptop").up()
	p.order(1, string(p.mac.ID), look)
	p.call(1, "token-1")
	p.expect(relay.KindCall, nil)
	o := done(1)
	o.Result.Seen = &relay.Observation{Snapshot: strings.Repeat("世", 20<<10)}
	m, err := relay.New("big", relay.KindOutcome, o)
	p.must(err)
	frames, err := relay.Split(m)
	p.must(err)
	if len(frames) < 3 {
		t.Fatalf("only %d frames", len(frames))
	}
	slices.Reverse(frames)
	for _, f := range append(slices.Clone(frames[:1]), frames...) { // the last one twice, backwards
		p.must(p.conn.Write(p.ctx, f))
	}
	p.expect(relay.KindAck, nil)
	kept, _, err := p.Outcome(p.ctx, "run_1", 1)
	p.must(err)
	sum, want := sha256.Sum256([]byte(kept.Result.Seen.Snapshot)), sha256.Sum256([]byte(o.Result.Seen.Snapshot))
	if sum != want {
		t.Fatalf("snapshot changed to %s", hex.EncodeToString(sum[:]))
	}
	p.edge.Errors()
	for i := range 60 { // half-sent messages pile up to the cap and are gone after five minutes
		p.must(p.conn.Write(p.ctx, []byte(`{"m":"half`+string(rune('a'+i%26))+string(rune('a'+i/26))+`","i":0,"n":2,"d":"x"}`)))
	}
	p.edge.Errors()
	page, err := p.table.Query(p.ctx, port.Query{PK: "C#" + p.conn.ID, Prefix: "FRAG#", Limit: 1000})
	if err != nil || len(page.Items) > 48 {
		t.Fatalf("%d pieces are kept, %v", len(page.Items), err)
	}
	p.clock.Advance(relay.PendingAge)
	page, err = p.table.Query(p.ctx, port.Query{PK: "C#" + p.conn.ID, Prefix: "FRAG#", Limit: 1000})
	if err != nil || len(page.Items) != 0 {
		t.Fatalf("%d pieces did not expire, %v", len(page.Items), err)
	}
}
