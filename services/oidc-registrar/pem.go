package registrar

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
)

// PublicJWK returns a pasted public key as a JWK. The text is a JWK, which is returned unchecked, or one PEM block
// with a public key or a certificate (RFC 7468). It refuses a private key with PrivateKey. No refusal contains a
// part of the text.
func PublicJWK(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, pastedKey(MissingKey, "is missing")
	}
	if !strings.Contains(text, "-----BEGIN ") {
		return []byte(text), nil
	}
	if strings.Contains(text, "PRIVATE KEY-----") {
		return nil, pastedKey(PrivateKey, "is a private key")
	}
	block, rest := pem.Decode([]byte(text))
	if block == nil || strings.TrimSpace(string(rest)) != "" {
		return nil, pastedKey(InvalidKey, "must be one PEM block")
	}
	public, err := publicOf(block)
	if err != nil {
		return nil, pastedKey(InvalidKey, "must be a PEM block with a public key or a certificate")
	}
	members, known := jwkMembers(public)
	if !known {
		return nil, pastedKey(InvalidKey, "must be an RSA, EC or Ed25519 key")
	}
	return json.Marshal(members)
}

func pastedKey(reason Reason, message string) error {
	return refusal.At(reason, "/publicKey", "%s", message)
}

// publicOf returns the public key of a PEM block.
func publicOf(block *pem.Block) (any, error) {
	switch block.Type {
	case "CERTIFICATE":
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		return certificate.PublicKey, nil
	case "RSA PUBLIC KEY":
		return x509.ParsePKCS1PublicKey(block.Bytes)
	default:
		return x509.ParsePKIXPublicKey(block.Bytes)
	}
}

// jwkMembers returns the members of a public key as a JWK. known is false for a type without one.
func jwkMembers(public any) (members map[string]string, known bool) {
	text := base64.RawURLEncoding.EncodeToString
	switch key := public.(type) {
	case *rsa.PublicKey:
		return map[string]string{"kty": "RSA", "n": text(key.N.Bytes()), "e": text(big.NewInt(int64(key.E)).Bytes())}, true
	case *ecdsa.PublicKey:
		point, err := key.Bytes() // uncompressed: 4, x, y
		if err != nil {
			return nil, false
		}
		size := (len(point) - 1) / 2
		return map[string]string{"kty": "EC", "crv": key.Curve.Params().Name, "x": text(point[1 : 1+size]), "y": text(point[1+size:])}, true
	case ed25519.PublicKey:
		return map[string]string{"kty": "OKP", "crv": "Ed25519", "x": text(key)}, true
	}
	return nil, false
}
