// Package bolt keeps the table in one file of the machine (bbolt). Writes are durable when they return; those that come
// together share one commit. A read never waits for a write.
package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Options of Open.
type Options struct {
	Clock port.Clock
	// NoSync returns before the disk has the write. Only for tests that do not crash.
	NoSync bool
}

// Table is port.Table over one file.
type Table struct {
	db      *bbolt.DB
	clock   port.Clock
	ownerAt string
	queue   *queue
}

var _ port.Table = (*Table)(nil)

const (
	formatVersion = "1"
	lockTimeout   = 200 * time.Millisecond
	// mapAhead maps more than the file has, so that growing does not make writers wait for readers to let go of the map.
	mapAhead = 256 << 20
)

// Buckets of the table. Others who use DB choose other names.
var (
	bucketItems  = []byte("table.items")  // main key -> item
	bucketG1     = []byte("table.g1")     // index key -> main key
	bucketG2     = []byte("table.g2")     // index key -> main key
	bucketExpiry = []byte("table.expiry") // second, kind, main key or token -> nothing
	bucketTokens = []byte("table.tokens") // token -> second from which it is forgotten
	bucketMeta   = []byte("table.meta")
	keyFormat    = []byte("format")
)

// Locked says that another process has the file. PID is its number, 0 if it did not say.
type Locked struct {
	Path string
	PID  int
}

func (e *Locked) Error() string {
	if e.PID > 0 {
		return fmt.Sprintf("%s is in use by process %d", e.Path, e.PID)
	}
	return e.Path + " is in use by another process"
}

// Open opens or creates the file (mode 0600). A file that another process has open gives *Locked within a moment.
func Open(path string, o Options) (*Table, error) {
	opts := &bbolt.Options{Timeout: lockTimeout, NoSync: o.NoSync, FreelistType: bbolt.FreelistMapType}
	if runtime.GOOS != "windows" { // there the mapping makes the file as large
		opts.InitialMmapSize = mapAhead
	}
	ownerAt := path + ".pid"
	var db *bbolt.DB
	err := Intact(path, func() (err error) {
		db, err = bbolt.Open(path, 0o600, opts)
		return err
	})
	if errors.Is(err, berrors.ErrTimeout) {
		raw, _ := os.ReadFile(ownerAt)
		pid, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
		return nil, &Locked{Path: path, PID: pid}
	}
	var damaged *Damaged
	if errors.As(err, &damaged) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err := Intact(path, func() error { return whole(db) }); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := Intact(path, func() error { return prepare(db) }); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	if err := os.WriteFile(ownerAt, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("note the owner of %s: %w", path, err), db.Close())
	}
	t := &Table{db: db, clock: o.Clock, ownerAt: ownerAt, queue: newQueue()}
	go t.commitLoop()
	return t, nil
}

// prepare makes the buckets, only when they are missing: opening an existing file writes nothing.
func prepare(db *bbolt.DB) error {
	fresh := false
	err := db.View(func(tx *bbolt.Tx) error {
		meta := tx.Bucket(bucketMeta)
		if meta == nil {
			fresh = true
			return nil
		}
		if v := string(meta.Get(keyFormat)); v != formatVersion {
			return fmt.Errorf("the file has format %q; this version reads %q", v, formatVersion)
		}
		return nil
	})
	if err != nil || !fresh {
		return err
	}
	return db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{bucketItems, bucketG1, bucketG2, bucketExpiry, bucketTokens, bucketMeta} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketMeta).Put(keyFormat, []byte(formatVersion))
	})
}

// DB is the file itself, for others who keep buckets of their own in it. Read with View; write through Table.Update, so
// that commits are shared.
func (t *Table) DB() *bbolt.DB { return t.db }

// Close finishes what is queued and lets go of the file. Writes after it are pags.Unavailable.
func (t *Table) Close() error {
	if !t.queue.close() {
		return nil
	}
	<-t.queue.drained
	return errors.Join(os.Remove(t.ownerAt), t.db.Close())
}

// Get reads one item.
func (t *Table) Get(ctx context.Context, key port.Key) (port.Item, error) {
	if err := key.Check(); err != nil {
		return nil, err
	}
	items, err := t.read(ctx, key)
	if err != nil {
		return nil, err
	}
	if items[0] == nil {
		return nil, pags.Errorf(pags.NotFound, "there is nothing at %s", key)
	}
	return items[0], nil
}

// GetMany reads all keys at one point in time.
func (t *Table) GetMany(ctx context.Context, keys ...port.Key) ([]port.Item, error) {
	if err := port.CheckKeys(keys); err != nil {
		return nil, err
	}
	return t.read(ctx, keys...)
}

func (t *Table) read(ctx context.Context, keys ...port.Key) ([]port.Item, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read %d items: %w", len(keys), err)
	}
	out, now := make([]port.Item, len(keys)), t.clock.Now().Unix()
	err := t.view(func(tx *bbolt.Tx) error {
		items := tx.Bucket(bucketItems)
		for i, k := range keys {
			it, err := decode(items.Get(mainKey(k)))
			if err != nil {
				return fmt.Errorf("read %s: %w", k, err)
			}
			out[i] = live(it, now)
		}
		return nil
	})
	return out, closedAsUnavailable(err)
}

// view reads at one point in time.
func (t *Table) view(read func(*bbolt.Tx) error) error {
	return Intact(t.db.Path(), func() error { return t.db.View(read) })
}

func closedAsUnavailable(err error) error {
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return pags.Wrap(err, pags.Unavailable, "the data file is closed")
	}
	return err
}
