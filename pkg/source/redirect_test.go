package source_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/source"
)

func TestSend_NoRedirectCarriesACredentialToAnotherHost(t *testing.T) {
	elsewhere := newUpstream(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("elsewhere")) })
	s, up := newStage(t, local), newUpstream(t, hangUp)
	s.add(t, m{"document": describe(up.URL, nil, op("GET /read read")), "slug": "shop"})
	s.connect(t, source.NewConnection{Source: "shop", Name: "mine", Method: "query:api_key", Values: map[string]string{"key": token}})
	to := ""
	up.answers(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/here" {
			_, _ = w.Write([]byte("here"))
			return
		}
		http.Redirect(w, r, strings.ReplaceAll(to, "KEY", r.URL.Query().Get("api_key")), http.StatusFound)
	})
	for _, c := range []struct{ to, says string }{
		{"/here?api_key=KEY", "here"},
		{elsewhere.URL + "/x?page=2", "elsewhere"},
		{elsewhere.URL + "/x?api_key=KEY", "not followed"},
		{elsewhere.URL + "/KEY/x", "not followed"},
	} {
		to = c.to
		before := len(elsewhere.seen())
		r := s.send(t, "shop.mine.shop.read", nil, "")
		raw, _ := json.Marshal(r)
		clean(t, c.to, string(raw), token)
		if !strings.Contains(string(raw), c.says) || r.OK == (c.says == "not followed") || len(elsewhere.seen())-before != strings.Count(c.says, "elsewhere") {
			t.Errorf("%s: %s, %d requests elsewhere", c.to, raw, len(elsewhere.seen())-before)
		}
	}
}
