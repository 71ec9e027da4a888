package apigateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/proagentstore/pags/pkg/aws/apigateway"
	"github.com/proagentstore/pags/pkg/aws/awstest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

func TestSockets_ContractAgainstMoto(t *testing.T) {
	server := awstest.Start(t)
	porttest.Sockets(t, func(t *testing.T) porttest.SocketsRig { // moto takes any id and delivers nothing
		return porttest.SocketsRig{Sockets: apigateway.New(server.Config, apigateway.Options{Endpoint: server.Endpoint, Clock: porttest.NewClock(time.Unix(0, 0))})}
	})
}

// edge is the management API with connections, as its reference describes it: 410 for what is over, and answers to give
// first. It stands in for what moto does not do.
type edge struct {
	mu     sync.Mutex
	open   map[string]chan string // frames; closed when the connection is over
	queue  map[string][]int       // statuses to answer first, by connection
	posts  map[string]int
	gone   int
	number int
}

func (e *edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := strings.TrimPrefix(r.URL.Path, "/dev/@connections/")
	body, _ := io.ReadAll(r.Body)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.posts[id]++
	fail := func(status int, kind string) {
		w.Header().Set("X-Amzn-Errortype", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"message":"no"}`)
	}
	if q := e.queue[id]; len(q) > 0 {
		e.queue[id] = q[1:]
		fail(q[0], map[int]string{429: "LimitExceededException", 500: "InternalServerException", 410: "GoneException", 413: "PayloadTooLargeException",
			400: "BadRequestException", 403: "ForbiddenException"}[q[0]])
		return
	}
	frames, ok := e.open[id]
	switch {
	case !ok:
		e.gone++
		fail(410, "GoneException")
	case r.Method == http.MethodDelete:
		close(frames)
		delete(e.open, id)
		w.WriteHeader(204)
	default:
		frames <- string(body)
	}
}

func (e *edge) dial(t *testing.T) porttest.Peer {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.number++
	id, frames := fmt.Sprintf("L0SM9cOFvHcC%03d=", e.number), make(chan string, 100)
	e.open[id] = frames
	return porttest.Peer{ID: id,
		Frame: func(t *testing.T) string {
			text, ok := <-frames
			if !ok {
				t.Error("the connection ended before its frame")
			}
			return text
		},
		Over: func(t *testing.T) {
			if text, ok := <-frames; ok {
				t.Errorf("%q came instead of the end", text)
			}
		},
		Leave: func() { e.mu.Lock(); defer e.mu.Unlock(); delete(e.open, id) },
	}
}

func start(t *testing.T) (*edge, *apigateway.Sockets, *porttest.Clock) {
	t.Helper()
	e := &edge{open: map[string]chan string{}, queue: map[string][]int{}, posts: map[string]int{}}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	clock := porttest.NewClock(time.Unix(0, 0))
	cfg := aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("AKID", "SECRET", "")}
	return e, apigateway.New(cfg, apigateway.Options{Endpoint: server.URL + "/dev", Clock: clock}), clock
}

func TestSockets_ContractAgainstConnections(t *testing.T) {
	porttest.Sockets(t, func(t *testing.T) porttest.SocketsRig {
		e, sockets, _ := start(t)
		return porttest.SocketsRig{Sockets: sockets, Dial: e.dial}
	})
}

// WS-01: A closed, B alive and throttled once, C never existed. B gets it after a retry; A and C are gone without one.
func TestPost_WS01_GoneIsFinalAndThrottlingIsNot(t *testing.T) {
	e, sockets, clock := start(t)
	a, b := e.dial(t), e.dial(t)
	a.Leave()
	e.queue[b.ID] = []int{429}
	defer clock.Flow(10 * time.Millisecond)()
	ctx := context.Background()
	for id, want := range map[string]pags.Code{a.ID: pags.Gone, b.ID: "", "never": pags.Gone} {
		err := sockets.Post(ctx, id, []byte("event"))
		if want == "" && err != nil || want != "" && !pags.Is(err, want) {
			t.Errorf("%s: got %v, want code %q", id, err, want)
		}
	}
	if got := b.Frame(t); got != "event" {
		t.Errorf("B got %q", got)
	}
	if e.posts[a.ID] != 1 || e.posts[b.ID] != 2 || e.posts["never"] != 1 || e.gone != 2 {
		t.Errorf("posts were %v", e.posts)
	}
}

func TestPost_RetriesAreBoundedAndOnTheClock(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []int
		want    pags.Code
		posts   int
	}{
		{"throttled four times", []int{429, 429, 429, 429}, "", 5},
		{"throttled for ever", []int{429, 429, 429, 429, 429, 429, 429}, pags.RateLimited, 5},
		{"failing for ever", []int{500, 500, 500, 500, 500, 500}, pags.Unavailable, 5},
		{"failing once", []int{500}, "", 2},
		{"too large", []int{413}, pags.TooLarge, 1},
		{"forbidden", []int{403}, pags.Internal, 1},
		{"an id that is none", []int{400}, pags.Gone, 1},
		{"over while throttled", []int{429, 410}, pags.Gone, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, sockets, clock := start(t)
			p := e.dial(t)
			e.queue[p.ID] = c.answers
			stop := clock.Flow(10 * time.Millisecond)
			err := sockets.Post(context.Background(), p.ID, []byte("x"))
			stop()
			if c.want == "" && err != nil || c.want != "" && !pags.Is(err, c.want) {
				t.Errorf("got %v, want code %q", err, c.want)
			}
			if e.posts[p.ID] != c.posts {
				t.Errorf("%d posts, want %d", e.posts[p.ID], c.posts)
			}
			if took := clock.Now().Sub(time.Unix(0, 0)); took > 3*time.Second {
				t.Errorf("waited %s in all", took)
			}
		})
	}
}

func TestPost_TheCallerMayGiveUp(t *testing.T) {
	e, sockets, clock := start(t)
	p := e.dial(t)
	e.queue[p.ID] = []int{429, 429, 429}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- sockets.Post(ctx, p.ID, []byte("x")) }()
	clock.AwaitWaiters(1)
	cancel()
	if err := <-done; !pags.Is(err, pags.Timeout) {
		t.Errorf("got %v", err)
	}
}
