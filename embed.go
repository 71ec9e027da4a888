// Package stack embeds what deploys: template.yaml and the state machine definitions that it names. The local host is wired
// from the same bytes that SAM deploys.
package stack

import "embed"

// Files holds template.yaml and statemachines/*.asl.json, by their path from the root of the repository.
//
//go:embed template.yaml statemachines/*.asl.json
var Files embed.FS
