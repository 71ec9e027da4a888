package outcome

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/proagentstore/pags/pkg/relay"
)

// Verdict says what to do with a call.
type Verdict int

const (
	First   Verdict = iota // the intent is on disk: act
	Running                // this process is at it already: nothing to do
	Known                  // it has an outcome: send that one again
	Unknown                // an earlier process meant to act and no outcome was written: the outcome now says unknown
	Stale                  // a newer run of the instance was seen: refuse, nothing was written
)

// repeatable lists the actions that may be done again when nobody knows whether they were done: they look, wait, scroll
// the view or close. Everything else could act twice; a navigation too, since a GET may confirm or unsubscribe.
var repeatable = map[string]bool{
	relay.ActSnapshot: true, relay.ActWait: true, relay.ActScroll: true, relay.ActTab: true, relay.ActClose: true,
}

// Intent writes down that the call is about to be acted upon. The outcome comes with Known and Unknown. When the disk
// refuses, the error says so and nothing may be done.
func (s *Store) Intent(c relay.Call) (Verdict, *relay.Outcome, error) {
	key := relay.CallKey(c.RunID, c.Step)
	if s.isBusy(key) {
		return Running, nil, nil
	}
	verdict, known := First, (*relay.Outcome)(nil)
	err := s.db.Update(func(tx *bbolt.Tx) error {
		r, there, err := read(tx, key)
		switch {
		case err != nil:
			return err
		case there && r.Outcome != nil:
			verdict, known = Known, r.Outcome
			return nil
		}
		newer, err := fence(tx, c)
		if err != nil {
			return err
		}
		if newer {
			verdict = Stale
			return nil
		}
		if there && !repeatable[c.Command.Action] {
			verdict = Unknown
			o := relay.Outcome{RunID: c.RunID, Step: c.Step, Fence: c.Fence, Result: relay.Result{Status: relay.StatusUnknown,
				Feedback: "the runner stopped while it was at this command; whether it took effect is not known"}}
			known = &o
			return settle(tx, key, r, o, s.clock.Now())
		}
		return write(tx, key, record{Instance: c.InstanceID, Digest: digest(c.Command), At: s.clock.Now()})
	})
	if err != nil {
		return 0, nil, fmt.Errorf("write the intent of %s: %w", key, err)
	}
	if verdict == First {
		s.setBusy(key, true)
	}
	return verdict, known, nil
}

// fence reports whether a newer run of the instance was seen, and notes this one if it is the newest.
func fence(tx *bbolt.Tx, c relay.Call) (newer bool, err error) {
	b := tx.Bucket(fencesBucket)
	var seen int64
	if raw := b.Get([]byte(c.InstanceID)); len(raw) == 8 {
		seen = int64(binary.BigEndian.Uint64(raw))
	}
	if c.Fence < seen {
		return true, nil
	}
	if c.Fence == seen {
		return false, nil
	}
	return false, b.Put([]byte(c.InstanceID), binary.BigEndian.AppendUint64(nil, uint64(c.Fence)))
}

// digest names a command without its texts, for someone who reads the store after an accident.
func digest(c relay.Command) string {
	raw, err := json.Marshal(c)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
