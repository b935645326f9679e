package registrartest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/luikyv/go-oidc/pkg/goidc"
	oidc "github.com/luikyv/go-oidc/pkg/provider"

	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// OpenID is an OpenID provider in Go with dynamic registration behind a token of client
// credentials, rotating registration tokens, and users that always consent. It accepts only the
// members that the service sends in production.
type OpenID struct{ *httptest.Server }

// NewOpenID runs the provider until the end of the test.
func NewOpenID(t testing.TB) OpenID {
	t.Helper()
	mux := http.NewServeMux()
	listening := httptest.NewServer(mux)
	t.Cleanup(listening.Close)
	key, _ := newKey(t)
	own := goidc.JSONWebKeySet{Keys: []goidc.JSONWebKey{{Key: key, KeyID: "op", Algorithm: string(jose.ES256), Use: "sig"}}}
	op, err := oidc.New(goidc.ProfileOpenID, listening.URL,
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
	mux.HandleFunc("POST /client-credentials", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"t1","token_type":"Bearer","expires_in":60}`)
	})
	mux.Handle("POST /register", requireKnownMembers(t, op.Handler()))
	mux.Handle("PUT /register/{id}", requireKnownMembers(t, op.Handler(), "client_id"))
	mux.Handle("/", op.Handler())
	return OpenID{listening}
}

// Configure sets this provider in the settings of a service, with the required settings only.
func (o OpenID) Configure(c *server.Config) {
	c.IDP, c.IDPURL = "rfc7591", o.URL+"/register"
	c.IDPTokenURL, c.IDPClientID, c.IDPClientSecret = o.URL+"/client-credentials", "registrar", "secret"
	c.IDPACRs = o.URL + "/.well-known/openid-configuration"
}

// requireKnownMembers rejects members that the service does not send in production, except for those in more.
func requireKnownMembers(t testing.TB, next http.Handler, more ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var sent map[string]any
		err = errors.Join(err, json.Unmarshal(body, &sent))
		names := slices.Sorted(maps.Keys(sent))
		want := append(more, "application_type", "client_name", "grant_types", "jwks", "logo_uri", "redirect_uris", "response_types", "scope",
			"software_id", "token_endpoint_auth_method", "token_endpoint_auth_signing_alg")
		slices.Sort(want)
		if err != nil || !slices.Equal(names, want) || sent["token_endpoint_auth_signing_alg"] != "ES256" ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%v: a strict provider has %v of %s", err, names, body)
			http.Error(w, `{"error":"invalid_client_metadata"}`, http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// RelyingParty signs in at a provider with its own key.
type RelyingParty struct {
	Provider OpenID
	Key      *ecdsa.PrivateKey
	KeyID    string
}

// NewRelyingParty creates a relying party and returns its public key as a JWK.
func NewRelyingParty(t testing.TB, provider OpenID, kid string) (RelyingParty, map[string]any) {
	t.Helper()
	key, public := newKey(t)
	public["kid"] = kid
	return RelyingParty{provider, key, kid}, public
}

// SignIn runs the code flow as clientID and returns the status of the token endpoint.
func (rp RelyingParty) SignIn(t testing.TB, clientID, redirectURI string) int {
	t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := browser.Get(rp.Provider.URL + "/authorize?" + url.Values{
		"client_id": {clientID}, "redirect_uri": {redirectURI}, "response_type": {"code"}, "scope": {"openid profile email"},
	}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Body.Close()
	back, err := r.Location()
	if err != nil || back.Query().Get("code") == "" {
		t.Fatalf("authorize: status %d, %v, %v", r.StatusCode, back, err)
	}
	now := time.Now().Unix()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: rp.Key, KeyID: rp.KeyID}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	assertion, err := jwt.Signed(signer).Claims(map[string]any{
		"iss": clientID, "sub": clientID, "aud": rp.Provider.URL, "jti": rand.Text(), "iat": now, "exp": now + 60,
	}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	r, err = browser.PostForm(rp.Provider.URL+"/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {redirectURI},
		"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
		"client_assertion":      {assertion},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	return r.StatusCode
}
