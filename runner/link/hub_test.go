package link

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/clock"
	"github.com/proagentstore/pags/pkg/local/files"
	"github.com/proagentstore/pags/pkg/local/hub"
	"github.com/proagentstore/pags/pkg/machine"
	"github.com/proagentstore/pags/pkg/machine/machinetest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

// TestLink_OverRealSocketsAndTheLocalHost runs the dialer against the hub that pags serve uses.
func TestLink_OverRealSocketsAndTheLocalHost(t *testing.T) {
	c := &cloud{T: t, world: machinetest.NewWorld(), edge: machinetest.NewEdge(), clock: clock.Real{}}
	dir := t.TempDir()
	table, err := bolt.Open(filepath.Join(dir, "pags.db"), bolt.Options{Clock: c.clock, NoSync: true})
	c.must(err)
	t.Cleanup(func() { c.must(table.Close()) })
	blobs, err := files.Open(files.Options{Dir: dir, BaseURL: "http://blobs.test", Clock: c.clock})
	c.must(err)
	edge := hub.New(hub.Options{Clock: c.clock, OnEvent: func(ctx context.Context, e events.APIGatewayWebsocketProxyRequest) (events.APIGatewayProxyResponse, error) {
		switch e.RequestContext.RouteKey {
		case "$connect":
			return c.svc.Connect(ctx, e)
		case "$disconnect":
			return c.svc.Disconnect(ctx, e)
		}
		return c.svc.Message(ctx, e)
	}})
	server := httptest.NewServer(edge)
	t.Cleanup(server.Close)
	t.Cleanup(func() { c.must(edge.Shutdown(context.Background())) })
	c.svc = c.world.Service(edge, table, blobs, c.clock)
	c.svc.WSURL = "ws" + strings.TrimPrefix(server.URL, "http") + "/live"
	c.world.Owner["ins_1"] = pags.User{ID: user}

	r := c.runner()
	big := strings.Repeat("世", 20<<10) // several frames
	r.hand.result = func(context.Context, relay.Call, Uploader) relay.Result {
		return relay.Result{Status: relay.StatusOK, Seen: &relay.Observation{Snapshot: big}}
	}
	r.up(func(c *Config) { c.Dial = nil })
	c.eventually("the link is live", func() bool { return r.state() == Live })
	for step := 1; step <= 5; step++ {
		c.call(step, "ins_1", "", click)
		if got := c.ended(step, relay.StatusOK); got.Seen.Snapshot != big {
			t.Fatalf("step %d came back with %d bytes", step, len(got.Seen.Snapshot))
		}
	}
	c.must(r.stop())
	c.eventually("the machine is offline", func() bool {
		a, err := c.svc.Attachment(context.Background(), user, "ins_1", "")
		return err == nil && a.Reason == machine.RunnerOffline
	})
}
