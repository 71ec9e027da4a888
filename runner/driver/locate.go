package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
)

// MinNode is the oldest major version of Node.js that Playwright 1.64 runs on.
const MinNode = 20

// FindNode looks for Node.js 20 or newer: PLAYWRIGHT_NODEJS_PATH, then the PATH.
func FindNode(ctx context.Context) (path, version string, err error) {
	path = os.Getenv("PLAYWRIGHT_NODEJS_PATH")
	if path == "" {
		if path, err = exec.LookPath("node"); err != nil {
			return "", "", pags.Errorf(pags.Unavailable, "Node.js is not installed; browser tasks need Node.js %d or newer: https://nodejs.org, or your system's package manager", MinNode)
		}
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", "", pags.Wrap(err, pags.Unavailable, "%s --version does not run; reinstall Node.js %d or newer", path, MinNode)
	}
	version = strings.TrimSpace(string(out))
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < MinNode {
		return "", "", pags.Errorf(pags.Unavailable, "%s is Node.js %s; browser tasks need %d or newer", path, version, MinNode)
	}
	return path, version, nil
}

// locate finds an installed driver of our version; all empty means there is none.
func locate(o Options) (cli, origin string, err error) {
	if dir := os.Getenv(EnvDriver); dir != "" {
		if cli := cliIn(dir); cli != "" {
			return cli, EnvDriver, nil
		}
		return "", "", pags.Errorf(pags.Invalid, "%s is %q, which holds no playwright-core %s", EnvDriver, dir, Version)
	}
	if dir, err := o.cacheDir(); err == nil {
		if cli := cliIn(dir); cli != "" {
			return cli, "found in " + dir, nil
		}
	}
	for _, start := range starts() {
		for dir := start; ; dir = filepath.Dir(dir) {
			if cli := cliIn(filepath.Join(dir, "node_modules", "playwright-core")); cli != "" {
				return cli, "found in " + filepath.Dir(cli), nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return "", "", nil
}

// starts are the folders whose node_modules, and those above, count as near: the program's own.
// The working folder does not: it may hold code of somebody else, and starting `pags` there must not run it.
func starts() []string {
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	return []string{filepath.Dir(exe)}
}

// cliIn answers the path of cli.js if dir is a driver folder or playwright-core itself, in our version.
func cliIn(dir string) string {
	for _, root := range []string{filepath.Join(dir, "package"), dir} {
		raw, err := os.ReadFile(filepath.Join(root, "package.json"))
		if err != nil {
			continue
		}
		var manifest struct{ Name, Version string }
		cli := filepath.Join(root, "cli.js")
		if json.Unmarshal(raw, &manifest) != nil || manifest.Name != "playwright-core" || manifest.Version != Version {
			continue
		}
		if _, err := os.Stat(cli); err == nil {
			return cli
		}
	}
	return ""
}

// Chromium finds the browser to drive: PAGS_CHROMIUM, the usual places, then Playwright's own download. The profile is
// always ours, so a person's own Chrome may be running beside it.
func Chromium() (string, error) {
	if path := os.Getenv(EnvChromium); path != "" {
		if real, err := exec.LookPath(path); err == nil {
			return real, nil
		}
		return "", pags.Errorf(pags.Invalid, "%s is %q, which is not an executable", EnvChromium, path)
	}
	for _, candidate := range candidates() {
		if real, err := exec.LookPath(candidate); err == nil {
			return real, nil
		}
	}
	return "", pags.Errorf(pags.Unavailable, "no Chromium or Chrome found; %s, or set %s to one", adviceFor(runtime.GOOS), EnvChromium)
}

func candidates() []string {
	home, _ := os.UserHomeDir()
	list := []string{"/usr/bin/chromium", "google-chrome", "google-chrome-stable", "chromium-browser", "chromium"}
	bundled := filepath.Join(home, ".cache", "ms-playwright", "chromium-*", "chrome-linux*", "chrome")
	switch runtime.GOOS {
	case "darwin":
		for _, root := range []string{"/Applications", filepath.Join(home, "Applications")} {
			for _, app := range []string{"Google Chrome", "Chromium", "Microsoft Edge"} {
				list = append(list, filepath.Join(root, app+".app", "Contents", "MacOS", app))
			}
		}
		bundled = filepath.Join(home, "Library", "Caches", "ms-playwright", "chromium-*", "chrome-mac*", "*.app", "Contents", "MacOS", "*")
	case "windows":
		for _, root := range []string{os.Getenv("ProgramFiles"), os.Getenv("ProgramFiles(x86)"), os.Getenv("LOCALAPPDATA")} {
			list = append(list, filepath.Join(root, "Google", "Chrome", "Application", "chrome.exe"),
				filepath.Join(root, "Microsoft", "Edge", "Application", "msedge.exe"))
		}
		bundled = filepath.Join(os.Getenv("LOCALAPPDATA"), "ms-playwright", "chromium-*", "chrome-win*", "chrome.exe")
	}
	own, _ := filepath.Glob(bundled)
	return append(list, own...)
}

func adviceFor(system string) string {
	switch system {
	case "darwin":
		return "install Google Chrome"
	case "windows":
		return "install Google Chrome or Microsoft Edge"
	default:
		return fmt.Sprintf("install it (Debian, Ubuntu: %s; Fedora: %s)", "sudo apt install chromium", "sudo dnf install chromium")
	}
}
