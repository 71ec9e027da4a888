package serve

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/proagentstore/pags/console"
)

// consoleHandler serves the embedded console: its files as they are, index.html for every other page address, and 404 for an
// asset that is not there.
func consoleHandler() http.Handler {
	files, ok := console.Files()
	if !ok {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" && r.URL.Path != "/signin" {
				refuse(w, http.StatusNotFound, "There is nothing at this address.")
				return
			}
			refuse(w, http.StatusNotFound, "This build has no console. Build one with make build; the API is at /v1/openapi.json.")
		})
	}
	server := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			refuse(w, http.StatusMethodNotAllowed, "The console is read with GET.")
			return
		}
		secure(w.Header())
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if info, err := fs.Stat(files, name); err == nil && !info.IsDir() {
			if strings.HasPrefix(name, "assets/") {
				w.Header().Set("Cache-Control", "public, max-age=31536000, immutable") // their names carry a hash
			}
			server.ServeHTTP(w, r)
			return
		}
		if strings.HasPrefix(name, "assets/") || strings.HasPrefix(name, "v1/") || strings.HasPrefix(name, ".") {
			refuse(w, http.StatusNotFound, "There is nothing at this address.")
			return
		}
		w.Header().Set("Cache-Control", "no-cache")
		http.ServeFileFS(w, r, files, "index.html")
	})
}

// secure sets what a browser needs to keep other sites and injected text out of the console.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}
