package port

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
)

// Item is one row. Values are string, json.Number, bool, nil, []byte, []any and map[string]any; numbers keep their digits
// (never float64), and an empty string stays an empty string. The attributes pk, sk, g1pk, g1sk, g2pk, g2sk and expires
// belong to the table: see Key, Indexes and Expires.
type Item map[string]any

// Names of the table's own attributes.
const (
	AttrPK, AttrSK     = "pk", "sk"
	AttrG1PK, AttrG1SK = "g1pk", "g1sk" // secondary index "g1"; an item without them is not in it
	AttrG2PK, AttrG2SK = "g2pk", "g2sk" // secondary index "g2"
	AttrExpires        = "expires"      // seconds since 1970; at or past it the item is absent on every path
)

// MaxItemBytes is DynamoDB's item limit: attribute names and UTF-8 values together (spec limits C.6). Larger is refused
// with pags.TooLarge before anything is sent.
const MaxItemBytes = 400 * 1024

// MaxTransact is the most writes in one transaction. DynamoDB takes 100; one of them is the row that remembers the token.
const MaxTransact = 99

// Key is the primary key. Neither part may be empty: such a key is refused with pags.Invalid before anything is sent.
type Key struct{ PK, SK string }

func (k Key) String() string { return k.PK + "/" + k.SK }

// KeyOf reads an item's key.
func KeyOf(it Item) Key {
	pk, _ := it[AttrPK].(string)
	sk, _ := it[AttrSK].(string)
	return Key{pk, sk}
}

// Table is the one store of state: rows under a partition key in sort-key order, two secondary indexes, conditions and
// transactions, expiry that hides an item on every path and in every condition.
//
// Errors: a failed condition is *ConditionFailed (a transaction: *Cancelled with a reason for each write); a missing
// item is pags.NotFound, for an update without a condition too; what Write.Checked, CheckTransact and Query.Checked refuse
// has their code and was not sent; throttling and conflicts after retries are pags.Unavailable.
type Table interface {
	// Get reads one item, strongly consistent.
	Get(ctx context.Context, key Key) (Item, error)
	// GetMany reads up to 100 items, strongly consistent; the answer has a nil Item where one is absent.
	GetMany(ctx context.Context, keys ...Key) ([]Item, error)
	// Query lists a partition or an index partition.
	Query(ctx context.Context, q Query) (Page, error)
	// Write does one write.
	Write(ctx context.Context, w Write) error
	// Transact does all writes or none. token (at most 36 characters) names the change and is required: once a transaction
	// with it was done, another with the same token does nothing for 10 minutes and answers nil, whatever it holds. A
	// cancelled transaction leaves its token free. Conflicts with other transactions are retried inside.
	Transact(ctx context.Context, token string, writes ...Write) error
}

// Query asks for items in sort-key order.
type Query struct {
	Index  string // "" the table, "g1", "g2"; an index is eventually consistent on AWS
	PK     string
	Prefix string // sort key begins with
	From   string // sort key >= From, if not empty
	To     string // sort key <= To, if not empty
	Desc   bool
	Limit  int    // items in the page after Filter; 0 means 100; at most 1000
	Cursor string // from the page before; a cursor that is not ours is pags.Invalid
	Filter *Cond  // applied to each item; pages fill up to Limit all the same
}

// Page is a part of a listing. Cursor is empty exactly when nothing follows: the adapter looks ahead, so no page is a dead
// end and no page but the last is short.
type Page struct {
	Items  []Item
	Cursor string
}

// WriteKind says what a Write does.
type WriteKind int

const (
	PutWrite    WriteKind = iota // replace or create the whole item
	UpdateWrite                  // change attributes of a live item; with Upsert also create it
	DeleteWrite                  // remove; removing what is absent is fine unless If says otherwise
	CheckWrite                   // only in a transaction: If must hold
)

// Write is one change. Make it with Put, Update, Delete or Check.
type Write struct {
	Kind   WriteKind
	Key    Key
	Item   Item             // PutWrite
	Set    map[string]any   // UpdateWrite: attribute -> value
	Add    map[string]int64 // UpdateWrite: attribute += value (absent counts as 0)
	Remove []string         // UpdateWrite
	Upsert bool             // UpdateWrite: an absent or expired item is made anew from Set and Add
	If     *Cond
}

// Put replaces or creates the item; its key is read from its pk and sk attributes.
func Put(it Item) Write { return Write{Kind: PutWrite, Key: KeyOf(it), Item: it} }

// Update changes single attributes of a live item.
func Update(key Key) Write { return Write{Kind: UpdateWrite, Key: key} }

// Delete removes the item.
func Delete(key Key) Write { return Write{Kind: DeleteWrite, Key: key} }

// Check only asserts; for transactions.
func Check(key Key, c *Cond) Write { return Write{Kind: CheckWrite, Key: key, If: c} }

// When adds a condition.
func (w Write) When(c *Cond) Write { w.If = c; return w }

// Setting adds attribute values to an update.
func (w Write) Setting(attr string, v any) Write {
	set := make(map[string]any, len(w.Set)+1)
	for k, x := range w.Set {
		set[k] = x
	}
	set[attr] = v
	w.Set = set
	return w
}

// Adding adds n to a number attribute in an update.
func (w Write) Adding(attr string, n int64) Write {
	add := make(map[string]int64, len(w.Add)+1)
	for k, x := range w.Add {
		add[k] = x
	}
	add[attr] += n
	w.Add = add
	return w
}

// Removing drops attributes in an update.
func (w Write) Removing(attrs ...string) Write {
	w.Remove = append(append([]string{}, w.Remove...), attrs...)
	return w
}

// OrCreate lets an update make an absent item.
func (w Write) OrCreate() Write { w.Upsert = true; return w }

// CondOp is an operator of a condition.
type CondOp string

const (
	OpExists    CondOp = "exists"    // the item (Attr "") or the attribute is there
	OpNotExists CondOp = "notExists" // it is not; an expired item is not there
	OpEq        CondOp = "="
	OpNe        CondOp = "<>" // false when the attribute is absent
	OpLt        CondOp = "<"
	OpLe        CondOp = "<="
	OpGt        CondOp = ">"
	OpGe        CondOp = ">="
	OpBegins    CondOp = "begins"
	OpAnd       CondOp = "and"
	OpOr        CondOp = "or"
)

// Cond is a condition on one item. Comparisons hold only between values of the same type (number with number, text with
// text); anything about an expired item is false except OpNotExists.
type Cond struct {
	Op    CondOp
	Attr  string
	Value any
	Args  []*Cond
}

func Exists() *Cond                    { return &Cond{Op: OpExists} }
func NotExists() *Cond                 { return &Cond{Op: OpNotExists} }
func HasAttr(attr string) *Cond        { return &Cond{Op: OpExists, Attr: attr} }
func LacksAttr(attr string) *Cond      { return &Cond{Op: OpNotExists, Attr: attr} }
func Eq(attr string, v any) *Cond      { return &Cond{Op: OpEq, Attr: attr, Value: v} }
func Ne(attr string, v any) *Cond      { return &Cond{Op: OpNe, Attr: attr, Value: v} }
func Lt(attr string, v any) *Cond      { return &Cond{Op: OpLt, Attr: attr, Value: v} }
func Le(attr string, v any) *Cond      { return &Cond{Op: OpLe, Attr: attr, Value: v} }
func Gt(attr string, v any) *Cond      { return &Cond{Op: OpGt, Attr: attr, Value: v} }
func Ge(attr string, v any) *Cond      { return &Cond{Op: OpGe, Attr: attr, Value: v} }
func Begins(attr, prefix string) *Cond { return &Cond{Op: OpBegins, Attr: attr, Value: prefix} }
func And(args ...*Cond) *Cond          { return &Cond{Op: OpAnd, Args: args} }
func Or(args ...*Cond) *Cond           { return &Cond{Op: OpOr, Args: args} }

// ConditionFailed is the answer to a single write whose condition did not hold. Item is what was there, nil if nothing.
type ConditionFailed struct {
	Key  Key
	Item Item
}

func (e *ConditionFailed) Error() string { return "condition failed on " + e.Key.String() }

// Unwrap gives the failure a code: pags.NotFound where nothing was there, else pags.Conflict.
func (e *ConditionFailed) Unwrap() error {
	if e.Item == nil {
		return pags.Errorf(pags.NotFound, "it is not there")
	}
	return pags.Errorf(pags.Conflict, "it has changed meanwhile; look again and retry")
}

// Reason says why one write of a cancelled transaction stood in the way; the zero value means it did not.
type Reason struct {
	ConditionFailed bool
	Item            Item // what was there, where the condition failed
	Other           string
}

// Cancelled is the answer to a transaction of which nothing was done: one reason for each write, in order.
type Cancelled struct{ Reasons []Reason }

func (e *Cancelled) Error() string {
	parts := make([]string, len(e.Reasons))
	for i, r := range e.Reasons {
		switch {
		case r.ConditionFailed:
			parts[i] = "ConditionFailed"
		case r.Other != "":
			parts[i] = r.Other
		default:
			parts[i] = "None"
		}
	}
	return "transaction cancelled [" + strings.Join(parts, ", ") + "]"
}

// Unwrap gives the failure a code.
func (e *Cancelled) Unwrap() error {
	return pags.Errorf(pags.Conflict, "something has changed meanwhile; look again and retry")
}

// Failed reports whether the i-th write's condition was what failed.
func (e *Cancelled) Failed(i int) bool { return i < len(e.Reasons) && e.Reasons[i].ConditionFailed }

// Encode turns a struct into an Item by its JSON tags and lays the key over it. Numbers keep their digits.
func Encode(key Key, v any) (Item, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", key, err)
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	it := Item{}
	if err := dec.Decode(&it); err != nil {
		return nil, fmt.Errorf("encode %s: %w", key, err)
	}
	it[AttrPK], it[AttrSK] = key.PK, key.SK
	return it, nil
}

// Decode fills a struct from an item by its JSON tags.
func Decode(it Item, v any) error {
	raw, err := json.Marshal(it)
	if err != nil {
		return fmt.Errorf("decode %s: %w", KeyOf(it), err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("decode %s: %w", KeyOf(it), err)
	}
	return nil
}

// In puts the item into a secondary index and returns it.
func (it Item) In(index, pk, sk string) Item {
	it[index+"pk"], it[index+"sk"] = pk, sk
	return it
}

// Expiring sets the moment from which the item is absent and returns it.
func (it Item) Expiring(at time.Time) Item {
	it[AttrExpires] = json.Number(fmt.Sprint(at.Unix()))
	return it
}
