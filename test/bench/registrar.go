package main

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"
)

// registrar is the registration service with its sample catalogue, as its own
// registry: no identity provider is called.
var registrar = subject{
	name: "oidc-registrar", program: "oidc-registrar", rate: 50,
	callers: map[string][]string{
		"pat": {"--role", "AUTH_PARTNER", "--claim", "partner_id=demo-partner"},
		"ada": {"--role", "PARTNER_ADMIN"},
	},
	prepare: issueInitialTokens,
	steps: []step{
		partnerDoor("oidc/client", ""),
		partnerDoor("oauth/client", `"clientNameLangMap":{"fra":"Portail"},`),
		providerDoor("idp", "oidc-client"),
		providerDoor("esignet", "oauth-client"),
		providerDoor("esignet", "client"),
		standardDoor,
	},
}

// behindProvider is the same with an identity provider that takes its time for each call,
// on PostgreSQL alone.
var behindProvider = func() subject {
	s := registrar
	s.name, s.provider = "oidc-registrar, provider", 5*time.Millisecond
	return s
}()

// registered counts for every door.
const registered = "SELECT count(*) FROM client WHERE status = 'ACTIVE'"

// partnerDoor is a path of partner management, with members of its own.
func partnerDoor(path, members string) step {
	return step{
		name: "register, partner " + path,
		call: func(t tokens, n int64, _ string) call {
			key := newKey()
			return call{
				path: "/v1/partnermanager/" + path, token: t["pat"], want: 200, names: []string{key.thumbprint},
				body: fmt.Appendf(nil, `{"id":"bench","version":"1.0","requesttime":"2026-03-01T12:00:00.000Z","metadata":{},"request":{`+
					`"name":"Client %d",%s"policyId":"demo-policy","authPartnerId":"demo-partner","publicKey":%s,`+
					`"logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],`+
					`"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]}}`, n, members, key.jwk),
			}
		},
		yield: activeClient, count: registered,
	}
}

// providerDoor is a path that speaks the dialect of the identity provider.
func providerDoor(dialect, path string) step {
	return step{
		name: "register, " + dialect + " " + path,
		call: func(t tokens, n int64, _ string) call {
			key, id := newKey(), fmt.Sprintf("bench-%d", n)
			return call{
				path: "/v1/" + dialect + "/client-mgmt/" + path, token: t["ada"], want: 200, names: []string{id, key.thumbprint},
				body: fmt.Appendf(nil, `{"requestTime":"%s","request":{"clientId":"%s","clientName":"Client %d","publicKey":%s,"relyingPartyId":"demo-partner",`+
					`"userClaims":["name","email"],"authContextRefs":["mosip:idp:acr:password"],`+
					`"logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],`+
					`"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]}}`,
					time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), id, n, key.jwk),
			}
		},
		yield: activeClient, count: registered,
	}
}

// activeClient is the id of the client in a reply of partner management or in the dialect
// of the provider.
func activeClient(body []byte) (string, error) {
	r, err := succeeded[struct{ ClientID, Status string }](body)
	if err == nil && r.Status != "ACTIVE" {
		err = errors.New("not active")
	}
	return r.ClientID, err
}

// standardDoor is RFC 7591.
var standardDoor = step{
	name: "register, RFC 7591",
	call: func(t tokens, n int64, _ string) call {
		key := newKey()
		return call{
			path: "/v1/registrar/register", token: t[initialToken(n)], want: 201, names: []string{key.thumbprint},
			body: fmt.Appendf(nil, `{"client_name":"Client %d","logo_uri":"https://client.example.org/logo.png","redirect_uris":["https://client.example.org/callback"],`+
				`"token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[%s]}}`, n, key.jwk),
		}
	},
	yield: func(body []byte) (string, error) {
		var r struct {
			ID string `json:"client_id"`
		}
		err := json.Unmarshal(body, &r)
		return r.ID, cmp.Or(err, notEmpty(r.ID))
	},
	stored: func(body []byte) []string { // the hash of the token that manages the client
		var r struct {
			Access string `json:"registration_access_token"`
		}
		if json.Unmarshal(body, &r) != nil {
			return nil
		}
		hash := sha256.Sum256([]byte(r.Access))
		return []string{hex.EncodeToString(hash[:])}
	},
	count: registered,
}

func notEmpty(id string) error {
	if id == "" {
		return errors.New("not a success")
	}
	return nil
}

// Each initial token registers 1,000 clients, and calls take them in turn: callers who
// register themselves do not share one, nor wait for its row.
const (
	initialTokens = 256
	usesOfEach    = 1000
)

func initialToken(n int64) string { return fmt.Sprintf("initial-%d", n%initialTokens) }

// issueInitialTokens gets the tokens of the standard door for a fresh database.
func issueInitialTokens(ctx context.Context, s *service, t tokens) error {
	for n := range int64(initialTokens) {
		body, err := s.call(ctx, call{
			path: "/v1/registrar/admin/initial-access-tokens", token: t["ada"], want: 200,
			body: fmt.Appendf(nil, `{"request":{"authPartnerId":"demo-partner","policyId":"demo-policy","uses":%d,"expiresIn":43200}}`, usesOfEach),
		})
		if err != nil {
			return err
		}
		issued, err := succeeded[struct{ Token string }](body)
		if err != nil {
			return fmt.Errorf("%w: %s", err, body)
		}
		t[initialToken(n)] = issued.Token
	}
	return nil
}

// newProvider is an identity provider with the client management of eSignet, which takes
// so long for each call and keeps nothing. It returns the settings by which the service
// calls it.
func newProvider(wait time.Duration) (*httptest.Server, []string) {
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Request struct {
				ClientID string `json:"clientId"`
			} `json:"request"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		time.Sleep(wait)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"response":{"clientId":%q,"clientStatus":"ACTIVE"},"errors":[]}`, body.Request.ClientID)
	}))
	return p, []string{"REGISTRAR_IDP=esignet-1.8", "REGISTRAR_IDP_URL=" + p.URL, "REGISTRAR_IDP_CLIENT_PATH=client"}
}

// publicKey is a key that no client has: the service knows clients by their keys.
type publicKey struct{ jwk, thumbprint string }

// newKey takes 15 µs; a new RSA key would take a thousand times as long.
func newKey() publicKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	point, err := key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		panic(err) // the curve is a standard one
	}
	text := base64.RawURLEncoding.EncodeToString
	jwk := fmt.Sprintf(`{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}`, text(point[1:33]), text(point[33:]))
	hash := sha256.Sum256([]byte(jwk)) // in the form of RFC 7638
	return publicKey{jwk, text(hash[:])}
}
