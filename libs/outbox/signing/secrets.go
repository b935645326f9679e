package signing

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
)

// Secrets are the keys of the configuration: of resolvers by name, and of the hosts of callbacks and
// resolvers. The zero value has no keys, so nothing is sent with it.
type Secrets struct {
	names, hosts map[string][]Key
}

// NewSecrets parses the secrets of names and of hosts. A host is a name or an IPv4 address, without a port.
//
// A secret is whsec_ and the base64 of 24 to 64 bytes. Several are separated by blanks; a message then has
// a signature of each, for the replacement of a secret. The error names every target with an invalid secret
// and contains no secret.
func NewSecrets(names, hosts map[string]string) (Secrets, error) {
	s := Secrets{names: map[string][]Key{}, hosts: map[string][]Key{}}
	var problems []error
	for name, text := range names {
		keys, err := parseSecrets(text)
		if err != nil {
			problems = append(problems, fmt.Errorf("secret of %q: %w", name, err))
		}
		s.names[name] = keys
	}
	for host, text := range hosts {
		keys, err := parseSecrets(text)
		if err == nil && (host == "" || strings.ContainsAny(host, ":/@ ")) {
			err = errors.New("is not a host without scheme, port and path")
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("secret of host %q: %w", host, err))
		}
		s.hosts[strings.ToLower(host)] = keys
	}
	return s, errors.Join(problems...)
}

// Keys returns the keys of a target, by its name or by the host of its URL. Nothing is sent to a target
// without keys.
func (s Secrets) Keys(t outbox.Target) []Key {
	if t.Endpoint != "" {
		return s.names[t.Endpoint]
	}
	u, err := url.Parse(t.URL)
	if err != nil {
		return nil
	}
	return s.hosts[strings.ToLower(u.Hostname())]
}

// Has reports whether the target has a secret. Nothing is sent to other targets.
func (s Secrets) Has(t outbox.Target) bool { return len(s.Keys(t)) > 0 }

// Sign returns the signature header of a message. It fails for a target without a secret.
func (s Secrets) Sign(t outbox.Target, id string, at time.Time, payload []byte) (string, error) {
	return Sign(outbox.SignHMAC, s.Keys(t), id, at, payload)
}

func parseSecrets(text string) ([]Key, error) {
	var keys []Key
	for _, field := range strings.Fields(text) {
		secret, err := parseSecret(field)
		if err != nil {
			return nil, err
		}
		keys = append(keys, Key{secret: secret})
	}
	if keys == nil {
		return nil, errors.New("is empty")
	}
	return keys, nil
}
