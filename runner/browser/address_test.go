package browser

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/proagentstore/pags/pkg/relay"
)

// private is a server of this machine that no run was allowed to visit; it counts who came.
func private(t *testing.T) (*httptest.Server, *atomic.Int32) {
	var hits atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = w.Write([]byte("<title>router</title>router settings"))
	}))
	t.Cleanup(s.Close)
	return s, &hits
}

func TestNavigate_AddressRules(t *testing.T) {
	u := start(t, "/p2")
	other, hits := private(t)
	port := other.URL[strings.LastIndexByte(other.URL, ':'):]
	for _, c := range []struct{ name, url, why string }{
		{"loopback", other.URL, "private"},
		{"loopback by name", "http://localhost" + port, "private"},
		{"loopback, decimal", "http://2130706433" + port, "not opened"},
		{"the platform itself", console.URL, "own address"},
		{"the platform by another name", strings.Replace(console.URL, "127.0.0.1", "localhost", 1), "own address"},
		{"a file", "file:///etc/passwd", "http"},
		{"the browser's settings", "chrome://settings", "http"},
		{"source view", "view-source:http://example.com", "http"},
		{"script", "javascript:document.title='x'", "http"},
		{"data", "data:text/html,<title>x</title>", "http"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := u.do(relay.Command{Action: relay.ActNavigate, URL: c.url})
			if res.Status == relay.StatusOK || res.Status == relay.StatusRefused && !strings.Contains(res.Feedback, c.why) {
				t.Fatalf("got %s %q", res.Status, res.Feedback)
			}
			if strings.Contains(u.outline(), "router") || strings.Contains(u.outline(), "inbox") {
				t.Fatal("the page was shown")
			}
		})
	}
	if hits.Load() != 0 {
		t.Fatalf("%d requests reached the private server", hits.Load())
	}
}

func TestAddressRules_HoldForRedirectsLinksAndFrames(t *testing.T) {
	other, hits := private(t)
	for _, target := range []struct{ name, url string }{{"a private server", other.URL}, {"the console", console.URL}} {
		t.Run(target.name, func(t *testing.T) {
			u := start(t, "/p2")
			to := "/to?u=" + url.QueryEscape(target.url)
			u.want(relay.StatusRefused, "not opened", relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + to})
			u.want(relay.StatusRefused, "not opened", relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/to?u=" + url.QueryEscape(pagesAt.URL+to)})
			u.ok(relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/frame?u=" + url.QueryEscape(pagesAt.URL+to)})
			if strings.Contains(u.outline(), "router") || strings.Contains(u.outline(), "owner's inbox") {
				t.Fatalf("a frame shows it:\n%s", u.outline())
			}
			u.ok(relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/p2"})
			page := shared.leases[u.call.InstanceID].current().page
			got, err := page.Evaluate(`async to => {
				const a = document.createElement("a"); a.href = to; a.textContent = "Go there"; document.body.append(a);
				const said = [];
				try { said.push(await (await fetch(to)).text()); } catch (e) { said.push("fetch refused"); }
				said.push(await new Promise(done => { const w = new WebSocket(to.replace("http", "ws")); w.onopen = () => done("open"); w.onerror = () => done("socket refused"); }));
				return said.join();
			}`, target.url)
			text, _ := got.(string)
			if err != nil || strings.Contains(text, "router") || strings.Contains(text, "inbox") || !strings.Contains(text, "socket refused") {
				t.Fatalf("script got %q, %v", text, err)
			}
			u.ok(relay.Command{Action: relay.ActSnapshot})
			u.want(relay.StatusRefused, "not opened", relay.Command{Action: relay.ActClick, Ref: u.ref(`link "Go there"`)})
		})
	}
	if hits.Load() != 0 {
		t.Fatalf("%d requests reached the private server", hits.Load())
	}
}

func TestAddressRules_WhatOneAgentMayAnotherMayNot(t *testing.T) {
	other, _ := private(t)
	mine := start(t, "/p2")
	theirs := start(t, "")
	theirs.call.InstanceID += "_theirs"
	theirs.call.Command.AllowHosts = []string{strings.TrimPrefix(other.URL, "http://")}
	theirs.ok(relay.Command{Action: relay.ActNavigate, URL: other.URL})
	theirs.title("router")
	mine.want(relay.StatusRefused, "another agent", relay.Command{Action: relay.ActNavigate, URL: other.URL})
	res := mine.do(relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/to?u=" + url.QueryEscape(other.URL)})
	if res.Status != relay.StatusRefused || strings.Contains(mine.outline(), "router") {
		t.Fatalf("a redirect led there: %s %q\n%s", res.Status, res.Feedback, mine.outline())
	}
}

func TestNavigate_UnreachableNeverAndErrors(t *testing.T) {
	u := start(t, "/p2")
	gone := httptest.NewServer(http.NotFoundHandler())
	host := strings.TrimPrefix(gone.URL, "http://")
	gone.Close()
	u.want(relay.StatusFailed, "could not be opened", relay.Command{Action: relay.ActNavigate, URL: "http://" + host, AllowHosts: []string{host}})
	u.want(relay.StatusFailed, "did not answer", relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/never"})
	u.want(relay.StatusOK, "status 404", relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/nothing"})
	u.want(relay.StatusOK, "", relay.Command{Action: relay.ActNavigate, URL: pagesAt.URL + "/moved"})
	u.want(relay.StatusFailed, "cannot be found", relay.Command{Action: relay.ActNavigate, URL: "http://no-such-host.invalid/"})
}
