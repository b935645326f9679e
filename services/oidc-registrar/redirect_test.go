package registrar_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// long returns a URI of exactly n bytes.
func long(n int) string {
	const start = "https://rp.example/"
	return start + strings.Repeat("a", n-len(start))
}

// redirects are redirect URIs and whether they may be registered.
var redirects = map[string]bool{
	"https://rp.example/cb":                   true,
	"https://rp.example":                      true,
	"https://rp.example/":                     true,
	"HTTPS://RP.Example/cb":                   true,
	"https://rp.example:8443/cb":              true,
	"https://rp.example/cb?next=https://evil": true, // a query may hold anything but the response's names
	"https://rp.example/cb?codes=1&a=b;c":     true,
	"https://rp.example/a//cb":                true,
	"https://rp.example/a..b/.well-known/cb":  true,
	"https://rp.example/%41%2f%C3%A9":         true,
	"https://xn--xample-2of.com/":             true,
	"https://localhost.evil.example/":         true, // only a host
	"https://rp.example.com/@evil.example":    true, // after the path begins, @ is a character
	"https://a.b-c.d0.example/cb":             true,
	"https://localhost/cb":                    true,
	"http://127.0.0.1:51004/cb":               true, // RFC 8252 §7.3
	"http://[::1]:51004/cb":                   true,
	"http://localhost:3000/cb":                true,
	"com.example.app:/cb":                     true, // RFC 8252 §7.1
	"io.example.app://oauth":                  true,
	"io.example.app://oauth/cb?x=1":           true,
	"io.example.app:///cb":                    true,
	"com.googleusercontent.apps.123-a1b2:/cb": true,
	long(2048): true,

	"":                                          false,
	"https://rp.example/cb#frag":                false,
	"https://rp.example/cb#":                    false,
	"https://user:pw@rp.example/":               false,
	"https://user@rp.example/":                  false,
	"https://rp.example/cb?id_token=x":          false,
	"https://rp.example/cb?a=b&access_token=":   false,
	"https://rp.example/cb?error%5Fdescription": false,
	"https://@rp.example/":                      false,
	"https://*.rp.example/cb":                   false,
	"https://rp.example/*":                      false,
	"https://rp.example/cb?x=*":                 false,
	"javascript:alert(1)":                       false,
	"javascript://rp.example/%0aalert(1)":       false,
	"data:text/html,x":                          false,
	"vbscript:x":                                false,
	"file:///etc/passwd":                        false,
	"blob:https://rp.example/1":                 false,
	"about:blank":                               false,
	"urn:ietf:wg:oauth:2.0:oob":                 false,
	"ftp://rp.example/":                         false,
	"myapp://cb":                                false,
	"http://rp.example/cb":                      false,
	"http://localhost.rp.example/cb":            false,
	"http://127.0.0.2/cb":                       false,
	"http://127.1/cb":                           false,
	"http://2130706433/":                        false,
	"http://0x7f000001/":                        false,
	"http://0177.0.0.1/":                        false,
	"http://[::ffff:127.0.0.1]/":                false,
	"http://[0:0:0:0:0:0:0:1]/":                 false,
	"http://[::1%25eth0]/":                      false,
	"http://::1/cb":                             false,
	"https://1.2.3.4/cb":                        false,
	"https://[2001:db8::1]/cb":                  false,
	"https://rp.example.0x1/":                   false,
	"https://rp.1/":                             false,
	"https://rp.example/cb?code=x":              false,
	"https://rp.example/cb?a=b&state=x":         false,
	"https://rp.example/cb?a=b;iss=x":           false,
	"https://rp.example/cb?%65rror=x":           false,
	"https://rp.example/cb?response":            false,
	"https://rp.example:0/":                     false,
	"https://rp.example:/":                      false,
	"https://rp.example:65536/":                 false,
	"https://rp.example:0443/":                  false,
	"https://rp.example:https/":                 false,
	"//rp.example/cb":                           false,
	"/cb":                                       false,
	"rp.example/cb":                             false,
	"https:///cb":                               false,
	"https:/rp.example/cb":                      false,
	"https:rp.example/cb":                       false,
	"https://":                                  false,
	"https://.rp.example/":                      false,
	"https://rp..example/":                      false,
	"https://rp.example./":                      false,
	"https://-rp.example/":                      false,
	"https://rp_1.example/":                     false,
	"https://" + strings.Repeat("a", 64) + ".e": false,
	"https://rp.example/a/../cb":                false,
	"https://rp.example/a/%2e%2E/cb":            false,
	"https://rp.example/a%2f..%2fcb":            false,
	"https://rp.example/./cb":                   false,
	"https://rp.example/..":                     false,
	`https://rp.example\@evil.example/`:         false,
	"https://rp.example/%5c@evil.example":       false,
	"https://rp.example/a\tb":                   false,
	"https://rp.example/a\nb":                   false,
	" https://rp.example/":                      false,
	"https://rp.example/ ":                      false,
	"https://rp.example/\x00":                   false,
	"https://rp.example/%00":                    false,
	"https://rp.example/%0d%0aSet-Cookie:x":     false,
	"https://rp.example/%7f":                    false,
	"https://rp.example/%zz":                    false,
	"https://rp.example/%4":                     false,
	"https://rp.example/%+1":                    false,
	"https://\u0435xample.com/":                 false, // Cyrillic
	"https://rp.example/\u00e9":                 false,
	"https://rp\u3002example/":                  false,
	"https://rp.example\u2044evil/":             false,
	"https://%65xample.com/":                    false,
	"https://rp.example/<x>":                    false,
	`https://rp.example/"`:                      false,
	"https://rp.example/{x}":                    false,
	"com.example.app:cb":                        false,
	"com.example.app:":                          false,
	"com..app:/cb":                              false,
	"com.example-:/cb":                          false,
	"com.example.app://user@x/cb":               false,
	"com.example.app://x:80/cb":                 false,
	"com.example.app:/a/../b":                   false,
	"com.example.app:/cb#x":                     false,
	"com.ex+mple.app:/cb":                       false,
	long(2049):                                  false,
}

func TestRedirectURIs(t *testing.T) {
	for uri, want := range redirects {
		if err := registrar.DefaultRules().CheckRedirectURI(uri); (err == nil) != want {
			t.Errorf("%q: %v; want it accepted: %t", uri, err, want)
		}
	}
}

func TestDevelopmentRulesForURIs(t *testing.T) {
	rules := registrar.DefaultRules()
	rules.AllowHTTP = true
	for uri, want := range map[string]bool{
		"http://rp.example/cb":       true,
		"https://1.2.3.4/cb":         true,
		"https://[2001:db8::1]/cb":   true,
		"http://2130706433/":         false,
		"http://127.1/cb":            false,
		"http://[::ffff:127.0.0.1]/": false,
		"ftp://rp.example/":          false,
	} {
		if err := rules.CheckRedirectURI(uri); (err == nil) != want {
			t.Errorf("redirect %q: %v", uri, err)
		}
		if err := rules.CheckLogoURI(uri); (err == nil) != want {
			t.Errorf("logo %q: %v", uri, err)
		}
	}
}

func TestLogoURIs(t *testing.T) {
	for uri, want := range map[string]bool{
		"https://rp.example/logo.png":                   true,
		"https://cdn.example/l.svg?v=1#icon":            true,
		"":                                              false,
		"javascript:alert(1)":                           false,
		"data:image/svg+xml,x":                          false,
		"file:///logo.png":                              false,
		"http://rp.example/logo.png":                    false,
		"http://localhost/logo.png":                     false,
		"https://user:pw@rp.example/":                   false,
		"https://169.254.169.254/":                      false,
		"https://localhost/":                            false,
		"https://rp.localhost/":                         false,
		"https://[::ffff:10.0.0.1]/":                    false,
		"https://[2001:db8::1]/":                        false,
		"https://2852039166/":                           false,
		long(2049):                                      false,
		"https://rp.example/a\x01":                      false,
		"https:///logo.png":                             false,
		"https:":                                        false,
		"ftp://rp.example/l.png":                        false,
		"https://\u0435xample.com/l.png":                false,
		`https://rp.example/logo.png"><script>`:         false,
		"com.example.app:/logo.png":                     false,
		"https://rp.example:0/l.png":                    false,
		"https://rp.example/l.png%0d%0aX:1":             false,
		"https://rp.example/" + strings.Repeat(`\`, 3):  false,
		"https://" + strings.Repeat("a.", 130) + "/":    false,
		"https://" + strings.Repeat("a.", 130) + "e/":   false,
		"https://" + strings.Repeat("a.", 120) + "e/ok": true,
	} {
		if err := registrar.DefaultRules().CheckLogoURI(uri); (err == nil) != want {
			t.Errorf("%q: %v; want it accepted: %t", uri, err, want)
		}
	}
}

// FuzzRedirectURI holds accepted URIs to what makes them safe: Go and browsers
// agree on where they lead.
func FuzzRedirectURI(f *testing.F) {
	for uri := range redirects {
		f.Add(uri, false)
		f.Add(uri, true)
	}
	f.Fuzz(func(t *testing.T, uri string, development bool) {
		rules := registrar.DefaultRules()
		rules.AllowHTTP = development
		if rules.CheckRedirectURI(uri) != nil {
			return
		}
		if len(uri) > 2048 || strings.ContainsAny(uri, "#*\\ \t\r\n\x00") {
			t.Fatalf("%q accepted", uri)
		}
		ours, err := url.Parse(uri)
		if err != nil {
			t.Fatalf("%q accepted, but net/url: %v", uri, err)
		}
		theirs, err := whatwg.Parse(uri)
		if err != nil {
			// A label that is no Punycode leads nowhere, which is safe.
			if !strings.Contains(strings.ToLower(ours.Host), "xn--") {
				t.Fatalf("%q accepted, but WHATWG: %v", uri, err)
			}
			return
		}
		scheme := strings.ToLower(ours.Scheme)
		if got := theirs.Scheme(); got != scheme {
			t.Errorf("%q: scheme %q, WHATWG %q", uri, scheme, got)
		}
		host := strings.ToLower(ours.Hostname())
		if got := strings.ToLower(strings.Trim(theirs.Hostname(), "[]")); got != host {
			t.Errorf("%q: host %q, WHATWG %q", uri, host, got)
		}
		port := ours.Port()
		if scheme == "https" && port == "443" || scheme == "http" && port == "80" {
			port = "" // WHATWG leaves out the default
		}
		if got := theirs.Port(); got != port {
			t.Errorf("%q: port %q, WHATWG %q", uri, port, got)
		}
		if theirs.Username() != "" || theirs.Password() != "" || ours.User != nil {
			t.Errorf("%q accepted with a user", uri)
		}
		if got := strings.TrimSuffix(theirs.Pathname(), "/"); got != strings.TrimSuffix(ours.EscapedPath(), "/") {
			t.Errorf("%q: path %q, WHATWG %q", uri, ours.EscapedPath(), got)
		}
		if addr, err := netip.ParseAddr(host); err == nil && !development && !addr.IsLoopback() {
			t.Errorf("%q accepted with an address", uri)
		}
		if scheme == "http" && !development && host != "localhost" && host != "127.0.0.1" && host != "::1" {
			t.Errorf("%q accepted without TLS", uri)
		}
	})
}
