package cli

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/runner/home"
	"github.com/proagentstore/pags/runner/serve"
)

func serveCommand(a *app) *cobra.Command {
	var o serve.Options
	var data, level string
	var open, withRunner bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the whole platform on this machine",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := home.Find(firstOf(data, a.homeDir))
			if err != nil {
				return err
			}
			var least slog.Level
			if err := least.UnmarshalText([]byte(level)); err != nil {
				return usagef("--log-level %q is none of debug, info, warn, error", level)
			}
			if o.PublicURL != "" {
				if _, err := serve.Origin(o.PublicURL); err != nil {
					return &usageError{err}
				}
			}
			o.Home, o.Version, o.PortAsked = dir, a.build.Version, c.Flags().Changed("port")
			o.Log = slog.New(guard.LogHandler(serve.Logger(a.err, least, a.json)))
			ctx, cancel := context.WithCancelCause(c.Context())
			defer cancel(nil)
			hands := make(chan struct{})
			o.Ready = func(said serve.Announcement) {
				a.announce(said, o.PortAsked || o.Port == 0, data)
				if open {
					openBrowser(said.SignIn)
				}
				if !withRunner {
					close(hands)
					return
				}
				go func() {
					defer close(hands)
					if err := a.up(ctx, dir, upOptions{headless: os.Getenv("DISPLAY") == ""}); err != nil && ctx.Err() == nil {
						cancel(err)
					}
				}()
			}
			if err := serve.Run(ctx, o); err != nil {
				return err
			}
			if withRunner {
				cancel(nil)
				<-hands
			}
			if err := context.Cause(ctx); err != nil && c.Context().Err() == nil {
				return err
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&o.Host, "host", "127.0.0.1", "address to listen on; anything but the loopback lets others reach this host")
	f.IntVar(&o.Port, "port", serve.DefaultPort, "port to listen on; 0 for any free one")
	f.StringVar(&o.PublicURL, "public-url", "", "origin under which people reach this host, if a proxy stands before it")
	f.StringVar(&data, "data", "", "folder for everything it keeps (default $PAGS_HOME or ~/.pags)")
	f.BoolVar(&open, "open", false, "open the console in the browser")
	f.BoolVar(&withRunner, "with-runner", false, "also be the runner of this machine, as pags up")
	f.StringVar(&level, "log-level", "warn", "least level to log: debug, info, warn, error")
	f.BoolVar(&o.AllowPrivate, "allow-private", false, "let tools reach this machine and its networks: any local address")
	f.StringSliceVar(&o.AllowHosts, "allow-host", nil, "let tools reach this local host, or host:port; may be repeated")
	// For trials of what takes long otherwise: a run in several executions, a runner that stays away, a program that never ends.
	f.IntVar(&o.HandoverAfter, "handover-after", 0, "decisions in one execution; 0: the default")
	f.DurationVar(&o.LossBudget, "loss-budget", 0, "how long a runner may be away in the middle of a step; 0: the default")
	f.IntVar(&o.Programs, "programs", 0, "programs in a sandbox at once; 0: the default")
	f.DurationVar(&o.Compute, "compute", 0, "how long a program may compute between two waits; 0: the default")
	for _, name := range []string{"handover-after", "loss-budget", "programs", "compute"} {
		_ = f.MarkHidden(name) // it exists
	}
	return c
}

// self is how a shell calls this program: by its name where the search path holds it, else as it was called now.
func self() string {
	const name = "pags"
	here, err := os.Executable()
	if err != nil {
		return name
	}
	if found, err := exec.LookPath(name); err == nil && sameFile(found, here) {
		return name
	}
	if strings.ContainsRune(os.Args[0], filepath.Separator) {
		return os.Args[0]
	}
	return here
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// announce tells where the host is and what to do next.
func (a *app) announce(said serve.Announcement, asked bool, data string) {
	if a.json {
		_ = a.printLine(said)
		return
	}
	flag := ""
	if data != "" || a.homeDir != "" {
		flag = " --home " + said.Home
	}
	if !asked && said.Port() != serve.DefaultPort {
		a.note("Port %d is taken by another program, so this host is at port %d.", serve.DefaultPort, said.Port())
	}
	rows := [][2]string{{"pags", said.URL + "  (version " + said.Version + ", data in " + said.Home + ")"}}
	if said.HasPages {
		rows = append(rows, [2]string{"Console", said.SignIn}, [2]string{"", "The link works once; another: " + self() + " open" + flag})
	}
	rows = append(rows, [2]string{"Next", "In another terminal, give it hands on this machine: " + self() + " up" + flag})
	rows = append(rows, [2]string{"", "Make an API your tools: " + self() + " sources add URL" + flag})
	_ = a.pairs(rows)
}
