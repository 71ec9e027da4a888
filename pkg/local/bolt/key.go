package bolt

import (
	"encoding/binary"
	"encoding/json"
	"strings"

	"github.com/proagentstore/pags/pkg/port"
)

// Keys are texts in order: each part but the last is escaped (00 -> 00 FF) and ended by 00 01, so that byte order of the
// whole is the order of the parts and no part can run into the next.
const (
	escape     = "\x00\xff"
	terminator = "\x00\x01"
	afterEnd   = "\x00\x02" // just above the terminator: an upper bound that lets the text itself through
)

func escaped(s string) string {
	if strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(s, "\x00", escape)
}

func joined(last string, parts ...string) []byte {
	n := len(last)
	for _, p := range parts {
		n += len(p) + len(terminator)
	}
	b := make([]byte, 0, n)
	for _, p := range parts {
		b = append(append(b, escaped(p)...), terminator...)
	}
	return append(b, last...)
}

// mainKey is pk, sk.
func mainKey(k port.Key) []byte { return joined(k.SK, k.PK) }

// indexKey is index pk, index sk, pk, sk: items with the same index key stand in the order of their own keys.
func indexKey(ipk, isk string, k port.Key) []byte { return joined(k.SK, ipk, isk, k.PK) }

// indexKeyOf is the item's key in an index ("g1", "g2"); false if it is not in it.
func indexKeyOf(it port.Item, index string) ([]byte, bool) {
	pk, _ := it[index+"pk"].(string)
	sk, _ := it[index+"sk"].(string)
	if pk == "" || sk == "" {
		return nil, false
	}
	return indexKey(pk, sk, port.KeyOf(it)), true
}

// Kinds in the expiry bucket.
const (
	kindItem  = 'i'
	kindToken = 't'
)

// expiryKey orders by second. Seconds before 1970 count as 0.
func expiryKey(second int64, kind byte, rest []byte) []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 9+len(rest)), uint64(max(second, 0)))
	return append(append(b, kind), rest...)
}

// expires reads when the item expires; false if it never does.
func expires(it port.Item) (int64, bool) {
	n, ok := it[port.AttrExpires].(json.Number)
	if !ok {
		return 0, false
	}
	at, err := n.Int64()
	return at, err == nil
}

// live hides an item that has expired.
func live(it port.Item, now int64) port.Item {
	if at, ok := expires(it); ok && at <= now {
		return nil
	}
	return it
}
