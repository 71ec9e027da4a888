package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/runner/client"
)

func openCommand(a *app) *cobra.Command {
	return &cobra.Command{Use: "open", Short: "Sign in to the console: prints a link that works once", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		cl, err := a.client()
		if err != nil {
			return err
		}
		var link struct {
			URL       string    `json:"url"`
			ExpiresAt time.Time `json:"expiresAt"`
		}
		if err := cl.Do(c.Context(), http.MethodPost, "/v1/auth/links", map[string]any{}, &link); err != nil {
			return err
		}
		if a.json {
			return a.printJSON(link)
		}
		if a.colour() {
			openBrowser(link.URL)
		}
		return a.say("%s", link.URL)
	}}
}

// openBrowser asks the desktop to show an address. Where there is none, the printed line is what counts.
func openBrowser(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return
	}
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	if path, err := exec.LookPath(name); err == nil {
		_ = exec.Command(path, u.String()).Start()
	}
}

func loginCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "login LINK",
		Short: "Sign this machine in with a one-time link",
		Long:  "Sign this machine in with a one-time link from the console or from pags open.",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			u, err := url.Parse(args[0])
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				return usagef("%q is not a sign-in link; it starts with https:// and holds a token", args[0])
			}
			token := u.Fragment
			if token == "" {
				return usagef("the link holds no token; copy it whole, with everything after #")
			}
			dir, err := a.home()
			if err != nil {
				return err
			}
			st, err := client.Exchange(c.Context(), u.Scheme+"://"+u.Host, token)
			if err != nil {
				return err
			}
			if err := client.SaveSession(dir.Session(), st); err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"server": st.Server})
			}
			return a.say("signed in to %s", st.Server)
		},
	}
}

func logoutCommand(a *app) *cobra.Command {
	return &cobra.Command{Use: "logout", Short: "End the session of this machine", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		dir, err := a.home()
		if err != nil {
			return err
		}
		cl, err := a.client()
		if err != nil {
			return err
		}
		if err := cl.Do(c.Context(), http.MethodPost, "/v1/auth/signout", nil, nil); err != nil {
			return fmt.Errorf("the host did not end the session: %w", err)
		}
		if err := client.RemoveSession(dir.Session()); err != nil {
			return err
		}
		if a.json {
			return a.printJSON(map[string]any{"signedOut": true})
		}
		return a.say("signed out")
	}}
}
