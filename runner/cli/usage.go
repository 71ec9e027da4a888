package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// usageOf turns the library's complaints about words, which have no type, into usage errors that say what would be right.
func usageOf(c *cobra.Command, err error) error {
	var known *usageError
	if err == nil || c == nil || errors.As(err, &known) {
		return err
	}
	text := err.Error()
	switch {
	case strings.HasPrefix(text, "accepts "), strings.HasPrefix(text, "requires "):
		text = "this takes: " + strings.TrimSuffix(c.UseLine(), " [flags]")
	case strings.HasPrefix(text, "unknown command") && !c.HasSubCommands():
		text = fmt.Sprintf("%s takes no %q", c.CommandPath(), firstOf(c.Flags().Arg(0), "more words"))
	case strings.HasPrefix(text, "unknown command"):
		text, _, _ = strings.Cut(text, "\n") // the library's own suggestions follow
	case strings.HasPrefix(text, "required flag"):
	case strings.HasPrefix(text, "if any flags in the group"):
		text = "only one of these can be given: " + group(text)
	case strings.HasPrefix(text, "at least one of the flags"):
		text = "one of these is needed: " + group(text)
	default:
		return err
	}
	return usagef("%s\nsee: %s --help", text, c.CommandPath())
}

// group names the flags between the brackets of a complaint about a group of flags.
func group(text string) string {
	_, rest, _ := strings.Cut(text, "[")
	names, _, _ := strings.Cut(rest, "]")
	return "--" + strings.Join(strings.Fields(names), ", --")
}

// helpTemplate is the library's, at most 80 columns wide.
const helpTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if .HasExample}}

Example:
{{.Example}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

More about one of them: {{.CommandPath}} COMMAND --help{{end}}
`
