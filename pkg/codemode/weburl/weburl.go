// Package weburl parses URLs as browsers and Node do (the URL standard of WHATWG), which net/url does not. Programs in the
// sandbox get it as URL and URLSearchParams. It reaches nothing; answers are JSON texts, and empty says that there is none.
package weburl

import (
	"encoding/json"
	"strings"
)

// record is a parsed URL; its fields are what the standard calls them.
type record struct {
	scheme, user, pass string
	host               *string // nil: none
	port               string
	path               []string
	opaque             *string // instead of path, as in mailto:a@b
	query, fragment    *string
}

// ports of the special schemes; file has none.
var ports = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21", "file": ""}

func special(scheme string) bool { _, ok := ports[scheme]; return ok }

// Parse reads input, against base if it is relative to one.
func Parse(input, base string, relative bool) string {
	var b *record
	if relative {
		if b = parse(base, nil); b == nil {
			return ""
		}
	}
	return parse(input, b).json()
}

func (u *record) json() string {
	if u == nil {
		return ""
	}
	hostname, host := "", ""
	if u.host != nil {
		hostname, host = *u.host, *u.host
		if u.port != "" {
			host += ":" + u.port
		}
	}
	origin := "null"
	if special(u.scheme) && u.scheme != "file" {
		origin = u.scheme + "://" + host
	} else if u.scheme == "blob" && u.opaque != nil {
		if in := parse(*u.opaque, nil); in != nil && (in.scheme == "http" || in.scheme == "https") {
			origin = in.scheme + "://" + *in.host
			if in.port != "" {
				origin += ":" + in.port
			}
		}
	}
	out, _ := json.Marshal(map[string]string{"href": u.href(), "origin": origin, "protocol": u.scheme + ":", "username": u.user,
		"password": u.pass, "host": host, "hostname": hostname, "port": u.port, "pathname": u.pathname(),
		"search": part("?", u.query), "hash": part("#", u.fragment)})
	return string(out)
}

// part is empty for an empty query or fragment, as the getters have it; href keeps the lone sign.
func part(sign string, s *string) string {
	if s == nil || *s == "" {
		return ""
	}
	return sign + *s
}

func (u *record) pathname() string {
	if u.opaque != nil {
		return *u.opaque
	}
	var b strings.Builder
	for _, s := range u.path {
		b.WriteString("/" + s)
	}
	return b.String()
}

func (u *record) href() string {
	var b strings.Builder
	b.WriteString(u.scheme + ":")
	if u.host != nil {
		b.WriteString("//")
		if u.user != "" || u.pass != "" {
			b.WriteString(u.user)
			if u.pass != "" {
				b.WriteString(":" + u.pass)
			}
			b.WriteByte('@')
		}
		b.WriteString(*u.host)
		if u.port != "" {
			b.WriteString(":" + u.port)
		}
	} else if u.opaque == nil && len(u.path) > 1 && u.path[0] == "" {
		b.WriteString("/.") // or the path would read as a host
	}
	b.WriteString(u.pathname())
	if u.query != nil {
		b.WriteString("?" + *u.query)
	}
	if u.fragment != nil {
		b.WriteString("#" + *u.fragment)
	}
	return b.String()
}

// Change sets one part of a URL as its setter does. Empty says that the URL stays as it is.
func Change(href, name, value string) string {
	if name == "href" {
		return parse(value, nil).json()
	}
	u := parse(href, nil)
	if u == nil {
		return ""
	}
	value = unspaced(value)
	switch name {
	case "protocol":
		scheme, _, _ := strings.Cut(strings.ToLower(value), ":")
		if !isScheme(scheme) || special(scheme) != special(u.scheme) || (scheme == "file") != (u.scheme == "file") {
			return ""
		}
		u.scheme = scheme
		if u.port == ports[scheme] {
			u.port = ""
		}
	case "username", "password":
		if u.host == nil || *u.host == "" || u.scheme == "file" {
			return ""
		}
		if name == "username" {
			u.user = escape(value, inUser)
		} else {
			u.pass = escape(value, inUser)
		}
	case "host", "hostname":
		if u.opaque != nil {
			return ""
		}
		end := strings.IndexAny(value, stops(u.scheme))
		if end >= 0 {
			value = value[:end]
		}
		port := u.port
		if name == "hostname" && strings.Contains(afterBracket(value), ":") || !u.authority(value, true) {
			return ""
		}
		if !strings.Contains(afterBracket(value), ":") {
			u.port = port
		}
	case "port":
		if u.host == nil || *u.host == "" || u.scheme == "file" {
			return ""
		}
		if value == "" {
			u.port = ""
			break
		}
		digits := value[:len(value)-len(strings.TrimLeft(value, "0123456789"))]
		if digits == "" || !u.setPort(digits) {
			return ""
		}
	case "pathname":
		if u.opaque != nil {
			return ""
		}
		u.path = nil
		u.walk(value)
	case "search", "query":
		u.query = nil
		if value = strings.TrimPrefix(value, "?"); value != "" {
			u.setQuery(value)
		}
	case "hash":
		u.fragment = nil
		if value = strings.TrimPrefix(value, "#"); value != "" {
			f := escape(value, inFragment)
			u.fragment = &f
		}
	}
	return u.json()
}

func (u *record) setQuery(s string) {
	set := inQuery
	if special(u.scheme) {
		set = inSpecialQuery
	}
	q := escape(s, set)
	u.query = &q
}
