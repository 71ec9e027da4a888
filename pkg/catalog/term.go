package catalog

import (
	"strings"
	"unicode"
)

// splitWords splits names and sentences into lower-cased words: at everything that is no letter or digit, and inside
// camelCase ("listHTTPRoutes2" -> list, http, routes2).
func splitWords(s string) []string {
	var out []string
	var b strings.Builder
	runes := []rune(s)
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if unicode.IsUpper(r) && i > 0 {
			before := runes[i-1]
			next := rune(0)
			if i+1 < len(runes) {
				next = runes[i+1]
			}
			if unicode.IsLower(before) || unicode.IsDigit(before) || unicode.IsUpper(before) && unicode.IsLower(next) {
				flush()
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	flush()
	return out
}

// filler are words that say nothing about which tool is meant.
var filler = wordSet("a an the of for to in on at by with from into about and or but is are be was were it its this that these those i me my we our you your he she they them their " +
	"please can could would should will want need needs like how do does did what which who where when there here some any all as so if then than not no " +
	"using use via per each tool tools api endpoint function call request response returns return p br li ul href https http www com code strong em")

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}

// alike are words that people use for one another; each maps to one of them.
var alike = map[string]string{"fetch": "get", "retrieve": "get", "read": "get", "show": "get", "lookup": "get", "find": "search", "query": "search",
	"add": "create", "make": "create", "insert": "create", "remove": "delete", "destroy": "delete", "erase": "delete",
	"modify": "update", "edit": "update", "change": "update", "patch": "update", "enumerate": "list", "msg": "message", "repo": "repository", "org": "organization",
	"pr": "pull", "mail": "email"}

// stem cuts the endings of English words, so that "invoices" finds "invoice" and "creating" finds "create". It is lighter
// than Porter's: a wrong join costs more here than a missed one.
func stem(w string) string {
	n := len(w)
	if n < 4 {
		return w
	}
	switch {
	case strings.HasSuffix(w, "sses"):
		w = w[:n-2]
	case strings.HasSuffix(w, "ies") && n > 4:
		w = w[:n-3] + "y"
	case strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "zes"):
		w = w[:n-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:n-1]
	}
	for _, end := range []string{"ing", "ed"} {
		base := strings.TrimSuffix(w, end)
		if base != w && len(base) >= 3 && strings.ContainsAny(base, "aeiouy") {
			if m := len(base); base[m-1] == base[m-2] && !strings.ContainsRune("lsz", rune(base[m-1])) {
				base = base[:m-1]
			}
			w = base
			break
		}
	}
	if len(w) > 4 && strings.HasSuffix(w, "e") {
		w = w[:len(w)-1]
	}
	return w
}

// terms are the words of a text as the index knows them. Filler is dropped unless nothing else is there.
func terms(s string, keepFiller bool) []string {
	var out []string
	for _, w := range splitWords(s) {
		if !keepFiller && filler[w] {
			continue
		}
		out = append(out, term(w))
	}
	return out
}

func term(w string) string {
	w = stem(w)
	if other, ok := alikeStems[w]; ok {
		return other
	}
	return w
}

var alikeStems = func() map[string]string {
	out := map[string]string{}
	for w, other := range alike {
		out[stem(w)] = stem(other)
	}
	return out
}()
