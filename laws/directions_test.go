package laws

import (
	"os/exec"
	"strings"
	"testing"
)

// areas are the vertical slices.
var areas = []string{"pkg/account", "pkg/agent", "pkg/instance", "pkg/key", "pkg/run", "pkg/interaction", "pkg/machine",
	"pkg/turn", "pkg/meta", "pkg/source", "pkg/policy", "pkg/tool", "pkg/execution", "pkg/mcp"}

var adapters = []string{"pkg/aws", "pkg/local"}

// ground is what any room of the cloud side may stand on.
var ground = []string{"pkg/pags", "pkg/port", "pkg/crash", "pkg/relay", "pkg/guard"}

// pure are rooms of rules without effects, which areas may use.
var pure = []string{"pkg/brain", "pkg/catalog", "pkg/rule", "pkg/codemode"}

// direction says of which of our own packages a room may import; its own subtree is always allowed.
type direction struct {
	name string
	of   []string // folders; the rule holds for them and below
	may  []string
	why  string
}

var directions = []direction{
	{"the nouns", []string{"pkg/pags"}, nil, "nouns are the ground: they know nobody, so everybody may know them"},
	{"crash points", []string{"pkg/crash"}, nil, "a crash point is passed everywhere, so it imports nothing"},
	{"ports", []string{"pkg/port"}, []string{"pkg/pags"}, "a port says what we ask of the outside in our own nouns; who implements it is not its business"},
	{"the wire", []string{"pkg/relay"}, []string{"pkg/pags"}, "the wire has no transport and no store, so that another runner can be written from it"},
	{"guards", []string{"pkg/guard"}, []string{"pkg/pags", "pkg/port"}, "guards judge addresses and texts; they reach for nothing"},
	{"the HTTP surface", []string{"pkg/httpapi"}, []string{"pkg/pags", "pkg/port", "pkg/guard"}, "the HTTP surface serves areas without knowing them"},
	{"the front of functions", []string{"pkg/edge"}, nil, "both hosts put every handler behind it, so it stays small"},
	{"catalogs", []string{"pkg/catalog"}, []string{"pkg/pags", "pkg/guard"}, "a description becomes tools without reaching for anything"},
	{"rules", []string{"pkg/rule"}, []string{"pkg/pags"}, "what may go is decided from what is given, so that it can be decided twice and be the same"},
	{"areas", areas, append(append([]string{"pkg/httpapi"}, pure...), ground...), "an area states what it needs of others as an interface of its own; wire connects them"},
	{"brains", []string{"pkg/brain"}, []string{"pkg/pags", "pkg/port", "pkg/relay", "pkg/guard"}, "a brain decides purely; effects are the turn's"},
	{"model clients", []string{"pkg/model"}, []string{"pkg/pags", "pkg/port", "pkg/guard"}, "a model client is an adapter: it knows its port and its provider"},
	{"the interpreter", []string{"pkg/asl"}, []string{"pkg/pags", "pkg/port"}, "the interpreter runs any definition; it knows no agent"},
	{"code mode", []string{"pkg/codemode"}, []string{"pkg/pags", "pkg/port"}, "a sandbox reaches nothing; who dispatches calls and keeps the journal is given to it"},
	{"wire", []string{"pkg/wire"}, append(append(append([]string{"pkg/httpapi"}, pure...), ground...), areas...), "wire connects areas on both hosts, so it sees no adapter"},
}

// exceptions to the rule of adapters, each with its reason.
var adapterMay = map[string][]string{
	"pkg/local/machines": {"pkg/asl"},  // the interpreter is its engine
	"pkg/local/gateway":  {"pkg/edge"}, // the same front as on Lambda
}

func TestDirections_EachRoomImportsOnlyWhatIsBelowIt(t *testing.T) {
	all := rooms(t)
	for _, d := range directions {
		seen := 0
		for _, r := range all {
			if !under(r.Path, d.of...) || forTests(r.Path) {
				continue
			}
			seen++
			own := owner(r.Path, d.of)
			for _, i := range r.Imports {
				if isOurs(i) && !under(i, own) && !under(i, d.may...) {
					t.Errorf("%s imports %s. %s: %s.", r.Path, i, d.name, d.why)
				}
			}
		}
		if seen == 0 {
			t.Errorf("%s: there is no such package, so nothing is held", d.name)
		}
	}
}

func TestDirections_AdaptersKnowTheirPortAndNothingElse(t *testing.T) {
	for _, r := range rooms(t) {
		if !under(r.Path, adapters...) || forTests(r.Path) {
			continue
		}
		parts := strings.SplitN(r.Path, "/", 4)
		own := strings.Join(parts[:min(3, len(parts))], "/")
		may := append([]string{"pkg/pags", "pkg/port", "pkg/crash"}, adapterMay[own]...)
		for _, i := range r.Imports {
			if isOurs(i) && !under(i, own) && !under(i, may...) {
				t.Errorf("%s imports %s. An adapter knows its port and its SDK: never another adapter, never an area, or the two hosts drift apart.", r.Path, i)
			}
		}
	}
}

func TestDirections_OnlyFunctionsAndTheLocalHostSeeAdaptersAndAreas(t *testing.T) {
	meeting := []string{"functions", "runner/serve"}
	for _, r := range rooms(t) {
		var adapter, area string
		if forTests(r.Path) {
			continue
		}
		for _, i := range r.Imports {
			if under(i, adapters...) {
				adapter = i
			}
			if under(i, areas...) || i == "pkg/wire" {
				area = i
			}
		}
		if adapter != "" && area != "" && !under(r.Path, meeting...) {
			t.Errorf("%s sees both the adapter %s and %s. Only functions/** and runner/serve do: elsewhere an area would grow onto one host.", r.Path, adapter, area)
		}
		if under(r.Path, "functions") {
			for _, i := range r.Imports {
				if under(i, "pkg/local", "runner", "demo", "tools") {
					t.Errorf("%s imports %s. A function runs on AWS and links nothing of the local host.", r.Path, i)
				}
			}
		}
	}
}

func TestDirections_TheRunnerStandsOnItsOwn(t *testing.T) {
	forbidden := append(append([]string{"pkg/wire", "pkg/httpapi", "pkg/asl", "pkg/brain", "pkg/model", "functions", "github.com/aws"}, adapters...), areas...)
	for _, r := range rooms(t) {
		if !under(r.Path, "runner") || under(r.Path, "runner/serve", "runner/cmd") {
			continue
		}
		for _, i := range r.Imports {
			if under(i, forbidden...) {
				t.Errorf("%s imports %s. The hands know the wire and nothing of the cloud; only runner/serve is a host.", r.Path, i)
			}
		}
	}
}

// sdks belong to one place each.
var sdks = []struct {
	path string
	in   []string
	why  string
}{
	{"github.com/aws/aws-sdk-go-v2", []string{"pkg/aws", "functions/internal", "demo"}, "one adapter per SDK keeps AWS out of the rules of an area"},
	{"github.com/aws/smithy-go", []string{"pkg/aws", "functions/internal", "demo"}, "its errors are the adapters' to translate"},
	{"github.com/aws/aws-lambda-go/lambda", []string{"functions", "pkg/local/gateway"}, "only a host starts handlers"},
	{"github.com/awslabs/aws-lambda-go-api-proxy", []string{"pkg/edge"}, "there is one front for both hosts"},
	{"github.com/danielgtaylor/huma/v2", []string{"pkg/httpapi"}, "how routes are described is a choice in one place"},
	{"go.etcd.io/bbolt", []string{"pkg/local", "runner/outcome", "demo", "bench"}, "the embedded store is an adapter's"},
	{"github.com/mxschmitt/playwright-go", []string{"runner/browser", "runner/driver", "demo", "console"}, "the browser is the hand's"},
	{"github.com/spf13/cobra", []string{"runner/cli", "runner/cmd", "runner/serve", "runner/up"}, "commands are the binary's"},
	{"github.com/coder/websocket", []string{"pkg/local/hub", "runner", "demo", "bench"}, "sockets are the hub's and the link's"},
	{"github.com/tetratelabs/wazero", []string{"pkg/codemode"}, "programs of others run in one place"},
	{"github.com/evanw/esbuild", []string{"pkg/codemode"}, "programs of others are read in one place, where their depth is counted first"},
	{"github.com/santhosh-tekuri/jsonschema", []string{"pkg/catalog"}, "what arguments and forms are held to is a choice in one place"},
	{"github.com/mark3labs/mcp-go", []string{"pkg/mcp"}, "how tools are offered to other people's agents is a choice in one place"},
	{"go.yaml.in/yaml/v4", []string{"pkg/local/gateway", "pkg/catalog"}, "only the template and API descriptions are YAML"},
}

func TestDirections_EachSDKHasOnePlace(t *testing.T) {
	for _, r := range rooms(t) {
		for _, i := range r.Imports {
			for _, s := range sdks {
				if under(i, s.path) && !forTests(r.Path) && !under(r.Path, s.in...) {
					t.Errorf("%s imports %s, which belongs to %s: %s.", r.Path, i, strings.Join(s.in, ", "), s.why)
				}
			}
		}
	}
}

func TestDirections_ABrainTouchesNothing(t *testing.T) {
	for _, r := range rooms(t) {
		if !under(r.Path, "pkg/brain") {
			continue
		}
		for _, i := range r.Imports {
			if i == "net/http" || i == "net" || i == "os" || i == "os/exec" || i == "database/sql" || i == "math/rand" {
				t.Errorf("%s imports %s. A brain decides from what it is given, so that a decision can be made twice and be the same.", r.Path, i)
			}
		}
	}
}

// A bootstrap's size and start depend on all that it links, not only on what it names.
func TestDirections_NoFunctionLinksTheLocalHost(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", "./functions/...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 100 {
		t.Fatalf("only %d packages were found, so nothing would be held", len(deps))
	}
	for _, d := range deps {
		if under(within(d), "pkg/local", "pkg/asl", "runner", "go.etcd.io/bbolt", "github.com/mxschmitt", "github.com/spf13") {
			t.Errorf("a function links %s, which is the local host's", d)
		}
	}
}

// Packages named …test hold suites and stands for tests: they may import what a test file may, and nobody ships them.
func forTests(path string) bool { return strings.HasSuffix(path, "test") }

func TestDirections_NothingThatShipsImportsWhatIsForTests(t *testing.T) {
	for _, r := range rooms(t) {
		if forTests(r.Path) || under(r.Path, "bench", "demo", "tools", "console/e2e") {
			continue
		}
		for _, i := range r.Imports {
			if isOurs(i) && forTests(i) {
				t.Errorf("%s imports %s, which is for tests.", r.Path, i)
			}
		}
	}
}

func isOurs(path string) bool {
	return path == "." || under(path, "pkg", "functions", "runner", "console", "bench", "demo", "tools", "laws")
}

// owner is the folder of a rule that a package belongs to: an area is its own owner, and not the other areas'.
func owner(path string, folders []string) string {
	for _, f := range folders {
		if under(path, f) {
			return f
		}
	}
	return path
}
