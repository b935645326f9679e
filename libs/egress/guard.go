package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"

	"code.dny.dev/ssrf"
)

// never is closed to every policy. A cloud gives the credentials of the machine at
// these addresses, and nothing else there is of use.
var never = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"),    // link-local, metadata of most clouds
	netip.MustParsePrefix("fe80::/10"),         // link-local
	netip.MustParsePrefix("fd00:ec2::254/128"), // AWS metadata
	netip.MustParsePrefix("fd20:ce::254/128"),  // Google Cloud metadata
}

// checkAllowed reports why a policy must not open prefix. A wide IPv6 prefix may
// enclose a metadata address; the guard refuses that address all the same.
func checkAllowed(prefix netip.Prefix) error {
	switch {
	case !prefix.IsValid():
		return errors.New("not a prefix")
	case prefix.Bits() == 0:
		return errors.New("it opens everything")
	case prefix.Addr().Is4In6():
		return errors.New("write the IPv4 prefix instead")
	}
	for _, closed := range never {
		if prefix.Overlaps(closed) && (!closed.IsSingleIP() || prefix.IsSingleIP()) {
			return fmt.Errorf("%s is never open", closed)
		}
	}
	return nil
}

// guard decides which addresses may be dialled.
type guard struct{ table *ssrf.Guardian }

// newGuard returns the guard of p.
func newGuard(p Policy) guard {
	options := []ssrf.Option{ssrf.WithAnyPort()}
	if ports := p.ports(); ports != nil {
		options = append(options, ssrf.WithPorts(ports...))
	}
	var v4, v6 []netip.Prefix
	for _, prefix := range p.Allow {
		if prefix.Addr().Is4() {
			v4 = append(v4, prefix)
		} else {
			v6 = append(v6, prefix)
		}
	}
	options = append(options, ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
	return guard{ssrf.New(options...)}
}

// control is a [net.Dialer]'s Control: it sees each address just before connect.
func (g guard) control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("%w: network %s", ErrBlocked, network)
	}
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: address %q", ErrBlocked, address)
	}
	return g.check(target)
}

// check returns an ErrBlocked unless target may be dialled.
//
// An address that contains an IPv4 address has the rules of that one, so no spelling of
// 127.0.0.1 gets through. A mapped address (RFC 4291 §2.5.5.2) and one behind NAT64
// (RFC 6052) have those rules alone, so that public addresses can be reached from
// networks without IPv4. 6to4 and Teredo addresses also need a policy that opens them.
// An address with a zone is in no prefix, so it is always refused.
func (g guard) check(target netip.AddrPort) error {
	inner, translated := embeddedIPv4(target.Addr())
	if !translated {
		inner = append(inner, target.Addr())
	}
	for _, addr := range inner {
		for _, closed := range never {
			if closed.Contains(addr) {
				return fmt.Errorf("%w: %s is in %s", ErrBlocked, addr, closed)
			}
		}
		if err := g.table.SafeAddrPort(netip.AddrPortFrom(addr, target.Port())); err != nil {
			return fmt.Errorf("%w: %w", ErrBlocked, err)
		}
	}
	return nil
}

var (
	nat64  = ssrf.IPv6NAT64Prefix
	sixTo4 = netip.MustParsePrefix("2002::/16")
	teredo = netip.MustParsePrefix("2001::/32")
)

// embeddedIPv4 returns the IPv4 addresses inside a. translated means that packets to
// a end at the IPv4 address itself, so that a has no place of its own.
func embeddedIPv4(a netip.Addr) (inner []netip.Addr, translated bool) {
	b := a.As16()
	v4 := func(at int) netip.Addr { return netip.AddrFrom4([4]byte(b[at : at+4])) }
	switch {
	case a.Is4():
		return nil, false
	case a.Is4In6(), nat64.Contains(a):
		return []netip.Addr{v4(12)}, true
	case sixTo4.Contains(a): // RFC 3056 §2
		return []netip.Addr{v4(2)}, false
	case teredo.Contains(a): // RFC 4380 §4: the server, and the client with its bits inverted
		client := v4(12).As4()
		for i := range client {
			client[i] ^= 0xff
		}
		return []netip.Addr{v4(4), netip.AddrFrom4(client)}, false
	}
	return nil, false
}
