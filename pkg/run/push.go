package run

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/relay"
)

// pushEvery is the least time between two pushes of one run: 4 a second (architecture, the wire). What comes in between goes
// together with the next; consoles fill gaps by …/events?after=.
const pushEvery = 250 * time.Millisecond

// pusher tells consoles of events, after the commit and best effort.
type pusher struct {
	clock    port.Clock
	consoles Consoles

	mu   sync.Mutex
	runs map[pags.RunID]*pushed
}

type pushed struct {
	run       pags.Run
	pending   []pags.Event
	last      time.Time
	scheduled bool
}

func newPusher(clock port.Clock, consoles Consoles) *pusher {
	return &pusher{clock: clock, consoles: consoles, runs: map[pags.RunID]*pushed{}}
}

func (p *pusher) push(ctx context.Context, run pags.Run, events []pags.Event) {
	if p.consoles == nil {
		return
	}
	p.mu.Lock()
	st := p.runs[run.ID]
	if st == nil {
		p.forget()
		st = &pushed{}
		p.runs[run.ID] = st
	}
	if run.LastEvent >= st.run.LastEvent {
		st.run = run
	}
	st.pending = append(st.pending, events...)
	wait := pushEvery - p.clock.Now().Sub(st.last)
	if st.scheduled {
		p.mu.Unlock()
		return
	}
	if wait > 0 {
		st.scheduled = true
		p.mu.Unlock()
		go func() {
			<-p.clock.After(wait)
			p.mu.Lock()
			p.send(context.WithoutCancel(ctx), st)
		}()
		return
	}
	p.send(ctx, st)
}

// send takes what is pending and sends it; it is entered with the lock and gives it back.
func (p *pusher) send(ctx context.Context, st *pushed) {
	run, events := st.run, st.pending
	st.pending, st.scheduled, st.last = nil, false, p.clock.Now()
	p.mu.Unlock()
	slices.SortFunc(events, func(a, b pags.Event) int { return int(a.Seq - b.Seq) })
	body, err := json.Marshal(relay.Events{Run: run, Events: events})
	if err == nil && len(body) > relay.MaxMessage-1024 {
		body, err = json.Marshal(relay.Events{Run: run}) // the console re-reads
	}
	if err != nil {
		return // of plain data: cannot happen, and a push is best effort
	}
	p.consoles.Push(ctx, run.UserID, relay.Message{V: relay.Version, ID: pags.NewToken()[:26], Kind: relay.KindEvents, Body: body})
}

// forget drops what was quiet for a while, so that the map stays small. Called with the lock.
func (p *pusher) forget() {
	if len(p.runs) < 256 {
		return
	}
	now := p.clock.Now()
	for id, st := range p.runs {
		if !st.scheduled && now.Sub(st.last) > pushEvery {
			delete(p.runs, id)
		}
	}
}
