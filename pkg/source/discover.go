package source

import (
	"context"
	"net/url"
	"sort"
	"strings"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
)

// Discover tells what an address is. What is nothing that we read is kind "unknown" with what to do; only an address that must
// not be called is an error.
func (s *Service) Discover(ctx context.Context, address string, headers map[string]string) ([]Found, error) {
	for name, v := range headers {
		if err := checkHeader(name, v); err != nil {
			return nil, err
		}
	}
	f, err := s.find(ctx, address, headers, "")
	switch {
	case err == nil:
	case err == guard.ErrAddress, pags.Is(err, pags.Internal), ctx.Err() != nil, len(catalog.Probes(address)) == 0:
		return nil, err
	default:
		return []Found{unknown(address, err)}, nil
	}
	out := Found{Kind: "openapi", Confidence: "medium", Endpoint: endpoint(f.Source, address), SpecURL: f.url, Name: f.Name, Namespace: f.Namespace, Tools: len(f.Tools),
		Warnings: keepWarnings(f.Warnings), Auth: offered(f.Auth)}
	if f.near {
		out.Confidence = "high"
	}
	return []Found{out}, nil
}

// endpoint is the first address of an API that is complete, else the origin it was looked for at.
func endpoint(src *catalog.Source, address string) string {
	for _, server := range src.Servers {
		if at, err := server.Resolve(nil); err == nil {
			return at
		}
	}
	return origin(address)
}

func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func unknown(address string, err error) Found {
	out := Found{Kind: "unknown", Confidence: "low", Endpoint: origin(address), Auth: []catalog.AuthMethod{}}
	if u, bad := url.Parse(address); bad == nil {
		out.Name, out.Namespace = u.Hostname(), catalog.Namespace(u.Hostname())
		for _, kind := range []string{"graphql", "mcp"} {
			for _, word := range strings.FieldsFunc(strings.ToLower(u.Host+u.Path), func(r rune) bool { return strings.ContainsRune("./-_:", r) }) {
				if word == kind {
					out.Warnings = append(out.Warnings, catalog.Warning{Code: "kindNotRead", Message: "this looks like " + kind + "; only OpenAPI 3 and Swagger 2 descriptions become tools"})
				}
			}
		}
	}
	w := catalog.Warning{Code: "notFound", Message: outward(err)}
	var e *pags.Error
	if asError(err, &e) {
		if d, ok := e.Detail.(catalog.SyntaxDetail); ok {
			w.Code, w.Line = "syntax", d.Line
		}
	}
	if strings.Contains(w.Message, "401 ") || strings.Contains(w.Message, "403 ") {
		out.Warnings = append(out.Warnings, catalog.Warning{Code: "signIn", Message: "the address asks for a credential: give it in headers, or paste the document"})
	}
	out.Warnings = append(out.Warnings, w)
	return out
}

// Limits of a preview.
const maxPreview = 200

// Preview reads a description and shows what adding it would give. Nothing is stored.
func (s *Service) Preview(ctx context.Context, in Given) (Preview, error) {
	f, err := s.given(ctx, &in, "")
	if err != nil {
		return Preview{}, err
	}
	p := Preview{Name: f.Name, Namespace: f.Namespace, Format: f.Format, Version: f.Version, Description: f.Description, SpecURL: f.url, Servers: f.Servers,
		NeedsBase: f.NeedsBase && in.BaseURL == "", Auth: offered(f.Auth), Warnings: keepWarnings(f.Warnings), Tools: len(f.Tools)}
	if in.BaseURL != "" {
		p.Warnings = withoutBase(p.Warnings)
	}
	counts := map[string]int{}
	for i := range f.Tools {
		t := &f.Tools[i]
		counts[t.Path[0]]++
		if i < maxPreview {
			p.Items = append(p.Items, PreviewTool{Path: pathOf(t), Name: t.Name, Method: t.Request.Method, Title: t.Title, ReadOnly: t.ReadOnly, Destructive: t.Destructive})
		}
	}
	for name, n := range counts {
		p.Groups = append(p.Groups, PreviewGroup{name, n})
	}
	sort.Slice(p.Groups, func(i, j int) bool { return p.Groups[i].Name < p.Groups[j].Name })
	return p, nil
}

// withoutBase drops the warning that a base URL is needed, where there is one.
func withoutBase(all []catalog.Warning) []catalog.Warning {
	out := []catalog.Warning{}
	for _, w := range all {
		if w.Code != "baseNeeded" {
			out = append(out, w)
		}
	}
	return out
}

// given imports what a request gives: a document, or an address. It tidies and checks the base URL too.
func (s *Service) given(ctx context.Context, in *Given, namespace string) (finding, error) {
	var err error
	if in.BaseURL, err = s.goodBase(in.BaseURL); err != nil {
		return finding{}, err
	}
	switch {
	case in.URL != "" && in.Document != "":
		return finding{}, pags.Errorf(pags.Unprocessable, "give either url or document, not both")
	case in.Document != "":
		src, err := s.read(ctx, []byte(in.Document), "", namespace)
		return finding{Source: src, near: true}, err
	case strings.TrimSpace(in.URL) != "":
		return s.find(ctx, in.URL, nil, namespace)
	}
	return finding{}, pags.Errorf(pags.Unprocessable, "give the url of an API description, or the document itself")
}

// goodBase tidies a base URL and refuses one that cannot be called from here; empty stays empty.
func (s *Service) goodBase(raw string) (string, error) {
	raw = strings.TrimRight(strings.TrimSpace(raw), "/")
	if raw == "" {
		return "", nil
	}
	u, err := url.Parse(raw)
	if err != nil || len(raw) > 500 || u.Fragment != "" || u.RawQuery != "" {
		return "", pags.Errorf(pags.Unprocessable, "baseUrl must be an absolute address without query, such as https://api.example.com/v1")
	}
	if err := s.CheckURL(raw); err != nil {
		return "", guard.ErrAddress
	}
	return raw, nil
}
