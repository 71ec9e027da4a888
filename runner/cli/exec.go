package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
)

func execCommand(a *app) *cobra.Command {
	var file, code, title, key string
	var stdin, auto bool
	c := &cobra.Command{
		Use:   "exec [FILE]",
		Short: "Run a program that calls your tools",
		Long: `Run a TypeScript program in the sandbox; tools are its only way out. Its
result is printed as JSON, its console beside it. Where a person is needed, you
are asked on a terminal; elsewhere one JSON object says how to go on (exit 20).`,
		Example: `  pags exec report.ts --title "Monthly report"
  pags exec -e 'return tools.petstore.main.pets.list({limit: 2})'
  pags exec --stdin < report.ts`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				if file != "" {
					return usagef("name the file once")
				}
				file = args[0]
			}
			if c.Flags().Changed("code") && (file != "" || stdin) || file != "" && stdin {
				return usagef("the program comes from one place: FILE, --code or --stdin")
			}
			text, err := a.program(file, code, stdin || file == "-")
			if err != nil {
				return err
			}
			if title == "" && file != "" && file != "-" {
				title = filepath.Base(file)
			}
			cl, err := a.client()
			if err != nil {
				return err
			}
			body := map[string]any{"code": text, "via": "cli"}
			if title != "" {
				body["title"] = title
			}
			if auto {
				body["autoApprove"] = true
			}
			f := &follower{app: a, cl: cl, code: text}
			return f.start(c.Context(), key, "/v1/executions", body)
		},
	}
	f := c.Flags()
	f.StringVar(&file, "file", "", "the program, as a file")
	f.StringVarP(&code, "code", "e", "", "the program itself")
	f.BoolVar(&stdin, "stdin", false, "read the program from standard input")
	f.StringVar(&title, "title", "", "what it is for")
	f.BoolVar(&auto, "auto-approve", false, "do not ask before calls that only need an approval")
	f.StringVar(&key, "key", "", "idempotency `key`: a repeat with the same key starts nothing new")
	return c
}

// program reads the text from where it was said to be.
func (a *app) program(file, code string, stdin bool) (string, error) {
	switch {
	case stdin:
		return a.readAll("the program")
	case code != "":
		return code, nil
	case file != "":
		raw, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("read the program: %w", err)
		}
		return string(raw), nil
	}
	return "", usagef("which program? name a FILE, or give it with -e CODE or --stdin")
}

// maxInput bounds what is read from standard input; the host takes 4 MB.
const maxInput = 64 << 20

// readAll reads standard input to its end.
func (a *app) readAll(what string) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(a.in, maxInput+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", what, err)
	}
	if len(raw) > maxInput {
		return "", fmt.Errorf("%s on standard input is longer than 64 MB", what)
	}
	if len(raw) == 0 {
		return "", usagef("%s was to come on standard input, and nothing came", what)
	}
	return string(raw), nil
}

// readObject reads a JSON object from the word itself, from @FILE, or from standard input for "-".
func (a *app) readObject(name, word string) (map[string]any, error) {
	text := word
	var err error
	switch {
	case word == "-":
		text, err = a.readAll(name)
	case len(word) > 1 && word[0] == '@':
		var raw []byte
		raw, err = os.ReadFile(word[1:])
		text = string(raw)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	v, err := decodeJSON(text)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	if err != nil {
		return nil, usagef("%s is not JSON: %s", name, err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, usagef("%s must be a JSON object, such as '{\"limit\":2}'", name)
	}
	return object, nil
}

func resumingCommand(a *app) *cobra.Command {
	var action, content, interaction, note string
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "Answer what a program or call waits for, and follow it",
		Long: `Answer what a program or call waits for, and follow it. On a terminal you are
asked, unless --action, --content or --interaction says the answer already;
elsewhere it is accept.`,
		Example: `  pags resume run_01… --action accept
  pags resume run_01… --content '{"name":"Rex"}'`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			body := map[string]any{"action": action, "waitSeconds": longest}
			if !slices.Contains([]string{"accept", "decline", "retry", "cancel"}, action) {
				return usagef("--action is accept, decline, retry or cancel, not %q", action)
			}
			if content != "" {
				if action != "accept" {
					return usagef("--content goes with --action accept")
				}
				filled, err := a.readObject("--content", content)
				if err != nil {
					return err
				}
				body["content"] = filled
			}
			if interaction != "" {
				body["interactionId"] = interaction
			}
			if note != "" {
				body["note"] = note
			}
			cl, err := a.client()
			if err != nil {
				return err
			}
			at, method := executionPath(pags.RunID(args[0])), http.MethodPost
			if !c.Flags().Changed("action") && content == "" && note == "" && interaction == "" && a.interactive() {
				method, body = http.MethodGet, nil // a person is asked, and sees what, before anything is said in their name
			} else {
				at += "/resume"
			}
			x, err := fetch[execution](c.Context(), cl, method, at, body)
			if err != nil {
				return err
			}
			f := &follower{app: a, cl: cl, call: x.v.Tool != ""}
			return f.follow(c.Context(), x)
		},
	}
	f := c.Flags()
	f.StringVar(&action, "action", "accept", "accept, decline, cancel; retry where it is not known whether a call happened")
	f.StringVar(&content, "content", "", "what a form asks for: `JSON`, @FILE, or - for standard input")
	f.StringVar(&interaction, "interaction", "", "which question, if several are open")
	f.StringVar(&note, "note", "", "a hint that is kept with the answer")
	return c
}
