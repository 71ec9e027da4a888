package execution_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/execution"
	"github.com/proagentstore/pags/pkg/pags"
)

func TestCallTool_WhatIsSentIsWhatWasGiven(t *testing.T) {
	h := newHouse(t, nil)
	for given, want := range map[string]string{
		`{"id":9007199254740993,"neg":-9223372036854775807,"huge":123456789012345678901234567890}`: ``,
		`{"__proto__":{"admin":true},"in":{"\u005f_proto__":1,"constructor":2,"then":3}}`:          `{"__proto__":{"admin":true},"in":{"__proto__":1,"constructor":2,"then":3}}`,
		`{"text":"</script> \u2028 ${x} \" \\ n","list":[1,-2.5,1e3,true,null,[],{}]}`:             `{"text":"</script> \u2028 ${x} \" \\ n","list":[1,-2.5,1000,true,null,[],{}]}`,
		`{"9":1,"b":2,"a":9007199254740991}`:                                                       ``,
	} {
		x, err := h.CallTool(t.Context(), person(ada), execution.CallRequest{Path: "do.it", Args: json.RawMessage(given), Wait: 20})
		h.must(err)
		page, err := h.Service.Steps(t.Context(), ada, x.ID, "", 10)
		h.must(err)
		if want == "" {
			want = given
		}
		if len(page.Items) != 1 {
			t.Fatalf("%s: %s", given, text(x))
		}
		if raw, _ := page.Items[0].Args.(json.RawMessage); !same(raw, want) {
			t.Errorf("%s was sent as %s", given, raw)
		}
	}
}

func TestCallTool_ArgumentsThatAreTooManyAreCalledThat(t *testing.T) {
	h := newHouse(t, nil)
	args, _ := json.Marshal(map[string]string{"a": strings.Repeat("x", 200_000)})
	_, err := h.CallTool(t.Context(), person(ada), execution.CallRequest{Path: "do.it", Args: args})
	if !pags.Is(err, pags.TooLarge) || !strings.Contains(err.Error(), "arguments have 200008 bytes") {
		t.Error(err)
	}
}

// same compares JSON by its members, numbers as they are written.
func same(raw []byte, want string) bool {
	canonical := func(raw []byte) string {
		var v map[string]json.RawMessage
		if json.Unmarshal(raw, &v) != nil {
			return string(raw)
		}
		out, _ := json.Marshal(v)
		return string(out)
	}
	return canonical(raw) == canonical([]byte(want))
}
