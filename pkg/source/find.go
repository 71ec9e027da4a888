package source

import (
	"bytes"
	"context"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
)

// together is how many guesses are asked at once.
const together = 6

// finding is a description that was found. near: at the given address or below it, or the address itself points at it.
type finding struct {
	*catalog.Source
	url  string // the address that was asked for it; a redirect may end at one that is good for a moment only
	near bool
}

// find gets the description at an address, or else at the places where the address points and where frameworks put it. The
// first in that order wins. Errors: a document that is there and cannot be read (pags.Invalid with catalog.SyntaxDetail), an
// address that cannot be reached, and pags.Unprocessable with what to do where there is nothing.
func (s *Service) find(ctx context.Context, address string, headers map[string]string, namespace string) (finding, error) {
	address = strings.TrimSpace(address)
	probes := catalog.Probes(address)
	if len(probes) == 0 {
		return finding{}, pags.Errorf(pags.Unprocessable, "url must be an absolute address such as https://api.example.com/openapi.json")
	}
	if err := s.CheckURL(address); err != nil {
		return finding{}, guard.ErrAddress
	}
	ctx, cancel := context.WithTimeout(ctx, searchLimit)
	defer cancel()
	doc, err := s.fetch(ctx, probes[0], headers, namedLimit)
	if err == nil {
		var src *catalog.Source
		if src, err = s.read(ctx, doc.raw, doc.url, namespace); err == nil {
			return finding{src, probes[0], true}, nil
		}
		if meant(doc.raw) {
			return finding{}, err
		}
	}
	switch pags.CodeOf(err) {
	case pags.Unavailable, pags.Timeout: // nobody is there: other paths of the same host are not either
		return finding{}, err
	case pags.Invalid, pags.TooLarge:
		if err == guard.ErrAddress || pags.Is(err, pags.TooLarge) {
			return finding{}, err
		}
	}
	if ctx.Err() != nil {
		return finding{}, pags.Errorf(pags.Timeout, "%s did not answer in time", shown(address))
	}
	pointed := links(doc)
	guesses := append(pointed, probes[1:]...)
	for from := 0; from < len(guesses) && ctx.Err() == nil; from += together {
		if i, f := s.firstOf(ctx, guesses[from:min(from+together, len(guesses))], headers, origin(address), namespace); f != nil {
			f.near = from+i < len(pointed) || below(f.url, address)
			return *f, nil
		}
	}
	return finding{}, pags.Wrap(err, pags.Unprocessable, "no API description was found at %s or in the usual places (%s). Give the address of its OpenAPI or Swagger document, or paste the document",
		shown(address), outward(err))
}

// firstOf asks for several addresses at once and gives the first in their order that is a description. headers are for one
// origin: a redirect may have brought us to a page of another, whose links they do not follow.
func (s *Service) firstOf(ctx context.Context, addresses []string, headers map[string]string, of, namespace string) (int, *finding) {
	found := make([]*finding, len(addresses))
	var all sync.WaitGroup
	for i, a := range addresses {
		theirs := headers
		if origin(a) != of {
			theirs = nil
		}
		all.Go(func() {
			doc, err := s.fetch(ctx, a, theirs, probeLimit)
			if err != nil || !meant(doc.raw) {
				return
			}
			if src, err := s.read(ctx, doc.raw, doc.url, namespace); err == nil {
				found[i] = &finding{Source: src, url: a}
			}
		})
	}
	all.Wait()
	for i, f := range found {
		if f != nil {
			return i, f
		}
	}
	return 0, nil
}

// read imports a document. The namespace, where one is known, becomes the first part of the tools' own addresses.
func (s *Service) read(ctx context.Context, raw []byte, at, namespace string) (*catalog.Source, error) {
	src, err := catalog.Import(ctx, raw, catalog.Options{SourceURL: at, Namespace: namespace})
	if err != nil {
		return nil, err
	}
	if namespace != "" {
		src.Namespace = namespace
	}
	return src, nil
}

var (
	names = regexp.MustCompile(`(?m)(^|[{,]\s*)["']?(openapi|swagger)["']?\s*:`)
	// service is RFC 8631's relation to a description; config is how documentation pages name theirs. They are compiled when they are
	// first used: counted repeats are long programs, and every function would pay for them at each cold start.
	service = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)<link\b[^>]*\brel=["']?service-desc["']?[^>]*\bhref=["']?([^"'\s>]+)`)
	})
	config = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:spec-?url|url|data-url)["']?\s*[:=]\s*["']([^"'<>\s]{1,500}\.(?:json|ya?ml)(?:\?[^"'<>\s]{0,200})?)["']`)
	})
	header = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)<([^>]{1,1000})>\s*;[^,]*\brel="?service-desc"?`)
	})
)

// meant reports whether a document is meant as a description, so that what is wrong with it is worth telling.
func meant(raw []byte) bool {
	head := raw[:min(len(raw), 64<<10)]
	return !bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")) && names.Match(head)
}

// maxLinks is how many places a page may point at.
const maxLinks = 4

// links are the places at which a page or its headers point for the description.
func links(doc fetched) []string {
	at, err := url.Parse(doc.url)
	if err != nil || doc.url == "" {
		return nil
	}
	var found [][]string
	for _, h := range doc.header.Values("Link") {
		found = append(found, header().FindAllStringSubmatch(h, maxLinks)...)
	}
	page := string(doc.raw[:min(len(doc.raw), 512<<10)])
	found = append(found, service().FindAllStringSubmatch(page, maxLinks)...)
	found = append(found, config().FindAllStringSubmatch(page, maxLinks)...)
	var out []string
	for _, m := range found {
		to, err := at.Parse(m[1])
		if err == nil && to.User == nil && to.Host == at.Host && len(out) < maxLinks {
			out = append(out, to.String())
		}
	}
	return out
}

// below reports whether a document lies in the folder of an address.
func below(place, address string) bool {
	a, err1 := url.Parse(address)
	p, err2 := url.Parse(place)
	return err1 == nil && err2 == nil && a.Host == p.Host && strings.HasPrefix(p.Path, strings.TrimRight(a.Path, "/")+"/")
}

// outward is the outward text of an error.
func outward(err error) string {
	var e *pags.Error
	if asError(err, &e) {
		return e.Message
	}
	return "it could not be read"
}
