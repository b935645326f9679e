package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
)

// registrar is the registration service with its sample catalogue, as its own
// registry: no identity provider is called.
var registrar = subject{
	program: "oidc-registrar", rate: 50,
	callers: map[string][]string{"pat": {"--role", "AUTH_PARTNER", "--claim", "partner_id=demo-partner"}},
	prepare: func(context.Context, *service, tokens) error { return nil },
	steps: []step{{
		name: "register client",
		call: func(t tokens, n int64, _ string) call {
			return call{
				path: "/v1/partnermanager/oidc/client", token: t["pat"], want: 200,
				body: fmt.Appendf(nil, `{"id":"bench","version":"1.0","requesttime":"2026-03-01T12:00:00.000Z","metadata":{},"request":{`+
					`"name":"Client %d","policyId":"demo-policy","authPartnerId":"demo-partner","publicKey":%s,`+
					`"logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],`+
					`"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]}}`, n, newJWK()),
			}
		},
		yield: func(body []byte) (string, error) {
			r, err := succeeded[struct{ ClientID, Status string }](body)
			if err == nil && r.Status != "ACTIVE" {
				err = errors.New("not active")
			}
			return r.ClientID, err
		},
		count: "SELECT count(*) FROM client WHERE status = 'ACTIVE'",
	}},
}

// newJWK returns a public key that no client has: the service knows clients by their
// keys. It takes 15 µs; a new RSA key would take a thousand times as long.
func newJWK() []byte {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	point, err := key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		panic(err) // the curve is a standard one
	}
	text := base64.RawURLEncoding.EncodeToString
	return fmt.Appendf(nil, `{"kty":"EC","crv":"P-256","x":"%s","y":"%s"}`, text(point[1:33]), text(point[33:]))
}
