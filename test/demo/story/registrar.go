package story

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"maps"

	"github.com/countersign/countersign/libs/bearer"
)

// The registration APIs of the registrar.
const (
	partnerAPI  = "/v1/partnermanager/oidc/client"
	providerAPI = "/v1/idp/client-mgmt/oidc-client"
)

// catalogue issues further tokens and stores partners, a policy and mappings.
func (s *story) catalogue() {
	s.chapter("The registrar")

	s.step("Allow the tax office to request names and e-mail addresses")
	s.tax, s.bank = "tax-office-"+s.run, "bank-"+s.run
	partner := func(name, id string) person {
		return s.enter(s.Registrar, bearer.DevToken{Subject: name, Roles: []string{"AUTH_PARTNER"}, Claims: object{"partner_id": id}})
	}
	s.admin = s.enter(s.Registrar, bearer.DevToken{Subject: "ana", Roles: []string{"PARTNER_ADMIN"}})
	s.vera, s.boris = partner("vera", s.tax), partner("boris", s.bank)
	s.idp = s.enter(s.Registrar, bearer.DevToken{Subject: "idp", Scopes: []string{"get_oidc_client"}})
	s.line("ana                   administrator: role PARTNER_ADMIN")
	s.line("vera                  developer of the tax portal: role AUTH_PARTNER, partner_id %s", s.tax)
	s.line("boris                 the same for %s", s.bank)
	s.line("idp                   the identity provider: scope get_oidc_client")
	s.admin.put("/v1/partnermanager/policies/"+s.run, object{"request": s.claims("")}).is(200)
	for _, id := range []string{s.tax, s.bank} {
		path := "/v1/partnermanager/partners/" + id
		s.admin.put(path, object{"request": object{"name": id, "type": "Auth_Partner", "status": "ACTIVE"}}).is(200)
		s.admin.put(path+"/policies/"+s.run, nil).is(200)
	}
	s.proves("The policy limits the claims of all its clients. The token names the partner; the body cannot change it.")
}

// claims returns a policy of the catalogue.
func (s *story) claims(approval string) object {
	policy := object{
		"name": "Name and e-mail", "type": "Auth", "status": "ACTIVE",
		"userClaims": []string{"name", "email"}, "authContextRefs": []string{"mosip:idp:acr:generated-code"},
	}
	if approval != "" {
		policy["approvalPolicy"] = approval
	}
	return policy
}

// registration returns the registration of a client with a new key, which is not kept.
func (s *story) registration(name, policy string) object {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.fail("make a key: %w", err)
		return nil
	}
	point, err := private.PublicKey.Bytes() // 4, x, y
	if err != nil {
		s.fail("make a key: %w", err)
		return nil
	}
	encode := base64.RawURLEncoding.EncodeToString
	return object{
		"name": name, "policyId": policy, "authPartnerId": s.tax,
		"publicKey": object{"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "x": encode(point[1:33]), "y": encode(point[33:])},
		"logoUri":   "https://tax.example.org/logo.png", "redirectUris": []string{"https://tax.example.org/callback"},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"},
	}
}

// register registers a client without an approval.
func (s *story) register() {
	portal := s.registration("Tax portal", s.run)

	s.step("Vera registers the tax portal with its public key, twice")
	client := s.vera.post(partnerAPI, object{"request": portal}).is(200).has("status", "ACTIVE").value("clientId")
	s.vera.post(partnerAPI, object{"request": portal}).is(200).has("clientId", client)
	s.proves("The client id is the thumbprint of the key (RFC 7638): the repeat has the same reply, and there is one client.")

	s.step("Read the client at the API of the identity provider, and its keys")
	s.idp.get(providerAPI+"/"+client).is(200).has("relyingPartyId", s.tax).has("userClaims", []string{"name", "email"})
	person{story: s, base: s.Registrar, name: "anonymous"}.get(providerAPI+"/"+client+"/jwks").is(200).has("keys.0.kid", client)
	s.proves("The provider verifies private_key_jwt with the registered key (RFC 7523). There is no shared secret.")

	s.step("Another partner uses the key, and the client: refused")
	theirs := maps.Clone(portal)
	theirs["authPartnerId"] = s.bank
	s.boris.post(partnerAPI, object{"request": theirs}).refused(200, "PMS_IDP_001")
	s.boris.get(partnerAPI+"/"+client).refused(403, "PMS_POLICY_ERROR_011")
	s.proves("A key authenticates one client, and a partner manages its own clients.")
}

// approvals connects the two services: a registration requires an approval in wf.
func (s *story) approvals() {
	policy, reviewed := "oidc-client-"+s.run, "reviewed-"+s.run

	s.step("Require an approval in wf for the clients of a policy")
	s.ana.post("/v1/wf/policies", object{
		"policy_key": policy, "name": "OpenID Connect clients",
		"settings": object{"submitters": []object{{"type": "user", "ids": []string{"oidc-registrar"}}}, "on_behalf": "submitters"},
		"stages":   []object{{"key": "review", "name": "Review", "approvers": []object{{"type": "user", "ids": []string{"fatima"}}}}},
	}).is(201)
	s.ana.post("/v1/wf/policies/"+policy+"/versions/1/activate", nil).is(200)
	secret, err := s.secret()
	if err != nil {
		s.fail("%w", err)
	}
	s.ana.post("/v1/wf/admin/webhooks", object{
		"name": "registrar-" + s.run, "url": s.Registrar + "/v1/registrar/approvals", "secret": secret,
		"policy_keys": []string{policy}, "events": []string{"request.approved", "request.rejected", "request.revoked"},
	}).is(201)
	s.admin.put("/v1/partnermanager/policies/"+reviewed, object{"request": s.claims(policy)}).is(200).has("approvalPolicy", policy)
	s.admin.put("/v1/partnermanager/partners/"+s.tax+"/policies/"+reviewed, nil).is(200)
	s.proves("wf holds the approvers, the registrar the registrations.")

	s.step("Vera registers a client, and Fatima approves it")
	client := s.vera.post(partnerAPI, object{"request": s.registration("Kiosk", reviewed)}).is(200).has("status", "PENDING").value("clientId")
	path := partnerAPI + "/" + client
	request := "/v1/wf/requests/" + s.vera.poll(path, "approval.state", "waiting").value("approval.requestId")
	asked := s.ana.get(request).is(200).has("requester.id", "vera").has("context.clientId", client)
	s.fatima.decide(asked.taskOf("fatima"), object{"action": "approve"}).is(200)
	s.vera.poll(path, "status", "ACTIVE").has("approval.state", "granted")
	s.proves("The registration is the content of the request. wf sends a webhook, the registrar reads the request and registers the client.")

	s.step("Ana revokes the approval")
	s.ana.post(request+"/revoke", object{"reason": "the kiosk was stolen"}).is(200).has("standing", "revoked")
	s.vera.poll(path, "status", "INACTIVE").has("approval.comment", "the kiosk was stolen")
	s.proves("The end of an approval disables its client.")
}
