package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/runner/client"
)

func callCommand(a *app) *cobra.Command {
	var match, key string
	var limit int
	var auto bool
	c := &cobra.Command{
		Use:   "call PATH [ARGUMENT...]",
		Short: "Call one of your tools, or look around with --help",
		Long: `Call one of your tools. PATH is its address, with dots or as words. ARGUMENTs
are one JSON object ({…}, @FILE, or - for standard input), or pairs: key=value,
key:=JSON, a.b=value for what lies inside. --help behind any part of a path
lists what is below it; behind a tool it lists its arguments.`,
		Example: `  pags call petstore --help
  pags call petstore main pets list '{"limit":2}'
  pags call petstore.pets.list limit=2 tags:='["cat"]'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, words []string) error {
			path, rest, err := splitWords(words)
			if err != nil {
				return err
			}
			cl, err := a.client()
			if err != nil {
				return err
			}
			args, err := a.arguments(c.Context(), cl, path, rest)
			if err != nil {
				return err
			}
			return a.call(c.Context(), cl, key, path, args, auto)
		},
	}
	f := c.Flags()
	f.StringVar(&match, "match", "", "with --help: only what holds this text")
	f.IntVar(&limit, "limit", 50, "with --help: how many lines at most; 0 for all")
	f.BoolVar(&auto, "auto-approve", false, "do not ask first if only a policy wants it")
	f.StringVar(&key, "key", "", "idempotency `key`: a repeat with the same key calls nothing anew")
	c.SetHelpFunc(func(c *cobra.Command, _ []string) { a.late = a.browseTools(c, match, limit) })
	return c
}

func (a *app) call(ctx context.Context, cl *client.Client, key, path string, args map[string]any, auto bool) error {
	body := map[string]any{"path": path, "args": args, "via": "cli"}
	if auto {
		body["autoApprove"] = true
	}
	f := &follower{app: a, cl: cl, call: true}
	return a.orGroup(ctx, cl, path, f.start(ctx, key, "/v1/tools/call", body))
}

// orGroup helps someone who named a group as if it were a tool.
func (a *app) orGroup(ctx context.Context, cl *client.Client, path string, err error) error {
	if err == nil || a.json || !notFound(err) && !strings.HasPrefix(err.Error(), "tool_not_found") {
		return err
	}
	s, tool, lookErr := lookAt(ctx, cl, path)
	if lookErr != nil || tool != nil {
		return err
	}
	n := len(s.Tools)
	for _, g := range s.Groups {
		n += g.Tools
	}
	more := fmt.Sprintf("\n%s is a group of %s; see: pags call %s --help", path, count(n, "tool"), strings.ReplaceAll(path, ".", " "))
	var coded *exitError
	if errors.As(err, &coded) {
		return &exitError{code: coded.code, text: coded.text + more}
	}
	return fmt.Errorf("%w%s", err, more)
}

var (
	pathWord = regexp.MustCompile(`^[A-Za-z0-9_$-]+(\.[A-Za-z0-9_$-]+)*$`)
	pairWord = regexp.MustCompile(`(?s)^([A-Za-z0-9_$@.\[\]-]+?)(:?=)(.*)$`)
)

// splitWords parts the words of a path from the arguments behind them.
func splitWords(words []string) (path string, rest []string, err error) {
	n := 0
	for n < len(words) && !isArgument(words[n]) {
		if !pathWord.MatchString(words[n]) {
			return "", nil, usagef("%q is neither part of an address nor an argument; arguments are {…}, key=value or key:=JSON", words[n])
		}
		n++
	}
	if n == 0 {
		return "", nil, usagef("which tool? its address comes first; look around with: pags call --help")
	}
	return strings.TrimPrefix(strings.Join(words[:n], "."), "tools."), words[n:], nil
}

func isArgument(w string) bool {
	return w == "-" || strings.HasPrefix(w, "@") || strings.HasPrefix(strings.TrimSpace(w), "{") || pairWord.MatchString(w)
}

// arguments makes the object of arguments: one object, and pairs laid over it. What a pair's text means the tool's schema says.
func (a *app) arguments(ctx context.Context, cl *client.Client, path string, words []string) (map[string]any, error) {
	args := map[string]any{}
	var pairs [][]string
	object := false
	for _, w := range words {
		switch m := pairWord.FindStringSubmatch(w); {
		case w == "-" || strings.HasPrefix(w, "@") || strings.HasPrefix(strings.TrimSpace(w), "{"):
			if object {
				return nil, usagef("one JSON object is enough; %q is a second one", cut(w, 40))
			}
			object = true
			o, err := a.readObject("the argument", strings.TrimSpace(w))
			if err != nil {
				return nil, err
			}
			for k, v := range o {
				args[k] = v
			}
		case m != nil:
			pairs = append(pairs, m[1:])
		default:
			return nil, usagef("%q stands behind the arguments; an address comes before them", w)
		}
	}
	var schema map[string]any
	for _, p := range pairs {
		if p[1] == "=" {
			// Without a description texts stay texts, and the call itself says what is wrong with its path.
			d, err := describeTool(ctx, cl, path)
			if err != nil && !notFound(err) {
				return nil, err
			}
			schema = d.v.InputSchema
			break
		}
	}
	for _, p := range pairs {
		if err := setPair(args, schema, p[0], p[1], p[2]); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// setPair sets one key. A key with dots reaches inside unless the schema has it as it is.
func setPair(args, schema map[string]any, key, op, text string) error {
	at, f := args, field{name: key, schema: map[string]any{}, doc: schema}
	names := strings.Split(key, ".")
	fields := fieldsOf(schema)
	if x, ok := named(fields, key); ok {
		f, names = x, []string{key}
	} else {
		for i, name := range names {
			x, ok := named(fields, name)
			if !ok {
				break
			}
			fields = members(x.schema, x.doc)
			if i == len(names)-1 {
				f = x
			}
		}
		for _, name := range names[:len(names)-1] {
			inner, ok := at[name].(map[string]any)
			if !ok {
				if _, there := at[name]; there {
					return usagef("%s cannot be set: %s is no object", key, name)
				}
				inner = map[string]any{}
				at[name] = inner
			}
			at = inner
		}
	}
	last := names[len(names)-1]
	if op == ":=" {
		v, err := decodeJSON(text)
		if err != nil {
			return usagef("%s:= takes JSON, and %q is none; a text is %s=…", key, cut(text, 40), key)
		}
		at[last] = v
		return nil
	}
	if kinds := f.kinds(); len(kinds) > 0 && kinds[0] == "array" && !strings.HasPrefix(strings.TrimSpace(text), "[") { // a key that comes again adds an item
		items, _ := f.schema["items"].(map[string]any)
		v, err := field{name: key, schema: resolve(items, f.doc), doc: f.doc}.value(text)
		if err != nil {
			return usagef("%s: %s", key, err)
		}
		list, _ := at[last].([]any)
		at[last] = append(list, v)
		return nil
	}
	v, err := f.value(text)
	if err != nil {
		return usagef("%s: %s", key, err)
	}
	at[last] = v
	return nil
}

func named(fields []field, name string) (field, bool) {
	for _, f := range fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}
