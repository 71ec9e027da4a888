package browser

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/mxschmitt/playwright-go"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/browser/egress"
	"github.com/proagentstore/pags/runner/driver"
)

// engine is a running Chromium with the machine's profile. It is replaced as a whole when any part of it dies.
type engine struct {
	pw      *playwright.Playwright
	context playwright.BrowserContext
	gate    *egress.Gate
	proxy   *egress.Proxy
	dead    atomic.Bool

	mu    sync.Mutex
	blank playwright.Page // the page Chromium opens by itself, for the first lease
}

// running answers the engine, started if there is none or the last one died.
func (h *Hand) running(ctx context.Context) (*engine, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, pags.Errorf(pags.Unavailable, "the runner is shutting down")
	}
	if h.engine != nil && !h.engine.dead.Load() {
		return h.engine, nil
	}
	if h.engine != nil {
		_ = h.engine.stop()
		h.engine = nil
	}
	e, err := h.start(ctx)
	if err != nil {
		return nil, err
	}
	h.engine = e
	return e, nil
}

func (h *Hand) start(ctx context.Context) (*engine, error) {
	path := h.o.Executable
	if path == "" {
		var err error
		if path, err = driver.Chromium(); err != nil {
			return nil, err
		}
	}
	profile, err := filepath.Abs(filepath.Join(h.o.DataDir, "profile"))
	if err != nil {
		return nil, pags.Wrap(err, pags.Unavailable, "cannot make the browser's folder in %s", h.o.DataDir)
	}
	if err := h.evict(ctx, profile); err != nil {
		return nil, err
	}
	if err := errors.Join(forgetForms(profile), forgetPages(profile)); err != nil {
		return nil, pags.Wrap(err, pags.Unavailable, "cannot prepare the browser's folder %s", profile)
	}
	e := &engine{gate: egress.NewGate(egress.Rules{OwnOrigins: h.o.OwnOrigins, AllowHosts: h.o.AllowHosts})}
	if e.proxy, err = egress.Listen(e.gate); err != nil {
		return nil, pags.Wrap(err, pags.Unavailable, "cannot open a port on this machine for the browser")
	}
	o := h.o.Driver
	if o.Log == nil {
		o.Log = h.o.Log
	}
	if e.pw, err = driver.Start(ctx, o); err != nil {
		return nil, errors.Join(err, e.stop())
	}
	headless := h.o.Headless
	if !headless && !hasDisplay() {
		h.o.Log.Warn("no display here: the browser runs without a window")
		headless = true
	}
	e.context, err = e.pw.Chromium.LaunchPersistentContext(profile, h.launch(path, headless, e.proxy.Address()))
	if err != nil {
		_ = e.stop()
		return nil, pags.Wrap(err, pags.Unavailable, "the browser %s does not start; is another pags using %s? `pags doctor` tells more", path, h.o.DataDir)
	}
	e.context.OnClose(func(playwright.BrowserContext) { e.dead.Store(true) })
	if pages := e.context.Pages(); len(pages) > 0 {
		e.blank = pages[0]
	}
	return e, nil
}

func (h *Hand) launch(path string, headless bool, proxy string) playwright.BrowserTypeLaunchPersistentContextOptions {
	o := playwright.BrowserTypeLaunchPersistentContextOptions{
		ExecutablePath:  &path,
		Headless:        &headless,
		AcceptDownloads: playwright.Bool(true),
		// Playwright turns the sandbox off unless told otherwise; Chromium refuses to run with one as root.
		ChromiumSandbox: playwright.Bool(os.Geteuid() != 0 && !h.o.NoSandbox),
		Proxy:           &playwright.Proxy{Server: "http://" + proxy, Bypass: playwright.String("<-loopback>")},
		HandleSIGINT:    playwright.Bool(false), HandleSIGTERM: playwright.Bool(false), HandleSIGHUP: playwright.Bool(false),
		Args: []string{
			// all traffic through our proxy: nothing over UDP, nothing looked up by the browser itself
			"--disable-quic", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--dns-prefetch-disable",
			// no traffic of the browser's own
			"--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--no-default-browser-check",
			"--disable-domain-reliability", "--no-pings",
			"--hide-crash-restore-bubble", "--password-store=basic",
		},
	}
	if headless {
		o.Viewport = &playwright.Size{Width: 1280, Height: 800}
	} else {
		o.NoViewport = playwright.Bool(true)
	}
	return o
}

func hasDisplay() bool {
	return runtime.GOOS != "linux" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// page opens a page, at first the one that is there.
func (e *engine) page() (playwright.Page, error) {
	e.mu.Lock()
	blank := e.blank
	e.blank = nil
	e.mu.Unlock()
	if blank != nil && !blank.IsClosed() {
		return blank, nil
	}
	return e.context.NewPage()
}

// release closes a page. The last one of the browser is only emptied: closing it would end Chromium.
func (e *engine) release(p playwright.Page) {
	if p.IsClosed() || e.dead.Load() {
		return
	}
	if len(e.context.Pages()) > 1 {
		_ = p.Close()
		return
	}
	p.RemoveListeners("popup")
	if fresh, err := e.context.NewPage(); err == nil {
		e.mu.Lock()
		e.blank = fresh
		e.mu.Unlock()
		_ = p.Close()
	}
}

func (e *engine) stop() error {
	e.dead.Store(true)
	var errs []error
	if e.context != nil {
		_ = e.context.Close() // already gone after a crash
	}
	if e.pw != nil {
		errs = append(errs, e.pw.Stop())
	}
	if e.proxy != nil {
		errs = append(errs, e.proxy.Close())
	}
	return errors.Join(errs...)
}
