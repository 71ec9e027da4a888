package codemode

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/proagentstore/pags/pkg/pags"
)

// gate lets calls go, or holds them for somebody; how a send ends is the test's.
type gate struct {
	hold *Pause
	send func() (Answer, error)
	sent int
}

func (g *gate) Admit(context.Context, Call) (Admission, error) { return Admission{Pause: g.hold}, nil }

func (g *gate) Send(context.Context, Call) (Answer, error) {
	g.sent++
	return g.send()
}

func TestRun_ACallThatLeavesAgainAfterAPauseIsNotedAgainSoThatACrashIsAskedAbout(t *testing.T) {
	j, g := &memory{}, &gate{}
	s := slice(t, testEngine(t, Options{}), `return await tools.write.a({})`, j, nil)
	s.Tools = g
	approval := Pause{Reason: pags.WaitApproval}
	g.send = func() (Answer, error) { return Answer{Pause: &approval}, nil } // on its way somebody wanted to be asked after all
	if out := mustRun(t, s); out.Status != Suspended || out.Pending[0].Pause != approval || g.sent != 1 {
		t.Fatalf("%+v, sent %d", out, g.sent)
	}

	ctx, kill := context.WithCancel(context.Background()) // they say yes, it leaves, and the power goes
	g.send = func() (Answer, error) { kill(); return Answer{}, errPower }
	if _, err := Run(ctx, s); err == nil || g.sent != 2 {
		t.Fatalf("the crash was survived: %v, sent %d", err, g.sent)
	}

	g.send = func() (Answer, error) { return Answer{Value: json.RawMessage(`1`)}, nil }
	if out := mustRun(t, s); out.Status != Suspended || out.Pending[0].Pause.Reason != pags.WaitUnknown || g.sent != 2 {
		t.Errorf("it was sent %d times without a question: %+v", g.sent, out)
	}
}
