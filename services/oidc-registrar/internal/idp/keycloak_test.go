package idp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
)

// Keycloak drops software_id, and keeps the members of a JWK: the id is one of the first key. An inactive client keeps it.
func TestTheIDOfAClientIsWhereKeycloakListsIt(t *testing.T) {
	page := []string{}
	for i := range 25 {
		page = append(page, fmt.Sprintf(`{"clientId":"own-%d","attributes":{}}`, i))
	}
	lists := 0
	p := start(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/auth/admin/realms/r/clients" && r.URL.Query().Get("first") == "0":
			lists++
			reply(200, "["+strings.Join(page, ",")+"]")(w, r)
		case r.URL.Path == "/auth/admin/realms/r/clients" && r.URL.Query().Get("first") == "25":
			lists++
			reply(200, `[{"clientId":"a-1","name":"Portal","attributes":{"jwks.string":"{\"keys\":[{\"kty\":\"EC\",\"software_id\":\"client-1\"}]}"}},{"clientId":"a-2","attributes":{"jwks.string":"{\"keys\":[{\"software_id\":1}]}"}},{"clientId":"a-3"}]`)(w, r)
		case r.URL.Path == "/auth/realms/r/.well-known/openid-configuration":
			reply(200, `{}`)(w, r)
		default:
			reply(200, `{"client_id":"assigned-1","registration_client_uri":"http://`+r.Host+`/c/1","registration_access_token":"t"}`)(w, r)
		}
	})
	o := p.options()
	o.URL += "/auth/realms/r/clients-registrations/openid-connect"
	if able := open(t, "keycloak", o).Abilities(); able.List != nil || !able.Rotates || !able.Unmanaged {
		t.Errorf("without credentials for all clients: %+v", able)
	}
	o.ManageClientID, o.ManageClientSecret = "manager", clientSecret
	k := open(t, "keycloak", o)
	c := client()
	record, err := k.Register(t.Context(), c, registrar.PriorNone)
	if err != nil {
		t.Fatal(err)
	}
	c.Status = registrar.ClientInactive
	if _, err := k.Update(t.Context(), c, record, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	for _, sent := range p.received() {
		if (sent.method == "POST" || sent.method == "PUT") && !strings.Contains(sent.body, `"software_id":"client-1","use":"sig"`) {
			t.Errorf("%s without the id in its key: %s", sent.method, sent.body)
		}
	}
	var found []idp.Listed
	err = k.Abilities().List(t.Context(), func(l idp.Listed) error {
		found = append(found, l)
		return nil
	})
	if want := (idp.Listed{ProviderClientID: "a-1", ClientID: "client-1", Name: "Portal"}); err != nil || len(found) != 1 || found[0] != want || lists != 2 {
		t.Errorf("%+v in %d pages, %v", found, lists, err)
	}
	o.URL = p.URL + "/register"
	if _, err := idp.New("keycloak", o); err == nil {
		t.Error("an address that is not of a realm")
	}
}
