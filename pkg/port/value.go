package port

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/pags"
)

// maxDepth is how deep lists and maps may nest (DynamoDB: 32).
const maxDepth = 32

// Value returns v as the table keeps it: a copy made only of the kinds Item lists. Go integers and named kinds (an id, a
// status) become numbers and texts, structs what their JSON says. Text that is not UTF-8, numbers the table cannot keep and
// what has no JSON are pags.Invalid.
func Value(v any) (any, error) { return value(v, maxDepth) }

func value(v any, depth int) (any, error) {
	if depth < 0 {
		return nil, pags.Errorf(pags.Invalid, "lists and maps nest deeper than %d", maxDepth)
	}
	switch x := v.(type) {
	case nil, bool:
		return x, nil
	case string:
		if !utf8.ValidString(x) {
			return nil, pags.Errorf(pags.Invalid, "a text is not UTF-8")
		}
		return x, nil
	case json.Number:
		return wrapped(Number(x))
	case int:
		return json.Number(strconv.Itoa(x)), nil
	case int64:
		return json.Number(strconv.FormatInt(x, 10)), nil
	case []byte:
		if x == nil {
			return nil, nil
		}
		return bytes.Clone(x), nil
	case []any:
		list := make([]any, len(x))
		for i := range x {
			e, err := value(x[i], depth-1)
			if err != nil {
				return nil, err
			}
			list[i] = e
		}
		return list, nil
	case Item:
		return value(map[string]any(x), depth)
	case map[string]any:
		m := make(map[string]any, len(x))
		for k := range x {
			e, err := value(x[k], depth-1)
			if err != nil {
				return nil, err
			}
			if k == "" || !utf8.ValidString(k) {
				return nil, pags.Errorf(pags.Invalid, "an attribute name is empty or not UTF-8")
			}
			m[k] = e
		}
		return m, nil
	}
	return other(v, depth)
}

// other handles named kinds, and everything else by its JSON.
func other(v any, depth int) (any, error) {
	_, own := v.(json.Marshaler)
	_, text := v.(encoding.TextMarshaler)
	if rv := reflect.ValueOf(v); !own && !text {
		switch rv.Kind() {
		case reflect.String:
			return value(rv.String(), depth)
		case reflect.Bool:
			return rv.Bool(), nil
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			return json.Number(strconv.FormatInt(rv.Int(), 10)), nil
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			return json.Number(strconv.FormatUint(rv.Uint(), 10)), nil
		}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, pags.Errorf(pags.Invalid, "a value of type %T has no JSON: %w", v, err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var out any
	if err := dec.Decode(&out); err != nil {
		return nil, pags.Errorf(pags.Invalid, "read the JSON of a %T back: %w", v, err)
	}
	return value(out, depth)
}

func wrapped(n json.Number, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Size counts the item in bytes the way DynamoDB does: names and UTF-8 values together; a number costs a byte for two
// digits and one more, a list or map three and one for each element (AWS: "DynamoDB item sizes and formats").
func (it Item) Size() int {
	n := 0
	for k, v := range it {
		n += len(k) + sizeOf(v)
	}
	return n
}

func sizeOf(v any) int {
	switch x := v.(type) {
	case string:
		return len(x)
	case []byte:
		return len(x)
	case json.Number:
		n := (significant(x)+1)/2 + 1
		if len(x) > 0 && x[0] == '-' {
			n++
		}
		return n
	case []any:
		n := 3
		for _, e := range x {
			n += 1 + sizeOf(e)
		}
		return n
	case map[string]any:
		n := 3
		for k, e := range x {
			n += 1 + len(k) + sizeOf(e)
		}
		return n
	default:
		return 1
	}
}
