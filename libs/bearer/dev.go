package bearer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// DevIssuer signs tokens for development and tests, where there is no identity
// provider. Its key is a file, so whoever reads the file is anybody he likes: it
// has no place in production.
type DevIssuer struct {
	key    *ecdsa.PrivateKey
	public ecJWK
}

// ecJWK is a P-256 key as a JWK (RFC 7518 §6.2).
type ecJWK struct {
	KeyType   string `json:"kty"`
	Curve     string `json:"crv"`
	KeyID     string `json:"kid,omitempty"`
	Algorithm string `json:"alg,omitempty"`
	Use       string `json:"use,omitempty"`
	X         string `json:"x"`
	Y         string `json:"y"`
	D         string `json:"d,omitempty"`
}

// OpenDevIssuer returns the issuer whose private key, a JWK, is in the file. The
// file is made if there is none, readable by its owner only. Processes that do so
// at the same time end up with the same key.
func OpenDevIssuer(path string) (*DevIssuer, error) {
	d, err := readDevIssuer(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := writeDevKey(path); err != nil {
			return nil, fmt.Errorf("dev issuer: %w", err)
		}
		d, err = readDevIssuer(path)
	}
	if err != nil {
		return nil, fmt.Errorf("dev issuer: %w", err)
	}
	return d, nil
}

func readDevIssuer(path string) (*DevIssuer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file ecJWK
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, err)
	}
	if file.KeyType != "EC" || file.Curve != "P-256" {
		return nil, fmt.Errorf("key file %s: not an EC key on P-256", path)
	}
	secret, err := base64url.DecodeString(file.D)
	if err != nil {
		return nil, fmt.Errorf("key file %s: member d: %w", path, err)
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret)
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, err)
	}
	public, err := publicJWK(key)
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, err)
	}
	return &DevIssuer{key, public}, nil
}

// writeDevKey makes a key and puts it at path, unless something is there by then.
// The file appears whole or not at all.
func writeDevKey(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	private, err := publicJWK(key)
	if err != nil {
		return err
	}
	secret, err := key.Bytes()
	if err != nil {
		return err
	}
	private.D = base64url.EncodeToString(secret)
	data, err := json.MarshalIndent(private, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".dev-issuer-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(append(data, '\n'))
	if err := errors.Join(err, temp.Close()); err != nil {
		return err
	}
	// Unlike a rename, a link never replaces the key another process has made.
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// publicJWK describes the public half of key. Its kid is the thumbprint (RFC 7638).
func publicJWK(key *ecdsa.PrivateKey) (ecJWK, error) {
	point, err := key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		return ecJWK{}, err
	}
	x, y := base64url.EncodeToString(point[1:33]), base64url.EncodeToString(point[33:])
	sum := sha256.Sum256([]byte(`{"crv":"P-256","kty":"EC","x":"` + x + `","y":"` + y + `"}`))
	kid := base64url.EncodeToString(sum[:])
	return ecJWK{KeyType: "EC", Curve: "P-256", KeyID: kid, Algorithm: "ES256", Use: "sig", X: x, Y: y}, nil
}

// JWKS returns the issuer's public key as a JWK Set, fit for [Config].Keys.
func (d *DevIssuer) JWKS() []byte {
	document, err := json.Marshal(map[string][]ecJWK{"keys": {d.public}})
	if err != nil {
		panic(err) // strings always encode
	}
	return document
}

// DevToken is what a development token is to say.
type DevToken struct {
	Issuer, Subject, Audience string

	Roles  []string // as Keycloak's realm roles: realm_access.roles
	Scopes []string // scope, joined by spaces

	// Claims are added; one that the issuer would set, such as exp, is replaced.
	Claims map[string]any

	TTL time.Duration // zero means one hour
}

// Issue signs a token with ES256. It is issued now and has an id of its own.
func (d *DevIssuer) Issue(t DevToken) (string, error) {
	if t.TTL == 0 {
		t.TTL = time.Hour
	}
	now := time.Now()
	claims := map[string]any{
		"iss": t.Issuer,
		"aud": t.Audience,
		"sub": t.Subject,
		"iat": now.Unix(),
		"exp": now.Add(t.TTL).Unix(),
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
	header, err := json.Marshal(map[string]string{"alg": "ES256", "typ": "JWT", "kid": d.public.KeyID})
	if err != nil {
		return "", fmt.Errorf("dev token: %w", err)
	}
	input := base64url.EncodeToString(header) + "." + base64url.EncodeToString(payload)
	digest := sha256.Sum256([]byte(input))
	r, s, err := ecdsa.Sign(rand.Reader, d.key, digest[:])
	if err != nil {
		return "", fmt.Errorf("dev token: %w", err)
	}
	signature := make([]byte, 64) // r, s (RFC 7518 §3.4)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return input + "." + base64url.EncodeToString(signature), nil
}
