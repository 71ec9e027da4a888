package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// book is a revision of a source in memory: read-only and shared by all who ask for it.
type book struct {
	*catalog.Source
	tools   map[string]*catalog.Tool // by path below the source
	shared  func() *sharedDigests
	mu      sync.Mutex
	digests map[string]string // by path, made when asked for
}

// memoryOfJSON is how many bytes a decoded catalog takes for each byte of its JSON, roughly; compiled schemas included.
const memoryOfJSON = 3

func newBook(src *catalog.Source) *book {
	b := &book{Source: src, tools: make(map[string]*catalog.Tool, len(src.Tools)), digests: map[string]string{}}
	for i := range src.Tools {
		b.tools[pathOf(&src.Tools[i])] = &src.Tools[i]
	}
	b.shared = sync.OnceValue(func() *sharedDigests { return digestDefinitions(src.Definitions) })
	return b
}

// pathOf is the address of a tool below its source.
func pathOf(t *catalog.Tool) string { return strings.Join(t.Path, ".") }

func blobPlace(uid pags.UserID, slug string) string {
	return "sources/" + string(uid) + "/" + slug + "/"
}

func blobKey(uid pags.UserID, slug, ref string) string { return blobPlace(uid, slug) + ref + ".json" }

// encode writes a catalog and names it by its digest.
func encode(src *catalog.Source) (raw []byte, digest string, err error) {
	if raw, err = json.Marshal(src); err != nil {
		return nil, "", fmt.Errorf("write the catalog of %s: %w", src.Namespace, err)
	}
	sum := sha256.Sum256(raw)
	return raw, hex.EncodeToString(sum[:16]), nil
}

// newRef names the blob of a revision. The random end keeps two that were written at the same time apart, also across a source
// that was removed and added again, so that a blob which nobody refers to any more can be deleted at any time.
func newRef(revision int, digest string) string {
	return fmt.Sprintf("%d-%s-%s", revision, digest[:16], strings.ToLower(pags.NewToken()[:8]))
}

// keep stores a catalog under a new ref. It happens before the row that names it.
func (s *Service) keep(ctx context.Context, uid pags.UserID, slug, ref string, raw []byte) error {
	_, err := s.Blobs.Put(ctx, blobKey(uid, slug, ref), raw, port.PutOptions{IfAbsent: true, ContentType: "application/json"})
	if err != nil {
		return fmt.Errorf("keep the catalog %s of %s: %w", ref, slug, err)
	}
	return nil
}

// book loads a revision, from memory where it was used lately.
func (s *Service) book(ctx context.Context, uid pags.UserID, slug, ref string) (*book, error) {
	return remember(ctx, s, "book/"+string(uid)+"/"+slug+"/"+ref, func(ctx context.Context) (*book, int64, error) {
		raw, _, err := s.Blobs.Get(ctx, blobKey(uid, slug, ref), 0, 0)
		if err != nil {
			return nil, 0, fmt.Errorf("load the catalog %s of %s: %w", ref, slug, err)
		}
		src, err := catalog.Load(raw)
		if err != nil {
			return nil, 0, fmt.Errorf("read the catalog %s of %s: %w", ref, slug, err)
		}
		return newBook(src), int64(len(raw))*memoryOfJSON + 4096, nil
	})
}

// forget removes blobs that no row names any more. What stays behind harms nobody, so a failure is only noted.
func (s *Service) forget(ctx context.Context, uid pags.UserID, slug string, refs ...string) {
	for _, ref := range refs {
		if ref == "" {
			continue
		}
		if err := s.Blobs.Delete(context.WithoutCancel(ctx), blobKey(uid, slug, ref)); err != nil {
			s.Log.WarnContext(ctx, "a blob stays behind", "source", slug, "ref", ref, "cause", err)
		}
	}
}
