package port

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"

	"github.com/proagentstore/pags/pkg/pags"
)

// Place is where a page ended: the sort key in the queried index and the item's own key.
type Place struct {
	SortKey string
	Key     Key
}

// A cursor is base64url of: 1 (version), 8 bytes that name the query, the texts of the place with their lengths, CRC-32.
// It shows no other partition than the one the query names anyway, so it needs no signature.
const cursorVersion = 1

// CursorAfter seals the place after an item of this query. It stays good when items are inserted or removed, that one too.
func (q Query) CursorAfter(it Item) string {
	name := q.fingerprint()
	raw := append([]byte{cursorVersion}, name[:]...)
	key := KeyOf(it)
	texts := []string{key.SK}
	if q.Index != "" {
		sk, _ := it[q.Index+"sk"].(string)
		texts = []string{sk, key.PK, key.SK}
	}
	for _, s := range texts {
		raw = binary.AppendUvarint(raw, uint64(len(s)))
		raw = append(raw, s...)
	}
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// After opens q.Cursor: nil without one, pags.Invalid if it is damaged or was made by another query.
func (q Query) After() (*Place, error) {
	if q.Cursor == "" {
		return nil, nil
	}
	bad := pags.Errorf(pags.Invalid, "the cursor is not one of this list; start again without it")
	raw, err := base64.RawURLEncoding.Strict().DecodeString(q.Cursor)
	if err != nil || len(raw) < 13 || raw[0] != cursorVersion {
		return nil, bad
	}
	body, sum := raw[:len(raw)-4], raw[len(raw)-4:]
	if name := q.fingerprint(); binary.BigEndian.Uint32(sum) != crc32.ChecksumIEEE(body) || string(body[1:9]) != string(name[:]) {
		return nil, bad
	}
	rest, texts := body[9:], []string{}
	for len(rest) > 0 {
		n, used := binary.Uvarint(rest)
		if used <= 0 || n > uint64(len(rest)-used) {
			return nil, bad
		}
		texts = append(texts, string(rest[used:used+int(n)]))
		rest = rest[used+int(n):]
	}
	switch {
	case q.Index == "" && len(texts) == 1:
		return &Place{SortKey: texts[0], Key: Key{q.PK, texts[0]}}, nil
	case q.Index != "" && len(texts) == 3:
		return &Place{SortKey: texts[0], Key: Key{texts[1], texts[2]}}, nil
	}
	return nil, bad
}

// fingerprint names the list that a cursor belongs to. The filter may change between pages.
func (q Query) fingerprint() (name [8]byte) {
	var b []byte
	for _, s := range []string{q.Index, q.PK, q.Prefix, q.From, q.To} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	if q.Desc {
		b = append(b, 1)
	}
	sum := sha256.Sum256(b)
	copy(name[:], sum[:])
	return name
}
