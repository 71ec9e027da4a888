// Package cli is the command line of pags.
package cli

import (
	"github.com/spf13/cobra"
)

// commands lists every command, in the order of help. Each lives in the file of its name.
func commands(a *app) []*cobra.Command {
	return []*cobra.Command{
		serveCommand(a),
		upCommand(a),
		sourcesCommand(a),
		connectionsCommand(a),
		toolsCommand(a),
		callCommand(a),
		execCommand(a),
		resumingCommand(a),
		policiesCommand(a),
		agentsCommand(a),
		instancesCommand(a),
		browseCommand(a),
		runsCommand(a),
		inboxCommand(a),
		answerCommand(a),
		keysCommand(a),
		tokensCommand(a),
		machinesCommand(a),
		statusCommand(a),
		doctorCommand(a),
		openCommand(a),
		loginCommand(a),
		logoutCommand(a),
		versionCommand(a),
	}
}
