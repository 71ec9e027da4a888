package egress

import (
	"context"
	"net"
	"net/netip"
	"net/url"
)

// reserved are the ranges of the IANA special-purpose registries (RFC 6890 and later) that netip has no question for.
var reserved = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	"5f00::/16", "fec0::/10")

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// public tells whether an address is one of the open internet. Translated IPv4 (NAT64, 6to4) is not: it may lead inside.
func public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range reserved {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// own compares by name, whatever the scheme: http and https of one host and port are one server.
func (g *Gate) own(host, port string) bool {
	for _, raw := range g.rules.OwnOrigins {
		if u, err := url.Parse(raw); err == nil && matches([]string{net.JoinHostPort(u.Hostname(), portOf(u))}, host, port) {
			return true
		}
	}
	return false
}

// ownAddress compares by address: an own origin on this machine can be reached by every name and address of the machine.
// Own origins in public are left to the comparison by name, because their addresses serve other people's sites too.
func (g *Gate) ownAddress(ctx context.Context, a netip.Addr, port string) bool {
	for _, raw := range g.rules.OwnOrigins {
		u, err := url.Parse(raw)
		if err != nil || portOf(u) != port {
			continue
		}
		addrs, err := g.lookup(ctx, u.Hostname())
		if err != nil {
			continue
		}
		for _, mine := range addrs {
			if public(mine) {
				continue
			}
			if mine == a || g.here(mine) && g.here(a) {
				return true
			}
		}
	}
	return false
}

// here tells whether an address leads to this machine: a server on one of them may listen on all.
func (g *Gate) here(a netip.Addr) bool {
	return a.IsLoopback() || a.IsUnspecified() || g.ofThisMachine(a)
}

func ofThisMachine(a netip.Addr) bool {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, entry := range list {
		if p, err := netip.ParsePrefix(entry.String()); err == nil && p.Addr().Unmap().WithZone("") == a {
			return true
		}
	}
	return false
}

// metadata tells whether an address is that of a cloud's instance metadata (AWS, Azure, Google: the first; AWS also fd00:ec2::).
func metadata(a netip.Addr) bool {
	return a == netip.AddrFrom4([4]byte{169, 254, 169, 254}) || a == netip.AddrFrom4([4]byte{169, 254, 170, 2}) ||
		netip.MustParsePrefix("fd00:ec2::/32").Contains(a)
}
