package story

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/countersign/countersign/libs/bearer"
)

// The registration APIs of the registrar.
const (
	partnerAPI  = "/v1/partnermanager/oidc/client"
	providerAPI = "/v1/idp/client-mgmt/oidc-client"
)

// portal is the registered application.
type portal struct {
	key          jose.JSONWebKey // private
	client       string          // its id
	registration object          // as it was sent
	first        *answer         // to the registration
}

// catalogue issues further tokens and stores partners, policies and mappings.
func (s *story) catalogue() {
	s.chapter("The registrar")
	anonymous := person{story: s, base: s.Registrar, name: "anonymous"}

	s.step("Check the health of the registrar")
	anonymous.get("/v1/registrar/health").is(200).has("status", "UP")
	anonymous.get(partnerAPI).expectCodes(401, "KER-ATH-401")
	s.proves("The registrar has its own database and trusts the same issuer.")

	s.step("Issue tokens for the users of the registrar")
	s.tax, s.bank = "tax-office-"+s.run, "bank-"+s.run
	s.admin = s.enter(s.Registrar, bearer.DevToken{Subject: "ana", Roles: []string{"PARTNER_ADMIN"}})
	s.vera = s.enter(s.Registrar, bearer.DevToken{Subject: "vera", Roles: []string{"AUTH_PARTNER"}, Claims: map[string]any{"partner_id": s.tax}})
	s.boris = s.enter(s.Registrar, bearer.DevToken{Subject: "boris", Roles: []string{"AUTH_PARTNER"}, Claims: map[string]any{"partner_id": s.bank}})
	s.idp = s.enter(s.Registrar, bearer.DevToken{Subject: "idp", Scopes: []string{"add_oidc_client", "get_oidc_client"}})
	s.line("ana                   administrator: role PARTNER_ADMIN")
	s.line("vera                  developer of the tax portal: role AUTH_PARTNER, partner_id %s", s.tax)
	s.line("boris                 the same for %s", s.bank)
	s.line("idp                   the identity provider: scopes add_oidc_client and get_oidc_client")
	s.proves("The token names the partner. The body of a call cannot change it.")

	s.step("Allow the tax office to request names and e-mail addresses")
	policy := "/v1/partnermanager/policies/" + s.run
	s.admin.put(policy, object{"request": object{
		"name": "Name and e-mail", "type": "Auth", "status": "ACTIVE",
		"userClaims": []string{"name", "email"}, "authContextRefs": []string{"mosip:idp:acr:generated-code"},
	}}).is(200)
	for _, partner := range []string{s.tax, s.bank} {
		path := "/v1/partnermanager/partners/" + partner
		s.admin.put(path, object{"request": object{"name": partner, "type": "Auth_Partner", "status": "ACTIVE"}}).is(200)
		s.admin.put(path+"/policies/"+s.run, nil).is(200)
	}
	s.vera.put(policy, object{"request": object{"status": "INACTIVE"}}).expectCodes(403, "KER-ATH-403")
	s.proves("The policy limits the claims of all its clients. Partners cannot change it.")
}

// register registers a client.
func (s *story) register() {
	s.chapter("A partner registers a client")

	s.step("Register the tax portal with its public key")
	s.portal.key = s.newKey()
	s.portal.registration = object{
		"name": "Tax portal", "policyId": s.run, "authPartnerId": s.tax, "publicKey": s.portal.key.Public(),
		"logoUri": "https://tax.example.org/logo.png", "redirectUris": []string{"https://tax.example.org/callback"},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"},
	}
	s.portal.first = s.vera.post(partnerAPI, object{"request": s.portal.registration}).is(200).
		has("clientId", s.portal.key.KeyID).has("status", "ACTIVE")
	s.portal.client = s.portal.first.value("clientId")
	s.proves("The client id is the thumbprint of the key (RFC 7638), so each key has one client.")

	s.step("Repeat the registration after a lost reply")
	again := s.vera.post(partnerAPI, object{"request": s.portal.registration}).is(200)
	again.has("clientId", s.portal.first.value("clientId")).has("status", s.portal.first.value("status"))
	s.proves("The reply is the same, and there is one client.")

	s.step("Read the client at the API of the identity provider")
	s.idp.get(providerAPI+"/"+s.portal.client).is(200).
		has("relyingPartyId", s.tax).has("status", "ACTIVE").
		has("userClaims", []string{"name", "email"}).has("authContextRefs", []string{"mosip:idp:acr:generated-code"}).
		has("redirectUris", []string{"https://tax.example.org/callback"})
	s.proves("Both APIs have their own envelopes and names for the same client. Its claims are those of the policy.")
}

// refusals shows invalid and forbidden registrations.
func (s *story) refusals() {
	s.chapter("Refusals")
	mine := partnerAPI + "/" + s.portal.client

	s.step("Register the same key for another partner")
	s.boris.post(partnerAPI, object{"request": s.portal.replace("authPartnerId", s.bank)}).expectCodes(200, "PMS_IDP_001")
	s.proves("A key authenticates one client. The status is 200 and the code is an error, as in partner management.")

	s.step("Use the client of another partner")
	s.boris.get(mine).expectCodes(403, "PMS_POLICY_ERROR_011")
	s.boris.put(mine, object{"request": s.change("INACTIVE", "https://bank.example.org/callback")}).expectCodes(403, "PMS_POLICY_ERROR_010")
	s.boris.post(partnerAPI, object{"request": s.portal.registration}).expectCodes(403, "PMS_POLICY_ERROR_009")
	s.boris.get(partnerAPI+"/no-such-client").expectCodes(403, "PMS_POLICY_ERROR_011")
	s.proves("A partner manages its own clients. The reply is the same for a client that does not exist.")

	s.step("Send a private key")
	mistaken := s.newKey()
	s.vera.post(partnerAPI, object{"request": s.portal.replace("publicKey", mistaken)}).expectCodes(200, "invalid_public_key").lacks(secretOf(mistaken))
	s.proves("A private key that was sent is compromised. The reply does not repeat it.")

	s.step("Send a registration with four errors")
	kiosk := s.newKey()
	s.idp.post(providerAPI, object{"request": object{
		"clientId": "bad client", "clientName": "Kiosk", "relyingPartyId": s.tax, "publicKey": kiosk.Public(),
		"userClaims": []string{"shoe_size"}, "authContextRefs": []string{"mosip:idp:acr:password"},
		"logoUri": "http://tax.example.org/logo.png", "redirectUris": []string{"https://*.example.org/callback"},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"},
	}}).expectCodes(200, "invalid_client_id", "invalid_claim", "invalid_uri", "invalid_redirect_uri")
	s.proves("The provider API returns every error, the partner API the first.")
}

// login authenticates the client as an identity provider does, then changes it.
func (s *story) login() {
	s.chapter("The client in use")
	anonymous := person{story: s, base: s.Registrar, name: "anonymous"}
	keys := providerAPI + "/" + s.portal.client + "/jwks"

	s.step("Authenticate the portal at the token endpoint")
	found := anonymous.get(keys).is(200).hasHeader("Cache-Control", "public, max-age=300").has("keys.0.kid", s.portal.key.KeyID)
	s.assertion(found)
	s.proves("private_key_jwt (RFC 7523): the provider verifies the signature with the registered key. There is no shared secret.")

	s.step("Change the redirect URI")
	path := partnerAPI + "/" + s.portal.client
	s.vera.put(path, object{"request": s.change("ACTIVE", "https://portal.example.org/callback")}).is(200).has("status", "ACTIVE")
	s.vera.get(path).is(200).has("redirectUris", []string{"https://portal.example.org/callback"}).has("policyId", s.run)
	s.proves("Name, URIs and status can change. Partner and policy never change.")

	s.step("Deactivate the client")
	s.vera.put(path, object{"request": s.change("INACTIVE", "https://portal.example.org/callback")}).is(200).has("status", "INACTIVE")
	s.idp.get(providerAPI+"/"+s.portal.client).is(200).has("status", "INACTIVE")
	s.proves("The identity provider serves ACTIVE clients only. The client is not deleted.")

	s.step("Read and verify the timeline")
	s.trail(s.vera, 4)
	s.trail(s.admin, 6)
	s.proves("The partner reads the changes of its client, the administrator also the refused calls.")
}

// trail prints the audit trail of the portal as a user may read it.
func (s *story) trail(who person, entries int) {
	read := who.get(partnerAPI + "/" + s.portal.client + "/events").is(200)
	items := read.list("items")
	if s.err == nil && len(items) != entries {
		s.fail("%s sees %d entries, want %d: %s", who.name, len(items), entries, read.raw)
	}
	for i := range items {
		at := fmt.Sprintf("items.%d.", i)
		code, _ := member(read.body, at+"errorCode")
		changed, _ := member(read.body, at+"changed")
		s.line("     %2d  %-12s %-8s %s", i+1, read.value(at+"kind"), read.value(at+"actor"), detail(code, changed))
	}
}

// detail returns the first value that is present.
func detail(values ...any) string {
	for _, v := range values {
		if v != nil {
			return text(v)
		}
	}
	return ""
}

// assertion signs a client assertion for the token endpoint and verifies it with the key set of the
// client (RFC 7523 §3).
func (s *story) assertion(fetched *answer) {
	if s.err != nil {
		return
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(fetched.raw, &set); err != nil {
		s.fail("read the key set: %w", err)
		return
	}
	const endpoint = "https://idp.example.org/oauth2/token"
	now := time.Now()
	claims := jwt.Claims{
		Issuer: s.portal.client, Subject: s.portal.client, Audience: jwt.Audience{endpoint}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(time.Minute)),
	}
	expected := jwt.Expected{Issuer: s.portal.client, Subject: s.portal.client, AnyAudience: jwt.Audience{endpoint}, Time: now}

	signed, err := sign(claims, s.portal.key)
	if err == nil {
		err = verify(signed, set, expected)
	}
	if err != nil {
		s.fail("an assertion of the portal: %w", err)
		return
	}
	s.line("     an assertion for %s, signed by the portal: signature valid", endpoint)

	forger := s.newKey()
	forger.KeyID = s.portal.key.KeyID
	if signed, err = sign(claims, forger); err != nil {
		s.fail("sign with another key: %w", err)
		return
	}
	if verify(signed, set, expected) == nil {
		s.fail("the assertion of another key is valid")
	}
	s.line("     the same with another key under the portal's kid: signature invalid")
}

// sign returns a JWT.
func sign(claims jwt.Claims, key jose.JSONWebKey) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, nil)
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(claims).Serialize()
}

// verify verifies a JWT with a key set and checks its claims.
func verify(signed string, set jose.JSONWebKeySet, expected jwt.Expected) error {
	token, err := jwt.ParseSigned(signed, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return err
	}
	var claims jwt.Claims
	if err := token.Claims(set, &claims); err != nil {
		return err
	}
	return claims.Validate(expected)
}

// newKey returns a new private key with its thumbprint as id.
func (s *story) newKey() jose.JSONWebKey {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.fail("make a key: %w", err)
		return jose.JSONWebKey{}
	}
	key := jose.JSONWebKey{Key: private, Algorithm: string(jose.ES256), Use: "sig"}
	thumbprint, err := key.Thumbprint(crypto.SHA256)
	if err != nil {
		s.fail("make a key: %w", err)
	}
	key.KeyID = base64.RawURLEncoding.EncodeToString(thumbprint)
	return key
}

// secretOf returns the secret member of a private JWK (RFC 7518 §6.2.2).
func secretOf(key jose.JSONWebKey) string {
	var members struct{ D string }
	if encoded, err := key.MarshalJSON(); err != nil || json.Unmarshal(encoded, &members) != nil {
		return ""
	}
	return members.D
}

// replace returns the registration with another value for one member.
func (p portal) replace(name string, value any) object {
	changed := maps.Clone(p.registration)
	changed[name] = value
	return changed
}

// change returns an update of the portal.
func (s *story) change(status, redirect string) object {
	return object{
		"clientName": "Tax portal", "logoUri": "https://tax.example.org/logo.png", "redirectUris": []string{redirect},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"}, "status": status,
	}
}
