package tool

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/rule"
)

// shownArgs is how many characters of arguments a person is shown (spec tool-runtime 1d).
const shownArgs = 4000

// maxTitle bounds what of foreign text stands in a title.
const maxTitle = 200

// approval is the question whether a call may go. Everything in it comes from the definition and from what will be sent; nothing
// is told by whoever asks for the call.
func (j Judgement) approval() *Question {
	b, t, host := j.Bound, j.Bound.Tool, j.host()
	title := "Let it call " + oneLine(t.Request.Method+" "+t.Request.Path)
	if host != "" {
		title += " on " + oneLine(host)
	}
	q := &Question{
		Reason:  pags.WaitApproval,
		Title:   clip(title, maxTitle),
		Allowed: []string{pags.AnswerAccept, pags.AnswerDecline},
		Request: map[string]any{
			"path": j.Address, "source": b.Source, "connection": b.Connection, "host": host, "method": t.Request.Method, "route": t.Request.Path,
			"policy": policyFacts(j.Decision), "digest": j.Digest,
		},
	}
	if t.Destructive {
		q.Request["destructive"] = true
	}
	j.showArgs(q.Request)

	var why []string
	switch b.Held {
	case "":
	case "new":
		why = append(why, "This tool is new in "+b.Source+" and its owner has not looked at it yet.")
	default:
		why = append(why, "The definition of this tool has changed since its owner accepted it, so an earlier consent does not count.")
	}
	if b.Held != "" {
		q.Request["definition"] = b.Held
		why = append(why, "What is different stands in the console under Sources, "+b.Source+"; once it is accepted there, this is not asked again for that reason.")
	} else {
		why = append(why, sentence(j.Decision.Reason)+".")
	}
	if t.Destructive {
		why = append(why, "It may overwrite or remove something.")
	}
	if q.Request["argsCut"] == true {
		why = append(why, fmt.Sprintf("Only the beginning of its arguments is shown here, which are %v characters; all of them stand in the steps of the run. Accept sends all of them, once. Decline sends nothing.", q.Request["argsSize"]))
	} else {
		why = append(why, "Accept sends exactly what is shown, once. Decline sends nothing.")
	}
	q.Detail = strings.Join(why, " ")
	return q
}

// host is where the call will go. Arguments may choose another of the description's addresses than the usual one; where it cannot be
// told whether the connection lets them, both are named.
func (j Judgement) host() string {
	b, t := j.Bound, j.Bound.Tool
	if !t.Request.ChooseServer && len(t.Request.ServerChoices) == 0 {
		return b.Host
	}
	plain := maps.Clone(j.Input)
	delete(plain, "server")
	delete(plain, "serverVariables")
	usual, chosen := builtHost(t, plain), builtHost(t, j.Input)
	switch {
	case chosen == usual || chosen == "" || chosen == b.Host:
		return b.Host
	case usual == b.Host:
		return chosen
	}
	return b.Host + " or " + chosen
}

func builtHost(t *catalog.Tool, args map[string]any) string {
	r, err := t.Build(args, catalog.Target{Open: noFile})
	if err != nil {
		return ""
	}
	u, err := url.Parse(r.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// noFile stands for a stored file where only the rest of a request matters.
func noFile(string) ([]byte, error) { return nil, nil }

// showArgs puts the arguments into a request: exactly, where they are short; as a person can read them, with hidden and turning
// characters made visible, and argsCut where that is not all of them; and the digest of all of them.
func (j Judgement) showArgs(request map[string]any) {
	text := canonical(j.Input)
	sum := sha256.Sum256(text)
	size := utf8.RuneCount(text)
	request["argsDigest"], request["argsSize"] = hex.EncodeToString(sum[:]), size
	if size <= shownArgs {
		request["args"] = j.Input
	}
	var pretty bytes.Buffer
	_ = json.Indent(&pretty, text, "", "  ")
	shown := guard.Visible(pretty.String())
	if utf8.RuneCountInString(shown) > shownArgs { // in one line they may fit
		shown = guard.Visible(string(text))
	}
	if utf8.RuneCountInString(shown) > shownArgs {
		request["argsCut"] = true
	}
	request["shown"] = clip(shown, shownArgs)
}

// policyFacts is a decision as plain values, which a stored question is made of.
func policyFacts(d rule.Decision) map[string]any {
	out := map[string]any{"action": string(d.Action), "reason": d.Reason}
	if d.RuleID != "" {
		out["policyId"], out["pattern"] = d.RuleID, d.Pattern
	}
	return out
}

// oneLine makes foreign text fit for a title.
func oneLine(s string) string { return strings.Join(strings.Fields(guard.Visible(s)), " ") }

func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
