package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
	"github.com/proagentstore/pags/runner/driver"
)

func doctorCommand(a *app) *cobra.Command {
	return &cobra.Command{Use: "doctor", Short: "Check what browser tasks need on this machine", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		checks := a.checks(c)
		bad := 0
		for _, k := range checks {
			if !k.OK && k.Needed {
				bad++
			}
		}
		if a.json {
			if err := a.printJSON(map[string]any{"ok": bad == 0, "checks": checks}); err != nil {
				return err
			}
		} else {
			rows := make([][2]string, len(checks))
			for i, k := range checks {
				mark := a.paint("32", "ok ")
				switch {
				case !k.OK && k.Needed:
					mark = a.paint("31", "bad")
				case !k.OK:
					mark = a.paint("33", "-- ")
				}
				rows[i] = [2]string{k.Name, mark + " " + k.Detail}
			}
			if err := a.pairs(rows); err != nil {
				return err
			}
		}
		if bad > 0 {
			return &exitError{code: exitFailed, text: fmt.Sprintf("%d of %d checks failed", bad, len(checks))}
		}
		return nil
	}}
}

// checks go from this machine outwards: folder, browser, session, host, machine, key.
func (a *app) checks(c *cobra.Command) []driver.Check {
	ctx := c.Context()
	var out []driver.Check
	dir, err := a.home()
	if err == nil {
		if _, err = os.Stat(string(dir)); errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s is not there yet; pags serve or pags login makes it", dir)
		}
	}
	out = append(out, check("Folder", true, err, string(dir)))
	out = append(out, driver.Doctor(ctx, driver.Options{})...)

	cl, err := a.client()
	if err != nil {
		return append(out, check("Session", true, err, ""))
	}
	began := a.now()
	var host map[string]any
	err = cl.Do(ctx, http.MethodGet, "/v1/status", nil, &host)
	out = append(out, check("Host", true, err, fmt.Sprintf("%s answers in %d ms", cl.Server(), a.now().Sub(began)/time.Millisecond)))
	if err != nil {
		return out
	}
	machines, err := client.List[pags.Machine](ctx, cl, "/v1/machines", nil, 0)
	online := 0
	for _, m := range machines {
		if m.Online {
			online++
		}
	}
	if err == nil && online == 0 {
		err = errors.New("no machine of yours is online; start one with: pags up")
	}
	out = append(out, check("Machine", false, err, fmt.Sprintf("%d online", online)))
	keys, err := client.List[modelKey](ctx, cl, "/v1/keys", nil, 0)
	if err == nil && len(keys) == 0 {
		err = errors.New("no model key is stored; store one with: pags keys set anthropic")
	}
	return append(out, check("Model key", false, err, fmt.Sprintf("%d stored", len(keys))))
}

func check(name string, needed bool, err error, good string) driver.Check {
	k := driver.Check{Name: name, OK: err == nil, Detail: good, Needed: needed}
	if err != nil {
		k.Detail = outward(err)
	}
	return k
}
