//go:build no_console

// Package console is empty in a build with the tag no_console.
package console

import "io/fs"

// Files tells that there is no console in this build.
func Files() (fs.FS, bool) { return nil, false }
