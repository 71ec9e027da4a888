package guard

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// Mask stands where a secret was.
const Mask = "[redacted]"

// secretNames end the names of things whose value is a secret, in lower case without separators. "tokens" is a count and
// is not among them.
var secretNames = []string{"authorization", "cookie", "password", "passwd", "passphrase", "secret", "token", "apikey",
	"privatekey", "signingkey", "credential", "credentials", "otp", "pin"}

var separators = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

// SecretName reports whether a field, header or attribute of that name holds a secret.
func SecretName(name string) bool {
	flat := strings.ToLower(separators.Replace(name))
	for _, end := range secretNames {
		if flat == end || len(end) > 3 && strings.HasSuffix(flat, end) {
			return true
		}
	}
	return false
}

// shapes are values that give themselves away (spec platform 6.8). A group named keep stays.
var shapes = regexp.MustCompile(strings.Join([]string{
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
	`\b(?:sk|rk|pk)[-_][A-Za-z0-9_-]{16,}`,                           // Anthropic, OpenAI, Stripe
	`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`,                                  // AWS access key ids
	`\bgh[pousr]_[A-Za-z0-9]{20,}`, `\bgithub_pat_[A-Za-z0-9_]{20,}`, // GitHub
	`\bglpat-[A-Za-z0-9_-]{20,}`,                               // GitLab
	`\bxox[a-z]-[A-Za-z0-9-]{10,}`, `\bxapp-[A-Za-z0-9-]{10,}`, // Slack
	`\bAIza[0-9A-Za-z_-]{30,}`, `\bya29\.[0-9A-Za-z_-]{10,}`, `\bGOCSPX-[\w-]+`, // Google
	`\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*`,                                                 // JWT
	`\b[0-9A-HJKMNP-TV-Z]{52}\b`,                                                                                // our own tokens (pags.NewToken)
	`\bpags_[0-9A-Z]{20,}_[0-9A-Z]{20,}_[0-9A-Z]{20,}`,                                                          // our tokens for programs
	`(?P<scheme>\b(?i:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{6,}`,                                                  // header values
	`(?P<user>://[^\s/:@]*:)[^\s/@]+(?P<at>@)`,                                                                  // URL credentials
	`(?P<name>\b(?i:[a-z_-]*(?:password|passwd|secret|token|api[_-]?key))["']?\s*[:=]\s*["']?)[^\s"',;&<>]{6,}`, // name=value in text
}, "|"))

var kept = func() []int {
	var out []int
	for i, name := range shapes.SubexpNames() {
		if name != "" {
			out = append(out, i)
		}
	}
	return out
}()

// Redact masks values in a text that have the shape of a secret.
func Redact(s string) string {
	if len(s) < 6 || !suspect(s) { // spec platform 6.8: shorter values would mask half of all text
		return s
	}
	found := shapes.FindAllStringSubmatchIndex(s, -1)
	if found == nil {
		return s
	}
	var b strings.Builder
	end := 0
	for _, m := range found {
		b.WriteString(s[end:m[0]])
		masked := false
		for _, i := range kept {
			if m[2*i] < 0 {
				continue
			}
			if masked || shapes.SubexpNames()[i] != "at" {
				b.WriteString(s[m[2*i]:m[2*i+1]])
			}
			if !masked {
				b.WriteString(Mask)
				masked = true
			}
		}
		if !masked {
			b.WriteString(Mask)
		}
		end = m[1]
	}
	b.WriteString(s[end:])
	return b.String()
}

// Every shape holds one of these, or is a run of tokenRun capitals and digits: most texts are cleared without the shapes.
var (
	exact = []string{"-----BEGIN ", "sk-", "sk_", "rk-", "rk_", "pk-", "pk_", "AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_",
		"glpat-", "xox", "xapp-", "AIza", "ya29.", "GOCSPX-", "eyJ", "pags_", "://"}
	anyCase = []string{"bearer", "basic", "password", "passwd", "secret", "token", "apikey", "api_key", "api-key"}
)

const tokenRun = 52

// suspect reports whether a text may hold a shape. Letters beyond ASCII may fold into those of a word, so such a text may.
func suspect(s string) bool {
	run, capitals := 0, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 0x80:
			return true
		case c >= 'A' && c <= 'Z':
			capitals = true
			run++
		case c >= '0' && c <= '9':
			run++
		default:
			run = 0
		}
		if run >= tokenRun {
			return true
		}
	}
	for _, w := range exact {
		if strings.Contains(s, w) {
			return true
		}
	}
	if capitals {
		s = strings.ToLower(s)
	}
	for _, w := range anyCase {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// RedactJSON masks secrets in a JSON document, by the names of its members and by the shape of its texts. What is not JSON
// is treated as text.
func RedactJSON(raw []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil || dec.More() {
		return []byte(Redact(string(raw)))
	}
	out, err := json.Marshal(redactValue(doc))
	if err != nil {
		return []byte(`"` + Mask + `"`)
	}
	return out
}

func redactValue(v any) any {
	switch x := v.(type) {
	case string:
		return Redact(x)
	case []any:
		for i := range x {
			x[i] = redactValue(x[i])
		}
	case map[string]any:
		for name, inner := range x {
			if SecretName(name) && holdsText(inner) {
				x[name] = Mask
				continue
			}
			x[name] = redactValue(inner)
		}
	}
	return v
}

// holdsText: numbers, booleans and null under a secret's name say nothing worth hiding; texts and structures do.
func holdsText(v any) bool {
	switch x := v.(type) {
	case string:
		return x != ""
	case []any, map[string]any:
		return true
	}
	return false
}
