// Package driver finds what the browser hand needs on a person's machine: Node.js, the Playwright driver (an npm package
// that Node runs) and a Chromium. What is missing and may be had from npm it installs; for the rest it says what to do.
package driver

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/mxschmitt/playwright-go"

	"github.com/proagentstore/pags/pkg/pags"
)

// Version is the Playwright that our client library speaks to. Another one is refused by the library, so both move together.
const Version = "1.64.1"

// Environment variables that override what is found.
const (
	EnvDriver   = "PAGS_PLAYWRIGHT_DRIVER" // a folder that holds package/cli.js, or playwright-core itself
	EnvChromium = "PAGS_CHROMIUM"          // a Chromium or Chrome executable
)

// Options say where to look and whom to tell.
type Options struct {
	CacheDir string       // where to install; empty: the user's cache folder, pags/playwright-<version>
	Log      *slog.Logger // empty: silent
}

// Found is a driver that is ready to run.
type Found struct {
	Node        string // the Node.js executable
	NodeVersion string
	CLI         string // cli.js of playwright-core
	Origin      string // how it was found, for people
}

// Ensure finds the driver or installs it from npm (3.2 MB). Without Node.js it is pags.Unavailable with advice.
func Ensure(ctx context.Context, o Options) (Found, error) {
	node, version, err := FindNode(ctx)
	if err != nil {
		return Found{}, err
	}
	f := Found{Node: node, NodeVersion: version}
	if f.CLI, f.Origin, err = locate(o); err != nil || f.CLI != "" {
		return f, err
	}
	dir, err := o.cacheDir()
	if err != nil {
		return f, err
	}
	if err := install(ctx, node, dir, o.logger()); err != nil {
		return f, err
	}
	f.CLI, f.Origin = filepath.Join(dir, "package", "cli.js"), "installed from npm in "+dir
	return f, nil
}

var starting sync.Mutex // the library takes its paths from the process environment

// Start ensures the driver and runs it. The driver's own messages go to the log at debug level.
func Start(ctx context.Context, o Options) (*playwright.Playwright, error) {
	f, err := Ensure(ctx, o)
	if err != nil {
		return nil, err
	}
	starting.Lock()
	defer starting.Unlock()
	for name, value := range map[string]string{"PLAYWRIGHT_NODEJS_PATH": f.Node, "PLAYWRIGHT_CLI_PATH": f.CLI} {
		if err := os.Setenv(name, value); err != nil {
			return nil, pags.Wrap(err, pags.Internal, "cannot set %s for the Playwright driver", name)
		}
	}
	pw, err := playwright.Run(&playwright.RunOptions{SkipInstallBrowsers: true, Stdout: io.Discard,
		Stderr: logWriter{o.logger()}, Logger: o.logger()})
	if err != nil {
		return nil, pags.Wrap(err, pags.Unavailable, "the Playwright driver in %s does not start; run `pags doctor`", f.CLI)
	}
	return pw, nil
}

func (o Options) logger() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

func (o Options) cacheDir() (string, error) {
	if o.CacheDir != "" {
		return o.CacheDir, nil
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", pags.Wrap(err, pags.Unavailable, "no cache folder for the Playwright driver; set %s to a folder that holds playwright-core", EnvDriver)
	}
	return filepath.Join(base, "pags", "playwright-"+Version), nil
}

type logWriter struct{ log *slog.Logger }

func (w logWriter) Write(p []byte) (int, error) {
	w.log.Debug("playwright driver", "text", string(p))
	return len(p), nil
}
