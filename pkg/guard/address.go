package guard

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"code.dny.dev/ssrf"

	"github.com/proagentstore/pags/pkg/pags"
)

// Policy says where our own requests may go. The zero Policy: https to public addresses.
type Policy struct {
	// AllowPrivate lets requests reach loopback and private networks, there also by plain http: for a host that runs on the
	// person's own machine. Link-local addresses and cloud metadata stay out of reach.
	AllowPrivate bool
	// AllowHosts are hosts, or host:port, that may resolve to private addresses and be reached by plain http.
	AllowHosts []string
	// AllowHTTP lets requests to public addresses go unencrypted.
	AllowHTTP bool

	public []netip.Prefix // treated as public; for tests, whose public addresses come from a documentation range
}

// ErrAddress is the one answer to every refused address, so that a refusal tells nothing about our network.
var ErrAddress error = pags.Errorf(pags.Invalid, "address not allowed: use https and a public host name")

// metadata is AWS's IPv6 instance metadata range; it lies inside the private fc00::/7.
var metadata = netip.MustParsePrefix("fd00:ec2::/32")

var (
	privateV4 = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"),
		netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("100.64.0.0/10")}
	privateV6 = []netip.Prefix{netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("fc00::/7")}
)

// CheckURL refuses a URL whose text already shows that it must not be reached: another scheme, credentials inside, a
// literal address that is not public, a name for this machine or this network. It resolves nothing; what the name stands
// for is checked when connecting.
func (p Policy) CheckURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.User != nil || u.Host == "" {
		return ErrAddress
	}
	host, port := u.Hostname(), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	switch strings.ToLower(u.Scheme) {
	case "https":
	case "http":
		if !p.AllowHTTP && !p.AllowPrivate && !p.named(host, port) {
			return ErrAddress
		}
	default:
		return ErrAddress
	}
	return p.checkHost(host, port)
}

// checkHost judges a host by its text.
func (p Policy) checkHost(host, port string) error {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if name == "" {
		return ErrAddress
	}
	addr, err := netip.ParseAddr(name)
	if err == nil {
		if !p.allowed(addr, p.named(host, port)) {
			return ErrAddress
		}
		return nil
	}
	// A name whose last label is a number is an address in another spelling (octal, hex, short): WHATWG URL, "ends in a
	// number". Some resolvers take it for one.
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") && strings.Trim(last[2:], "0123456789abcdef") == "" {
		return ErrAddress
	}
	if strings.ContainsAny(name, "%:/\\@ ") {
		return ErrAddress
	}
	if p.AllowPrivate || p.named(host, port) {
		return nil
	}
	for _, own := range []string{"localhost", "local", "internal", "localdomain", "home.arpa"} {
		if name == own || strings.HasSuffix(name, "."+own) {
			return ErrAddress
		}
	}
	return nil
}

// named reports whether the owner listed the host.
func (p Policy) named(host, port string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, allow := range p.AllowHosts {
		allow = strings.ToLower(strings.TrimSpace(allow))
		if strings.Trim(allow, "[]") == host || allow == net.JoinHostPort(host, port) {
			return true
		}
	}
	return false
}

// allowed judges one address. named: the owner listed the host it belongs to.
func (p Policy) allowed(addr netip.Addr, named bool) bool {
	if metadata.Contains(addr) || addr.Zone() != "" {
		return false
	}
	v4, v6 := p.public, []netip.Prefix(nil)
	if p.AllowPrivate || named {
		v4, v6 = append(append([]netip.Prefix{}, v4...), privateV4...), privateV6
	}
	g := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
	return g.SafeAddr(addr) == nil
}

// private reports whether the address is one that plain http may reach without AllowHTTP.
func private(addr netip.Addr) bool {
	for _, list := range [][]netip.Prefix{privateV4, privateV6} {
		for _, net := range list {
			if net.Contains(addr) {
				return true
			}
		}
	}
	return false
}
