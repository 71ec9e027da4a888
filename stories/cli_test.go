package stories

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/proagentstore/pags/pkg/pags"
)

// withKey stores a model key without asking any model, so that runs can begin.
func (s *scene) withKey() {
	s.t.Helper()
	s.run("key-of-a-test", "keys", "set", "anthropic", "--base-url", "http://127.0.0.1:1", "--model", "none")
}

// busy starts a run on an instance; without a runner it waits.
func (s *scene) busy(instance string, more ...string) pags.Run {
	s.t.Helper()
	var r pags.Run
	s.read(&r, append([]string{"browse", instance, "--url", "https://example.com", "--objective", "Look"}, more...)...)
	return r
}

func TestCLI_CL06_JSONIsAllThatStandardOutputCarries(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	s.withKey()
	id := s.run("", "instances", "subscribe", "browser", "--name", "One")
	run := string(s.busy("One").ID)
	for _, c := range []string{
		"version", "status", "agents", "agents list", "agents show browser", "instances", "instances list --canceled", "instances show One",
		"instances subscribe portal-watch", "instances rename One Two", "instances set Two maxSteps 5", "runs", "runs list --status queued",
		"sources", "sources list", "connections list", "tools", "tools list", "tools search pets", "call --help", "policies", "policies add nothing.* block", "policies check a.*",
		"tokens", "tokens create --name One", "exec --code return(1)", "runs show " + run, "inbox", "keys", "keys list", "machines", "machines list", "open", "runs cancel " + run, "instances cancel " + id,
		"keys remove anthropic", "logout",
	} {
		res, err := s.CLIEnv(s.ctx, []string{"NO_COLOR=", "CLICOLOR_FORCE=1", "TERM=xterm-256color"}, "", append(strings.Fields(c), "--json")...)
		s.must(err)
		var v any
		if dec := json.NewDecoder(strings.NewReader(res.Out)); dec.Decode(&v) != nil || dec.Decode(&v) != io.EOF {
			t.Errorf("pags %s --json printed other than one JSON value: %q", c, res.Out)
		}
		if res.Code != 0 || res.Err != "" || strings.Contains(res.Out, "\x1b") {
			t.Errorf("pags %s --json: exit %d, stderr %q", c, res.Code, res.Err)
		}
	}
}

func TestCLI_ExitCodesSayHowItWent(t *testing.T) {
	s := newScene(t, nil, nil)
	if res := s.call("", "status"); res.Code != 1 || !strings.Contains(res.Err, "pags serve") {
		t.Errorf("without a session: exit %d %q", res.Code, res.Err)
	}
	host := s.serve(nil)
	s.withKey()
	s.run("", "instances", "subscribe", "browser", "--name", "One")
	run := string(s.busy("One").ID)
	for _, c := range []struct {
		stdin, args string
		code        int
		says        string
	}{
		{"", "version", 0, ""},
		{"", "agents list", 0, ""},
		{"", "agents show nobody", 1, "no such agent"},
		{"", "agents list more", 2, "takes no \"more\""},
		{"", "nothing", 2, "unknown command"},
		{"", "runs nothing", 2, "unknown command"},
		{"", "runs show", 2, "this takes: pags runs show RUN"},
		{"", "runs show run_0", 1, "there is no run"},
		{"", "runs list --status lost", 1, "status"},
		{"", "runs list --limit many", 2, "limit"},
		{"", "browse One", 2, "required flag"},
		{"", "browse Nobody --url https://example.com --objective x", 2, "no instance is called \"Nobody\""},
		{"", "browse One --url https://example.com --objective x", 1, "busy with run " + run},
		{"", "browse One --url file:///etc/passwd --objective x", 1, "http"},
		{"", "browse One --url https://example.com --objective x --file /no/such/file", 1, "/no/such/file"},
		{"", "answer int_0 --accept", 1, "there is no interaction"},
		{"", "answer int_0", 2, "one of these is needed"},
		{"", "answer int_0 --accept --decline", 2, "only one of these"},
		{"", "keys set anthropic", 2, "no secret came on standard input"},
		{"a key", "keys set ghost", 2, "anthropic, openai"},
		{strings.Repeat("x", 9000), "keys set openai", 1, "longer than 8 KB"},
		{"", "keys test openai", 1, "no "},
		{"", "login https://example.com/signin", 2, "no token"},
		{"", "serve --log-level loud", 2, "debug, info, warn, error"},
		{"", "up --log-level loud", 2, "debug, info, warn, error"},
		{"", "up --instance Nobody", 2, "no instance is called \"Nobody\""},
		{"", "machines forget mac_0", 1, "no machine"},
		{"", "sources show nobody", 1, "no such source"},
		{"", "sources add /no/such/file", 1, "no such file"},
		{"", "connections add nobody", 1, "no such source"},
		{"", "connections add nobody --value key=plain", 2, "does not belong on a command line"},
		{"", "tools describe a.b.c", 1, "there is no tool"},
		{"", "call a.b.c", 1, "tool_not_found"},
		{"", "call {}", 2, "its address comes first"},
		{"", "exec", 2, "which program?"},
		{"", "exec -e return(1)", 0, ""},
		{"", "exec -e return(a.b)", 1, "a is not defined"},
		{"", "resume run_0", 1, "there is no"},
		{"", "policies add a.* maybe", 2, "approve, require_approval, block"},
		{"", "tokens create", 2, "name"},
		{"", "tokens revoke tok_0", 1, "no such token"},
		{"", "instances rename One " + strings.Repeat("n", 61), 1, "60"},
		{"", "runs cancel " + run, 0, ""},
		{"", "runs watch " + run, 1, ""},
	} {
		res := s.call(c.stdin, strings.Fields(c.args)...)
		if res.Code != c.code || !strings.Contains(flat(res.Err), c.says) {
			t.Errorf("pags %s: exit %d, not %d with %q: %q", c.args, res.Code, c.code, c.says, res.Err)
		}
		if c.code == 2 && res.Out != "" {
			t.Errorf("pags %s printed a result: %q", c.args, res.Out)
		}
	}
	host.Stop()
	if res := s.call("", "status"); res.Code != 1 || !strings.Contains(res.Err, "start one with: pags serve") {
		t.Errorf("without a host: exit %d %q", res.Code, res.Err)
	}
}

// flat undoes the breaking of lines.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

var helpCommand = regexp.MustCompile(`(?m)^  (\w[\w-]*) +[A-Z]`)

// leaves finds every command by reading help as a person would.
func (s *scene) leaves(path ...string) [][]string {
	s.t.Helper()
	help := s.run("", append(append([]string{}, path...), "--help")...)
	_, list, _ := strings.Cut(help, "\nCommands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	found := [][]string{path}
	for _, m := range helpCommand.FindAllStringSubmatch(list, -1) {
		found = append(found, s.leaves(append(append([]string{}, path...), m[1])...)...)
	}
	return found
}

func TestCLI_EveryCommandExplainsItself(t *testing.T) {
	s := newScene(t, nil, nil)
	all := s.leaves()
	if len(all) < 25 {
		t.Fatalf("help names %d commands only: %v", len(all), all)
	}
	for _, path := range all {
		name := "pags " + strings.Join(path, " ")
		help := s.run("", append(path, "--help")...)
		if !strings.Contains(help, "Usage:\n  pags") {
			t.Errorf("%s --help: %s", name, help)
		}
		narrow(t, name+" --help", help)
		res := s.call("", append(path, "--no-such-flag")...)
		if res.Code != 2 || res.Out != "" || !strings.Contains(res.Err, "no-such-flag") || !strings.Contains(res.Err, "--help") {
			t.Errorf("%s --no-such-flag: exit %d %q %q", name, res.Code, res.Out, res.Err)
		}
		res = s.call("", append(path, "a", "b", "c", "d", "e")...)
		if strings.Contains(help, "... [flags]") || strings.Contains(help, "...] [flags]") {
			if res.Code != 1 || res.Out != "" || !strings.Contains(res.Err, "pags serve") { // it takes any number of words, and there is no host
				t.Errorf("%s a b c d e: exit %d %q %q", name, res.Code, res.Out, res.Err)
			}
			continue
		}
		if res.Code != 2 || res.Out != "" || !strings.Contains(flat(res.Err), "see: pags") {
			t.Errorf("%s a b c d e: exit %d %q %q", name, res.Code, res.Out, res.Err)
		}
	}
}

// narrow checks that nothing is wider than 80 columns but what cannot be broken, such as an address.
func narrow(t *testing.T, what, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		longest := 0
		for _, w := range strings.Fields(line) {
			longest = max(longest, len([]rune(w)))
		}
		if n := len([]rune(line)); n > 80 && longest < 50 {
			t.Errorf("%s: %d columns: %q", what, n, line)
		}
		if strings.HasSuffix(line, " ") {
			t.Errorf("%s: ends in a space: %q", what, line)
		}
	}
}

func TestCLI_OutputFitsEightyColumnsAndHoldsNoControlCharacters(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	s.withKey()
	long := strings.Repeat("A long objective with many words. ", 20)
	s.run("", "instances", "subscribe", "browser", "--name", "Žofie's \"Büro\" 日本語の名前 🙂 <b>")
	s.run("", "instances", "subscribe", "portal-watch", "--name", strings.Repeat("n", 60))
	// what stands in a name or an objective came from somewhere: it must not move the cursor, ring, or colour
	for _, body := range []string{"esc \x1b[31mred\x1b[0m bell \a back \b\b\b", "line\r\nfeed\u202egnirts", long} {
		id := s.run("", "instances", "subscribe", "browser", "--name", "busy")
		var r pags.Run
		s.read(&r, "browse", id, "--url", "https://example.com", "--objective", body)
		for _, c := range []string{"runs show " + string(r.ID), "runs watch --after 99 " + string(s.over(r).ID), "instances rename " + id + " done"} {
			s.seen(c)
		}
		s.run("", "instances", "cancel", id)
	}
	for _, c := range []string{"status", "doctor", "agents list", "agents show browser", "instances list --canceled", "runs list", "inbox --status cancelled",
		"keys list", "machines list", "version", "instances show nobody\x1b[2J", "runs show \x1b]0;title\a"} {
		s.seen(c)
	}
}

// over cancels a run and waits until it ended.
func (s *scene) over(r pags.Run) pags.Run {
	s.t.Helper()
	s.run("", "runs", "cancel", string(r.ID))
	s.call("", "runs", "watch", string(r.ID))
	return r
}

// seen runs a command and checks what a person gets to see.
func (s *scene) seen(c string) {
	s.t.Helper()
	res := s.call("", strings.Split(c, " ")...)
	narrow(s.t, "pags "+c, res.Out)
	narrow(s.t, "pags "+c, res.Err)
	for _, r := range res.Out + res.Err {
		if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			s.t.Errorf("pags %q printed %q: %q", c, r, res.Out+res.Err)
			break
		}
	}
}

func TestCLI_CL06_FoldersAndNamesWithSpacesAndUnicode(t *testing.T) {
	s := newScene(t, nil, nil)
	s.Home = filepath.Join(t.TempDir(), "a b", "ü&c")
	program := filepath.Join(t.TempDir(), "Program Files", "x y", "pags")
	s.must(os.MkdirAll(filepath.Dir(program), 0o755))
	s.must(os.Link(binary, program))
	s.Binary = program
	s.serve(nil)
	s.withKey()
	name := "Žofie's \"Büro\" 日本 🙂"
	id := s.run("", "instances", "subscribe", "browser", "--name", name)
	var n pags.Instance
	s.read(&n, "instances", "show", name)
	if string(n.ID) != id || n.DisplayName != name {
		t.Errorf("got %+v", n)
	}
	s.run("", "instances", "rename", name, "a  b")
	if r := s.busy("a  b"); r.InstanceID != n.ID {
		t.Errorf("got %+v", r)
	}
	s.run("", "instances", "subscribe", "browser", "--name", "A  B")
	if res := s.call("", "instances", "show", "a  b"); res.Code != 2 || !strings.Contains(res.Err, id) {
		t.Errorf("a name that fits two: exit %d %q", res.Code, res.Err)
	}
}

func TestCLI_CL06_AClosedPipeIsAQuietEnd(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	for _, args := range [][]string{{"agents", "list"}, {"agents", "list", "--json"}, {"--help"}, {"doctor"}} {
		read, write, err := os.Pipe()
		s.must(err)
		s.must(read.Close())
		cmd := exec.Command(binary, args...)
		cmd.Env = append(os.Environ(), "PAGS_HOME="+s.Home)
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = write, &errs
		err = cmd.Run()
		_ = write.Close()
		if err != nil || strings.Contains(errs.String(), "pipe") {
			t.Errorf("pags %v: %v %q", args, err, &errs)
		}
	}
}

func TestCLI_OneKeyStartsOneRun(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	s.withKey()
	s.run("", "instances", "subscribe", "browser", "--name", "One")
	first := s.busy("One", "--key", "k 1")
	again := s.busy("One", "--key", "k 1")
	if first.ID != again.ID || len(s.runs()) != 1 {
		t.Errorf("%s and %s, %d runs", first.ID, again.ID, len(s.runs()))
	}
	res := s.call("", "browse", "One", "--url", "https://example.com", "--objective", "Something else", "--key", "k 1")
	if res.Code != 1 || !strings.Contains(flat(res.Err), "started another task already") {
		t.Errorf("the key with another task: exit %d %q", res.Code, res.Err)
	}
}

func TestCLI_DoctorSaysWhatToInstall(t *testing.T) {
	s := newScene(t, nil, nil)
	s.serve(nil)
	env := []string{"PATH=" + t.TempDir(), "PAGS_CHROMIUM=/no/such/chromium", "HOME=" + t.TempDir(), "PAGS_PLAYWRIGHT_DRIVER="}
	res, err := s.CLIEnv(s.ctx, env, "", "doctor")
	s.must(err)
	for _, want := range []string{"Node.js bad", "nodejs.org", "Chromium bad", "PAGS_CHROMIUM is", "/no/such/chromium"} {
		if !strings.Contains(flat(res.Out), want) {
			t.Errorf("doctor does not say %q:\n%s", want, res.Out)
		}
	}
	if res.Code != 1 || !strings.Contains(res.Err, "checks failed") {
		t.Errorf("exit %d %q", res.Code, res.Err)
	}
	narrow(t, "pags doctor", res.Out)
}
