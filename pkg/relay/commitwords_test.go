package relay

import "testing"

func TestCommitWord_Names(t *testing.T) {
	for _, c := range []struct {
		name         string
		final, wider bool
	}{
		{"Submit application", true, true},
		{"SUBMIT", true, true},
		{"Sub\u200bmit", true, true},
		{"Ｓｕｂｍｉｔ", true, true},
		{"Place your order", true, true},
		{"Pay €12.00", true, true},
		{"Jetzt kaufen", true, true},
		{"Zahlungspflichtig bestellen", true, true},
		{"Envoyer ma candidature", true, true},
		{"Comprar", true, true},
		{"Złóż zamówienie", true, true},
		{"Оплатить", true, true},
		{"応募する", true, true},
		{"提交申请", true, true},
		{"Send", false, true},
		{"Delete account", false, true},
		{"Speichern", false, true},
		{"Enregistrer", false, true},
		{"Guardar cambios", false, true},
		{"Confirm", false, true},
		{"Create account", false, true},
		{"삭제", false, true},
		{"Next", false, false},
		{"Continue", false, false},
		{"Log in", false, false},
		{"Search", false, false},
		{"Cancel", false, false},
		{"Accept all cookies", false, false},
		{"Postal code", false, false},
		{"Sender", false, false},
		{"Weiter", false, false},
		{"", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := FinalWord(c.name); got != c.final {
				t.Errorf("FinalWord = %v, want %v", got, c.final)
			}
			for _, mode := range []string{GuardDryRun, GuardReadOnly, GuardApprove, "a mode of the future"} {
				if got := CommitWord(c.name, mode); got != c.wider {
					t.Errorf("CommitWord(%s) = %v, want %v", mode, got, c.wider)
				}
			}
			if CommitWord(c.name, GuardNone) {
				t.Error("without a guard nothing is a commit")
			}
		})
	}
}
