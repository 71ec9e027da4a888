// Package egress is the only way out of the browser: a proxy on loopback that all of Chromium's traffic goes through, so
// that an address rule holds for links, redirects, frames, workers, WebSockets and pop-ups alike. A name is looked up
// here, every address of it is checked, and the connection goes to the address that was checked: a name that changes
// its mind in between (DNS rebinding) gains nothing.
package egress

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Rules are fixed for a machine.
type Rules struct {
	OwnOrigins []string // the platform's own origins, refused whatever else is allowed
	AllowHosts []string // private hosts (host or host:port) that every run on this machine may visit
	// Lookup resolves a name; empty: the system's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
}

// Gate decides about addresses. Runs add what their owner allowed.
type Gate struct {
	rules   Rules
	mu      sync.Mutex
	granted map[string][]string // by holder (an instance)
	notes   []Note
	seq     int64

	ofThisMachine func(netip.Addr) bool
}

// Note is a connection that did not come about, and why.
type Note struct {
	seq     int64
	Target  string // host:port
	Reason  string // a sentence part: "10.0.0.7 is a private address …"
	Refused bool   // by a rule; otherwise the network failed
}

// NewGate makes a gate.
func NewGate(r Rules) *Gate {
	if r.Lookup == nil {
		r.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	return &Gate{rules: r, granted: map[string][]string{}, ofThisMachine: ofThisMachine}
}

// Grant replaces the private hosts that a holder may visit; none takes them away.
func (g *Gate) Grant(holder string, hosts []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(hosts) == 0 {
		delete(g.granted, holder)
		return
	}
	g.granted[holder] = slices.Clone(hosts)
}

// Mark is a point in time for Since.
func (g *Gate) Mark() int64 { g.mu.Lock(); defer g.mu.Unlock(); return g.seq }

// Since answers what did not come about after a mark.
func (g *Gate) Since(mark int64) []Note {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []Note
	for _, n := range g.notes {
		if n.seq > mark {
			list = append(list, n)
		}
	}
	return list
}

const maxNotes = 256

func (g *Gate) note(target, reason string, refused bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seq++
	g.notes = append(g.notes, Note{g.seq, target, reason, refused})
	if len(g.notes) > maxNotes {
		g.notes = g.notes[len(g.notes)-maxNotes:]
	}
}

// Refusal is an address rule that said no.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

// CheckURL tells whether a holder may go to a URL: scheme, own origins, names and their addresses. The error is a
// *Refusal, or a failed lookup.
func (g *Gate) CheckURL(ctx context.Context, holder, raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" && (u.Scheme == "http" || u.Scheme == "https") {
		return &Refusal{"this is not a web address"}
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return &Refusal{fmt.Sprintf("only http and https pages can be opened, not %q", u.Scheme)}
	}
	if reason := g.Denies(holder, raw); reason != "" {
		return &Refusal{reason}
	}
	_, err = g.resolve(ctx, u.Hostname(), portOf(u))
	return err
}

// Denies tells why a holder may not see a document although the proxy let it through: the proxy serves all runs of the
// machine and knows what any of them was granted, not who asks.
func (g *Gate) Denies(holder, raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return ""
	}
	host, port := u.Hostname(), portOf(u)
	g.mu.Lock()
	defer g.mu.Unlock()
	if matches(g.rules.AllowHosts, host, port) || matches(g.granted[holder], host, port) {
		return ""
	}
	for other, hosts := range g.granted {
		if other != holder && matches(hosts, host, port) {
			return net.JoinHostPort(host, port) + " was allowed for another agent, not for this one"
		}
	}
	return ""
}

// resolve answers the addresses that may be dialled for host and port.
func (g *Gate) resolve(ctx context.Context, host, port string) ([]netip.Addr, error) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if g.own(host, port) {
		return nil, &Refusal{"this is the platform's own address, which agents may not open"}
	}
	g.mu.Lock()
	allowed := matches(g.rules.AllowHosts, host, port)
	for _, hosts := range g.granted {
		allowed = allowed || matches(hosts, host, port)
	}
	g.mu.Unlock()

	addrs, err := g.lookup(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("the name %s cannot be found", host)
	}
	for _, a := range addrs {
		if g.ownAddress(ctx, a, port) {
			return nil, &Refusal{"this is the platform's own address under another name, which agents may not open"}
		}
		if metadata(a) {
			return nil, &Refusal{host + " is the address where clouds keep a machine's credentials, which nobody may open"}
		}
		if !allowed && !public(a) {
			if a.String() == host {
				return nil, &Refusal{host + " is a private address; the owner can allow it in the instance's settings"}
			}
			return nil, &Refusal{host + " leads to the private address " + a.String() + "; the owner can allow it in the instance's settings"}
		}
	}
	return addrs, nil
}

func (g *Gate) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a.Unmap().WithZone("")}, nil
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") { // RFC 6761 section 6.3: always loopback
		return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()}, nil
	}
	found, err := g.rules.Lookup(ctx, host)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no address")
	}
	for i := range found {
		found[i] = found[i].Unmap()
	}
	return found, err
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https" || u.Scheme == "wss":
		return "443"
	}
	return "80"
}

// matches compares with entries of the form host or host:port.
func matches(list []string, host, port string) bool {
	host = strings.ToLower(host)
	for _, entry := range list {
		entry = strings.ToLower(strings.TrimSpace(entry))
		if entry == host || entry == "["+host+"]" || entry == net.JoinHostPort(host, port) {
			return true
		}
	}
	return false
}
