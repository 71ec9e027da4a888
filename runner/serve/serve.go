// Package serve is the local host: the handlers, the template and the state machines of AWS in one process, on one machine.
//
//	serve.go    start, announce, stop
//	host.go     adapters and areas, wired as template.yaml says
//	mcp.go      the MCP endpoint; warm.go a worker before the first program
//	owner.go    one host for each folder
//	listen.go   the port
//	origin.go   who may send requests
//	console.go  the embedded console
//	session.go  the account, and the session of this machine's CLI
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"time"

	"github.com/proagentstore/pags/pkg/local/bolt"
	"github.com/proagentstore/pags/pkg/local/clock"
	"github.com/proagentstore/pags/runner/home"
)

// Options of a local host.
type Options struct {
	Home      home.Dir
	Host      string // address to listen on; loopback unless told otherwise
	Port      int
	PortAsked bool   // the port was named: take it or fail
	PublicURL string // where people reach it, if not at the listener; empty: the listener
	Version   string
	Log       *slog.Logger

	// AllowPrivate lets tools reach loopback and private networks; AllowHosts names hosts, or host:port, that may be reached there.
	AllowPrivate bool
	AllowHosts   []string

	HandoverAfter int           // decisions in one execution; 0: the default
	LossBudget    time.Duration // how long a runner may be away; 0: the default
	Programs      int           // programs that are in a sandbox at once; 0: the default
	Compute       time.Duration // how long one may compute between two waits; 0: the default

	// Ready is told once the host answers.
	Ready func(Announcement)
}

// Announcement is what a person needs to go on.
type Announcement struct {
	URL      string `json:"url"`
	SignIn   string `json:"signInUrl"` // works once, ten minutes
	Home     string `json:"home"`
	PID      int    `json:"pid"`
	NewHome  bool   `json:"newHome"` // the account was made just now
	Version  string `json:"version"`
	HasPages bool   `json:"console"`
}

// Port is the port of the announced address, 0 if it names none.
func (a Announcement) Port() int {
	u, err := url.Parse(a.URL)
	if err != nil {
		return 0
	}
	port, _ := strconv.Atoi(u.Port())
	return port
}

// stopLimit is how long a clean shutdown may take.
const stopLimit = 1500 * time.Millisecond

// ballast is counted by the collector and never touched, so it takes no memory: a small heap is collected at 2 x (ballast + heap)
// instead of twice almost nothing, which cost a third of the time of programs that call tools.
const ballast = 24 << 20

// Run serves until ctx ends, then stops cleanly.
func Run(ctx context.Context, o Options) error {
	defer runtime.KeepAlive(make([]byte, ballast))
	if err := o.Home.Make(); err != nil {
		return err
	}
	listener, err := listen(ctx, o.Host, o.Port, o.PortAsked)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	public, err := publicURL(o, listener)
	if err != nil {
		return err
	}
	h, err := open(o, public)
	if err != nil {
		return err
	}
	server := newServer(newFront(h, listener.Addr(), public), o.Log, patient)
	// The way in is prepared before the first request is answered, so whoever finds the host up can use it.
	failed := make(chan error, 1)
	var said Announcement
	err = bolt.Intact(o.Home.Database(), func() (err error) {
		if said, err = h.announce(ctx, o, public, listenerURL(listener)); err != nil {
			return err
		}
		return h.begin(ctx)
	})
	if err == nil {
		go func() { failed <- server.Serve(listener) }()
		if o.Ready != nil {
			o.Ready(said)
		}
		select {
		case <-ctx.Done():
		case err = <-failed:
			err = fmt.Errorf("serve: %w", err)
		}
	}
	return errors.Join(err, stop(server, h, o.Home))
}

// patience is how long a client may take. Without an end to it whoever opens connections and says nothing keeps them all.
type patience struct{ header, whole, idle time.Duration }

// patient: a whole request may take long where pictures go up a slow line; answers are not bounded here, and sockets leave the
// server's clock with their upgrade.
var patient = patience{header: 10 * time.Second, whole: 2 * time.Minute, idle: 2 * time.Minute}

func newServer(h http.Handler, log *slog.Logger, p patience) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: p.header,
		ReadTimeout:       p.whole,
		IdleTimeout:       p.idle,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// stop ends in the order in which nothing is lost: no new requests, sockets told, executions at rest, the store closed.
func stop(server *http.Server, h *host, dir home.Dir) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- server.Shutdown(ctx) }()
	err := h.close(ctx)
	if e := <-closed; e != nil && !errors.Is(e, context.DeadlineExceeded) {
		err = errors.Join(err, e)
	}
	_ = server.Close() // what did not end by itself
	return errors.Join(err, removeOwner(dir))
}

func publicURL(o Options, l net.Listener) (*url.URL, error) {
	if o.PublicURL == "" {
		return listenerURL(l), nil
	}
	return Origin(o.PublicURL)
}

// listenerURL is where this machine itself reaches the host. A listener on every address is reached on the loopback.
func listenerURL(l net.Listener) *url.URL {
	host := l.Addr().String()
	if a, ok := l.Addr().(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		host = net.JoinHostPort("127.0.0.1", strconv.Itoa(a.Port))
	}
	return &url.URL{Scheme: "http", Host: host}
}

// Origin reads the address under which people reach a host: a scheme and a name, nothing behind it.
func Origin(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != "" && u.Path != "/" {
		return nil, fmt.Errorf("--public-url %q is not an origin such as https://pags.example.com", raw)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

// Logger writes the host's log: one line of text or JSON each, secrets removed by the caller's handler.
func Logger(w io.Writer, level slog.Level, asJSON bool) slog.Handler {
	o := &slog.HandlerOptions{Level: level}
	if asJSON {
		return slog.NewJSONHandler(w, o)
	}
	return slog.NewTextHandler(w, o)
}

var wall = clock.Real{}
