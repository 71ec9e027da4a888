package execution

import (
	"sync"

	"github.com/proagentstore/pags/pkg/pags"
)

// bells tell those who wait for a run that a slice of it has ended in this process. Where slices run elsewhere nothing rings,
// and who waits looks by itself. The zero value is ready.
type bells struct {
	mu  sync.Mutex
	who map[pags.RunID]map[chan struct{}]bool
}

// listen hears each ring until leave is called; several that nobody looked at are one.
func (b *bells) listen(id pags.RunID) (rung <-chan struct{}, leave func()) {
	c := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.who == nil {
		b.who = map[pags.RunID]map[chan struct{}]bool{}
	}
	if b.who[id] == nil {
		b.who[id] = map[chan struct{}]bool{}
	}
	b.who[id][c] = true
	return c, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if delete(b.who[id], c); len(b.who[id]) == 0 {
			delete(b.who, id)
		}
	}
}

func (b *bells) ring(id pags.RunID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.who[id] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}
