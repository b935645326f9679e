package interop

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"golang.org/x/oauth2"
)

// relyingParty is an application with sign-in and a key of its own.
type relyingParty struct {
	t        *testing.T
	key      *ecdsa.PrivateKey // nil: a public client
	public   jose.JSONWebKey
	redirect string // it has no server: the browser stops before it
	scope    string // beside openid
}

func newRelyingParty(t *testing.T) *relyingParty {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public := jose.JSONWebKey{Key: &key.PublicKey, KeyID: rand.Text()}
	return &relyingParty{t: t, key: key, public: public, redirect: "https://portal.example/callback"}
}

// partnerRegistration returns a registration for the partner API.
func (rp *relyingParty) partnerRegistration(partner string) object {
	return object{"request": object{
		"name": "Portal of a partner", "policyId": "demo-policy", "authPartnerId": partner, "publicKey": rp.public,
		"logoUri": "https://portal.example/logo.png", "redirectUris": []string{rp.redirect},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"},
	}}
}

// id returns its client id at the provider API.
func (rp *relyingParty) id() string { return "interop-" + rp.public.KeyID }

// providerRegistration returns a registration for the provider API.
func (rp *relyingParty) providerRegistration() object {
	return object{"request": object{
		"clientId": rp.id(), "clientName": "Portal of a relying party", "relyingPartyId": "interop-rp", "publicKey": rp.public,
		"userClaims": []string{"name", "email"}, "authContextRefs": []string{"mosip:idp:acr:password"},
		"logoUri": "https://portal.example/logo.png", "redirectUris": []string{rp.redirect},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"},
	}}
}

// metadata is the configuration of an OpenID provider (OpenID Connect Discovery 1.0).
type metadata struct {
	Issuer    string `json:"issuer"`
	Authorize string `json:"authorization_endpoint"`
	Token     string `json:"token_endpoint"`
	Keys      string `json:"jwks_uri"`
}

func discover(t *testing.T, issuer string) (m metadata) {
	t.Helper()
	get(t, issuer+"/.well-known/openid-configuration", &m)
	if m.Issuer != issuer {
		t.Fatalf("%s has the issuer %q", issuer, m.Issuer)
	}
	return m
}

func get(t *testing.T, address string, into any) {
	t.Helper()
	response, err := http.Get(address) // #nosec G107 -- a peer of the test
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || json.Unmarshal(body, into) != nil {
		t.Fatalf("%s: %d %s (%v)", address, response.StatusCode, body, err)
	}
}

// identity holds the claims of an ID token.
type identity struct {
	jwt.Claims
	Nonce string `json:"nonce"`
	Name  string `json:"name"`
	Email string `json:"email"`
	ACR   string `json:"acr"`
}

// signIn signs a user in at a provider as a client of it: the authorization code flow with PKCE (RFC 7636) and
// private_key_jwt. The user consents if asked. refusal is the provider's reason for a failed sign-in.
func (rp *relyingParty) signIn(p metadata, clientID, person string) (who identity, refusal string) {
	rp.t.Helper()
	verifier, state, nonce := oauth2.GenerateVerifier(), rand.Text(), rand.Text()
	b := newBrowser(rp.t, rp.redirect)
	came := b.signIn(rp.authorization(p, clientID, state, nonce, verifier), person, passwordOf(person))
	if came.consents() {
		came = b.submit(came, isConsent, nil)
	}
	if !strings.HasPrefix(came.at.String(), rp.redirect) {
		return identity{}, "authorize: " + came.text
	}
	back := came.at.Query()
	if back.Get("state") != state || back.Get("code") == "" {
		return identity{}, "authorize: " + back.Get("error") + " " + back.Get("error_description")
	}
	raw, refusal := rp.redeem(p, clientID, back.Get("code"), verifier)
	if refusal != "" {
		return identity{}, refusal
	}
	return rp.verify(p, clientID, nonce, raw), ""
}

// authorization is the address of the sign-in, without PKCE if there is no verifier.
func (rp *relyingParty) authorization(p metadata, clientID, state, nonce, verifier string) string {
	query := url.Values{
		"client_id": {clientID}, "redirect_uri": {rp.redirect}, "response_type": {"code"},
		"scope": {strings.TrimSpace("openid " + rp.scope)}, "state": {state}, "nonce": {nonce},
	}
	if verifier != "" {
		query.Set("code_challenge", oauth2.S256ChallengeFromVerifier(verifier))
		query.Set("code_challenge_method", "S256")
	}
	return p.Authorize + "?" + query.Encode()
}

// isConsent reports whether a form gives the user's consent.
func isConsent(f form) bool { return f.fields.Has("accept") }

func (p page) consents() bool { return slices.ContainsFunc(p.forms, isConsent) }

// redeem exchanges a code for an ID token.
func (rp *relyingParty) redeem(p metadata, clientID, code, verifier string) (idToken, refusal string) {
	rp.t.Helper()
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {rp.redirect}, "client_id": {clientID}, "code_verifier": {verifier},
	}
	if rp.key != nil {
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		form.Set("client_assertion", rp.assertion(p, clientID))
	}
	response, err := http.PostForm(p.Token, form)
	if err != nil {
		rp.t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		ID          string `json:"id_token"`
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		rp.t.Fatalf("token: %d (%v)", response.StatusCode, err)
	}
	if answer.Error != "" {
		return "", "token: " + answer.Error + " " + answer.Description
	}
	return answer.ID, ""
}

// assertion authenticates the client by its key.
func (rp *relyingParty) assertion(p metadata, clientID string) string {
	rp.t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256,
		Key: jose.JSONWebKey{Key: rp.key, KeyID: rp.public.KeyID}}, nil)
	if err != nil {
		rp.t.Fatal(err)
	}
	now := time.Now()
	assertion, err := jwt.Signed(signer).Claims(jwt.Claims{
		Issuer: clientID, Subject: clientID, Audience: jwt.Audience{p.Issuer}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(time.Minute)),
	}).Serialize()
	if err != nil {
		rp.t.Fatal(err)
	}
	return assertion
}

// verify checks an ID token by OpenID Connect Core 1.0 §3.1.3.7.
func (rp *relyingParty) verify(p metadata, clientID, nonce, raw string) (who identity) {
	rp.t.Helper()
	token, err := jwt.ParseSigned(raw, []jose.SignatureAlgorithm{jose.RS256, jose.ES256})
	if err != nil {
		rp.t.Fatalf("the ID token %q: %v", raw, err)
	}
	var keys jose.JSONWebKeySet
	get(rp.t, p.Keys, &keys)
	i := slices.IndexFunc(keys.Keys, func(k jose.JSONWebKey) bool { return k.KeyID == token.Headers[0].KeyID })
	if i < 0 {
		rp.t.Fatalf("the provider has no key %q", token.Headers[0].KeyID)
	}
	if err := token.Claims(keys.Keys[i], &who); err != nil {
		rp.t.Fatal(err)
	}
	if err := who.Validate(jwt.Expected{Issuer: p.Issuer, AnyAudience: jwt.Audience{clientID}, Time: time.Now()}); err != nil || who.Nonce != nonce {
		rp.t.Errorf("the ID token %+v is not the requested one: %v", who, err)
	}
	return who
}
