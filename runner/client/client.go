// Package client speaks the HTTP API of a pags host on behalf of the CLI and of the runner.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client calls one host. The session file supplies and keeps the tokens.
type Client struct {
	session *Session
	http    *http.Client
	agent   string
}

// New makes a client. version goes into the User-Agent. HTTPS_PROXY and NO_PROXY are honoured.
func New(s *Session, version string) *Client {
	return &Client{session: s, http: &http.Client{Timeout: 40 * time.Second}, agent: "pags/" + version}
}

// Server is the address of the host.
func (c *Client) Server() string { return c.session.Server() }

// Problem is an error answer of the host (RFC 9457).
type Problem struct {
	Status  int             `json:"status"`
	Code    string          `json:"code"`
	Title   string          `json:"title"`
	Text    string          `json:"detail"`
	TraceID string          `json:"traceId"`
	Again   time.Duration   `json:"-"` // Retry-After, where the host gave advice
	Data    json.RawMessage `json:"data"`
	Errors  []struct {
		Message  string `json:"message"`
		Location string `json:"location"`
	} `json:"errors"`
}

func (p *Problem) Error() string {
	text := strings.ReplaceAll(p.Text, "body.", "")
	if text == "" {
		text = p.Title
	}
	for _, e := range p.Errors {
		if strings.Contains(text, e.Message) {
			continue // the text names the first ones itself
		}
		text += "\n  " + strings.TrimPrefix(e.Location, "body.") + ": " + e.Message
	}
	if p.Status >= 500 && p.TraceID != "" {
		text += " (trace " + p.TraceID + ")"
	}
	return text
}

// ErrNotRunning says that nothing answers at the host's address.
type ErrNotRunning struct {
	Server string
	Cause  error
}

func (e *ErrNotRunning) Error() string {
	if u, err := url.Parse(e.Server); err == nil && !loopback(u.Hostname()) {
		return fmt.Sprintf("%s cannot be reached: %s; check your connection, and HTTPS_PROXY if there is a proxy", e.Server, reason(e.Cause))
	}
	return "no pags host answers at " + e.Server + "; start one with: pags serve"
}
func (e *ErrNotRunning) Unwrap() error { return e.Cause }

// reason is a cause without the proxy's address, which may hold a password.
func reason(cause error) string {
	if cause == nil || strings.Contains(cause.Error(), "proxy address") {
		return "the proxy's address cannot be used"
	}
	return cause.Error()
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// patience is how long in all a call waits where the host asks for it (429 with Retry-After): such a request did nothing.
const patience = 60 * time.Second

// Do sends in as JSON (nil: no body) and reads the answer into out (nil: dropped). Error answers are *Problem. An access
// token that the host no longer takes is renewed once; a request that came too often is sent again when the host says.
func (c *Client) Do(ctx context.Context, method, path string, in, out any) error {
	return c.do(ctx, method, path, nil, in, out)
}

// DoOnce is Do with an Idempotency-Key, for requests that create something.
func (c *Client) DoOnce(ctx context.Context, key, method, path string, in, out any) error {
	return c.do(ctx, method, path, http.Header{"Idempotency-Key": {key}}, in, out)
}

func (c *Client) do(ctx context.Context, method, path string, h http.Header, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
	}
	renew, waited := false, time.Duration(0)
	for {
		token, err := c.session.Access(ctx, c.http, renew)
		if err != nil {
			return err
		}
		err = c.once(ctx, method, path, h, body, token, out)
		var p *Problem
		switch {
		case !renew && errors.As(err, &p) && p.Status == http.StatusUnauthorized:
			renew = true
		case errors.As(err, &p) && p.Status == http.StatusTooManyRequests && p.Again > 0 && waited+p.Again <= patience:
			waited += p.Again
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(p.Again):
			}
		default:
			return err
		}
	}
}

func (c *Client) once(ctx context.Context, method, path string, h http.Header, body []byte, token string, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.session.Server()+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	for k, v := range h {
		req.Header[k] = v
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("User-Agent", c.agent)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return send(c.http, req, c.session.Server(), out)
}

// maxAnswer bounds what is read from the host (API Gateway: 6 MB).
const maxAnswer = 8 << 20

func send(h *http.Client, req *http.Request, server string, out any) error {
	res, err := h.Do(req)
	if err != nil {
		if req.Context().Err() != nil {
			return req.Context().Err()
		}
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return &ErrNotRunning{Server: server, Cause: err}
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", server, err)
	}
	if res.StatusCode >= 400 {
		p := &Problem{}
		if json.Unmarshal(raw, p) != nil || p.Title == "" && p.Text == "" {
			p.Title = res.Status
		}
		p.Status = res.StatusCode
		if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
			p.Again = time.Duration(seconds) * time.Second
		}
		return p
	}
	if out == nil || len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("%s answered something that is not the API's JSON: %w", server, err)
	}
	return nil
}

// Page is one part of a listing.
type Page[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"nextCursor"`
}

// List reads pages until it has limit items (0: all).
func List[T any](ctx context.Context, c *Client, path string, query url.Values, limit int) ([]T, error) {
	var all []T
	q := url.Values{}
	for k, v := range query {
		q[k] = v
	}
	for {
		var page Page[T]
		target := path
		if len(q) > 0 {
			target += "?" + q.Encode()
		}
		if err := c.Do(ctx, http.MethodGet, target, nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if limit > 0 && len(all) >= limit {
			return all[:limit], nil
		}
		if page.NextCursor == "" {
			return all, nil
		}
		q.Set("cursor", page.NextCursor)
	}
}
