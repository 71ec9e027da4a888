package port

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/pags"
)

// What DynamoDB refuses, refused the same way by every adapter before anything is sent (AWS: "Quotas in Amazon DynamoDB").
const (
	maxPK, maxSK     = 2048, 1024
	maxTransactBytes = 4 << 20
	maxToken         = 36
	maxLimit         = 1000
	defaultLimit     = 100
	maxGet           = 100
)

// Check refuses a key that no table keeps with pags.Invalid.
func (k Key) Check() error {
	switch {
	case k.PK == "" || k.SK == "":
		return pags.Errorf(pags.Invalid, "a key needs both parts; got pk %.80q, sk %.80q", k.PK, k.SK)
	case len(k.PK) > maxPK || len(k.SK) > maxSK:
		return pags.Errorf(pags.Invalid, "a key is longer than %d (pk) or %d (sk) bytes", maxPK, maxSK)
	case !utf8.ValidString(k.PK) || !utf8.ValidString(k.SK):
		return pags.Errorf(pags.Invalid, "a key is not UTF-8")
	}
	return nil
}

// CheckKeys refuses what GetMany refuses.
func CheckKeys(keys []Key) error {
	if len(keys) > maxGet {
		return pags.Errorf(pags.Invalid, "%d keys in one read; at most %d", len(keys), maxGet)
	}
	for _, k := range keys {
		if err := k.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Checked returns a copy of the write with every value as the table keeps it, or the reason to refuse it: pags.Invalid, or
// pags.TooLarge for an item above MaxItemBytes.
func (w Write) Checked() (Write, error) {
	if err := w.Key.Check(); err != nil {
		return Write{}, err
	}
	var err error
	switch w.Kind {
	case PutWrite:
		w, err = w.checkedPut()
	case UpdateWrite:
		w, err = w.checkedUpdate()
	case DeleteWrite:
	case CheckWrite:
		if w.If == nil {
			err = pags.Errorf(pags.Invalid, "a check of %s without a condition", w.Key)
		}
	default:
		err = pags.Errorf(pags.Invalid, "write of unknown kind %d", w.Kind)
	}
	if err != nil {
		return Write{}, err
	}
	w.If, err = w.If.checked()
	return w, err
}

func (w Write) checkedPut() (Write, error) {
	if KeyOf(w.Item) != w.Key {
		return w, pags.Errorf(pags.Invalid, "the item to put does not carry the key %s", w.Key)
	}
	v, err := Value(w.Item)
	if err != nil {
		return w, err
	}
	w.Item = v.(map[string]any)
	if err := CheckItem(w.Item); err != nil {
		return w, err
	}
	return w, nil
}

// CheckItem refuses an item whose own attributes are unfit (pags.Invalid) or which is too large (pags.TooLarge).
func CheckItem(it Item) error {
	if err := checkOwn(it); err != nil {
		return err
	}
	if n := it.Size(); n > MaxItemBytes {
		return pags.Errorf(pags.TooLarge, "the item is %d bytes with its names; at most %d. Keep large parts as blobs", n, MaxItemBytes)
	}
	return nil
}

// checkOwn looks at attributes that belong to the table: index keys are texts within the key limits, expires is a whole number.
func checkOwn(attrs map[string]any) error {
	for name, v := range attrs {
		limit := 0
		switch name {
		case "":
			return pags.Errorf(pags.Invalid, "an attribute without a name")
		case AttrG1PK, AttrG2PK:
			limit = maxPK
		case AttrG1SK, AttrG2SK:
			limit = maxSK
		case AttrExpires:
			n, ok := v.(json.Number)
			if _, err := n.Int64(); !ok || err != nil {
				return pags.Errorf(pags.Invalid, "%s must be whole seconds since 1970", name)
			}
			continue
		default:
			continue
		}
		if s, ok := v.(string); !ok || s == "" || len(s) > limit {
			return pags.Errorf(pags.Invalid, "%s must be a text of 1 to %d bytes; leave it out to keep the item out of the index", name, limit)
		}
	}
	return nil
}

func (w Write) checkedUpdate() (Write, error) {
	seen := map[string]bool{AttrPK: true, AttrSK: true}
	once := func(attr string) error {
		if attr == "" {
			return pags.Errorf(pags.Invalid, "an attribute without a name")
		}
		if seen[attr] {
			return pags.Errorf(pags.Invalid, "an update of %s changes %q twice, or it is a key", w.Key, attr)
		}
		seen[attr] = true
		return nil
	}
	set := make(map[string]any, len(w.Set))
	for attr, v := range w.Set {
		if err := once(attr); err != nil {
			return w, err
		}
		kept, err := Value(v)
		if err != nil {
			return w, err
		}
		set[attr] = kept
	}
	for attr := range w.Add {
		if err := once(attr); err != nil {
			return w, err
		}
		if attr != AttrExpires && isOwn(attr) {
			return w, pags.Errorf(pags.Invalid, "%s is a text; nothing can be added to it", attr)
		}
	}
	for _, attr := range w.Remove {
		if err := once(attr); err != nil {
			return w, err
		}
	}
	if len(w.Set)+len(w.Add) == 0 && (w.Upsert || len(w.Remove) == 0) {
		return w, pags.Errorf(pags.Invalid, "an update of %s that sets nothing", w.Key)
	}
	w.Set = set
	if err := CheckItem(set); err != nil {
		return w, err
	}
	return w, nil
}

func isOwn(attr string) bool {
	switch attr {
	case AttrPK, AttrSK, AttrG1PK, AttrG1SK, AttrG2PK, AttrG2SK, AttrExpires:
		return true
	}
	return false
}

// CheckSingle is Checked for a write on its own: a bare check is refused.
func (w Write) CheckSingle() (Write, error) {
	if w.Kind == CheckWrite {
		return Write{}, pags.Errorf(pags.Invalid, "a check belongs in a transaction; read the item instead")
	}
	return w.Checked()
}

// CheckTransact is Checked for all writes of a transaction; each key may come once.
func CheckTransact(token string, writes []Write) ([]Write, error) {
	switch {
	case token == "" || len(token) > maxToken || !utf8.ValidString(token):
		return nil, pags.Errorf(pags.Invalid, "a transaction needs a token of 1 to %d characters", maxToken)
	case len(writes) == 0 || len(writes) > MaxTransact:
		return nil, pags.Errorf(pags.Invalid, "%d writes in one transaction; it takes 1 to %d", len(writes), MaxTransact)
	}
	seen, out, size := make(map[Key]bool, len(writes)), make([]Write, len(writes)), 0
	for i, w := range writes {
		if seen[w.Key] {
			return nil, pags.Errorf(pags.Invalid, "%s is written twice in one transaction; make it one write", w.Key)
		}
		seen[w.Key] = true
		checked, err := w.Checked()
		if err != nil {
			return nil, err
		}
		out[i] = checked
		size += checked.Item.Size() + Item(checked.Set).Size()
	}
	if size > maxTransactBytes {
		return nil, pags.Errorf(pags.TooLarge, "the transaction is %d bytes; at most %d", size, maxTransactBytes)
	}
	return out, nil
}

// Checked returns the query with its limit filled in and its filter's values as the table keeps them, or pags.Invalid.
func (q Query) Checked() (Query, error) {
	switch q.Index {
	case "", "g1", "g2":
	default:
		return q, pags.Errorf(pags.Invalid, "there is no index %.20q", q.Index)
	}
	switch {
	case q.PK == "" || len(q.PK) > maxPK:
		return q, pags.Errorf(pags.Invalid, "a query needs a partition key of 1 to %d bytes", maxPK)
	case len(q.Prefix) > maxSK || len(q.From) > maxSK || len(q.To) > maxSK:
		return q, pags.Errorf(pags.Invalid, "a bound of the query is longer than %d bytes", maxSK)
	case q.Limit < 0 || q.Limit > maxLimit:
		return q, pags.Errorf(pags.Invalid, "limit must be 1 to %d", maxLimit)
	case q.Limit == 0:
		q.Limit = defaultLimit
	}
	for _, s := range []string{q.PK, q.Prefix, q.From, q.To} {
		if !utf8.ValidString(s) {
			return q, pags.Errorf(pags.Invalid, "a key of the query is not UTF-8")
		}
	}
	var err error
	if q.Filter, err = q.Filter.checked(); err != nil {
		return q, err
	}
	return q, q.Filter.eachAttr(func(attr string) error {
		if attr == AttrPK || attr == AttrSK || q.Index != "" && (attr == q.Index+"pk" || attr == q.Index+"sk") {
			return pags.Errorf(pags.Invalid, "a filter cannot look at the key attribute %s; use the query's bounds", attr)
		}
		return nil
	})
}
