package main

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// registrar is the registration service with its sample catalogue and the local provider.
var registrar = subject{
	name: "oidc-registrar", program: "oidc-registrar",
	callers: map[string][]string{
		"pat": {"--role", "AUTH_PARTNER", "--claim", "partner_id=demo-partner"},
		"ada": {"--role", "PARTNER_ADMIN"},
	},
	prepare: issueInitialTokens,
	steps: []step{
		viaPartnerAPI,
		viaClientManagement,
		viaRFC7591,
	},
}

// registered counts the clients.
const registered = "SELECT count(*) FROM client WHERE status = 'ACTIVE'"

var viaPartnerAPI = step{
	name: "register, partner management",
	call: func(t tokens, n int64, _ string) call {
		return call{
			path: "/v1/partnermanager/oidc/client", token: t["pat"], want: 200,
			body: fmt.Appendf(nil, `{"id":"bench","version":"1.0","requesttime":"2026-03-01T12:00:00.000Z","metadata":{},"request":{`+
				`"name":"Client %d","policyId":"demo-policy","authPartnerId":"demo-partner","publicKey":%s,`+
				`"logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],`+
				`"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]}}`, n, newKey()),
		}
	},
	yield: activeClient, count: registered,
}

var viaClientManagement = step{
	name: "register, client management",
	call: func(t tokens, n int64, _ string) call {
		return call{
			path: "/v1/esignet/client-mgmt/client", token: t["ada"], want: 200,
			body: fmt.Appendf(
				nil,
				`{"requestTime":"%s","request":{"clientId":"bench-%d","clientName":"Client %d","publicKey":%s,"relyingPartyId":"demo-partner",`+
					`"userClaims":["name","email"],"authContextRefs":["mosip:idp:acr:password"],`+
					`"logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],`+
					`"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]}}`,
				time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
				n,
				n,
				newKey(),
			),
		}
	},
	yield: activeClient, count: registered,
}

// activeClient returns the id of the client in a reply with an envelope.
func activeClient(body []byte) (string, error) {
	r, err := decodeSuccess[struct{ ClientID, Status string }](body)
	if err == nil && r.Status != "ACTIVE" {
		err = errors.New("not active")
	}
	return r.ClientID, err
}

var viaRFC7591 = step{
	name: "register, RFC 7591",
	call: func(t tokens, n int64, _ string) call {
		return call{
			path: "/v1/registrar/register", token: t[initialToken(n)], want: 201,
			body: fmt.Appendf(
				nil,
				`{"client_name":"Client %d","logo_uri":"https://client.example.org/logo.png","redirect_uris":["https://client.example.org/callback"],`+
					`"token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[%s]}}`,
				n,
				newKey(),
			),
		}
	},
	yield: func(body []byte) (string, error) {
		var r struct {
			ID string `json:"client_id"`
		}
		err := json.Unmarshal(body, &r)
		return r.ID, cmp.Or(err, notEmpty(r.ID))
	},
	count: registered,
}

func notEmpty(id string) error {
	if id == "" {
		return errors.New("not a success")
	}
	return nil
}

// The calls of RFC 7591 use several initial access tokens in turn, so that they do not wait for the row
// of one token.
const (
	initialTokens = 256
	usesOfEach    = 1000
)

func initialToken(n int64) string { return fmt.Sprintf("initial-%d", n%initialTokens) }

// issueInitialTokens gets initial access tokens for a new database.
func issueInitialTokens(ctx context.Context, s *service, t tokens) error {
	for n := range int64(initialTokens) {
		body, err := s.call(ctx, call{
			path: "/v1/registrar/admin/initial-access-tokens", token: t["ada"], want: 200,
			body: fmt.Appendf(nil, `{"request":{"authPartnerId":"demo-partner","policyId":"demo-policy","uses":%d,"expiresIn":43200}}`, usesOfEach),
		})
		if err != nil {
			return err
		}
		issued, err := decodeSuccess[struct{ Token string }](body)
		if err != nil {
			return fmt.Errorf("%w: %s", err, body)
		}
		t[initialToken(n)] = issued.Token
	}
	return nil
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
