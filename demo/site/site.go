// Package site is a small web site to try browser agents on: an application for a workshop pass, over several pages, with
// the things that make real forms hard. It keeps what it received in memory and counts it, so that a test can tell how often
// something really happened.
//
// The way through it, with the labels as they read:
//
//	/            link "Apply for a workshop pass"; ?key=K names the application, so that a test finds its submissions
//	/login       "Username", "Password" (site.Password; any username), button "Sign in" (POST)
//	/apply/1     "Full name", "First visit" (date), "City" (a combobox: a suggestion must be chosen), and in a frame titled
//	             "Contact" the field "Phone"; button "Continue" (POST)
//	/apply/2     radio buttons with hidden inputs "Have you used a laser cutter before?" Yes / No, "Membership number" (M- and
//	             six digits: only the person knows it), "Proof of address" (a file), button "Continue" (POST)
//	/apply/3     everything once more, checkbox "I accept the workshop rules (read them)" with a link inside, button
//	             "Submit application" (POST): this is the commit
//	/done        "Application received", with a reference
//
// A missing or wrong value brings the same page again with a message. nasty.go lists pages that misbehave on purpose.
package site

import (
	"crypto/rand"
	"embed"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// What signs in, and a membership number that is accepted.
const (
	Password   = "lantern-quiet-42"
	Membership = "M-204817"
)

//go:embed pages/*.html pages/*.css
var files embed.FS

var pages = template.Must(template.ParseFS(files, "pages/*.html"))

// Site is the whole site. It is an http.Handler.
type Site struct {
	mux *http.ServeMux

	mu       sync.Mutex
	visits   map[string]int
	sessions map[string]*application // by cookie
	received map[string]*Submission
}

// application is a form being filled in.
type application struct {
	key      string
	signedIn bool
	fields   map[string]string
}

// Submission is what arrived for one key. Count says how often the final button was pressed for it.
type Submission struct {
	Key    string            `json:"key"`
	Count  int               `json:"count"`
	Fields map[string]string `json:"fields"` // of the first time
}

// New makes an empty site.
func New() *Site {
	s := &Site{mux: http.NewServeMux(), visits: map[string]int{}, sessions: map[string]*application{}, received: map[string]*Submission{}}
	s.mux.HandleFunc("GET /{$}", s.home)
	s.mux.HandleFunc("GET /login", s.showLogin)
	s.mux.HandleFunc("POST /login", s.login)
	s.mux.HandleFunc("GET /apply/{page}", s.show)
	s.mux.HandleFunc("POST /apply/{page}", s.take)
	s.mux.HandleFunc("GET /contact", s.contact)
	s.mux.HandleFunc("GET /cities", cities)
	s.mux.HandleFunc("GET /rules", s.rules)
	s.mux.HandleFunc("GET /done", s.done)
	s.mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, "pages/style.css") })
	s.mux.HandleFunc("GET /__stats", s.stats)
	s.nasty()
	return s
}

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.visits[r.Method+" "+r.URL.Path]++
	s.mu.Unlock()
	s.mux.ServeHTTP(w, r)
}

// Submissions are all that arrived, by key.
func (s *Site) Submissions() map[string]Submission {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]Submission{}
	for key, one := range s.received {
		all[key] = Submission{one.Key, one.Count, maps.Clone(one.Fields)}
	}
	return all
}

// Visits counts the requests for a method and path, such as "POST /apply/3".
func (s *Site) Visits(what string) int { s.mu.Lock(); defer s.mu.Unlock(); return s.visits[what] }

// Stats is the body of GET /__stats.
type Stats struct {
	Submissions map[string]Submission `json:"submissions"`
	Visits      map[string]int        `json:"visits"`
}

func (s *Site) stats(w http.ResponseWriter, _ *http.Request) {
	out := Stats{Submissions: s.Submissions()}
	s.mu.Lock()
	out.Visits = maps.Clone(s.visits)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

const cookie = "workshop"

// of answers the visitor's application, and makes one.
func (s *Site) of(w http.ResponseWriter, r *http.Request) *application {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, err := r.Cookie(cookie); err == nil && s.sessions[c.Value] != nil {
		return s.sessions[c.Value]
	}
	id := rand.Text()
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	s.sessions[id] = &application{key: "application-" + strings.ToLower(id[:8]), fields: map[string]string{}}
	return s.sessions[id]
}

// view is what every page is drawn from.
type view struct {
	Title, Problem, Reference string
	Fields                    map[string]string
	Names                     []string
	Step                      int
}

func render(w http.ResponseWriter, status int, name string, v view) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = pages.ExecuteTemplate(w, name, v)
}

// cityNames are what the combobox suggests.
var cityNames = []string{"Springfield, Illinois", "Springfield, Missouri", "Springdale, Utah", "Portland, Maine", "Portland, Oregon", "Riverside, California"}

func cities(w http.ResponseWriter, r *http.Request) {
	found := []string{}
	for _, name := range cityNames {
		if q := strings.ToLower(r.FormValue("q")); q != "" && strings.HasPrefix(strings.ToLower(name), q) {
			found = append(found, name)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(found)
}

func knownCity(name string) bool { return slices.Contains(cityNames, name) }
