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

// IDRule derives the id of a partner's client from its key. Both rules use the key material only,
// not the other members of a JWK.
type IDRule string

const (
	// ThumbprintID is the RFC 7638 thumbprint.
	ThumbprintID IDRule = "rfc7638"

	// SubjectKeyID is the rule of partner management since 1.2.2. It is the SHA-256 of the base64
	// text of the DER SubjectPublicKeyInfo; for an OKP key, of the base64 of x.
	SubjectKeyID IDRule = "spki"
)

// IDRules lists every rule.
var IDRules = []IDRule{ThumbprintID, SubjectKeyID}

// ClientID derives the id of k. The zero value of r is ThumbprintID.
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
		return "" // not a key from ParseKey
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

// keyIDLength is the length of an id derived from a key: SHA-256 in base64url.
const keyIDLength = 43

// checkOwnKeyID refuses an id in the form of a derived id that was not derived from this key: it
// could collide with another client's id. It accepts either rule, so that a repeated registration
// does not depend on the rule in force.
func checkOwnKeyID(id string, key Key) error {
	if _, err := base64.RawURLEncoding.DecodeString(id); len(id) != keyIDLength || err != nil {
		return nil
	}
	if slices.ContainsFunc(IDRules, func(r IDRule) bool { return r.ClientID(key) == id }) {
		return nil
	}
	return errors.New("has the form of an id that is made from a key, and is not that of this key")
}
