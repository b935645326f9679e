package idp_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/luikyv/go-oidc/pkg/goidc"
	oidc "github.com/luikyv/go-oidc/pkg/provider"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
)

// openProvider runs a real OpenID provider with dynamic registration behind an
// initial access token, rotating registration tokens, and users who always agree.
func openProvider(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	own := goidc.JSONWebKeySet{Keys: []goidc.JSONWebKey{{Key: key, KeyID: "op", Algorithm: string(jose.ES256), Use: "sig"}}}
	op, err := oidc.New(goidc.ProfileOpenID, server.URL,
		func(context.Context) (goidc.JSONWebKeySet, error) { return own, nil },
		oidc.WithDCR(
			func(*http.Request, string, *goidc.ClientMeta) error { return nil },
			func(_ *http.Request, token string) error {
				if token != "t1" {
					return errors.New("no such token")
				}
				return nil
			}),
		oidc.WithDCRTokenRotation(),
		oidc.WithAuthorizationCodeGrant(),
		oidc.WithIDTokenSignatureAlgs(goidc.ES256),
		oidc.WithTokenAuthnMethods(goidc.ClientAuthnPrivateKeyJWT),
		oidc.WithPrivateKeyJWTSignatureAlgs(goidc.ES256),
		oidc.WithScopes(goidc.ScopeOpenID, goidc.NewScope("profile"), goidc.NewScope("email")),
		oidc.WithPolicy(goidc.NewPolicy("agree",
			func(*http.Request, *goidc.Client, *goidc.AuthnSession) bool { return true },
			func(_ http.ResponseWriter, _ *http.Request, s *goidc.AuthnSession) (goidc.AuthnStatus, error) {
				s.SetUserID("ana")
				s.GrantScopes(s.Scopes)
				return goidc.StatusSuccess, nil
			})),
	)
	if err != nil {
		t.Fatal(err)
	}
	mux.HandleFunc("POST /client-credentials", reply(200, `{"access_token":"t1","token_type":"Bearer","expires_in":60}`))
	mux.Handle("POST /register", strict(t, op.Handler()))
	mux.Handle("/", op.Handler())
	return server
}

// strict lets nothing through but what this service sends in production.
func strict(t *testing.T, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		sent := object(t, string(body))
		names := slices.Sorted(maps.Keys(sent))
		want := []string{"application_type", "client_name", "grant_types", "jwks", "logo_uri", "redirect_uris", "response_types", "scope",
			"software_id", "token_endpoint_auth_method", "token_endpoint_auth_signing_alg"}
		if err != nil || !slices.Equal(names, want) || sent["token_endpoint_auth_signing_alg"] != "ES256" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%v: a strict provider has %v of %s", err, names, body)
			http.Error(w, `{"error":"invalid_client_metadata"}`, http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// relyingParty signs in at a provider with its own key.
type relyingParty struct {
	server *httptest.Server
	key    *ecdsa.PrivateKey
	kid    string
}

// signIn goes through the code flow as clientID and returns the status of the
// token endpoint.
func (rp relyingParty) signIn(t *testing.T, clientID, redirectURI string) int {
	t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := browser.Get(rp.server.URL + "/authorize?" + url.Values{
		"client_id": {clientID}, "redirect_uri": {redirectURI}, "response_type": {"code"}, "scope": {"openid profile email"},
	}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	back, err := r.Location()
	if err != nil || back.Query().Get("code") == "" {
		t.Fatalf("authorize: status %d, %v, %v", r.StatusCode, back, err)
	}
	now := time.Now().Unix()
	claims, _ := json.Marshal(map[string]any{
		"iss": clientID, "sub": clientID, "aud": rp.server.URL, "jti": rand.Text(), "iat": now, "exp": now + 60,
	})
	header, _ := json.Marshal(map[string]string{"alg": "ES256", "kid": rp.kid})
	signed := base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(claims)
	sum := sha256.Sum256([]byte(signed))
	rr, ss, err := ecdsa.Sign(rand.Reader, rp.key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	signature := slices.Concat(rr.FillBytes(make([]byte, 32)), ss.FillBytes(make([]byte, 32)))
	r, err = browser.PostForm(rp.server.URL+"/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {redirectURI},
		"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
		"client_assertion":      {signed + "." + base64.RawURLEncoding.EncodeToString(signature)},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	return r.StatusCode
}

func TestARealProviderServesTheClient(t *testing.T) {
	server := openProvider(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := jose.JSONWebKey{Key: &key.PublicKey}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	public, _, err := registrar.DefaultRules().ParseKey(raw)
	if err != nil {
		t.Fatal(err)
	}
	c := client()
	c.ID, c.Key = public.Thumbprint, public
	connector, err := idp.NewRFC7591(idp.Options{
		URL: server.URL + "/register", TokenURL: server.URL + "/client-credentials", ClientID: "registrar", ClientSecret: clientSecret, Egress: loopback,
		MetadataURL: server.URL + "/.well-known/openid-configuration",
	})
	if err != nil {
		t.Fatal(err)
	}
	rp := relyingParty{server, key, public.ID}

	record, err := connector.Register(t.Context(), c, registrar.PriorNone)
	if err != nil {
		t.Fatal(err)
	}
	if got := rp.signIn(t, record.ClientID, "https://rp.example/cb"); got != 200 {
		t.Errorf("after the registration the token endpoint answers %d", got)
	}

	old := record
	c.RedirectURIs, c.Status = []string{"https://rp.example/new"}, registrar.ClientActive
	if record, err = connector.Update(t.Context(), c, record, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	if record.AccessToken == old.AccessToken {
		t.Error("the provider rotates registration tokens, but the record is the old one")
	}
	if got := rp.signIn(t, record.ClientID, "https://rp.example/new"); got != 200 {
		t.Errorf("after the update the token endpoint answers %d", got)
	}

	c.Status = registrar.ClientInactive
	if record, err = connector.Update(t.Context(), c, record, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	if got := rp.signIn(t, record.ClientID, "https://rp.example/new"); got != 401 {
		t.Errorf("an inactive client is answered %d by the token endpoint", got)
	}

	c.Status = registrar.ClientActive
	if record, err = connector.Update(t.Context(), c, record, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	if got := rp.signIn(t, record.ClientID, "https://rp.example/new"); got != 200 {
		t.Errorf("once active again the client is answered %d by the token endpoint", got)
	}

	c.GrantTypes = []string{"urn:openid:params:grant-type:ciba"}
	if _, err := connector.Update(t.Context(), c, record, registrar.PriorNone); !errors.Is(err, registrar.ProviderRefused) || !strings.Contains(err.Error(), "invalid_client_metadata") {
		t.Errorf("a grant type that the provider does not have: %v", err)
	}
	if _, err := connector.Update(t.Context(), c, old, registrar.PriorNone); err == nil {
		t.Error("a registration token that was replaced still works")
	}
}
