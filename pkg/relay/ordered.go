package relay

import "github.com/proagentstore/pags/pkg/pags"

// Ordered turns pushed events, which overtake each other and get lost, into the run's timeline: what it hands out is always
// a prefix in order without repeats. It is pure; the caller re-reads where Gap says so, and decides how long to wait first.
type Ordered struct {
	last int64 // number of the newest event handed out
	head int64 // newest number known to exist
	held map[int64]pags.Event
}

// heldEvents bounds what is kept beyond a gap; a re-read brings the rest.
const heldEvents = 1000

// NewOrdered starts after an event number; 0 for the whole timeline.
func NewOrdered(after int64) *Ordered {
	return &Ordered{last: after, head: after, held: map[int64]pags.Event{}}
}

// Add takes events in any order, pushed or re-read, and returns those that continue the prefix.
func (o *Ordered) Add(events ...pags.Event) []pags.Event {
	for _, e := range events {
		o.Know(e.Seq)
		if e.Seq > o.last && (len(o.held) < heldEvents || e.Seq == o.last+1) {
			o.held[e.Seq] = e
		}
	}
	var ready []pags.Event
	for {
		e, ok := o.held[o.last+1]
		if !ok {
			return ready
		}
		delete(o.held, e.Seq)
		o.last = e.Seq
		ready = append(ready, e)
	}
}

// Know notes that events up to a number exist, as a run's head says.
func (o *Ordered) Know(head int64) { o.head = max(o.head, head) }

// Last is the number of the newest event handed out.
func (o *Ordered) Last() int64 { return o.last }

// Gap reports whether something is missing before what is known to exist, and after which number to re-read.
func (o *Ordered) Gap() (after int64, missing bool) { return o.last, o.head > o.last }
