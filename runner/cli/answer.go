package cli

import (
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/proagentstore/pags/pkg/pags"
)

func answerCommand(a *app) *cobra.Command {
	var accept, decline, retry, secret, wait bool
	var value, note, content string
	c := &cobra.Command{
		Use:   "answer INTERACTION",
		Short: "Answer what an agent or a program asked",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			body := map[string]any{}
			switch {
			case accept:
				body["kind"] = pags.AnswerAccept
			case decline:
				body["kind"] = pags.AnswerDecline
			case retry:
				body["kind"] = pags.AnswerRetry
			case secret:
				text, err := a.readSecret(c.Context(), "Secret: ")
				if err != nil {
					return err
				}
				body["kind"], body["secret"] = pags.AnswerSecret, text
			case content != "":
				filled, err := a.readObject("--content", content)
				if err != nil {
					return err
				}
				body["kind"], body["content"] = pags.AnswerForm, filled
			default:
				body["kind"], body["value"] = pags.AnswerValue, value
			}
			if note != "" {
				body["note"] = note
			}
			cl, err := a.client()
			if err != nil {
				return err
			}
			var x pags.Interaction
			if err := cl.Do(c.Context(), http.MethodPost, "/v1/interactions/"+url.PathEscape(args[0])+"/answer", body, &x); err != nil {
				return err
			}
			if wait {
				return a.watch(c.Context(), cl, x.RunID, 0)
			}
			if a.json {
				return a.printJSON(x)
			}
			if err := a.say("%s  answered", x.ID); err != nil {
				return err
			}
			a.note("Go on watching: pags runs watch %s", x.RunID)
			return nil
		},
	}
	f := c.Flags()
	f.BoolVar(&accept, "accept", false, "yes, or: I did it, go on")
	f.BoolVar(&decline, "decline", false, "no")
	f.BoolVar(&retry, "retry", false, "it did not happen, do it again; where that is not known")
	f.StringVar(&value, "value", "", "a text")
	f.BoolVar(&secret, "secret-stdin", false, "a secret, read from standard input (hidden when typed)")
	f.StringVar(&content, "content", "", "a filled form: `JSON`, @FILE, or - for standard input")
	f.StringVar(&note, "note", "", "a hint for the agent's next step")
	f.BoolVar(&wait, "wait", false, "then follow the run")
	c.MarkFlagsMutuallyExclusive("accept", "decline", "retry", "value", "content", "secret-stdin")
	c.MarkFlagsOneRequired("accept", "decline", "retry", "value", "content", "secret-stdin")
	return c
}
