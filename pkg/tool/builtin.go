package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/rule"
)

//go:embed builtin.json
var builtins []byte

// house is the tools of the house. They are described the way every tool is, so their arguments are checked and their types are
// written by the same code; their addresses have no source and no connection, and no policy is about them: they change nothing
// and show only what policies let be seen.
var house = sync.OnceValue(func() *own {
	s, err := catalog.Import(context.Background(), builtins, catalog.Options{Namespace: "house"})
	if err != nil {
		panic("the tools of the house cannot be read: " + err.Error()) // held by a test
	}
	o := &own{map[string]*catalog.Tool{}}
	for i := range s.Tools {
		o.tools[address(&s.Tools[i])] = &s.Tools[i]
	}
	return o
})

type own struct{ tools map[string]*catalog.Tool }

// Tool finds a tool of the house by its name, such as describe.tool.
func (o *own) Tool(name string) (*catalog.Tool, bool) {
	t, ok := o.tools[name]
	return t, ok
}

func address(t *catalog.Tool) string { return t.Address()[len("house."):] }

// personAsk is the one tool of the house that is answered by a person.
const personAsk = "person.ask"

// maxSchema is how many characters of JSON the schema of a form may have.
const maxSchema = 16_000

func judgeOwn(j Judgement, t *catalog.Tool) (Judgement, error) {
	j.ReadOnly = true
	j.Decision = rule.Decision{Action: rule.Approve, Reason: "it is a tool of the house"}
	if f := j.take(t, "house"); f != nil {
		return j.over(f), nil
	}
	if j.Address == personAsk {
		q, f := form(j.Input)
		if f != nil {
			return j.over(f), nil
		}
		j.Ask = q
	}
	return j, nil
}

// form is the question of a program to its person. Its words are the program's, and the person is told so.
func form(input map[string]any) (*Question, *catalog.Failure) {
	message, _ := input["message"].(string)
	q := &Question{
		Reason:  pags.WaitValue,
		Title:   clip("A program asks: "+oneLine(message), maxTitle),
		Detail:  "The question was written by a program, not by pags. What you fill in is given to that program; never type a password or another secret here. Decline tells it that you did not answer.",
		Request: map[string]any{"path": personAsk, "message": guard.Visible(message)},
		Allowed: []string{pags.AnswerForm, pags.AnswerDecline},
	}
	if schema, ok := input["schema"].(map[string]any); ok {
		raw := canonical(schema)
		if len(raw) > maxSchema {
			return nil, wrongSchema(fmt.Sprintf("the schema of a form has at most %d characters", maxSchema))
		}
		if err := catalog.CheckSchema(raw); err != nil {
			return nil, wrongSchema(err.Error())
		}
		q.Schema, q.Request["schema"] = raw, schema
	}
	return q, nil
}

func wrongSchema(text string) *catalog.Failure {
	return &catalog.Failure{Code: catalog.CodeInvalidArguments, Message: "the arguments are not valid: schema: " + clip(text, 300),
		Details: catalog.ArgumentDetails{Problems: []catalog.Problem{{At: "/schema", Message: clip(text, 300)}}, Accepted: []string{"message", "schema"}}}
}

// sendOwn answers a call of a tool of the house. It has one audit row, like everything that only reads.
func (s *Service) sendOwn(ctx context.Context, j Judgement, trail Trail) (catalog.Result, error) {
	t, facts, began := s.trail(trail), j.facts(), s.Clock.Now()
	r, err := s.answer(ctx, j)
	took := s.Clock.Now().Sub(began)
	if err != nil {
		s.sendFailed(ctx, t, j, facts, err, took)
		return catalog.Result{}, err
	}
	outcome(facts, statusOf(r), &r, took)
	if err := s.note(ctx, t, j.User, facts); err != nil {
		return catalog.Result{}, pags.Wrap(err, pags.Unavailable, "the audit row of this call could not be written, so its result is withheld; try again")
	}
	return r, nil
}

// typed is how many of the tools that were found are given their types.
const typed = 25

func (s *Service) answer(ctx context.Context, j Judgement) (catalog.Result, error) {
	in := input(j.Input)
	ask := Ask{Query: in.text("query"), Namespace: in.text("namespace"), Limit: in.number("limit", 12), Offset: in.number("offset", 0)}
	switch j.Address {
	case "search":
		found, err := s.List(ctx, j.User, ask)
		return catalog.Result{OK: err == nil, Data: found.plain()}, err
	case "discover":
		found, err := s.List(ctx, j.User, ask)
		if err == nil && in.yes("includeSchemas") {
			err = s.addTypes(ctx, j.User, found.Items)
		}
		return catalog.Result{OK: err == nil, Data: found.best()}, err
	case "catalog.tools":
		ask.Limit = in.number("limit", maxPage)
		found, err := s.List(ctx, j.User, ask)
		if err == nil && in.yes("includeSchemas") {
			err = s.addTypes(ctx, j.User, found.Items)
		}
		return catalog.Result{OK: err == nil, Data: found.plain()}, err
	case "catalog.namespaces":
		places, err := s.Places(ctx, j.User, false)
		n := min(len(places), in.number("limit", maxPage))
		return catalog.Result{OK: err == nil, Data: map[string]any{"namespaces": places[:n], "total": len(places)}}, err
	case "describe.tool":
		d, miss, err := s.Describe(ctx, j.User, in.text("path"), in.yes("includeSchemas"), false)
		if miss != nil {
			return catalog.Failed(miss), err
		}
		return catalog.Result{OK: err == nil, Data: d.plain()}, err
	}
	return catalog.Result{}, fmt.Errorf("nobody but a person answers %s", j.Address)
}

// input are checked arguments of a tool of the house.
type input map[string]any

func (in input) text(name string) string { s, _ := in[name].(string); return s }
func (in input) yes(name string) bool    { b, _ := in[name].(bool); return b }

func (in input) number(name string, standard int) int {
	n, ok := in[name].(json.Number)
	if !ok {
		return standard
	}
	f, err := strconv.ParseFloat(n.String(), 64) // 12.0 is an integer too
	if err != nil {
		return standard
	}
	return int(f)
}
