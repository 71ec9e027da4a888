// Package dynamo keeps the table in DynamoDB: string keys pk and sk, indexes by-g1 (g1pk, g1sk) and by-g2 (g2pk,
// g2sk) that project everything, and time to live on expires.
//
// DynamoDB removes expired items days late, so every read filters them and every condition counts them as absent. A
// transaction writes one row of its own, TX#<token>, that makes a repeat do nothing: DynamoDB's ClientRequestToken is sent
// too, but it only knows a repeat that is the same to the byte, and a retry a second later has another time in its conditions.
package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Table is port.Table over one DynamoDB table.
type Table struct {
	client *dynamodb.Client
	name   *string
	clock  port.Clock
}

var _ port.Table = (*Table)(nil)

// New makes the adapter; the table must exist.
func New(client *dynamodb.Client, table string, clock port.Clock) *Table {
	return &Table{client: client, name: aws.String(table), clock: clock}
}

func (t *Table) now() int64 { return t.clock.Now().Unix() }

// Get reads one item, strongly consistent.
func (t *Table) Get(ctx context.Context, key port.Key) (port.Item, error) {
	if err := key.Check(); err != nil {
		return nil, err
	}
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: t.name, Key: primary(key), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, failure(err, "read %s", key)
	}
	it, err := t.live(out.Item, t.now())
	if err != nil {
		return nil, failure(err, "read %s", key)
	}
	if it == nil {
		return nil, pags.Errorf(pags.NotFound, "there is nothing at %s", key)
	}
	return it, nil
}

// GetMany reads up to 100 items, strongly consistent; what DynamoDB leaves over is asked for again.
func (t *Table) GetMany(ctx context.Context, keys ...port.Key) ([]port.Item, error) {
	if err := port.CheckKeys(keys); err != nil || len(keys) == 0 {
		return nil, err
	}
	places := make(map[port.Key][]int, len(keys)) // DynamoDB refuses a key twice in one request
	ask := types.KeysAndAttributes{ConsistentRead: aws.Bool(true)}
	for i, k := range keys {
		if places[k] == nil {
			ask.Keys = append(ask.Keys, primary(k))
		}
		places[k] = append(places[k], i)
	}
	out, now := make([]port.Item, len(keys)), t.now()
	open := map[string]types.KeysAndAttributes{*t.name: ask}
	for attempt := 0; ; attempt++ {
		res, err := t.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: open})
		if err != nil {
			return nil, failure(err, "read %d items", len(keys))
		}
		for _, raw := range res.Responses[*t.name] {
			it, err := t.live(raw, now)
			if err != nil {
				return nil, failure(err, "read %d items", len(keys))
			}
			for _, i := range places[port.KeyOf(it)] {
				out[i] = it
			}
		}
		if open = res.UnprocessedKeys; len(open) == 0 {
			return out, nil
		}
		if err := t.backOff(ctx, attempt); err != nil {
			return nil, err
		}
	}
}

// live reads an item and hides it if it has expired; nil for none.
func (t *Table) live(raw map[string]types.AttributeValue, now int64) (port.Item, error) {
	it, err := fromAttributes(raw)
	if err != nil || it == nil || expired(it, now) {
		return nil, err
	}
	return it, nil
}
