package interaction

import (
	"testing"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

func TestAnswer_AFormIsFilledInWithinItsSchema(t *testing.T) {
	h := newHouse(t)
	h.draft.Allowed = []string{pags.AnswerForm, pags.AnswerDecline}
	x := h.ask(t, 1, "tok")
	for name, said := range map[string]Said{
		"a field is missing":        {Kind: pags.AnswerForm, Content: map[string]any{"age": 3}},
		"content with another kind": {Kind: pags.AnswerDecline, Content: map[string]any{"name": "Ada"}},
		"a plain yes":               {Kind: pags.AnswerAccept},
	} {
		if _, err := h.Answer(t.Context(), httpapi.Caller{UserID: ada, Person: true}, x.ID, said); !pags.Is(err, pags.Unprocessable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	got, err := h.Answer(t.Context(), httpapi.Caller{UserID: ada, Person: true}, x.ID, Said{Kind: pags.AnswerForm, Content: map[string]any{"name": "Ada"}})
	if err != nil || got.Answer.Content["name"] != "Ada" {
		t.Errorf("%+v %v", got.Answer, err)
	}
}

func TestAnswer_AProgramSaysYesOnlyWithTheScopeForIt(t *testing.T) {
	tools := httpapi.Caller{UserID: ada, TokenID: "tok_1", Scopes: []string{httpapi.ScopeTools}}
	both := httpapi.Caller{UserID: ada, TokenID: "tok_2", Scopes: []string{httpapi.ScopeTools, httpapi.ScopeAnswer}}
	strange := httpapi.Caller{UserID: "usr_eve", TokenID: "tok_3", Scopes: both.Scopes}
	for _, c := range []struct {
		name   string
		caller httpapi.Caller
		said   Said
		code   pags.Code // empty: it is taken
	}{
		{"a form of a person's own program", tools, Said{Kind: pags.AnswerForm, Content: map[string]any{"name": "personal"}}, pags.Forbidden},
		{"the same with the scope", both, Said{Kind: pags.AnswerForm, Content: map[string]any{"name": "personal"}}, ""},
		{"yes without the scope", tools, Said{Kind: pags.AnswerAccept}, pags.Forbidden},
		{"again without the scope", tools, Said{Kind: pags.AnswerRetry}, pags.Forbidden},
		{"no without the scope", tools, Said{Kind: pags.AnswerDecline}, ""},
		{"a form without the scope", tools, Said{Kind: pags.AnswerForm, Content: map[string]any{"name": "Ada"}}, ""},
		{"yes with the scope", both, Said{Kind: pags.AnswerAccept}, ""},
		{"another person's program", strange, Said{Kind: pags.AnswerAccept}, pags.NotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			h.draft.Allowed = []string{pags.AnswerAccept, pags.AnswerDecline, pags.AnswerForm, pags.AnswerRetry}
			h.draft.Personal = c.said.Content["name"] == "personal"
			x := h.ask(t, 1, "tok")
			_, err := h.Answer(t.Context(), c.caller, x.ID, c.said)
			if c.code == "" && err != nil || c.code != "" && !pags.Is(err, c.code) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAsk_SeveralQuestionsWaitForOneToken(t *testing.T) {
	h := newHouse(t)
	in := AskInput{RunID: run1, TaskToken: "one", Asks: []Ref{{Step: 1}, {Step: 2}, {Step: 2, Round: 1}}}
	if _, err := h.Ask(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	open, err := h.OfRun(t.Context(), run1)
	if err != nil || len(open) != 3 {
		t.Fatalf("%d questions, %v", len(open), err)
	}
	second, err := h.OfRef(t.Context(), run1, Ref{Step: 2, Round: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Answer(t.Context(), httpapi.Caller{UserID: ada, Person: true}, second.ID, Said{Kind: pags.AnswerDecline}); err != nil {
		t.Fatal(err)
	}
	in.TaskToken = "two"
	if _, err := h.Ask(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if again, err := h.OfRun(t.Context(), run1); err != nil || len(again) != 3 {
		t.Errorf("asking again made %d questions, %v", len(again), err)
	}
	h.tokens.want(t, "ok one", "ok two") // the first by the answer, the second since one is over
}
