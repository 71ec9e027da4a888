package site

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"time"
)

func (s *Site) home(w http.ResponseWriter, r *http.Request) {
	a := s.of(w, r)
	if key := r.FormValue("key"); key != "" {
		s.mu.Lock()
		a.key, a.fields = key, map[string]string{}
		s.mu.Unlock()
	}
	render(w, http.StatusOK, "home.html", view{Title: "Riverside Workshop"})
}

func (s *Site) showLogin(w http.ResponseWriter, r *http.Request) {
	s.of(w, r)
	render(w, http.StatusOK, "login.html", view{Title: "Sign in"})
}

func (s *Site) login(w http.ResponseWriter, r *http.Request) {
	a := s.of(w, r)
	if r.PostFormValue("username") == "" || r.PostFormValue("password") != Password {
		render(w, http.StatusUnprocessableEntity, "login.html", view{Title: "Sign in", Problem: "Username or password is wrong."})
		return
	}
	s.mu.Lock()
	a.signedIn = true
	a.fields["username"] = r.PostFormValue("username")
	s.mu.Unlock()
	http.Redirect(w, r, "/apply/1", http.StatusSeeOther)
}

var titles = map[string]string{"1": "About you", "2": "Your visit", "3": "Check and submit"}

func (s *Site) show(w http.ResponseWriter, r *http.Request) {
	a, page := s.of(w, r), r.PathValue("page")
	s.mu.Lock()
	fields, signedIn := maps.Clone(a.fields), a.signedIn
	s.mu.Unlock()
	switch {
	case titles[page] == "":
		http.NotFound(w, r)
	case !signedIn:
		http.Redirect(w, r, "/login", http.StatusSeeOther)
	default:
		render(w, http.StatusOK, "apply"+page+".html", view{Title: titles[page], Fields: fields, Step: int(page[0] - '0')})
	}
}

var number = regexp.MustCompile(`^M-\d{6}$`)

const maxBody = 10 << 20

// take receives one page of the form. What is wrong brings the page again.
func (s *Site) take(w http.ResponseWriter, r *http.Request) {
	a, page := s.of(w, r), r.PathValue("page")
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	file := ""
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		if err := r.ParseMultipartForm(maxBody); err != nil {
			http.Error(w, "the form is too large", http.StatusRequestEntityTooLarge)
			return
		}
		if f, head, err := r.FormFile("proof"); err == nil {
			n, _ := io.Copy(io.Discard, f)
			_ = f.Close()
			file = fmt.Sprintf("%s (%d bytes)", head.Filename, n)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if titles[page] == "" || !a.signedIn {
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	problem, next := "", ""
	put := func(names ...string) {
		for _, name := range names {
			a.fields[name] = strings.TrimSpace(r.PostFormValue(name))
		}
	}
	switch page {
	case "1":
		put("name", "visit", "city", "phone")
		next = "/apply/2"
		_, bad := time.Parse("2006-01-02", a.fields["visit"])
		switch {
		case a.fields["name"] == "":
			problem = "Full name is missing."
		case bad != nil:
			problem = "First visit is not a date."
		case !knownCity(a.fields["city"]):
			problem = "Pick a city from the list."
		case a.fields["phone"] == "":
			problem = "Phone is missing in the contact frame."
		}
	case "2":
		put("laser", "membership")
		if file != "" {
			a.fields["proof"] = file
		}
		next = "/apply/3"
		switch {
		case a.fields["laser"] == "":
			problem = "Say whether you have used a laser cutter."
		case !number.MatchString(a.fields["membership"]):
			problem = "The membership number is M- and six digits; it is on your card."
		case a.fields["proof"] == "":
			problem = "Proof of address is missing."
		}
	case "3":
		put("rules")
		next = "/done"
		switch {
		case a.fields["rules"] == "":
			problem = "Accept the workshop rules first."
		case a.fields["membership"] == "" || a.fields["name"] == "":
			problem = "The pages before are not complete."
		}
		if problem == "" {
			one := s.received[a.key]
			if one == nil {
				one = &Submission{Key: a.key, Fields: maps.Clone(a.fields)}
				s.received[a.key] = one
			}
			one.Count++
		}
	}
	if problem != "" {
		render(w, http.StatusUnprocessableEntity, "apply"+page+".html", view{Title: titles[page], Problem: problem, Fields: a.fields, Step: int(page[0] - '0')})
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (s *Site) contact(w http.ResponseWriter, r *http.Request) {
	a := s.of(w, r)
	s.mu.Lock()
	fields := maps.Clone(a.fields)
	s.mu.Unlock()
	render(w, http.StatusOK, "contact.html", view{Title: "Contact", Fields: fields})
}

func (s *Site) rules(w http.ResponseWriter, _ *http.Request) {
	render(w, http.StatusOK, "rules.html", view{Title: "Workshop rules"})
}

func (s *Site) done(w http.ResponseWriter, r *http.Request) {
	a := s.of(w, r)
	s.mu.Lock()
	key := a.key
	s.mu.Unlock()
	render(w, http.StatusOK, "done.html", view{Title: "Application received", Reference: key})
}
