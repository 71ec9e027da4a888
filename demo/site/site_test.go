package site

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

type visitor struct {
	t      *testing.T
	base   string
	client *http.Client
}

func visit(t *testing.T, s *Site) *visitor {
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	jar, _ := cookiejar.New(nil)
	return &visitor{t, srv.URL, &http.Client{Jar: jar}}
}

func (v *visitor) done(resp *http.Response, err error) string {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	return string(body)
}

func (v *visitor) get(path string) string { v.t.Helper(); return v.done(v.client.Get(v.base + path)) }

func (v *visitor) post(path string, pairs ...string) string {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return v.done(v.client.PostForm(v.base+path, form))
}

func (v *visitor) want(body, text string) {
	v.t.Helper()
	if !strings.Contains(body, text) {
		v.t.Fatalf("the page does not say %q:\n%s", text, body)
	}
}

func TestSite_TheWholeWayCountsOneSubmissionForItsKey(t *testing.T) {
	s := New()
	v := visit(t, s)
	v.want(v.get("/?key=k1"), "Apply for a workshop pass")
	v.want(v.post("/login", "username", "ada", "password", "wrong"), "password is wrong")
	v.want(v.post("/login", "username", "ada", "password", Password), "About you")
	v.want(v.post("/apply/1", "name", "Ada Example", "visit", "2026-03-09", "city", "Springfield", "phone", "1"), "Pick a city")
	v.want(v.post("/apply/1", "name", "Ada Example", "visit", "2026-03-09", "city", "Springfield, Missouri", "phone", "555 0100"), "Your visit")
	v.want(v.post("/apply/2", "laser", "no", "membership", "12"), "six digits")

	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("laser", "no")
	_ = form.WriteField("membership", Membership)
	file, _ := form.CreateFormFile("proof", "bill.pdf")
	_, _ = file.Write([]byte("12345"))
	_ = form.Close()
	v.want(v.done(v.client.Post(v.base+"/apply/2", form.FormDataContentType(), &body)), "bill.pdf (5 bytes)")

	v.want(v.post("/apply/3"), "Accept the workshop rules")
	if n := len(s.Submissions()); n != 0 {
		t.Fatalf("%d submissions before the last button", n)
	}
	v.want(v.post("/apply/3", "rules", "accepted"), "k1")
	v.want(v.post("/apply/3", "rules", "accepted"), "k1")
	var stats Stats
	if err := json.Unmarshal([]byte(v.get("/__stats")), &stats); err != nil {
		t.Fatal(err)
	}
	one := stats.Submissions["k1"]
	if len(stats.Submissions) != 1 || one.Count != 2 || one.Fields["membership"] != Membership || one.Fields["city"] != "Springfield, Missouri" {
		t.Fatalf("got %+v", stats.Submissions)
	}
	if stats.Visits["POST /apply/3"] != 3 || s.Visits("POST /apply/3") != 3 {
		t.Fatalf("visits %v", stats.Visits)
	}
	if strings.Contains(v.get("/__stats"), Password) {
		t.Fatal("the password is in the statistics")
	}
}

func TestSite_FormNeedsASignedInVisitor(t *testing.T) {
	v := visit(t, New())
	v.want(v.get("/apply/2"), "Sign in")
	v.want(v.post("/apply/3", "rules", "accepted"), "Sign in")
}

func TestSite_CitiesAreSuggestedByTheirBeginning(t *testing.T) {
	v := visit(t, New())
	v.want(v.get("/cities?q=springf"), "Missouri")
	if body := v.get("/cities?q=field"); strings.TrimSpace(body) != "[]" {
		t.Fatalf("got %s", body)
	}
}

func TestSite_EveryNastyPageAnswers(t *testing.T) {
	v := visit(t, New())
	for path := range nastyPages {
		v.want(v.get(path), "<h1>")
	}
	v.want(v.get("/to?u=/p2"), "behind Apply")
	v.want(v.get("/slow?ms=1"), "at last")
}
