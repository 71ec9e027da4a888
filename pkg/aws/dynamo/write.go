package dynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// request is a checked write in DynamoDB's words: a whole item to put, or changes to make, or neither for a delete or check.
type request struct {
	kind      port.WriteKind
	key       map[string]types.AttributeValue
	item      map[string]types.AttributeValue
	update    *string
	condition *string
	x         *expression
}

// newRequest states the write. anew: an upsert whose item has expired, so it replaces what is there.
func newRequest(w port.Write, anew bool, now int64) request {
	x := newExpression(now)
	r := request{kind: w.Kind, key: primary(w.Key), x: x}
	var own string // what the write itself demands
	switch {
	case w.Kind == port.PutWrite:
		r.item = toAttributes(w.Item)
	case w.Kind == port.UpdateWrite && anew:
		r.kind = port.PutWrite
		r.item = primary(w.Key)
		for attr, v := range w.Set {
			r.item[attr] = toAttribute(v)
		}
		for attr, n := range w.Add {
			r.item[attr] = number(n)
		}
		own = x.over()
	case w.Kind == port.UpdateWrite:
		r.update = aws.String(x.update(w))
		own = x.live()
		if !w.Upsert {
			own = x.itemThere(true) + " AND " + own
		}
	}
	if w.If != nil {
		c := x.condition(w.If)
		if own != "" {
			c = own + " AND " + group(c)
		}
		own = c
	}
	if own != "" {
		r.condition = aws.String(own)
	}
	return r
}

// Write does one write. Conflicts with transactions are retried.
func (t *Table) Write(ctx context.Context, w port.Write) error {
	w, err := w.CheckSingle()
	if err != nil {
		return err
	}
	now, anew := t.now(), false
	for attempt := 0; ; attempt++ {
		err := t.send(ctx, newRequest(w, anew, now))
		var failed *types.ConditionalCheckFailedException
		switch {
		case err == nil:
			return nil
		case errors.As(err, &failed):
			there, derr := fromAttributes(failed.Item)
			if derr != nil {
				return failure(derr, "write %s", w.Key)
			}
			over := there != nil && expired(there, now)
			if !turns(w, anew, over) {
				if over {
					there = nil
				}
				return &port.ConditionFailed{Key: w.Key, Item: there}
			}
			anew = over
			if attempt == maxAttempts {
				return pags.Errorf(pags.Unavailable, "%s keeps changing; try again", w.Key)
			}
		case isConflict(err):
			if err := t.backOff(ctx, attempt); err != nil {
				return err
			}
		default:
			return failure(err, "write %s", w.Key)
		}
	}
}

// turns reports whether a failed write is to be stated the other way: an upsert met an expired item, or what it wanted to
// replace as expired has come alive or is gone.
func turns(w port.Write, anew, over bool) bool {
	return w.Kind == port.UpdateWrite && w.Upsert && anew != over
}

func (t *Table) send(ctx context.Context, r request) (err error) {
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	switch r.kind {
	case port.PutWrite:
		_, err = t.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: t.name, Item: r.item, ConditionExpression: r.condition,
			ExpressionAttributeNames: r.x.namesOrNil(), ExpressionAttributeValues: r.x.valuesOrNil(), ReturnValuesOnConditionCheckFailure: old})
	case port.UpdateWrite:
		_, err = t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: t.name, Key: r.key, UpdateExpression: r.update, ConditionExpression: r.condition,
			ExpressionAttributeNames: r.x.namesOrNil(), ExpressionAttributeValues: r.x.valuesOrNil(), ReturnValuesOnConditionCheckFailure: old})
	default:
		_, err = t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: t.name, Key: r.key, ConditionExpression: r.condition,
			ExpressionAttributeNames: r.x.namesOrNil(), ExpressionAttributeValues: r.x.valuesOrNil(), ReturnValuesOnConditionCheckFailure: old})
	}
	return err
}
