package dynamo_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/proagentstore/pags/pkg/aws/awstest"
	"github.com/proagentstore/pags/pkg/aws/dynamo"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

// What moto never says, said below the SDK.

var t0 = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// fault answers a request instead of the peer, or lets it through with a nil body.
type fault func(operation string, request map[string]any) (status int, body any)

// peer is an HTTP client with faults; without a next every request must be answered by the fault.
type peer struct {
	fault fault
	next  http.RoundTripper
	mu    sync.Mutex
	seen  []map[string]any
}

func (p *peer) Do(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	var request map[string]any
	if err := json.Unmarshal(raw, &request); err != nil {
		return nil, err
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	p.mu.Lock()
	p.seen = append(p.seen, request)
	status, body := p.fault(operation, request)
	p.mu.Unlock()
	if body == nil {
		if p.next == nil {
			return nil, fmt.Errorf("nobody answers %s", operation)
		}
		return p.next.RoundTrip(r)
	}
	out, err := json.Marshal(body)
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(bytes.NewReader(out)), Request: r}, err
}

func (p *peer) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.seen)
}

// faulty is an adapter whose peer is only the fault; the SDK tries twice without waiting.
func faulty(clock port.Clock, f fault) (*dynamo.Table, *peer) {
	p := &peer{fault: f}
	client := dynamodb.New(dynamodb.Options{Region: awstest.Region, HTTPClient: p,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = 2
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		})})
	return dynamo.New(client, "table", clock), p
}

func apiError(code, message string) map[string]any {
	return map[string]any{"__type": "com.amazonaws.dynamodb.v20120810#" + code, "message": message}
}

// cancelled is the answer with these reasons, the first of which is about the row for the token.
func cancelled(codes ...string) map[string]any {
	reasons := []any{}
	for _, c := range codes {
		reasons = append(reasons, map[string]any{"Code": c})
	}
	e := apiError("TransactionCanceledException", "Transaction cancelled ["+strings.Join(codes, ", ")+"]")
	e["CancellationReasons"] = reasons
	return e
}

var two = []port.Write{port.Update(port.Key{PK: "R#1", SK: "META"}).Adding("version", 1).When(port.Eq("version", 1)),
	port.Put(port.Item{"pk": "R#1", "sk": "EVENT#1"}).When(port.NotExists())}

// Of every ten transactions three are told [None, None, TransactionConflict] and not done.
func TestTable_DY07_FiftyWritersMeetAndAThirdConflicts(t *testing.T) {
	s := awstest.Start(t)
	var asked, injected atomic.Int64
	p := &peer{next: http.DefaultTransport, fault: func(operation string, _ map[string]any) (int, any) {
		if operation != "TransactWriteItems" || asked.Add(1)%10 >= 3 {
			return 0, nil
		}
		injected.Add(1)
		return 400, cancelled("None", "None", "TransactionConflict")
	}}
	clock := porttest.NewClock(t0)
	client := s.Dynamo(func(o *dynamodb.Options) { o.HTTPClient = p })
	porttest.TableWriters(t, clock, dynamo.New(client, s.NewTable(t), clock), porttest.TablePeer{AtOnce: 2})
	if injected.Load() < 15 {
		t.Fatalf("only %d of %d transactions conflicted", injected.Load(), asked.Load())
	}
	if clock.Now().Equal(t0) {
		t.Error("conflicts were retried without a wait")
	}
}

func TestTable_DY07_OnlyAFailedConditionIsReported(t *testing.T) {
	table, p := faulty(porttest.NewClock(t0), func(string, map[string]any) (int, any) {
		return 400, cancelled("None", "ConditionalCheckFailed", "None")
	})
	err := table.Transact(t.Context(), "t", two...)
	var c *port.Cancelled
	if !errors.As(err, &c) || !c.Failed(0) || c.Failed(1) || !pags.Is(err, pags.Conflict) {
		t.Fatalf("%v; want the first write's condition, code conflict", err)
	}
	if p.count() != 1 {
		t.Errorf("asked %d times; a failed condition is an answer", p.count())
	}
}

// waits tells the durations that were waited, and lets them pass at once.
type waits struct {
	*porttest.Clock
	mu  sync.Mutex
	all []time.Duration
}

func (w *waits) After(d time.Duration) <-chan time.Time {
	w.mu.Lock()
	w.all = append(w.all, d)
	w.mu.Unlock()
	return w.Clock.After(0)
}

func TestTable_BusyPeer(t *testing.T) {
	const throttled = "ProvisionedThroughputExceededException"
	for _, c := range []struct {
		name  string
		do    func(*dynamo.Table) error
		body  map[string]any
		waits int
		asks  int
	}{
		{"a transaction that conflicts for ever", func(d *dynamo.Table) error { return d.Transact(t.Context(), "t", two...) },
			cancelled("None", "TransactionConflict", "None"), 12, 13},
		{"a twin that is never done", func(d *dynamo.Table) error { return d.Transact(t.Context(), "t", two...) },
			apiError("TransactionInProgressException", "in progress"), 12, 0},
		{"a write that meets transactions for ever", func(d *dynamo.Table) error { return d.Write(t.Context(), two[0]) },
			apiError("TransactionConflictException", "conflict"), 12, 13},
		{"a write that is throttled", func(d *dynamo.Table) error { return d.Write(t.Context(), two[1]) }, apiError(throttled, "slow down"), 0, 2},
		{"a throttled transaction", func(d *dynamo.Table) error { return d.Transact(t.Context(), "t", two...) },
			cancelled("None", "ThrottlingError", "None"), 12, 13},
		{"a throttled read", func(d *dynamo.Table) error { _, err := d.Get(t.Context(), two[0].Key); return err }, apiError(throttled, "slow down"), 0, 2},
		{"a throttled list", func(d *dynamo.Table) error {
			_, err := d.Query(t.Context(), port.Query{PK: "P"})
			return err
		}, apiError("ThrottlingException", "slow down"), 0, 2},
	} {
		clock := &waits{Clock: porttest.NewClock(t0)}
		table, p := faulty(clock, func(string, map[string]any) (int, any) { return 400, c.body })
		err := c.do(table)
		if !pags.Is(err, pags.Unavailable) {
			t.Errorf("%s: %v, want unavailable", c.name, err)
		}
		if len(clock.all) != c.waits || c.asks > 0 && p.count() != c.asks {
			t.Errorf("%s: asked %d times with %d waits; want %d and %d", c.name, p.count(), len(clock.all), c.asks, c.waits)
		}
		different := map[time.Duration]bool{}
		for i, d := range clock.all {
			if most := min(time.Second, 20*time.Millisecond<<i); d < 0 || d >= most {
				t.Errorf("%s: wait %d was %s, not below %s", c.name, i, d, most)
			}
			different[d] = true
		}
		if len(clock.all) > 0 && len(different) < 6 {
			t.Errorf("%s: waits without jitter: %v", c.name, clock.all)
		}
	}
}

func TestTable_UnreachablePeerIsUnavailable(t *testing.T) {
	table, _ := faulty(porttest.NewClock(t0), func(string, map[string]any) (int, any) { return 0, nil })
	_, err := table.Get(t.Context(), port.Key{PK: "P", SK: "a"})
	if !pags.Is(err, pags.Unavailable) {
		t.Fatalf("%v, want unavailable", err)
	}
}

// A repeat that the SDK makes by itself must be the same to the byte, so that AWS knows it; another change must not be.
func TestTable_TransactSendsClientRequestToken(t *testing.T) {
	failed := false
	table, p := faulty(porttest.NewClock(t0), func(string, map[string]any) (int, any) {
		if !failed {
			failed = true
			return 500, apiError("InternalServerError", "the answer got lost")
		}
		return 200, map[string]any{}
	})
	for _, token := range []string{"first", "second"} {
		if err := table.Transact(t.Context(), token, two...); err != nil {
			t.Fatal(err)
		}
	}
	var tokens []string
	for _, request := range p.seen {
		token, _ := request["ClientRequestToken"].(string)
		if token == "" || len(token) > 36 {
			t.Fatalf("token %q", token)
		}
		tokens = append(tokens, token)
	}
	if len(tokens) != 3 || tokens[0] != tokens[1] || tokens[1] == tokens[2] {
		t.Fatalf("tokens %q; want one twice and another", tokens)
	}
}

func TestTable_GetManyAsksAgainForWhatWasLeftOver(t *testing.T) {
	clock := &waits{Clock: porttest.NewClock(t0)}
	table, p := faulty(clock, func(_ string, request map[string]any) (int, any) {
		ask := request["RequestItems"].(map[string]any)["table"].(map[string]any)
		keys := ask["Keys"].([]any)
		answer := map[string]any{"Responses": map[string]any{"table": keys[:1]}} // one at a time
		if ask["Keys"] = keys[1:]; len(keys) > 1 {
			answer["UnprocessedKeys"] = map[string]any{"table": ask}
		}
		return 200, answer
	})
	keys := []port.Key{{PK: "P", SK: "c"}, {PK: "P", SK: "a"}, {PK: "P", SK: "b"}, {PK: "P", SK: "a"}}
	items, err := table.GetMany(t.Context(), keys...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range keys {
		if port.KeyOf(items[i]) != keys[i] {
			t.Errorf("place %d holds %v, want %s", i, items[i], keys[i])
		}
	}
	if p.count() != 3 || len(clock.all) != 2 {
		t.Errorf("%d requests and %d waits for three items one by one", p.count(), len(clock.all))
	}
	for _, request := range p.seen {
		if request["RequestItems"].(map[string]any)["table"].(map[string]any)["ConsistentRead"] != true {
			t.Error("a read that may be old")
		}
	}
}

func TestTable_RefusesBeforeSending(t *testing.T) {
	table, p := faulty(porttest.NewClock(t0), func(string, map[string]any) (int, any) { return 200, map[string]any{} })
	large := port.Put(port.Item{"pk": "P", "sk": "a", "x": strings.Repeat("日", 140_000)})
	for name, do := range map[string]func() error{
		"DY-05: an empty key":   func() error { return table.Write(t.Context(), port.Put(port.Item{"pk": "P", "sk": ""})) },
		"DY-02: above 400 KB":   func() error { return table.Write(t.Context(), large) },
		"in a transaction too":  func() error { return table.Transact(t.Context(), "t", large) },
		"one key twice":         func() error { return table.Transact(t.Context(), "t", two[0], two[0]) },
		"a cursor of no list":   func() error { _, err := table.Query(t.Context(), port.Query{PK: "P", Cursor: "x"}); return err },
		"101 keys in one read":  func() error { _, err := table.GetMany(t.Context(), make([]port.Key, 101)...); return err },
		"a check on its own":    func() error { return table.Write(t.Context(), port.Check(two[0].Key, port.Exists())) },
		"a transaction unnamed": func() error { return table.Transact(t.Context(), "", two...) },
	} {
		if err := do(); !pags.Is(err, pags.Invalid) && !pags.Is(err, pags.TooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p.count() != 0 {
		t.Errorf("%d requests were sent", p.count())
	}
}

// A busy main table is read consistently, an index cannot be.
func TestTable_QueryIsConsistentWhereItCanBe(t *testing.T) {
	table, p := faulty(porttest.NewClock(t0), func(string, map[string]any) (int, any) { return 200, map[string]any{} })
	for _, index := range []string{"", "g1"} {
		if _, err := table.Query(t.Context(), port.Query{PK: "P", Index: index}); err != nil {
			t.Fatal(err)
		}
	}
	if p.seen[0]["ConsistentRead"] != true || p.seen[1]["ConsistentRead"] != nil || p.seen[1]["IndexName"] != dynamo.IndexName("g1") {
		t.Fatalf("requests %v", p.seen)
	}
}
