// Package source holds people's APIs: descriptions that became tools, connections to them, and the sending of a call.
//
//	routes.go routeconnections.go   every route, first
//	view.go rows.go                 what people see, what is stored
//	add.go read.go change.go        a source comes, is shown, changes, goes
//	fetch.go find.go discover.go    documents from the network, and where they may lie
//	refresh.go consent.go drift.go digest.go   what changed since its owner said yes
//	method.go value.go connection.go connectionchange.go   ways to be let in, and sealed values
//	catalogs.go lru.go resolve.go directory.go             tools by address, kept in memory
//	send.go exchange.go mask.go file.go trial.go           a call goes out, an answer comes back without our secrets
package source

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Limits of what one person has.
const (
	MaxSources     = 100
	MaxConnections = 20 // of one source
)

// defaultCache is how much of catalogs stays in memory, by a rough count of bytes.
const defaultCache = 128 << 20

// Deps is what the area needs. CheckURL says whether an address may be called from here; nil allows none. HTTP sends calls and
// Fetch gets documents; both come from guard.Client, which judges addresses again when connecting and on every redirect.
type Deps struct {
	Table    port.Table
	Blobs    port.Blobs
	Vault    port.Vault
	Clock    port.Clock
	Log      *slog.Logger
	HTTP     *http.Client
	Fetch    *http.Client
	CheckURL func(raw string) error
	Version  string
	// CacheBytes bounds the catalogs kept in memory; 0 = 128 MB.
	CacheBytes int64
}

// Service is the area. Safe for concurrent use.
type Service struct {
	Deps
	answers httpapi.Answers
	cache   *lru
	flights flights
}

// New makes the area.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.CheckURL == nil {
		d.CheckURL = func(string) error { return guard.ErrAddress }
	}
	if d.Fetch == nil {
		d.Fetch = d.HTTP
	}
	if d.CacheBytes <= 0 {
		d.CacheBytes = defaultCache
	}
	if d.Version == "" {
		d.Version = "dev"
	}
	return &Service{Deps: d, answers: httpapi.Answers{Table: d.Table, Clock: d.Clock}, cache: newLRU(d.CacheBytes)}
}

func (s *Service) now() time.Time { return s.Clock.Now().UTC() }

func (s *Service) userAgent() string { return "pags/" + s.Version }

// transact makes one change of a person's catalog: the writes and the next number of the catalog, together.
func (s *Service) transact(ctx context.Context, uid pags.UserID, writes ...port.Write) error {
	return s.Table.Transact(ctx, pags.NewToken()[:32], append(writes, bump(uid))...)
}
