package catalog

import (
	"errors"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// bounded is a compiled JSON Schema that gives up. Schemas come from strangers, and a few lines of them can ask for more work than
// there is time, and for more memory than there is: alternatives of alternatives double with each level.
type bounded struct {
	mu     sync.Mutex
	left   int
	schema *jsonschema.Schema
}

// Work is counted in subschemas that were looked at: for each validation, and for each value in what is validated.
const (
	maxLooks     = 200_000
	looksOfValue = 20
)

// errTooIntricate says that nobody knows whether a value fits.
var errTooIntricate = errors.New("the schema takes too long to check")

// Validate is that of a schema. Only one is under way at a time, since they share their count.
func (b *bounded) Validate(v any) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = maxLooks + looksOfValue*values(v)
	defer func() {
		if r := recover(); r == errTooIntricate {
			err = errTooIntricate
		} else if r != nil {
			panic(r)
		}
	}()
	return b.schema.Validate(v)
}

// count makes a compiler put our count into each schema.
func (b *bounded) count(c *jsonschema.Compiler) {
	c.RegisterVocabulary(&jsonschema.Vocabulary{URL: "urn:pags:count", Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
		return look{b}, nil
	}})
	c.AssertVocabs()
}

type look struct{ of *bounded }

func (l look) Validate(*jsonschema.ValidatorContext, any) {
	if l.of.left--; l.of.left < 0 {
		panic(errTooIntricate)
	}
}

// values counts the values of JSON, the ones inside too.
func values(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			n += values(inner)
		}
	case []any:
		for _, inner := range v {
			n += values(inner)
		}
	}
	return n
}
