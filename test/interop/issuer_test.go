package interop

import (
	"net/http"
	"testing"
)

// foreign adds a realm that gives the same person the same role and audience, and returns
// a token of it.
func (k keycloak) foreign() string {
	k.t.Helper()
	const realm = "interop-elsewhere"
	k.add("", object{
		"realm": realm, "enabled": true, "sslRequired": "none", "roles": object{"realm": []object{{"name": "WF_ADMIN"}, {"name": "PARTNER_ADMIN"}}},
		"clients": []object{{
			"clientId": "countersign-cli", "publicClient": true, "directAccessGrantsEnabled": true, "protocolMappers": []object{wfAudience, registrarAudience},
		}},
		"users": []object{{
			"username": "root", "enabled": true, "firstName": "Rut", "lastName": "Admin", "email": "root@example.org",
			"credentials": []object{{"type": "password", "value": passwordOf("root")}}, "realmRoles": []string{"WF_ADMIN", "PARTNER_ADMIN"},
		}},
	})
	return k.tokens(realm, byPassword("root")).Access
}

// The protocol mappers add the audiences of the services to the access tokens of a client.
var (
	wfAudience        = audienceMapper("countersign-wf")
	registrarAudience = audienceMapper("countersign-registrar")
)

func audienceMapper(audience string) object {
	return object{
		"name": audience, "protocol": "openid-connect", "protocolMapper": "oidc-audience-mapper",
		"config": object{"included.custom.audience": audience, "access.token.claim": "true"},
	}
}

const (
	policies = "/v1/wf/policies"
	anaID    = "aaaaaaaa-0000-4000-8000-000000000001"
)

// forAna is a policy under which ana approves.
func forAna(key string) object {
	return object{"policy_key": key, "name": "Interop", "stages": []object{{
		"key": "check", "name": "Check", "approvers": []object{{"type": "user", "ids": []string{anaID}}},
	}}}
}

func TestRolesOfKeycloakCountInWf(t *testing.T) {
	ask(t, "Keycloak", "issuer for wf: roles, those in others included")
	k := theKeycloak(t)
	s := startWf(t, k.issuer())
	vera := k.person("vera")
	s.call(k.person("root"), "POST", policies, forAna("interop")).Is(201)
	s.call(vera, "GET", policies+"/interop", nil).Is(200)
	s.call(vera, "POST", policies, forAna("viewer")).ExpectRefusal(403, "WF-008")
	s.call(k.person("hal"), "GET", policies, nil).ExpectRefusal(403, "WF-008")
}

func TestWfDistinguishesKeycloakUsersFromApplications(t *testing.T) {
	ask(t, "Keycloak", "issuer for wf: people and applications are told apart")
	k := theKeycloak(t)
	s := startWf(t, k.issuer())
	root, ana, payments := k.person("root"), k.person("ana"), k.application("payments", "payments-secret")
	s.call(root, "POST", policies, forAna("interop")).Is(201)
	s.call(root, "POST", policies+"/interop/versions/1/activate", nil).Is(200)
	var request struct {
		Tasks []struct{ ID string }
	}
	s.call(payments, "POST", "/v1/wf/requests", object{"policy_key": "interop", "context": object{}}).Is(201).Decode(&request)
	decision := "/v1/wf/tasks/" + request.Tasks[0].ID + "/decision"
	s.call(payments, "POST", decision, object{"action": "approve"}).Is(403)
	s.call(k.person("bo"), "POST", decision, object{"action": "approve"}).Is(403)
	s.call(ana, "POST", decision, object{"action": "approve"}).Is(200)
}

func TestWfRefusesTokensOfKeycloakThatAreNotForIt(t *testing.T) {
	ask(t, "Keycloak", "issuer for wf: refused are other audiences, other realms, ID tokens and refresh tokens")
	k := theKeycloak(t)
	s := startWf(t, k.issuer())
	root := k.tokens(k.realm, byPassword("root"))
	s.call(root.Access, "GET", policies, nil).Is(200)
	for what, token := range map[string]string{
		"no token": "", "an ID token": root.ID, "a refresh token": root.Refresh, "a token of another realm": k.foreign(),
		"a token for another audience": k.application("wf-directory", "directory-secret"),
	} {
		t.Log(what)
		s.call(token, "GET", policies, nil).ExpectRefusal(401, "WF-008")
	}
}

func TestWfAcceptsRotatedKeycloakKeys(t *testing.T) {
	ask(t, "Keycloak", "issuer for wf: a new key signs, and tokens of the old one stay good")
	k := theKeycloak(t)
	s := startWf(t, k.issuer())
	old := k.person("root")
	s.call(old, "GET", policies, nil).Is(200)
	var realm struct{ ID string }
	k.manage(http.MethodGet, "/"+k.realm, nil, &realm)
	k.add("/"+k.realm+"/components", object{
		"name": "interop-key", "providerId": "rsa-generated", "providerType": "org.keycloak.keys.KeyProvider", "parentId": realm.ID,
		"config": object{"priority": []string{"200"}, "algorithm": []string{"RS256"}},
	})
	s.call(k.person("root"), "GET", policies, nil).Is(200)
	s.call(old, "GET", policies, nil).Is(200)
}

func TestRolesOfKeycloakCountInTheRegistrar(t *testing.T) {
	ask(t, "Keycloak", "issuer for oidc-registrar: roles, the partner of a person, other audiences and realms refused")
	k := theKeycloak(t)
	s := startRegistrar(t, k.issuer())
	pia := k.person("pia")
	s.call(pia, "GET", partnerAPI, nil).Is(200)
	s.call(k.person("ana"), "GET", partnerAPI, nil).ExpectRefusal(403, "KER-ATH-403")
	for _, token := range []string{"", k.foreign(), k.application("oidc-registrar", "registrar-secret")} {
		s.call(token, "GET", partnerAPI, nil).ExpectRefusal(401, "KER-ATH-401")
	}
	rp := newRelyingParty(t)
	s.call(pia, "POST", partnerAPI, rp.partnerRegistration("somebody-else")).ExpectRefusal(403, "PMS_POLICY_ERROR_009")
	var made struct{ ClientID, Status string }
	s.call(pia, "POST", partnerAPI, rp.partnerRegistration("demo-partner")).Is(200).Decode(&made)
	if made.Status != "ACTIVE" {
		t.Errorf("the registration: %+v", made)
	}
}

func TestScopesOfKeycloakCountInTheRegistrar(t *testing.T) {
	ask(t, "Keycloak", "issuer for oidc-registrar: scopes of an application")
	k := theKeycloak(t)
	s := startRegistrar(t, k.issuer())
	manager := k.add("/"+k.realm+"/clients", object{
		"clientId": "interop-manager", "publicClient": false, "standardFlowEnabled": false, "serviceAccountsEnabled": true, "secret": "interop-secret",
		"protocolMappers": []object{registrarAudience},
	})
	for _, name := range []string{"add_oidc_client", "get_oidc_client"} {
		id := k.add("/"+k.realm+"/client-scopes", object{
			"name": name, "protocol": "openid-connect", "attributes": object{"include.in.token.scope": "true"},
		})
		k.manage(http.MethodPut, "/"+k.realm+"/clients/"+manager+"/optional-client-scopes/"+id, nil, nil)
	}
	adds, gets := k.application("interop-manager", "interop-secret", "add_oidc_client"),
		k.application("interop-manager", "interop-secret", "get_oidc_client")
	rp := newRelyingParty(t)
	s.call(adds, "POST", providerAPI, rp.providerRegistration()).Is(200)
	s.call(adds, "GET", providerAPI+"/"+rp.id(), nil).ExpectRefusal(403, "FORBIDDEN")
	s.call(adds, "GET", partnerAPI, nil).ExpectRefusal(403, "KER-ATH-403")
	s.call(gets, "GET", providerAPI+"/"+rp.id(), nil).Is(200)
	s.call(gets, "POST", providerAPI, newRelyingParty(t).providerRegistration()).ExpectRefusal(403, "FORBIDDEN")
}
