package dynamo

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// tokenSeconds is how long a token is remembered (DynamoDB's own window: 10 minutes).
const tokenSeconds = 600

// Codes of a cancellation reason (AWS: TransactionCanceledException).
const (
	reasonNone      = "None"
	reasonCondition = "ConditionalCheckFailed"
	reasonConflict  = "TransactionConflict"
	reasonThrottled = "ThrottlingError"
	reasonCapacity  = "ProvisionedThroughputExceeded"
	reasonInvalid   = "ValidationError"
)

// Transact does all writes or none, and nothing if the token was used within 10 minutes.
func (t *Table) Transact(ctx context.Context, token string, writes ...port.Write) error {
	writes, err := port.CheckTransact(token, writes)
	if err != nil {
		return err
	}
	now := t.now() // one time for all attempts: they are one question
	anew := make([]bool, len(writes))
	for attempt := 0; ; attempt++ {
		input, err := t.transaction(token, writes, anew, now)
		if err != nil {
			return err
		}
		_, err = t.client.TransactWriteItems(ctx, input)
		var cancelled *types.TransactionCanceledException
		switch {
		case err == nil:
			return nil
		case errors.As(err, &cancelled):
			next, err := t.cancelled(cancelled, writes, anew, now)
			if next == done {
				return err
			}
			if next == atOnce && attempt < maxAttempts {
				continue
			}
		case !isConflict(err):
			return failure(err, "transaction of %d writes", len(writes))
		}
		if err := t.backOff(ctx, attempt); err != nil {
			return err
		}
	}
}

// transaction states the writes, and first the row that remembers the token.
func (t *Table) transaction(token string, writes []port.Write, anew []bool, now int64) (*dynamodb.TransactWriteItemsInput, error) {
	remember := port.Item{port.AttrPK: "TX#" + token, port.AttrSK: "TX", port.AttrExpires: json.Number(fmt.Sprint(now + tokenSeconds))}
	items := []types.TransactWriteItem{t.part(newRequest(port.Put(remember).When(port.NotExists()), false, now))}
	for i, w := range writes {
		items = append(items, t.part(newRequest(w, anew[i], now)))
	}
	same, err := json.Marshal(items)
	if err != nil {
		return nil, fmt.Errorf("name a transaction: %w", err)
	}
	sum := sha256.Sum256(same)
	name := base64.RawURLEncoding.EncodeToString(sum[:27]) // 36 characters, the most AWS takes
	return &dynamodb.TransactWriteItemsInput{TransactItems: items, ClientRequestToken: aws.String(name)}, nil
}

func (t *Table) part(r request) types.TransactWriteItem {
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	names, values := r.x.namesOrNil(), r.x.valuesOrNil()
	switch r.kind {
	case port.PutWrite:
		return types.TransactWriteItem{Put: &types.Put{TableName: t.name, Item: r.item, ConditionExpression: r.condition,
			ExpressionAttributeNames: names, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: old}}
	case port.UpdateWrite:
		return types.TransactWriteItem{Update: &types.Update{TableName: t.name, Key: r.key, UpdateExpression: r.update, ConditionExpression: r.condition,
			ExpressionAttributeNames: names, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: old}}
	case port.CheckWrite:
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: t.name, Key: r.key, ConditionExpression: r.condition,
			ExpressionAttributeNames: names, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: old}}
	default:
		return types.TransactWriteItem{Delete: &types.Delete{TableName: t.name, Key: r.key, ConditionExpression: r.condition,
			ExpressionAttributeNames: names, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: old}}
	}
}

// step is what follows a cancelled transaction.
type step int

const (
	done   step = iota
	later       // someone else was at it: ask again after a while
	atOnce      // ask again with some writes stated the other way, as anew says
)

// cancelled reads the reasons.
func (t *Table) cancelled(e *types.TransactionCanceledException, writes []port.Write, anew []bool, now int64) (next step, err error) {
	codes := make([]string, len(e.CancellationReasons))
	for i, r := range e.CancellationReasons {
		codes[i] = aws.ToString(r.Code)
		if codes[i] == reasonInvalid {
			return done, refusedBy(e, aws.ToString(r.Message))
		}
	}
	if len(codes) != len(writes)+1 {
		return done, fmt.Errorf("transaction of %d writes was cancelled for %d reasons: %w", len(writes), len(codes), e)
	}
	switch codes[0] {
	case reasonCondition:
		return done, nil // the token was used: this is a repeat
	case reasonConflict:
		return later, nil // a twin of this transaction may be on its way
	}
	out := &port.Cancelled{Reasons: make([]port.Reason, len(writes))}
	for i, code := range codes[1:] {
		switch code {
		case reasonNone, "":
		case reasonCondition:
			there, err := fromAttributes(e.CancellationReasons[i+1].Item)
			if err != nil {
				return done, failure(err, "read why a transaction was cancelled")
			}
			over := there != nil && expired(there, now)
			if turns(writes[i], anew[i], over) {
				anew[i], next = over, atOnce
			}
			if over {
				there = nil
			}
			out.Reasons[i] = port.Reason{ConditionFailed: true, Item: there}
		default:
			out.Reasons[i] = port.Reason{Other: code}
		}
	}
	if next == atOnce {
		return atOnce, nil
	}
	if slices.Contains(codes, reasonCondition) {
		return done, out
	}
	if retryable(codes) {
		return later, nil
	}
	return done, pags.Wrap(e, pags.Unavailable, "the transaction was cancelled [%s]; try again", strings.Join(codes, ", "))
}

func retryable(codes []string) bool {
	return !slices.ContainsFunc(codes, func(c string) bool {
		return c != reasonNone && c != "" && c != reasonConflict && c != reasonThrottled && c != reasonCapacity
	})
}
