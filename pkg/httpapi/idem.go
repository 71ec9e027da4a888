package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// AnswerLife is how long an answer is kept for its Idempotency-Key.
const AnswerLife = 24 * time.Hour

// Answers keeps answers by Idempotency-Key, as rows U#<user> / IDEM#<key>.
type Answers struct {
	Table port.Table
	Clock port.Clock
}

// Idempotent creates something at most once per user and key. create makes the thing in one transaction and adds the writes
// that keep gives for the answer, so thing and answer are there together or not at all. A repeat gets the first answer; the
// same key with another request is pags.Conflict; an empty key keeps nothing. request is what must be the same in a repeat.
//
//	httpapi.Idempotent(ctx, answers, in.IdempotencyKey, request, func(keep func(T) ([]port.Write, error)) (T, error) {
//		made := …
//		extra, err := keep(made)
//		if err != nil { return made, err }
//		return made, table.Transact(ctx, token, append(writes, extra...)...)
//	})
func Idempotent[T any](ctx context.Context, a Answers, key string, request any, create func(keep func(T) ([]port.Write, error)) (T, error)) (T, error) {
	var none T
	if key == "" {
		return create(func(T) ([]port.Write, error) { return nil, nil })
	}
	c := callFrom(ctx)
	row := port.Key{PK: "U#" + string(c.caller.UserID), SK: "IDEM#" + key}
	raw, err := json.Marshal(request)
	if err != nil {
		return none, fmt.Errorf("digest a keyed request: %w", err)
	}
	sum := sha256.Sum256(append([]byte(c.route+"\n"), raw...))
	digest := hex.EncodeToString(sum[:])

	if made, found, err := keptFor[T](ctx, a, row, digest); err != nil || found {
		return made, err
	}
	made, err := create(func(made T) ([]port.Write, error) {
		body, err := json.Marshal(made)
		if err != nil {
			return nil, fmt.Errorf("keep an answer: %w", err)
		}
		it := port.Item{port.AttrPK: row.PK, port.AttrSK: row.SK, "digest": digest, "answer": string(body)}
		return []port.Write{port.Put(it.Expiring(a.Clock.Now().Add(AnswerLife))).When(port.NotExists())}, nil
	})
	if err == nil {
		return made, nil
	}
	var cancelled *port.Cancelled
	if errors.As(err, &cancelled) { // perhaps a twin was faster
		if twin, found, lookErr := keptFor[T](ctx, a, row, digest); lookErr != nil || found {
			return twin, lookErr
		}
	}
	return none, err
}

func keptFor[T any](ctx context.Context, a Answers, row port.Key, digest string) (made T, found bool, err error) {
	it, err := a.Table.Get(ctx, row)
	if pags.Is(err, pags.NotFound) {
		return made, false, nil
	}
	if err != nil {
		return made, false, fmt.Errorf("look for the answer of a keyed request: %w", err)
	}
	if it["digest"] != digest {
		return made, false, pags.Errorf(pags.Conflict, "this Idempotency-Key was used for another request; use a new key")
	}
	text, _ := it["answer"].(string)
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		return made, false, fmt.Errorf("read the answer of a keyed request: %w", err)
	}
	return made, true, nil
}
