package interop

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// A client that Keycloak no longer shows for its token may be deleted, or only the token may be
// void: it is reported and not changed.
func TestClientsAreComparedWithKeycloak(t *testing.T) {
	for _, way := range []struct {
		name, question    string
		manages           bool
		gone, found, left string
	}{
		{
			"by credentials for all", "same, different, missing; an update writes the different one back", true,
			"missing at the identity provider", "1 same, 1 different, 1 missing, 0 unknown; not compared: 0 locked", "2 same, 0 different, 1 missing",
		},
		{
			"by the token of each client", "same, different, locked; an update writes the different one back", false,
			"rejects its token", "1 same, 1 different, 0 missing, 0 unknown; not compared: 1 locked", "2 same, 0 different, 0 missing",
		},
	} {
		t.Run(way.name, func(t *testing.T) {
			ask(t, "Keycloak", "RFC 7592: reconcile "+way.name+": "+way.question)
			k := theKeycloak(t)
			variables := []string{"RECONCILE_EVERY=0"}
			if way.manages {
				variables = append(variables, managerOfClients...)
			}
			s, m, root := k.startRegistrar(variables...), discover(t, k.issuer()), k.person("root")
			var same, changed, gone comparedClient
			for _, c := range []*comparedClient{&same, &changed, &gone} {
				c.rp = newRelyingParty(t)
				s.call(root, "POST", partnerAPI, atPartners(c.rp)).Is(200).Decode(c)
				k.forget(c.ProviderClientID)
			}
			said := s.reconcile()
			said.expect(t, "3 same, 0 different, 0 missing", "never returns them: enabled, publicClient")
			if strings.Contains(string(said), "cannot be seen") == way.manages {
				t.Errorf("of clients that only Keycloak has: %s", said)
			}

			path, there := k.client(changed.ProviderClientID)
			there["name"], there["redirectUris"] = "Changed there", []string{"https://changed.example/callback"}
			k.manage(http.MethodPut, path, there, nil)
			path, _ = k.client(gone.ProviderClientID)
			k.manage(http.MethodDelete, path, nil, nil)
			different := "client " + changed.ClientID + ": different at the identity provider: "
			s.reconcile().expect(t, way.found, different+`clientName is "Changed there", here "`,
				different+`redirectUris is "https://changed.example/callback", here "`+changed.rp.redirect+`"`,
				"client "+gone.ClientID+": ", way.gone)
			if _, refusal := changed.rp.signIn(m, changed.ProviderClientID, "ana"); !strings.Contains(refusal, "redirect_uri") {
				t.Errorf("a comparison alone: %q", refusal)
			}

			s.call(root, "PUT", partnerAPI+"/"+changed.ClientID, changed.rp.changedByPartners("ACTIVE")).Is(200)
			s.reconcile().expect(t, way.left)
			for _, c := range []comparedClient{same, changed, gone} {
				who, refusal := c.rp.signIn(m, c.ProviderClientID, "ana")
				if c == gone {
					if refusal == "" {
						t.Error("a sign-in succeeds at a client absent from Keycloak")
					}
				} else if refusal != "" || who.Name != "Ana Lima" {
					t.Errorf("ana signs in as %+v %s", who, refusal)
				}
			}
		})
	}
}

// managerOfClients are the settings with credentials for all clients.
var managerOfClients = []string{"IDP_MANAGE_CLIENT_ID=oidc-registrar-manager", "IDP_MANAGE_CLIENT_SECRET=manager-secret"}

// Whatever an administrator of Keycloak changes to take a client over is found, as far as its registration API returns
// it. Nothing differs before and after.
func TestAnyTakeoverAtKeycloakIsFound(t *testing.T) {
	ask(t, "Keycloak", "RFC 7592: reconcile finds every takeover of an ACTIVE and an INACTIVE client, and nothing else")
	k := theKeycloak(t)
	s, root := k.startRegistrar(append(managerOfClients, "RECONCILE_EVERY=0")...), k.person("root")
	key, err := json.Marshal(object{"keys": []any{newRelyingParty(t).public}})
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []string{"ACTIVE", "INACTIVE"} {
		var c comparedClient
		c.rp = newRelyingParty(t)
		s.call(root, "POST", partnerAPI, atPartners(c.rp)).Is(200).Decode(&c)
		k.forget(c.ProviderClientID)
		if status == "INACTIVE" {
			s.call(root, "PUT", partnerAPI+"/"+c.ClientID, c.rp.changedByPartners(status)).Is(200)
		}
		path, before := k.client(c.ProviderClientID)
		all := map[bool]int{false: 1, true: 2}[status == "INACTIVE"]
		same := fmt.Sprintf("%d same, 0 different", all)
		s.reconcile().expect(t, same)
		for name, change := range map[string]struct {
			members, attributes object
			want                string // empty: not returned
		}{
			"a key":              {nil, object{"jwks.string": string(key)}, "publicKey"},
			"an address of keys": {nil, object{"use.jwks.string": "false", "use.jwks.url": "true", "jwks.url": "https://evil.example/jwks"}, "jwks_uri"},
			"password":           {object{"directAccessGrantsEnabled": true}, nil, "grantTypes"},
			"implicit":           {object{"implicitFlowEnabled": true}, nil, "grantTypes"},
			"client credentials": {object{"serviceAccountsEnabled": true}, nil, "grantTypes"},
			"device":             {nil, object{"oauth2.device.authorization.grant.enabled": "true"}, "grantTypes"},
			"a secret":           {object{"clientAuthenticatorType": "client-secret"}, nil, "clientAuthMethods"},
			"after a sign-out":   {nil, object{"post.logout.redirect.uris": "https://evil.example/"}, "post_logout_redirect_uris"},
			"logout tokens":      {nil, object{"backchannel.logout.url": "https://evil.example/"}, "backchannel_logout_uri"},
			"unsigned ID tokens": {nil, object{"id.token.signed.response.alg": "none"}, "id_token_signed_response_alg"},
			"another ACR":        {nil, object{"default.acr.values": "mosip:idp:acr:password"}, "authContextRefs"},
			"public":             {object{"publicClient": true}, nil, ""},
			"disabled":           {object{"enabled": false}, nil, ""},
		} {
			there := maps.Clone(before)
			maps.Copy(there, change.members)
			attributes := maps.Clone(before["attributes"].(object))
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
			if change.want == "" {
				want = same
			}
			if said := s.reconcile(); !strings.Contains(string(said), want) {
				t.Errorf("%s of a client that is %s: %s, want %q", name, status, said, want)
			}
			there = maps.Clone(before)
			there["attributes"] = undone
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
	same := strings.Contains(said, "same, 0 different, 0 missing, 0 unknown; not compared: 0 locked, 0 unreadable, 0 waiting, 0 doubtful")
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
