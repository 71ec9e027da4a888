package files_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/local/files"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

// open gives an empty store that is served on the loopback interface.
func open(t *testing.T, dir string) (*files.Blobs, *porttest.Clock) {
	t.Helper()
	var serve http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	clock := porttest.NewClock(time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC))
	b, err := files.Open(files.Options{Dir: dir, BaseURL: server.URL, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	serve = b.Handler()
	return b, clock
}

func TestBlobs_Contract(t *testing.T) {
	porttest.Blobs(t, porttest.BlobsPeer{URLsEnforced: true}, func(t *testing.T) (port.Blobs, *porttest.Clock) {
		b, clock := open(t, t.TempDir())
		return b, clock
	})
}

func TestBlobs_OutliveARestart(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	one, _ := open(t, dir)
	if _, err := one.Put(ctx, "a/b", []byte("x"), port.PutOptions{ContentType: "image/png"}); err != nil {
		t.Fatal(err)
	}
	p, err := one.PresignGet(ctx, "a/b", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tmp", "put-1"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	two, _ := open(t, dir)
	if left, err := os.ReadDir(filepath.Join(dir, "tmp")); err != nil || len(left) != 0 {
		t.Errorf("left over from the crash: %v, %v", left, err)
	}
	w := httptest.NewRecorder()
	two.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, p.URL, nil))
	if w.Code != 200 || w.Body.String() != "x" {
		t.Errorf("a URL from before the restart: %d %s", w.Code, w.Body)
	}
	for _, name := range []string{"url.key", "blobs"} {
		st, err := os.Stat(filepath.Join(dir, name))
		if err != nil || st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is open to others: %v, %v", name, st.Mode(), err)
		}
	}
}

// Uploaded bytes never become a page on our origin.
func TestHandler_ServesNothingThatRuns(t *testing.T) {
	b, _ := open(t, t.TempDir())
	for kind, want := range map[string]string{
		"image/png":     `inline; filename=n.x`,
		"text/html":     `attachment; filename=n.x`,
		"image/svg+xml": `attachment; filename=n.x`,
		"":              `attachment; filename=n.x`,
	} {
		if _, err := b.Put(context.Background(), "d/n.x", []byte("<script>1</script>"), port.PutOptions{ContentType: kind}); err != nil {
			t.Fatal(err)
		}
		p, err := b.PresignGet(context.Background(), "d/n.x", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		b.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, p.URL, nil))
		h := w.Header()
		if w.Code != 200 || h.Get("Content-Disposition") != want || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Cross-Origin-Resource-Policy") != "same-origin" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%q: %d %v", kind, w.Code, h)
		}
	}
}
