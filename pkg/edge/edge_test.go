package edge

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

func TestHTTP_ADecodedPathCannotBecomeQueryOrFragment(t *testing.T) {
	seen := HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s|%s|%s", r.URL.Path, r.URL.RawQuery, r.URL.Fragment)
	}))
	for raw, want := range map[string]string{
		"/v1/runs/a?admin=1": "/v1/runs/a?admin=1|x=1|",
		"/v1/runs/a#b":       "/v1/runs/a#b|x=1|",
		"/v1/runs/100%":      "/v1/runs/100%|x=1|",
		"/v1/runs/ä b":       "/v1/runs/ä b|x=1|",
		"/v1/runs/plain":     "/v1/runs/plain|x=1|",
	} {
		event := events.APIGatewayV2HTTPRequest{RawPath: raw, RawQueryString: "x=1"}
		event.RequestContext.HTTP.Method = "GET"
		event.RequestContext.DomainName = "api.example"
		out, err := seen(context.Background(), event)
		if err != nil || out.Body != want {
			t.Errorf("%s: got %q, %v; want %q", raw, out.Body, err, want)
		}
	}
}

func TestHTTP_StatusesAsNetHTTPCountsThem(t *testing.T) {
	for name, c := range map[string]struct {
		h      http.HandlerFunc
		status int
	}{
		"nothing written is 200":        {func(http.ResponseWriter, *http.Request) {}, 200},
		"a body alone is 200":           {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "x") }, 200},
		"the first status stands":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404); w.WriteHeader(500) }, 404},
		"early hints are no answer":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); w.WriteHeader(201) }, 201},
		"a status after a body is late": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "x"); w.WriteHeader(500) }, 200},
	} {
		event := events.APIGatewayV2HTTPRequest{RawPath: "/"}
		event.RequestContext.HTTP.Method = "GET"
		out, err := HTTP(c.h)(context.Background(), event)
		if err != nil || out.StatusCode != c.status {
			t.Errorf("%s: %d, %v", name, out.StatusCode, err)
		}
	}
}
