package browser

import (
	"regexp"
	"slices"
	"sync"

	"github.com/proagentstore/pags/pkg/relay"
)

// judged is a press about to happen, as far as the guard must know it.
type judged struct {
	names      []string // real names of the control: by the snapshot, by the document
	claimed    string   // the model's words for it
	role       string
	what       string // for people
	sending    sending
	unreadable bool // it could not be looked at
	blind      bool // nothing shows what it does
}

// entries are roles that a click only puts the keyboard into or marks; their names are no promise of an effect.
var entries = []string{"textbox", "searchbox", "combobox", "spinbutton", "slider", "radio", "checkbox", "switch", "option", "tab",
	"menuitemradio", "menuitemcheckbox", "treeitem", "gridcell", "listbox"}

// steps are names of buttons that lead on without finishing anything, although they post. A dry run and a guarded run must be
// able to sign in and to walk through a form of several pages; its last page is judged by its own button.
var steps = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:next|continue|back|previous|go back|review|preview|search|find|filter|show(?: \w+)?|log ?in|sign in|sign on|` +
		`next step|save and continue|continue to .*|next: .*|weiter|zurück|anmelden|einloggen|suchen?|suivant|continuer|précédent|se connecter|` +
		`rechercher|siguiente|continuar|atrás|iniciar sesión|buscar|avanti|continua|indietro|accedi|cerca|próximo|entrar|voltar|pesquisar|volgende|` +
		`doorgaan|vorige|inloggen|zoeken|dalej|wstecz|zaloguj(?: się)?|szukaj|次へ|ログイン|検索|下一步|登录|搜索|다음|로그인|검색|далее|назад|войти|найти)[\s.…→›»>]*$`)
})

// entrances are words by which a plain link says where it leads: to the form that the word is about. An owner is not asked
// for each of them; the form's own button is asked about. Read-only and dry runs keep to the letter.
var entrances = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\p{L}])(?:apply(?: now)?|register|sign up|join|create (?:an? |your )?account|reserve|book|subscribe|` +
		`jetzt bewerben|bewerben|registrieren|buchen|reservieren|postuler|s.inscrire|réserver|registrarse|reservar|postularme|registrati|prenota|` +
		`inscrever-se|registreren|solliciteer|reserveren|zarejestruj|aplikuj|応募|登録|注册|申请)(?:$|[^\p{L}])`)
})

func (t *target) judged(claimed string) judged {
	return judged{names: []string{t.snapshot.Name, t.Name, t.Commit.Name}, claimed: claimed, role: t.Role, what: t.title(), sending: t.Commit}
}

// guard decides about a press. Nil lets it happen; the owner's approval does so once the element is still what was approved.
func (a *action) guard(j judged) *relay.Result {
	if a.cmd.Guard == relay.GuardNone {
		return nil
	}
	why := a.commits(j)
	if why == "" {
		return nil
	}
	switch a.cmd.Guard {
	case relay.GuardApprove:
		return a.approve(j, why)
	case relay.GuardDryRun:
		r := refused("not done, this is a dry run: %s %s", j.what, why)
		return &r
	default: // read_only, and any mode we do not know
		r := refused("not done, this agent may only read: %s %s", j.what, why)
		return &r
	}
}

// commits tells why a press would commit something; empty: it does not.
func (a *action) commits(j judged) string {
	names := slices.DeleteFunc(slices.Clone(j.names), func(s string) bool { return s == "" })
	if j.unreadable {
		return "could not be looked at"
	}
	posts := j.sending.Submits && j.sending.Method == "post"
	if slices.Contains(entries, j.role) && !j.sending.Submits {
		return ""
	}
	onwards := leadsOn(names)
	for _, name := range names {
		if a.cmd.Guard == relay.GuardApprove && j.sending.Leads {
			name = entrances().ReplaceAllString(relay.PlainName(name), " ")
		}
		if !onwards && a.hand.o.CommitWord(name, a.cmd.Guard) {
			return "is called “" + shorten(name, 80) + "”, which commits something"
		}
	}
	// The model's own words count too (spec platform 5.4); an owner is asked only about what the page says.
	if (a.cmd.Guard != relay.GuardApprove || len(names) == 0) && a.hand.o.CommitWord(j.claimed, a.cmd.Guard) {
		return "was named “" + shorten(j.claimed, 80) + "”, which commits something"
	}
	switch {
	case posts && (a.cmd.Guard == relay.GuardReadOnly || !onwards):
		return "sends a form by POST"
	case j.blind:
		return "does something that cannot be seen beforehand"
	case len(names) == 0 && !j.sending.Submits:
		return "has no name to judge it by"
	}
	return ""
}

// leadsOn tells whether every real name is that of a step.
func leadsOn(names []string) bool {
	if len(names) == 0 {
		return false
	}
	for _, name := range names {
		if !steps().MatchString(relay.PlainName(name)) {
			return false
		}
	}
	return true
}
