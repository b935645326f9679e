package bearer

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jwk"
	"github.com/lestrrat-go/jwx/v2/jws"

	"github.com/countersign/countersign/libs/seal"
)

// DevIssuer signs tokens for development and tests without an identity provider. Its key file
// signs tokens for every subject: do not use it in production.
type DevIssuer struct {
	key  jwk.Key // private
	jwks []byte
}

// OpenDevIssuer returns the issuer with the private key, a JWK, of the file. It creates a missing
// file, readable by its owner only. Concurrent processes get the same key.
func OpenDevIssuer(path string) (*DevIssuer, error) {
	text, err := seal.SecretFile(path, newDevKey)
	if err != nil {
		return nil, fmt.Errorf("dev issuer: %w", err)
	}
	d, err := parseDevKey([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("dev issuer: key file %s: %w", path, err)
	}
	return d, nil
}

func parseDevKey(data []byte) (*DevIssuer, error) {
	key, err := jwk.ParseKey(data)
	if err != nil {
		return nil, err
	}
	var private ecdsa.PrivateKey
	if err := key.Raw(&private); err != nil || private.Curve != elliptic.P256() {
		return nil, errors.New("not a private EC key on P-256")
	}
	if _, err := private.ECDH(); err != nil { // out of range, or not on the curve
		return nil, err
	}
	// The kid is the thumbprint (RFC 7638).
	err = errors.Join(jwk.AssignKeyID(key), key.Set(jwk.AlgorithmKey, jwa.ES256), key.Set(jwk.KeyUsageKey, jwk.ForSignature))
	if err != nil {
		return nil, err
	}
	public, err := key.PublicKey()
	if err != nil {
		return nil, err
	}
	jwks, err := json.Marshal(map[string][]jwk.Key{"keys": {public}})
	return &DevIssuer{key, jwks}, err
}

// newDevKey returns a new key as a JWK.
func newDevKey() (string, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	key, err := jwk.FromRaw(private)
	if err != nil {
		return "", err
	}
	data, err := json.MarshalIndent(key, "", "  ")
	return string(data), err
}

// JWKS returns the issuer's public key as a JWK Set for [Config].Keys.
func (d *DevIssuer) JWKS() []byte { return d.jwks }

// DevToken is the content of a development token.
type DevToken struct {
	Issuer, Subject, Audience string

	Roles  []string // as Keycloak's realm roles: realm_access.roles
	Scopes []string // scope, joined by spaces

	// Claims are further claims. They override those of the issuer, such as exp.
	Claims map[string]any

	TTL time.Duration // zero means one hour
}

// Issue signs a token with ES256, a new jti and the current time as iat.
func (d *DevIssuer) Issue(t DevToken) (string, error) {
	now := time.Now()
	claims := map[string]any{
		"iss": t.Issuer,
		"aud": t.Audience,
		"sub": t.Subject,
		"iat": now.Unix(),
		"exp": now.Add(cmp.Or(t.TTL, time.Hour)).Unix(),
		"jti": rand.Text(),
	}
	if len(t.Roles) > 0 {
		claims["realm_access"] = map[string]any{"roles": t.Roles}
	}
	if len(t.Scopes) > 0 {
		claims["scope"] = strings.Join(t.Scopes, " ")
	}
	maps.Copy(claims, t.Claims)
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("dev token: %w", err)
	}
	headers := jws.NewHeaders()
	if err := headers.Set(jws.TypeKey, "JWT"); err != nil {
		return "", fmt.Errorf("dev token: %w", err)
	}
	token, err := jws.Sign(payload, jws.WithKey(jwa.ES256, d.key, jws.WithProtectedHeaders(headers)))
	if err != nil {
		return "", fmt.Errorf("dev token: %w", err)
	}
	return string(token), nil
}
