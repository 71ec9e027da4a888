package source

import (
	"container/list"
	"context"
	"sync"
)

// lru keeps values by key up to a number of bytes, the least used goes first. The newest one stays even if it is larger than
// everything that is allowed: it is in use.
type lru struct {
	mu    sync.Mutex
	max   int64
	bytes int64
	order *list.List // front: used last
	items map[string]*list.Element
}

type kept struct {
	key   string
	value any
	cost  int64
}

func newLRU(max int64) *lru {
	return &lru{max: max, order: list.New(), items: map[string]*list.Element{}}
}

func (l *lru) get(key string) (any, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.items[key]
	if !ok {
		return nil, false
	}
	l.order.MoveToFront(e)
	return e.Value.(*kept).value, true
}

func (l *lru) put(key string, value any, cost int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.items[key]; ok {
		l.drop(e)
	}
	l.items[key] = l.order.PushFront(&kept{key, value, cost})
	l.bytes += cost
	for l.bytes > l.max && l.order.Len() > 1 {
		l.drop(l.order.Back())
	}
}

func (l *lru) drop(e *list.Element) {
	k := l.order.Remove(e).(*kept)
	delete(l.items, k.key)
	l.bytes -= k.cost
}

// flights lets one caller do what several ask for at the same time; the others wait for it, each as long as it likes.
type flights struct {
	mu   sync.Mutex
	open map[string]*flight
}

type flight struct {
	done  chan struct{}
	value any
	err   error
}

// do runs load once per key at a time. Its context outlives a caller who leaves: the others still wait.
func (f *flights) do(ctx context.Context, key string, load func(context.Context) (any, error)) (any, error) {
	f.mu.Lock()
	c, flying := f.open[key]
	if !flying {
		c = &flight{done: make(chan struct{})}
		if f.open == nil {
			f.open = map[string]*flight{}
		}
		f.open[key] = c
		go func() {
			c.value, c.err = load(context.WithoutCancel(ctx))
			f.mu.Lock()
			delete(f.open, key)
			f.mu.Unlock()
			close(c.done)
		}()
	}
	f.mu.Unlock()
	select {
	case <-c.done:
		return c.value, c.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// remember gives what is kept under the key, or loads and keeps it.
func remember[V any](ctx context.Context, s *Service, key string, load func(context.Context) (V, int64, error)) (V, error) {
	if v, ok := s.cache.get(key); ok {
		return v.(V), nil
	}
	v, err := s.flights.do(ctx, key, func(ctx context.Context) (any, error) {
		if v, ok := s.cache.get(key); ok { // another flight landed in between
			return v, nil
		}
		v, cost, err := load(ctx)
		if err == nil {
			s.cache.put(key, v, cost)
		}
		return v, err
	})
	if err != nil {
		var none V
		return none, err
	}
	return v.(V), nil
}
