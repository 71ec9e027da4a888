package stories

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pasted runs a command that the program printed, as a person would paste it.
func (b *toolbox) pasted(command string) (out, errs string, code int) {
	b.t.Helper()
	res, err := b.CLI(b.ctx, "", strings.Fields(strings.TrimPrefix(command, "pags "))...)
	b.must(err)
	return res.Out, res.Err, res.Code
}

func TestCLI_ProgramsHaveExitCodesAndCommandsThatGoOn(t *testing.T) {
	t.Parallel()
	b := newToolbox(t)
	file := filepath.Join(t.TempDir(), "a b.ts")
	b.must(os.WriteFile(file, []byte("const n: number = 40 + 2;\nconsole.warn(\"careful\");\nreturn { n };\n"), 0o600))
	for _, c := range []struct {
		what, stdin string
		args        []string
		code        int
		out, says   string // whole of standard output without spaces; part of standard error
	}{
		{"a result", "", []string{"exec", "-e", "console.log('beside'); return [1, 'two']"}, 0, `[1,"two"]`, "beside"},
		{"no result", "", []string{"exec", "-e", "1"}, 0, "null", ""},
		{"a file", "", []string{"exec", file}, 0, `{"n":42}`, "careful"},
		{"standard input", "return 7", []string{"exec", "--stdin"}, 0, "7", ""},
		{"a failure", "", []string{"exec", "-e", "const a = 1;\nthrow new Error('no luck')"}, 1, "", "no luck"},
		{"a program that cannot be read", "", []string{"exec", "-e", "return 1 +"}, 1, "", "1"},
		{"no program", "", []string{"exec"}, 2, "", "which program?"},
		{"two programs", "", []string{"exec", file, "-e", "1"}, 2, "", "one place"},
		{"a read", "", []string{"call", "stub", "main", "items", "getItem", "id=7"}, 0, "", ""},
		{"a read that upstream refuses", "", []string{"call", "stub.main.fail.as", "status=503"}, 1, "", "503"},
		{"a wrong argument", "", []string{"call", "stub.main.items.getItem", "idd=7"}, 1, "", "idd"},
		{"a tool that is not there", "", []string{"call", "stub.main.items.getItm"}, 1, "", "getItem"},
		{"no address", "", []string{"call"}, 2, "", "pags call PATH"},
		{"a run that is not there", "", []string{"resume", "run_0"}, 1, "", "no"},
		{"an action that is none", "", []string{"resume", "run_0", "--action", "maybe"}, 2, "", "accept, decline, retry or cancel"},
		{"a policy lifts the question", "", []string{"exec", "--auto-approve", "-e", `return (await tools.stub.main.orders.placeOrder({ body: { item: "auto" } })).ok`}, 0, "true", ""},
	} {
		res := b.call(c.stdin, c.args...)
		if out := strings.Join(strings.Fields(res.Out), ""); res.Code != c.code || c.out != "" && out != c.out || !strings.Contains(flat(res.Err), c.says) || c.code == 2 && res.Out != "" {
			t.Errorf("%s: exit %d, not %d: %q %q", c.what, res.Code, c.code, res.Out, res.Err)
		}
		narrow(t, c.what, res.Err)
	}

	var pause struct {
		Status, ID, Resume string
		Commands           map[string]string
	}
	for _, args := range [][]string{{"call", "stub", "main", "orders", "placeOrder", `{"body":{"item":"called"}}`}, {"exec", "-e", `return await tools.stub.orders.placeOrder({ body: { item: "ran" } })`}} {
		res := b.call("", args...)
		if err := json.Unmarshal([]byte(res.Out), &pause); err != nil || res.Code != 20 || pause.Status != "waiting_for_interaction" || !strings.HasPrefix(pause.Resume, "pags resume "+pause.ID+" ") {
			t.Fatalf("pags %v: exit %d %v %s%s", args, res.Code, err, res.Out, res.Err)
		}
		if out, errs, code := b.pasted(pause.Resume); code != 0 || !strings.Contains(out, `"ok": true`) {
			t.Errorf("%s: exit %d %s%s", pause.Resume, code, out, errs)
		}
	}
	res := b.call("", "call", "stub", "main", "orders", "placeOrder", `{"body":{"item":"declined"}}`)
	b.must(json.Unmarshal([]byte(res.Out), &pause))
	if out, errs, code := b.pasted(pause.Commands["decline"]); code != 1 || !strings.Contains(errs, "DeclinedError") {
		t.Errorf("declined: exit %d %s%s", code, out, errs)
	}
	res = b.call("", "exec", "-e", `return tools.person.ask({ message: "Which city?", schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } })`)
	b.must(json.Unmarshal([]byte(res.Out), &pause))
	if out, errs, code := b.pasted("pags resume " + pause.ID + ` --content {"city":"Bern"}`); code != 0 || !strings.Contains(out, "Bern") {
		t.Errorf("a form: exit %d %s%s", code, out, errs)
	}
	for item, want := range map[string]int{"auto": 1, "called": 1, "ran": 1, "declined": 0} {
		if n := b.up.Effects()[b.effect(item)]; n != want {
			t.Errorf("%s happened %d times", item, n)
		}
	}
	b.run("", "policies", "add", "stub.*.orders.*", "block")
	if res := b.call("", "call", "stub.main.orders.placeOrder", `{"body":{"item":"blocked"}}`, "--auto-approve"); res.Code != 1 || !strings.Contains(res.Out+res.Err, "blocked") || len(b.about("blocked")) != 0 {
		t.Errorf("blocked: exit %d %s%s", res.Code, res.Out, res.Err)
	}
	for _, c := range []string{"sources show stub", "connections list", "tools list", "tools search order", "tools describe stub.main.orders.placeOrder", "call stub --help", "call stub main items getItem --help",
		"policies", "runs list", "runs show " + pause.ID, "inbox --status answered"} {
		b.seen(c)
	}
}

func TestCLI_ProgramsPrintOneJSONObjectAndEndQuietlyOnAClosedPipe(t *testing.T) {
	t.Parallel()
	b := newToolbox(t)
	for what, c := range map[string]struct {
		args []string
		code int
	}{
		"done":   {[]string{"exec", "-e", "console.log('inside'); return 1"}, 0},
		"failed": {[]string{"exec", "-e", "throw 1"}, 1},
		"paused": {[]string{"exec", "-e", `return await tools.stub.orders.placeOrder({ body: { item: "x" } })`}, 20},
		"called": {[]string{"call", "stub.main.items.getItem", "id=7"}, 0},
		"not ok": {[]string{"call", "stub.main.fail.as", "status=404"}, 1},
		"denied": {[]string{"call", "stub.main.ghost.none"}, 1},
	} {
		res := b.call("", append(c.args, "--json")...)
		var v map[string]any
		if dec := json.NewDecoder(strings.NewReader(res.Out)); res.Code != c.code || dec.Decode(&v) != nil || dec.Decode(&v) != io.EOF || strings.Contains(res.Err, "inside") {
			t.Errorf("%s: exit %d %q %q", what, res.Code, res.Out, res.Err)
		}
	}
	for _, args := range [][]string{{"exec", "-e", `return "x".repeat(500000)`}, {"tools", "list"}, {"call", "stub", "--help"}} {
		read, write, err := os.Pipe()
		b.must(err)
		b.must(read.Close())
		cmd := exec.Command(binary, args...)
		cmd.Env = append(os.Environ(), "PAGS_HOME="+b.Home)
		var errs log
		cmd.Stdout, cmd.Stderr = write, &errs
		err = cmd.Run()
		_ = write.Close()
		if err != nil || strings.Contains(errs.String(), "pipe") {
			t.Errorf("pags %s into a closed pipe: %v %s", fmt.Sprint(args), err, &errs)
		}
	}
}
