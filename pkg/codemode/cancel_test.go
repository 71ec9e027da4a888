package codemode

import (
	"context"
	"encoding/json"
	"testing"
)

func TestRun_ACancelledExecutionEndsAndTakesNoteOfWhatHadLeft(t *testing.T) {
	e := testEngine(t, Options{})
	for _, c := range []struct {
		name, code string
		sent       int
	}{
		{"while it computes", `for (;;) {}`, 0},
		{"while it waits for a person", `await tools.ask.dns.add({})`, 0},
		{"while it waits for a timer", `await new Promise(r => setTimeout(r, 20_000))`, 0},
		{"while an effect is on its way", `await tools.mail.send({}); await tools.mail.send({})`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, u := &memory{}, newUpstream()
			cancel := make(chan struct{})
			u.reply = func(Call) (json.RawMessage, error) { close(cancel); return json.RawMessage(`{"ok":true}`), nil }
			if c.sent == 0 {
				close(cancel)
			}
			s := slice(t, e, c.code, j, u)
			s.Cancel = cancel
			out, err := Run(context.Background(), s)
			if err != nil || out.Status != Failed || out.Failure.Kind != FailCancelled {
				t.Fatalf("%+v %v", out, err)
			}
			if u.sent != c.sent {
				t.Errorf("%d calls left", u.sent)
			}
			answers := 0
			for _, entry := range j.entries {
				if entry.Kind == EntryAnswer {
					answers++
				}
			}
			if answers != c.sent {
				t.Errorf("%d outcomes are in the journal: %v", answers, kindsOf(j.entries))
			}
			if again := mustRun(t, slice(t, e, c.code, j, u)); again.Status != Failed || again.Failure.Kind != FailCancelled || u.sent != c.sent {
				t.Errorf("run again it is %+v", again)
			}
		})
	}
}
