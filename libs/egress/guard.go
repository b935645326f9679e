package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"

	"code.dny.dev/ssrf"
)

// never lists the prefixes that no policy can permit. Clouds serve the credentials of the machine at these
// addresses.
var never = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"),    // link-local, metadata of most clouds
	netip.MustParsePrefix("fe80::/10"),         // link-local
	netip.MustParsePrefix("fd00:ec2::254/128"), // AWS metadata
	netip.MustParsePrefix("fd20:ce::254/128"),  // Google Cloud metadata
}

// checkAllowed returns an error if a policy must not permit prefix. A wide IPv6 prefix can contain a metadata
// address; the guard still refuses that address.
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

// control is the Control function of a [net.Dialer]. It checks each address before connect.
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
// The rules of an embedded IPv4 address apply too, so that every notation of 127.0.0.1 is refused. Only those
// rules apply to a mapped address (RFC 4291 §2.5.5.2) and to NAT64 (RFC 6052), so that networks without IPv4
// can reach public addresses. 6to4 and Teredo addresses also require permission of the policy. An address
// with a zone has no prefix and is refused.
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

// embeddedIPv4 returns the IPv4 addresses in a. translated reports that the destination of packets to a is
// the IPv4 address.
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
