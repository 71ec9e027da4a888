package main

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/proagentstore/pags/demo/stage"
)

const starts = 10

// serveNumbers measures from the spawn of the host to its first answer, on a folder that was used before, and the memory
// that it then has.
func serveNumbers(ctx context.Context, b *bench) ([]number, error) {
	home, err := b.folder()
	if err != nil {
		return nil, err
	}
	var times []time.Duration
	memory := 0.0
	for i := range starts + 1 {
		took, mb, err := startOnce(ctx, b, home)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first one makes the account
			times, memory = append(times, took), max(memory, mb)
		}
	}
	return []number{{"serve.start_ms", median(times), "ms", 100}, {"serve.rss_mb", memory, "MB", 80}}, nil
}

func startOnce(ctx context.Context, b *bench, home string) (time.Duration, float64, error) {
	port, err := stage.FreePort()
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, b.binary, "serve", "--port", strconv.Itoa(port), "--data", home)
	cmd.Cancel = func() error { return cmd.Process.Signal(stopSignal) }
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	defer func() { _ = cmd.Process.Signal(stopSignal); _ = cmd.Wait() }()
	url := "http://127.0.0.1:" + strconv.Itoa(port) + "/health"
	for {
		if res, err := http.Get(url); err == nil {
			_ = res.Body.Close()
			break
		}
		if took := time.Since(began); took > 20*time.Second {
			return 0, 0, fmt.Errorf("the host does not answer after %s", took)
		}
		time.Sleep(500 * time.Microsecond)
	}
	took := time.Since(began)
	mb, err := memory(cmd.Process.Pid)
	return took, mb, err
}

// memory is a process's resident set in MB, as ps tells it in KB.
func memory(pid int) (float64, error) {
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, fmt.Errorf("ps: %w", err)
	}
	kb, err := strconv.Atoi(strings.TrimSpace(string(out)))
	return float64(kb) / 1024, err
}

// versionNumber measures the shortest command.
func versionNumber(ctx context.Context, b *bench) ([]number, error) {
	var times []time.Duration
	for range 50 {
		began := time.Now()
		if err := exec.CommandContext(ctx, b.binary, "version").Run(); err != nil {
			return nil, err
		}
		times = append(times, time.Since(began))
	}
	return []number{{"cli.version_ms", median(times), "ms", 15}}, nil
}
