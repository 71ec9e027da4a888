package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/rule"
)

// Status is how a call ended, in its audit row.
type Status string

// The endings of a call.
const (
	StatusOK       Status = "ok"
	StatusFailed   Status = "failed"   // also: refused before it was sent, with a code
	StatusBlocked  Status = "blocked"  // a policy forbids it
	StatusDeclined Status = "declined" // a person said no
	StatusUnknown  Status = "unknown"  // nobody can tell whether it took effect
)

// Actions of audit rows. An intent without a call after it is a call whose end we did not see.
const (
	actionIntent = "tool.intent"
	actionCall   = "tool.call"
)

// direct is the trail of a call that belongs to no run: the table, at once.
type direct struct{ table port.Table }

func (d direct) Intent(ctx context.Context, w port.Write) error  { return d.table.Write(ctx, w) }
func (d direct) Outcome(ctx context.Context, w port.Write) error { return d.table.Write(ctx, w) }

func (s *Service) trail(t Trail) Trail {
	if t == nil {
		return direct{s.Table}
	}
	return t
}

// facts are what every audit row of a call says: who, which tool, what decided; digests and sizes, never arguments or results.
func (j Judgement) facts() map[string]any {
	f := map[string]any{"via": clip(j.Via, 40), "address": clip(oneLine(j.Address), 110)}
	put := func(name, v string) {
		if v != "" {
			f[name] = clip(v, 110)
		}
	}
	put("run", string(j.Run))
	put("call", j.Key)
	if p := cleanPath(j.Path); p != j.Address {
		put("path", oneLine(p))
	}
	if j.Run != "" {
		f["seq"] = j.Seq
	}
	put("policy", string(j.Decision.Action))
	put("policyId", j.Decision.RuleID)
	put("consent", j.consent)
	if j.Digest != "" {
		sum := sha256.Sum256(canonical(j.Input))
		f["argsDigest"], f["digest"] = hex.EncodeToString(sum[:]), j.Digest
	}
	if b := j.Bound; b != nil {
		f["source"], f["connection"], f["readOnly"] = b.Source, b.Connection, j.ReadOnly
		put("held", b.Held)
		if j.AutoApprove && j.Decision.Action == rule.RequireApproval && j.Ask == nil {
			f["waived"] = true
		}
	}
	return f
}

// outcome adds how a call ended to its facts.
func outcome(f map[string]any, status Status, r *catalog.Result, took time.Duration) {
	f["status"], f["millis"] = string(status), took.Milliseconds()
	if r == nil {
		return
	}
	if r.Error != nil {
		f["code"] = clip(r.Error.Code, 60)
		if r.Error.Status != 0 {
			f["httpStatus"] = r.Error.Status
		}
	}
	if r.HTTP != nil {
		f["httpStatus"] = r.HTTP.Status
	}
	if r.OK {
		f["bytes"] = weigh(r.Data)
	}
}

// statusOf is the ending that a result stands for.
func statusOf(r catalog.Result) Status {
	switch {
	case r.OK:
		return StatusOK
	case r.Error != nil && r.Error.Code == catalog.CodeBlocked:
		return StatusBlocked
	}
	return StatusFailed
}

// weigh is about how many bytes of JSON a result is. It only looks.
func weigh(v any) int {
	switch v := v.(type) {
	case nil:
		return 4
	case string:
		return len(v) + 2
	case json.Number:
		return len(v)
	case json.RawMessage:
		return len(v)
	case []byte:
		return len(v)
	case catalog.File:
		return max(v.Size, len(v.Data))
	case *catalog.File:
		return max(v.Size, len(v.Data))
	case []any:
		n := 2
		for _, x := range v {
			n += weigh(x) + 1
		}
		return n
	case map[string]any:
		n := 2
		for k, x := range v {
			n += len(k) + 4 + weigh(x)
		}
		return n
	}
	return 8
}

// auditPatience is how long an audit row of something that has already happened may take, also when its caller has gone.
const auditPatience = 5 * time.Second

// note writes the row of an ending, also for a caller that has gone: what happened is not forgotten with it.
func (s *Service) note(ctx context.Context, t Trail, user pags.UserID, facts map[string]any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditPatience)
	defer cancel()
	return t.Outcome(ctx, guard.Audit(s.Clock.Now(), user, actionCall, facts))
}
