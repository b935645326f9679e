package registrar

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"
)

func TestAPastedKeyIsAJWKOrOnePublicPEMBlock(t *testing.T) {
	must := func(der []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	block := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	key := func(made crypto.Signer, err error) crypto.Signer {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	secret := key(rsa.GenerateKey(rand.Reader, 2048))
	small, large := key(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), key(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	certificate := must(x509.CreateCertificate(rand.Reader, template, template, small.Public(), small))
	pkix := func(k crypto.Signer) string { return block("PUBLIC KEY", must(x509.MarshalPKIXPublicKey(k.Public()))) }
	rules := DefaultRules()
	rules.AllowEd25519 = true
	thumbprints := map[string]bool{}
	for name, text := range map[string]string{
		"RSA": pkix(secret), "P-256": pkix(small), "P-384": pkix(large), "Ed25519": "\n" + pkix(edwards) + "\n",
		"PKCS 1":      block("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(secret.Public().(*rsa.PublicKey))),
		"certificate": block("CERTIFICATE", certificate),
	} {
		jwk, err := PublicJWK(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		k, err := rules.NewKey(jwk)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		thumbprints[k.Thumbprint] = true
	}
	if len(thumbprints) != 4 { // PKCS 1 and the certificate have the keys of others
		t.Errorf("%d keys", len(thumbprints))
	}
	if jwk, err := PublicJWK(" {} "); string(jwk) != "{}" || err != nil {
		t.Errorf("a JWK: %q, %v", jwk, err)
	}
	private := must(x509.MarshalPKCS8PrivateKey(small))
	for text, want := range map[string]error{
		"": MissingKey, " \n": MissingKey,
		block("PRIVATE KEY", private): PrivateKey, block("EC PRIVATE KEY", private): PrivateKey, block("ENCRYPTED PRIVATE KEY", private): PrivateKey,
		block("OPENSSH PRIVATE KEY", private): PrivateKey, pkix(small) + block("PRIVATE KEY", private): PrivateKey,
		strings.TrimSuffix(block("PRIVATE KEY", private), "\n") + "x": PrivateKey,
		pkix(small) + pkix(large):                                     InvalidKey, block("PUBLIC KEY", private): InvalidKey,
		"-----BEGIN PUBLIC KEY-----": InvalidKey,
	} {
		if _, err := PublicJWK(text); !errors.Is(err, want) {
			t.Errorf("%.40q: %v, want %v", text, err, want)
		}
	}
}
