package daemon

import (
	"net/url"
	"strings"
)

// IsPageAddress reports whether a text is an address at which browsers reach a service: https, or http on
// loopback, without a path.
func IsPageAddress(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1")
}
