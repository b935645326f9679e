package interop

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const (
	partnerDoor  = "/v1/partnermanager/oidc/client"
	providerDoor = "/v1/idp/client-mgmt/oidc-client"
)

// door is a way to register a client, and to change it.
type door struct {
	name     string
	path     string
	register func(*relyingParty) object
	update   func(rp *relyingParty, status string) object
}

var doors = []door{
	{
		"partner door", partnerDoor, func(rp *relyingParty) object { return rp.atThePartnerDoor("demo-partner") },
		func(rp *relyingParty, status string) object { return object{"request": rp.change(status)} },
	},
	{
		"provider door", providerDoor, (*relyingParty).atTheProviderDoor,
		func(rp *relyingParty, status string) object {
			change := rp.change(status)
			change["userClaims"], change["authContextRefs"] = []string{"name", "email"}, []string{"mosip:idp:acr:password"}
			return object{"request": change}
		},
	},
}

// change is what both doors take.
func (rp *relyingParty) change(status string) object {
	return object{
		"clientName": "Renamed", "logoUri": "https://portal.example/new.png", "redirectUris": []string{rp.redirect},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"}, "status": status,
	}
}

func TestKeycloakSignsPeopleInAtRegisteredClients(t *testing.T) {
	for _, d := range doors {
		t.Run(d.name, func(t *testing.T) {
			ask(t, "Keycloak", "RFC 7591 and 7592: "+d.name+", sign in, change, deactivate, sign-in refused")
			k := theKeycloak(t)
			m := discover(t, k.issuer())
			s := startRegistrar(t, k.issuer(), "IDP=rfc7591", "IDP_URL="+m.Registration, "IDP_TOKEN_URL="+m.Token,
				"IDP_CLIENT_ID=oidc-registrar", "IDP_CLIENT_SECRET=registrar-secret", "IDP_METADATA_URL="+k.issuer()+"/.well-known/openid-configuration",
				encKeys())
			k.servesClients(s, m, d)
		})
	}
}

// servesClients goes through the life of a client.
func (k keycloak) servesClients(s service, m metadata, d door) {
	t, rp, root := k.t, newRelyingParty(k.t), k.person("root")
	var made struct{ ClientID, ProviderClientID, Status string }
	s.call(root, "POST", d.path, d.register(rp)).is(200).response(&made)
	if made.Status != "ACTIVE" || made.ProviderClientID == "" {
		t.Fatalf("the registration: %+v", made)
	}
	id := made.ProviderClientID
	k.forget(id)

	who, refusal := rp.signIn(m, id, "ana")
	if refusal != "" || who.Subject != "aaaaaaaa-0000-4000-8000-000000000001" || who.Name != "Ana Lima" || who.Email != "ana@example.org" {
		t.Fatalf("ana signs in as %+v %s", who, refusal)
	}
	if _, refusal := rp.signIn(m, id, "dee"); !strings.Contains(refusal, "disabled") {
		t.Errorf("dee, whose account is disabled: %q", refusal)
	}
	stranger := newRelyingParty(t)
	if _, refusal := stranger.signIn(m, id, "ana"); !strings.Contains(refusal, "token: ") {
		t.Errorf("with a key that was not registered: %q", refusal)
	}

	old := *rp
	rp.redirect = "https://portal.example/new"
	s.call(root, "PUT", d.path+"/"+made.ClientID, d.update(rp, "ACTIVE")).is(200)
	if who, refusal = rp.signIn(m, id, "bo"); refusal != "" || who.Name != "Bo Chen" {
		t.Errorf("after a change bo signs in as %+v %s", who, refusal)
	}
	if _, refusal = old.signIn(m, id, "bo"); !strings.Contains(refusal, "redirect_uri") {
		t.Errorf("with the redirect URI of before: %q", refusal)
	}

	s.call(root, "PUT", d.path+"/"+made.ClientID, d.update(rp, "INACTIVE")).is(200)
	if _, refusal = rp.signIn(m, id, "bo"); !strings.Contains(refusal, "token: ") {
		t.Errorf("an inactive client: %q", refusal)
	}
	s.call(root, "PUT", d.path+"/"+made.ClientID, d.update(rp, "ACTIVE")).is(200)
	if who, refusal = rp.signIn(m, id, "bo"); refusal != "" || who.Name != "Bo Chen" {
		t.Errorf("once active again bo signs in as %+v %s", who, refusal)
	}
}

// forget removes a client when the test ends.
func (k keycloak) forget(clientID string) {
	k.t.Helper()
	var clients []struct{ ID string }
	k.manage(http.MethodGet, "/"+k.realm+"/clients?clientId="+url.QueryEscape(clientID), nil, &clients)
	for _, c := range clients {
		k.t.Cleanup(func() { k.manage(http.MethodDelete, "/"+k.realm+"/clients/"+c.ID, nil, nil) })
	}
}
