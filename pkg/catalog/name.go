package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxName is the longest tool name that clients of models accept.
const maxName = 64

// maxPart bounds one part of an address.
const maxPart = 80

// nameTools gives every operation its address and its name. Both depend only on the operation and on what it collides
// with, never on the order of the document: all members of a collision change, in rounds (version, method, hash).
func nameTools(namespace string, ops []*operation) {
	round := make([]int, len(ops))
	for {
		groups := map[string][]int{}
		for i, op := range ops {
			op.address = op.addressAt(round[i])
			key := strings.ToLower(strings.Join(op.address, "."))
			groups[key] = append(groups[key], i)
		}
		again := false
		for _, members := range groups {
			if len(members) < 2 {
				continue
			}
			for _, i := range members {
				if round[i] < lastRound {
					round[i]++
					again = true
				}
			}
		}
		if !again {
			break
		}
	}
	used := map[string]int{}
	for _, op := range ops {
		op.name = op.legalName(namespace, 8)
		used[strings.ToLower(op.name)]++
	}
	for _, op := range ops {
		if used[strings.ToLower(op.name)] > 1 {
			op.name = op.legalName(namespace, 24)
		}
	}
}

const lastRound = 4

func (op *operation) addressAt(round int) []string {
	group, leaf := op.group(), op.leaf()
	out := []string{group, leaf}
	if op.override != "" {
		out = nil
		for _, p := range strings.Split(op.override, ".") {
			if c := camel(p); c != "" {
				out = append(out, part(c))
			}
		}
		if len(out) == 0 {
			out = []string{group, leaf}
		}
	}
	last := len(out) - 1
	leaf = out[last]
	if v := op.versionPart(); round >= 1 && v != "" {
		out = append(out[:last:last], v, leaf)
		last++
	}
	if round >= 2 {
		leaf += pascal(strings.ToLower(op.method))
	}
	switch {
	case round == 3:
		leaf += "X" + op.hash("", 8)
	case round >= lastRound:
		leaf += "X" + op.hash("", 24)
	}
	out[last] = leaf
	return out
}

// hash identifies an operation within a namespace by what can be called only once: method and path.
func (op *operation) hash(namespace string, digits int) string {
	sum := sha256.Sum256([]byte(namespace + "\n" + op.method + " " + op.key))
	return hex.EncodeToString(sum[:])[:digits]
}

// legalName joins namespace and address with "_", which no part of the address holds, so that different addresses have
// different names. One that is too long keeps its end, where names differ most, and gets a hash.
func (op *operation) legalName(namespace string, digits int) string {
	full := strings.Join(append([]string{namespace}, op.address...), "_")
	if len(full) <= maxName && digits == 8 {
		return full
	}
	room := maxName - digits - 1
	if len(full) > room {
		full = full[len(full)-room:]
	}
	if at := strings.IndexFunc(full, func(r rune) bool { return r == '_' || r >= 'A' && r <= 'Z' }); at > 0 && at < 16 {
		full = full[at:] // begin with a whole word
	}
	full = strings.TrimLeft(full, "_0123456789")
	return full + "_" + op.hash(namespace, digits)
}

var versionWord = regexp.MustCompile(`^v\d+([._]\d+)*([a-z]+\d*)?$`)

func (op *operation) segments() []string {
	path, _, _ := strings.Cut(op.path, "?")
	var out []string
	for _, s := range strings.Split(path, "/") {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

func (op *operation) versionPart() string {
	for _, s := range op.segments() {
		if versionWord.MatchString(strings.ToLower(s)) {
			return camel(s)
		}
	}
	return ""
}

// group is the first tag, else the first part of the path that says something.
func (op *operation) group() string {
	for _, t := range op.tags {
		if c := camel(t); c != "" {
			return part(c)
		}
	}
	for _, s := range op.segments() {
		if strings.ContainsAny(s, "{}") || strings.EqualFold(s, "api") || versionWord.MatchString(strings.ToLower(s)) {
			continue
		}
		if c := camel(s); c != "" {
			return part(c)
		}
	}
	return "root"
}

// unsafe are names that objects of JavaScript already have, or that make a value look like a promise.
var unsafe = map[string]bool{"then": true, "catch": true, "finally": true, "constructor": true, "prototype": true, "proto": true, "tostring": true,
	"valueof": true, "tojson": true, "hasownproperty": true, "isprototypeof": true, "propertyisenumerable": true, "tolocalestring": true,
	"definegetter": true, "definesetter": true, "lookupgetter": true, "lookupsetter": true}

// leaf is the operation's own name: its id without the group, else method and path.
func (op *operation) leaf() string {
	group := op.group()
	parts := strings.FieldsFunc(op.id, func(r rune) bool { return r == '/' || r == '.' })
	if len(parts) > 1 && strings.EqualFold(camel(parts[0]), group) {
		parts = parts[1:]
	}
	name := camel(strings.Join(parts, " "))
	if name == "" || strings.EqualFold(name, group) || unsafe[strings.ToLower(name)] {
		name = strings.ToLower(op.method)
		for _, s := range op.segments() {
			name += pascal(s)
		}
	}
	return part(name)
}

// part makes a legal part of an address: it begins with a letter, is not too long, and is safe as a property.
func part(s string) string {
	if s != "" && s[0] >= '0' && s[0] <= '9' {
		s = "n" + s
	}
	if len(s) > maxPart {
		sum := sha256.Sum256([]byte(s))
		s = s[:maxPart-8] + hex.EncodeToString(sum[:])[:8]
	}
	if unsafe[strings.ToLower(s)] {
		s += "Tool"
	}
	return s
}

// words splits a text into runs of ASCII letters and digits; accents are dropped first.
func words(s string) []string {
	s = norm.NFKD.String(clip(s, 1000))
	var out []string
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r) || r == '\'':
		case b.Len() > 0:
			out = append(out, b.String())
			b.Reset()
		}
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

func camel(s string) string {
	var b strings.Builder
	for i, w := range words(s) {
		if i == 0 {
			b.WriteString(lowerFirst(w))
			continue
		}
		b.WriteString(upperFirst(w))
	}
	return b.String()
}

func pascal(s string) string { return upperFirst(camel(s)) }

func upperFirst(w string) string {
	if w == "" {
		return ""
	}
	return strings.ToUpper(w[:1]) + w[1:]
}

// lowerFirst lower-cases the first word in a word: "GET" -> "get", "HTTPServer" -> "httpServer", "ListPets" -> "listPets".
func lowerFirst(w string) string {
	n := 0
	for n < len(w) && w[n] >= 'A' && w[n] <= 'Z' {
		n++
	}
	if n > 1 && n < len(w) && w[n] >= 'a' && w[n] <= 'z' {
		n--
	}
	return strings.ToLower(w[:n]) + w[n:]
}

// maxNamespace leaves most of a name to the operation.
const maxNamespace = 24

// empty are words of titles that tell no API from another.
var empty = map[string]bool{"api": true, "apis": true, "rest": true, "restful": true, "openapi": true, "swagger": true, "the": true}

// Namespace makes the first part of addresses from a title: lower-cased, other characters to "_".
func Namespace(title string) string {
	var kept []string
	for _, w := range words(title) {
		if w = strings.ToLower(w); !empty[w] {
			kept = append(kept, w)
		}
	}
	name := strings.Join(kept, "_")
	if len(name) > maxNamespace {
		name = name[:maxNamespace]
		if at := strings.LastIndexByte(name, '_'); at >= 8 {
			name = name[:at]
		}
		name = strings.TrimRight(name, "_")
	}
	switch {
	case name == "":
		return "api"
	case name[0] >= '0' && name[0] <= '9', unsafe[name], name == "search", name == "describe", name == "tools":
		return "api_" + name
	}
	return name
}
