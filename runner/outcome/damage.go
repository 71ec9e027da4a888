package outcome

import (
	"errors"
	"fmt"
	"runtime/debug"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/proagentstore/pags/pkg/pags"
)

// intact opens or reads the file at path. Where that is damaged bbolt panics, and a file that was cut short faults in the mapped
// memory; both become an error that says what to do.
func intact(path string, do func() error) (err error) {
	before := debug.SetPanicOnFault(true) // for this goroutine
	defer debug.SetPanicOnFault(before)
	defer func() {
		if p := recover(); p != nil {
			err = damaged(path, fmt.Errorf("%v", p))
		}
	}()
	err = do()
	if errors.Is(err, berrors.ErrInvalid) || errors.Is(err, berrors.ErrChecksum) {
		return damaged(path, err)
	}
	return err
}

// damaged does not start anew by itself: without the record an action that was under way would be done twice.
func damaged(path string, why error) error {
	return pags.Wrap(why, pags.Internal, "%s, the record of what this machine did, is damaged; put a backup in its place, or cancel the runs that are open, move it away and start again", path)
}

// readable reads all of it once: it is small, and a page that cannot be read is better found before anything is done.
func readable(db *bbolt.DB) error {
	return db.View(func(tx *bbolt.Tx) error {
		for _, b := range [][]byte{callsBucket, unackedBucket, fencesBucket} {
			if err := tx.Bucket(b).ForEach(func(_, _ []byte) error { return nil }); err != nil {
				return err
			}
		}
		return nil
	})
}
