package bearer

import (
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwk"
)

const (
	maxKeys     = 100
	minRSABits  = 2048 // RFC 7518 §3.3
	maxRSABits  = 8192
	maxStale    = 24 * time.Hour
	maxDocument = 256 << 10 // bytes of a key set or a discovery document
)

// keyID is the key reference in a token's header.
type keyID struct{ kid, alg string }

// keySet is the usable part of a JWK Set. It is immutable except for the cache of the tokens
// verified with its keys.
type keySet struct {
	digest   [sha256.Size]byte // of the document
	keys     map[keyID]any     // public keys
	kids     map[string]bool
	verified *cache
}

// snapshot is a key set with the time of its last successful fetch.
type snapshot struct {
	*keySet
	fetched time.Time
	static  bool // configured, so never stale
}

// isUsable reports whether s may verify tokens; false for nil.
func (s *snapshot) isUsable(now time.Time) bool {
	return s != nil && (s.static || now.Sub(s.fetched) <= maxStale)
}

// parseKeys parses a JWK Set (RFC 7517 §5). It skips keys for another use. A private or symmetric
// key makes the whole set invalid, because its publisher has exposed secrets.
func parseKeys(document []byte) (*keySet, error) {
	object, err := decodeObject(document)
	if err != nil {
		return nil, fmt.Errorf("key set: %w", err)
	}
	list, ok := object["keys"].([]any)
	if !ok {
		return nil, errors.New("key set has no keys member")
	}
	if len(list) > maxKeys {
		return nil, fmt.Errorf("key set has %d keys, more than %d", len(list), maxKeys)
	}
	set := &keySet{
		digest:   sha256.Sum256(document),
		keys:     make(map[keyID]any),
		kids:     make(map[string]bool),
		verified: newCache(),
	}
	for i, element := range list {
		members, ok := element.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("key %d is not an object", i)
		}
		id, key, err := parseKey(members)
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", i, err)
		}
		if _, accepted := algorithms[id.alg]; key == nil || !accepted {
			continue
		}
		if _, exists := set.keys[id]; exists {
			return nil, fmt.Errorf("key %d: second %s key with kid %q", i, id.alg, id.kid)
		}
		set.keys[id] = key
		set.kids[id.kid] = true
	}
	if len(set.keys) == 0 {
		return nil, errors.New("key set has no usable key")
	}
	return set, nil
}

// parseKey parses one JWK. The key is nil if it has another use or type.
func parseKey(jwkMembers map[string]any) (keyID, any, error) {
	text := func(name string) string {
		s, _ := jwkMembers[name].(string)
		return s
	}
	if text("kty") == "oct" {
		return keyID{}, nil, errors.New("a shared secret")
	}
	for _, private := range []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"} {
		if _, ok := jwkMembers[private]; ok {
			return keyID{}, nil, fmt.Errorf("private member %s", private)
		}
	}
	id := keyID{kid: text("kid"), alg: text("alg")}
	natural := naturalAlgorithm(text("kty"), text("crv"))
	if _, ok := jwkMembers["alg"]; !ok {
		id.alg = natural
	}
	suits := id.alg == natural || id.alg == "PS256" && natural == "RS256"
	if natural == "" || !suits || id.kid == "" || len(id.kid) > maxKeyID || !forSignatures(jwkMembers) {
		return keyID{}, nil, nil
	}

	// Only the members of the key are parsed, not its certificates.
	essence := make(map[string]any)
	for _, name := range []string{"kty", "crv", "n", "e", "x", "y"} {
		if value, ok := jwkMembers[name]; ok {
			essence[name] = value
		}
	}
	data, err := json.Marshal(essence)
	if err != nil {
		return keyID{}, nil, err
	}
	parsed, err := jwk.ParseKey(data)
	if err != nil {
		return keyID{}, nil, err
	}
	var key any
	if err := parsed.Raw(&key); err != nil {
		return keyID{}, nil, err
	}
	switch key := key.(type) {
	case *rsa.PublicKey:
		if bits := key.N.BitLen(); bits < minRSABits || bits > maxRSABits {
			return keyID{}, nil, fmt.Errorf("RSA modulus of %d bits", bits)
		}
		if key.E < 3 || key.E%2 == 0 || key.N.Bit(0) == 0 {
			return keyID{}, nil, errors.New("RSA modulus or exponent is out of range")
		}
	case *ecdsa.PublicKey:
		if _, err := key.ECDH(); err != nil { // not on the curve
			return keyID{}, nil, err
		}
	}
	return id, key, nil
}

// naturalAlgorithm returns the algorithm of a key without alg; empty for an unsupported
// type.
func naturalAlgorithm(kty, crv string) string {
	switch {
	case kty == "RSA":
		return "RS256"
	case kty == "EC" && crv == "P-256":
		return "ES256"
	case kty == "OKP" && crv == "Ed25519":
		return "EdDSA"
	}
	return ""
}

// forSignatures reports whether a JWK may verify signatures (RFC 7517 §4.2, §4.3).
func forSignatures(jwkMembers map[string]any) bool {
	if use, ok := jwkMembers["use"]; ok && use != "sig" {
		return false
	}
	operations, ok := jwkMembers["key_ops"]
	return !ok || slices.Contains(stringsOf(operations), "verify")
}
