package asl

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxText is AWS's limit of characters for hashing and Base64.
const maxText = 10_000

func textArgument(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("a text is expected, not %s", encode(v))
	}
	return s, nil
}

func shortText(v any) (string, error) {
	s, err := textArgument(v)
	if err == nil && utf8.RuneCountInString(s) > maxText {
		return "", fmt.Errorf("the text is longer than %d characters", maxText)
	}
	return s, err
}

// format replaces each {} by the next argument; \{ \} \\ are literal.
func format(args []any, _ *scope) (any, error) {
	pattern, err := textArgument(args[0])
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	args = args[1:]
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern) && strings.IndexByte(`{}\`, pattern[i+1]) >= 0:
			i++
			b.WriteByte(pattern[i])
		case c == '{' && i+1 < len(pattern) && pattern[i+1] == '}':
			i++
			if len(args) == 0 {
				return nil, errors.New("there are more {} than arguments")
			}
			b.WriteString(display(args[0]))
			args = args[1:]
		case c == '{' || c == '}':
			return nil, errors.New("a brace stands alone; write \\{ or \\}")
		default:
			b.WriteByte(c)
		}
	}
	if len(args) > 0 {
		return nil, errors.New("there are more arguments than {}")
	}
	return b.String(), nil
}

// display is how Format shows a value; lists and objects look as on AWS: [a, b] and {k=v}.
func display(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case []any:
		parts := make([]string, len(x))
		for i, e := range x {
			parts[i] = display(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := make([]string, 0, len(x))
		for _, k := range slices.Sorted(maps.Keys(x)) {
			parts = append(parts, k+"="+display(x[k]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return string(encode(v))
	}
}

func jsonToString(args []any, _ *scope) (any, error) { return string(encode(args[0])), nil }

func stringToJSON(args []any, _ *scope) (any, error) {
	s, err := textArgument(args[0])
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	return decode([]byte(s))
}

// jsonMerge lays the second object over the first. AWS knows only the shallow mode.
func jsonMerge(args []any, _ *scope) (any, error) {
	a, okA := args[0].(map[string]any)
	b, okB := args[1].(map[string]any)
	if !okA || !okB {
		return nil, errors.New("two objects are expected")
	}
	if args[2] != false {
		return nil, errors.New("only the shallow mode (false) exists")
	}
	out := make(map[string]any, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out, nil
}

func base64Encode(args []any, _ *scope) (any, error) {
	s, err := shortText(args[0])
	return base64.StdEncoding.EncodeToString([]byte(s)), err
}

func base64Decode(args []any, _ *scope) (any, error) {
	s, err := shortText(args[0])
	if err != nil {
		return nil, err
	}
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, errors.New("the text is not Base64")
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD"), nil
}

func hashOf(args []any, _ *scope) (any, error) {
	s, ok := args[0].(string)
	if !ok {
		s = string(encode(args[0]))
	}
	if utf8.RuneCountInString(s) > maxText {
		return nil, fmt.Errorf("the text is longer than %d characters", maxText)
	}
	in := []byte(s)
	var sum []byte
	switch args[1] {
	case "MD5":
		h := md5.Sum(in)
		sum = h[:]
	case "SHA-1":
		h := sha1.Sum(in)
		sum = h[:]
	case "SHA-256":
		h := sha256.Sum256(in)
		sum = h[:]
	case "SHA-384":
		h := sha512.Sum384(in)
		sum = h[:]
	case "SHA-512":
		h := sha512.Sum512(in)
		sum = h[:]
	default:
		return nil, fmt.Errorf("algorithm %s is not known", encode(args[1]))
	}
	return hex.EncodeToString(sum), nil
}

// stringSplit cuts at each of the delimiter's characters and drops empty parts.
func stringSplit(args []any, _ *scope) (any, error) {
	s, err := textArgument(args[0])
	if err != nil {
		return nil, err
	}
	cut, err := textArgument(args[1])
	if err != nil {
		return nil, err
	}
	out := []any{}
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(cut, r) }) {
		out = append(out, part)
	}
	return out, nil
}

func uuid([]any, *scope) (any, error) {
	var raw [16]byte
	_, _ = rand.Read(raw[:])
	return uuidText(raw), nil
}

// uuidText writes 16 bytes as a version 4 UUID (RFC 9562).
func uuidText(raw [16]byte) string {
	raw[6], raw[8] = raw[6]&0x0f|0x40, raw[8]&0x3f|0x80
	h := hex.EncodeToString(raw[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
