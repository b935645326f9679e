package interop

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

const (
	partnerAPI  = "/v1/partnermanager/oidc/client"
	providerAPI = "/v1/idp/client-mgmt/oidc-client"
)

// api is an API that registers and changes clients.
type api struct {
	name     string
	path     string
	register func(*relyingParty) object
	update   func(rp *relyingParty, status string) object
}

var apis = []api{
	{"partner API", partnerAPI, atPartners, (*relyingParty).changedByPartners},
	{"provider API", providerAPI, (*relyingParty).providerRegistration, (*relyingParty).changeWithClaims},
	{"partner API 1.2.2", "/v1/partnermanager/oauth/client", withNames(atPartners), namedChange((*relyingParty).changedByPartners)},
	{"eSignet 1.0", "/v1/esignet/client-mgmt/oidc-client", (*relyingParty).providerRegistration, (*relyingParty).changeWithClaims},
	{"eSignet 1.4", "/v1/esignet/client-mgmt/oauth-client", withRequestTime((*relyingParty).providerRegistration), timedChange((*relyingParty).changeWithClaims)},
	{"eSignet 1.6", "/v1/esignet/client-mgmt/client", withRequestTime((*relyingParty).providerRegistration), timedChange((*relyingParty).changeWithClaims)},
}

func atPartners(rp *relyingParty) object { return rp.partnerRegistration("demo-partner") }

func (rp *relyingParty) changedByPartners(status string) object {
	return object{"request": rp.change(status)}
}

func (rp *relyingParty) changeWithClaims(status string) object {
	change := rp.change(status)
	change["userClaims"], change["authContextRefs"] = []string{"name", "email"}, []string{"mosip:idp:acr:password"}
	return object{"request": change}
}

// withNames adds what newer paths of partner management need: names by language.
func withNames(body func(*relyingParty) object) func(*relyingParty) object {
	return func(rp *relyingParty) object {
		made := body(rp)
		request := made["request"].(object)
		request["clientNameLangMap"] = object{"eng": request["name"]}
		return made
	}
}

func namedChange(body func(*relyingParty, string) object) func(*relyingParty, string) object {
	return func(rp *relyingParty, status string) object {
		made := body(rp, status)
		request := made["request"].(object)
		request["clientNameLangMap"] = object{"eng": request["clientName"], "fra": request["clientName"]}
		return made
	}
}

// withRequestTime adds the members that newer APIs of eSignet require.
func withRequestTime(body func(*relyingParty) object) func(*relyingParty) object {
	return func(rp *relyingParty) object { return withTime(body(rp)) }
}

func timedChange(body func(*relyingParty, string) object) func(*relyingParty, string) object {
	return func(rp *relyingParty, status string) object { return withTime(body(rp, status)) }
}

func withTime(body object) object {
	body["requestTime"] = time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	return body
}

// change returns an update, the same for both APIs.
func (rp *relyingParty) change(status string) object {
	return object{
		"clientName": "Renamed", "logoUri": "https://portal.example/new.png", "redirectUris": []string{rp.redirect},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"}, "status": status,
	}
}

func TestKeycloakSignsPeopleInAtRegisteredClients(t *testing.T) {
	for _, d := range apis {
		t.Run(d.name, func(t *testing.T) {
			ask(t, "Keycloak", "RFC 7591 and 7592: "+d.name+", sign in, change, deactivate, sign-in refused")
			k := theKeycloak(t)
			k.servesClients(k.startRegistrar(), discover(t, k.issuer()), d)
		})
	}
}

func TestKeycloakTakesBothKeysOfAClientThatRollsThem(t *testing.T) {
	ask(t, "Keycloak", "RFC 7592: a key beside the first, sign in with both; without the first, refused with it")
	k := theKeycloak(t)
	s, m, root, rp := k.startRegistrar(), discover(t, k.issuer()), k.person("root"), newRelyingParty(t)
	var made struct{ ClientID, ProviderClientID string }
	s.call(root, "POST", partnerAPI, atPartners(rp)).Is(200).Decode(&made)
	k.forget(made.ProviderClientID)
	next, keys := newRelyingParty(t), "/v1/registrar/clients/"+made.ClientID+"/keys"
	s.call(root, "POST", keys, object{"request": object{"publicKey": next.public}}).Is(200)
	for _, holder := range []*relyingParty{rp, next} {
		if who, refusal := holder.signIn(m, made.ProviderClientID, "ana"); refusal != "" || who.Name != "Ana Lima" {
			t.Errorf("with key %s of two ana signs in as %+v %s", holder.public.KeyID, who, refusal)
		}
	}
	s.call(root, "DELETE", keys+"?kid="+url.QueryEscape(rp.public.KeyID), nil).Is(200)
	if who, refusal := next.signIn(m, made.ProviderClientID, "ana"); refusal != "" || who.Name != "Ana Lima" {
		t.Errorf("with the new key alone ana signs in as %+v %s", who, refusal)
	}
	if _, refusal := rp.signIn(m, made.ProviderClientID, "ana"); !strings.Contains(refusal, "token: ") {
		t.Errorf("with the key that was removed: %q", refusal)
	}
}

// Keycloak rejects unknown members, such as client_name#fr.
func TestOtherNamesInOtherLanguagesAreStoredAndNotSentToKeycloak(t *testing.T) {
	ask(t, "Keycloak", "RFC 7591: names by language, which it does not take, are stored and left out")
	k := theKeycloak(t)
	s, root, path := k.startRegistrar(), k.person("root"), "/v1/partnermanager/oauth/client"
	rp := newRelyingParty(t)
	body := atPartners(rp)
	body["request"].(object)["clientNameLangMap"] = object{"eng": "Portal", "fra": "Portail"}
	var made struct{ ClientID, ProviderClientID, Status string }
	s.call(root, "POST", path, body).Is(200).Decode(&made)
	k.forget(made.ProviderClientID)
	if made.Status != "ACTIVE" {
		t.Errorf("the registration: %+v", made)
	}
	if here := s.call(root, "GET", path+"/"+made.ClientID, nil).Is(200); !strings.Contains(string(here.Body), "Portail") {
		t.Errorf("stored: %s", here.Body)
	}
	body = rp.changedByPartners("ACTIVE")
	body["request"].(object)["clientNameLangMap"] = object{"fra": "Autre"}
	s.call(root, "PUT", path+"/"+made.ClientID, body).Is(200)
	if _, there := k.client(made.ProviderClientID); there["name"] != "Renamed" {
		t.Errorf("Keycloak has the name %v", there["name"])
	}
	s.reconcile().expect(t, "1 same, 0 different")
}

// startRegistrar starts oidc-registrar with Keycloak as the provider of its clients.
func (k keycloak) startRegistrar(variables ...string) service {
	k.t.Helper()
	m := discover(k.t, k.issuer())
	return startRegistrar(k.t, k.issuer(), append(variables, "IDP=keycloak", "IDP_URL="+m.Registration, "IDP_CLIENT_ID=oidc-registrar", "IDP_CLIENT_SECRET=registrar-secret")...)
}

// servesClients goes through the life of a client.
func (k keycloak) servesClients(s service, m metadata, d api) {
	t, rp, root := k.t, newRelyingParty(k.t), k.person("root")
	var made struct{ ClientID, ProviderClientID, Status string }
	s.call(root, "POST", d.path, d.register(rp)).Is(200).Decode(&made)
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
	s.call(root, "PUT", d.path+"/"+made.ClientID, d.update(rp, "ACTIVE")).Is(200)
	if who, refusal = rp.signIn(m, id, "bo"); refusal != "" || who.Name != "Bo Chen" {
		t.Errorf("after a change bo signs in as %+v %s", who, refusal)
	}
	if _, refusal = old.signIn(m, id, "bo"); !strings.Contains(refusal, "redirect_uri") {
		t.Errorf("with the redirect URI of before: %q", refusal)
	}

	s.call(root, "PUT", d.path+"/"+made.ClientID, d.update(rp, "INACTIVE")).Is(200)
	if _, refusal = rp.signIn(m, id, "bo"); !strings.Contains(refusal, "token: ") {
		t.Errorf("an inactive client: %q", refusal)
	}
	s.call(root, "PUT", d.path+"/"+made.ClientID, d.update(rp, "ACTIVE")).Is(200)
	if who, refusal = rp.signIn(m, id, "bo"); refusal != "" || who.Name != "Bo Chen" {
		t.Errorf("once active again bo signs in as %+v %s", who, refusal)
	}
}

// forget removes a client when the test ends, if it is still there.
func (k keycloak) forget(clientID string) {
	k.t.Helper()
	k.t.Cleanup(func() {
		var clients []struct{ ID string }
		k.manage(http.MethodGet, "/"+k.realm+"/clients?clientId="+url.QueryEscape(clientID), nil, &clients)
		for _, c := range clients {
			k.manage(http.MethodDelete, "/"+k.realm+"/clients/"+c.ID, nil, nil)
		}
	})
}
