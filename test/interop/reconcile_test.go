package interop

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
)

func TestClientsAreComparedWithKeycloak(t *testing.T) {
	ask(t, "Keycloak",
		"admin API: reconcile: same, different, missing, unknown; an update writes the different one back, an admin sends the missing one again")
	k := theKeycloak(t)
	s, m, root := k.startRegistrar(), discover(t, k.issuer()), k.person("root")
	var same, changed, gone comparedClient
	for _, c := range []*comparedClient{&same, &changed, &gone} {
		c.rp = newRelyingParty(t)
		s.call(root, "POST", partnerAPI, atPartners(c.rp)).Is(200).Decode(c)
		k.forget(c.ClientID)
	}
	s.reconcile().expect(t, "3 same, 0 different, 0 missing")

	path, there := k.client(changed.ClientID)
	there["name"], there["redirectUris"] = "Changed there", []string{"https://changed.example/callback"}
	k.manage(http.MethodPut, path, there, nil)
	path, _ = k.client(gone.ClientID)
	k.manage(http.MethodDelete, path, nil, nil)
	k.add("/"+k.realm+"/clients", object{"clientId": "interop-orphan", "name": "Orphan"})
	different := "client " + changed.ClientID + ": different at the identity provider: "
	s.reconcile().expect(t, "1 same, 1 different, 1 missing, 1 unknown", different+`clientName is "Changed there", here "`,
		different+`redirectUris is "https://changed.example/callback", here "`+changed.rp.redirect+`"`,
		"client "+gone.ClientID+": missing", "client interop-orphan: unknown: Orphan")
	if _, refusal := changed.rp.signIn(m, changed.ClientID, "ana"); !strings.Contains(refusal, "redirect_uri") {
		t.Errorf("a comparison alone: %q", refusal)
	}

	s.call(root, "PUT", partnerAPI+"/"+changed.ClientID, changed.rp.changedByPartners("ACTIVE")).Is(200)
	s.call(root, "PUT", partnerAPI+"/"+gone.ClientID, gone.rp.changedByPartners("ACTIVE")).ExpectRefusal(200,
		"PMS_PRT_500")
	s.reconcile().expect(t, "2 same, 0 different, 1 missing")
	for _, c := range []comparedClient{same, changed} {
		if who, refusal := c.rp.signIn(m, c.ClientID, "ana"); refusal != "" || who.Name != "Ana Lima" {
			t.Errorf("ana signs in as %+v %s", who, refusal)
		}
	}
}

// Whatever an administrator of Keycloak changes to take a client over is found. Nothing differs before and after.
func TestAnyTakeoverAtKeycloakIsFound(t *testing.T) {
	ask(t, "Keycloak", "admin API: reconcile finds every takeover of an ACTIVE, an INACTIVE and a public client, and nothing else")
	k := theKeycloak(t)
	s, root := k.startRegistrar(), k.person("root")
	key, err := json.Marshal(object{"keys": []any{newRelyingParty(t).public}})
	if err != nil {
		t.Fatal(err)
	}
	for count, status := range []string{"ACTIVE", "INACTIVE", "public"} {
		var c comparedClient
		c.rp = newRelyingParty(t)
		body := atPartners(c.rp)
		if status == "public" {
			body = c.rp.app()
		}
		s.call(root, "POST", partnerAPI, body).Is(200).Decode(&c)
		k.forget(c.ClientID)
		if status == "INACTIVE" {
			s.call(root, "PUT", partnerAPI+"/"+c.ClientID, c.rp.changedByPartners(status)).Is(200)
		}
		path, before := k.client(c.ClientID)
		same := fmt.Sprintf("%d same, 0 different", count+1)
		s.reconcile().expect(t, same)
		for name, change := range map[string]struct {
			members, attributes object
			want                string
		}{
			"a key":               {nil, object{"jwks.string": string(key)}, "publicKey"},
			"an address of keys":  {nil, object{"use.jwks.string": "false", "use.jwks.url": "true", "jwks.url": "https://evil.example/jwks"}, "@jwks.url"},
			"passwords":           {object{"directAccessGrantsEnabled": true}, nil, "directAccessGrantsEnabled"},
			"implicit":            {object{"implicitFlowEnabled": true}, nil, "implicitFlowEnabled"},
			"device":              {nil, object{"oauth2.device.authorization.grant.enabled": "true"}, "@oauth2.device.authorization.grant.enabled"},
			"a secret":            {object{"clientAuthenticatorType": "client-secret"}, nil, "clientAuthenticatorType"},
			"a redirect URI":      {object{"redirectUris": []string{"https://evil.example/*"}}, nil, "redirectUris"},
			"after a sign-out":    {nil, object{"post.logout.redirect.uris": "https://evil.example/"}, "@post.logout.redirect.uris"},
			"logout tokens":       {nil, object{"backchannel.logout.url": "https://evil.example/"}, "@backchannel.logout.url"},
			"unsigned ID tokens":  {nil, object{"id.token.signed.response.alg": "none"}, "@id.token.signed.response.alg"},
			"another ACR":         {nil, object{"default.acr.values": "mosip:idp:acr:password"}, "authContextRefs"},
			"other client's type": {object{"publicClient": status != "public"}, nil, "publicClient"},
			"full scope":          {object{"fullScopeAllowed": true}, nil, "fullScopeAllowed"},
			"a web origin":        {object{"webOrigins": []string{"*"}}, nil, "webOrigins"},
			"consent":             {object{"consentRequired": status != "public"}, nil, "consentRequired"},
			"PKCE": {nil, object{"pkce.code.challenge.method": map[bool]string{true: "",
				false: "plain"}[status == "public"]}, "@pkce.code.challenge.method"},
			"a mapper": {object{"protocolMappers": []object{{
				"name": "ssn", "protocol": "openid-connect", "protocolMapper": "oidc-usermodel-attribute-mapper",
				"config": object{"user.attribute": "ssn", "claim.name": "ssn", "id.token.claim": "true"},
			}}}, nil, "userClaims.ssn"},
			"its status":   {object{"enabled": status == "INACTIVE"}, nil, "status"},
			"another mark": {nil, object{"registrar.registration": "theirs"}, "mark"},
		} {
			there, attributes := maps.Clone(before), maps.Clone(before["attributes"].(object))
			maps.Copy(there, change.members)
			undone := maps.Clone(attributes)
			for attribute, value := range change.attributes {
				attributes[attribute] = value
				if undone[attribute] == nil {
					undone[attribute] = ""
				}
			}
			there["attributes"] = attributes
			k.manage(http.MethodPut, path, there, nil)
			want := "client " + c.ClientID + ": different at the identity provider: " + change.want + " is "
			if said := s.reconcile(); !strings.Contains(string(said), want) {
				t.Errorf("%s of a client that is %s: %s, want %q", name, status, said, want)
			}
			there = maps.Clone(before)
			there["attributes"] = undone
			if there["protocolMappers"] == nil {
				there["protocolMappers"] = []object{}
			}
			k.manage(http.MethodPut, path, there, nil)
		}
		s.reconcile().expect(t, same)
	}
}

type comparedClient struct {
	rp                         *relyingParty
	ClientID, ProviderClientID string
}

// comparison is the output of the command.
type comparison string

// reconcile runs oidc-registrar reconcile beside the service.
func (s service) reconcile() comparison {
	s.t.Helper()
	p := s.run("reconcile")
	status, said := p.Wait(), p.Log.String()
	same := strings.Contains(said, "same, 0 different, 0 missing, 0 unknown, 0 not compared")
	if want := map[bool]int{true: 0, false: 1}[same]; status != want {
		s.t.Fatalf("reconcile ends with %d: %s", status, said)
	}
	return comparison(said)
}

func (c comparison) expect(t *testing.T, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(string(c), word) {
			t.Errorf("%s, want %q", c, word)
		}
	}
}
