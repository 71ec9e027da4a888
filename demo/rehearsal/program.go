package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/proagentstore/pags/demo/stage"
	"github.com/proagentstore/pags/pkg/pags"
)

// shop is an API of somebody else: orders are read and made with a key.
type shop struct {
	mu     sync.Mutex
	reads  int
	orders []string // the body of each that was made
	denied int
}

const shopKey = "key-of-the-shop"

const shopDescription = `{"openapi":"3.0.3","info":{"title":"Shop","version":"1"},"servers":[{"url":%q}],
"components":{"securitySchemes":{"key":{"type":"apiKey","in":"header","name":"X-Shop-Key"}}},"security":[{"key":[]}],
"paths":{"/orders":{
 "get":{"tags":["orders"],"operationId":"list","summary":"List orders","responses":{"200":{"description":"ok"}}},
 "post":{"tags":["orders"],"operationId":"create","summary":"Order something","requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","required":["what"],"properties":{"what":{"type":"string"}}}}}},"responses":{"201":{"description":"made"}}}}}}`

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/openapi.json":
		_, _ = fmt.Fprintf(w, shopDescription, "http://"+r.Host)
	case r.URL.Path != "/orders":
		http.NotFound(w, r)
	case r.Header.Get("X-Shop-Key") != shopKey:
		s.denied++
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":"who are you?"}`)
	case r.Method == http.MethodPost:
		body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16))
		s.orders = append(s.orders, string(body))
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(w, `{"id":%d}`, len(s.orders))
	default:
		s.reads++
		_, _ = fmt.Fprintf(w, `{"count":%d}`, len(s.orders))
	}
}

// heard is what reached it so far.
func (s *shop) heard() (reads, orders, denied int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads, len(s.orders), s.denied
}

// theProgram reads, makes one order that a person has to let go, and reads again.
const theProgram = `const before = await tools.shop.orders.list({});
const made = await tools.shop.orders.create({ body: { what: "tea" } });
const after = await tools.shop.orders.list({});
console.log("ordered", made.data.id);
return { before: before.data.count, made: made.data.id, after: after.data.count };`

// execution is what is read of one.
type execution struct {
	ID           pags.RunID
	Status       string
	Result       json.RawMessage
	Error        json.RawMessage
	Interactions []pags.Interaction
}

// playProgram runs a program that pauses for an approval, ends the process in which it ran, and has another one go on.
func playProgram(ctx context.Context, e *edge, s *stage.Stage) error {
	began := time.Now()
	api := &shop{}
	there := httptest.NewServer(api)
	defer there.Close()
	if _, err := s.Must(ctx, "", "sources", "add", there.URL+"/openapi.json", "--slug", "shop"); err != nil {
		return err
	}
	if _, err := s.Must(ctx, shopKey, "connections", "add", "shop", "--value", "key=-"); err != nil {
		return err
	}
	asked, err := s.CLI(ctx, "", "exec", "-e", theProgram, "--json")
	if err != nil {
		return err
	}
	var x execution
	if err := json.Unmarshal([]byte(asked.Out), &x); err != nil || asked.Code != 20 || len(x.Interactions) != 1 {
		return fmt.Errorf("the program should have paused for one approval: exit %d: %s%s", asked.Code, asked.Out, asked.Err)
	}
	if reads, orders, _ := api.heard(); orders != 0 || reads != 1 {
		return fmt.Errorf("before the approval the shop heard of %d reads and %d orders", reads, orders)
	}
	killed := e.functions["CodeFunction"].kill()
	if killed == 0 {
		return fmt.Errorf("no process of CodeFunction ran the program")
	}
	if _, err := s.Must(ctx, "", "answer", string(x.Interactions[0].ID), "--accept"); err != nil {
		return err
	}
	err = stage.Await(ctx, 30*time.Second, "the program to end", func() (bool, error) {
		if err := s.JSON(ctx, &x, "resume", string(x.ID)); err != nil {
			return false, err
		}
		return x.Status == "completed", nil
	})
	if err != nil {
		return fmt.Errorf("%w: %s %s %s", err, x.Status, x.Result, x.Error)
	}
	if got, want := string(x.Result), `{"before":0,"made":1,"after":1}`; !sameJSON(got, want) {
		return fmt.Errorf("the program gave %s instead of %s", got, want)
	}
	if reads, orders, denied := api.heard(); orders != 1 || reads != 2 || denied != 0 {
		return fmt.Errorf("the shop heard of %d orders, %d reads, and %d calls without its key", orders, reads, denied)
	}
	if n := e.functions["CodeFunction"].started(); n <= killed {
		return fmt.Errorf("%d processes of CodeFunction were started and %d killed, and yet the program went on", n, killed)
	}
	if err := stage.Await(ctx, 10*time.Second, "the end of its execution to be heard of", func() (bool, error) {
		return e.functions["ExecutionFunction"].started() > 0, nil
	}); err != nil {
		return err
	}
	fmt.Printf("program  paused, lost its process, went on in another: one order, in %.1f s\n", time.Since(began).Seconds())
	return nil
}

func sameJSON(a, b string) bool {
	var x, y map[string]any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}
