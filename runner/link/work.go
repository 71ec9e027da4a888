package link

import (
	"context"
	"slices"
	"sync"

	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/outcome"
)

// Bounds of what the cloud may queue here.
const (
	maxQueued    = 256
	maxCancelled = 256
)

// job is one call in this process, queued or running.
type job struct {
	call   relay.Call
	key    string
	ctx    context.Context // over when the call is cancelled or the link stops
	cancel context.CancelCauseFunc
}

// work holds the calls: a lane for each instance, one call at a time in it.
type work struct {
	mu        sync.Mutex
	jobs      map[string]*job // by call key
	lanes     map[pags.InstanceID][]*job
	cancelled []string // keys cancelled before their call came: frames overtake each other
	closed    bool
	quit      chan struct{} // closed with it
	running   sync.WaitGroup
}

func (k *work) init() {
	k.jobs, k.lanes, k.quit = map[string]*job{}, map[pags.InstanceID][]*job{}, make(chan struct{})
}

// close cancels everything and takes nothing more.
func (k *work) close(cause error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	close(k.quit)
	for _, j := range k.jobs {
		j.cancel(cause)
	}
}

func (k *work) wait() { k.running.Wait() }

// accept queues a call. One that is queued or running already is the cloud's repeat.
func (l *Link) accept(c relay.Call) error {
	if c.RunID == "" || c.InstanceID == "" || c.Step < 0 {
		return pags.Errorf(pags.Invalid, "the call names no run, step or instance")
	}
	k := &l.work
	key := relay.CallKey(c.RunID, c.Step)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed || k.jobs[key] != nil {
		return nil
	}
	if len(k.jobs) >= maxQueued {
		return pags.Errorf(pags.TooLarge, "more than %d calls are queued", maxQueued)
	}
	j := &job{call: c, key: key}
	j.ctx, j.cancel = context.WithCancelCause(context.Background())
	if i := slices.Index(k.cancelled, key); i >= 0 {
		j.cancel(ErrCancelled)
	}
	k.jobs[key] = j
	lane, busy := k.lanes[c.InstanceID]
	k.lanes[c.InstanceID] = append(lane, j)
	if !busy {
		k.running.Go(func() { l.runLane(c.InstanceID) })
	}
	return nil
}

// cancel stops a call, or remembers to when it comes.
func (l *Link) cancel(ref relay.CallRef) {
	k := &l.work
	key := relay.CallKey(ref.RunID, ref.Step)
	k.mu.Lock()
	defer k.mu.Unlock()
	if j := k.jobs[key]; j != nil {
		j.cancel(ErrCancelled)
		return
	}
	if len(k.cancelled) >= maxCancelled {
		k.cancelled = slices.Delete(k.cancelled, 0, maxCancelled/2)
	}
	k.cancelled = append(k.cancelled, key)
}

// runLane does the calls of an instance in the order they came.
func (l *Link) runLane(id pags.InstanceID) {
	k := &l.work
	for {
		k.mu.Lock()
		lane := k.lanes[id]
		if len(lane) == 0 {
			delete(k.lanes, id)
			k.mu.Unlock()
			return
		}
		j := lane[0]
		k.lanes[id] = lane[1:]
		k.mu.Unlock()
		l.do(j)
	}
}

// leave takes a job off the list: from now on a repeat of its call asks the store.
func (l *Link) leave(j *job) {
	l.work.mu.Lock()
	defer l.work.mu.Unlock()
	if l.work.jobs[j.key] == j {
		delete(l.work.jobs, j.key)
	}
	j.cancel(context.Canceled)
}

// do brings one call to its outcome.
func (l *Link) do(j *job) {
	defer l.leave(j)
	if l.stopping() {
		return // untouched: the cloud sends it again at the next hello
	}
	crash.Here(crash.IntentBefore)
	verdict, known, err := l.Store.Intent(j.call)
	if err != nil {
		l.Log.Error("a command was refused: its intent could not be written", "call", j.key, "reason", err.Error())
		l.outbox.add(j.outcome(relay.Result{Status: relay.StatusFailed,
			Feedback: "the runner cannot write to its disk, so the command was not started; free some space on the machine"}))
		return
	}
	switch verdict {
	case outcome.First:
		crash.Here(crash.IntentAfter)
		l.act(j)
	case outcome.Known, outcome.Unknown:
		l.outbox.add(*known)
	case outcome.Stale:
		l.outbox.add(j.outcome(relay.Result{Status: relay.StatusRefused, Feedback: "a newer run of this agent has the browser; this one is over"}))
	case outcome.Running:
	}
}

func (l *Link) stopping() bool {
	l.work.mu.Lock()
	defer l.work.mu.Unlock()
	return l.work.closed
}

func (j *job) outcome(r relay.Result) relay.Outcome {
	return relay.Outcome{RunID: j.call.RunID, Step: j.call.Step, Fence: j.call.Fence, Result: r}
}

// finish writes an outcome down and lets it go out. Where the disk refuses, it goes out from memory: with the cloud it is as
// safe, and only a crash before that leaves it unknown.
func (l *Link) finish(j *job, r relay.Result) {
	o := j.outcome(r)
	if _, err := l.Store.Finish(o); err != nil {
		l.Log.Error("an outcome is kept in memory only", "call", j.key, "reason", err.Error())
		l.outbox.add(o)
		return
	}
	crash.Here(crash.OutcomeStoredAfter)
	l.outbox.kick()
}

// beat tells the cloud every relay.BeatEvery which calls it still has, so that nobody takes a long command for dead.
func (l *Link) beat(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.Clock.After(relay.BeatEvery):
		}
		l.work.mu.Lock()
		var refs []relay.CallRef
		for _, j := range l.work.jobs {
			refs = append(refs, relay.CallRef{RunID: j.call.RunID, Step: j.call.Step})
		}
		l.work.mu.Unlock()
		w, _ := l.line()
		for _, ref := range refs {
			if w == nil {
				break
			}
			if err := l.say(w, relay.KindProgress, ref); err != nil {
				break
			}
		}
	}
}
