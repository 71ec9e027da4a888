package asl

import (
	"math"
	"slices"
	"time"
)

// Defaults of a retrier (States Language): 1 s, 3 attempts, rate 2.0. maxDelay is AWS's limit of MaxDelaySeconds.
const (
	defaultInterval = 1
	defaultAttempts = 3
	defaultRate     = 2.0
	maxDelay        = 31_622_400
)

type retrier struct {
	errors   []string
	interval int64
	attempts int64
	rate     float64
	maxDelay int64
	jitter   bool
}

type catcher struct {
	errors     []string
	next       string
	resultPath *Path
}

func parseRetry(f *fields) []retrier {
	items := f.objects("Retry")
	out := make([]retrier, len(items))
	for i, inner := range items {
		inner.skip("Comment")
		r := retrier{
			errors:   errorNames(inner, i == len(items)-1),
			interval: inner.integer("IntervalSeconds", defaultInterval, 1, maxSeconds),
			attempts: inner.integer("MaxAttempts", defaultAttempts, 0, maxSeconds),
			rate:     inner.real("BackoffRate", defaultRate, 1),
			maxDelay: inner.integer("MaxDelaySeconds", maxDelay, 1, maxDelay),
		}
		switch j := inner.text("JitterStrategy", false); j {
		case "FULL":
			r.jitter = true
		case "NONE", "":
		default:
			inner.fail("JitterStrategy", "%q is neither FULL nor NONE", j)
		}
		inner.end()
		f.join(inner)
		out[i] = r
	}
	return out
}

func parseCatch(f *fields) []catcher {
	items := f.objects("Catch")
	out := make([]catcher, len(items))
	for i, inner := range items {
		inner.skip("Comment")
		out[i] = catcher{errorNames(inner, i == len(items)-1), inner.text("Next", true), inner.resultPath()}
		inner.end()
		f.join(inner)
	}
	return out
}

// errorNames reads ErrorEquals: States.ALL stands alone and in the last entry only.
func errorNames(f *fields, last bool) []string {
	names := f.texts("ErrorEquals")
	if slices.Contains(names, ErrAll) && (len(names) > 1 || !last) {
		f.fail("ErrorEquals", "States.ALL must stand alone in the last entry")
	}
	return names
}

// delay is the pause before the attempt that follows n earlier retries of this retrier. With jitter it is anywhere between
// nothing and that.
func (r retrier) delay(n int64, rand func() float64) time.Duration {
	seconds := min(float64(r.interval)*math.Pow(r.rate, float64(n)), float64(r.maxDelay))
	if r.jitter {
		seconds *= rand()
	}
	return time.Duration(seconds * float64(time.Second))
}
