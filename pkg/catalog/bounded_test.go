package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// doubling is a definition that names the next one twice, n levels deep.
func doubling(word, last string, n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"L%d":{%q:[{"$ref":"#/components/schemas/L%d"},{"$ref":"#/components/schemas/L%d"}]}`, i, word, i+1, i+1))
	}
	return strings.Join(append(defs, fmt.Sprintf(`"L%d":%s`, n, last)), ",")
}

func TestCheck_ASchemaThatAsksForMoreWorkThanThereIsTimeIsGivenUp(t *testing.T) {
	deep := strings.Repeat(`{"k":`, 30) + `"x"` + strings.Repeat(`}`, 30)
	for says, c := range map[string]struct{ defs, body string }{
		"all of it, doubled":                 {doubling("allOf", `{"type":"object"}`, 30), `{}`},
		"alternatives that all fail":         {doubling("anyOf", `{"type":"object","required":["no"]}`, 30), `{}`},
		"one of them, without errors":        {doubling("oneOf", `{"type":"object"}`, 30), `{}`},
		"leaves of another type":             {doubling("anyOf", `{"type":"string"}`, 30), `{}`},
		"twice at each depth of the value":   {`"L0":{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#/components/schemas/L0"},{"$ref":"#/components/schemas/L0"},{"const":1}]}}`, deep},
		"patterns that both match":           {`"L0":{"patternProperties":{"k":{"$ref":"#/components/schemas/L0"},"^k":{"$ref":"#/components/schemas/L0"}}}`, deep},
		"the same within not":                {`"L0":{"patternProperties":{"k":{"not":{"$ref":"#/components/schemas/L0"}},"^k":{"not":{"$ref":"#/components/schemas/L0"}}}}`, deep},
		"one within the other, with a check": {`"L0":{"patternProperties":{"k":{"oneOf":[{"$ref":"#/components/schemas/L0"},{"$ref":"#/components/schemas/L0"},{"type":"string"}]}}}`, deep},
	} {
		s := imported(t, `{"openapi":"3.1.0","info":{"title":"d"},"servers":[{"url":"https://o.example.test"}],"components":{"schemas":{`+c.defs+`}},"paths":{"/x":{"post":{"operationId":"send",
			"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/L0"}}}}}}}}`, Options{})
		began := time.Now()
		s.Tools[0].Check(args(t, `{"body":`+c.body+`}`))
		if took := time.Since(began); took > 5*time.Second { // without an end it is minutes, and all of the memory
			t.Errorf("%s: %v", says, took)
		}
	}
}

func TestCheckForm_ASchemaThatTakesTooLongIsNotFilledIn(t *testing.T) {
	defs := strings.ReplaceAll(doubling("anyOf", `{"required":["no"]}`, 30), "#/components/schemas/", "#/$defs/")
	raw := json.RawMessage(`{"type":"object","$ref":"#/$defs/L0","$defs":{` + defs + `}}`)
	if err := CheckSchema(raw); err != nil {
		t.Fatal(err)
	}
	if p := CheckForm(raw, map[string]any{}); len(p) != 1 || !strings.Contains(p[0].Message, "too long") {
		t.Errorf("%v", p)
	}
}

func TestCheck_LargeValuesAreCheckedWhole(t *testing.T) {
	tl := one(t, "/x", `{"name":"q","in":"query","schema":{"type":"array","items":{"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"type":"boolean"},{"type":"string","maxLength":3}]}}}}}`)
	many := strings.Repeat(`{"a":"ok"},`, 30_000)
	if p := tl.Check(args(t, `{"q":[`+many+`{"a":true}]}`)); len(p) != 0 {
		t.Errorf("%v", p)
	}
	if p := tl.Check(args(t, `{"q":[`+many+`{"a":"long"}]}`)); len(p) != 1 {
		t.Errorf("%v", p)
	}
}

func TestCheck_ASchemaOfTooManyPartsIsNotMadeReady(t *testing.T) {
	var defs []string
	for i := range 3000 {
		var props []string
		for j := range 20 {
			props = append(props, fmt.Sprintf(`"p%d":{"$ref":"#/components/schemas/L%d"}`, j, (i*7+j*13)%3000))
		}
		defs = append(defs, fmt.Sprintf(`"L%d":{"type":"object","properties":{%s}}`, i, strings.Join(props, ",")))
	}
	s := imported(t, `{"openapi":"3.1.0","info":{"title":"d"},"servers":[{"url":"https://o.example.test"}],"components":{"schemas":{`+strings.Join(defs, ",")+`}},"paths":{"/x":{"post":{"operationId":"send",
		"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/L0"}}}}}}}}`, Options{})
	began := time.Now()
	s.Tools[0].Check(args(t, `{"body":{}}`))
	if took := time.Since(began); took > 3*time.Second { // made ready it is half a minute
		t.Errorf("%v", took)
	}
}
