package registrar

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// maxURI is the maximum length of a URI in bytes.
const maxURI = 2048

// reservedParams are the parameters of an authorization response (RFC 6749 §4.1.2, RFC 9207, JARM,
// OpenID Connect Core §3.2.2.5). In the query of a redirect URI they would shadow it.
var reservedParams = []string{"code", "state", "error", "error_description", "iss", "response", "id_token", "access_token"}

// CheckRedirectURI returns the reason to refuse uri as a redirect URI. The message completes a
// sentence that begins with the field's name.
//
// It accepts https, http to loopback, and private-use schemes in reverse-domain form (RFC 8252 §7).
// An accepted URI consists of the characters of RFC 3986. Every parser, including those of
// browsers, finds the same scheme, host and port in it.
func (r Rules) CheckRedirectURI(uri string) error {
	scheme := schemeOf(uri)
	named := slices.Contains(r.Schemes, scheme)
	if scheme != "" && scheme != "https" && scheme != "http" && !strings.Contains(scheme, ".") && !named {
		return fmt.Errorf("has the scheme %.40s, which is not accepted: use https, http on loopback, "+
			"or a scheme in reverse-domain form such as com.example.app", scheme)
	}
	u, err := parseURI(uri)
	if err != nil {
		return err
	}
	switch {
	case strings.Contains(uri, "#"):
		return errors.New("must not have a fragment")
	case strings.Contains(uri, "*"):
		return errors.New("must not have a wildcard: register each exact address")
	case hasDotSegment(u.Path):
		return errors.New("must not have a dot segment in its path")
	case hasReservedParam(u.RawQuery):
		return errors.New("must not have a query parameter of the authorization response")
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return checkPrivateScheme(u, named)
	}
	if err := checkAuthority(u); err != nil {
		return err
	}
	host := strings.ToLower(u.Hostname())
	switch {
	case r.AllowHTTP || slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, host):
		return nil
	case u.Scheme == "http":
		return errors.New("must be https, or http on loopback: 127.0.0.1, [::1] or localhost")
	case isAddress(host):
		return errors.New("must name its host by a DNS name, not by an address")
	}
	return nil
}

// checkPrivateScheme checks a URI that is neither http nor https: a private-use scheme, such as
// com.example.app:/cb (RFC 8252 §7.1), or one that a setting names.
func checkPrivateScheme(u *url.URL, named bool) error {
	labels := strings.Split(u.Scheme, ".")
	switch {
	case !named && slices.ContainsFunc(labels, func(l string) bool { return checkLabel(l) != nil }):
		return errors.New("must have a scheme in reverse-domain form, such as com.example.app")
	case u.Host != "" && checkHostName(u.Host) != nil:
		return errors.New("must have a plain name, or nothing, between // and the path")
	}
	return nil
}

// CheckLogoURI returns the reason to refuse uri as a client's logo. This service never fetches it,
// but browsers do, so its host must be a public name.
func (r Rules) CheckLogoURI(uri string) error {
	if uri == "" {
		return errors.New("is missing")
	}
	if scheme := schemeOf(uri); scheme != "https" && !(scheme == "http" && r.AllowHTTP) {
		return errors.New("must be an https URL")
	}
	u, err := parseURI(uri)
	if err != nil {
		return err
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

// refusedSchemes cannot be permitted by a setting: a browser interprets or fetches them.
var refusedSchemes = strings.Fields("https http javascript data file vbscript blob about urn ws wss mailto")

// CheckScheme refuses a scheme that cannot be permitted for redirect URIs.
func CheckScheme(scheme string) error {
	if scheme != strings.ToLower(scheme) || schemeOf(scheme+":") != scheme || scheme == "" || slices.Contains(refusedSchemes, scheme) {
		return fmt.Errorf("%q must be a scheme in lower case, such as cursor, and none of %s", scheme, strings.Join(refusedSchemes, ", "))
	}
	return nil
}

// schemeOf returns the scheme of an absolute URI in lower case, or an empty string (RFC 3986 §3.1).
func schemeOf(uri string) string {
	scheme, _, found := strings.Cut(uri, ":")
	if !found || strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.") != "" {
		return ""
	}
	return strings.ToLower(scheme)
}

// parseURI parses an absolute URI of at most 2,048 bytes that has a path or an authority and no
// user. It accepts only the characters of RFC 3986. It rejects escaped control characters and
// backslashes, since browsers and servers interpret them differently.
func parseURI(uri string) (*url.URL, error) {
	if len(uri) > maxURI {
		return nil, errors.New("is longer than 2048 bytes")
	}
	for i := 0; i < len(uri); i++ {
		c := uri[i]
		if c == '%' {
			v, err := strconv.ParseUint(uri[i+1:min(i+3, len(uri))], 16, 8)
			if err != nil || i+3 > len(uri) || v < ' ' || v == 0x7f || v == '\\' {
				return nil, fmt.Errorf("has the escape %q, which is not accepted", uri[i:min(i+3, len(uri))])
			}
		} else if !isURIByte(c) {
			return nil, wrongCharacter(uri, i)
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

// wrongCharacter returns the refusal of the character at an index, with the ASCII form of an internationalised host.
func wrongCharacter(uri string, at int) error {
	c, _ := utf8.DecodeRuneInString(uri[at:])
	scheme, rest, _ := strings.Cut(uri, "://")
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	host, _, _ := strings.Cut(rest[:end], ":")
	if ascii, err := idna.Lookup.ToASCII(host); err == nil && at < len(scheme)+len("://")+end && c >= utf8.RuneSelf {
		return fmt.Errorf("has the character %q in its host: write the host as %s", c, ascii)
	}
	return fmt.Errorf("has the character %q, which is not accepted in a URI: percent-encode it", c)
}

// isURIByte reports whether c is allowed in a URI (RFC 3986 §2). The caller checks '%'.
func isURIByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~:/?#[]@!$&'()*+,;=", c) >= 0
}

// checkAuthority checks the host and port of an http or https URL.
func checkAuthority(u *url.URL) error {
	host := u.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil {
		// Only the canonical form is allowed: parsers interpret the others differently.
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

// checkHostName accepts a DNS name of letters, digits and hyphens that no parser interprets as an
// IPv4 address (WHATWG URL, "ends in a number").
func checkHostName(host string) error {
	if host == "" {
		return errors.New("must have a host")
	}
	if len(host) > 253 {
		return errors.New("has a host of more than 253 characters")
	}
	if i := strings.IndexFunc(host, func(c rune) bool { return !isHostChar(c) && c != '.' }); i >= 0 {
		return fmt.Errorf("has the character %q in its host: a host name has letters, digits, hyphens and dots", host[i])
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

// checkLabel accepts a label of a host name (RFC 1123 §2.1).
func checkLabel(label string) error {
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
		strings.ContainsFunc(label, func(c rune) bool { return !isHostChar(c) }) {
		return errors.New("must have a host name whose labels have 1 to 63 letters, digits and hyphens, without a hyphen at either end")
	}
	return nil
}

func isHostChar(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-'
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// hasDotSegment reports whether an unescaped path has a dot segment, which some parsers resolve.
func hasDotSegment(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(s string) bool { return s == "." || s == ".." })
}

// hasReservedParam reports whether query has a reserved parameter, with & and with ; as separators.
func hasReservedParam(query string) bool {
	for _, pair := range strings.FieldsFunc(query, func(c rune) bool { return c == '&' || c == ';' }) {
		name, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); err != nil || slices.Contains(reservedParams, name) {
			return true
		}
	}
	return false
}

// repeatedURI returns the index of the first accepted URI that is equivalent to an earlier one, or
// -1. Equivalent URIs can differ in spelling.
func repeatedURI(uris []string) int {
	seen := make(map[url.URL]bool, len(uris))
	for i, uri := range uris {
		u, err := url.Parse(uri)
		if err != nil {
			return -1 // unreachable for an accepted URI
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
