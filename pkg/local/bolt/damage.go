package bolt

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Damaged says that the file is not what was written: cut short, or written over by something else.
type Damaged struct {
	Path string
	Why  error
}

func (e *Damaged) Error() string {
	return fmt.Sprintf("the data file %s is damaged (%v); put a backup in its place, or move it away to begin without it", e.Path, e.Why)
}

func (e *Damaged) Unwrap() error { return e.Why }

// Intact runs what reads the file at path. Where the file is damaged bbolt panics, and a file that was cut short faults in the
// mapped memory; both become *Damaged here, so that a host says what is wrong instead of falling over.
func Intact(path string, read func() error) (err error) {
	before := debug.SetPanicOnFault(true) // for this goroutine
	defer debug.SetPanicOnFault(before)
	defer func() {
		if p := recover(); p != nil {
			why := fmt.Errorf("%v", p)
			if cause, ok := p.(runtime.Error); ok { // says something about us, nothing about the file
				why = fmt.Errorf("what it holds makes no sense: %w", cause)
			}
			err = &Damaged{Path: path, Why: why}
		}
	}()
	err = read()
	if errors.Is(err, berrors.ErrInvalid) || errors.Is(err, berrors.ErrChecksum) {
		err = &Damaged{Path: path, Why: err}
	}
	return err
}

// whole compares the file's length with what its newest state needs.
func whole(db *bbolt.DB) error {
	return db.View(func(tx *bbolt.Tx) error {
		info, err := os.Stat(db.Path())
		if err != nil {
			return err
		}
		if info.Size() < tx.Size() {
			return &Damaged{Path: db.Path(), Why: fmt.Errorf("it has %d of %d bytes", info.Size(), tx.Size())}
		}
		return nil
	})
}
