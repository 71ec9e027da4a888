package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"unicode"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
)

// got is one thing of the host twice: as far as text for people needs it, and as it came, for --json.
type got[T any] struct {
	v   T
	raw json.RawMessage
}

func (g *got[T]) UnmarshalJSON(raw []byte) error {
	g.raw = append(json.RawMessage(nil), raw...)
	return json.Unmarshal(raw, &g.v)
}

func (g got[T]) MarshalJSON() ([]byte, error) { return g.raw, nil }

// fetch asks for one thing.
func fetch[T any](ctx context.Context, cl *client.Client, method, path string, in any) (got[T], error) {
	var g got[T]
	err := cl.Do(ctx, method, path, in, &g)
	return g, err
}

// create asks for a new thing; a repeat after a lost answer gets the same one.
func create[T any](ctx context.Context, cl *client.Client, path string, in any) (got[T], error) {
	var g got[T]
	err := cl.DoOnce(ctx, pags.NewToken(), http.MethodPost, path, in, &g)
	return g, err
}

// list reads a listing.
func list[T any](ctx context.Context, cl *client.Client, path string, q url.Values, limit int) ([]got[T], error) {
	return client.List[got[T]](ctx, cl, path, q, limit)
}

// visible escapes what could move a terminal's cursor or turn text around inside JSON strings; JSON itself only does so for
// the first 32 characters. The value stays the same.
func visible(raw []byte) []byte {
	if bytes.IndexFunc(raw, hidden) < 0 {
		return raw
	}
	var out bytes.Buffer
	for _, r := range string(raw) {
		if hidden(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.Bytes()
}

func hidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}
