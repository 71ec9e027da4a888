package dynamo

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/proagentstore/pags/pkg/port"
)

// filteredRead is how many items a request with a filter looks at, at least: fewer would mean many empty answers.
const filteredRead = 200

// Query lists a partition and looks one item ahead, so that a cursor always leads somewhere.
func (t *Table) Query(ctx context.Context, q port.Query) (port.Page, error) {
	q, err := q.Checked()
	if err != nil {
		return port.Page{}, err
	}
	after, err := q.After()
	if err != nil {
		return port.Page{}, err
	}
	x := newExpression(t.now())
	condition, some := keyCondition(x, q)
	if !some {
		return port.Page{}, nil
	}
	filter := x.live()
	if q.Filter != nil {
		filter += " AND " + x.filter(q.Filter)
	}
	in := &dynamodb.QueryInput{TableName: t.name, KeyConditionExpression: aws.String(condition), FilterExpression: aws.String(filter),
		ExpressionAttributeNames: x.namesOrNil(), ExpressionAttributeValues: x.valuesOrNil(),
		ScanIndexForward: aws.Bool(!q.Desc), ExclusiveStartKey: startKey(q, after)}
	if q.Index == "" {
		in.ConsistentRead = aws.Bool(true)
	} else {
		in.IndexName = aws.String(IndexName(q.Index))
	}
	var page port.Page
	for {
		want := q.Limit + 1 - len(page.Items)
		if q.Filter != nil {
			want = max(want, filteredRead)
		}
		in.Limit = aws.Int32(int32(want))
		out, err := t.client.Query(ctx, in)
		if err != nil {
			return port.Page{}, failure(err, "list")
		}
		for _, raw := range out.Items {
			it, err := fromAttributes(raw)
			if err != nil {
				return port.Page{}, failure(err, "list")
			}
			if sk, _ := it[sortAttr(q.Index)].(string); !strings.HasPrefix(sk, q.Prefix) {
				continue
			}
			if len(page.Items) == q.Limit { // one more follows
				page.Cursor = q.CursorAfter(page.Items[q.Limit-1])
				return page, nil
			}
			page.Items = append(page.Items, it)
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; len(in.ExclusiveStartKey) == 0 {
			return page, nil
		}
	}
}

// IndexName is what an index is called in DynamoDB, which wants at least three characters; template.yaml names it the same.
func IndexName(index string) string { return "by-" + index }

func partAttr(index string) string { return index + "pk" }
func sortAttr(index string) string { return index + "sk" }

func startKey(q port.Query, after *port.Place) map[string]types.AttributeValue {
	if after == nil {
		return nil
	}
	key := primary(after.Key)
	if q.Index != "" {
		key[partAttr(q.Index)], key[sortAttr(q.Index)] = text(q.PK), text(after.SortKey)
	}
	return key
}

// keyCondition folds prefix, from and to into the one sort key condition DynamoDB takes; false if nothing can match.
func keyCondition(x *expression, q port.Query) (condition string, some bool) {
	from, to := q.From, q.To
	if q.Prefix != "" {
		switch {
		case from <= q.Prefix:
			from = ""
		case !strings.HasPrefix(from, q.Prefix): // behind everything with the prefix
			return "", false
		}
		switch {
		case to == "":
		case to < q.Prefix:
			return "", false
		case !strings.HasPrefix(to, q.Prefix): // behind everything with the prefix
			to = ""
		}
		if from != "" && to == "" {
			to = behind(q.Prefix) // may let one key without the prefix through; the caller drops it
		}
		if from == "" && to != "" {
			from = q.Prefix
		}
	}
	condition = fmt.Sprintf("%s = %s", x.name(partAttr(q.Index)), x.value(text(q.PK)))
	sk := x.name(sortAttr(q.Index))
	switch {
	case from != "" && to != "":
		if from > to {
			return "", false
		}
		return fmt.Sprintf("%s AND %s BETWEEN %s AND %s", condition, sk, x.value(text(from)), x.value(text(to))), true
	case from != "":
		return fmt.Sprintf("%s AND %s >= %s", condition, sk, x.value(text(from))), true
	case to != "":
		return fmt.Sprintf("%s AND %s <= %s", condition, sk, x.value(text(to))), true
	case q.Prefix != "":
		return fmt.Sprintf("%s AND begins_with(%s, %s)", condition, sk, x.value(text(q.Prefix))), true
	}
	delete(x.names, sk)
	return condition, true
}

// behind is the smallest text above all that begin with prefix; "" if there is none.
func behind(prefix string) string {
	for prefix != "" {
		r, n := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-n]
		switch {
		case r == 0xd7ff: // surrogates are no characters
			return prefix + "\ue000"
		case r < utf8.MaxRune:
			return prefix + string(r+1)
		}
	}
	return ""
}
