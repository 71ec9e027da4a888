package interaction

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// mayAnswer says who may give an answer of a kind: a person everything; a program that acts for them may say no, and fill in forms
// of what was started by such programs. What lets something happen, and what a person's own program asks its person, only with
// the scope for it.
func mayAnswer(c httpapi.Caller, x pags.Interaction, kind string) error {
	if c.Person || slices.Contains(c.Scopes, httpapi.ScopeAnswer) || kind == pags.AnswerForm && !x.Personal || kind == pags.AnswerDecline {
		return nil
	}
	return pags.Errorf(pags.Forbidden, "only your own session may answer this, or a token with the scope %s", httpapi.ScopeAnswer)
}

// checkForm holds a filled form to its schema. Its errors name fields and rules, never what was filled in.
func (s *Service) checkForm(x pags.Interaction, said Said) error {
	if said.Kind != pags.AnswerForm {
		return nil
	}
	raw, err := json.Marshal(said.Content)
	if err != nil || len(raw) > maxForm {
		return pags.Errorf(pags.Unprocessable, "content is an object of at most %d bytes of JSON", maxForm)
	}
	if s.CheckForm == nil {
		return pags.Errorf(pags.Internal, "this function cannot check forms")
	}
	if problems := s.CheckForm(x.Request["schema"], said.Content); len(problems) > 0 {
		return pags.Errorf(pags.Unprocessable, "the form is not filled in right: %s", strings.Join(problems, "; ")).With(problems)
	}
	return nil
}
