package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"

	stack "github.com/proagentstore/pags"
	"github.com/proagentstore/pags/demo/stage"
	"github.com/proagentstore/pags/pkg/local/gateway"
)

var stopSignal = syscall.SIGTERM

// emulator is AWS's own runtime interface emulator, at the version that was tried.
const emulator = "github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@v0.0.0-20261030222936-bef5c4ba774d"

const coldStarts = 5

// runsPrograms is the function whose start brings a sandbox along.
const runsPrograms = "CodeFunction"

// lambdaNumbers measures the largest package, and the slowest function from the spawn of the emulator to its first answer:
// the median of each, then the largest of them; the one that runs programs stands for itself. Functions are asked what needs no AWS: a page that says hello, a refusal of
// a request without a token, a refusal of an event that is none.
func lambdaNumbers(ctx context.Context, b *bench) ([]number, error) {
	largest, err := packages(ctx, b)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.dir, "functions")
	if err := run(ctx, nil, "go", "run", "./tools/functions", "-arch", runtime.GOARCH, "-zip=false", "-out", dir); err != nil {
		return nil, err
	}
	if err := run(ctx, []string{"GOBIN=" + b.dir}, "go", "install", emulator); err != nil {
		return nil, err
	}
	wired, err := gateway.Read(stack.Files, gateway.Facts{})
	if err != nil {
		return nil, err
	}
	slowest, programs := 0.0, 0.0
	for _, name := range names(wired) {
		ms, err := coldStart(ctx, b, filepath.Join(dir, name, "bootstrap"), event(wired, name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if name == runsPrograms {
			programs = ms
		} else {
			slowest = max(slowest, ms)
		}
	}
	return []number{{"lambda.zip_mb_max", largest, "MB", 15}, {"lambda.cold_ms_max", slowest, "ms", 75}, {"lambda.cold_programs_ms", programs, "ms", 150}}, nil
}

// run runs a command whose output matters only when it fails.
func run(ctx context.Context, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// packages builds what would be deployed and answers the largest package in MB.
func packages(ctx context.Context, b *bench) (float64, error) {
	dir := filepath.Join(b.dir, "packages")
	if err := run(ctx, nil, "go", "run", "./tools/functions", "-out", dir); err != nil {
		return 0, err
	}
	zips, err := filepath.Glob(filepath.Join(dir, "*.zip"))
	if err != nil || len(zips) == 0 {
		return 0, fmt.Errorf("no packages in %s: %w", dir, err)
	}
	largest := int64(0)
	for _, z := range zips {
		info, err := os.Stat(z)
		if err != nil {
			return 0, err
		}
		largest = max(largest, info.Size())
	}
	return float64(largest) / (1 << 20), nil
}

func names(s *gateway.Stack) []string {
	var all []string
	for name := range s.Functions {
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}

// event is what a function is asked: an HTTP request to its first route, or an object that is no event of its own.
func event(s *gateway.Stack, name string) string {
	for _, r := range s.Routes {
		if r.Function == name {
			path := strings.ReplaceAll(r.Path, "{proxy+}", "x")
			return fmt.Sprintf(`{"version":"2.0","routeKey":"$default","rawPath":%q,"headers":{"host":"bench.test"},"requestContext":{"http":{"method":"GET","path":%q,"sourceIp":"192.0.2.1"},"requestId":"bench"}}`, path, path)
		}
	}
	return `[]`
}

func coldStart(ctx context.Context, b *bench, bootstrap, event string) (float64, error) {
	var times []time.Duration
	for range coldStarts {
		took, err := coldOnce(ctx, b, bootstrap, event)
		if err != nil {
			return 0, err
		}
		times = append(times, took)
	}
	return median(times), nil
}

func coldOnce(ctx context.Context, b *bench, bootstrap, event string) (time.Duration, error) {
	front, err := stage.FreePort()
	if err != nil {
		return 0, err
	}
	back, err := stage.FreePort()
	if err != nil {
		return 0, err
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(b.dir, "aws-lambda-rie"), "--runtime-interface-emulator-address", "127.0.0.1:"+strconv.Itoa(front),
		"--runtime-api-address", "127.0.0.1:"+strconv.Itoa(back), bootstrap)
	cmd.Env = append(os.Environ(), "AWS_LAMBDA_FUNCTION_NAME=f", "AWS_LAMBDA_FUNCTION_TIMEOUT=30", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=512", "_HANDLER=bootstrap",
		"AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=bench", "AWS_SECRET_ACCESS_KEY=bench", "AWS_ENDPOINT_URL=http://127.0.0.1:1", "AWS_MAX_ATTEMPTS=1",
		"TABLE_NAME=t", "BUCKET_NAME=b", "KMS_KEY_ID=k", "BROWSE_MACHINE_ARN=arn:aws:states:us-east-1:000000000000:stateMachine:m",
		"EXECUTION_MACHINE_ARN=arn:aws:states:us-east-1:000000000000:stateMachine:x", "CODE_CALL_FUNCTION=f",
		"WS_MANAGEMENT_URL=http://127.0.0.1:1", "WS_URL=wss://bench.test", "PUBLIC_URL=https://bench.test", "LOG_LEVEL=ERROR")
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the function dies with the emulator
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); _ = cmd.Wait() }()
	url := "http://127.0.0.1:" + strconv.Itoa(front) + "/2015-03-31/functions/function/invocations"
	for time.Since(began) < 20*time.Second {
		res, err := http.Post(url, "application/json", strings.NewReader(event))
		if err != nil {
			time.Sleep(500 * time.Microsecond)
			continue
		}
		answer, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		took := time.Since(began)
		if err != nil || strings.Contains(string(answer), "Runtime.") {
			return 0, fmt.Errorf("it answered %s: %w\n%s", answer, err, &said)
		}
		return took, nil
	}
	return 0, fmt.Errorf("no answer in 20 s\n%s", &said)
}
