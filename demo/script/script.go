// Package script is a stand-in for a model that knows the sample site: it reads the prompt as a model would (address, log,
// snapshot) and calls one tool. It keeps no state of its own, so a run that was interrupted goes on from what the page shows.
package script

import (
	"regexp"
	"strings"

	"github.com/proagentstore/pags/pkg/model/modeltest"
)

// Objective is the task that the script carries out.
const Objective = "Apply for a workshop pass for Ada Example: first visit on 7 December 2026, from Springfield, phone 555 0100, no laser cutter used before, proof of address is the attached file. Accept the rules and submit the application."

// page is what the script sees of one prompt.
type page struct {
	path     string
	log      string
	snapshot string
	all      string
}

var (
	address = regexp.MustCompile(`(?m)^URL: \w+://[^/\s]+(\S*)$`)
	handle  = regexp.MustCompile(`\{\{secret:[^}]+\}\}`)
	member  = regexp.MustCompile(`M-\d{6}`)
)

func read(prompt string) page {
	p := page{all: prompt}
	if m := address.FindStringSubmatch(prompt); m != nil {
		p.path, _, _ = strings.Cut(m[1], "?")
	}
	if log, rest, ok := strings.Cut(prompt, "\nThe page now:\n"); ok {
		p.log, p.snapshot = log, rest
	}
	return p
}

// ref finds an element of the snapshot by role and name.
func (p page) ref(role, name string) string {
	re := regexp.MustCompile(`(?m)^\s*- ` + role + ` "` + regexp.QuoteMeta(name) + `[^"]*"[^\n]*?\[ref=(\w+)\]`)
	if m := re.FindStringSubmatch(p.snapshot); m != nil {
		return m[1]
	}
	return ""
}

// holds reports whether the element's line in the snapshot contains a text: its value, or a state such as [checked].
func (p page) holds(role, name, text string) bool {
	re := regexp.MustCompile(`(?m)^\s*- ` + role + ` "` + regexp.QuoteMeta(name) + `[^\n]*(\n\s+- [^\n]*)?`)
	return strings.Contains(re.FindString(p.snapshot), text)
}

// Applicant applies for a workshop pass. It asks the owner for the password and for the membership number.
func Applicant(t modeltest.Turn) modeltest.Answer {
	text := t.Text()
	if len(t.Tools) == 0 { // the key test asks for one word
		return modeltest.Say("ready")
	}
	p := read(text)
	switch {
	case strings.HasPrefix(p.path, "/login"):
		return p.login()
	case strings.HasPrefix(p.path, "/apply/1"):
		return p.about()
	case strings.HasPrefix(p.path, "/apply/2"):
		return p.visit()
	case strings.HasPrefix(p.path, "/apply/3"):
		return p.submit()
	case strings.HasPrefix(p.path, "/done"):
		return modeltest.Call("finish", map[string]any{"outcome": "done", "summary": "The page says the application was received."})
	}
	return p.click("link", "Apply for a workshop pass")
}

func (p page) click(role, name string) modeltest.Answer {
	ref := p.ref(role, name)
	if ref == "" {
		return modeltest.Call("look", map[string]any{})
	}
	return modeltest.Call("click", map[string]any{"ref": ref, "element": name})
}

func (p page) fill(role, name, text string) modeltest.Answer {
	ref := p.ref(role, name)
	if ref == "" {
		return modeltest.Call("look", map[string]any{})
	}
	return modeltest.Call("type", map[string]any{"ref": ref, "element": name, "text": text})
}

func (p page) login() modeltest.Answer {
	secret := handle.FindString(p.log)
	switch {
	case !p.holds("textbox", "Username", "ada"):
		return p.fill("textbox", "Username", "ada")
	case secret == "":
		return modeltest.Call("request_user_info", map[string]any{"question": "What is your password for the workshop's site?", "secret": true, "field": "Password"})
	case !strings.Contains(p.log, "type a secret into"):
		return p.fill("textbox", "Password", secret)
	}
	return p.click("button", "Sign in")
}

func (p page) about() modeltest.Answer {
	switch {
	case !p.holds("textbox", "Full name", "Ada Example"):
		return p.fill("textbox", "Full name", "Ada Example")
	case !p.holds("textbox", "First visit", "2026-12-07"):
		return p.fill("textbox", "First visit", "2026-12-07")
	case !p.holds("combobox", "City", "Springfield"):
		if ref := p.ref("option", "Springfield"); ref != "" {
			return p.click("option", "Springfield")
		}
		return p.fill("combobox", "City", "Spring")
	case !p.holds("textbox", "Phone", "555 0100"):
		return p.fill("textbox", "Phone", "555 0100")
	}
	return p.click("button", "Continue")
}

func (p page) visit() modeltest.Answer {
	number := member.FindString(p.log)
	switch {
	case !p.holds("radio", "No", "[checked]"):
		return modeltest.Call("check", map[string]any{"ref": p.ref("radio", "No"), "element": "No", "checked": true})
	case number == "":
		return modeltest.Call("request_user_info", map[string]any{"question": "What is your membership number?", "secret": false, "field": "Membership number"})
	case !p.holds("textbox", "Membership number", number):
		return p.fill("textbox", "Membership number", number)
	case !strings.Contains(p.log, `upload "`):
		return modeltest.Call("upload", map[string]any{"ref": p.ref("button", "Proof of address"), "element": "Proof of address", "file": "proof.txt"})
	}
	return p.click("button", "Continue")
}

func (p page) submit() modeltest.Answer {
	if !p.holds("checkbox", "I accept", "[checked]") {
		return modeltest.Call("check", map[string]any{"ref": p.ref("checkbox", "I accept"), "element": "I accept the workshop rules", "checked": true})
	}
	return p.click("button", "Submit application")
}
