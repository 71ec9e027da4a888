package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/runner/client"
	"github.com/proagentstore/pags/runner/home"
)

// Exit codes, the same for every command.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitPaused      = 20  // a person is needed; the output says how to go on
	exitInterrupted = 130 // ctrl-C (128 + SIGINT, as shells count)
	exitTerminated  = 143 // SIGTERM before the command was through; serve and up end well on it
)

// Build says which build this is.
type Build struct {
	Version string
	Commit  string
}

// app is what the commands share.
type app struct {
	build   Build
	out     io.Writer // results: JSON or tables, nothing else
	err     io.Writer // everything said beside the result
	in      io.Reader
	now     func() time.Time
	json    bool
	homeDir string
	lines   *bufio.Reader // of in, once a question was asked
	typing  *bool         // set by tests: whether a person sits there
	late    error         // of a help text that needs the host
}

// exitError ends the program with a code; its text, if any, was shown or is shown as is.
type exitError struct {
	code int
	text string
}

func (e *exitError) Error() string { return e.text }

// usageError marks wrong words on the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// Main runs the command line and returns the exit code.
func Main(args []string, b Build) int {
	// A reader that went away (| head -1) ends us quietly: writes to it fail, and that is not an error of ours.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go func() { cancel(asked()) }()
	a := &app{build: b, out: os.Stdout, err: os.Stderr, in: os.Stdin, now: time.Now}
	return a.run(ctx, args)
}

var (
	errInterrupted = errors.New("interrupted")
	errTerminated  = errors.New("terminated")
)

// asked waits until somebody asks us to end. A second ctrl-C then ends the process at once.
func asked() error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if <-signals == os.Interrupt {
		return errInterrupted
	}
	return errTerminated
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	c, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.late
	}
	return a.exit(ctx, usageOf(c, err))
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "pags",
		Short:         "AI agents that act for you, with hands on your own machine",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetUsageTemplate(helpTemplate)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetIn(a.in)
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON only")
	root.PersistentFlags().StringVar(&a.homeDir, "home", "", "`folder` of pags on this machine (default $PAGS_HOME or ~/.pags)")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{fmt.Errorf("%w\nsee: %s --help", err, c.CommandPath())}
	})
	root.AddCommand(commands(a)...)
	return root
}

func (a *app) exit(ctx context.Context, err error) int {
	var coded *exitError
	var usage *usageError
	cause := context.Cause(ctx)
	switch {
	case errors.Is(err, syscall.EPIPE):
		return exitDone
	case errors.As(err, &coded):
		a.complain(coded.text)
		return coded.code
	case cause == errInterrupted && (err == nil || errors.Is(err, context.Canceled)):
		return exitInterrupted
	case cause == errTerminated && errors.Is(err, context.Canceled):
		return exitTerminated
	case err == nil:
		return exitDone
	}
	a.complain(outward(err))
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

// outward is an error's text for people; the cause of one of ours is for logs.
func outward(err error) string {
	var told *pags.Error
	if errors.As(err, &told) {
		return told.Message
	}
	return err.Error()
}

func (a *app) home() (home.Dir, error) { return home.Find(a.homeDir) }

// client opens the session of this machine.
func (a *app) client() (*client.Client, error) {
	dir, err := a.home()
	if err != nil {
		return nil, err
	}
	s, err := client.OpenSession(dir.Session(), a.now)
	if err != nil {
		return nil, err
	}
	return client.New(s, a.build.Version), nil
}
