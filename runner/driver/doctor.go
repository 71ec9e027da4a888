package driver

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
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
		node.Detail = said(err)
	} else {
		node.OK, node.Detail = true, version+" at "+path
	}
	driver := Check{Name: "Playwright driver", Needed: true}
	switch cli, origin, err := locate(o); {
	case err != nil:
		driver.Detail = said(err)
	case cli == "" && !node.OK:
		driver.Detail = Version + " is not installed; it comes with the first browser task, once there is Node.js"
	case cli == "":
		driver.OK, driver.Detail = true, Version+" is not installed yet; the first browser task gets it from npm (3.2 MB)"
	default:
		driver.OK, driver.Detail = true, Version+", "+origin
	}
	browser := Check{Name: "Chromium", Needed: true}
	if path, err := Chromium(); err != nil {
		browser.Detail = said(err)
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

// said is an error's text for people, without its kind.
func said(err error) string {
	var told *pags.Error
	if errors.As(err, &told) {
		return told.Message
	}
	return err.Error()
}
