package cli

import (
	"fmt"
	"mime"
	"net/http"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
)

func browseCommand(a *app) *cobra.Command {
	var in struct {
		URL       string `json:"url"`
		Objective string `json:"objective"`
		DryRun    bool   `json:"dryRun,omitempty"`
		Approve   string `json:"approve,omitempty"`
		MaxSteps  int    `json:"maxSteps,omitempty"`
		Files     []file `json:"files,omitempty"`
	}
	var files []string
	var wait bool
	var key string
	c := &cobra.Command{
		Use:   "browse INSTANCE --url URL --objective TEXT",
		Short: "Give an agent a task in the browser on your machine",
		Example: `  pags browse Browser --url https://example.com --wait \
    --objective "Find the opening hours"`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if in.Files, err = readFiles(files); err != nil {
				return err
			}
			cl, err := a.client()
			if err != nil {
				return err
			}
			n, err := findInstance(c.Context(), cl, args[0])
			if err != nil {
				return err
			}
			if key == "" {
				key = pags.NewToken()
			}
			var run pags.Run
			if err := cl.DoOnce(c.Context(), key, http.MethodPost, "/v1/instances/"+string(n.ID)+"/browse", in, &run); err != nil {
				return err
			}
			if wait {
				if !a.json {
					a.note("%s", run.ID)
				}
				return a.watch(c.Context(), cl, run.ID, 0)
			}
			if a.json {
				return a.printJSON(run)
			}
			if err := a.say("%s", run.ID); err != nil {
				return err
			}
			a.note("Watch it: pags runs watch %s", run.ID)
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&in.URL, "url", "", "where to start")
	f.StringVar(&in.Objective, "objective", "", "what to achieve")
	f.BoolVar(&in.DryRun, "dry-run", false, "stop before the final step")
	f.StringVar(&in.Approve, "approve", "", `"commit" asks before a final step (default), "never" does not ask`)
	f.IntVar(&in.MaxSteps, "max-steps", 0, "decisions at most (default 40)")
	f.StringArrayVar(&files, "file", nil, "`path` of a file the agent may upload; up to 5 times")
	f.StringVar(&key, "key", "", "idempotency key: the same key starts one run only")
	f.BoolVar(&wait, "wait", false, "follow the run until it ends or needs a person")
	_ = c.MarkFlagRequired("url")
	_ = c.MarkFlagRequired("objective")
	return c
}

// file is an upload that goes with the task.
type file struct {
	Name        string `json:"name"`
	ContentType string `json:"contentType,omitempty"`
	Data        []byte `json:"data"`
}

// maxFiles is what one request carries: all files together, before base64, so that it stays below the host's 4 MB.
const maxFiles = 2_500_000

func readFiles(paths []string) ([]file, error) {
	var out []file
	total := 0
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			return nil, fmt.Errorf("read the file to upload: %w", err)
		}
		if total += len(data); total > maxFiles {
			return nil, usagef("the files are larger than %d bytes together", maxFiles)
		}
		out = append(out, file{Name: filepath.Base(p), ContentType: mime.TypeByExtension(filepath.Ext(p)), Data: data})
	}
	return out, nil
}
