// Package seal encrypts secrets at rest, such as the signing secrets of webhooks.
//
// It protects them in a leaked database, replica or backup without the keys. Each ciphertext is bound
// to its row and column, so write access to the database does not suffice to move a secret into
// another row. It does not protect against an attacker with the keys or with access to the memory
// of the process. It does not hide the length of a secret, and does not detect the return of an
// older ciphertext to its row.
//
// The cipher is AES-256-GCM with random nonces of 96 bits, for which NIST SP
// 800-38D, section 8.3, permits 2^32 encryptions with a key. Rotate it long before: put a
// new key first, seal all secrets that are not [Keys.IsCurrent] again, then remove the old key.
package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

var (
	// ErrNoKey means that no key is configured.
	ErrNoKey = errors.New("no key to seal secrets with")

	// ErrUnknownKey means that a text was sealed with a key that is not configured.
	ErrUnknownKey = errors.New("secret is sealed with an unknown key")

	// ErrDamaged means that the text was not sealed for this place: it was changed, truncated or
	// moved, sealed with another key of the same id, or never sealed.
	ErrDamaged = errors.New("sealed secret is damaged or not from this place")
)

const (
	maxKeys  = 10
	keySize  = 32      // bytes, for AES-256
	overhead = 12 + 16 // bytes of a nonce and a tag
)

// idPattern excludes the colon, which ends an id.
var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Keys seal and open secrets. The zero value has no keys. Keys are safe for concurrent use
// and never printed.
type Keys struct {
	// The first key seals. fmt does not call methods of unexported fields. It can follow this
	// pointer to an id, which is not secret, but not the next one, to the key in aead.
	keys []*key
}

type key struct {
	id   string
	aead cipher.AEAD
}

// Parse parses 1 to 10 keys from text such as k2:BASE64,k1:BASE64. The first key seals, all keys open. Its errors
// are those of [ParseSecrets].
func Parse(text string) (Keys, error) {
	secrets, err := ParseSecrets(text)
	if err != nil {
		return Keys{}, err
	}
	var k Keys
	for i, secret := range secrets {
		aead, err := newAEAD(secret.Value)
		if err != nil {
			return Keys{}, fmt.Errorf("key %d: %w", i+1, err)
		}
		k.keys = append(k.keys, &key{secret.ID, aead})
	}
	return k, nil
}

// Secret is a named secret of 32 bytes.
type Secret struct {
	ID    string
	Value []byte
}

// Format replaces the secret by its id in logs.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.ID+" [redacted]") }

// ParseSecrets parses 1 to 10 secrets from text such as k2:BASE64,k1:BASE64. A secret is 32 bytes in standard base64
// with padding; its id has up to 32 of a-z, 0-9 and the hyphen, and does not begin with a hyphen.
//
// Errors name a secret by its position, from 1, and contain nothing of the text, because the secret can be in the
// place of the id.
func ParseSecrets(text string) ([]Secret, error) {
	if text == "" {
		return nil, ErrNoKey
	}
	parts := strings.Split(text, ",")
	if len(parts) > maxKeys {
		return nil, fmt.Errorf("%d keys are more than %d", len(parts), maxKeys)
	}
	var all []Secret
	for i, part := range parts {
		id, encoded, found := strings.Cut(part, ":")
		if !found || !idPattern.MatchString(id) {
			return nil, fmt.Errorf("key %d: does not begin with an id of a-z, 0-9 and hyphens, and a colon", i+1)
		}
		value, err := parseKey(encoded)
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", i+1, err)
		}
		if same := slices.IndexFunc(all, func(other Secret) bool { return other.ID == id }); same >= 0 {
			return nil, fmt.Errorf("key %d: has the id of key %d", i+1, same+1)
		}
		if same := slices.IndexFunc(all, func(other Secret) bool { return bytes.Equal(other.Value, value) }); same >= 0 {
			return nil, fmt.Errorf("key %d: is key %d under another id", i+1, same+1)
		}
		all = append(all, Secret{id, value})
	}
	return all, nil
}

func parseKey(encoded string) ([]byte, error) {
	secret, ok := decode(base64.StdEncoding, encoded)
	switch {
	case !ok:
		return nil, errors.New("is not in standard base64 with padding")
	case len(secret) != keySize:
		return nil, fmt.Errorf("has %d bytes, and must have %d", len(secret), keySize)
	case bytes.Count(secret, secret[:1]) == keySize:
		return nil, errors.New("is the same byte over and over; make a random one")
	}
	return secret, nil
}

// decode accepts one encoding of each value. The library ignores line breaks and
// trailing bits.
func decode(encoding *base64.Encoding, text string) ([]byte, bool) {
	value, err := encoding.DecodeString(text)
	return value, err == nil && encoding.EncodeToString(value) == text
}

func newAEAD(secret []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// Seal encrypts secret with the first key, bound to place. place is the unique location of the
// text: table, row and column, such as endpoint|42|secret. It is not part of the text.
//
// The text is the id of the key, a colon, and nonce, ciphertext and tag in base64url
// without padding: 4/3 of the secret's length plus 28 bytes, and up to 33 characters more.
// Two calls return different texts. Without keys, Seal returns ErrNoKey.
func (k Keys) Seal(secret []byte, place string) (string, error) {
	if k.IsEmpty() {
		return "", ErrNoKey
	}
	first := k.keys[0]
	box := first.aead.Seal(nil, nil, secret, first.bind(place)) // #nosec G407 -- the cipher generates the nonce
	return first.id + ":" + base64.RawURLEncoding.EncodeToString(box), nil
}

// Open returns the secret of a text that was sealed for place. The error is ErrUnknownKey, with
// the id of the key, or ErrDamaged.
func (k Keys) Open(sealed, place string) ([]byte, error) {
	id, encoded, found := strings.Cut(sealed, ":")
	// The form is checked before the key: an unsealed text can be a secret, and the error must
	// not contain its beginning as an id.
	box, ok := decode(base64.RawURLEncoding, encoded)
	if !found || !ok || len(box) < overhead || !idPattern.MatchString(id) {
		return nil, ErrDamaged
	}
	for _, key := range k.keys {
		if key.id != id {
			continue
		}
		secret, err := key.aead.Open(nil, nil, box, key.bind(place))
		if err != nil {
			return nil, ErrDamaged
		}
		return secret, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownKey, id)
}

// bind returns the additional data of a text: key id and place. It is unambiguous, because an id
// has no colon.
func (k *key) bind(place string) []byte { return []byte(k.id + ":" + place) }

// IsCurrent reports whether sealed has the id of the first key. It does not open it.
func (k Keys) IsCurrent(sealed string) bool {
	return !k.IsEmpty() && strings.HasPrefix(sealed, k.keys[0].id+":")
}

// IsEmpty reports whether no key is configured.
func (k Keys) IsEmpty() bool { return len(k.keys) == 0 }

// Format hides the keys from every verb of fmt, and from slog. Encoders find no exported field.
func (Keys) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[redacted]") }

// NewKey returns a random key in the format of Parse, without an id.
func NewKey() string {
	secret := make([]byte, keySize)
	_, _ = rand.Read(secret) // crashes the program instead of returning an error
	return base64.StdEncoding.EncodeToString(secret)
}
