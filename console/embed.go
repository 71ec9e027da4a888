//go:build !no_console

// Package console holds the built console, embedded in the binary. The folder dist is made by make console; a build without
// it still works and serves no console.
package console

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files are the built console's files; ok is false when it was not built.
func Files() (files fs.FS, ok bool) {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, false
	}
	_, err = fs.Stat(files, "index.html")
	return files, err == nil
}
