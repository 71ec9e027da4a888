package source

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Limits of files that tools answer with.
const (
	maxInline = 32 << 10            // larger ones are kept as blobs, so that journals and contexts stay small
	fileLife  = 30 * 24 * time.Hour // then the row is gone, and with it the permission
	linkLife  = 15 * time.Minute
)

// fileRow is the row of a kept file.
type fileRow struct {
	ID          string    `json:"id"`
	Filename    string    `json:"filename,omitempty"`
	ContentType string    `json:"contentType"`
	Size        int       `json:"size"`
	From        string    `json:"from"` // address of the tool
	CreatedAt   time.Time `json:"createdAt"`
}

var fileShape = regexp.MustCompile(`^fil_[0-9A-Z]{26}$`)

func fileKey(uid pags.UserID, id string) port.Key {
	return port.Key{PK: "U#" + string(uid), SK: "FILE#" + id}
}

func fileBlob(uid pags.UserID, id string) string { return "files/" + string(uid) + "/" + id }

// hand finishes a result for its caller: what to do about a refused credential, large files as blobs.
func (s *Service) hand(ctx context.Context, uid pags.UserID, b *catalog.Bound, m catalog.AuthMethod, r catalog.Result) (catalog.Result, error) {
	if r.Error != nil {
		advise(r.Error, b, m)
		return r, nil
	}
	f, ok := r.Data.(catalog.File)
	if !ok || len(f.Data) <= maxInline {
		return r, nil
	}
	kept, err := s.keepFile(ctx, uid, b.Address, f)
	if err != nil && b.Tool.ReadOnly {
		return catalog.Result{}, err
	}
	if err != nil { // the effect happened; that its file is lost is not a failure of the call
		s.Log.ErrorContext(ctx, "a file of a tool could not be kept", "tool", b.Address, "bytes", f.Size, "cause", err)
		kept = f
		r.HTTP.Truncated = true
	}
	kept.Data = nil
	r.Data = kept
	return r, nil
}

// advise says what to do when an API refuses a connection.
func advise(f *catalog.Failure, b *catalog.Bound, m catalog.AuthMethod) {
	name := b.Source + "." + b.Connection
	switch {
	case f.Code == catalog.CodeScope:
		f.Message += "; connection " + name + " needs more access: its owner makes a credential that has it and gives it to the connection"
	case f.Status == 401 && m.Kind == "none", f.Status == 403 && m.Kind == "none":
		f.Code = catalog.CodeRejected
		f.Message += "; connection " + name + " sends no credential: its owner adds one that does"
	case f.Status == 401:
		f.Code = catalog.CodeRejected
		f.Message += "; the API does not take the credential of connection " + name + ": its owner gives it a new one in the console"
	case f.Status == 403:
		f.Code = catalog.CodeRejected
		f.Message += "; the API knows connection " + name + " and does not allow it this: a credential with more access may help, the same one again does not"
	}
}

// shownTypes are what may be shown in place; everything else is stored as bytes to download.
var shownTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

func (s *Service) keepFile(ctx context.Context, uid pags.UserID, from string, f catalog.File) (catalog.File, error) {
	id := string(pags.NewFileID(s.now()))
	stored := "application/octet-stream"
	if shownTypes[f.ContentType] {
		stored = f.ContentType
	}
	if _, err := s.Blobs.Put(ctx, fileBlob(uid, id), f.Data, port.PutOptions{IfAbsent: true, ContentType: stored}); err != nil {
		return f, fmt.Errorf("keep a file of %s: %w", from, err)
	}
	it, err := port.Encode(fileKey(uid, id), fileRow{ID: id, Filename: clip(f.Filename, 200), ContentType: clip(f.ContentType, 200), Size: len(f.Data), From: from, CreatedAt: s.now()})
	if err != nil {
		return f, err
	}
	if err := s.Table.Write(ctx, port.Put(it.Expiring(s.now().Add(fileLife))).When(port.NotExists())); err != nil {
		return f, fmt.Errorf("note a file of %s: %w", from, err)
	}
	f.Blob = id
	return f, nil
}

func (s *Service) file(ctx context.Context, uid pags.UserID, id string) (fileRow, error) {
	var r fileRow
	none := pags.Errorf(pags.NotFound, "there is no such file (any more)")
	if uid == "" || !fileShape.MatchString(id) {
		return r, none
	}
	it, err := s.Table.Get(ctx, fileKey(uid, id))
	if pags.Is(err, pags.NotFound) {
		return r, none
	}
	if err != nil {
		return r, fmt.Errorf("read file %s: %w", id, err)
	}
	return r, port.Decode(it, &r)
}

// openFile reads a file that a call names, if it is the user's.
func (s *Service) openFile(ctx context.Context, uid pags.UserID, id string) ([]byte, error) {
	if _, err := s.file(ctx, uid, id); err != nil {
		return nil, err
	}
	data, _, err := s.Blobs.Get(ctx, fileBlob(uid, id), 0, 0)
	return data, err
}

// File says where a file of the user can be read for the next minutes.
func (s *Service) File(ctx context.Context, uid pags.UserID, id string) (FileLink, error) {
	r, err := s.file(ctx, uid, id)
	if err != nil {
		return FileLink{}, err
	}
	at, err := s.Blobs.PresignGet(ctx, fileBlob(uid, id), linkLife)
	if err != nil {
		return FileLink{}, fmt.Errorf("presign file %s: %w", id, err)
	}
	return FileLink{URL: at.URL, ExpiresAt: at.ExpiresAt, ContentType: r.ContentType, Filename: r.Filename, Size: r.Size}, nil
}
