// Package apigateway is port.Sockets over API Gateway's management API for WebSocket connections.
package apigateway

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	sdk "github.com/aws/aws-sdk-go-v2/service/apigatewaymanagementapi"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

const (
	maxFrame = 32 << 10 // API Gateway closes the connection of a larger one (spec limits C.3)
	tries    = 5        // of a post that is throttled
	firstGap = 50 * time.Millisecond
	maxGap   = time.Second
)

// Options of New. Both are required.
type Options struct {
	Endpoint string // https://<api>.execute-api.<region>.amazonaws.com/<stage>
	Clock    port.Clock
}

// Sockets reaches connections of one API stage.
type Sockets struct {
	api   *sdk.Client
	clock port.Clock
}

var _ port.Sockets = (*Sockets)(nil)

// New makes the adapter. It sends nothing. Retries are ours, on the clock that was given.
func New(cfg aws.Config, o Options) *Sockets {
	return &Sockets{clock: o.Clock, api: sdk.NewFromConfig(cfg, func(so *sdk.Options) {
		so.BaseEndpoint = &o.Endpoint
		so.Retryer = aws.NopRetryer{}
	})}
}

// Post sends a frame. Throttling and passing failures are tried again a few times with growing, random gaps; a push is a
// doorbell, so after that the caller goes on without it.
func (s *Sockets) Post(ctx context.Context, id string, data []byte) error {
	if len(data) > maxFrame {
		return pags.Errorf(pags.TooLarge, "a frame is at most 32 KB; send more, smaller ones")
	}
	return s.again(ctx, func() error {
		_, err := s.api.PostToConnection(ctx, &sdk.PostToConnectionInput{ConnectionId: &id, Data: data})
		return err
	})
}

// Close ends a connection.
func (s *Sockets) Close(ctx context.Context, id string) error {
	err := s.again(ctx, func() error {
		_, err := s.api.DeleteConnection(ctx, &sdk.DeleteConnectionInput{ConnectionId: &id})
		return err
	})
	if pags.Is(err, pags.Gone) {
		return nil
	}
	return err
}

func (s *Sockets) again(ctx context.Context, call func() error) error {
	gap := firstGap
	for try := 1; ; try++ {
		err := coded(call())
		if err == nil || !pags.Is(err, pags.RateLimited) && !pags.Is(err, pags.Unavailable) || try == tries {
			return err
		}
		select {
		case <-s.clock.After(gap/2 + rand.N(gap/2)):
		case <-ctx.Done():
			return pags.Wrap(ctx.Err(), pags.Timeout, "the frame could not be sent in time")
		}
		gap = min(2*gap, maxGap)
	}
}

// coded reads the API's answer. A connection id that is malformed is as gone as one that is over.
func coded(err error) error {
	if err == nil {
		return nil
	}
	status := 0
	var res *smithyhttp.ResponseError
	if errors.As(err, &res) {
		status = res.HTTPStatusCode()
	}
	code := ""
	var api smithy.APIError
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	switch {
	case status == 410, code == "GoneException", status == 400 && code == "BadRequestException":
		return pags.Wrap(err, pags.Gone, "the connection is over")
	case status == 413, code == "PayloadTooLargeException":
		return pags.Wrap(err, pags.TooLarge, "the frame is too large")
	case status == 429, code == "LimitExceededException", retry.ThrottleErrorCode{Codes: retry.DefaultThrottleErrorCodes}.IsErrorThrottle(err) == aws.TrueTernary:
		return pags.Wrap(err, pags.RateLimited, "connections are posted to faster than allowed; try again")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return pags.Wrap(err, pags.Timeout, "the frame could not be sent in time")
	case status >= 500, status == 0:
		return pags.Wrap(err, pags.Unavailable, "the WebSocket edge is not available; try again")
	}
	return pags.Wrap(err, pags.Internal, "post to a connection")
}
