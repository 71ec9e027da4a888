package browser

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
)

// unkept are Chromium's settings under which the profile keeps cookies but nothing that was typed: no passwords, no form
// history, no addresses or cards. Where they are on, Chromium writes every text field of a sent form into the profile.
var unkept = map[string]map[string]any{
	"":         {"credentials_enable_service": false, "credentials_enable_autosignin": false},
	"profile":  {"password_manager_enabled": false, "password_manager_leak_detection": false},
	"autofill": {"enabled": false, "profile_enabled": false, "credit_card_enabled": false},
}

// forgetForms makes the profile's folder and sets its settings before Chromium reads them. Other settings stay; a damaged
// file is left to Chromium, which replaces it, and the next start sets them.
func forgetForms(profile string) error {
	path := filepath.Join(profile, "Default", "Preferences")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the profile: %w", err)
	}
	settings := map[string]any{}
	raw, err := os.ReadFile(path)
	switch {
	case err == nil:
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber() // times in microseconds do not fit a float
		if d.Decode(&settings) != nil {
			return nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read the profile's settings: %w", err)
	}
	for group, values := range unkept {
		into := settings
		if group != "" {
			inner, ok := settings[group].(map[string]any)
			if !ok {
				inner = map[string]any{}
				settings[group] = inner
			}
			into = inner
		}
		maps.Copy(into, values)
	}
	if raw, err = json.Marshal(settings); err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the profile's settings: %w", err)
	}
	return nil
}

// forgetPages removes what Chromium keeps of open pages to show them again, which holds addresses, what stood in fields and
// what forms sent, secrets too. A file in the place of that folder keeps it from writing more; there is no setting for it.
func forgetPages(profile string) error {
	path := filepath.Join(profile, "Default", "Sessions")
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return nil
	}
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("forget the pages of before: %w", err)
	}
	if err := os.WriteFile(path, nil, 0o400); err != nil {
		return fmt.Errorf("keep pages from being written down: %w", err)
	}
	return nil
}
