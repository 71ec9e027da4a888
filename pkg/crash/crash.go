// Package crash holds named points at which a test kills the process, the way a power cut would: before or after a durable
// write or an effect. Without PAGS_CRASH_AT in the environment a point costs one comparison.
package crash

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

var (
	point string
	after int64 = 1
	seen  atomic.Int64
)

func init() {
	// PAGS_CRASH_AT=name or name:N (the N-th time the point is passed)
	v := os.Getenv("PAGS_CRASH_AT")
	if v == "" {
		return
	}
	point = v
	if name, n, ok := strings.Cut(v, ":"); ok {
		if k, err := strconv.ParseInt(n, 10, 64); err == nil && k > 0 {
			point, after = name, k
		}
	}
}

// Here kills the process with SIGKILL if the environment names this point.
func Here(name string) {
	if point == "" || point != name {
		return
	}
	if seen.Add(1) == after {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
