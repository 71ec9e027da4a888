package cli

import (
	"context"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
	"github.com/proagentstore/pags/runner/client"
	"github.com/proagentstore/pags/runner/home"
	"github.com/proagentstore/pags/runner/link"
	"github.com/proagentstore/pags/runner/up"
)

type upOptions struct {
	headless  bool
	force     bool
	instances []string
	allow     []string
	level     slog.Level
}

func upCommand(a *app) *cobra.Command {
	var o upOptions
	var level string
	c := &cobra.Command{
		Use:   "up",
		Short: "Give your agents this machine's browser; connects outwards only",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.level.UnmarshalText([]byte(level)); err != nil {
				return usagef("--log-level %q is none of debug, info, warn, error", level)
			}
			dir, err := a.home()
			if err != nil {
				return err
			}
			return a.up(c.Context(), dir, o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.headless, "headless", os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "", "no browser window")
	f.BoolVar(&o.force, "force", false, "take over from another pags up of this machine")
	f.StringArrayVar(&o.instances, "instance", nil, "serve only this `instance` (id or name); may be given again")
	f.StringArrayVar(&o.allow, "allow-host", nil, "a private `address` (host or host:port) that agents may visit from here")
	f.StringVar(&level, "log-level", "warn", "least level to log: debug, info, warn, error")
	return c
}

// up serves until ctx ends.
func (a *app) up(ctx context.Context, dir home.Dir, o upOptions) error {
	s, err := client.OpenSession(dir.Session(), a.now)
	if err != nil {
		return err
	}
	cl := client.New(s, a.build.Version)
	only := make([]pags.InstanceID, len(o.instances))
	for i, ref := range o.instances {
		n, err := findInstance(ctx, cl, ref)
		if err != nil {
			return err
		}
		only[i] = n.ID
	}
	return up.Run(ctx, up.Options{
		Home: dir, Client: cl, Version: a.build.Version, Headless: o.headless, Force: o.force, Only: only, AllowHosts: o.allow,
		Log: slog.New(guard.LogHandler(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: o.level}))), Clock: clock{a},
		OnState:   func(st link.State) { a.tell(st) },
		OnMembers: func(m []relay.Member) { a.members(m) },
	})
}

func (a *app) tell(st link.State) {
	if a.json {
		_ = a.printLine(map[string]string{"state": st.Kind, "text": st.Text})
		return
	}
	colour := map[string]string{link.Live: "32", link.Blocked: "33", link.Waiting: "33", link.Stopped: "31"}[st.Kind]
	if colour == "" {
		colour = "2"
	}
	a.stream(colour, st.Kind, st.Text)
}

func (a *app) members(m []relay.Member) {
	names := make([]string, len(m))
	for i, x := range m {
		names[i] = x.DisplayName
	}
	if a.json {
		_ = a.printLine(map[string]any{"serves": names})
		return
	}
	if len(names) == 0 {
		names = []string{"nothing yet; get an agent: pags instances subscribe browser"}
	}
	a.stream("2", "serves", strings.Join(names, ", "))
}

// stream prints one word and what it is about, below the ones before.
func (a *app) stream(colour, word, text string) {
	const column = 12 // the longest word is connecting
	for i, line := range wrap(text, a.width()-column) {
		if i > 0 {
			word = ""
		}
		_ = a.say("%s%s%s", a.paint(colour, word), strings.Repeat(" ", max(1, column-len(word))), line)
	}
}
