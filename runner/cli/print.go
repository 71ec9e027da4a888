package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/proagentstore/pags/pkg/pags"
)

// printJSON writes one indented JSON value.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printLine writes one line of JSON, for streams.
func (a *app) printLine(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func (a *app) say(format string, args ...any) error {
	_, err := fmt.Fprintf(a.out, format+"\n", args...)
	return err
}

// note says something beside the result.
func (a *app) note(format string, args ...any) { _, _ = fmt.Fprintf(a.err, format+"\n", args...) }

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

// table prints columns that fit the width: the last column gives way.
func (a *app) table(head []string, rows [][]string) error {
	widths := make([]int, len(head))
	for _, r := range append([][]string{head}, rows...) {
		for i, c := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(clean(c)))
		}
	}
	used := 0
	for _, w := range widths[:len(widths)-1] {
		used += w + 2
	}
	widths[len(widths)-1] = max(10, min(widths[len(widths)-1], a.width()-used))
	line := func(cells []string, style string) error {
		var b strings.Builder
		for i, c := range cells {
			c = cut(clean(c), widths[i])
			if i < len(cells)-1 {
				c += strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+2)
			}
			b.WriteString(c)
		}
		text := strings.TrimRight(b.String(), " ")
		if style != "" {
			text = a.paint(style, text)
		}
		return a.say("%s", text)
	}
	if err := line(head, "2"); err != nil {
		return err
	}
	for _, r := range rows {
		if err := line(r, ""); err != nil {
			return err
		}
	}
	return nil
}

// clean makes a text one line without control characters, so that nothing stored can move the cursor.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
}

func cut(s string, w int) string {
	if utf8.RuneCountInString(s) <= w {
		return s
	}
	return string([]rune(s)[:max(0, w-1)]) + "…"
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
