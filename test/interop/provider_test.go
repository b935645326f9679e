package interop

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
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
	{"eSignet 1.4", "/v1/esignet/client-mgmt/oauth-client", withRequestTime((*relyingParty).providerRegistration),
		timedChange((*relyingParty).changeWithClaims)},
	{"eSignet 1.6", "/v1/esignet/client-mgmt/client", withRequestTime((*relyingParty).providerRegistration),
		timedChange((*relyingParty).changeWithClaims)},
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
			ask(t, "Keycloak", "admin API: "+d.name+", sign in, change, deactivate, no sign-in page")
			k := theKeycloak(t)
			k.servesClients(k.startRegistrar(), discover(t, k.issuer()), d)
		})
	}
}

func TestKeycloakTakesBothKeysOfAClientThatRollsThem(t *testing.T) {
	ask(t, "Keycloak", "admin API: a key beside the first, sign in with both; without the first, refused with it")
	k := theKeycloak(t)
	s, m, root, rp := k.startRegistrar(), discover(t, k.issuer()), k.person("root"), newRelyingParty(t)
	var made struct{ ClientID string }
	s.call(root, "POST", partnerAPI, atPartners(rp)).Is(200).Decode(&made)
	k.forget(made.ClientID)
	next, keys := newRelyingParty(t), "/v1/registrar/clients/"+made.ClientID+"/keys"
	s.call(root, "POST", keys, object{"request": object{"publicKey": next.public}}).Is(200)
	for _, holder := range []*relyingParty{rp, next} {
		if who, refusal := holder.signIn(m, made.ClientID, "ana"); refusal != "" || who.Name != "Ana Lima" {
			t.Errorf("with key %s of two ana signs in as %+v %s", holder.public.KeyID, who, refusal)
		}
	}
	s.call(root, "DELETE", keys+"?kid="+url.QueryEscape(rp.public.KeyID), nil).Is(200)
	if who, refusal := next.signIn(m, made.ClientID, "ana"); refusal != "" || who.Name != "Ana Lima" {
		t.Errorf("with the new key alone ana signs in as %+v %s", who, refusal)
	}
	if _, refusal := rp.signIn(m, made.ClientID, "ana"); !strings.Contains(refusal, "token: ") {
		t.Errorf("with the key that was removed: %q", refusal)
	}
}

// Names are texts of the realm. Keycloak shows them where a public client asks for consent to a scope.
func TestKeycloakShowsNamesByLanguage(t *testing.T) {
	ask(t, "Keycloak", "admin API: names in two languages, in another one the default")
	k := theKeycloak(t)
	s, m, root := k.startRegistrar(), discover(t, k.issuer()), k.person("root")
	rp := &relyingParty{t: t, redirect: "https://portal.example/callback", scope: "email"}
	body := rp.app()
	body["request"].(object)["name"], body["request"].(object)["clientNameLangMap"] = "It's {a} portal", object{"fra": "Portail d'été"}
	var made comparedClient
	s.call(root, "POST", "/v1/partnermanager/oauth/client", body).Is(200).Decode(&made)
	k.forget(made.ClientID)
	for person, language := range map[string]struct{ locale, name string }{"ana": {"fr", "Portail d'été"},
		"bo": {"en", "It's {a} portal"}, "cy": {"xx", "It's {a} portal"}} {
		address := rp.authorization(m, made.ClientID, "s", "n", oauth2.GenerateVerifier()) + "&ui_locales=" + language.locale
		shown := newBrowser(t, rp.redirect).signIn(address, person, passwordOf(person))
		if !shown.consents() || !strings.Contains(shown.text, language.name) {
			t.Errorf("%s: %s", language.locale, shown.text)
		}
	}
	s.reconcile().expect(t, "1 same, 0 different")
	change := object{"clientName": "Renamed", "clientNameLangMap": object{"deu": "Neu"}, "status": "ACTIVE",
		"logoUri":      "https://portal.example/new.png",
		"redirectUris": []string{rp.redirect}, "grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"none"}}
	s.call(root, "PUT", "/v1/partnermanager/oauth/client/"+made.ClientID, object{"request": change}).Is(200)
	s.reconcile().expect(t, "1 same, 0 different")
	var texts map[string]string
	k.manage(http.MethodGet, "/"+k.realm+"/localization/fr", nil, &texts)
	if text, ok := texts["registrar."+made.ClientID]; ok {
		t.Errorf("the French name is still %q", text)
	}
}

// app returns a registration of a public client.
func (rp *relyingParty) app() object {
	return object{"request": object{
		"name": "App " + rand.Text(), "policyId": "app-policy", "authPartnerId": "demo-partner",
		"logoUri":      "https://portal.example/logo.png",
		"redirectUris": []string{rp.redirect}, "grantTypes": []string{"authorization_code"},
		"clientAuthMethods": []string{"none"},
	}}
}

func TestKeycloakSignsPeopleInAtPublicClientsWithPKCE(t *testing.T) {
	ask(t, "Keycloak", "admin API: a public client signs in with PKCE and consent, on any port of loopback; without PKCE it is refused")
	k := theKeycloak(t)
	s, m, root := k.startRegistrar(), discover(t, k.issuer()), k.person("root")
	rp := &relyingParty{t: t, redirect: "http://127.0.0.1/callback", scope: "email"}
	var made comparedClient
	s.call(root, "POST", partnerAPI, rp.app()).Is(200).Decode(&made)
	k.forget(made.ClientID)
	rp.redirect = "http://127.0.0.1:53682/callback"
	if who, refusal := rp.signIn(m, made.ClientID, "ana"); refusal != "" || who.Name != "Ana Lima" ||
		who.Email != "ana@example.org" {
		t.Errorf("with PKCE ana signs in as %+v %s", who, refusal)
	}
	came := newBrowser(t, rp.redirect).open(rp.authorization(m, made.ClientID, "s", "n", ""))
	if came.asks() || came.at.Query().Get("error") != "invalid_request" ||
		!strings.Contains(came.at.Query().Get("error_description"), "code_challenge") {
		t.Errorf("without PKCE: %s %s", came.at, came.text)
	}
	verifier := oauth2.GenerateVerifier()
	b := newBrowser(t, rp.redirect)
	came = b.signIn(rp.authorization(m, made.ClientID, "s", "n", verifier), "ana", passwordOf("ana"))
	if _, refusal := rp.redeem(m, made.ClientID, came.at.Query().Get("code"), oauth2.GenerateVerifier()); !strings.Contains(refusal, "PKCE") {
		t.Errorf("with another verifier: %q", refusal)
	}
	s.reconcile().expect(t, "1 same, 0 different")
}

// One registrar for each realm: the same client in both, disabled in one.
func TestTwoRealmsOfKeycloakAreApart(t *testing.T) {
	ask(t, "Keycloak", "admin API: two realms, the same client in each, disabled in one; the second without manage-realm")
	k := theKeycloak(t)
	second := k
	second.realm = "interop-second"
	k.add("", object{
		"realm": second.realm, "enabled": true, "sslRequired": "none", "internationalizationEnabled": true,
		"supportedLocales": []string{"en", "fr"},
		"clients": []object{{"clientId": "oidc-registrar", "publicClient": false, "standardFlowEnabled": false,
			"serviceAccountsEnabled": true, "secret": "registrar-secret"}},
		"users": []object{
			{"username": "service-account-oidc-registrar", "enabled": true, "serviceAccountClientId": "oidc-registrar",
				"clientRoles": object{"realm-management": []string{"manage-clients"}}},
			{"username": "ana", "enabled": true, "firstName": "Other", "lastName": "Ana", "email": "ana@example.org",
				"credentials": []object{{"type": "password", "value": passwordOf("ana")}}},
		},
	})
	rp, root := newRelyingParty(t), k.person("root")
	body := withNames(atPartners)(rp)
	services := map[string]service{}
	var made comparedClient
	for _, realm := range []keycloak{k, second} {
		s := realm.startRegistrar("AUTH_ISSUER="+k.issuer(), "AUTH_JWKS_URL="+discover(t, k.issuer()).Keys)
		s.call(root, "POST", "/v1/partnermanager/oauth/client", body).Is(200).Decode(&made)
		services[realm.realm] = s
	}
	k.forget(made.ClientID)
	services[k.realm].call(root, "POST", "/v1/registrar/clients/"+made.ClientID+"/disable",
		object{"request": object{"reason": "Test"}}).Is(200)
	if who, refusal := rp.signIn(discover(t, second.issuer()), made.ClientID, "ana"); refusal != "" ||
		who.Name != "Other Ana" {
		t.Errorf("in the second realm ana signs in as %+v %s", who, refusal)
	}
	if _, refusal := rp.signIn(discover(t, k.issuer()), made.ClientID, "ana"); !strings.Contains(refusal, "authorize: ") {
		t.Errorf("in the first realm: %q", refusal)
	}
	for _, s := range services {
		s.reconcile().expect(t, "1 same, 0 different")
	}
	if _, there := second.client(made.ClientID); there["name"] != "Portal of a partner" {
		t.Errorf("without manage-realm the name is %v", there["name"])
	}
}

// startRegistrar starts oidc-registrar with Keycloak as the provider of its clients.
func (k keycloak) startRegistrar(variables ...string) service {
	k.t.Helper()
	return startRegistrar(k.t, k.issuer(), append(k.asProvider(k.url), variables...)...)
}

// asProvider returns the settings with Keycloak, at an address, as the provider of clients.
func (k keycloak) asProvider(address string) []string {
	return []string{
		"IDP=keycloak", "IDP_URL=" + address + "/realms/" + k.realm, "IDP_CLIENT_ID=oidc-registrar",
		"IDP_CLIENT_SECRET=registrar-secret",
		"IDP_OTHER_CLIENTS=countersign-cli,payments,wf-inbox,registrar-console,wf-directory",
	}
}

// servesClients goes through the life of a client.
func (k keycloak) servesClients(s service, m metadata, d api) {
	t, rp, root := k.t, newRelyingParty(k.t), k.person("root")
	var made struct{ ClientID, Status string }
	s.call(root, "POST", d.path, d.register(rp)).Is(200).Decode(&made)
	if made.Status != "ACTIVE" || made.ClientID == "" {
		t.Fatalf("the registration: %+v", made)
	}
	id := made.ClientID
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
	shown := newBrowser(t, rp.redirect).open(rp.authorization(m, id, "s", "n", oauth2.GenerateVerifier()))
	if shown.asks() || shown.status != http.StatusBadRequest {
		t.Errorf("the sign-in at an inactive client: %d %s", shown.status, shown.text)
	}
	s.reconcile().expect(t, "1 same, 0 different")
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
