package interop

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

// metadata of a client, as an OpenID Connect library sends it (RFC 7591 §2).
func (rp *relyingParty) standard() object {
	return object{
		"client_name": "Portal of a library", "logo_uri": "https://portal.example/logo.png", "redirect_uris": []string{rp.redirect},
		"grant_types": []string{"authorization_code"}, "response_types": []string{"code"}, "token_endpoint_auth_method": "private_key_jwt",
		"jwks": jose.JSONWebKeySet{Keys: []jose.JSONWebKey{rp.public}},
	}
}

func TestKeycloakSignsPeopleInAtClientsOfDynamicRegistration(t *testing.T) {
	ask(t, "Keycloak", "admin API: dynamic registration, sign in, change, deregister, sign-in refused")
	k := theKeycloak(t)
	s, m, rp := k.startRegistrar(), discover(t, k.issuer()), newRelyingParty(t)
	const path = "/v1/registrar/register"
	var initial struct{ Token string }
	s.call(k.person("root"), "POST", "/v1/registrar/admin/initial-access-tokens", object{
		"request": object{"authPartnerId": "demo-partner", "policyId": "demo-policy"},
	}).Is(200).Decode(&initial)

	var client struct {
		ID     string `json:"client_id"`
		Access string `json:"registration_access_token"`
		URI    string `json:"registration_client_uri"`
	}
	made := s.call(initial.Token, "POST", path, rp.standard()).Is(http.StatusCreated)
	if err := json.Unmarshal(made.Body, &client); err != nil || client.ID == "" || !strings.HasSuffix(client.URI, path+"/"+client.ID) {
		t.Fatalf("the registration: %s %v", made.Body, err)
	}
	k.forget(client.ID)
	if who, refusal := rp.signIn(m, client.ID, "ana"); refusal != "" || who.Name != "Ana Lima" {
		t.Errorf("ana signs in as %+v %s", who, refusal)
	}
	s.call(initial.Token, "POST", path, newRelyingParty(t).standard()).Is(http.StatusUnauthorized) // it was good once

	rp.redirect = "https://portal.example/new"
	change := rp.standard()
	change["client_id"] = client.ID
	s.call(client.Access, "PUT", path+"/"+client.ID, change).Is(http.StatusOK)
	if who, refusal := rp.signIn(m, client.ID, "bo"); refusal != "" || who.Name != "Bo Chen" {
		t.Errorf("after a change bo signs in as %+v %s", who, refusal)
	}
	s.call(client.Access, "DELETE", path+"/"+client.ID, nil).Is(http.StatusNoContent)
	if _, refusal := rp.signIn(m, client.ID, "bo"); refusal == "" {
		t.Error("bo signs in at a client that has been deregistered")
	}
}
