package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// maxBody is the largest request, as everywhere in the API.
const maxBody = httpapi.DefaultMaxBody

// front is what every request passes before the protocol: who may send it at all, who it is from, how large it is. Sessions
// are not looked at: each request carries its token, and nothing is kept between two.
func (s *service) front(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	defer func() {
		if v := recover(); v != nil {
			s.Log.ErrorContext(r.Context(), "panic in the MCP endpoint", "panic", v)
			s.refuse(w, http.StatusServiceUnavailable, "something went wrong on our side; try again")
		}
	}()
	if origin := r.Header.Get("Origin"); origin != "" && !s.ours(origin) {
		s.refuse(w, http.StatusForbidden, "requests from pages of another site are refused")
		return
	}
	caller, ok := s.caller(w, r)
	if !ok || !s.allowed(w, r, caller) {
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		s.refuse(w, http.StatusMethodNotAllowed, "this endpoint takes POST only; it keeps no sessions and streams nothing")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		s.refuse(w, http.StatusRequestEntityTooLarge, "the request is larger than 4 MB; send less")
		return
	case err != nil:
		s.refuse(w, http.StatusBadRequest, "the request ended too early")
		return
	}
	var message struct {
		Method string `json:"method"`
	}
	if json.Unmarshal(body, &message) == nil && message.Method == "" { // an answer to a question that we never ask
		w.WriteHeader(http.StatusAccepted)
		return
	}
	r = r.Clone(httpapi.WithCaller(r.Context(), caller))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	s.protocol.ServeHTTP(plain{w}, r)
}

// plain hides that an answer could be streamed: each request has one answer, as JSON.
type plain struct{ http.ResponseWriter }

// ours reports whether a page of this host sends the request. On one machine its names on the loopback are all its own.
func (s *service) ours(origin string) bool {
	from, err := url.Parse(origin)
	own, ownErr := url.Parse(s.PublicURL)
	if err != nil || ownErr != nil || from.Host == "" || own.Host == "" {
		return false
	}
	if strings.EqualFold(from.Scheme, own.Scheme) && strings.EqualFold(from.Host, own.Host) {
		return true
	}
	return loopback(from.Hostname()) && loopback(own.Hostname()) && from.Port() == own.Port()
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// caller checks the token. Tokens in query strings are not looked at.
func (s *service) caller(w http.ResponseWriter, r *http.Request) (httpapi.Caller, bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > 4096 || strings.ContainsAny(token, " ,\t") {
		s.challenge(w, "")
		s.refuse(w, http.StatusUnauthorized, "send Authorization: Bearer and a token; its owner makes one with pags tokens create")
		return httpapi.Caller{}, false
	}
	caller, err := s.Verifier.Verify(r.Context(), token)
	switch pags.CodeOf(err) {
	case pags.Unauthenticated:
		s.challenge(w, "invalid_token")
		s.refuse(w, http.StatusUnauthorized, said(err))
	case pags.Forbidden:
		s.refuse(w, http.StatusForbidden, said(err))
	default:
		if err != nil {
			s.Log.WarnContext(r.Context(), "an MCP token cannot be checked", "cause", err.Error())
			s.refuse(w, http.StatusServiceUnavailable, "the token cannot be checked now; try again in a moment")
			return caller, false
		}
		if !caller.Has(httpapi.ScopeTools) {
			s.challenge(w, "insufficient_scope")
			s.refuse(w, http.StatusForbidden, "the token does not name the scope "+httpapi.ScopeTools)
			return caller, false
		}
		return caller, true
	}
	return caller, false
}

// challenge says where and how to get in (RFC 6750, RFC 9728).
func (s *service) challenge(w http.ResponseWriter, reason string) {
	c := `Bearer realm="pags", scope="` + httpapi.ScopeTools + `"`
	if reason != "" {
		c += `, error="` + reason + `"`
	}
	if s.PublicURL != "" {
		c += `, resource_metadata="` + s.PublicURL + MetadataPath + `"`
	}
	w.Header().Set("WWW-Authenticate", c)
}

// allowed counts the request in its user's minute.
func (s *service) allowed(w http.ResponseWriter, r *http.Request, caller httpapi.Caller) bool {
	if s.Limiter == nil {
		return true
	}
	v, err := s.Limiter.Allow(r.Context(), httpapi.BucketDefault, "u:"+string(caller.UserID))
	if err == nil && v.OK {
		return true
	}
	if err != nil {
		s.refuse(w, http.StatusServiceUnavailable, "requests cannot be counted now; try again in a moment")
		return false
	}
	seconds := strconv.Itoa(max(1, int((v.Reset+time.Second-1)/time.Second)))
	w.Header().Set("Retry-After", seconds)
	s.refuse(w, http.StatusTooManyRequests, "too many requests; try again in "+seconds+" s")
	return false
}

// refuse answers before the protocol begins.
func (s *service) refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"title": http.StatusText(status), "status": status, "detail": text, "error": text})
}

// metadata describes the resource to clients that met a 401 (RFC 9728).
func (s *service) metadata(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		s.refuse(w, http.StatusMethodNotAllowed, "read this with GET")
		return
	}
	if s.PublicURL == "" {
		s.refuse(w, http.StatusNotFound, "this host does not know its own address")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Access-Control-Allow-Origin", "*") // it is public, and clients in browsers read it
	_ = json.NewEncoder(w).Encode(map[string]any{
		"resource": s.PublicURL + Path, "resource_name": "pags", "bearer_methods_supported": []string{"header"},
		"scopes_supported": []string{httpapi.ScopeTools, httpapi.ScopeAnswer},
	})
}

// said is an error's text for the caller; causes are for logs.
func said(err error) string {
	var known *pags.Error
	if errors.As(err, &known) && known.Code != pags.Internal {
		return known.Message
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return "it took too long and was stopped; look how it stands before trying again"
	}
	return "something went wrong on our side; if it happens again, tell whoever runs this host"
}
