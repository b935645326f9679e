package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
)

// registrar is the registration service with its sample catalogue and the local provider.
var registrar = subject{
	program: "oidc-registrar",
	callers: map[string][]string{"pat": {"--role", "AUTH_PARTNER", "--claim", "partner_id=demo-partner"}},
	steps: []step{{
		name: "register client",
		call: func(n int64, _ string) call {
			return call{
				as: "pat", path: "/v1/partnermanager/oidc/client", want: 200,
				body: fmt.Sprintf(`{"id":"bench","version":"1.0","requesttime":"2026-03-01T12:00:00.000Z","metadata":{},"request":{`+
					`"name":"Client %d","policyId":"demo-policy","authPartnerId":"demo-partner","publicKey":%s,`+
					`"logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],`+
					`"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]}}`, n, newKey()),
			}
		},
		yield: func(body []byte) (string, error) {
			r, err := decodeSuccess[struct{ Status string }](body)
			if err == nil && r.Status != "ACTIVE" {
				err = errors.New("not active")
			}
			return "", err
		},
	}},
}

// newKey returns the JWK of a new P-256 key. A new RSA key would take a thousand times as long.
func newKey() string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	point, err := key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		panic(err) // the curve is a standard one
	}
	text := base64.RawURLEncoding.EncodeToString
	return fmt.Sprintf(`{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}`, text(point[1:33]), text(point[33:]))
}
