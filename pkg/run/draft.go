package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Limits of a request.
const (
	maxURL       = 2_000
	maxObjective = 8_000
	maxSteps     = 60 // a round (spec platform 5.1)
	defaultSteps = 40
	maxFiles     = 5
	maxFileBytes = 2_500_000 // all files of a request together: base64 within the 4 MB body
)

// Upload is a file that the agent may put into a file field.
type Upload struct {
	Name        string `json:"name" minLength:"1" maxLength:"200"`
	ContentType string `json:"contentType,omitempty" maxLength:"100"`
	Data        []byte `json:"data" doc:"base64"`
}

// draft checks the request and makes the run, not yet stored.
func (s *Service) draft(ctx context.Context, caller httpapi.Caller, inst pags.Instance, req Request) (pags.Run, error) {
	if inst.Status != "active" {
		return pags.Run{}, pags.Errorf(pags.Conflict, "instance %s is %s; subscribe again to use the agent", inst.ID, inst.Status)
	}
	agent, err := s.Agents.Get(ctx, inst.AgentID)
	if err != nil {
		return pags.Run{}, fmt.Errorf("agent of %s: %w", inst.ID, err)
	}
	if agent.Capabilities.Workflow != "BROWSER_TASK" {
		return pags.Run{}, pags.Errorf(pags.Conflict, "agent %s does not do browser tasks", agent.Slug)
	}
	if req.Approve == "" {
		req.Approve = "commit"
	}
	switch {
	case req.Approve != "commit" && req.Approve != "never":
		return pags.Run{}, pags.Errorf(pags.Unprocessable, "approve is commit or never")
	case req.Approve == "never" && !caller.Person:
		return pags.Run{}, pags.Errorf(pags.Forbidden, "only your own session may waive approvals; leave approve out")
	case req.MaxSteps < 0 || req.MaxSteps > maxSteps:
		return pags.Run{}, pags.Errorf(pags.Unprocessable, "maxSteps is 1 to %d", maxSteps)
	case req.MaxSteps == 0:
		req.MaxSteps = stepsOf(inst)
	}
	address, err := s.address(orSetting(req.URL, inst, "url"))
	if err != nil {
		return pags.Run{}, err
	}
	objective := strings.TrimSpace(req.Objective)
	if objective == "" {
		objective = strings.TrimSpace(agent.Goal)
	}
	if objective == "" || utf8.RuneCountInString(objective) > maxObjective {
		return pags.Run{}, pags.Errorf(pags.Unprocessable, "objective says in 1 to %d characters what is to be reached", maxObjective)
	}
	if _, err := s.Keys.Credential(ctx, caller.UserID); err != nil {
		return pags.Run{}, err
	}
	now := s.Clock.Now().UTC()
	return pags.Run{
		ID: pags.NewRunID(now), Kind: pags.KindBrowse, UserID: caller.UserID, InstanceID: inst.ID, Title: firstRunes(objective, 200),
		Status: pags.RunQueued, MaxSteps: req.MaxSteps, Generation: 1, LastEvent: 1, CreatedAt: now, LastAliveAt: now, LastProgressAt: now,
		Browse: &pags.BrowseInput{URL: address, Objective: objective, DryRun: req.DryRun, ReadOnly: agent.ReadOnly, Approve: req.Approve},
	}, nil
}

// address checks where a task may begin. The runner checks again, each hop.
func (s *Service) address(raw string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case raw == "" || len(raw) > maxURL || err != nil || u.Host == "" || u.User != nil:
		return "", pags.Errorf(pags.Unprocessable, "url is a whole address of at most %d characters, such as https://example.com/", maxURL)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", pags.Errorf(pags.Unprocessable, "url must begin with http:// or https://")
	}
	if own, err := url.Parse(s.PublicURL); err == nil && own.Host != "" && strings.EqualFold(own.Host, u.Host) {
		return "", pags.Errorf(pags.Unprocessable, "a task does not open pags itself")
	}
	return u.String(), nil
}

// keepFiles stores uploads under their content's own name, so that a repeat stores nothing twice.
func (s *Service) keepFiles(ctx context.Context, id pags.InstanceID, uploads []Upload) ([]pags.File, error) {
	total := 0
	var files []pags.File
	names := map[string]bool{}
	for _, u := range uploads {
		if total += len(u.Data); total > maxFileBytes || len(uploads) > maxFiles {
			return nil, pags.Errorf(pags.TooLarge, "files are at most %d, together at most %d bytes", maxFiles, maxFileBytes)
		}
		if u.Name == "" || len(u.Name) > 200 || strings.ContainsAny(u.Name, "/\\\x00\r\n") || names[u.Name] || len(u.Data) == 0 {
			return nil, pags.Errorf(pags.Unprocessable, "file %q: a name without slashes, given once, and some content", firstRunes(u.Name, 80))
		}
		names[u.Name] = true
		if u.ContentType == "" {
			u.ContentType = "application/octet-stream"
		}
		sum := sha256.Sum256(u.Data)
		f := pags.File{Name: u.Name, ContentType: u.ContentType, Size: int64(len(u.Data)), SHA256: hex.EncodeToString(sum[:])}
		f.Key = "files/" + string(id) + "/" + f.SHA256
		if _, err := s.Blobs.Put(ctx, f.Key, u.Data, port.PutOptions{ContentType: u.ContentType}); err != nil {
			return nil, fmt.Errorf("keep file %s: %w", f.Key, err)
		}
		files = append(files, f)
	}
	return files, nil
}

// orSetting is what the caller said, or the owner's setting of that name.
func orSetting(said string, inst pags.Instance, name string) string {
	if settings, ok := inst.Config["settings"].(map[string]any); ok && said == "" {
		said, _ = settings[name].(string)
	}
	return said
}

// stepsOf is the instance's own budget of steps, or the ordinary one.
func stepsOf(inst pags.Instance) int {
	steps, err := strconv.Atoi(fmt.Sprint(inst.Config["maxSteps"]))
	if err != nil || steps < 1 || steps > maxSteps {
		return defaultSteps
	}
	return steps
}

func firstRunes(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
