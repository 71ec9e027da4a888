package agent

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/proagentstore/pags/pkg/pags"
)

//go:embed data/*.json
var data embed.FS

// order is how agents are listed: the one that most people want first.
var order = []string{"browser", "portal-watch"}

var slugShape = regexp.MustCompile(`^[a-z][a-z0-9-]{1,48}$`)

// runtimeOf is what a workflow needs on the person's machine (spec platform 1.2: a workflow requires the matching runtime).
var runtimeOf = map[string]string{"BROWSER_TASK": "browser", "JOB_APPLY": "browser", "CODING_SESSION": "coding"}

func builtin() []pags.Agent {
	out := make([]pags.Agent, 0, len(order))
	for _, slug := range order {
		a, err := read(slug)
		if err != nil {
			panic(err)
		}
		out = append(out, a)
	}
	return out
}

func read(slug string) (pags.Agent, error) {
	var a pags.Agent
	raw, err := data.ReadFile("data/" + slug + ".json")
	if err != nil {
		return a, fmt.Errorf("agent %s: %w", slug, err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return a, fmt.Errorf("agent %s: %w", slug, err)
	}
	c := a.Capabilities
	switch {
	case a.Slug != slug || string(a.ID) != slug || !slugShape.MatchString(slug):
		return a, fmt.Errorf("agent %s: id and slug must be the name of its file", slug)
	case a.Name == "" || a.Description == "" || a.Category == "" || a.Icon == "" || a.Instructions == "" || a.Version < 1 || !a.FirstParty:
		return a, fmt.Errorf("agent %s: name, description, category, icon, instructions, version and firstParty are needed", slug)
	case c.Surfaces == nil || c.Tools == nil:
		return a, fmt.Errorf("agent %s: surfaces and tools must be lists", slug)
	case c.Workflow != "" && runtimeOf[c.Workflow] != c.Runtime:
		return a, fmt.Errorf("agent %s: workflow %s needs runtime %q", slug, c.Workflow, runtimeOf[c.Workflow])
	}
	return a, nil
}
