// Package boot is what the mains of functions share: configuration from the environment, the adapters of ports to AWS, and
// the start of the runtime. A main calls for the adapters that its part of the house uses; the linker drops the others.
//
//	boot.go    the environment, the house on its adapters, start
//	ports.go   one adapter per port
//	code.go    what programs need: the way to APIs, the sandbox, the dispatcher
package boot

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/proagentstore/pags/pkg/edge"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/wire"
)

// Version is stamped by the build.
var Version = "dev"

// Port adds one adapter to what a house stands on.
type Port func(*Function, *wire.Deps)

// Function is the process: its AWS configuration, clock and log.
type Function struct {
	aws   aws.Config
	clock wall
}

// House builds the house on the adapters that are named. It sends nothing to AWS. What is wrong with the configuration ends
// the process with a sentence in the log: Lambda reports it as an init error, and the function's alarm hears it.
func House(ports ...Port) *wire.House {
	log := logger()
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		fail("load the AWS configuration: %v", err)
	}
	f := &Function{aws: cfg}
	// Without a VPC nothing private is in reach, and nothing private should be asked for either. MODEL_HOSTS names model
	// servers of the deployer's own; template.yaml sets none.
	policy := guard.Policy{AllowHosts: list("MODEL_HOSTS")}
	d := wire.Deps{Clock: f.clock, Log: log, Config: wire.Config{
		Version: Version, Host: "aws", PublicURL: os.Getenv("PUBLIC_URL"), WSURL: os.Getenv("WS_URL"),
		SetupHash: os.Getenv("SETUP_TOKEN_HASH"), CheckModelURL: policy.CheckURL,
	}}
	for _, add := range ports {
		add(f, &d)
	}
	return wire.New(d)
}

// HTTP serves a family.
func HTTP(h http.Handler) { lambda.Start(edge.HTTP(h)) }

// Event serves a function of events: anything that lambda.Start takes.
func Event(handler any) { lambda.Start(handler) }

// logger writes JSON lines that Lambda passes on, redacted, from LOG_LEVEL on.
func logger() *slog.Logger {
	level := slog.LevelInfo
	if text := os.Getenv("LOG_LEVEL"); text != "" {
		if err := level.UnmarshalText([]byte(text)); err != nil {
			fail("LOG_LEVEL: %v", err)
		}
	}
	log := slog.New(guard.LogHandler(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{Level: level})))
	slog.SetDefault(log)
	return log
}

// need reads a variable that template.yaml sets for the functions which use it.
func need(name string) string {
	v := os.Getenv(name)
	if v == "" {
		fail("%s is not in the environment; template.yaml has to set it for this function", name)
	}
	return v
}

func list(name string) []string {
	return strings.FieldsFunc(os.Getenv(name), func(r rune) bool { return r == ',' || r == ' ' })
}

func fail(format string, args ...any) {
	slog.Error("the function cannot start", "reason", fmt.Sprintf(format, args...))
	os.Exit(1)
}

// wall is the clock of the machine.
type wall struct{}

func (wall) Now() time.Time                         { return time.Now() }
func (wall) After(d time.Duration) <-chan time.Time { return time.After(d) }
