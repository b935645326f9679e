package web

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
)

// checkHost returns the refusal of a request whose Host the service does not serve, or
// nil. A page of another site cannot read replies of this service, unless that site's name
// resolves to this service's address (DNS rebinding). Then the Host names the site.
func (s *Server) checkHost(r *http.Request) *refusal.Error {
	host := hostname(r.Host)
	served := !s.options.Loopback || IsLoopback(host)
	if served && s.pages.contains(r.URL.Path) && s.pages.Host != "" {
		served = strings.EqualFold(host, s.pages.Host)
	}
	if served {
		return nil
	}
	return &refusal.Error{Reason: Misdirected, Message: "the service is not served at this host"}
}

// hostname returns a Host header without its port and brackets.
func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
}

// IsLoopback reports whether a host name or address without a port is the loopback interface.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
