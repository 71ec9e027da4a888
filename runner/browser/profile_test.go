package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProfile_ChromiumIsToldToForgetForms(t *testing.T) {
	for name, before := range map[string]string{
		"a new profile":                "",
		"one with other preferences":   `{"autofill":{"profile_enabled":true,"last_version_deduped":156},"browser":{"time":"13440451176203490","n":13440451176203491}}`,
		"one whose autofill is no map": `{"autofill":7}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "Default", "Preferences")
			if before != "" {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := forgetForms(dir); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Autofill map[string]any
				Browser  json.RawMessage
			}
			if err := json.Unmarshal(raw, &got); err != nil || got.Autofill["profile_enabled"] != false || got.Autofill["credit_card_enabled"] != false {
				t.Fatalf("%s, %v", raw, err)
			}
			if strings.Contains(before, "browser") && (got.Autofill["last_version_deduped"] != 156.0 || !strings.Contains(string(got.Browser), "13440451176203491")) {
				t.Errorf("what was there is gone: %s", raw)
			}
		})
	}
	t.Run("a damaged file is left to Chromium", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "Default", "Preferences")
		_ = os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := forgetForms(dir); err != nil {
			t.Fatal(err)
		}
		if raw, _ := os.ReadFile(path); string(raw) != "{" {
			t.Errorf("it became %s", raw)
		}
	})
}

func TestProfile_PagesAreNotWrittenDown(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "Default", "Sessions")
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "Session_1"), []byte("password=x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := forgetPages(dir); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() != 0 {
			t.Fatalf("the pages of before are still there: %v, %v", info, err)
		}
	}
}
