// Command stage sets the scene for the console's browser tests: the real binary as host and runner on a temporary home, the
// sample site, a scripted model, and one run of every kind that a page has to show. It prints one line of JSON and stays
// until its standard input closes. Lines on standard input: "stop" ends the host, "start" brings it back; each is echoed
// when done.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/proagentstore/pags/demo/script"
	"github.com/proagentstore/pags/demo/site"
	"github.com/proagentstore/pags/demo/stage"
	"github.com/proagentstore/pags/pkg/model/modeltest"
)

// local lets tools reach the API that the tests add as a source; it listens on the loopback.
const local = "--allow-private"

func main() {
	binary := flag.String("binary", "bin/pags", "the pags binary")
	flag.Parse()
	if err := run(*binary); err != nil {
		fmt.Fprintln(os.Stderr, "stage:", err)
		os.Exit(1)
	}
}

func run(binary string) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pags-console-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	own := context.WithoutCancel(ctx) // host and runner are asked to end, in order, when this function returns
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	s, err := stage.New(binary, filepath.Join(dir, "home"), log)
	if err != nil {
		return err
	}
	page := httptest.NewServer(pages(site.New()))
	defer page.Close()
	model := modeltest.New(think)
	base, err := model.Start()
	if err != nil {
		return err
	}
	defer model.Close()

	host, err := s.Serve(own, nil, local)
	if err != nil {
		return failure(err, log.Name())
	}
	defer func() { host.Stop() }()
	runner, err := s.Up(own, nil, "--headless")
	if err != nil {
		return failure(err, log.Name())
	}
	defer runner.Stop()
	if _, err := s.Must(ctx, "key-of-the-stage", "keys", "set", "openai", "--base-url", base, "--model", "scripted-1"); err != nil {
		return err
	}
	scene, err := play(ctx, s, page.URL, dir)
	if err != nil {
		return failure(err, log.Name())
	}
	if err := json.NewEncoder(os.Stdout).Encode(scene); err != nil {
		return err
	}
	return obey(ctx, s, &host)
}

// obey does what the lines on standard input say, until it closes or the process is asked to end.
func obey(ctx context.Context, s *stage.Stage, host **stage.Process) error {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			lines <- in.Text()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, more := <-lines:
			if !more {
				return nil
			}
			switch line {
			case "stop":
				(*host).Stop()
			case "start":
				next, err := s.Serve(context.WithoutCancel(ctx), nil, local)
				if err != nil {
					return err
				}
				*host = next
			}
			fmt.Println(line)
		}
	}
}

// failure adds what host and runner said.
func failure(err error, log string) error {
	said, _ := os.ReadFile(log) // without it the error alone has to do
	return fmt.Errorf("%w\n%s", err, said)
}

// scene is what the tests are told.
type scene struct {
	URL       string            `json:"url"`
	Home      string            `json:"home"`
	Site      string            `json:"site"`
	Instances map[string]string `json:"instances"`
	Runs      map[string]string `json:"runs"`
}

// act is one run that shall be there, and what it shall have come to.
type act struct {
	name, instance, path, objective, status string
}

var acts = []act{
	{"completed", "Workshop pass", "/?key=stage", script.Objective, "completed"},
	{"approval", "Bookings", "/booking", "Book the laser cutter for Ada Example on 7 December 2026", "waiting"},
	{"secret", "Member area", "/login", "Sign in as ada and tell me when my pass runs out", "waiting"},
	{"failed", "Price watch", "/p2", "Find the price of a day pass", "failed"},
}

func play(ctx context.Context, s *stage.Stage, address, dir string) (scene, error) {
	out := scene{URL: s.URL(), Home: s.Home, Site: address, Instances: map[string]string{}, Runs: map[string]string{}}
	proof := filepath.Join(dir, "proof.txt")
	if err := os.WriteFile(proof, []byte("Ada Example\n1 River Lane\nSpringfield\n"), 0o600); err != nil {
		return out, err
	}
	allowed, err := json.Marshal([]string{address[len("http://"):]})
	if err != nil {
		return out, err
	}
	for _, a := range acts {
		id, err := s.Must(ctx, "", "instances", "subscribe", "browser", "--name", a.instance)
		if err != nil {
			return out, err
		}
		if _, err := s.Must(ctx, "", "instances", "set", id, "allowHosts", string(allowed)); err != nil {
			return out, err
		}
		out.Instances[a.name] = id
		if out.Runs[a.name], err = s.Must(ctx, "", "browse", id, "--url", address+a.path, "--objective", a.objective, "--file", proof); err != nil {
			return out, err
		}
	}
	return out, stage.Await(ctx, 80*time.Second, "the runs to be where they shall be", func() (bool, error) { return settled(ctx, s, out) })
}
