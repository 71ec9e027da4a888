// Package modeltest is a model server that says what a script tells it, on both providers' real wires, streamed or not.
// Tests, the demo and the bench use it, so that everything up to the model is real. It imports no testing package.
//
//	server := modeltest.New(func(t modeltest.Turn) modeltest.Answer { return modeltest.Call("click", map[string]any{"ref": "e1"}) })
//	url, err := server.Start()          // http://127.0.0.1:port, a base URL for either provider
//	defer server.Close()
package modeltest

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/proagentstore/pags/pkg/port"
)

// Script answers one request. It is called for one request at a time, in the order in which they arrive.
type Script func(Turn) Answer

// Turn is one request as the model would see it.
type Turn struct {
	N         int    // 1 for the first request of the server's life
	Provider  string // anthropic, openai
	Key       string // the key that came, whichever header carried it
	Model     string
	System    string
	Messages  []port.Message
	Tools     []port.ToolSpec
	ForceTool bool
	MaxTokens int
	Stream    bool
	Raw       []byte // the body as it came
}

// Last returns the newest tool result, or an empty one.
func (t Turn) Last() port.ToolResult {
	for i := len(t.Messages) - 1; i >= 0; i-- {
		for j := len(t.Messages[i].Parts) - 1; j >= 0; j-- {
			if r := t.Messages[i].Parts[j].Result; r != nil {
				return *r
			}
		}
	}
	return port.ToolResult{}
}

// Text returns all texts and tool results of the newest message.
func (t Turn) Text() string {
	if len(t.Messages) == 0 {
		return ""
	}
	out := ""
	for _, p := range t.Messages[len(t.Messages)-1].Parts {
		out += p.Text
		if p.Result != nil {
			out += p.Result.Text
		}
	}
	return out
}

// Answer is what the server says. The zero value says nothing, which is a legal reply.
type Answer struct {
	Text  string
	Calls []port.ToolCall // ids are made up where they are empty
	Stop  string          // end, tool, length, refusal; empty: tool if there are calls, else end

	InputTokens, OutputTokens int64 // 0: counted from lengths

	Status     int           // not 0 and not 200: an error answer with Problem as its text
	RetryAfter time.Duration // header of an error answer
	Problem    string
	MidStream  bool // the error comes as an event after the answer began

	Garbage string          // sent as the body instead of anything readable
	Cut     bool            // the connection ends before the answer does
	Hold    <-chan struct{} // nothing is sent until it is closed
	Pause   <-chan struct{} // the answer stops in its middle until it is closed
}

// Say answers with text.
func Say(text string) Answer { return Answer{Text: text} }

// Call answers with one tool call. The input is anything that becomes a JSON object, or a json.RawMessage sent as it is.
func Call(name string, input any) Answer {
	return Answer{Calls: []port.ToolCall{ToolCall(name, input)}}
}

// ToolCall makes a call for an answer with several.
func ToolCall(name string, input any) port.ToolCall {
	raw, ok := input.(json.RawMessage)
	if !ok {
		raw, _ = json.Marshal(input)
	}
	return port.ToolCall{Name: name, Input: raw}
}

// Fail answers with an HTTP error.
func Fail(status int, retryAfter time.Duration, problem string) Answer {
	return Answer{Status: status, RetryAfter: retryAfter, Problem: problem}
}

// Steps is a script that gives the answers in turn and repeats the last.
func Steps(answers ...Answer) Script {
	return func(t Turn) Answer { return answers[min(t.N, len(answers))-1] }
}

// Server is an http.Handler for POST …/messages and POST …/chat/completions.
type Server struct {
	script Script

	mu    sync.Mutex
	turns []Turn

	ask sync.Mutex // one script call at a time

	listener net.Listener
	http     *http.Server
	over     chan struct{}
	once     sync.Once
}

// New makes a server that is not listening yet.
func New(script Script) *Server { return &Server{script: script, over: make(chan struct{})} }

// Start listens on a free port of the loopback interface and returns the base URL.
func (s *Server) Start() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s.listener = l
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(l) }()
	return "http://" + l.Addr().String(), nil
}

// Close ends the server and every answer that is being held.
func (s *Server) Close() {
	s.once.Do(func() {
		close(s.over)
		if s.http != nil {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if s.http.Shutdown(ctx) != nil {
				_ = s.http.Close()
			}
		}
	})
}

// Turns returns every request so far.
func (s *Server) Turns() []Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Turn(nil), s.turns...)
}

// Bodies returns every request body so far, to look for what must not be in a prompt.
func (s *Server) Bodies() [][]byte {
	var out [][]byte
	for _, t := range s.Turns() {
		out = append(out, t.Raw)
	}
	return out
}
