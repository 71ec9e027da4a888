package stories

import (
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/proagentstore/pags/pkg/model/modeltest"
)

// desk is the smallest site with everything that a run can be interrupted in: a field, a password, a button that commits,
// and a page that tells whether something was received.
type desk struct {
	mu       sync.Mutex
	received []string // names, one for each time the button was pressed
	password string
}

func newDesk(password string) *desk { return &desk{password: password} }

// count is how often something was received.
func (d *desk) count() int { d.mu.Lock(); defer d.mu.Unlock(); return len(d.received) }

var deskPage = template.Must(template.New("").Parse(`<!doctype html><html lang="en"><title>{{.Title}}</title><h1>{{.Title}}</h1>
{{if .Form}}<form action="/send" method="post"><p><label>Name <input name="name" autocomplete="off"></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
<p><button>Send request</button></p></form>{{end}}<p>Received: {{.Count}}</p></html>`))

type deskView struct {
	Title string
	Form  bool
	Count int
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.Method + " " + r.URL.Path {
	case "GET /":
		_ = deskPage.Execute(w, deskView{Title: "Request desk", Form: true, Count: d.count()})
	case "POST /send":
		if r.PostFormValue("name") != "Ada Example" || r.PostFormValue("password") != d.password {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_ = deskPage.Execute(w, deskView{Title: "Name or password is wrong", Form: true, Count: d.count()})
			return
		}
		d.mu.Lock()
		d.received = append(d.received, r.PostFormValue("name"))
		d.mu.Unlock()
		http.Redirect(w, r, "/done", http.StatusSeeOther)
	case "GET /done":
		_ = deskPage.Execute(w, deskView{Title: "Thank you", Count: d.count()})
	default:
		http.NotFound(w, r)
	}
}

var (
	secretHandle = regexp.MustCompile(`\{\{secret:[^}]+\}\}`)
	refOf        = regexp.MustCompile(`\[ref=(\w+)\]`)
)

// sees is one prompt as the script reads it.
type sees struct{ log, page string }

// line is the snapshot's line of an element, with the one after it.
func (s sees) line(role, name string) string {
	re := regexp.MustCompile(`(?m)^\s*- ` + role + ` "` + regexp.QuoteMeta(name) + `[^\n]*(\n\s+- [^\n]*)?`)
	return re.FindString(s.page)
}

func (s sees) ref(role, name string) string {
	if m := refOf.FindStringSubmatch(s.line(role, name)); m != nil {
		return m[1]
	}
	return ""
}

// deskScript fills the desk's form, asks for the password, sends, and ends when the page says so. It knows nothing but the
// prompt, so an interrupted run goes on from what the page shows: what was received is never sent again.
func deskScript(start func() string) modeltest.Script {
	return func(t modeltest.Turn) modeltest.Answer {
		if len(t.Tools) == 0 {
			return modeltest.Say("ready")
		}
		var s sees
		s.log, s.page, _ = strings.Cut(t.Text(), "\nThe page now:\n")
		secret := secretHandle.FindString(s.log)
		switch {
		case strings.Contains(s.page, "Received: 1"):
			return modeltest.Call("finish", map[string]any{"outcome": "done", "summary": "The desk received the request."})
		case s.ref("button", "Send request") == "":
			return modeltest.Call("navigate", map[string]any{"url": start()})
		case !strings.Contains(s.line("textbox", "Name"), "Ada Example"):
			return modeltest.Call("type", map[string]any{"ref": s.ref("textbox", "Name"), "element": "Name", "text": "Ada Example"})
		case secret == "":
			return modeltest.Call("request_user_info", map[string]any{"question": "What is your password for the desk?", "secret": true, "field": "Password"})
		case !strings.Contains(s.line("textbox", "Password"), "•"):
			return modeltest.Call("type", map[string]any{"ref": s.ref("textbox", "Password"), "element": "Password", "text": secret})
		}
		return modeltest.Call("click", map[string]any{"ref": s.ref("button", "Send request"), "element": "Send request"})
	}
}

// summary of a prompt for a failed test.
func (s sees) String() string { return fmt.Sprintf("log:\n%s\npage:\n%s", s.log, s.page) }
