package logtest

import (
	"net/url"
	"strings"
	"testing"
)

// Canary is a part of every private text of a test.
const Canary = "canary"

// CanaryPassword is the password of WithCanaryPassword.
const CanaryPassword = Canary + "-database-password"

// WithCanaryPassword returns a database URL with CanaryPassword. A URL without a user is unchanged.
func WithCanaryPassword(database string) string {
	address, err := url.Parse(database)
	if err != nil || address.User == nil {
		return database
	}
	address.User = url.UserPassword(address.User.Username(), CanaryPassword)
	return address.String()
}

// CheckNoCanary reports outputs that contain Canary. It also reports outputs of less than 1,000 bytes,
// since they do not cover the calls of the test.
func CheckNoCanary(t testing.TB, outputs map[string]string) {
	t.Helper()
	for name, text := range outputs {
		if len(text) < 1000 {
			t.Errorf("%s has only %q", name, text)
		}
		if i := strings.Index(text, Canary); i >= 0 {
			t.Errorf("%s has a private text: …%s…", name, text[max(0, i-200):min(len(text), i+100)])
		}
	}
}
