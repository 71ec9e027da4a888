// Command pags is the whole product in one binary: the local host, the runner, the command line, and the worker that runs
// programs for the host.
package main

import (
	"os"

	"github.com/proagentstore/pags/pkg/codemode/worker"
	"github.com/proagentstore/pags/runner/cli"
)

// Set by the linker.
var (
	version = "dev"
	commit  = ""
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == worker.Subcommand {
		os.Exit(worker.Main(os.Stdin, os.Stdout))
	}
	os.Exit(cli.Main(os.Args[1:], cli.Build{Version: version, Commit: commit}))
}
