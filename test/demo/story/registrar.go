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

// The doors of the registrar.
const (
	partnerDoor  = "/v1/partnermanager/oidc/client"
	providerDoor = "/v1/idp/client-mgmt/oidc-client"
)

// portal is the application that is registered in the story.
type portal struct {
	key          jose.JSONWebKey // private
	client       string          // its id
	registration object          // as it was sent
	first        *answer         // to the registration
}

// catalogue gives the people of the second half their tokens, and stores who may
// register what.
func (s *story) catalogue() {
	s.chapter("The registrar")
	nobody := person{story: s, base: s.Registrar, name: "nobody"}

	s.step("The registrar is up")
	nobody.get("/v1/registrar/health").is(200).has("status", "UP")
	nobody.get(partnerDoor).refused(401, "KER-ATH-401")
	s.proves("A service of its own, with its own database. It trusts the same issuer of tokens.")

	s.step("More people get tokens")
	s.tax, s.bank = "tax-office-"+s.run, "bank-"+s.run
	s.admin = s.enter(s.Registrar, bearer.DevToken{Subject: "ana", Roles: []string{"PARTNER_ADMIN"}})
	s.vera = s.enter(s.Registrar, bearer.DevToken{Subject: "vera", Roles: []string{"AUTH_PARTNER"}, Claims: map[string]any{"partner_id": s.tax}})
	s.boris = s.enter(s.Registrar, bearer.DevToken{Subject: "boris", Roles: []string{"AUTH_PARTNER"}, Claims: map[string]any{"partner_id": s.bank}})
	s.idp = s.enter(s.Registrar, bearer.DevToken{Subject: "idp", Scopes: []string{"add_oidc_client", "get_oidc_client"}})
	s.line("ana                   runs the catalogue: role PARTNER_ADMIN")
	s.line("vera                  builds the tax portal: role AUTH_PARTNER, partner_id %s", s.tax)
	s.line("boris                 the same for %s", s.bank)
	s.line("idp                   the identity provider: scopes add_oidc_client and get_oidc_client")
	s.proves("Whose clients somebody may manage is a claim of the token, not a field of the call.")

	s.step("Ana lets the tax office ask for names and e-mail addresses")
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
	s.vera.put(policy, object{"request": object{"status": "INACTIVE"}}).refused(403, "KER-ATH-403")
	s.proves("What a client may read about people is decided here, before there is a client. Partners cannot widen it.")
}

// register makes a client.
func (s *story) register() {
	s.chapter("A partner registers a client")

	s.step("Vera registers the tax portal with its public key")
	s.portal.key = s.newKey()
	s.portal.registration = object{
		"name": "Tax portal", "policyId": s.run, "authPartnerId": s.tax, "publicKey": s.portal.key.Public(),
		"logoUri": "https://tax.example.org/logo.png", "redirectUris": []string{"https://tax.example.org/callback"},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"},
	}
	s.portal.first = s.vera.post(partnerDoor, object{"request": s.portal.registration}).is(200).
		has("clientId", s.portal.key.KeyID).has("status", "ACTIVE")
	s.portal.client = s.portal.first.value("clientId")
	s.proves("The id is the thumbprint of the key (RFC 7638), so the same key can never become two clients.")

	s.step("Vera's answer got lost, so she sends the same again")
	again := s.vera.post(partnerDoor, object{"request": s.portal.registration}).is(200)
	again.has("clientId", s.portal.first.value("clientId")).has("status", s.portal.first.value("status"))
	s.proves("A retry is safe: the same answer, and still one client.")

	s.step("The identity provider reads the client at its own door")
	s.idp.get(providerDoor+"/"+s.portal.client).is(200).
		has("relyingPartyId", s.tax).has("status", "ACTIVE").
		has("userClaims", []string{"name", "email"}).has("authContextRefs", []string{"mosip:idp:acr:generated-code"}).
		has("redirectUris", []string{"https://tax.example.org/callback"})
	s.proves("Two doors with their own envelopes and names, one client behind them. The claims are those of the policy.")
}

// refusals shows what the registrar does not do.
func (s *story) refusals() {
	s.chapter("What is refused")
	mine := partnerDoor + "/" + s.portal.client

	s.step("Boris registers the same key for the bank")
	s.boris.post(partnerDoor, object{"request": s.portal.with("authPartnerId", s.bank)}).refused(200, "PMS_IDP_001")
	s.proves("A key is proof of who a client is, so no two clients share one. Callers branch on the code; the status is 200, as it has always been.")

	s.step("Boris tries to reach Vera's client")
	s.boris.get(mine).refused(403, "PMS_POLICY_ERROR_011")
	s.boris.put(mine, object{"request": s.change("INACTIVE", "https://bank.example.org/callback")}).refused(403, "PMS_POLICY_ERROR_010")
	s.boris.post(partnerDoor, object{"request": s.portal.registration}).refused(403, "PMS_POLICY_ERROR_009")
	s.boris.get(partnerDoor+"/no-such-client").refused(403, "PMS_POLICY_ERROR_011")
	s.proves("A partner manages its own clients, and cannot find out whether another's exist.")

	s.step("Vera sends a private key by mistake")
	mistaken := s.newKey()
	s.vera.post(partnerDoor, object{"request": s.portal.with("publicKey", mistaken)}).refused(200, "invalid_public_key").lacks(secretOf(mistaken))
	s.proves("A key that has travelled is no secret any more. It is refused, and the answer does not repeat it.")

	s.step("The identity provider makes four mistakes at once")
	kiosk := s.newKey()
	s.idp.post(providerDoor, object{"request": object{
		"clientId": "bad client", "clientName": "Kiosk", "relyingPartyId": s.tax, "publicKey": kiosk.Public(),
		"userClaims": []string{"shoe_size"}, "authContextRefs": []string{"mosip:idp:acr:password"},
		"logoUri": "http://tax.example.org/logo.png", "redirectUris": []string{"https://*.example.org/callback"},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"},
	}}).refused(200, "invalid_client_id", "invalid_claim", "invalid_uri", "invalid_redirect_uri")
	s.proves("This door names every wrong field at once, the partner door the first.")
}

// login does what a client and an identity provider do with a registration.
func (s *story) login() {
	s.chapter("The client in use")
	nobody := person{story: s, base: s.Registrar, name: "nobody"}
	keys := providerDoor + "/" + s.portal.client + "/jwks"

	s.step("The portal proves to the identity provider who it is")
	found := nobody.get(keys).is(200).hasHeader("Cache-Control", "public, max-age=300").has("keys.0.kid", s.portal.key.KeyID)
	s.assertion(found)
	s.proves("private_key_jwt (RFC 7523): the portal signs, the provider verifies with the registered key. No secret is shared.")

	s.step("Vera moves the portal to another address")
	path := partnerDoor + "/" + s.portal.client
	s.vera.put(path, object{"request": s.change("ACTIVE", "https://portal.example.org/callback")}).is(200).has("status", "ACTIVE")
	s.vera.get(path).is(200).has("redirectUris", []string{"https://portal.example.org/callback"}).has("policyId", s.run)
	s.proves("Name, addresses and status can change. The key, the partner and the policy never do.")

	s.step("Vera switches the portal off")
	s.vera.put(path, object{"request": s.change("INACTIVE", "https://portal.example.org/callback")}).is(200).has("status", "INACTIVE")
	s.idp.get(providerDoor+"/"+s.portal.client).is(200).has("status", "INACTIVE")
	s.proves("The identity provider sees it at once, and serves no client that is not ACTIVE. The record stays.")

	s.step("Every step is on record")
	s.trail(s.vera, 4)
	s.trail(s.admin, 6)
	s.proves("Vera sees what happened to her client; Ana also sees who was refused.")
}

// trail reads the record of the portal as somebody sees it.
func (s *story) trail(who person, entries int) {
	read := who.get(partnerDoor + "/" + s.portal.client + "/events").is(200)
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

// detail is the first of the values that is there.
func detail(values ...any) string {
	for _, v := range values {
		if v != nil {
			return text(v)
		}
	}
	return ""
}

// assertion signs what a client sends to the token endpoint, and verifies it by the key
// set that the provider has fetched (RFC 7523 §3).
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
	s.line("     an assertion for %s, signed by the portal: signature good", endpoint)

	forger := s.newKey()
	forger.KeyID = s.portal.key.KeyID
	if signed, err = sign(claims, forger); err != nil {
		s.fail("sign with another key: %w", err)
		return
	}
	if verify(signed, set, expected) == nil {
		s.fail("the assertion of a forger holds")
	}
	s.line("     the same signed by somebody else under the portal's kid: signature bad")
}

// sign returns a JWT.
func sign(claims jwt.Claims, key jose.JSONWebKey) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, nil)
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(claims).Serialize()
}

// verify checks a JWT by a key set, and what it has to say.
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

// newKey makes a private key, whose id is its thumbprint.
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

// secretOf is the secret member of a private key as it is on the wire (RFC 7518
// §6.2.2).
func secretOf(key jose.JSONWebKey) string {
	var members struct{ D string }
	if encoded, err := key.MarshalJSON(); err != nil || json.Unmarshal(encoded, &members) != nil {
		return ""
	}
	return members.D
}

// with returns the registration with another value for one member.
func (p portal) with(name string, value any) object {
	changed := maps.Clone(p.registration)
	changed[name] = value
	return changed
}

// change is an update of the portal.
func (s *story) change(status, redirect string) object {
	return object{
		"clientName": "Tax portal", "logoUri": "https://tax.example.org/logo.png", "redirectUris": []string{redirect},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"}, "status": status,
	}
}
