package lambda

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// hurried is a clock whose waits are over at once.
type hurried struct{ waits atomic.Int64 }

func (*hurried) Now() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
func (h *hurried) After(time.Duration) <-chan time.Time {
	h.waits.Add(1)
	c := make(chan time.Time, 1)
	c <- time.Time{}
	return c
}

// service answers the n-th request, from 1.
func service(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) (f *Function, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(int(asked.Add(1)), w, r) }))
	t.Cleanup(s.Close)
	return at(s.URL), asked
}

func at(url string) *Function {
	return New(aws.Config{Region: "eu-central-1", BaseEndpoint: &url, Credentials: credentials.NewStaticCredentialsProvider("id", "secret", "")}, "code-call", &hurried{})
}

func refuse(w http.ResponseWriter, status int, name string) {
	w.Header().Set("X-Amzn-Errortype", name+":http://internal.amazon.com/coral/")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"Type":"User","message":"no"}`)
}

func TestInvoke_IsOneSignedRequestThatWaitsForItsAnswer(t *testing.T) {
	f, _ := service(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != "POST" || r.URL.Path != "/2015-03-31/functions/code-call/invocations" || r.Header.Get("X-Amz-Invocation-Type") != "RequestResponse" || string(body) != `{"op":"admit"}` {
			t.Errorf("%s %s %v %s", r.Method, r.URL.Path, r.Header, body)
		}
		if a := r.Header.Get("Authorization"); !strings.Contains(a, "Credential=id/") || !strings.Contains(a, "/eu-central-1/lambda/aws4_request") {
			t.Errorf("signed as %q", a)
		}
		_, _ = io.WriteString(w, `{"answer":1}`)
	})
	if got, err := f.Invoke(t.Context(), []byte(`{"op":"admit"}`), false); err != nil || string(got) != `{"answer":1}` {
		t.Errorf("%s %v", got, err)
	}
}

func TestInvoke_RepeatsOnlyWhatDidNotRunOrMayRunTwice(t *testing.T) {
	breaks := func(w http.ResponseWriter) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}
	for name, c := range map[string]struct {
		first      func(w http.ResponseWriter)
		repeatable bool
		asked      int64
		code       pags.Code
	}{
		"a throttle is waited for, also of a send": {func(w http.ResponseWriter) { refuse(w, 429, "TooManyRequestsException") }, false, 2, ""},
		"a deployment is waited for":               {func(w http.ResponseWriter) { refuse(w, 409, "ResourceConflictException") }, false, 2, ""},
		"a broken service may have run a send":     {func(w http.ResponseWriter) { refuse(w, 500, "ServiceException") }, false, 1, pags.Unavailable},
		"a broken service is asked again to judge": {func(w http.ResponseWriter) { refuse(w, 500, "ServiceException") }, true, 2, ""},
		"a lost answer may be of a done send":      {breaks, false, 1, pags.Unavailable},
		"a lost answer is asked for again":         {breaks, true, 2, ""},
		"what is not allowed stays so":             {func(w http.ResponseWriter) { refuse(w, 403, "AccessDeniedException") }, true, 1, pags.Internal},
		"what is not there stays away":             {func(w http.ResponseWriter) { refuse(w, 404, "ResourceNotFoundException") }, true, 1, pags.NotFound},
		"what does not fit never fits":             {func(w http.ResponseWriter) { refuse(w, 413, "RequestTooLargeException") }, true, 1, pags.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			f, asked := service(t, func(n int, w http.ResponseWriter, _ *http.Request) {
				if n == 1 {
					c.first(w)
				} else {
					_, _ = io.WriteString(w, `{}`)
				}
			})
			_, err := f.Invoke(t.Context(), []byte(`{}`), c.repeatable)
			if c.code == "" && err != nil || c.code != "" && !pags.Is(err, c.code) {
				t.Errorf("err = %v", err)
			}
			if asked.Load() != c.asked {
				t.Errorf("asked %d times", asked.Load())
			}
		})
	}
}

func TestInvoke_GivesUpAtLast(t *testing.T) {
	f, asked := service(t, func(_ int, w http.ResponseWriter, _ *http.Request) { refuse(w, 429, "TooManyRequestsException") })
	if _, err := f.Invoke(t.Context(), []byte(`{}`), false); !pags.Is(err, pags.RateLimited) || asked.Load() != tries {
		t.Errorf("%v after %d", err, asked.Load())
	}
}

func TestInvoke_WithoutAConnectionNothingRan(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	_ = l.Close()
	f := at(url)
	if _, err := f.Invoke(t.Context(), []byte(`{}`), false); !pags.Is(err, pags.Unavailable) {
		t.Error(err)
	}
	if n := f.clock.(*hurried).waits.Load(); n != tries-1 {
		t.Errorf("waited %d times", n)
	}
}

func TestInvoke_AFunctionThatFailedIsTold(t *testing.T) {
	for kind, code := range map[string]pags.Code{"Sandbox.Timedout": pags.Timeout, "Function.ResponseSizeTooLarge": pags.TooLarge, "wrapError": pags.Upstream} {
		f, asked := service(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Amz-Function-Error", "Unhandled")
			_, _ = fmt.Fprintf(w, `{"errorType":%q,"errorMessage":"why"}`, kind)
		})
		_, err := f.Invoke(t.Context(), []byte(`{}`), true)
		var failed *port.FunctionError
		if !pags.Is(err, code) || !errors.As(err, &failed) || failed.Type != kind || failed.Message != "why" || asked.Load() != 1 {
			t.Errorf("%s: %v after %d", kind, err, asked.Load())
		}
	}
}

func TestInvoke_WhatDoesNotFitIsNotSent(t *testing.T) {
	f, asked := service(t, func(_ int, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) })
	if _, err := f.Invoke(t.Context(), make([]byte, MaxPayload+1), true); !pags.Is(err, pags.TooLarge) || asked.Load() != 0 {
		t.Errorf("%v after %d", err, asked.Load())
	}
}

func TestInvoke_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f, asked := service(t, func(_ int, _ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the end of a connection is seen
		cancel()
		<-r.Context().Done()
	})
	if _, err := f.Invoke(ctx, []byte(`{}`), true); !pags.Is(err, pags.Timeout) || asked.Load() != 1 {
		t.Errorf("%v after %d", err, asked.Load())
	}
}
