package registrar

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
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
	var m members
	if json.Unmarshal([]byte(k.JWK), &m) != nil {
		return ""
	}
	_, public, err := Rules{AllowEd25519: true}.public(m.textOr("kty"), m)
	if err != nil {
		return "" // not a key that ParseKey has read
	}
	der, isOKP := public.(ed25519.PublicKey)
	if !isOKP {
		if der, err = x509.MarshalPKIXPublicKey(public); err != nil {
			return ""
		}
	}
	sum := sha256.Sum256([]byte(base64.StdEncoding.EncodeToString(der)))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// keyIDLength is the length of an id that is made from a key: SHA-256 in base64url.
const keyIDLength = 43

// checkOwnKeyID refuses an id that looks as if it was made from a key, and was not from
// this one: somebody else's key may come to that id. It may have been made by either rule,
// so that a caller who repeats a registration need not know which one is in force.
func checkOwnKeyID(id string, key Key) error {
	if _, err := base64.RawURLEncoding.DecodeString(id); len(id) != keyIDLength || err != nil {
		return nil
	}
	if slices.ContainsFunc(IDRules, func(r IDRule) bool { return r.ClientID(key) == id }) {
		return nil
	}
	return errors.New("has the form of an id that is made from a key, and is not that of this key")
}
