package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// DefaultPort is where the host listens unless told otherwise.
const DefaultPort = 4788

// tries is how many ports after the default one are tried when it is taken.
const tries = 20

// listen opens the port. One that was asked for and is taken is an error; the default port gives way to the next free one.
func listen(ctx context.Context, host string, port int, asked bool) (net.Listener, error) {
	var lc net.ListenConfig
	for p := port; ; p++ {
		l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(p)))
		switch {
		case err == nil:
			return l, nil
		case !errors.Is(err, syscall.EADDRINUSE):
			return nil, fmt.Errorf("listen on %s port %d: %w", host, p, err)
		case asked || p >= port+tries:
			return nil, fmt.Errorf("port %d is taken by another program; try --port %d, or --port 0 for any free one", p, p+1)
		}
	}
}

// loopback reports whether only this machine reaches the address.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
