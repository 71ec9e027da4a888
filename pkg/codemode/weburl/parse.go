package weburl

import (
	"strconv"
	"strings"
)

func unspaced(s string) string {
	return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(s)
}

func isScheme(s string) bool {
	for i, c := range []byte(s) {
		letter := c|32 >= 'a' && c|32 <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return s != ""
}

// stops are where an authority ends.
func stops(scheme string) string {
	if special(scheme) {
		return `/\?#`
	}
	return "/?#"
}

// parse is the basic URL parser; nil says that the input is no URL.
func parse(input string, base *record) *record {
	input = unspaced(strings.TrimFunc(input, func(r rune) bool { return r <= ' ' }))
	u := &record{}
	rest := input
	if i := strings.IndexAny(input, "#"); i >= 0 {
		f := escape(input[i+1:], inFragment)
		u.fragment = &f
		rest = input[:i]
	}
	scheme, after, ok := strings.Cut(rest, ":")
	if !ok || !isScheme(scheme) {
		return u.relativeTo(base, rest)
	}
	u.scheme = strings.ToLower(scheme)
	switch slash := leadingSlashes(after, u.scheme); {
	case u.scheme == "file":
		return u.file(after, base)
	case special(u.scheme) && slash < 2 && base != nil && base.scheme == u.scheme:
		return u.relativeTo(base, after)
	case special(u.scheme):
		return u.withAuthority(after[slash:])
	case strings.HasPrefix(after, "//"):
		return u.withAuthority(after[2:])
	case strings.HasPrefix(after, "/"):
		u.finish(after)
	default:
		path, query, has := strings.Cut(after, "?")
		o := escape(path, inControl)
		u.opaque = &o
		if has {
			u.setQuery(query)
		}
	}
	return u
}

func leadingSlashes(s, scheme string) (n int) {
	for n < len(s) && (s[n] == '/' || s[n] == '\\' && special(scheme)) {
		n++
	}
	return n
}

func (u *record) relativeTo(base *record, rest string) *record {
	if base == nil {
		return nil
	}
	if base.opaque != nil {
		if rest != "" || u.fragment == nil {
			return nil
		}
		u.scheme, u.opaque, u.query = base.scheme, base.opaque, base.query
		return u
	}
	u.scheme = base.scheme
	if u.scheme == "file" {
		return u.file(rest, base)
	}
	slash := leadingSlashes(rest, u.scheme)
	if slash >= 2 {
		if special(u.scheme) {
			return u.withAuthority(rest[slash:])
		}
		return u.withAuthority(rest[2:])
	}
	u.user, u.pass, u.host, u.port = base.user, base.pass, base.host, base.port
	u.onto(base, rest, slash)
	return u
}

// onto resolves a path against that of base.
func (u *record) onto(base *record, rest string, slash int) {
	switch {
	case slash > 0:
	case rest == "":
		u.path, u.query = base.path, base.query
		return
	case rest[0] == '?':
		u.path = base.path
		u.setQuery(rest[1:])
		return
	default:
		u.path = append([]string(nil), base.path[:max(len(base.path)-1, 0)]...)
	}
	u.finish(rest)
}

// file is the file state, without the drive letters of Windows.
func (u *record) file(rest string, base *record) *record {
	empty := ""
	u.host = &empty
	slash := leadingSlashes(rest, u.scheme)
	if slash >= 2 {
		rest = rest[2:]
		end := strings.IndexAny(rest, `/\?`)
		if end < 0 {
			end = len(rest)
		}
		if end > 0 {
			host, ok := parseHost(rest[:end], true)
			if !ok {
				return nil
			}
			if host == "localhost" {
				host = ""
			}
			u.host = &host
		}
		u.finish(rest[end:])
		return u
	}
	if base != nil && base.scheme == "file" {
		u.host = base.host
		u.onto(base, rest, slash)
		return u
	}
	u.finish(rest)
	return u
}

func (u *record) withAuthority(rest string) *record {
	end := strings.IndexAny(rest, stops(u.scheme))
	if end < 0 {
		end = len(rest)
	}
	auth := rest[:end]
	if at := strings.LastIndexByte(auth, '@'); at >= 0 {
		user, pass, _ := strings.Cut(auth[:at], ":")
		u.user, u.pass = escape(user, inUser), escape(pass, inUser)
		if auth = auth[at+1:]; auth == "" {
			return nil
		}
	}
	if !u.authority(auth, false) {
		return nil
	}
	u.finish(rest[end:])
	return u
}

// afterBracket cuts an IPv6 address off, so that a colon in what is left belongs to a port.
func afterBracket(s string) string {
	if strings.HasPrefix(s, "[") {
		return s[strings.IndexByte(s, ']')+1:]
	}
	return s
}

// authority reads host and port. Of a setter's value a port that is none is left out.
func (u *record) authority(s string, setter bool) bool {
	host, port := s, ""
	if tail := afterBracket(s); strings.Contains(tail, ":") {
		i := len(s) - len(tail) + strings.IndexByte(tail, ':')
		host, port = s[:i], s[i+1:]
		if host == "" {
			return false
		}
	}
	if host == "" && (special(u.scheme) || u.user != "" || u.pass != "" || u.port != "") {
		return false
	}
	parsed, ok := parseHost(host, special(u.scheme))
	if !ok || parsed == "" && special(u.scheme) {
		return false
	}
	if port != "" && !u.setPort(port) && !setter {
		return false
	}
	u.host = &parsed
	return true
}

func (u *record) setPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return false
	}
	u.port = strconv.FormatUint(n, 10)
	if u.port == ports[u.scheme] {
		u.port = ""
	}
	return true
}

// finish reads path and query.
func (u *record) finish(rest string) {
	path, query, has := strings.Cut(rest, "?")
	u.walk(path)
	if has {
		u.setQuery(query)
	}
}

// walk adds a path to the one that is there, resolving dots.
func (u *record) walk(path string) {
	if path == "" && !special(u.scheme) {
		return
	}
	isSlash := func(r rune) bool { return r == '/' || r == '\\' && special(u.scheme) }
	if path != "" && isSlash(rune(path[0])) {
		path = path[1:]
	}
	segments := strings.Split(strings.Map(func(r rune) rune {
		if isSlash(r) {
			return '/'
		}
		return r
	}, path), "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch strings.ToLower(strings.NewReplacer("%2e", ".", "%2E", ".").Replace(s)) {
		case "..":
			u.path = u.path[:max(len(u.path)-1, 0)]
			if last {
				u.path = append(u.path, "")
			}
		case ".":
			if last {
				u.path = append(u.path, "")
			}
		default:
			u.path = append(u.path, escape(s, inPath))
		}
	}
}
