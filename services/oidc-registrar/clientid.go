package registrar

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
)

// IDRule says how the id of a partner's client is made from its key. Either rule looks at
// the key alone, and at none of the other members of a JWK.
type IDRule string

const (
	// ThumbprintID is the RFC 7638 thumbprint.
	ThumbprintID IDRule = "rfc7638"

	// SubjectKeyID is what partner management does since 1.2.2: SHA-256 of the text that is
	// the base64 of the DER SubjectPublicKeyInfo; of an OKP key, of the base64 of x.
	SubjectKeyID IDRule = "spki"
)

// IDRules are all of them.
var IDRules = []IDRule{ThumbprintID, SubjectKeyID}

// ClientID is the id that the rule makes of a key; that of ThumbprintID by the zero value.
func (r IDRule) ClientID(k Key) string {
	if r != SubjectKeyID {
		return k.Thumbprint
	}
	der, err := k.subject()
	if err != nil {
		return "" // not a key that ParseKey has read
	}
	sum := sha256.Sum256([]byte(base64.StdEncoding.EncodeToString(der)))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// subject is the key as SubjectKeyID takes it.
func (k Key) subject() ([]byte, error) {
	var m jwk
	if err := json.Unmarshal([]byte(k.JWK), &m); err != nil {
		return nil, err
	}
	var octets [4][]byte
	for i, text := range []string{m.N, m.E, m.X, m.Y} {
		var err error
		if octets[i], err = base64.RawURLEncoding.DecodeString(text); err != nil {
			return nil, err
		}
	}
	n, e, x, y := octets[0], octets[1], octets[2], octets[3]
	switch m.Kty + " " + m.Crv {
	case "RSA ":
		return x509.MarshalPKIXPublicKey(&rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())})
	case "EC P-256":
		return subjectEC(elliptic.P256(), x, y)
	case "EC P-384":
		return subjectEC(elliptic.P384(), x, y)
	case "OKP Ed25519":
		return x, nil
	}
	return nil, errors.New("a key of another kind")
}

func subjectEC(curve elliptic.Curve, x, y []byte) ([]byte, error) {
	public, err := ecdsa.ParseUncompressedPublicKey(curve, slices.Concat([]byte{4}, x, y))
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKIXPublicKey(public)
}

// keyIDLength is the length of an id that is made from a key: SHA-256 in base64url.
const keyIDLength = 43

// checkOwnKeyID refuses an id that looks as if it was made from a key, and was not from
// this one: somebody else's key may come to that id. It may have been made by either rule,
// so that a caller who repeats a registration need not know which one is in force.
func checkOwnKeyID(id string, key Key) error {
	if len(id) != keyIDLength || !isBase64URL(id) {
		return nil
	}
	if slices.ContainsFunc(IDRules, func(r IDRule) bool { return r.ClientID(key) == id }) {
		return nil
	}
	return errors.New("has the form of an id that is made from a key, and is not that of this key")
}

func isBase64URL(text string) bool {
	for _, c := range text {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return true
}
