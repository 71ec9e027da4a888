package execution

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Request asks for a program to be run.
type Request struct {
	Code        string
	Title       string
	Via         string // where it comes from; http if empty
	Tool        string // the one tool that it calls, if it is only a call
	AutoApprove bool   // only a person's own session may waive approvals
	Key         string // one key starts one program
	Wait        int    // seconds to wait for something visible; at most 20
}

// programKey is where the text of a program lies.
func programKey(id pags.RunID) port.Key { return key(id, "PROGRAM") }

// Start runs a program and answers as soon as something is visible: its end, or a pause that needs somebody. What takes longer
// than the wait goes on by itself; the answer then says that it runs.
func (s *Service) Start(ctx context.Context, caller httpapi.Caller, req Request) (Execution, error) {
	run, err := s.open(ctx, caller, req)
	if err != nil {
		return Execution{}, err
	}
	return s.visible(ctx, run, req.Wait)
}

func (s *Service) open(ctx context.Context, caller httpapi.Caller, req Request) (pags.Run, error) {
	if err := req.check(caller); err != nil {
		return pags.Run{}, err
	}
	sum := sha256.Sum256([]byte(req.Code))
	digest := hex.EncodeToString(sum[:])
	run := pags.Run{ID: pags.NewRunID(s.Clock.Now()), Kind: pags.KindCode, UserID: caller.UserID, Title: req.title(),
		Code: &pags.CodeInput{Digest: digest, Size: len(req.Code), Via: req.Via, Tool: req.Tool, AutoApprove: req.AutoApprove, Personal: caller.Person}}
	at := programKey(run.ID)
	text := port.Put(port.Item{port.AttrPK: at.PK, port.AttrSK: at.SK, "code": req.Code}).When(port.NotExists())
	return s.runs.Open(ctx, Draft{Run: run, MessageID: req.Key, Digest: fmt.Sprint(digest, req.AutoApprove), Writes: []port.Write{text}})
}

func (r *Request) check(caller httpapi.Caller) error {
	switch {
	case strings.TrimSpace(r.Code) == "":
		return pags.Errorf(pags.Unprocessable, "code is empty; give a program such as `return await tools.search({ query: \"invoices\" })`")
	case len(r.Code) > maxCode:
		return pags.Errorf(pags.TooLarge, "code has %d bytes; a program has at most %d", len(r.Code), maxCode)
	case !utf8.ValidString(r.Code):
		return pags.Errorf(pags.Unprocessable, "code is not UTF-8 text")
	case utf8.RuneCountInString(r.Title) > maxTitle:
		return pags.Errorf(pags.Unprocessable, "title is longer than %d characters", maxTitle)
	case r.AutoApprove && !caller.Person:
		return pags.Errorf(pags.Forbidden, "only your own session may waive approvals; leave autoApprove out and answer what it asks")
	case r.Wait < 0 || r.Wait > maxWait:
		return pags.Errorf(pags.Unprocessable, "waitSeconds is 0 to %d", maxWait)
	}
	if r.Via == "" {
		r.Via = "http"
	}
	return nil
}

// title is the given one, or the first line of the program that says something. People find runs and questions by it, and an
// agent may have written it: it is one line, and nothing in it hides.
func (r *Request) title() string {
	if t := oneLine(r.Title); t != "" {
		return clip(t, 4*maxTitle)
	}
	for line := range strings.Lines(r.Code) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "/*#"))
		if line == "" || strings.HasPrefix(line, "```") {
			continue
		}
		if line = oneLine(line); line == "" {
			continue
		}
		if runes := []rune(line); len(runes) > 80 {
			return string(runes[:79]) + "…"
		}
		return line
	}
	return "A program"
}

func oneLine(s string) string { return strings.Join(strings.Fields(guard.Visible(s)), " ") }

// Polls of a waiting caller: a short program is answered at once, a long one costs few reads.
const (
	firstPoll = 2 * time.Millisecond
	lastPoll  = 250 * time.Millisecond
)

// openGrace is how long questions may be fewer than a pause has: they are opened after the run says that it waits, and one that is
// answered meanwhile is open no more.
const openGrace = time.Second

// visible waits for the first state that a caller can do something with: the end, or a pause with its questions.
func (s *Service) visible(ctx context.Context, run pags.Run, seconds int) (Execution, error) {
	until := s.Clock.After(time.Duration(seconds) * time.Second)
	rung, leave := s.bells.listen(run.ID)
	defer leave()
	var paused time.Time
	for poll := firstPoll; ; poll = min(poll*3/2, lastPoll) {
		if run.Status.Over() || seconds == 0 {
			return s.view(ctx, run)
		}
		if Status(run) != waiting {
			paused = time.Time{}
		} else {
			if paused.IsZero() {
				paused, poll = s.Clock.Now(), firstPoll
			}
			x, err := s.view(ctx, run)
			if err != nil || len(x.Interactions) >= run.Code.Asks || s.Clock.Now().Sub(paused) >= openGrace {
				return x, err
			}
		}
		late := false
		select {
		case <-ctx.Done():
			return Execution{}, ctx.Err()
		case <-until:
			late = true
		case <-rung:
			poll = firstPoll
		case <-s.Clock.After(poll):
		}
		var err error
		if run, err = s.runs.Load(ctx, run.ID); err != nil {
			return Execution{}, err
		}
		if late {
			return s.view(ctx, run)
		}
	}
}
