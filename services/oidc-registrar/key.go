package registrar

import (
	"bytes"
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha1" // #nosec G505 -- x5t is a SHA-1 thumbprint (RFC 7517, section 4.8)
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/plaintext"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
)

// Key is a client's public key, reduced to the members that this service supports. Keys are equal
// with == if no member differs; two keys with the same Thumbprint are the same key under different
// names. The zero value is no key.
type Key struct {
	// JWK is the key as JSON (RFC 7517): the members of RFC 7638 and kid, and
	// alg and use if they were given, in alphabetical order.
	JWK string

	// Thumbprint is the base64url SHA-256 thumbprint (RFC 7638 §3). It is unique among clients.
	Thumbprint string

	// ID is the kid, or the Thumbprint if the request has no kid.
	ID string
}

// Set returns the key as a JWK Set (RFC 7517 §5).
func (k Key) Set() string { return `{"keys":[` + k.JWK + `]}` }

// SigningAlg is the signing algorithm of the key (RFC 7518 §3.1): its alg, or the default of its
// type.
func (k Key) SigningAlg() string {
	var m jwk
	if json.Unmarshal([]byte(k.JWK), &m) != nil {
		return ""
	}
	usual := map[string]string{"RSA": "RS256", "EC P-256": "ES256", "EC P-384": "ES384", "OKP Ed25519": "EdDSA"}
	return cmp.Or(m.Alg, usual[strings.TrimSpace(m.Kty+" "+m.Crv)])
}

// SigningAlgs returns the signing algorithms that the key allows. It is empty for a key that cannot
// sign.
func (k Key) SigningAlgs() []string {
	var m jwk
	if json.Unmarshal([]byte(k.JWK), &m) != nil {
		return nil
	}
	return signing.algs[cmp.Or(m.Crv, m.Kty)]
}

// jwk has the members of a public key in the order of RFC 7638 §3.3.
type jwk struct {
	Alg string `json:"alg,omitempty"`
	Crv string `json:"crv,omitempty"`
	E   string `json:"e,omitempty"`
	Kid string `json:"kid,omitempty"`
	Kty string `json:"kty"`
	N   string `json:"n,omitempty"`
	Use string `json:"use,omitempty"`
	X   string `json:"x,omitempty"`
	Y   string `json:"y,omitempty"`
}

// maxJWK is the maximum size of a key in bytes. A certificate chain fits.
const maxJWK = 32 << 10

const exampleJWK = `{"kty":"EC","crv":"P-256","x":"…","y":"…"}`

// maxKeyID is the maximum length of a kid in characters.
const maxKeyID = 256

// The private members of RFC 7518 §6.2.2, §6.3.2 and §6.4, and of RFC 8037 §2.
var privateMembers = []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"}

// ParseKey parses the publicKey of a registration. dropped reports that private members were
// removed, which only happens with Rules.DropPrivate.
//
// A refusal is an *Error with MissingKey, InvalidKey or PrivateKey; its message names members and
// never contains a value. The cost is bounded: there is no arithmetic on a modulus over 4096 bits.
func (r Rules) ParseKey(raw []byte) (key Key, dropped bool, err error) {
	return r.parseKey(raw, signing)
}

// ParseEncKey parses an encPublicKey by the same rules, but for use and algorithms. It returns an
// empty text for empty input and null.
func (r Rules) ParseEncKey(raw []byte) (string, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	key, _, err := r.parseKey(raw, encryption)
	return key.JWK, err
}

func (r Rules) parseKey(raw []byte, use keyUse) (key Key, dropped bool, err error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null" || isEmptyObject(raw):
		return Key{}, false, refusal.New(MissingKey, "is missing")
	case len(raw) > maxJWK:
		return Key{}, false, badKey("is longer than %d bytes", maxJWK)
	case strictjson.Check(raw, strictjson.Limits{Depth: 8, Members: 100}) != nil:
		return Key{}, false, badKey("is not strict JSON: one object, no member twice")
	case raw[0] == '"' && bytes.Contains(raw, []byte("PRIVATE KEY")):
		return Key{}, false, refusal.New(PrivateKey, "is a private key")
	case raw[0] == '"' && bytes.Contains(raw, []byte("-----BEGIN")):
		return Key{}, false, badKey("is PEM: send the key as a JSON Web Key, an object such as %s", exampleJWK)
	case raw[0] != '{':
		return Key{}, false, badKey("must be one JSON Web Key, an object such as %s", exampleJWK)
	}
	var m members
	if err := json.Unmarshal(raw, &m); err != nil {
		return Key{}, false, badKey("must be one JSON Web Key")
	}
	if m.has("keys") {
		return Key{}, false, badKey("is a JWK Set: send one element of its keys")
	}
	kty, err := m.text("kty")
	if err != nil {
		return Key{}, false, err
	}
	if kty == "oct" {
		return Key{}, false, refusal.New(PrivateKey, "is a symmetric key, which is a secret")
	}
	private := m.private()
	if private != "" && !r.DropPrivate {
		return Key{}, false, refusal.New(PrivateKey, "has the private member %s", private)
	}
	key, err = r.parsePublic(kty, m, use) // drops every private member
	return key, private != "", err
}

// keyUse is the purpose of a key: its accepted use, key_ops and alg.
type keyUse struct {
	use  string
	ops  []string // accepted only as a single element
	algs map[string][]string
}

// The algorithms are by kty, or by crv for a curve.
var (
	signing = keyUse{"sig", []string{"verify"}, map[string][]string{
		"RSA": {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}, "P-256": {"ES256"}, "P-384": {"ES384"}, "Ed25519": {"EdDSA", "Ed25519"},
	}}
	encryption = keyUse{"enc", []string{"encrypt", "wrapKey", "deriveKey", "deriveBits"}, map[string][]string{
		"RSA": {"RSA-OAEP", "RSA-OAEP-256", "RSA-OAEP-384", "RSA-OAEP-512"}, "P-256": ecdh, "P-384": ecdh,
	}}
	ecdh = []string{"ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW"}
)

func isEmptyObject(raw []byte) bool {
	return raw[0] == '{' && len(raw) >= 2 && raw[len(raw)-1] == '}' && len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0
}

// parsePublic parses the public members.
func (r Rules) parsePublic(kty string, m members, use keyUse) (Key, error) {
	k, public, err := r.public(kty, m)
	if err != nil {
		return Key{}, err
	}
	mark := thumbprint(k)
	if leakedKeys[mark] {
		return Key{}, badKey("is not secret: its private key has been published")
	}
	if n, ok := public.(*rsa.PublicKey); ok {
		if err := checkModulus(n.N); err != nil {
			return Key{}, err
		}
	}
	if err := m.checkCertificates(public); err != nil {
		return Key{}, err
	}
	if err := m.checkUse(&k, use); err != nil {
		return Key{}, err
	}
	if k.Kid = mark; m.has("kid") {
		if k.Kid, err = m.text("kid"); err != nil {
			return Key{}, err
		}
		if n := utf8.RuneCountInString(k.Kid); n > maxKeyID || strings.TrimSpace(k.Kid) == "" {
			return Key{}, badKey("must have a kid of 1 to %d characters that are not all white space", maxKeyID)
		}
		if err := plaintext.Check(k.Kid); err != nil {
			return Key{}, badKey("has a kid that %s", err)
		}
	}
	return Key{JWK: string(k.encode()), Thumbprint: mark, ID: k.Kid}, nil
}

// public parses the members that form the key, and no others.
func (r Rules) public(kty string, m members) (jwk, publicKey, error) {
	switch kty {
	case "RSA":
		return parseRSA(m)
	case "EC":
		return parseEC(m)
	case "OKP":
		return r.parseOKP(m)
	}
	return jwk{}, nil, badKey("has %s, which is not accepted; permitted: RSA, EC", memberOfKey("kty", kty))
}

// thumbprint returns the RFC 7638 thumbprint of a key that has only the members of the thumbprint.
func thumbprint(k jwk) string {
	sum := sha256.Sum256(k.encode())
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// publicKey is the common interface of the public key types of crypto.
type publicKey interface {
	Equal(crypto.PublicKey) bool
}

func (k jwk) encode() []byte {
	b, err := json.Marshal(k)
	if err != nil {
		panic(err) // a struct of strings
	}
	return b
}

// parseRSA parses an RSA key (RFC 7518 §6.3.1) of 2048 to 4096 bits. It drops leading zero octets,
// which some libraries write.
func parseRSA(m members) (jwk, publicKey, error) {
	n, err := m.octets("n")
	if err != nil {
		return jwk{}, nil, err
	}
	e, err := m.octets("e")
	if err != nil {
		return jwk{}, nil, err
	}
	n, e = bytes.TrimLeft(n, "\x00"), bytes.TrimLeft(e, "\x00")
	if len(n) > maxModulus/8 {
		return jwk{}, nil, badKey("has a modulus of more than %d bits", maxModulus)
	}
	if !bytes.Equal(e, []byte{1, 0, 1}) {
		return jwk{}, nil, badKey("must have the exponent 65537")
	}
	modulus := new(big.Int).SetBytes(n)
	if modulus.BitLen() < minModulus {
		return jwk{}, nil, badKey("has a modulus of fewer than %d bits", minModulus)
	}
	k := jwk{Kty: "RSA", N: base64.RawURLEncoding.EncodeToString(n), E: base64.RawURLEncoding.EncodeToString(e)}
	return k, &rsa.PublicKey{N: modulus, E: 65537}, nil
}

// parseEC parses a key on P-256 or P-384 (RFC 7518 §6.2.1).
func parseEC(m members) (jwk, publicKey, error) {
	crv, err := m.text("crv")
	if err != nil {
		return jwk{}, nil, err
	}
	var curve elliptic.Curve
	switch crv {
	case "P-256":
		curve = elliptic.P256()
	case "P-384":
		curve = elliptic.P384()
	default:
		return jwk{}, nil, badKey("has %s, which is not accepted; permitted: P-256, P-384", memberOfKey("crv", crv))
	}
	x, err := m.octets("x")
	if err != nil {
		return jwk{}, nil, err
	}
	y, err := m.octets("y")
	if err != nil {
		return jwk{}, nil, err
	}
	if size := curve.Params().BitSize / 8; len(x) != size || len(y) != size {
		return jwk{}, nil, badKey("must have coordinates of %d octets", size)
	}
	// This rejects unreduced coordinates and points off the curve.
	public, err := ecdsa.ParseUncompressedPublicKey(curve, slices.Concat([]byte{4}, x, y))
	if err != nil {
		return jwk{}, nil, badKey("is not a point on %s", crv)
	}
	k := jwk{Kty: "EC", Crv: crv, X: base64.RawURLEncoding.EncodeToString(x), Y: base64.RawURLEncoding.EncodeToString(y)}
	return k, public, nil
}

// parseOKP parses an Ed25519 key (RFC 8037 §2).
func (r Rules) parseOKP(m members) (jwk, publicKey, error) {
	crv, err := m.text("crv")
	if err != nil {
		return jwk{}, nil, err
	}
	if crv != "Ed25519" || !r.AllowEd25519 {
		return jwk{}, nil, badKey("has %s, which is not accepted; permitted: P-256, P-384", memberOfKey("crv", crv))
	}
	x, err := m.octets("x")
	if err != nil {
		return jwk{}, nil, err
	}
	if !isStrongEd25519(x) {
		return jwk{}, nil, badKey("is not a point of large order on Ed25519")
	}
	k := jwk{Kty: "OKP", Crv: crv, X: base64.RawURLEncoding.EncodeToString(x)}
	return k, ed25519.PublicKey(x), nil
}

// checkUse checks the members for the purpose of the key, and copies use and alg to k.
func (m members) checkUse(k *jwk, use keyUse) (err error) {
	if use.use == encryption.use {
		k.Use = use.use // distinguishes it from a key for signing
	}
	algs := use.algs[cmp.Or(k.Crv, k.Kty)]
	if algs == nil {
		return badKey("has a kty that is not allowed")
	}
	for _, name := range []string{"x5u", "jku"} {
		if m.has(name) {
			return badKey("must not have %s, since nothing is fetched", name)
		}
	}
	if m.has("use") {
		if k.Use, err = m.text("use"); err != nil {
			return err
		}
		if k.Use != use.use {
			return badKey("has %s, which must be %s", memberOfKey("use", k.Use), use.use)
		}
	}
	if m.has("key_ops") {
		var ops []string
		// The Web Cryptography API exports the public key of a pair for signing with an empty list.
		if json.Unmarshal(m["key_ops"], &ops) != nil || len(ops) > 1 || len(ops) == 1 && !slices.Contains(use.ops, ops[0]) {
			return badKey("must have the key_ops %s alone", strings.Join(use.ops, " or "))
		}
	}
	if m.has("alg") {
		if k.Alg, err = m.text("alg"); err != nil {
			return err
		}
		if !slices.Contains(algs, k.Alg) {
			return badKey("has %s, which does not fit the key; permitted: %s", memberOfKey("alg", k.Alg), strings.Join(algs, ", "))
		}
	}
	return nil
}

// checkCertificates compares x5c with the key (RFC 7517 §4.7) and the certificate thumbprints with
// x5c. It does not verify the chain and keeps none of these members: the key is trusted because its
// owner registered it.
func (m members) checkCertificates(public publicKey) error {
	if !m.has("x5c") {
		return nil
	}
	var chain []string
	if json.Unmarshal(m["x5c"], &chain) != nil || len(chain) == 0 {
		return badKey("has an x5c that is not a list of certificates")
	}
	der, err := base64.StdEncoding.Strict().DecodeString(chain[0])
	if err != nil {
		return badKey("has an x5c that is not base64")
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil || !public.Equal(cert.PublicKey) {
		return badKey("has an x5c for another key")
	}
	old, current := sha1.Sum(der), sha256.Sum256(der) // #nosec G401 -- compared, not trusted
	for name, sum := range map[string][]byte{"x5t": old[:], "x5t#S256": current[:]} {
		if !m.has(name) {
			continue
		}
		if got, err := m.octets(name); err != nil || !bytes.Equal(got, sum) {
			return badKey("has an %s of another certificate", name)
		}
	}
	return nil
}

// members are the unparsed members of a JWK.
type members map[string]json.RawMessage

func (m members) has(name string) bool { return m[name] != nil }

// private returns the name of the first private member, or an empty string. The comparison ignores
// case.
func (m members) private() string {
	for _, name := range privateMembers {
		for given := range m {
			if strings.EqualFold(given, name) {
				return name
			}
		}
	}
	return ""
}

// text returns a required string member.
func (m members) text(name string) (string, error) {
	var s *string
	if !m.has(name) {
		return "", badKey("has no %s", name)
	}
	if json.Unmarshal(m[name], &s) != nil || s == nil {
		return "", badKey("has a %s that is not a string", name)
	}
	return *s, nil
}

// octets returns a required member in base64url without padding (RFC 7515 §2), in its canonical
// encoding.
func (m members) octets(name string) ([]byte, error) {
	s, err := m.text(name)
	if err != nil {
		return nil, err
	}
	// The decoder skips line breaks.
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || strings.ContainsAny(s, "\r\n") {
		return nil, badKey("has a %s that is not base64url without padding", name)
	}
	return b, nil
}

// memberOfKey names a member of a key with its value, unless that is long enough for key material.
func memberOfKey(name, value string) string {
	if len(value) > 12 {
		return "a value of " + name
	}
	return fmt.Sprintf("the %s %q", name, value)
}

// badKey returns an *Error for InvalidKey.
func badKey(format string, args ...any) error { return refusal.New(InvalidKey, format, args...) }
