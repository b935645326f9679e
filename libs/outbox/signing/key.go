// Package signing signs messages by Standard Webhooks 1.0.0 and stores the keys: those of endpoints
// encrypted in the database, those of callbacks and resolvers in the configuration.
package signing

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/seal"
)

// The length of a secret in bytes (Standard Webhooks 1.0.0, "Signature scheme").
const (
	minSecret = 24
	maxSecret = 64
	newSecret = 32
)

// The prefixes of keys as text: the secret, and the private and the public half of an
// Ed25519 key.
const (
	secretPrefix  = "whsec_"
	privatePrefix = "whsk_"
	publicPrefix  = "whpk_"
)

// Key signs messages. The key of an endpoint has both schemes, so that the scheme can
// change and the key stay. A key of the configuration has only a secret.
type Key struct {
	secret  []byte             // for v1
	private ed25519.PrivateKey // for v1a; may be nil
}

// NewKey returns the key of an endpoint. Its secret is the given one, or a new one if that is empty.
func NewKey(secret string) (Key, error) {
	key := Key{secret: make([]byte, newSecret)}
	_, _ = rand.Read(key.secret) // never fails
	if secret != "" {
		var err error
		if key.secret, err = parseSecret(secret); err != nil {
			return Key{}, err
		}
	}
	_, private, err := ed25519.GenerateKey(nil)
	key.private = private
	return key, err
}

// Secret returns the secret that verifies v1. It is shown once.
func (k Key) Secret() string { return secretPrefix + base64.StdEncoding.EncodeToString(k.secret) }

// PublicKey returns the key that verifies v1a.
func (k Key) PublicKey() string {
	return publicPrefix + base64.StdEncoding.EncodeToString(k.private.Public().(ed25519.PublicKey))
}

// hint returns the end of the secret. It identifies the key and is too short to sign with.
func (k Key) hint() string {
	secret := k.Secret()
	return secret[len(secret)-4:]
}

// CheckSecret refuses a text other than whsec_ and the base64 of 24 to 64 bytes. The error does not contain
// it.
func CheckSecret(text string) error {
	_, err := parseSecret(text)
	return err
}

// parseSecret decodes whsec_ and the base64 of 24 to 64 bytes. The error does not contain the text.
func parseSecret(text string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	secret, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil {
		return nil, errors.New("is not whsec_ and base64")
	}
	if len(secret) < minSecret || len(secret) > maxSecret {
		return nil, fmt.Errorf("has %d bytes, want %d to %d", len(secret), minSecret, maxSecret)
	}
	return secret, nil
}

// Seal encrypts the key for its endpoint. The private half is sealed together with the
// public one, as crypto/ed25519 keeps it: computing the public half takes longer than
// opening the key.
func Seal(keys seal.Keys, endpointID string, k Key) (outbox.SealedKey, error) {
	text := k.Secret() + " " + privatePrefix + base64.StdEncoding.EncodeToString(k.private)
	sealed, err := keys.Seal([]byte(text), place(endpointID))
	return outbox.SealedKey{Sealed: sealed, Hint: k.hint(), PublicKey: k.PublicKey()}, err
}

// Open decrypts the result of Seal.
func Open(keys seal.Keys, endpointID string, sealed outbox.SealedKey) (Key, error) {
	text, err := keys.Open(sealed.Sealed, place(endpointID))
	if err != nil {
		return Key{}, err
	}
	secret, private, _ := strings.Cut(string(text), " ")
	k := Key{}
	k.private, err = base64.StdEncoding.DecodeString(strings.TrimPrefix(private, privatePrefix))
	if err != nil || len(k.private) != ed25519.PrivateKeySize {
		return Key{}, fmt.Errorf("the key of endpoint %s has no private half", endpointID)
	}
	k.secret, err = parseSecret(secret)
	return k, err
}

// EndpointKeys returns the signing keys of an endpoint at a time. It fails if one of them is unavailable, because the
// receiver may reject a message without its signature.
//
// Messages to a chat are not signed. Of fails if the URL of the chat cannot be decrypted.
func EndpointKeys(keys seal.Keys, e outbox.Endpoint, at time.Time) (list []Key, err error) {
	if e.Chat() {
		_, err := OpenURL(keys, e)
		return nil, err
	}
	for _, sealed := range e.Keys(at) {
		key, err := Open(keys, e.ID, sealed)
		if err != nil {
			return nil, err
		}
		list = append(list, key)
	}
	return list, nil
}

// HasKeys reports whether Of would return keys.
func HasKeys(keys seal.Keys, e outbox.Endpoint, at time.Time) bool {
	_, err := EndpointKeys(keys, e, at)
	return err == nil
}

// SealURL encrypts the URL of a chat for its endpoint.
func SealURL(keys seal.Keys, endpointID, url string) (outbox.SealedKey, error) {
	sealed, err := keys.Seal([]byte(url), urlPlace(endpointID))
	return outbox.SealedKey{Sealed: sealed, Hint: url[max(0, len(url)-4):]}, err
}

// OpenURL decrypts the URL of a chat.
func OpenURL(keys seal.Keys, e outbox.Endpoint) (string, error) {
	url, err := keys.Open(e.Key.Sealed, urlPlace(e.ID))
	return string(url), err
}

// urlPlace binds a sealed URL to its endpoint.
func urlPlace(endpointID string) string { return "endpoint|" + endpointID + "|url" }

// Reseal encrypts a sealed key with the first key, unless that has sealed it.
func Reseal(keys seal.Keys, endpointID string, sealed outbox.SealedKey) (outbox.SealedKey, error) {
	if sealed.Sealed == "" || keys.IsCurrent(sealed.Sealed) {
		return sealed, nil
	}
	k, err := Open(keys, endpointID, sealed)
	if err != nil {
		return sealed, err
	}
	return Seal(keys, endpointID, k)
}

// place binds a sealed key to its endpoint: a copy in another row cannot be decrypted.
func place(endpointID string) string { return "endpoint|" + endpointID + "|key" }

// Sign returns the webhook-signature header of a message: one signature per key, or two by both schemes.
func Sign(scheme outbox.SignatureScheme, keys []Key, id string, at time.Time, payload []byte) (string, error) {
	var signatures []string
	for _, k := range keys {
		if scheme != outbox.SignEd25519 {
			signer, err := standardwebhooks.NewWebhookRaw(k.secret)
			if err != nil {
				return "", err
			}
			signature, err := signer.Sign(id, at, payload)
			if err != nil {
				return "", err
			}
			signatures = append(signatures, signature)
		}
		if scheme != outbox.SignHMAC {
			if k.private == nil {
				return "", errors.New("the key has no Ed25519 half for v1a")
			}
			signed := fmt.Appendf(nil, "%s.%d.%s", id, at.Unix(), payload)
			signatures = append(signatures, "v1a,"+base64.StdEncoding.EncodeToString(ed25519.Sign(k.private, signed)))
		}
	}
	if signatures == nil {
		return "", errors.New("there is no key for the target")
	}
	return strings.Join(signatures, " "), nil
}
