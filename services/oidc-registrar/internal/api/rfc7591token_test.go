package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// issueToken issues an initial access token and returns it with its id.
func issueToken(t *testing.T, w *registrartest.Service, uses int) (token, id string) {
	t.Helper()
	r := w.Call("POST", tokensPath, w.Admin(),
		map[string]any{"request": with("authPartnerId", "demo-partner", "policyId", "demo-policy", "uses", uses, "expiresIn",
			3600)})
	issued := response(t, r)
	return issued["token"].(string), issued["tokenId"].(string)
}

// actors returns the actors of a client's events, the oldest first, without repetition of neighbours.
func actors(t *testing.T, w *registrartest.Service, id string) (list []string) {
	t.Helper()
	items, _ := w.Call("GET", clientsPath+id+"/events", w.Admin(), nil).Member("items").([]any)
	for _, item := range items {
		actor, _ := item.(map[string]any)["actor"].(string)
		if len(list) == 0 || list[len(list)-1] != actor {
			list = append(list, actor)
		}
	}
	return list
}

// Key, name and redirect URI of a client are public. They give no other team a token that manages it.
func TestAnotherInitialTokenDoesNotTakeAClientOver(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	a, first := issueToken(t, w, 3)
	b, second := issueToken(t, w, 3)
	if first == second || strings.Contains(a, first) {
		t.Fatalf("the ids are %s and %s", first, second)
	}
	body := metadata(registrartest.Key(t), nil)
	made := members(t, w.Call("POST", standardPath, a, body), 201)
	id, access := made["client_id"].(string), made["registration_access_token"].(string)
	if got := members(t, w.Call("POST", standardPath, b, body), 400); got["registration_access_token"] != nil {
		t.Errorf("the other token gets %v", got)
	}
	again := members(t, w.Call("POST", standardPath, a, body), 201)
	if again["client_id"] != id || again["registration_access_token"] != nil || again["registration_client_uri"] != nil {
		t.Errorf("a repeat gets %v", again)
	}
	members(t, w.Call("GET", standardPath+"/"+id, access, nil), 200)
	want := fmt.Sprint([]string{"initial access token:" + first, "initial access token:" + second})
	if got := fmt.Sprint(actors(t, w, id)); got != want {
		t.Errorf("the actors are %s, want %s", got, want)
	}
	// The repeat took no use: two of three are left.
	members(t, w.Call("POST", standardPath, a, metadata(registrartest.Key(t), nil)), 201)
	members(t, w.Call("POST", standardPath, a, metadata(registrartest.Key(t), nil)), 201)
	members(t, w.Call("POST", standardPath, a, metadata(registrartest.Key(t), nil)), 401)
}

func TestADeletedClientIsNotRepeatedAndItsTokensAreRevoked(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	token, _ := issueToken(t, w, 3)
	body := metadata(registrartest.Key(t), nil)
	made := members(t, w.Call("POST", standardPath, token, body), 201)
	id, access := made["client_id"].(string), made["registration_access_token"].(string)
	if err := w.Store.Do(t.Context(), func(tx *store.Tx) error { return tx.Tokens.AddRegistration("another-token", id) }); err != nil {
		t.Fatal(err)
	}
	members(t, w.Call("GET", standardPath+"/"+id, "another-token", nil), 200)
	if r := w.Call("DELETE", standardPath+"/"+id, access, nil); r.Status != 204 {
		t.Fatalf("deleted: %d %s", r.Status, r.Body)
	}
	for _, revoked := range []string{access, "another-token"} {
		members(t, w.Call("GET", standardPath+"/"+id, revoked, nil), 401)
	}
	if got := members(t, w.Call("POST", standardPath, token, body), 400); got["error"] != "invalid_client_metadata" {
		t.Errorf("registered again: %v", got)
	}
	list := actors(t, w, id)
	if last := list[len(list)-2]; !strings.HasPrefix(last, "registration access token:") || strings.Contains(last, access) {
		t.Errorf("the actors are %v", list)
	}
}

func TestAPartnerReadsItsOwnEventsOfAPolicyWithoutActors(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	other := map[string]any{"request": with("name", "Other", "type", "Auth_Partner", "status", "ACTIVE")}
	expect(t, "another partner", w.Call("PUT", "/v1/partnermanager/partners/other", w.Admin(), other), 200, "")
	expect(t, "its mapping", w.Call("PUT", "/v1/partnermanager/partners/other/policies/demo-policy", w.Admin(), nil), 200, "")
	const path = "/v1/partnermanager/policies/demo-policy/events"
	read := func(path, token string) string {
		t.Helper()
		return w.Call("GET", path, token, nil).Body
	}
	if body := read(path, w.Admin()); !strings.Contains(body, `"actor":"admin"`) || !strings.Contains(body, `"other"`) ||
		!strings.Contains(body, `"demo-partner"`) {
		t.Errorf("an admin reads %s", body)
	}
	for partner, foreign := range map[string]string{"other": "demo-partner", "demo-partner": "other"} {
		ana := w.Partner("ana", partner)
		body := read(path, ana)
		if !strings.Contains(body, `"partnerId":"`+partner+`"`) || strings.Contains(body, `"`+foreign+`"`) || strings.Contains(body, "actor") {
			t.Errorf("%s reads %s", partner, body)
		}
		if body := read("/v1/partnermanager/partners/"+partner+"/events", ana); !strings.Contains(body, "approved") || strings.Contains(body, "actor") {
			t.Errorf("%s reads of itself %s", partner, body)
		}
	}
	expect(t, "a partner without entries", w.Call("GET", path, w.Partner("eve", "third"), nil), 200, "")
	if body := read(path, w.Partner("eve", "third")); strings.Contains(body, "demo-partner") {
		t.Errorf("a third one reads %s", body)
	}
	expect(t, "a caller without a partner", w.Call("GET", path, w.Partner("eve", ""), nil), 403, "PMS_POLICY_ERROR_011")
}
