package dynamo

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/proagentstore/pags/pkg/port"
)

// expression collects placeholders: every name and value goes through one, so reserved words and dots mean nothing special.
type expression struct {
	names  map[string]string
	values map[string]types.AttributeValue
	now    int64
}

func newExpression(now int64) *expression {
	return &expression{names: map[string]string{}, values: map[string]types.AttributeValue{}, now: now}
}

func (x *expression) name(attr string) string {
	for placeholder, a := range x.names {
		if a == attr {
			return placeholder
		}
	}
	placeholder := fmt.Sprintf("#n%d", len(x.names))
	x.names[placeholder] = attr
	return placeholder
}

func (x *expression) value(v types.AttributeValue) string {
	placeholder := fmt.Sprintf(":v%d", len(x.values))
	x.values[placeholder] = v
	return placeholder
}

func (x *expression) at() string {
	x.values[":now"] = number(x.now)
	return ":now"
}

// namesOrNil and valuesOrNil: DynamoDB refuses empty maps.
func (x *expression) namesOrNil() map[string]string {
	if len(x.names) == 0 {
		return nil
	}
	return x.names
}

func (x *expression) valuesOrNil() map[string]types.AttributeValue {
	if len(x.values) == 0 {
		return nil
	}
	return x.values
}

// live holds for what has not expired, and for what is not there.
func (x *expression) live() string {
	e := x.name(port.AttrExpires)
	return fmt.Sprintf("(attribute_not_exists(%s) OR %s > %s)", e, e, x.at())
}

// over holds for what has expired.
func (x *expression) over() string {
	return fmt.Sprintf("%s <= %s", x.name(port.AttrExpires), x.at())
}

// condition states a checked condition so that an expired item counts as absent.
func (x *expression) condition(c *port.Cond) string {
	if !mentionsAbsence(c) {
		return group(x.raw(c, x.itemThere)) + " AND " + x.live()
	}
	return x.guarded(c)
}

func mentionsAbsence(c *port.Cond) bool {
	return c.Op == port.OpNotExists || slices.ContainsFunc(c.Args, mentionsAbsence)
}

// guarded looks at expiry in each part, because absence holds for an expired item and everything else does not.
func (x *expression) guarded(c *port.Cond) string {
	switch c.Op {
	case port.OpAnd, port.OpOr:
		return x.combined(c, x.guarded)
	case port.OpNotExists:
		return fmt.Sprintf("(%s OR %s)", x.raw(c, x.itemThere), x.over())
	default:
		return fmt.Sprintf("(%s AND %s)", x.raw(c, x.itemThere), x.live())
	}
}

func (x *expression) combined(c *port.Cond, part func(*port.Cond) string) string {
	parts := make([]string, len(c.Args))
	for i, a := range c.Args {
		parts[i] = part(a)
	}
	return group(strings.Join(parts, " "+strings.ToUpper(string(c.Op))+" "))
}

// group puts parentheses around an expression that has none around it: DynamoDB refuses two pairs as redundant. Only
// placeholders stand inside, so a parenthesis is a parenthesis.
func group(s string) string {
	depth := 0
	for i := 0; i < len(s) && strings.HasPrefix(s, "("); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(s)-1 {
			break // the first one closes before the end
		} else if depth == 0 {
			return s
		}
	}
	return "(" + s + ")"
}

// filter states a condition on items that a query found; expiry is looked at once, outside.
func (x *expression) filter(c *port.Cond) string { return x.raw(c, x.always) }

func (x *expression) itemThere(there bool) string {
	if there {
		return fmt.Sprintf("attribute_exists(%s)", x.name(port.AttrPK))
	}
	return fmt.Sprintf("attribute_not_exists(%s)", x.name(port.AttrPK))
}

// always: in a filter the item is there, but a filter may not look at its key; no item has an attribute of this name.
func (x *expression) always(there bool) string {
	if there {
		return fmt.Sprintf("attribute_not_exists(%s)", x.name("pags.never"))
	}
	return fmt.Sprintf("attribute_exists(%s)", x.name("pags.never"))
}

// raw states the condition without expiry; item says whether the item is there.
func (x *expression) raw(c *port.Cond, item func(there bool) string) string {
	switch c.Op {
	case port.OpAnd, port.OpOr:
		return x.combined(c, func(a *port.Cond) string { return x.raw(a, item) })
	case port.OpExists, port.OpNotExists:
		there := c.Op == port.OpExists
		if c.Attr == "" {
			return item(there)
		}
		if there {
			return fmt.Sprintf("attribute_exists(%s)", x.name(c.Attr))
		}
		return fmt.Sprintf("attribute_not_exists(%s)", x.name(c.Attr))
	}
	n, v := x.name(c.Attr), toAttribute(c.Value)
	switch c.Op {
	case port.OpBegins:
		return fmt.Sprintf("begins_with(%s, %s)", n, x.value(v))
	case port.OpEq:
		if c.Value == nil {
			return fmt.Sprintf("attribute_type(%s, %s)", n, x.value(text("NULL")))
		}
		return fmt.Sprintf("%s = %s", n, x.value(v))
	default: // <> also holds between types and for what is absent, order between types is undefined; here neither holds
		return fmt.Sprintf("(attribute_type(%s, %s) AND %s %s %s)", n, x.value(text(typeName(v))), n, c.Op, x.value(v))
	}
}

// typeName is DynamoDB's name of a value's type.
func typeName(v types.AttributeValue) string {
	switch v.(type) {
	case *types.AttributeValueMemberS:
		return "S"
	case *types.AttributeValueMemberN:
		return "N"
	case *types.AttributeValueMemberB:
		return "B"
	case *types.AttributeValueMemberBOOL:
		return "BOOL"
	case *types.AttributeValueMemberL:
		return "L"
	case *types.AttributeValueMemberM:
		return "M"
	default:
		return "NULL"
	}
}

// update states an update's changes, in name order so that the same write is the same request.
func (x *expression) update(w port.Write) string {
	var clauses []string
	clause := func(verb string, parts []string) {
		if len(parts) > 0 {
			clauses = append(clauses, verb+" "+strings.Join(parts, ", "))
		}
	}
	var parts []string
	for _, attr := range slices.Sorted(maps.Keys(w.Set)) {
		parts = append(parts, x.name(attr)+" = "+x.value(toAttribute(w.Set[attr])))
	}
	clause("SET", parts)
	parts = nil
	for _, attr := range slices.Sorted(maps.Keys(w.Add)) {
		parts = append(parts, x.name(attr)+" "+x.value(number(w.Add[attr])))
	}
	clause("ADD", parts)
	parts = nil
	for _, attr := range w.Remove {
		parts = append(parts, x.name(attr))
	}
	clause("REMOVE", parts)
	return strings.Join(clauses, " ")
}
