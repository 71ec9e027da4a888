// Command bench measures what the product promises and prints one JSON line a number, with its target. It judges
// nothing: times depend on the machine, and who reads the lines sees both.
//
//	main.go      what is measured, in order
//	host.go      the binary: start, memory, a command
//	api.go       reads and writes over a connection that stays open
//	relay.go     messages and calls to a runner and back, beside a bare forwarder (relaytest/)
//	machines.go  the interpreter in memory and on disk
//	lambda.go    packages and cold starts of the functions
//	step.go      what a step of a browser task costs beside the model and the hand
//	tools.go     a host with an API to call
//	exec.go      programs: start, calls, pauses; a call from the command line
//	catalog.go   large descriptions: import, search, memory
//	sandbox.go   computing, and programs that do not end
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// number is one line.
type number struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Target float64 `json:"target"`
}

// measures gives several numbers at once where they share a set-up.
var measures = []struct {
	names string
	take  func(context.Context, *bench) ([]number, error)
}{
	{"serve.start_ms serve.rss_mb", serveNumbers},
	{"cli.version_ms", versionNumber},
	{"api.read_p50_ms api.write_over_bare_ms", apiNumbers},
	{"relay.rtt_ratio relay.call_ms", relayNumbers},
	{"asl.transitions_per_s asl.durable_ratio asl.durable_64_per_s", machineNumbers},
	{"lambda.zip_mb_max lambda.cold_ms_max lambda.cold_programs_ms", lambdaNumbers},
	{"browse.step_overhead_ms", stepNumber},
	{"exec.start_ms exec.calls_100_seq_ms exec.calls_100_par_ms exec.pause_resume_ms", execNumbers},
	{"call.cli_ms", callNumber},
	{"catalog.import_1000_ms catalog.search_10k_p50_ms serve.rss_1400_tools_mb", catalogNumbers},
	{"sandbox.fib27_ms sandbox.json_1mb_ms", sandboxNumbers},
	{"sandbox.deadline_over_ms health_during_hostile_ms", hostileNumbers},
}

// bench is where a run of measurements happens.
type bench struct {
	binary string
	dir    string // temporary
}

func main() {
	b := &bench{}
	flag.StringVar(&b.binary, "binary", "bin/pags", "the pags binary, as it is released")
	only := flag.String("only", "", "measure only what has this in its name")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := b.run(ctx, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context, only string) (err error) {
	if b.binary, err = filepath.Abs(b.binary); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "pags-bench-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.dir) }()
	out := json.NewEncoder(os.Stdout)
	for _, m := range measures {
		if !strings.Contains(m.names, only) {
			continue
		}
		numbers, err := m.take(ctx, b)
		if err != nil {
			return fmt.Errorf("%s: %w", m.names, err)
		}
		for _, n := range numbers {
			n.Value = round(n.Value)
			if err := out.Encode(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// folder makes a new one.
func (b *bench) folder() (string, error) { return os.MkdirTemp(b.dir, "") }

// round keeps three digits that mean something.
func round(v float64) float64 {
	scale := 1.0
	for v != 0 && v*scale < 100 && scale < 1e6 {
		scale *= 10
	}
	return float64(int64(v*scale+0.5)) / scale
}

// median of times, in milliseconds.
func median(times []time.Duration) float64 {
	times = slices.Clone(times)
	slices.Sort(times)
	return float64(times[len(times)/2].Microseconds()) / 1000
}
