package stories

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proagentstore/pags/demo/stage"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/stories/upstream"
)

// toolbox is a scene with an API to call. Its tools are below stub.main, let in with one bearer token.
type toolbox struct {
	*scene
	up   *upstream.Server
	host *stage.Process
}

const stubToken = "bearer-of-the-stub-61"

// newToolbox makes the scene and serves; args are for pags serve.
func newToolbox(t *testing.T, args ...string) *toolbox {
	t.Helper()
	b := &toolbox{scene: newScene(t, nil, nil), up: upstream.New()}
	t.Cleanup(func() { b.up.Release(); b.up.Close() })
	b.up.Accept(stubToken)
	b.must(os.MkdirAll(b.Home, 0o700))
	b.must(os.Symlink(codecache, filepath.Join(b.Home, "codecache"))) // what was compiled once serves all
	b.open(nil, args...)
	b.run("", "sources", "add", b.up.URL+"/openapi.json", "--slug", "stub")
	b.run(stubToken, "connections", "add", "stub", "--method", "token", "--value", "token=-")
	return b
}

// open starts the host, which may reach the loopback with tools.
func (b *toolbox) open(env []string, args ...string) {
	b.t.Helper()
	b.host = b.serve(env, append([]string{"--allow-private"}, args...)...)
}

// execution is what stories read of one.
type execution struct {
	ID           pags.RunID
	Status       string
	RunStatus    pags.RunStatus
	Detail       string
	Result       any
	Error        *failure
	Logs         []line
	Interactions []pags.Interaction
	Calls        int
	Resume       string
}

type failure struct {
	Kind, Name, Code, Message string
	Line, Column, Step        int
}

type line struct{ Level, Text string }

func (x execution) over() bool {
	return slices.Contains([]string{"completed", "failed", "cancelled"}, x.Status)
}

// texts are the console's lines.
func (x execution) texts() []string {
	out := make([]string, len(x.Logs))
	for i, l := range x.Logs {
		out[i] = l.Text
	}
	return out
}

func (x execution) path() string { return "/v1/executions/" + string(x.ID) }

// exec runs a program and waits for what is visible.
func (b *toolbox) exec(code string) execution {
	b.t.Helper()
	var x execution
	b.post("/v1/executions", map[string]any{"code": code, "waitSeconds": 20}, &x)
	return x
}

// settled waits until a program needs somebody or has ended.
func (b *toolbox) settled(x execution) execution {
	b.t.Helper()
	b.await(60*time.Second, "the program to stand", func() bool {
		if x.over() || len(x.Interactions) > 0 {
			return true
		}
		time.Sleep(pace)
		b.get(x.path(), &x)
		return false
	})
	return x
}

// resume answers one question.
func (b *toolbox) resume(x execution, i pags.Interaction, action string) execution {
	b.t.Helper()
	var next execution
	if _, err := b.api(http.MethodPost, x.path()+"/resume", nil, map[string]any{"interactionId": i.ID, "action": action, "waitSeconds": 20}, &next); err != nil {
		b.t.Fatal(err)
	}
	return next
}

// step is one call of a program as its history shows it.
type step struct {
	Seq          int
	Path, Status string
}

func (b *toolbox) steps(x execution) []step {
	b.t.Helper()
	var page struct{ Items []step }
	b.get(x.path()+"/steps?limit=200", &page)
	return page.Items
}

// about are the effects whose text holds a word.
func (b *toolbox) about(word string) map[string]int {
	found := map[string]int{}
	for effect, n := range b.up.Effects() {
		if strings.Contains(effect, word) {
			found[effect] = n
		}
	}
	return found
}

// item is the argument that a question is about.
func item(i pags.Interaction) string {
	args, _ := i.Request["args"].(map[string]any)
	inner, _ := args["body"].(map[string]any)
	return fmt.Sprint(inner["item"])
}
