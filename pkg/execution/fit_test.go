package execution

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/codemode"
)

func TestServe_AnAnswerThatDoesNotFitIsAFailureThatSaysSo(t *testing.T) {
	answer := func(bytes int) DispatchOutput {
		raw, _ := json.Marshal(catalog.Result{OK: true, Data: strings.Repeat("x", bytes)})
		return DispatchOutput{Answer: &codemode.Answer{Value: raw}}
	}
	if out := fitted(answer(5 << 20)); len(out.Answer.Value) < 5<<20 {
		t.Errorf("an answer of 5 MB became %s", out.Answer.Value)
	}
	var r catalog.Result
	if err := json.Unmarshal(fitted(answer(6<<20)).Answer.Value, &r); err != nil || r.OK || r.Error.Code != codeTooLarge || !strings.Contains(r.Error.Message, "6.0 MB") {
		t.Errorf("%+v %v", r.Error, err)
	}
}
