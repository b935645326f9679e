package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// maxURL is the length in bytes beyond which a URL is refused.
const maxURL = 2048

// CheckURL returns an error if the policy's client would not call the URL raw, for a refusal at its
// registration.
//
// A valid URL is absolute, at most 2,048 bytes of printable ASCII, in normal form, and has an allowed scheme,
// host and port and no user. The host is a name in ASCII form (RFC 5891) or an address in the usual notation.
// Other notations that some resolvers accept, such as 127.1 or 0x7f000001, are refused. So are forbidden
// addresses and localhost. CheckURL does not resolve names.
//
// The errors are for the caller: they repeat only the host.
func (p Policy) CheckURL(raw string) error {
	if len(raw) > maxURL {
		return fmt.Errorf("url is longer than %d bytes", maxURL)
	}
	if strings.ContainsFunc(raw, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		return errors.New("url has a character other than printable ASCII")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return errors.New("url is malformed")
	}
	switch {
	case u.Scheme != "https" && !(u.Scheme == "http" && p.AllowHTTP):
		return fmt.Errorf("url scheme %q is not allowed", u.Scheme)
	case u.User != nil:
		return errors.New("url names a user")
	case u.Hostname() == "":
		return errors.New("url has no host")
	case u.String() != raw:
		return errors.New("url is not in its normal form")
	}
	port, err := p.checkPort(u)
	if err != nil {
		return err
	}
	return p.checkHost(u.Hostname(), port)
}

// checkPort returns the port u leads to.
func (p Policy) checkPort(u *url.URL) (uint16, error) {
	text := u.Port()
	switch {
	case strings.HasSuffix(u.Host, ":"):
		return 0, errors.New("url has an empty port")
	case text == "" && u.Scheme == "http":
		text = "80"
	case text == "":
		text = "443"
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 || text[0] == '0' {
		return 0, fmt.Errorf("url port %s is not a number from 1 to 65535", text)
	}
	if ports := p.ports(); ports != nil && !slices.Contains(ports, uint16(port)) {
		return 0, fmt.Errorf("url port %d is not allowed", port)
	}
	return uint16(port), nil
}

// ports returns the ports p allows; nil means all of them.
func (p Policy) ports() []uint16 {
	switch {
	case p.AnyPort:
		return nil
	case len(p.Ports) > 0:
		return p.Ports
	case p.AllowHTTP:
		return []uint16{443, 80}
	}
	return []uint16{443}
}

// checkHost checks a host without name resolution.
func (p Policy) checkHost(host string, port uint16) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" {
			return fmt.Errorf("url host %q has a zone", host)
		}
		return hostError(host, newGuard(p).check(netip.AddrPortFrom(addr, port)))
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil || ascii != name || slices.Contains(strings.Split(name, "."), "") {
		return fmt.Errorf("url host %q is not a host name", host)
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	if isNumber(last) {
		return fmt.Errorf("url host %q is an unusual spelling of an address", host)
	}
	if last == "localhost" { // RFC 6761 §6.3: the name and all below it are loopback
		guard := newGuard(p)
		err := guard.check(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port))
		if err != nil {
			err = guard.check(netip.AddrPortFrom(netip.IPv6Loopback(), port))
		}
		return hostError(host, err)
	}
	return nil
}

// hostError names the refused host without the guard's detail.
func hostError(host string, err error) error {
	if err != nil {
		return fmt.Errorf("url host %q is not allowed", host)
	}
	return nil
}

// isNumber reports whether resolvers can interpret a host with this last label as an IPv4 address
// (WHATWG URL, "ends in a number").
func isNumber(label string) bool {
	if strings.HasPrefix(label, "0x") {
		return strings.Trim(label[2:], "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// WithoutURL drops the URL from an error, since it may hold a secret or the name of a person.
func WithoutURL(err error) error {
	if failure, ok := errors.AsType[*url.Error](err); ok {
		return failure.Err
	}
	return err
}
