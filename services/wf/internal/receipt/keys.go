package receipt

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jwk"
	"github.com/lestrrat-go/jwx/v2/jws"

	"github.com/countersign/countersign/libs/seal"
)

// Type is the typ of a receipt (RFC 7515, section 4.1.9; RFC 8725, section 3.11).
const Type = "approval-receipt+jwt"

// maxSize is the maximum size of a receipt with its approvals, in bytes.
const maxSize = 64 << 10

// Keys sign receipts with Ed25519 (RFC 8037). The zero value has no keys.
type Keys struct{ secrets []seal.Secret }

// ParseKeys parses 1 to 10 seeds, written as [seal.ParseSecrets] reads them. The first signs.
func ParseKeys(text string) (Keys, error) {
	secrets, err := seal.ParseSecrets(text)
	return Keys{secrets}, err
}

// Format hides the keys in logs.
func (Keys) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[redacted]") }

// Empty reports whether there is no key.
func (k Keys) Empty() bool { return len(k.secrets) == 0 }

// PublicKey is the public part of a key, which verifies receipts for as long as it is published.
type PublicKey struct {
	ID    string
	Value string // base64url without padding, the x of a JWK
}

// Public returns the public keys, the signing one first.
func (k Keys) Public() []PublicKey {
	all := make([]PublicKey, len(k.secrets))
	for i, s := range k.secrets {
		public, _ := ed25519.NewKeyFromSeed(s.Value).Public().(ed25519.PublicKey)
		all[i] = PublicKey{s.ID, base64.RawURLEncoding.EncodeToString(public)}
	}
	return all
}

// SigningKey returns the id of the key that signs.
func (k Keys) SigningKey() string { return k.secrets[0].ID }

// Sign returns the receipt with these claims. Above 64 KiB it replaces the approvals by their number.
func (k Keys) Sign(c Claims) (string, error) {
	token, err := k.sign(Type, c)
	if err == nil && len(token) > maxSize {
		token, err = k.sign(Type, c.truncate())
	}
	return token, err
}

// sign returns a compact JWS of the type with these claims.
func (k Keys) sign(typ string, claims any) (string, error) {
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("encode the claims of %s: %w", typ, err)
	}
	headers := jws.NewHeaders()
	for name, value := range map[string]string{jws.TypeKey: typ, jws.KeyIDKey: k.SigningKey()} {
		if err := headers.Set(name, value); err != nil {
			return "", fmt.Errorf("encode the header of %s: %w", typ, err)
		}
	}
	token, err := jws.Sign(payload, jws.WithKey(jwa.EdDSA, k.private(), jws.WithProtectedHeaders(headers)))
	return string(token), err
}

// private returns the private key that signs.
func (k Keys) private() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(k.secrets[0].Value) }

// JWKS returns public keys as a JWK Set (RFC 7517).
func JWKS(keys []PublicKey) ([]byte, error) {
	set := jwk.NewSet()
	for _, k := range keys {
		raw, err := base64.RawURLEncoding.DecodeString(k.Value)
		if err != nil {
			return nil, fmt.Errorf("public key %s: %w", k.ID, err)
		}
		key, err := jwk.FromRaw(ed25519.PublicKey(raw))
		if err != nil {
			return nil, fmt.Errorf("public key %s: %w", k.ID, err)
		}
		for name, value := range map[string]any{
			jwk.KeyIDKey: k.ID, jwk.AlgorithmKey: jwa.EdDSA, jwk.KeyUsageKey: jwk.ForSignature,
		} {
			if err := key.Set(name, value); err != nil {
				return nil, fmt.Errorf("public key %s: %w", k.ID, err)
			}
		}
		if err := set.AddKey(key); err != nil {
			return nil, fmt.Errorf("public key %s: %w", k.ID, err)
		}
	}
	return json.Marshal(set)
}
