package dynamo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/proagentstore/pags/pkg/pags"
)

// Conflicts are waited out with full jitter (AWS: "Exponential backoff and jitter"): at most 12 times, about 4 s on average.
const (
	maxAttempts = 12
	baseWait    = 20 * time.Millisecond
	maxWait     = time.Second
)

// backOff waits before the attempt after this one; pags.Unavailable when there were enough.
func (t *Table) backOff(ctx context.Context, attempt int) error {
	if attempt >= maxAttempts {
		return pags.Errorf(pags.Unavailable, "the table is too busy; try again")
	}
	select {
	case <-t.clock.After(rand.N(min(maxWait, baseWait<<attempt))):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the table: %w", ctx.Err())
	}
}

// isConflict: another transaction holds the item, or the same one is still on its way.
func isConflict(err error) bool {
	var conflict *types.TransactionConflictException
	var progress *types.TransactionInProgressException
	return errors.As(err, &conflict) || errors.As(err, &progress)
}

// failure gives an error of the SDK its code. The SDK has retried what it retries before.
func failure(err error, doing string, args ...any) error {
	doing = fmt.Sprintf(doing, args...)
	var api smithy.APIError
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w", doing, err)
	case !errors.As(err, &api):
		var sent *smithy.OperationError
		if errors.As(err, &sent) { // no answer came
			return pags.Wrap(fmt.Errorf("%s: %w", doing, err), pags.Unavailable, "the table cannot be reached; try again")
		}
		return fmt.Errorf("%s: %w", doing, err)
	}
	switch api.ErrorCode() {
	case "ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException", "InternalServerError", "ServiceUnavailable":
		return pags.Wrap(fmt.Errorf("%s: %w", doing, err), pags.Unavailable, "the table is too busy; try again")
	case "ValidationException":
		return refusedBy(fmt.Errorf("%s: %w", doing, err), api.ErrorMessage())
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// refusedBy: DynamoDB found that the write does not fit what is stored, which could not be known before.
func refusedBy(cause error, message string) error {
	if strings.Contains(message, "Item size") {
		return pags.Wrap(cause, pags.TooLarge, "the item would be too large; keep large parts as blobs")
	}
	return pags.Wrap(cause, pags.Invalid, "the write does not fit the item that is there")
}
