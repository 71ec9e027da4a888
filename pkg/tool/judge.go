package tool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/rule"
)

// maxArgs is how many characters of JSON the arguments of one call may have, the same as in code mode.
const maxArgs = 1_000_000

// Judge looks whether a call may go, in this order: the tool is there, its owner has it switched on, the arguments are valid and
// not too long, the policies allow it, a person has consented. The first that says no ends it, and nothing after it is looked
// at. It has no effect and may be repeated at any time. An error is our own trouble, and then nothing goes.
func (s *Service) Judge(ctx context.Context, c Call) (Judgement, error) {
	j := Judgement{Call: c, Address: cleanPath(c.Path)}
	if own, ok := house().Tool(j.Address); ok {
		return judgeOwn(j, own)
	}
	bound, miss, err := s.Sources.Resolve(ctx, c.User, j.Address)
	if err != nil {
		return j, fmt.Errorf("find the tool of a call: %w", err)
	}
	if miss != nil {
		return s.missing(ctx, j, miss)
	}
	j.Address, j.Bound = bound.Address, bound
	j.ReadOnly, j.Keyed = bound.Tool.ReadOnly, keyed(bound.Tool)
	if bound.Off != "" {
		return j.over(switchedOff(bound)), nil
	}
	if f := j.take(bound.Tool, bound.Digest); f != nil {
		return j.over(f), nil
	}
	rules, err := s.Policies.Rules(ctx, c.User)
	if err != nil {
		return j, fmt.Errorf("read the policies for a call: %w", err)
	}
	j.Decision = rules.Decide(j.Address, j.ReadOnly)
	switch {
	case j.Decision.Action == rule.Block:
		return j.over(&catalog.Failure{Code: catalog.CodeBlocked, Message: "the owner does not allow calls of " + j.Address + ": " + j.Decision.Reason}), nil
	case bound.Held != "", j.Decision.Action != rule.Approve && !c.AutoApprove:
		j.Ask = j.approval()
	}
	return j, nil
}

// over ends a judgement.
func (j Judgement) over(f *catalog.Failure) Judgement {
	r := catalog.Failed(f)
	j.Result = &r
	return j
}

func cleanPath(path string) string { return strings.TrimPrefix(strings.TrimSpace(path), "tools.") }

// take reads and checks the arguments and notes what a consent would be for. Everything that is wrong with them is found now,
// by making the request as if to nowhere: nobody is asked about a call that can only fail.
func (j *Judgement) take(t *catalog.Tool, definition string) *catalog.Failure {
	if len(j.Args) > utf8.UTFMax*maxArgs { // too long whatever it is
		return tooLong(len(j.Args))
	}
	input, err := catalog.Arguments(j.Args)
	if err != nil {
		return failureOf(err)
	}
	_, err = t.Build(input, catalog.Target{Base: "https://nowhere.invalid", Open: noFile})
	if f := failureOf(err); f != nil && f.Code != catalog.CodeBinding {
		return f
	}
	text := canonical(input)
	if n := utf8.RuneCount(text); n > maxArgs {
		return tooLong(n)
	}
	j.Input, j.Digest = input, digest(j.Address, definition, text)
	return nil
}

func failureOf(err error) *catalog.Failure {
	var f *catalog.Failure
	if err == nil || errors.As(err, &f) {
		return f
	}
	return &catalog.Failure{Code: catalog.CodeInvalidArguments, Message: "the arguments cannot be sent: they are of a kind that JSON does not have"}
}

func tooLong(n int) *catalog.Failure {
	return &catalog.Failure{Code: catalog.CodeInvalidArguments, Message: fmt.Sprintf("the arguments are %d characters of JSON; at most %d can be sent in one call", n, maxArgs)}
}

// canonical writes JSON in the one way that digests are made of: members by name, nothing escaped that need not be.
func canonical(v map[string]any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // it was decoded from JSON
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// digest names exactly one call: neither an address nor the digest of a definition holds a line break.
func digest(address, definition string, args []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s", address, definition, args)
	return hex.EncodeToString(h.Sum(nil))
}

// keyed reports whether upstream says that it does a call once for each key. That PUT and DELETE are idempotent by RFC 9110 does
// not count: too many servers disagree.
func keyed(t *catalog.Tool) bool {
	for _, p := range t.Request.Params {
		if p.In == "headers" && strings.EqualFold(p.Name, "Idempotency-Key") {
			return true
		}
	}
	return t.Idempotent && !t.ReadOnly && t.Request.Method != "PUT" && t.Request.Method != "DELETE"
}

func switchedOff(b *catalog.Bound) *catalog.Failure {
	what := "the source " + b.Source
	if b.Off == "connection" {
		what = "the connection " + b.Source + "." + b.Connection
	}
	return &catalog.Failure{Code: catalog.CodeOff, Message: what + " is switched off; its owner can switch it on under Sources"}
}

// missing is the end of a call whose path is no tool. Suggestions never name a tool that is blocked: those are not shown.
func (s *Service) missing(ctx context.Context, j Judgement, miss *catalog.Failure) (Judgement, error) {
	miss, err := s.unblocked(ctx, j.User, j.Address, miss)
	if err != nil {
		return j, err
	}
	return j.over(miss), nil
}

func (s *Service) unblocked(ctx context.Context, user pags.UserID, path string, miss *catalog.Failure) (*catalog.Failure, error) {
	details, _ := miss.Details.(map[string]any)
	near, _ := details["suggestions"].([]string)
	if len(near) == 0 {
		return miss, nil
	}
	rules, err := s.Policies.Rules(ctx, user)
	if err != nil {
		return nil, fmt.Errorf("read the policies for suggestions: %w", err)
	}
	if !slices.ContainsFunc(near, rules.Blocked) {
		return miss, nil
	}
	near = slices.DeleteFunc(slices.Clone(near), rules.Blocked)
	f := &catalog.Failure{Code: miss.Code, Message: "there is no tool " + clip(path, 120)}
	if len(near) > 0 {
		f.Message += "; did you mean " + strings.Join(near, ", ") + "?"
		f.Details = map[string]any{"suggestions": near}
	}
	return f, nil
}

// clip cuts a text for people at n characters.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
