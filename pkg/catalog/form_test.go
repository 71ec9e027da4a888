package catalog

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCheckForm_AFilledFormFitsItsSchemaOrSaysWhatIsWrong(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","minLength":1},"seats":{"type":"integer","maximum":9}},"required":["name"],"additionalProperties":false}`)
	for _, c := range []struct {
		name    string
		schema  json.RawMessage
		content map[string]any
		wrong   string // part of a problem, "" for none
	}{
		{"all there", schema, map[string]any{"name": "Ada", "seats": json.Number("3")}, ""},
		{"a required field is missing", schema, map[string]any{"seats": json.Number("3")}, "name"},
		{"nothing at all", schema, nil, "name"},
		{"a text where a number belongs", schema, map[string]any{"name": "Ada", "seats": "3"}, "/seats"},
		{"a field that nobody asked for", schema, map[string]any{"name": "Ada", "x": true}, "x"},
		{"no schema", nil, map[string]any{"any": "thing"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := CheckForm(c.schema, c.content)
			said := ""
			for _, p := range got {
				said += p.At + " " + p.Message + "\n"
			}
			if (c.wrong == "") != (len(got) == 0) || !strings.Contains(said, c.wrong) {
				t.Errorf("it says %q", said)
			}
		})
	}
}

func TestCheckSchema_AFormIsAnObject(t *testing.T) {
	for schema, fine := range map[string]bool{
		`{"type":"object"}`: true, `{}`: true, `{"properties":{"a":{"type":"string"}}}`: true,
		`{"type":"string"}`: false, `[]`: false, `{"type":"object","properties":{"a":{"type":"nonsense"}}}`: false,
		`{"$ref":"https://elsewhere.test/x"}`: false,
	} {
		if err := CheckSchema(json.RawMessage(schema)); (err == nil) != fine {
			t.Errorf("%s: %v", schema, err)
		}
	}
}
