package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/proagentstore/pags/demo/script"
	"github.com/proagentstore/pags/demo/site"
	"github.com/proagentstore/pags/demo/stage"
	"github.com/proagentstore/pags/pkg/model/modeltest"
	"github.com/proagentstore/pags/pkg/pags"
)

// between two looks: a person may ask the host 240 times a minute, and the tests want most of that.
const between = 700 * time.Millisecond

// settled reports whether every run is where it shall be; on the way it answers for the one that shall complete.
func settled(ctx context.Context, s *stage.Stage, sc scene) (bool, error) {
	time.Sleep(between)
	var runs []pags.Run
	if err := s.JSON(ctx, &runs, "runs", "list"); err != nil {
		return false, err
	}
	done := 0
	for _, a := range acts {
		for _, r := range runs {
			switch {
			case string(r.ID) != sc.Runs[a.name]:
			case string(r.Status) == a.status:
				done++
			case r.Status.Over():
				return false, fmt.Errorf("the run %s is %s: %s", a.name, r.Status, r.Detail)
			case a.status == "completed" && r.Status == pags.RunWaiting:
				if err := answer(ctx, s, r); err != nil {
					return false, err
				}
			}
		}
	}
	return done == len(acts), nil
}

func answer(ctx context.Context, s *stage.Stage, r pags.Run) error {
	var open []pags.Interaction
	if err := s.JSON(ctx, &open, "inbox"); err != nil {
		return err
	}
	for _, x := range open {
		if x.RunID != r.ID {
			continue
		}
		stdin, args := "", []string{"answer", string(x.ID)}
		switch {
		case x.Reason == pags.WaitApproval:
			args = append(args, "--accept")
		case strings.Contains(x.Title, "password"):
			stdin, args = site.Password, append(args, "--secret-stdin")
		default:
			args = append(args, "--value", site.Membership)
		}
		_, err := s.Must(ctx, stdin, args...)
		return err
	}
	return nil // it is on its way to the inbox
}

var address = regexp.MustCompile(`(?m)^URL: \w+://[^/\s]+([^?\s]*)`)
var button = regexp.MustCompile(`button "Book and pay"[^\n]*\[ref=(\w+)\]`)

// think is the model: the demo's applicant, and short answers on the pages of the stage.
func think(t modeltest.Turn) modeltest.Answer {
	text := t.Text()
	m := address.FindStringSubmatch(text)
	if m == nil {
		return script.Applicant(t)
	}
	switch m[1] {
	case "/p2":
		return modeltest.Call("finish", map[string]any{"outcome": "blocked", "summary": "The page shows no prices. It says only: The page behind Apply."})
	case "/booked":
		return modeltest.Call("finish", map[string]any{"outcome": "done", "summary": "The page says: Booked. See you on 7 December."})
	case "/booking":
		b := button.FindStringSubmatch(text)
		if b == nil {
			return modeltest.Call("look", map[string]any{})
		}
		a := modeltest.Call("click", map[string]any{"ref": b[1], "element": "Book and pay"})
		a.Text = "Name and day are filled in as asked, so the booking can be sent."
		return a
	}
	return script.Applicant(t)
}

// pages is the sample site with a short form in front, whose only step is one that commits.
func pages(rest http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", rest)
	mux.HandleFunc("GET /booking", func(w http.ResponseWriter, _ *http.Request) { page(w, booking) })
	mux.HandleFunc("POST /booking", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/booked", http.StatusSeeOther) })
	mux.HandleFunc("GET /booked", func(w http.ResponseWriter, _ *http.Request) { page(w, "<h1>Booked</h1><p>See you on 7 December.</p>") })
	return mux
}

func page(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, "<!doctype html><html lang=en><meta charset=utf-8><link rel=stylesheet href=/style.css><title>Book the laser cutter</title><main>"+body+"</main></html>")
}

const booking = `<h1>Book the laser cutter</h1><form method=post action=/booking>
<label>Name <input name=name value="Ada Example"></label><label>Day <input name=day type=date value=2026-12-07></label>
<label>Voucher <input name=voucher></label><button>Book and pay</button></form>`
