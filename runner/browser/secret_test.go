package browser

import (
	"bytes"
	"encoding/json"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/proagentstore/pags/demo/site"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/relay"
)

const handle = pags.SecretID("sec_1")

func (u *user) secret(text, origin string) {
	u.call.Secrets = map[pags.SecretID]relay.Secret{handle: {Text: text, Origin: origin}}
}

// leaks looks for a text in everything that left.
func (u *user) leaks(text string) {
	u.t.Helper()
	raw, err := json.Marshal(u.last)
	if err != nil {
		u.t.Fatal(err)
	}
	if strings.Contains(string(raw), text) {
		u.t.Fatalf("%q left: %s", text, raw)
	}
	for key, body := range u.up.bodies {
		if bytes.Contains(body, []byte(text)) {
			u.t.Fatalf("%q left in %s", text, key)
		}
	}
}

func TestType_SecretNeverLeaves(t *testing.T) {
	u := start(t, "/login")
	u.secret(site.Password, pagesAt.URL)
	res := u.want(relay.StatusOK, "hidden", relay.Command{Action: relay.ActType, Ref: u.ref(`textbox "Password"`), Secret: handle})
	u.leaks(site.Password)
	u.shows(hidden)
	if res.Seen.Picture == "" {
		t.Fatal("there is no picture")
	}
	u.typeIn(`textbox "Username"`, "ada")
	u.click(`button "Sign in"`)
	u.title("About you")
}

func TestType_SecretGoesToItsOriginOnly(t *testing.T) {
	u := start(t, "/login")
	u.secret("wrong place", "https://bank.example")
	u.want(relay.StatusRefused, "bank.example", relay.Command{Action: relay.ActType, Ref: u.ref(`textbox "Password"`), Secret: handle})
	u.call.Secrets = nil
	u.want(relay.StatusFailed, "not handed over", relay.Command{Action: relay.ActType, Ref: u.ref(`textbox "Password"`), Secret: handle})
}

func TestType_SecretThatThePageShowsInTheOpenIsScrubbed(t *testing.T) {
	u := start(t, "/echo")
	u.secret("gate code/77", pagesAt.URL)
	before := len(u.up.bodies)
	res := u.want(relay.StatusOK, "no picture", relay.Command{Action: relay.ActType, Ref: u.ref(`textbox "Code"`), Secret: handle})
	for _, form := range []string{"gate code/77", "gate%20code", "gate+code"} {
		u.leaks(form)
	}
	if len(u.up.bodies) != before || res.Seen.Picture != "" {
		t.Fatal("a picture was sent")
	}
	u.shows("You typed " + hidden)
	u.ok(relay.Command{Action: relay.ActSnapshot}) // later commands of the run carry no secret, and still scrub
	u.call.Secrets = nil
	u.ok(relay.Command{Action: relay.ActSnapshot})
	u.leaks("gate code/77")
}

func TestSee_PasswordsAreMaskedHoweverTheyGotThere(t *testing.T) {
	u := start(t, "/login")
	page := shared.leases[u.call.InstanceID].current().page
	if _, err := page.Evaluate(`() => { document.querySelector("[type=password]").value = "7b" }`); err != nil {
		t.Fatal(err)
	}
	u.ok(relay.Command{Action: relay.ActSnapshot})
	u.shows(`: ` + hidden)
	covered := u.picture()
	if _, err := page.Evaluate(`() => { const p = document.querySelector("[type=password]"); p.type = "text"; p.value = "7b" }`); err != nil {
		t.Fatal(err)
	}
	u.ok(relay.Command{Action: relay.ActSnapshot}) // "show password"
	u.shows(`: ` + hidden)
	for i, img := range []image.Image{covered, u.picture()} {
		box, err := page.Locator("[name=password]").BoundingBox()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{box.X + 12, box.X + 20, box.X + box.Width/2} {
			if r, g, b, _ := img.At(int(x), int(box.Y+box.Height/2)).RGBA(); r>>8 > 0x60 || g>>8 > 0x60 || b>>8 > 0x60 {
				t.Fatalf("picture %d: the password field is not covered", i)
			}
		}
	}
}

func (u *user) picture() image.Image {
	u.t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(u.up.bodies[u.last.Seen.Picture]))
	if err != nil {
		u.t.Fatal(err)
	}
	return img
}

func TestScrub_Forms(t *testing.T) {
	l := &lease{secrets: map[string]bool{`a"b c`: true, "ab": true, "hunter": true, "hunter2": true}}
	for text, want := range map[string]string{
		"x hunter2 y":                   "x " + hidden + " y",
		"hunter":                        hidden,
		`{"v":"a\"b c"}`:                `{"v":"` + hidden + `"}`,
		"http://h/?q=a%22b+c#a%22b%20c": "http://h/?q=" + hidden + "#" + hidden,
		"cab":                           "cab", // too short to look for
	} {
		if got := l.scrub(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
