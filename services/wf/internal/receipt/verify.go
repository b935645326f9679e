package receipt

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jwk"
	"github.com/lestrrat-go/jwx/v2/jws"
)

// Expected holds the values that a receipt must have.
type Expected struct {
	Issuer      string
	At          time.Time // an instant from nbf on and before exp
	ContextHash string    // empty for any
	Policy      string    // key; empty for any
}

// Verify returns the claims of a valid receipt. Its errors are one line that names the reason.
func Verify(token string, keys jwk.Set, want Expected) (Claims, error) {
	var c Claims
	payload, err := open(token, Type, keys)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(payload, &c); err != nil {
		return c, errors.New("the claims are not those of a receipt")
	}
	switch {
	case c.Issuer != want.Issuer:
		return c, fmt.Errorf("iss is %q, not %q", c.Issuer, want.Issuer)
	case c.Outcome != "approved":
		return c, fmt.Errorf("outcome is %q, not approved", c.Outcome)
	case want.At.Before(time.Unix(c.NotBefore, 0)):
		return c, fmt.Errorf("the approval begins at %s", time.Unix(c.NotBefore, 0).UTC().Format(time.RFC3339))
	case c.Expires != 0 && !want.At.Before(time.Unix(c.Expires, 0)):
		return c, fmt.Errorf("the approval ended at %s", time.Unix(c.Expires, 0).UTC().Format(time.RFC3339))
	case want.ContextHash != "" && c.ContextHash != want.ContextHash:
		return c, fmt.Errorf("the approved content has context_hash %s, not %s", c.ContextHash, want.ContextHash)
	case want.Policy != "" && c.Policy.Key != want.Policy:
		return c, fmt.Errorf("the policy is %q, not %q", c.Policy.Key, want.Policy)
	}
	return c, nil
}

// open verifies the type and the signature of a compact JWS and returns its payload. It accepts one encoding of each
// token.
func open(token, typ string, keys jwk.Set) ([]byte, error) {
	for part := range strings.SplitSeq(token, ".") {
		raw, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil || base64.RawURLEncoding.EncodeToString(raw) != part {
			return nil, errors.New("not a JWS in compact form")
		}
	}
	message, err := jws.ParseString(token)
	if err != nil || len(message.Signatures()) != 1 {
		return nil, errors.New("not a JWS in compact form")
	}
	header := message.Signatures()[0].ProtectedHeaders()
	switch {
	case header.Type() != typ:
		return nil, fmt.Errorf("typ is %q, not %s", header.Type(), typ)
	case header.Algorithm() != jwa.EdDSA:
		return nil, fmt.Errorf("alg is %q, not EdDSA", header.Algorithm())
	case len(header.Critical()) > 0:
		return nil, errors.New("crit names extensions that it does not have")
	}
	key, found := keys.LookupKeyID(header.KeyID())
	if !found {
		return nil, fmt.Errorf("key %q is not in the JWK Set", header.KeyID())
	}
	payload, err := jws.Verify([]byte(token), jws.WithKey(jwa.EdDSA, key))
	if err != nil {
		return nil, fmt.Errorf("the signature is not that of key %q", header.KeyID())
	}
	return payload, nil
}
