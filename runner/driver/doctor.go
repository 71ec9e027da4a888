package driver

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// Check is one line of `pags doctor`.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`           // what was found, or what was wrong and what to do
	Needed bool   `json:"needed,omitempty"` // without it browser tasks do not run
}

// Doctor looks at everything the browser hand needs and changes nothing.
func Doctor(ctx context.Context, o Options) []Check {
	node := Check{Name: "Node.js", Needed: true}
	if path, version, err := FindNode(ctx); err != nil {
		node.Detail = err.Error()
	} else {
		node.OK, node.Detail = true, version+" at "+path
	}
	driver := Check{Name: "Playwright driver", Needed: true}
	switch cli, origin, err := locate(o); {
	case err != nil:
		driver.Detail = err.Error()
	case cli == "":
		driver.OK, driver.Detail = node.OK, Version+" is not installed yet; the first browser task gets it from npm (3.2 MB)"
	default:
		driver.OK, driver.Detail = true, Version+", "+origin
	}
	browser := Check{Name: "Chromium", Needed: true}
	if path, err := Chromium(); err != nil {
		browser.Detail = err.Error()
	} else {
		browser.OK, browser.Detail = true, strings.TrimSpace(versionOf(ctx, path)+" at "+path)
	}
	return []Check{node, driver, browser}
}

func versionOf(ctx context.Context, path string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
