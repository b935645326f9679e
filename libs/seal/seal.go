// Package seal encrypts the secrets that a service has to keep and to read again,
// such as those that webhooks are signed with.
//
// It protects them where the keys are not: in a leaked database, replica or backup.
// Each text is bound to its place, so write access to the database does not suffice to move a
// secret into another row. It does not protect against an attacker with the keys or with access to
// the memory of the process. It hides neither the length of a secret nor that an
// older text was put back in its own place.
//
// The cipher is AES-256-GCM with random nonces of 96 bits, for which NIST SP
// 800-38D, section 8.3, allows 2^32 texts a key. Change the key long before: put a
// new one first, seal again what is not [Keys.Current], then drop the old one.
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
	// ErrNoKey means that there is no key to seal with.
	ErrNoKey = errors.New("no key to seal secrets with")

	// ErrUnknownKey means that a text was sealed with a key that is not among those
	// given.
	ErrUnknownKey = errors.New("secret is sealed with an unknown key")

	// ErrDamaged means that a text is not what Seal made for this place: it was
	// changed, cut or moved, made with another key of the same id, or never sealed.
	ErrDamaged = errors.New("sealed secret is damaged or not from this place")
)

const (
	maxKeys  = 10
	keySize  = 32      // bytes, for AES-256
	overhead = 12 + 16 // bytes of a nonce and a tag
)

// idPattern has no colon, so an id ends where the first colon is.
var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Keys seal secrets and open them. The zero value has no keys. Keys may be used by
// several goroutines at once and are never printed.
type Keys struct {
	// The first key seals. fmt calls no method of a field that is not exported, as a
	// user of this package may have; it may follow this pointer to an id, which is
	// no secret, but not the next one, to the key in aead.
	keys []*key
}

type key struct {
	id   string
	aead cipher.AEAD
}

// Parse reads 1 to 10 keys from text such as k2:BASE64,k1:BASE64. The first seals,
// all open. A key is 32 bytes in standard base64 with padding; its id has up to 32 of
// a-z, 0-9 and the hyphen, and does not begin with a hyphen.
//
// Errors name a key by its position, from 1, and repeat nothing of the text, where
// the key may stand in the place of the id.
func Parse(text string) (Keys, error) {
	if text == "" {
		return Keys{}, ErrNoKey
	}
	parts := strings.Split(text, ",")
	if len(parts) > maxKeys {
		return Keys{}, fmt.Errorf("%d keys are more than %d", len(parts), maxKeys)
	}
	var k Keys
	var secrets [][]byte
	for i, part := range parts {
		id, encoded, found := strings.Cut(part, ":")
		if !found || !idPattern.MatchString(id) {
			return Keys{}, fmt.Errorf("key %d: does not begin with an id of a-z, 0-9 and hyphens, and a colon", i+1)
		}
		secret, err := parseKey(encoded)
		if err != nil {
			return Keys{}, fmt.Errorf("key %d: %w", i+1, err)
		}
		if same := slices.IndexFunc(k.keys, func(other *key) bool { return other.id == id }); same >= 0 {
			return Keys{}, fmt.Errorf("key %d: has the id of key %d", i+1, same+1)
		}
		if same := slices.IndexFunc(secrets, func(other []byte) bool { return bytes.Equal(other, secret) }); same >= 0 {
			return Keys{}, fmt.Errorf("key %d: is key %d under another id", i+1, same+1)
		}
		aead, err := newAEAD(secret)
		if err != nil {
			return Keys{}, fmt.Errorf("key %d: %w", i+1, err)
		}
		k.keys, secrets = append(k.keys, &key{id, aead}), append(secrets, secret)
	}
	return k, nil
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

// decode accepts one spelling of each value. The library ignores line breaks, and
// bits that are left over.
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

// Seal encrypts secret with the first key, for place alone. place says where the text
// is kept, unlike any other: table, row and column, such as endpoint|42|secret. It is
// not part of the text.
//
// The text is the id of the key, a colon, and nonce, ciphertext and tag in base64url
// without padding: 4/3 of 28 bytes and the secret's, and up to 33 characters more. It
// differs each time. Without keys, Seal returns ErrNoKey.
func (k Keys) Seal(secret []byte, place string) (string, error) {
	if k.Empty() {
		return "", ErrNoKey
	}
	first := k.keys[0]
	box := first.aead.Seal(nil, nil, secret, first.bind(place)) // #nosec G407 -- it makes the nonce itself
	return first.id + ":" + base64.RawURLEncoding.EncodeToString(box), nil
}

// Open returns the secret that Seal was given with the same place. The error is
// ErrUnknownKey, with the id of the key, or ErrDamaged.
func (k Keys) Open(sealed, place string) ([]byte, error) {
	id, encoded, found := strings.Cut(sealed, ":")
	// The form is checked before the key: a text that is not sealed may be a secret,
	// and the error must not show its beginning as an id.
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

// bind is the additional data of a text: a key's id and a place, which no other two
// share, because an id has no colon.
func (k *key) bind(place string) []byte { return []byte(k.id + ":" + place) }

// Current reports whether sealed bears the id of the key that seals now. It does not
// open it.
func (k Keys) Current(sealed string) bool {
	return !k.Empty() && strings.HasPrefix(sealed, k.keys[0].id+":")
}

// Empty reports whether there are no keys.
func (k Keys) Empty() bool { return len(k.keys) == 0 }

// Format hides the keys from fmt, whatever the verb, and from slog. Encoders find no
// exported field.
func (Keys) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[redacted]") }

// NewKey returns a random key in the form that Parse reads, without an id.
func NewKey() string {
	secret := make([]byte, keySize)
	_, _ = rand.Read(secret) // ends the program rather than fail
	return base64.StdEncoding.EncodeToString(secret)
}
