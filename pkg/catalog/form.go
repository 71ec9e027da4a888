package catalog

import (
	"encoding/json"
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// CheckSchema reports why a JSON Schema cannot be that of a form: it is none, or it describes something else than an object.
func CheckSchema(schema json.RawMessage) error {
	var about struct {
		Type       any            `json:"type"`
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(schema, &about); err != nil {
		return errors.New("the schema of a form is a JSON Schema object")
	}
	if about.Type != nil && about.Type != "object" {
		return errors.New(`the schema of a form has "type": "object"`)
	}
	if _, err := compile(schema); err != nil {
		return errors.New("the schema of the form is not a JSON Schema: " + err.Error())
	}
	return nil
}

// CheckForm holds a filled form to its schema and lists everything that is wrong, or nothing. No schema takes any object.
func CheckForm(schema json.RawMessage, content map[string]any) []Problem {
	if len(schema) == 0 || string(schema) == "null" {
		return nil
	}
	c, err := compile(schema)
	if err != nil {
		return []Problem{{"", "the form has no usable schema"}}
	}
	if content == nil {
		content = map[string]any{}
	}
	var bad *jsonschema.ValidationError
	err = c.Validate(plainMap(content))
	if errors.Is(err, errTooIntricate) {
		return []Problem{{"", "the schema of the form takes too long to check; decline it"}}
	}
	if !errors.As(err, &bad) {
		return nil
	}
	var out []Problem
	collect(bad, &out)
	return out
}
