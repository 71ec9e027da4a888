package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// maxSecret bounds a secret read from a person or a pipe.
const maxSecret = 8 << 10

// readSecret reads one secret: without echo from a terminal, else all of standard input less the last line end.
func (a *app) readSecret(ctx context.Context, prompt string) (string, error) {
	if f, ok := a.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return a.typeSecret(ctx, int(f.Fd()), prompt)
	}
	raw, err := io.ReadAll(io.LimitReader(bufio.NewReader(a.in), maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	if len(raw) > maxSecret {
		return "", errors.New("the secret on standard input is longer than 8 KB")
	}
	return nonEmpty(strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r"))
}

// typeSecret reads from a terminal. Ctrl-C ends the wait, and the terminal shows again what is typed.
func (a *app) typeSecret(ctx context.Context, fd int, prompt string) (string, error) {
	before, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	_, _ = fmt.Fprint(a.err, prompt)
	defer func() { _, _ = fmt.Fprintln(a.err) }()
	type typed struct {
		text []byte
		err  error
	}
	done := make(chan typed, 1)
	go func() {
		text, err := term.ReadPassword(fd)
		done <- typed{text, err}
	}()
	select {
	case <-ctx.Done():
		_ = term.Restore(fd, before)
		return "", ctx.Err()
	case t := <-done:
		if t.err != nil {
			return "", fmt.Errorf("read the secret: %w", t.err)
		}
		return nonEmpty(string(t.text))
	}
}

func nonEmpty(s string) (string, error) {
	if s == "" {
		return "", usagef("no secret came on standard input; try: printf %%s \"$SECRET\" | pags …")
	}
	return s, nil
}
