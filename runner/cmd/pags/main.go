// Command pags is the whole product in one binary: the local host, the runner and the command line.
package main

import (
	"os"

	"github.com/proagentstore/pags/runner/cli"
)

// Set by the linker.
var (
	version = "dev"
	commit  = ""
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Build{Version: version, Commit: commit}))
}
