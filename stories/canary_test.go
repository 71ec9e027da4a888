package stories

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/proagentstore/pags/pkg/model/modeltest"
	"github.com/proagentstore/pags/pkg/pags"
)

// sessionSaved is how long Chromium waits, at most, to write down the pages that are open (2.5 s), and a little.
const sessionSaved = 3 * time.Second

// What must be found nowhere but on the site that it was given for. Letters and digits only, so that it looks the same in
// JSON, in a URL and in a form.
const (
	canaryPassword = "Qz7canaryPass0wordKw41Xv"
	canaryMember   = "Hj3canaryMember88Tn52Lb"
	canaryModelKey = "sk-Wd9canaryModelKey16Rp73Yc"
)

// tellTale is a site that makes secrets easy to leak: the password field shows its text once something is in it, the other
// secret goes into a plain field, and the last page says both aloud.
type tellTale struct {
	mu    sync.Mutex
	got   map[string]string
	typed []string // what a field of a page that is not this site's told about what was typed into it
}

const tellTaleForm = `<!doctype html><html lang="en"><title>Sign up</title>
<style>input{position:absolute;left:200px;width:400px;height:40px;font-size:24px}label{position:absolute;left:20px}button{position:absolute;top:500px;left:20px}</style>
<h1>Sign up</h1><form action="/send" method="post">
<label style="top:150px" for="n">Name</label><input style="top:150px" id="n" name="name">
<label style="top:250px" for="m">Member</label><input style="top:250px" id="m" name="member">
<label style="top:350px" for="p">Password</label><input style="top:350px" id="p" name="password" type="password" oninput="this.type='text'">
<button>Send request</button></form></html>`

// fieldBoxes are where the form's fields are on the picture.
var fieldBoxes = map[string]image.Rectangle{
	"Name": image.Rect(200, 150, 600, 190), "Member": image.Rect(200, 250, 600, 290), "Password": image.Rect(200, 350, 600, 390),
}

func (s *tellTale) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Method + " " + r.URL.Path {
	case "GET /":
		_, _ = io.WriteString(w, tellTaleForm)
	case "POST /send":
		s.got = map[string]string{"name": r.PostFormValue("name"), "member": r.PostFormValue("member"), "password": r.PostFormValue("password")}
		_, _ = fmt.Fprintf(w, `<!doctype html><title>Thank you</title><h1>Thank you</h1><p>Received: 1</p><p>Member %s, your password is %s.</p>`, s.got["member"], s.got["password"])
	case "GET /copy": // the same field, on whatever origin this is served from
		_, _ = io.WriteString(w, `<!doctype html><title>Copy</title><h1>Copy</h1><label>Password <input oninput="fetch('/typed?t='+encodeURIComponent(this.value))"></label>`)
	case "GET /typed":
		s.typed = append(s.typed, r.FormValue("t"))
	default:
		http.NotFound(w, r)
	}
}

// tellTaleScript fills the form with two secrets. elsewhere is an address of another origin, where it tries one of them first.
func tellTaleScript(elsewhere func() string, back func() string) modeltest.Script {
	return func(t modeltest.Turn) modeltest.Answer {
		if len(t.Tools) == 0 {
			return modeltest.Say("ready")
		}
		var s sees
		s.log, s.page, _ = strings.Cut(t.Text(), "\nThe page now:\n")
		handles := secretHandle.FindAllString(s.log, -1)
		into := func(field, text string) modeltest.Answer {
			return modeltest.Call("type", map[string]any{"ref": s.ref("textbox", field), "element": field, "text": text})
		}
		empty := func(field string) bool {
			own, _, _ := strings.Cut(strings.TrimSpace(s.line("textbox", field)), "\n")
			return !strings.Contains(own, "]: ")
		}
		switch {
		case strings.Contains(s.page, "Received: 1"):
			return modeltest.Call("finish", map[string]any{"outcome": "done", "summary": "Received."})
		case strings.Contains(s.page, `heading "Copy"`) && !strings.Contains(s.log, "secret was given for"):
			return into("Password", handles[0])
		case strings.Contains(s.page, `heading "Copy"`):
			return modeltest.Call("navigate", map[string]any{"url": back()})
		case len(handles) == 0:
			return modeltest.Call("request_user_info", map[string]any{"question": "What is your password?", "secret": true, "field": "Password"})
		case !strings.Contains(s.log, "secret was given for"):
			return modeltest.Call("navigate", map[string]any{"url": elsewhere()})
		case empty("Name"):
			return into("Name", "Ada Example")
		case empty("Password"):
			return into("Password", handles[0])
		case len(handles) < 2 || handles[len(handles)-1] == handles[0]:
			return modeltest.Call("request_user_info", map[string]any{"question": "What is your member number?", "secret": false, "field": "Member"})
		case empty("Member"):
			return into("Member", handles[len(handles)-1])
		}
		return modeltest.Call("click", map[string]any{"ref": s.ref("button", "Send request"), "element": "Send request"})
	}
}

func TestCanary_ASecretIsOnlyWhereItWasGivenFor(t *testing.T) {
	t.Parallel()
	site := &tellTale{}
	other := httptest.NewServer(site)
	t.Cleanup(other.Close)
	var s *scene
	s = newScene(t, site, tellTaleScript(func() string { return other.URL + "/copy" }, func() string { return s.page.URL + "/" }))
	host := s.serve(nil, "--log-level", "debug")
	p := &person{scene: s}
	p.instance = s.ready(canaryModelKey)
	allowed, err := json.Marshal([]string{s.host(), strings.TrimPrefix(other.URL, "http://")})
	s.must(err)
	s.run("", "instances", "set", p.instance, "allowHosts", string(allowed))
	runner := s.up(nil, "--log-level", "debug")

	const paused = 20
	res := s.call("", "browse", "Story", "--url", s.page.URL+"/", "--objective", "Sign up as Ada Example.", "--wait", "--json")
	for _, secret := range []string{canaryPassword, canaryMember} {
		if res = s.call(secret, "answer", string(lastInteraction(t, res.Out).ID), "--secret-stdin", "--wait", "--json"); res.Code != paused {
			t.Fatalf("exit %d\n%s", res.Code, s.cli)
		}
	}
	approval := lastInteraction(t, res.Out)
	if approval.Reason != pags.WaitApproval {
		t.Fatalf("asked for %s: %s", approval.Reason, approval.Title)
	}
	if res = s.call("", "answer", string(approval.ID), "--accept", "--wait", "--json"); res.Code != 0 {
		t.Fatalf("exit %d: %s%s", res.Code, res.Out, res.Err)
	}
	p.run = s.runs()[0]

	if site.got["password"] != canaryPassword || site.got["member"] != canaryMember {
		t.Errorf("the site got %v", site.got)
	}
	if len(site.typed) != 0 {
		t.Errorf("the other origin was told %d texts", len(site.typed))
	}
	covered(t, p)

	told := map[string][]byte{"what host and runner said": []byte(s.log.String()), "what the CLI printed": []byte(s.cli.String())}
	for i, body := range s.model.Bodies() {
		told[fmt.Sprintf("prompt %d", i+1)] = body
	}
	for _, path := range []string{"/v1/runs/" + string(p.run.ID), "/v1/runs/" + string(p.run.ID) + "/events", "/v1/runs/" + string(p.run.ID) + "/export",
		"/v1/interactions?status=answered", "/v1/keys", "/v1/instances/" + p.instance} {
		var raw json.RawMessage
		s.get(path, &raw)
		told[path] = raw
	}
	s.run("", "runs", "show", string(p.run.ID))
	s.run("", "keys", "list")
	time.Sleep(sessionSaved)
	for name, data := range files(t, s.Home) { // as a kill now would leave it
		told[name+" at work"] = data
	}
	runner.Stop()
	host.Stop()
	for name, data := range files(t, s.Home) {
		told[name] = data
	}
	for _, canary := range []string{canaryPassword, canaryMember, canaryModelKey} {
		for where, data := range told {
			if form := contains(data, canary); form != "" {
				t.Errorf("%s… is in %s (%s)", canary[:9], where, form)
			}
		}
	}
	t.Logf("looked through %d places", len(told))
	if len(told) < 30 {
		t.Error("those are too few to be all")
	}
}

// lastInteraction is the question that a followed run paused with.
func lastInteraction(t *testing.T, out string) pags.Interaction {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var l struct{ Interaction *pags.Interaction }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &l); err != nil || l.Interaction == nil {
		t.Fatalf("no question at the end of:\n%s", out)
	}
	return *l.Interaction
}

// covered looks at the last picture on which the form is filled in: both secrets are under an even patch, the name is not.
func covered(t *testing.T, p *person) {
	t.Helper()
	key := ""
	for _, e := range p.timeline() {
		if e.Kind == "acted" && strings.Contains(e.Text, `into "Member"`) && e.Picture != "" {
			key = e.Picture
		}
		if strings.Contains(e.Text, "close the page") && e.Picture != "" {
			t.Errorf("there is a picture of the page that says the secrets aloud")
		}
	}
	if key == "" {
		t.Fatal("there is no picture of the filled form")
	}
	step := strings.Split(key, "/")[2]
	var at struct{ URL string }
	p.get("/v1/runs/"+string(p.run.ID)+"/pictures/"+step+".jpg", &at)
	res, err := http.Get(at.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	picture, err := jpeg.Decode(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for name, box := range fieldBoxes {
		if even := even(picture, box.Inset(6)); even != (name != "Name") {
			t.Errorf("the field %s is covered: %v", name, even)
		}
	}
}

// even reports whether a part of a picture has one brightness, as far as JPEG keeps that.
func even(p image.Image, box image.Rectangle) bool {
	low, high := uint32(1<<16), uint32(0)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			r, g, b, _ := p.At(x, y).RGBA()
			level := (r + g + b) / 3
			low, high = min(low, level), max(high, level)
		}
	}
	return high-low < 1<<12
}

// files reads everything below a folder.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // Chromium replaces files as it likes
			return nil
		case err != nil || !d.Type().IsRegular():
			return err
		}
		raw, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		all[path[len(dir)+1:]] = raw
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// contains names the form in which a text is in the data, or "".
func contains(data []byte, text string) string {
	for form, looks := range forms(text) {
		if bytes.Contains(data, looks) {
			return form
		}
	}
	return ""
}

// forms are the ways in which a text of letters and digits may be written down.
func forms(text string) map[string][]byte {
	var wide []byte
	for _, u := range utf16.Encode([]rune(text)) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	backwards := []byte(text)
	for i, j := 0, len(backwards)-1; i < j; i, j = i+1, j-1 {
		backwards[i], backwards[j] = backwards[j], backwards[i]
	}
	out := map[string][]byte{"plain": []byte(text), "UTF-16": wide, "backwards": backwards, "hex": []byte(hex.EncodeToString([]byte(text)))}
	for shift := range 3 { // base64 of it inside something longer: what does not depend on the neighbours
		whole := base64.StdEncoding.EncodeToString(append(make([]byte, shift), text...))
		out[fmt.Sprintf("base64 at %d", shift)] = []byte(whole[4 : (len(text)+shift)/3*4])
	}
	return out
}

func TestCanary_TheSearchFindsWhatIsThere(t *testing.T) {
	for _, hidden := range [][]byte{
		[]byte(`{"a":"` + canaryPassword + `"}`), forms(canaryPassword)["UTF-16"], []byte("x" + hex.EncodeToString([]byte(canaryPassword))),
		[]byte(base64.StdEncoding.EncodeToString([]byte("key=" + canaryPassword + "&"))), []byte(base64.StdEncoding.EncodeToString([]byte(canaryPassword))),
		[]byte(base64.RawURLEncoding.EncodeToString([]byte("....." + canaryPassword + "tail"))),
	} {
		if contains(hidden, canaryPassword) == "" {
			t.Errorf("not found in %q", hidden)
		}
	}
	if contains([]byte(strings.ToUpper(canaryPassword)+canaryMember), canaryPassword) != "" {
		t.Error("found where it is not")
	}
}
