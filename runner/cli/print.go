package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/proagentstore/pags/pkg/pags"
)

// printJSON writes one indented JSON value.
func (a *app) printJSON(v any) error { return a.encode(v, "  ") }

// printLine writes one line of JSON, for streams.
func (a *app) printLine(v any) error { return a.encode(v, "") }

func (a *app) encode(v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := a.out.Write(visible(b.Bytes()))
	return err
}

func (a *app) say(format string, args ...any) error {
	_, err := fmt.Fprintf(a.out, format+"\n", args...)
	return err
}

// note says something beside the result.
func (a *app) note(format string, args ...any) { _, _ = fmt.Fprintf(a.err, format+"\n", args...) }

// complain says what went wrong, in lines that fit, without anything that could move the cursor.
func (a *app) complain(text string) {
	if text == "" {
		return
	}
	const lead = "pags: "
	for i, para := range strings.Split(text, "\n") {
		for j, line := range wrap(para, a.width()-len(lead)) {
			head := lead
			if i > 0 || j > 0 {
				head = strings.Repeat(" ", len(lead))
			}
			_, _ = fmt.Fprintln(a.err, head+line)
		}
	}
}

// width is the terminal's, or 80 where there is none.
func (a *app) width() int {
	if f, ok := a.out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w >= 40 {
			return w
		}
	}
	return 80
}

// colour reports whether escape codes are welcome: a terminal, and NO_COLOR unset (no-color.org).
func (a *app) colour() bool {
	f, ok := a.out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

func (a *app) paint(code, s string) string {
	if !a.colour() {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// statusColour gives each status a colour; the word itself always says it too.
func statusColour(s pags.RunStatus) string {
	switch s {
	case pags.RunCompleted:
		return "32"
	case pags.RunFailed:
		return "31"
	case pags.RunWaiting:
		return "33"
	case pags.RunRunning, pags.RunQueued:
		return "36"
	case pags.RunCancelled:
		return "2"
	}
	return "0"
}

// ago says how long ago in the unit people feel.
func (a *app) ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return short(a.now().Sub(t)) + " ago"
}

func short(d time.Duration) string {
	switch {
	case d < time.Second:
		return "0 s"
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
