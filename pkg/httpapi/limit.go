package httpapi

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/proagentstore/pags/pkg/pags"
)

// Bucket names what a request counts against. One bucket is shared by all routes that name it.
type Bucket string

const (
	BucketDefault Bucket = "default" // 240 a minute (spec platform 6.4)
	BucketStrict  Bucket = "strict"  // 10 a minute: sign-in, set-up, model key test
	BucketRefresh Bucket = "refresh" // 60 a minute and address: new access tokens; an office shares one address
	BucketNone    Bucket = "none"    // not counted: answers that touch no state
)

// Limiter counts requests. who is "u:" and a user id, or "a:" and a client address.
type Limiter interface {
	Allow(ctx context.Context, bucket Bucket, who string) (Verdict, error)
}

// Verdict says how a bucket stands.
type Verdict struct {
	OK        bool
	Limit     int
	Remaining int
	Reset     time.Duration // until the window is over
}

// limit counts the request and refuses it when its bucket is used up.
func (a *API) limit(r Route) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if a.cfg.Limiter == nil || r.Bucket == BucketNone {
			next(ctx)
			return
		}
		who := "a:" + clientAddress(ctx.RemoteAddr())
		if c := callFrom(ctx.Context()); c.caller.UserID != "" {
			who = "u:" + string(c.caller.UserID)
		}
		v, err := a.cfg.Limiter.Allow(ctx.Context(), r.Bucket, who)
		if err != nil {
			a.stop(ctx, a.problem(ctx.Context(), err))
			return
		}
		ctx.SetHeader("X-RateLimit-Limit", strconv.Itoa(v.Limit))
		ctx.SetHeader("X-RateLimit-Remaining", strconv.Itoa(v.Remaining))
		if !v.OK {
			a.stop(ctx, a.limited(ctx, v))
			return
		}
		next(ctx)
	}
}

// countFailure counts a request without a good token against its address, so that guessing is slow.
func (a *API) countFailure(ctx huma.Context) *Problem {
	if a.cfg.Limiter == nil {
		return nil
	}
	v, err := a.cfg.Limiter.Allow(ctx.Context(), BucketDefault, "a:"+clientAddress(ctx.RemoteAddr()))
	if err != nil || v.OK { // it is refused anyway
		return nil
	}
	return a.limited(ctx, v)
}

func (a *API) limited(ctx huma.Context, v Verdict) *Problem {
	seconds := max(1, int((v.Reset+time.Second-1)/time.Second))
	p := newProblem(ctx.Context(), pags.RateLimited, "too many requests; try again in "+strconv.Itoa(seconds)+" s")
	p.headers.Set("Retry-After", strconv.Itoa(seconds))
	p.headers.Set("X-RateLimit-Limit", strconv.Itoa(v.Limit))
	p.headers.Set("X-RateLimit-Remaining", "0")
	return p
}

// clientAddress is the address the edge saw, never one that a header claims. An IPv6 client counts by its /64: that is
// what one household or host gets.
func clientAddress(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return "unknown"
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		if p, err := addr.Prefix(64); err == nil {
			return p.Masked().String()
		}
	}
	return addr.String()
}
