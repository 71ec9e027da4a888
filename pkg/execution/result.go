package execution

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/proagentstore/pags/pkg/codemode"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

func resultKey(id pags.RunID) port.Key { return key(id, "RESULT") }

// result is how a program ended, ready to be shown without its journal.
type result struct {
	Value   json.RawMessage   `json:"value,omitempty"`
	Failure *codemode.Failure `json:"failure,omitempty"`
	Lines   []codemode.Line   `json:"lines,omitempty"`
	Calls   int               `json:"calls"`
}

// stored is its row: the result as JSON, or where it lies.
type stored struct {
	Text string `json:"text,omitempty"`
	Blob string `json:"blob,omitempty"`
}

// end writes the last entries, the result and the end of the run at once.
func (j *journal) end(ctx context.Context, last codemode.Entry, writes []port.Write, tail []codemode.Entry) error {
	j.mu.Lock()
	all := append(append([]codemode.Entry(nil), j.entries...), tail...)
	j.mu.Unlock()
	r := result{Value: last.Value, Failure: last.Failure, Lines: codemode.Lines(all), Calls: calls(all)}
	row, err := j.s.keepResult(ctx, j.run, r)
	if err != nil {
		return err
	}
	outcome, detail := endOf(last.Failure)
	_, err = j.s.runs.AdvanceWith(ctx, j.run, "end", func(run *pags.Run) error {
		run.Status, run.Outcome, run.Detail = outcome.Status(), outcome, detail
		run.Step, run.Code = r.Calls, counted(run.Code, r.Calls, 0)
		return nil
	}, []pags.Event{ended(outcome, detail)}, append(writes, row)...)
	if err == nil {
		j.s.bells.ring(j.run) // who waits need not wait for the sandbox to be put away
	}
	return err
}

func (s *Service) keepResult(ctx context.Context, id pags.RunID, r result) (port.Write, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return port.Write{}, fmt.Errorf("encode the result of %s: %w", id, err)
	}
	kept := stored{Text: string(raw)}
	if len(raw) > inlineBatch {
		sum := sha256.Sum256(raw)
		kept = stored{Blob: fmt.Sprintf("runs/%s/journal/result-%s.json", id, hex.EncodeToString(sum[:8]))}
		if _, err := s.Blobs.Put(ctx, kept.Blob, raw, port.PutOptions{ContentType: "application/json"}); err != nil {
			return port.Write{}, fmt.Errorf("keep the result of %s: %w", id, err)
		}
	}
	it, err := port.Encode(resultKey(id), kept)
	return port.Put(it), err
}

// result reads how a program ended; nil while it has none.
func (s *Service) result(ctx context.Context, id pags.RunID) (*result, error) {
	it, err := s.Table.Get(ctx, resultKey(id))
	if pags.Is(err, pags.NotFound) {
		return nil, nil
	}
	var kept stored
	if err == nil {
		err = port.Decode(it, &kept)
	}
	raw := []byte(kept.Text)
	if err == nil && kept.Blob != "" {
		raw, _, err = s.Blobs.Get(ctx, kept.Blob, 0, 0)
	}
	var r result
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		return nil, fmt.Errorf("read the result of %s: %w", id, err)
	}
	return &r, nil
}

// endOf is the run's outcome, and a sentence on it that holds nothing of the program's data but its own error.
func endOf(f *codemode.Failure) (pags.Outcome, string) {
	switch {
	case f == nil:
		return pags.OutcomeDone, "The program ended."
	case f.Kind == codemode.FailCancelled:
		return pags.OutcomeCancelled, "Cancelled by the owner."
	}
	detail := clip(oneLine(f.Title()), 300)
	if f.Line > 0 {
		detail = fmt.Sprintf("Line %d: %s", f.Line, detail)
	}
	return pags.OutcomeFailed, detail
}

func calls(entries []codemode.Entry) (n int) {
	for _, e := range entries {
		if e.Kind == codemode.EntryCall {
			n++
		}
	}
	return n
}

// counted is the input with its counts of calls and of those that wait for somebody; the one that the run holds stays as it is.
func counted(in *pags.CodeInput, calls, asks int) *pags.CodeInput {
	if in == nil {
		return nil
	}
	next := *in
	next.Calls, next.Asks = calls, asks
	return &next
}
