package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
)

// Limits of getting a description. All of it stays within the 29 s that API Gateway waits for an answer.
const (
	maxDocument = 64 << 20         // as catalog.Import
	probeLimit  = 5 * time.Second  // one guess (spec tool-runtime 0)
	namedLimit  = 20 * time.Second // the address that the person gave
	searchLimit = 25 * time.Second
)

// fetched is a document from the network.
type fetched struct {
	raw    []byte
	url    string // where it lies, after redirects
	header http.Header
}

// fetch gets a document. Errors are outward ones: the address is not allowed (guard.ErrAddress), nobody answers
// (pags.Unavailable), the answer is no document (pags.Upstream), too late (pags.Timeout), too much (pags.TooLarge).
func (s *Service) fetch(ctx context.Context, address string, headers map[string]string, limit time.Duration) (fetched, error) {
	if err := s.CheckURL(address); err != nil {
		return fetched{}, guard.ErrAddress
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fetched{}, guard.ErrAddress
	}
	for name, v := range headers {
		req.Header.Set(name, v)
	}
	req.Header.Set("Accept", "application/json, application/vnd.oai.openapi+json, application/yaml;q=0.9, */*;q=0.5")
	req.Header.Set("User-Agent", s.userAgent())
	res, err := s.Fetch.Do(req)
	if err != nil {
		return fetched{}, unreachable(err, address, limit)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fetched{header: res.Header}, pags.Errorf(pags.Upstream, "%s answered %s", shown(address), statusText(res.StatusCode))
	}
	if res.ContentLength > maxDocument {
		return fetched{}, tooLarge(address)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	if err != nil {
		return fetched{}, unreachable(err, address, limit)
	}
	if len(raw) > maxDocument {
		return fetched{}, tooLarge(address)
	}
	return fetched{raw: raw, url: res.Request.URL.String(), header: res.Header}, nil
}

func tooLarge(address string) error {
	return pags.Errorf(pags.TooLarge, "%s is larger than the %d MB that are read", shown(address), maxDocument>>20)
}

// unreachable says what kept us from an answer, without a word about networks: the text of a refused connection could map them.
func unreachable(err error, address string, limit time.Duration) error {
	var dns *net.DNSError
	var t interface{ Timeout() bool }
	switch {
	case errors.Is(err, guard.ErrAddress):
		return guard.ErrAddress
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &t) && t.Timeout():
		return pags.Errorf(pags.Timeout, "%s did not answer within %d s", shown(address), int(limit.Seconds()))
	case errors.As(err, &dns) && dns.IsNotFound:
		return pags.Errorf(pags.Unavailable, "there is no host with the name in %s", shown(address))
	case strings.Contains(err.Error(), "redirects"):
		return pags.Errorf(pags.Upstream, "%s redirects too often", shown(address))
	}
	return pags.Errorf(pags.Unavailable, "%s cannot be reached", shown(address))
}

// shown is an address without its query, which may hold a key.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the address"
	}
	u.RawQuery, u.Fragment, u.User = "", "", nil
	return clip(u.String(), 200)
}

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// notOurs are headers that decide how a request travels; nobody sets them from outside.
var notOurs = map[string]bool{"Host": true, "Connection": true, "Content-Length": true, "Transfer-Encoding": true, "Te": true, "Trailer": true, "Upgrade": true,
	"Proxy-Authorization": true, "Proxy-Connection": true, "Keep-Alive": true, "Expect": true, "Accept-Encoding": true, "Content-Type": true, "Content-Encoding": true}

// checkHeader refuses names and values that cannot be a header of ours.
func checkHeader(name, value string) error {
	if len(name) > 100 || !httpguts.ValidHeaderFieldName(name) || notOurs[http.CanonicalHeaderKey(name)] {
		return pags.Errorf(pags.Unprocessable, "%q cannot be used as a header here", clip(name, 40))
	}
	if len(value) > maxValue || !httpguts.ValidHeaderFieldValue(value) {
		return pags.Errorf(pags.Unprocessable, "the value of the header %s holds characters that headers cannot have, or is longer than %d", name, maxValue)
	}
	return nil
}
