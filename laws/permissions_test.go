package laws

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/permissions.golden anew")

// bare lists who may name the resource "*", each with its reason.
var bare = map[string]string{
	"BrowseMachineRole LogDelivery":    "log delivery has no resource-level permissions",
	"ExecutionMachineRole LogDelivery": "log delivery has no resource-level permissions",
	"Key Account":                      "in a key policy \"*\" is the key itself",
}

// managed lists AWS's own policies that roles may carry, each with its reason.
var managed = map[string]string{
	"service-role/AWSLambdaBasicExecutionRole": "writes the function's own log stream",
	"AWSXrayWriteOnlyAccess":                   "sends the machine's traces",
}

// A permission here is one statement of the stack as SAM would deploy it.
type statement struct {
	owner, sid, effect, principal, condition string
	actions, resources                       []string
}

func (s statement) String() string {
	out := fmt.Sprintf("  %s %s", s.effect, strings.Join(s.actions, " "))
	if s.principal != "" {
		out += "\n    by " + s.principal
	}
	for _, r := range s.resources {
		out += "\n    on " + r
	}
	if s.condition != "" {
		out += "\n    if " + s.condition
	}
	return out
}

func TestPermissions_AreThoseThatWereAgreed(t *testing.T) {
	resources := transformed(t)
	var page strings.Builder
	for _, name := range sorted(resources) {
		statements, policies := permissions(name, resources[name])
		if len(statements)+len(policies) == 0 {
			continue
		}
		fmt.Fprintln(&page, name)
		for _, p := range policies {
			fmt.Fprintln(&page, "  managed", p)
		}
		for _, s := range statements {
			fmt.Fprintln(&page, s)
		}
	}
	golden := filepath.Join("testdata", "permissions.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if page.String() == string(want) {
		return
	}
	got, agreed := strings.Split(page.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(agreed)) {
		if i >= len(got) || i >= len(agreed) || got[i] != agreed[i] {
			t.Fatalf("permissions changed at line %d of %s. Read the change as an attacker would; if it is meant, run go test ./laws -run Permissions -update.\n got  %s\n want %s",
				i+1, golden, line(got, i), line(agreed, i))
		}
	}
}

func line(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "(the end)"
}

func TestPermissions_AreNarrow(t *testing.T) {
	seen := 0
	for name, resource := range transformed(t) {
		statements, policies := permissions(name, resource)
		for _, p := range policies {
			if managed[p] == "" {
				t.Errorf("%s carries the managed policy %s, which grants more than we ask for", name, p)
			}
		}
		for _, s := range statements {
			seen++
			if s.effect == "Deny" {
				continue
			}
			key := s.owner + " " + s.sid
			for _, a := range s.actions {
				switch {
				case strings.HasSuffix(a, "Scan"):
					t.Errorf("%s may %s. No handler scans: it reads everybody's items and costs what all of them cost.", key, a)
				case strings.Contains(a, "*") && bare[key] == "":
					t.Errorf("%s may %s; name the actions", key, a)
				case strings.HasPrefix(a, "iam:") || strings.HasPrefix(a, "sts:") && !strings.HasSuffix(name, "Role"):
					t.Errorf("%s may %s; no function changes who may what", key, a)
				}
			}
			if slices.Contains(s.resources, "*") && bare[key] == "" {
				t.Errorf("%s names the resource \"*\"; name what it is for, or list it here with its reason", key)
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d statements were seen", seen)
	}
}

// What a function may do to state is what its family is for: only those listed here touch these things.
func TestPermissions_SensitiveActionsAreForFew(t *testing.T) {
	few := map[string][]string{
		"states:StartExecution": {"InstancesFunctionRole", "ToolsFunctionRole", "ExecutionsFunctionRole", "ReconcileFunctionRole", "ExecutionFunctionRole",
			"BrowseMachineRole", "ExecutionMachineRole"},
		// A program that sleeps holds no token: whoever may cancel a run has to stop its execution.
		"states:StopExecution": {"RunsFunctionRole", "ExecutionsFunctionRole", "ReconcileFunctionRole", "ExecutionFunctionRole"},
		"s3:PutObject": {"InstancesFunctionRole", "BrowseFunctionRole", "RelayCallFunctionRole", "WsMessageFunctionRole",
			"SourcesFunctionRole", "ToolsFunctionRole", "CodeFunctionRole", "CodeCallFunctionRole"},
		"s3:DeleteObject":       {"SourcesFunctionRole"}, // catalogs that no source names any more
		"lambda:InvokeFunction": {"BrowseMachineRole", "ExecutionMachineRole", "CodeFunctionRole", "ReconcileFunctionEachMinuteRole"},
		// Sealing: signing keys are made by whichever family is asked first; secrets and model keys by their own.
		"kms:GenerateDataKey": {"MetaFunctionRole", "AuthFunctionRole", "InstancesFunctionRole", "RunsFunctionRole",
			"InteractionsFunctionRole", "KeysFunctionRole", "MachinesFunctionRole", "RelayFunctionRole",
			"SourcesFunctionRole", "ConnectionsFunctionRole", "ToolsFunctionRole", "PoliciesFunctionRole", "ExecutionsFunctionRole"},
	}
	for name, resource := range transformed(t) {
		statements, _ := permissions(name, resource)
		for _, s := range statements {
			for _, a := range s.actions {
				if who, rare := few[a]; rare && !slices.Contains(who, name) {
					t.Errorf("%s may %s, which is for %s", name, a, strings.Join(who, ", "))
				}
				if name == "AgentsFunctionRole" && (a == "dynamodb:Query" || !strings.HasPrefix(a, "dynamodb:") && !strings.HasPrefix(a, "sts:")) {
					t.Errorf("%s only lists and shows, and yet may %s", name, a)
				}
			}
		}
	}
}

// Programs are other people's code. Should one get out of its sandbox, this is all that it finds: no key, no way to a state
// machine or a socket, nobody's rows but those of runs.
func TestPermissions_WhereProgramsRunNothingElseIsInReach(t *testing.T) {
	statements, policies := permissions("CodeFunctionRole", transformed(t)["CodeFunctionRole"])
	if len(policies) != 1 || len(statements) < 5 {
		t.Fatalf("%d statements, policies %v", len(statements), policies)
	}
	allowed := map[string][2]string{ // what it may, on what, under which condition
		"dynamodb:GetItem": {"${Table.Arn}", "R#*"}, "dynamodb:BatchGetItem": {"${Table.Arn}", "R#*"}, "dynamodb:Query": {"${Table.Arn}", "R#*"},
		"dynamodb:PutItem": {"${Table.Arn}", "R#* TX#*"}, "dynamodb:DeleteItem": {"${Table.Arn}", "OPEN#*"},
		"s3:GetObject": {"${Bucket.Arn}/runs/*"}, "s3:PutObject": {"${Bucket.Arn}/runs/*"},
		"lambda:InvokeFunction": {"${CodeCallFunction.Arn}"}, "sts:AssumeRole": {""},
	}
	for _, s := range statements {
		for _, a := range s.actions {
			want, ok := allowed[a]
			if !ok {
				t.Errorf("it may %s on %v", a, s.resources)
				continue
			}
			if on := strings.Join(s.resources, " "); on != want[0] {
				t.Errorf("it may %s on %s, agreed was %s", a, on, want[0])
			}
			if want[1] != "" && s.condition != "{ForAllValues:StringLike: {dynamodb:LeadingKeys: "+want[1]+"}}" {
				t.Errorf("it may %s if %q, agreed were the keys %s", a, s.condition, want[1])
			}
		}
	}
}

// transformed is the stack as SAM would deploy it, resources by name.
func transformed(t *testing.T) map[string]any {
	t.Helper()
	if _, err := os.Stat(python); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("the Python environment is missing: make setup makes it")
		}
		t.Skip("the Python environment is missing: make setup makes it")
	}
	resources, err := transform()
	if err != nil {
		t.Fatal(err)
	}
	return resources
}

var python = filepath.Join(root, ".venv", "bin", "python")

var transform = sync.OnceValues(func() (map[string]any, error) {
	raw, err := exec.Command(python, filepath.Join(root, "tools", "sam_transform.py"), filepath.Join(root, "template.yaml")).Output()
	if err != nil {
		return nil, err
	}
	var doc struct{ Resources map[string]any }
	err = json.Unmarshal(raw, &doc)
	return doc.Resources, err
})

// permissions reads the statements of a role's, bucket's or key's policies, and the managed policies of a role.
func permissions(name string, resource any) (out []statement, policies []string) {
	p, _ := at(resource, "Properties").(map[string]any)
	documents := []any{p["PolicyDocument"], p["KeyPolicy"], p["AssumeRolePolicyDocument"]}
	for _, inline := range list(p["Policies"]) {
		documents = append(documents, at(inline, "PolicyDocument"))
	}
	for _, m := range list(p["ManagedPolicyArns"]) {
		_, policy, _ := strings.Cut(text(m), ":policy/")
		policies = append(policies, policy)
	}
	for _, d := range documents {
		for _, raw := range list(at(d, "Statement")) {
			s := statement{owner: name, sid: text(at(raw, "Sid")), effect: text(at(raw, "Effect"))}
			for _, a := range list(at(raw, "Action")) {
				s.actions = append(s.actions, text(a))
			}
			for _, r := range list(at(raw, "Resource")) {
				s.resources = append(s.resources, text(r))
			}
			if who := at(raw, "Principal"); who != nil {
				s.principal = text(who)
			}
			if c := at(raw, "Condition"); c != nil {
				s.condition = text(c)
			}
			out = append(out, s)
		}
	}
	return out, policies
}

func at(v any, key string) any {
	m, _ := v.(map[string]any)
	return m[key]
}

// list reads what policies may write as one value or as several.
func list(v any) []any {
	switch x := v.(type) {
	case nil:
		return nil
	case []any:
		return x
	}
	return []any{v}
}

// text writes a value the way !Sub would.
func text(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case []any:
		parts := make([]string, len(x))
		for i, e := range x {
			parts[i] = text(e)
		}
		return strings.Join(parts, " ")
	case map[string]any:
		if ref := at(x, "Ref"); ref != nil {
			return "${" + text(ref) + "}"
		}
		if sub := at(x, "Fn::Sub"); sub != nil {
			return text(sub)
		}
		if att := at(x, "Fn::GetAtt"); att != nil {
			return "${" + strings.ReplaceAll(text(att), " ", ".") + "}"
		}
		parts := make([]string, 0, len(x))
		for _, k := range sorted(x) {
			parts = append(parts, k+": "+text(x[k]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}

func sorted(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
