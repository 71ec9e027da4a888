package gateway

import (
	"encoding/base64"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// encode makes the event of a request (API Gateway, "Create AWS Lambda proxy integrations for HTTP APIs"). The path is
// decoded and ends at a decoded "?", headers are in lower case with values joined by commas, cookies stand apart.
func encode(r *http.Request, to *Route, proxy string, body []byte, id string, now time.Time) *events.APIGatewayV2HTTPRequest {
	rawPath, _, _ := strings.Cut(r.URL.Path, "?")
	sourceIP, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		sourceIP = r.RemoteAddr
	}
	event := &events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "ANY " + to.Path, RawPath: rawPath, RawQueryString: r.URL.RawQuery,
		Headers: make(map[string]string, len(r.Header)+4), QueryStringParameters: query(r.URL.RawQuery),
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: "ANY " + to.Path, AccountID: pseudo["AWS::AccountId"], Stage: "$default", RequestID: id, APIID: "local",
			DomainName: r.Host, DomainPrefix: prefix(r.Host), Time: now.Format("02/Jan/2006:15:04:05 +0000"), TimeEpoch: now.UnixMilli(),
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: r.Method, Path: rawPath, Protocol: r.Proto, SourceIP: sourceIP, UserAgent: r.UserAgent(),
			},
		},
	}
	if proxy != "" {
		event.PathParameters = map[string]string{"proxy": proxy}
	}
	for k, values := range r.Header {
		if k == "Cookie" {
			for _, line := range values {
				for _, c := range strings.Split(line, ";") {
					event.Cookies = append(event.Cookies, strings.TrimSpace(c))
				}
			}
			continue
		}
		event.Headers[strings.ToLower(k)] = strings.Join(values, ",")
	}
	event.Headers["host"] = r.Host
	event.Headers["x-forwarded-for"] = strings.TrimPrefix(event.Headers["x-forwarded-for"]+","+sourceIP, ",")
	event.Headers["x-forwarded-proto"] = "http"
	if r.TLS != nil {
		event.Headers["x-forwarded-proto"] = "https"
	}
	if len(body) > 0 {
		if isText(r.Header.Get("Content-Type")) {
			event.Body = string(body)
		} else {
			event.Body, event.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
		}
	}
	return event
}

// isText tells which bodies HTTP APIs hand over as they are; all others travel as base64.
func isText(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	return strings.HasPrefix(kind, "text/") || kind == "application/json" || kind == "application/javascript" || kind == "application/xml"
}

// query decodes the query; values of one name are joined by commas. A query that cannot be decoded is only in the raw one.
func query(raw string) map[string]string {
	if raw == "" {
		return nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil
	}
	out := make(map[string]string, len(values))
	for k, v := range values {
		out[k] = strings.Join(v, ",")
	}
	return out
}

func prefix(host string) string {
	first, _, _ := strings.Cut(host, ".")
	return first
}
