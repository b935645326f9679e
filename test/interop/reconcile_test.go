package interop

import (
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
			"by credentials for all", "same, changed, missing; an update writes the changed one back", true,
			"missing at the identity provider", "1 clients are the same, 1 changed, 1 missing, 0 locked, 0 unreadable", "2 clients are the same, 0 changed, 1 missing, 0 locked",
		},
		{
			"by the token of each client", "same, changed, locked; an update writes the changed one back", false,
			"rejects its token", "1 clients are the same, 1 changed, 0 missing, 1 locked, 0 unreadable", "2 clients are the same, 0 changed, 0 missing, 1 locked",
		},
	} {
		t.Run(way.name, func(t *testing.T) {
			ask(t, "Keycloak", "RFC 7592: reconcile "+way.name+": "+way.question)
			k := theKeycloak(t)
			variables := []string{"RECONCILE_EVERY=0"}
			if way.manages {
				variables = append(variables, "IDP_MANAGE_CLIENT_ID=oidc-registrar-manager", "IDP_MANAGE_CLIENT_SECRET=manager-secret")
			}
			s, m, root := k.startRegistrar(variables...), discover(t, k.issuer()), k.person("root")
			var same, changed, gone comparedClient
			for _, c := range []*comparedClient{&same, &changed, &gone} {
				c.rp = newRelyingParty(t)
				s.call(root, "POST", partnerAPI, atPartners(c.rp)).Is(200).Decode(c)
				k.forget(c.ProviderClientID)
			}
			s.reconcile().expect(t, "3 clients are the same, 0 changed, 0 missing, 0 locked, 0 unreadable")

			path, there := k.client(changed.ProviderClientID)
			there["name"], there["redirectUris"] = "Changed there", []string{"https://changed.example/callback"}
			k.manage(http.MethodPut, path, there, nil)
			path, _ = k.client(gone.ProviderClientID)
			k.manage(http.MethodDelete, path, nil, nil)
			s.reconcile().expect(t, way.found, "client "+changed.ClientID+": different at the identity provider: clientName, redirectUris",
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
	same := strings.Contains(said, "are the same, 0 changed, 0 missing, 0 locked, 0 unreadable; not compared: 0 waiting, 0 doubtful; 0 only at the provider")
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
