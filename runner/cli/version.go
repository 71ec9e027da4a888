package cli

import "github.com/spf13/cobra"

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		if a.json {
			return a.printJSON(map[string]string{"version": a.build.Version, "commit": a.build.Commit})
		}
		return a.say("pags %s", a.build.Version)
	}}
}
