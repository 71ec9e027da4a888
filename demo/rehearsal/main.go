// Command rehearsal plays the demo with the artefacts that would be deployed: every bootstrap as a process of its own behind
// the edge that template.yaml describes, moto for table, blobs and key, our definitions on the embedded interpreter. It ends
// with "rehearsal: ok".
//
//	moto.go           table, bucket and key of the stack
//	bootstrap.go      functions as processes, fed through Lambda's runtime API
//	stepfunctions.go  the part of Step Functions' API that functions call, on the embedded interpreter
//	lambda.go         the part of Lambda's API that functions call
//	program.go        a program that pauses and goes on in another process
//	edge.go           HTTP API, WebSocket API and its management API, on one port
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/proagentstore/pags/demo/play"
	"github.com/proagentstore/pags/demo/stage"
	"github.com/proagentstore/pags/pkg/pags"
)

func main() {
	bootstraps := flag.String("bootstraps", ".build/rehearsal", "folder with <function>/bootstrap for this machine")
	binary := flag.String("binary", "bin/pags", "the pags binary, as CLI and runner")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *bootstraps, *binary); err != nil {
		fmt.Fprintln(os.Stderr, "rehearsal: failed:", err)
		os.Exit(1)
	}
	fmt.Println("rehearsal: ok")
}

func run(ctx context.Context, bootstraps, binary string) error {
	ctx, cancel := context.WithTimeout(ctx, 8*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "pags-rehearsal-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	if bootstraps, err = filepath.Abs(bootstraps); err != nil {
		return err
	}
	cloud, err := startMoto(ctx)
	if err != nil {
		return err
	}
	defer cloud.stop()
	setup := pags.NewToken()
	hash := sha256.Sum256([]byte(setup))
	e, err := openEdge(ctx, edgeOptions{cloud: cloud, dir: dir, bootstraps: bootstraps, setupHash: hex.EncodeToString(hash[:])})
	if err != nil {
		return err
	}
	defer e.close()
	done, err := play.Run(ctx, play.Options{
		Binary: binary, Dir: dir, Provider: "openai", Out: os.Stdout,
		Host: &play.Host{URL: e.url, SetupToken: setup},
	})
	if err != nil {
		return fmt.Errorf("%w\n--- what functions said\n%s", err, e.said())
	}
	s, err := stage.New(binary, filepath.Join(dir, "home"), os.Stderr)
	if err == nil {
		err = playProgram(ctx, e, s)
	}
	if err != nil {
		return fmt.Errorf("%w\n--- what functions said\n%s", err, e.said())
	}
	fmt.Printf("played %d steps in %.1f s through %d processes of %d functions\n", done.Steps, done.Seconds, e.processes(), len(e.functions))
	return nil
}
