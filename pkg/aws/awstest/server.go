// Package awstest starts moto, a stand-in for AWS, for the tests of adapters. What moto does not do as AWS does is listed in
// the contract suites (pkg/port/porttest); tools/moto/launch.py mends what can be mended.
package awstest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// Region and Account are where moto's things live.
const (
	Region  = "us-east-1"
	Account = "123456789012"
)

// startLimit is how long moto may take on a busy machine; 1.3 s is usual.
const startLimit = 60 * time.Second

// Server is a running moto.
type Server struct {
	Endpoint string
	Config   aws.Config // region, credentials and endpoint; S3 clients also need UsePathStyle

	calls atomic.Int64
	stop  func()
}

// Options of Start.
type Options struct {
	// Lambda answers the Lambda functions that moto's state machines invoke: by function name and payload. An error becomes
	// a failed invocation: a FunctionError's Type is what Catch and Retry see, any other error is "Unhandled".
	Lambda func(name string, payload []byte) ([]byte, error)
}

var shared struct {
	once   sync.Once
	server *Server
	err    error
}

// Start gives a running moto: one for the whole test process, or with a Lambda one of its own until the test ends. Make
// things with the New helpers; their names are unique. Without Python and moto the test is skipped, and fails where CI=true.
func Start(t testing.TB, opts ...Options) *Server {
	t.Helper()
	python := findPython(t)
	if len(opts) > 0 && opts[0].Lambda != nil {
		s, err := launch(python, opts[0].Lambda)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.stop)
		return s
	}
	shared.once.Do(func() { shared.server, shared.err = launch(python, nil) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server
}

// findPython wants an interpreter that can import moto: $PAGS_MOTO_PYTHON, .venv of the repository, python3.
func findPython(t testing.TB) string {
	t.Helper()
	root, err := root()
	if err != nil {
		t.Fatal(err)
	}
	for _, python := range []string{os.Getenv("PAGS_MOTO_PYTHON"), filepath.Join(root, ".venv", "bin", "python3"), "python3"} {
		if python != "" && exec.Command(python, "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('moto') is None)").Run() == nil {
			return python
		}
	}
	const missing = "no Python with moto: make a virtual environment in .venv with tools/python/requirements.txt, or set PAGS_MOTO_PYTHON"
	if os.Getenv("CI") == "true" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// root is the directory of go.mod.
func root() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod above the working directory")
		}
	}
	return "", err
}

// launch starts moto behind an edge of its own. moto ends when the pipe to it closes, at the latest with this process.
func launch(python string, lambda func(string, []byte) ([]byte, error)) (*Server, error) {
	root, err := root()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for moto's own calls: %w", err)
	}
	_, edgePort, _ := net.SplitHostPort(listener.Addr().String())
	cmd := exec.Command(python, filepath.Join(root, "tools", "moto", "launch.py"), edgePort)
	ownGroup(cmd)
	said := &tail{}
	cmd.Stderr = said
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start moto: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start moto: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start moto: %w", err)
	}
	port, err := readPort(stdout)
	if err != nil {
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("start moto: %w: %s", err, said)
	}
	endpoint := "http://127.0.0.1:" + port
	edge := &http.Server{Handler: newEdge(endpoint, lambda), ReadHeaderTimeout: time.Minute}
	go func() { _ = edge.Serve(listener) }()
	return &Server{
		Endpoint: endpoint,
		Config: aws.Config{Region: Region, BaseEndpoint: aws.String(endpoint),
			Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")},
		stop: func() { _ = stdin.Close(); _ = edge.Close(); _ = cmd.Wait() },
	}, nil
}

func readPort(stdout io.Reader) (string, error) {
	line := make(chan string, 1)
	go func() {
		scanner := bufio.NewScanner(stdout)
		scanner.Scan()
		line <- scanner.Text()
		_, _ = io.Copy(io.Discard, stdout)
	}()
	select {
	case text := <-line:
		if port, ok := strings.CutPrefix(text, "port "); ok {
			return port, nil
		}
		return "", fmt.Errorf("it said %q instead of its port", text)
	case <-time.After(startLimit):
		return "", fmt.Errorf("it did not come up within %s", startLimit)
	}
}

// tail keeps the end of what moto wrote to its standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (w *tail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	if n := len(w.text) - 4096; n > 0 {
		w.text = append([]byte{}, w.text[n:]...)
	}
	return len(p), nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}
