package browser

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/proagentstore/pags/pkg/relay"
)

// sending is what a press would send, as the page's scripts describe it.
type sending struct {
	Role, Name, Origin, Action, Method string
	Submits                            bool
	Leads                              bool // a plain link to another document
	Fields                             []relay.CommitField
	Whole                              string // every field to its last character, as JSON; Fields show people what fits a card
}

// commit describes a press for the owner.
func (a *action) commit(j judged) *relay.Commit {
	c := &relay.Commit{Ref: a.cmd.Ref, Role: j.sending.Role, Name: j.sending.Name, Origin: j.sending.Origin, Fields: j.sending.Fields}
	if j.sending.Action != "" {
		c.FormAction, c.FormMethod = j.sending.Action, j.sending.Method
	}
	if c.Name == "" {
		c.Name = j.what
	}
	for i := range c.Fields { // a secret in a plain field, or in a hidden one
		c.Fields[i].Value = a.lease.scrub(c.Fields[i].Value)
	}
	c.Name, c.FormAction = a.lease.scrub(c.Name), a.lease.scrub(c.FormAction)
	c.Digest = digest(c, a.lease.scrub(j.sending.Whole))
	return c
}

// digest is over what the owner saw and all that it stands for; the ref may change between two looks at the same page.
func digest(c *relay.Commit, whole string) string {
	type field struct{ Name, Value string }
	var fields []field
	for _, f := range c.Fields {
		fields = append(fields, field{f.Name, f.Value})
	}
	text, _ := json.Marshal([]any{c.Role, c.Name, c.FormAction, c.FormMethod, c.Origin, fields, whole})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// approve stops before a commit and reports it, or compares it with what the owner accepted.
func (a *action) approve(j judged, why string) *relay.Result {
	now := a.commit(j)
	was := a.cmd.Approved
	if was == nil {
		return &relay.Result{Status: relay.StatusCommit, Commit: now, Feedback: fmt.Sprintf("waits for the owner's approval: %s %s", j.what, why)}
	}
	if was.Digest == now.Digest {
		a.lease.mu.Lock()
		a.lease.accept = true // its "are you sure?" is part of what was approved
		a.lease.mu.Unlock()
		return nil
	}
	r := refused("not done, the page changed since it was approved: %s", difference(was, now))
	r.Commit = now
	return &r
}

// difference says in words what an approval and the page disagree about.
func difference(was, now *relay.Commit) string {
	var list []string
	differ := func(what, a, b string) {
		if a != b && len(list) < 8 {
			list = append(list, fmt.Sprintf("%s was “%s” and is “%s”", what, shorten(a, 80), shorten(b, 80)))
		}
	}
	differ("the control", was.Name, now.Name)
	differ("its kind", was.Role, now.Role)
	differ("the page", was.Origin, now.Origin)
	differ("the form's address", was.FormAction, now.FormAction)
	differ("the form's method", was.FormMethod, now.FormMethod)
	before := map[string]string{}
	for _, f := range was.Fields {
		before[f.Name] = f.Value
	}
	for _, f := range now.Fields {
		old, known := before[f.Name]
		delete(before, f.Name)
		if !known {
			list = append(list, "the field “"+or(f.Label, f.Name)+"” is new")
			continue
		}
		differ("“"+or(f.Label, f.Name)+"”", old, f.Value)
	}
	for name := range before {
		list = append(list, "the field “"+name+"” is gone")
	}
	if len(list) == 0 {
		return "its fields are in another order, or something changed that does not fit a card: a long text, the value behind a choice, a field far down"
	}
	return strings.Join(list, "; ")
}
