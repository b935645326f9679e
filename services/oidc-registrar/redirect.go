package registrar

import (
	"cmp"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxURI is the length in bytes beyond which a URI is refused.
const maxURI = 2048

// reservedParams are the parameters of an authorization response (RFC 6749
// §4.1.2, RFC 9207, JARM, OpenID Connect Core §3.2.2.5). In a redirect URI's own query they would shadow it.
var reservedParams = []string{"code", "state", "error", "error_description", "iss", "response", "id_token", "access_token"}

// CheckRedirectURI says why a client may not be redirected to uri. The message
// completes a sentence that begins with the field's name.
//
// Accepted are https, http to loopback, and private-use schemes in reverse-domain
// form (RFC 8252 §7). Whatever is accepted consists of the characters of RFC 3986
// and has the same scheme, host and port for every parser, browsers' included.
func (r Rules) CheckRedirectURI(uri string) error {
	u, err := parseURI(uri)
	if err != nil {
		return err
	}
	switch {
	case strings.Contains(uri, "#"):
		return errors.New("must not have a fragment")
	case strings.Contains(uri, "*"):
		return errors.New("must not have a wildcard")
	case hasDotSegment(u.Path):
		return errors.New("must not have a dot segment in its path")
	case hasReservedParam(u.RawQuery):
		return errors.New("must not have a query parameter of the authorization response")
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return r.checkPrivateScheme(u)
	}
	if err := checkAuthority(u); err != nil {
		return err
	}
	host := strings.ToLower(u.Hostname())
	switch {
	case r.AllowHTTP || slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, host):
		return nil
	case u.Scheme == "http":
		return errors.New("must be https, or http on loopback")
	case isAddress(host):
		return errors.New("must name its host by a DNS name, not by an address")
	}
	return nil
}

// checkPrivateScheme judges a URI that is neither http nor https.
func (r Rules) checkPrivateScheme(u *url.URL) error {
	labels := strings.Split(u.Scheme, ".")
	switch {
	case len(labels) < 2 || !r.AllowPrivateSchemes:
		return errors.New("has a scheme that is not allowed")
	case slices.ContainsFunc(labels, func(l string) bool { return checkLabel(l) != nil }):
		return errors.New("must have a scheme in reverse-domain form")
	case u.Host != "" && checkHostName(u.Host) != nil:
		return errors.New("must have a plain name, or nothing, between // and the path")
	}
	return nil
}

// CheckLogoURI says why uri cannot be shown as a client's logo. It is never
// fetched here, but a browser will fetch it, so it must lead to a public name.
func (r Rules) CheckLogoURI(uri string) error {
	if uri == "" {
		return errors.New("is missing")
	}
	u, err := parseURI(uri)
	if err != nil {
		return err
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && r.AllowHTTP) {
		return errors.New("must be an https URL")
	}
	if err := checkAuthority(u); err != nil {
		return err
	}
	host := strings.ToLower(u.Hostname())
	if !r.AllowHTTP && (isAddress(host) || host == "localhost" || strings.HasSuffix(host, ".localhost")) {
		return errors.New("must be on a host with a public name")
	}
	return nil
}

// parseURI reads an absolute URI of at most 2,048 bytes that has a path or an
// authority and no user. Only the characters of RFC 3986 are allowed, and no
// escape may hide a control character or a backslash: browsers and servers
// disagree about both.
func parseURI(uri string) (*url.URL, error) {
	if len(uri) > maxURI {
		return nil, errors.New("is longer than 2048 bytes")
	}
	for i := 0; i < len(uri); i++ {
		c := uri[i]
		if c == '%' {
			v, err := strconv.ParseUint(uri[i+1:min(i+3, len(uri))], 16, 8)
			if err != nil || i+3 > len(uri) || v < ' ' || v == 0x7f || v == '\\' {
				return nil, errors.New("has an escape that is not allowed")
			}
		} else if !isURIByte(c) {
			return nil, errors.New("has a character that is not allowed in a URI")
		}
	}
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return nil, errors.New("is not a URI")
	case u.Scheme == "":
		return nil, errors.New("must be an absolute URI")
	case u.Opaque != "" || u.Host == "" && u.Path == "":
		return nil, errors.New("must have a host or a path")
	case u.User != nil:
		return nil, errors.New("must not name a user")
	}
	return u, nil
}

// isURIByte reports whether c may stand in a URI (RFC 3986 §2). The caller checks '%'.
func isURIByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~:/?#[]@!$&'()*+,;=", c) >= 0
}

// checkAuthority judges the host and port of an http or https URL.
func checkAuthority(u *url.URL) error {
	host := u.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil {
		// Only one spelling is allowed: parsers differ about the others.
		if addr.String() != strings.ToLower(host) || addr.Zone() != "" || addr.Is4In6() || addr.Is6() != strings.HasPrefix(u.Host, "[") {
			return errors.New("has an address in an unusual spelling")
		}
	} else if err := checkHostName(host); err != nil {
		return err
	}
	if strings.HasSuffix(u.Host, ":") {
		return errors.New("has an empty port")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || port[0] == '0' {
			return errors.New("has a port that is not a number from 1 to 65535")
		}
	}
	return nil
}

// checkHostName allows a DNS name of letters, digits and hyphens that no parser
// takes for an IPv4 address (WHATWG URL, "ends in a number").
func checkHostName(host string) error {
	if host == "" {
		return errors.New("must have a host")
	}
	if len(host) > 253 {
		return errors.New("has a host that is too long")
	}
	labels := strings.Split(strings.ToLower(host), ".")
	for _, label := range labels {
		if err := checkLabel(label); err != nil {
			return err
		}
	}
	last := labels[len(labels)-1]
	digits, hex := strings.CutPrefix(last, "0x")
	if strings.Trim(last, "0123456789") == "" || hex && strings.Trim(digits, "0123456789abcdef") == "" {
		return errors.New("has an address in an unusual spelling")
	}
	return nil
}

// checkLabel allows a label of a host name (RFC 1123 §2.1).
func checkLabel(label string) error {
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
		strings.Trim(strings.ToLower(label), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return errors.New("must have an ASCII host name")
	}
	return nil
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// hasDotSegment reports whether an unescaped path has a segment that some readers would
// resolve.
func hasDotSegment(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(s string) bool { return s == "." || s == ".." })
}

// hasReservedParam looks for the reserved parameters, with & and with ; as separators.
func hasReservedParam(query string) bool {
	for _, pair := range strings.FieldsFunc(query, func(c rune) bool { return c == '&' || c == ';' }) {
		name, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); err != nil || slices.Contains(reservedParams, name) {
			return true
		}
	}
	return false
}

// repeatedURI returns the index of the first accepted URI that means the same as an
// earlier one, or -1. They may be spelled differently.
func repeatedURI(uris []string) int {
	seen := make(map[url.URL]bool, len(uris))
	for i, uri := range uris {
		u, err := url.Parse(uri)
		if err != nil {
			return -1 // it would have been refused before
		}
		key := url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: cmp.Or(u.Path, "/"), RawQuery: u.RawQuery}
		switch {
		case u.Scheme == "https":
			key.Host = strings.TrimSuffix(key.Host, ":443")
		case u.Scheme == "http":
			key.Host = strings.TrimSuffix(key.Host, ":80")
		}
		if seen[key] {
			return i
		}
		seen[key] = true
	}
	return -1
}
