package weburl

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// domains are mapped as UTS 46 says, with the options of the URL standard's "domain to ASCII".
var domains = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false), idna.VerifyDNSLength(false))

const (
	noHost   = "\x00\t\n\r #/:<>?@[\\]^|"
	noDomain = noHost + "%\x7f"
)

func parseHost(s string, isSpecial bool) (string, bool) {
	if strings.HasPrefix(s, "[") {
		if !strings.HasSuffix(s, "]") {
			return "", false
		}
		a, err := netip.ParseAddr(s[1 : len(s)-1])
		if err != nil || !a.Is6() || a.Zone() != "" {
			return "", false
		}
		return "[" + sixText(a) + "]", true
	}
	if !isSpecial {
		if strings.ContainsAny(s, noHost) {
			return "", false
		}
		return escape(s, inControl), true
	}
	domain := unescape(s)
	if len(domain) > 4096 || !utf8.ValidString(domain) { // names have at most 253 bytes (RFC 1035), these never exist
		return "", false
	}
	ascii, err := strings.ToLower(domain), error(nil)
	if !isASCII(domain) || strings.Contains(ascii, "xn--") {
		ascii, err = domains.ToASCII(domain)
	}
	if err != nil || ascii == "" && s != "" || strings.ContainsAny(ascii, noDomain) || strings.ContainsFunc(ascii, func(r rune) bool { return r < ' ' }) {
		return "", false
	}
	if endsInNumber(ascii) {
		return four(ascii)
	}
	return ascii, true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// sixText never writes the last 32 bits as IPv4, unlike netip.
func sixText(a netip.Addr) string {
	if !a.Is4In6() {
		return a.String()
	}
	b := a.As16()
	hex := func(i int) string { return strconv.FormatUint(uint64(b[i])<<8|uint64(b[i+1]), 16) }
	return "::ffff:" + hex(12) + ":" + hex(14)
}

func endsInNumber(s string) bool {
	s = strings.TrimSuffix(s, ".")
	last := s[strings.LastIndexByte(s, '.')+1:]
	if last == "" {
		return false
	}
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := fourPart(last)
	return ok
}

// four reads an IPv4 address in its older forms: fewer parts, octal, hexadecimal.
func four(s string) (string, bool) {
	parts := strings.Split(strings.TrimSuffix(s, "."), ".")
	if len(parts) > 4 {
		return "", false
	}
	var n uint64
	for i, p := range parts {
		v, ok := fourPart(p)
		if !ok {
			return "", false
		}
		if i < len(parts)-1 {
			if v > 255 {
				return "", false
			}
			n |= v << (8 * (3 - i))
			continue
		}
		if v >= 1<<(8*(5-len(parts))) {
			return "", false
		}
		n |= v
	}
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}).String(), true
}

func fourPart(p string) (uint64, bool) {
	base := 10
	if len(p) >= 2 && strings.HasPrefix(strings.ToLower(p), "0x") {
		p, base = p[2:], 16
	} else if len(p) >= 2 && p[0] == '0' {
		p, base = p[1:], 8
	} else if p == "" {
		return 0, false
	}
	if p == "" {
		return 0, true
	}
	if strings.ContainsAny(p, "+-_") {
		return 0, false
	}
	v, err := strconv.ParseUint(p, base, 64)
	return v, err == nil
}
