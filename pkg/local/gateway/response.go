package gateway

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"

	"github.com/aws/aws-lambda-go/events"
)

// decode writes a function's response. One that has no status, a bad header or a body that is not the base64 it says is an
// error, and nothing was written.
func decode(w http.ResponseWriter, out *events.APIGatewayV2HTTPResponse) error {
	if out.StatusCode < 200 || out.StatusCode > 599 {
		return fmt.Errorf("status %d", out.StatusCode)
	}
	body := []byte(out.Body)
	if out.IsBase64Encoded {
		raw, err := base64.StdEncoding.DecodeString(out.Body)
		if err != nil {
			return fmt.Errorf("body: %w", err)
		}
		body = raw
	}
	h := w.Header()
	for k, v := range out.Headers {
		h.Set(k, v)
	}
	for k, values := range out.MultiValueHeaders {
		k = http.CanonicalHeaderKey(k)
		h[k] = append([]string(nil), values...)
	}
	for _, c := range out.Cookies {
		h.Add("Set-Cookie", c)
	}
	// The gateway counts for itself: a length from the function would survive a changed body.
	h.Del("Content-Length")
	if out.StatusCode != http.StatusNoContent && out.StatusCode != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(out.StatusCode)
	_, _ = w.Write(body)
	return nil
}
