package execution

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// literal writes JSON as source text of a program that gives exactly that value. JSON is nearly source text by itself, but for
// two things: an integer that a number cannot hold is a bigint, and a member __proto__ has to be named in brackets, or it would
// be no member at all.
func literal(raw json.RawMessage) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var b strings.Builder
	if err := writeLiteral(&b, dec); err != nil {
		return "", fmt.Errorf("read arguments: %w", err)
	}
	return b.String(), nil
}

func writeLiteral(b *strings.Builder, dec *json.Decoder) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case json.Delim:
		b.WriteString(t.String())
		for first := true; dec.More(); first = false {
			if !first {
				b.WriteByte(',')
			}
			if t == '{' {
				name, err := dec.Token()
				if err != nil {
					return err
				}
				if text := quoted(name); name == "__proto__" {
					b.WriteString("[" + text + "]:")
				} else {
					b.WriteString(text + ":")
				}
			}
			if err := writeLiteral(b, dec); err != nil {
				return err
			}
		}
		end, err := dec.Token()
		if err != nil {
			return err
		}
		b.WriteString(end.(json.Delim).String())
	case json.Number:
		b.WriteString(string(t))
		if beyond(string(t)) {
			b.WriteByte('n')
		}
	default:
		b.WriteString(quoted(t))
	}
	return nil
}

// beyond reports whether a number is an integer of more than 53 bits.
func beyond(number string) bool {
	if strings.ContainsAny(number, ".eE") {
		return false
	}
	n, err := strconv.ParseInt(number, 10, 64)
	return err != nil || n > 1<<53-1 || n < -(1<<53-1)
}

// quoted is a text, true, false or null as JSON, which is source text too.
func quoted(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // of a plain value that came from JSON
	return strings.TrimSuffix(b.String(), "\n")
}
