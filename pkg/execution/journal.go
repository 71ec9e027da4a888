package execution

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/crash"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// A journal is a head, which says how many entries there are, and a row for each append. Two slices that append at once meet
// at the head: one writes.
const (
	inlineBatch = 300 << 10 // bytes of JSON in a row, which holds 400 KB; a larger batch is a blob
	trailRoom   = 80        // audit rows that ride along with one append; a transaction has 99 writes
)

func journalKey(id pags.RunID) port.Key { return key(id, "JOURNAL") }

func batchKey(id pags.RunID, at int) port.Key { return key(id, fmt.Sprintf("JOURNAL#%08d", at)) }

// batch is the row of one append.
type batch struct {
	Entries string `json:"entries,omitempty"` // JSON
	Blob    string `json:"blob,omitempty"`    // where a large one lies
	Count   int    `json:"count"`
}

// journal is the log of one execution while a slice works on it. The end of the program and the end of the run are one write.
type journal struct {
	s   *Service
	run pags.RunID

	mu      sync.Mutex
	entries []codemode.Entry
	sent    map[int]int  // how often each call left
	trail   []port.Write // audit rows that go with the next append
}

func (s *Service) journal(id pags.RunID) *journal {
	return &journal{s: s, run: id, sent: map[int]int{}}
}

// Load implements codemode.Journal.
func (j *journal) Load(ctx context.Context) ([]codemode.Entry, error) {
	entries, err := j.s.entries(ctx, j.run)
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries, j.sent = nil, map[int]int{}
	j.note(entries)
	return append([]codemode.Entry(nil), entries...), nil
}

func (j *journal) note(entries []codemode.Entry) {
	for _, e := range entries {
		if e.Kind == codemode.EntrySent {
			j.sent[e.Seq]++
		}
	}
	j.entries = append(j.entries, entries...)
}

// rounds is how often a call has left so far.
func (j *journal) rounds(seq int) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.sent[seq]
}

// entries reads a whole journal.
func (s *Service) entries(ctx context.Context, id pags.RunID) ([]codemode.Entry, error) {
	var out []codemode.Entry
	for cursor := ""; ; {
		page, err := s.Table.Query(ctx, port.Query{PK: journalKey(id).PK, Prefix: "JOURNAL#", Limit: 200, Cursor: cursor})
		if err != nil {
			return nil, fmt.Errorf("read the journal of %s: %w", id, err)
		}
		for _, it := range page.Items {
			entries, err := s.batch(ctx, it)
			if err != nil {
				return nil, fmt.Errorf("read the journal of %s: %w", id, err)
			}
			if port.KeyOf(it) != batchKey(id, len(out)) {
				return nil, pags.Errorf(pags.Internal, "the journal of %s has a gap after entry %d", id, len(out))
			}
			out = append(out, entries...)
		}
		if cursor = page.Cursor; cursor == "" {
			return out, nil
		}
	}
}

func (s *Service) batch(ctx context.Context, it port.Item) ([]codemode.Entry, error) {
	var b batch
	if err := port.Decode(it, &b); err != nil {
		return nil, err
	}
	raw := []byte(b.Entries)
	if b.Blob != "" {
		var err error
		if raw, _, err = s.Blobs.Get(ctx, b.Blob, 0, 0); err != nil {
			return nil, err
		}
	}
	var entries []codemode.Entry
	if err := json.Unmarshal(raw, &entries); err != nil || len(entries) != b.Count {
		return nil, errors.Join(fmt.Errorf("a batch holds %d entries instead of %d", len(entries), b.Count), err)
	}
	return entries, nil
}

// Append implements codemode.Journal.
func (j *journal) Append(ctx context.Context, at int, entries []codemode.Entry) error {
	writes, err := j.writes(ctx, at, entries)
	if err != nil {
		return err
	}
	j.mu.Lock()
	riding := j.trail[:min(len(j.trail), trailRoom)]
	j.mu.Unlock()
	last := entries[len(entries)-1]
	crash.Here(crash.JournalBefore)
	if last.Kind == codemode.EntryEnd {
		err = j.end(ctx, last, append(writes, riding...), entries)
	} else {
		err = j.s.Table.Transact(ctx, pags.NewToken()[:36], append(writes, riding...)...)
	}
	var cancelled *port.Cancelled
	var failed *port.ConditionFailed
	if errors.As(err, &cancelled) || errors.As(err, &failed) {
		return pags.Errorf(pags.Conflict, "another slice of %s is at work", j.run)
	}
	if err != nil {
		return fmt.Errorf("write the journal of %s: %w", j.run, err)
	}
	crash.Here(crash.JournalAfter)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.trail = j.trail[len(riding):]
	j.note(entries)
	return nil
}

// writes are the head, moved on, and the batch.
func (j *journal) writes(ctx context.Context, at int, entries []codemode.Entry) ([]port.Write, error) {
	raw, err := json.Marshal(entries)
	if err != nil {
		return nil, fmt.Errorf("encode %d entries of %s: %w", len(entries), j.run, err)
	}
	b := batch{Entries: string(raw), Count: len(entries)}
	if len(raw) > inlineBatch {
		sum := sha256.Sum256(raw)
		b.Entries, b.Blob = "", fmt.Sprintf("runs/%s/journal/%08d-%s.json", j.run, at, hex.EncodeToString(sum[:8]))
		if _, err := j.s.Blobs.Put(ctx, b.Blob, raw, port.PutOptions{ContentType: "application/json"}); err != nil {
			return nil, fmt.Errorf("keep %d entries of %s: %w", len(entries), j.run, err)
		}
	}
	row, err := port.Encode(batchKey(j.run, at), b)
	if err != nil {
		return nil, err
	}
	k := journalKey(j.run)
	head := port.Put(port.Item{port.AttrPK: k.PK, port.AttrSK: k.SK, "len": at + len(entries)})
	if at == 0 {
		head = head.When(port.NotExists())
	} else {
		head = head.When(port.Eq("len", at))
	}
	return []port.Write{head, port.Put(row).When(port.NotExists())}, nil
}

// Intent implements Trail: what a call is about to do is durable before it does it.
func (j *journal) Intent(ctx context.Context, w port.Write) error { return j.s.Table.Write(ctx, w) }

// Outcome implements Trail: how a call went is written with its answer.
func (j *journal) Outcome(_ context.Context, w port.Write) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.trail = append(j.trail, w)
	return nil
}

// settle writes the audit rows that no append took along.
func (j *journal) settle(ctx context.Context) error {
	for {
		j.mu.Lock()
		riding := j.trail[:min(len(j.trail), trailRoom)]
		j.mu.Unlock()
		if len(riding) == 0 {
			return nil
		}
		if err := j.s.Table.Transact(ctx, pags.NewToken()[:36], riding...); err != nil {
			return fmt.Errorf("write audit rows of %s: %w", j.run, err)
		}
		j.mu.Lock()
		j.trail = j.trail[len(riding):]
		j.mu.Unlock()
	}
}
