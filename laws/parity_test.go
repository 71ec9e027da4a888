package laws

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	stack "github.com/proagentstore/pags"
)

func TestParity_EveryFunctionHasAFolderAndEveryFolderAFunction(t *testing.T) {
	s := ours(t)
	folders := map[string]string{}
	for name, f := range s.Functions {
		if other := folders[f.Folder]; other != "" {
			t.Errorf("%s and %s share %s: one function per folder, or they share permissions and size", name, other, f.Folder)
		}
		folders[f.Folder] = name
		if _, err := os.Stat(filepath.Join(root, f.Folder, "main.go")); err != nil {
			t.Errorf("%s names %s, which has no main.go", name, f.Folder)
		}
	}
	for _, r := range rooms(t) {
		if under(r.Path, "functions") && r.Name == "main" && folders[r.Path] == "" {
			t.Errorf("%s is in no function of template.yaml, so nothing ever starts it", r.Path)
		}
	}
}

// A main that does more than wiring is where two functions start to share behaviour that no test sees.
func TestParity_AFunctionsMainIsOneFile(t *testing.T) {
	for name, f := range ours(t).Functions {
		files, err := filepath.Glob(filepath.Join(root, f.Folder, "*.go"))
		if err != nil || len(files) != 1 {
			t.Errorf("%s: %s has %d Go files; main.go wires, nothing else", name, f.Folder, len(files))
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(raw), "\nfunc "); n != 1 {
				t.Errorf("%s has %d functions; main alone is enough to wire", file, n)
			}
		}
	}
}

func TestParity_EveryFunctionIsCalledBySomething(t *testing.T) {
	s := ours(t)
	called := map[string]bool{}
	for _, r := range s.Routes {
		called[r.Function] = true
	}
	for _, f := range s.Sockets {
		called[f] = true
	}
	for _, x := range s.Schedules {
		called[x.Function] = true
	}
	for _, x := range s.Rules {
		called[x.Function] = true
	}
	for name, m := range s.Machines {
		for _, f := range tasks(t, m.Definition) {
			if _, ok := s.Functions[f]; !ok {
				t.Errorf("%s calls %s, which is no function of template.yaml", name, f)
			}
			called[f] = true
		}
	}
	for name, f := range s.Functions {
		for variable, other := range f.Env {
			if strings.HasSuffix(variable, "_FUNCTION") {
				if _, ok := s.Functions[other]; !ok || other == name {
					t.Errorf("%s is to call %s by %s, which is no other function", name, other, variable)
				}
				called[other] = true
			}
		}
	}
	for name := range s.Functions {
		if !called[name] {
			t.Errorf("nothing calls %s: no route, socket, schedule, rule, state or function", name)
		}
	}
}

// tasks lists the functions that a definition calls.
func tasks(t *testing.T, definition []byte) []string {
	t.Helper()
	var d struct {
		States map[string]struct {
			Resource   string
			Parameters struct{ FunctionName string }
		}
	}
	if err := json.Unmarshal(definition, &d); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range d.States {
		if strings.Contains(s.Resource, ":lambda:invoke") {
			names = append(names, s.Parameters.FunctionName)
		}
	}
	if len(names) == 0 {
		t.Error("a definition without any task is no brain")
	}
	return names
}

func TestParity_ADocumentedTableOfFunctions(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := regexp.MustCompile(`\b[A-Z]\w+Function\b`).FindAllString(string(page), -1)
	for name := range ours(t).Functions {
		if !slices.Contains(documented, name) {
			t.Errorf("docs/architecture.md does not list %s", name)
		}
	}
	for _, name := range documented {
		if _, ok := ours(t).Functions[name]; !ok {
			t.Errorf("docs/architecture.md lists %s, which template.yaml does not have", name)
		}
	}
}

// Limits that cannot be raised (spec limits C.2), kept at a distance.
func TestStack_StaysFarFromLimits(t *testing.T) {
	s := ours(t)
	if n := len(s.Routes); n > 200 {
		t.Errorf("%d routes on one HTTP API; 300 integrations are its hard limit, split by audience before 200", n)
	}
	if n := len(s.Functions); n < 15 || n > 40 {
		t.Errorf("%d functions; a family per noun gives about 17", n)
	}
	for name, f := range s.Functions {
		if len(f.Env) > 20 {
			t.Errorf("%s has %d variables in its environment", name, len(f.Env))
		}
	}
}

// A function that fails without anybody hearing of it is worse than one that is missing.
func TestStack_AnAlarmHearsEveryFunction(t *testing.T) {
	raw, err := stack.Files.ReadFile("template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name := range ours(t).Functions {
		if !regexp.MustCompile(`MetricName: Errors, Dimensions: \[\{Name: FunctionName, Value: !Ref ` + name + `\}`).Match(raw) {
			t.Errorf("no alarm counts the errors of %s", name)
		}
	}
}
