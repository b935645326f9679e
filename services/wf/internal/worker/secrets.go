package worker

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/services/wf"
)

// The length of a secret in bytes (Standard Webhooks 1.0.0, "Signature scheme").
const (
	minSecret = 24
	maxSecret = 64
)

// Secrets says how each target is signed. The zero value signs nothing, so nothing
// is sent with it.
type Secrets struct {
	endpoints, hosts map[string]signers
}

// signers are the secrets of one target. Every one signs.
type signers []*standardwebhooks.Webhook

// NewSecrets reads the secrets of named endpoints, and those of the hosts to which
// callback URLs may lead: names or IPv4 addresses, without a port.
//
// A secret is written whsec_ and the base64 of 24 to 64 bytes. Several are separated
// by spaces, and a message then carries a signature of each: while a secret is
// being replaced, receivers may know the old one or the new one. The error names
// every target with a bad secret and repeats no secret.
func NewSecrets(endpoints, hosts map[string]string) (Secrets, error) {
	s := Secrets{endpoints: map[string]signers{}, hosts: map[string]signers{}}
	var problems []error
	for name, text := range endpoints {
		keys, err := parseSecrets(text)
		if err != nil {
			problems = append(problems, fmt.Errorf("secret of endpoint %q: %w", name, err))
		}
		s.endpoints[name] = keys
	}
	for host, text := range hosts {
		keys, err := parseSecrets(text)
		if err == nil && (host == "" || strings.ContainsAny(host, ":/@ ")) {
			err = errors.New("want a host without scheme, port or path")
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("secret of callback host %q: %w", host, err))
		}
		s.hosts[strings.ToLower(host)] = keys
	}
	return s, errors.Join(problems...)
}

// Has reports whether there is a secret for the target. Nothing is sent to others.
func (s Secrets) Has(t wf.Target) bool { return len(s.of(t)) > 0 }

// Sign returns the signatures of a message, as its header carries them. It fails for
// a target without a secret.
func (s Secrets) Sign(t wf.Target, id string, at time.Time, payload []byte) (string, error) {
	keys := s.of(t)
	if keys == nil {
		return "", errors.New("there is no secret for the target")
	}
	return keys.sign(id, at, payload)
}

func (s signers) sign(id string, at time.Time, payload []byte) (string, error) {
	signatures := make([]string, len(s))
	for i, signer := range s {
		var err error
		if signatures[i], err = signer.Sign(id, at, payload); err != nil {
			return "", err
		}
	}
	return strings.Join(signatures, " "), nil
}

func (s Secrets) of(t wf.Target) signers {
	if t.Endpoint != "" {
		return s.endpoints[t.Endpoint]
	}
	u, err := url.Parse(t.URL)
	if err != nil {
		return nil
	}
	return s.hosts[strings.ToLower(u.Hostname())]
}

func parseSecrets(text string) (signers, error) {
	var keys signers
	for _, field := range strings.Fields(text) {
		encoded, ok := strings.CutPrefix(field, "whsec_")
		key, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if !ok || err != nil {
			return nil, errors.New("want whsec_ and base64")
		}
		if len(key) < minSecret || len(key) > maxSecret {
			return nil, fmt.Errorf("has %d bytes, want %d to %d", len(key), minSecret, maxSecret)
		}
		signer, err := standardwebhooks.NewWebhookRaw(key)
		if err != nil {
			return nil, err
		}
		keys = append(keys, signer)
	}
	if keys == nil {
		return nil, errors.New("is empty")
	}
	return keys, nil
}
