// Command demo plays one whole task on this machine: the real binary as host and as runner, a real browser, a sample site,
// and a scripted model that speaks a provider's real wire. It answers through the CLI, prints the timeline and ends with
// one line, "demo: ok run=… steps=… seconds=…".
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/proagentstore/pags/demo/play"
)

func main() {
	var o play.Options
	flag.StringVar(&o.Binary, "binary", "bin/pags", "the pags binary")
	flag.StringVar(&o.Provider, "provider", "anthropic", "which wire the scripted model speaks: anthropic or openai")
	model := flag.String("model", "scripted", "scripted, or real: ANTHROPIC_API_KEY or OPENAI_API_KEY of the environment")
	flag.BoolVar(&o.Show, "show", false, "show the browser window")
	flag.Parse()
	o.Real = *model == "real"
	o.Out = os.Stdout

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "demo: failed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o play.Options) error {
	binary, err := filepath.Abs(o.Binary)
	if err != nil {
		return err
	}
	o.Binary = binary
	if o.Dir, err = os.MkdirTemp("", "pags-demo-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(o.Dir) }()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	done, err := play.Run(ctx, o)
	if err != nil {
		return err
	}
	fmt.Printf("demo: ok run=%s steps=%d seconds=%.1f\n", done.Run, done.Steps, done.Seconds)
	return nil
}
