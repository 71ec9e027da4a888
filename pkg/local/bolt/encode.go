package bolt

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/proagentstore/pags/pkg/port"
)

// An item on disk is a version byte and a map; a value is a tag and its content. Lengths are unsigned varints. Numbers are
// kept as their digits, so nothing passes through floating point.
const (
	itemVersion = 1

	tagNil, tagTrue, tagFalse    = 'z', 't', 'f'
	tagText, tagNumber, tagBytes = 's', 'n', 'b'
	tagList, tagMap              = 'l', 'm'
)

var errDamaged = errors.New("the stored item is cut short or damaged")

func encode(it port.Item) ([]byte, error) {
	return appendValue(append(make([]byte, 0, 64+it.Size()*5/4), itemVersion), map[string]any(it))
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendValue(b []byte, v any) (_ []byte, err error) {
	switch x := v.(type) {
	case nil:
		return append(b, tagNil), nil
	case bool:
		if x {
			return append(b, tagTrue), nil
		}
		return append(b, tagFalse), nil
	case string:
		return appendText(append(b, tagText), x), nil
	case json.Number:
		return appendText(append(b, tagNumber), string(x)), nil
	case []byte:
		return append(binary.AppendUvarint(append(b, tagBytes), uint64(len(x))), x...), nil
	case []any:
		b = binary.AppendUvarint(append(b, tagList), uint64(len(x)))
		for _, e := range x {
			if b, err = appendValue(b, e); err != nil {
				return nil, err
			}
		}
		return b, nil
	case map[string]any:
		b = binary.AppendUvarint(append(b, tagMap), uint64(len(x)))
		for k, e := range x {
			if b, err = appendValue(appendText(b, k), e); err != nil {
				return nil, err
			}
		}
		return b, nil
	}
	return nil, fmt.Errorf("no stored form for a %T", v)
}

// decode reads an item into memory of its own; nil for nil.
func decode(raw []byte) (port.Item, error) {
	if raw == nil {
		return nil, nil
	}
	if len(raw) == 0 || raw[0] != itemVersion {
		return nil, errDamaged
	}
	r := reader{rest: raw[1:]}
	v, err := r.value()
	if err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok || len(r.rest) > 0 {
		return nil, errDamaged
	}
	return m, nil
}

type reader struct{ rest []byte }

func (r *reader) length() (int, error) {
	n, used := binary.Uvarint(r.rest)
	if used <= 0 || n > uint64(len(r.rest)-used) {
		return 0, errDamaged // every element takes at least a byte, so this bounds lists and maps too
	}
	r.rest = r.rest[used:]
	return int(n), nil
}

func (r *reader) bytes() ([]byte, error) {
	n, err := r.length()
	if err != nil {
		return nil, err
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b, nil
}

func (r *reader) value() (any, error) {
	if len(r.rest) == 0 {
		return nil, errDamaged
	}
	tag := r.rest[0]
	r.rest = r.rest[1:]
	switch tag {
	case tagNil:
		return nil, nil
	case tagTrue, tagFalse:
		return tag == tagTrue, nil
	case tagText:
		b, err := r.bytes()
		return string(b), err
	case tagNumber:
		b, err := r.bytes()
		return json.Number(b), err
	case tagBytes:
		b, err := r.bytes()
		return append([]byte{}, b...), err
	case tagList:
		return r.list()
	case tagMap:
		return r.pairs()
	}
	return nil, errors.Join(errDamaged, fmt.Errorf("unknown tag %#x", tag))
}

func (r *reader) list() (any, error) {
	n, err := r.length()
	if err != nil {
		return nil, err
	}
	list := make([]any, n)
	for i := range list {
		if list[i], err = r.value(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (r *reader) pairs() (any, error) {
	n, err := r.length()
	if err != nil {
		return nil, err
	}
	m := make(map[string]any, n)
	for range n {
		k, err := r.bytes()
		if err != nil {
			return nil, err
		}
		if m[string(k)], err = r.value(); err != nil {
			return nil, err
		}
	}
	return m, nil
}
