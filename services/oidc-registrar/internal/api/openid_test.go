package api_test

import (
	"fmt"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// At a real provider people sign in at clients that came through each door: after the
// registration, while its key rolls, after a change, and not when it is switched off.
func TestRealProviderSignsUsersInAtClientsOfEveryInterface(t *testing.T) {
	provider := registrartest.NewOpenID(t)
	w := registrartest.Boot(t, registrartest.Options{Config: provider.Configure})
	claims := []any{"name", "email"}
	for i, d := range everyDoor {
		if d.path == oauthPath { // with names that this provider must support
			continue
		}
		rp, key := registrartest.NewRelyingParty(t, provider, "one")
		token, body := w.Provider(), withRequestTime(registrartest.ProviderRequest(fmt.Sprint("app", i), key, with("userClaims", claims)))
		if d.partner {
			token, body = w.Partner("ana", "demo-partner"), registrartest.PartnerRequest(key, nil)
		}
		made := response(t, w.Call("POST", d.path, token, body))
		path, id := d.path+"/"+made["clientId"].(string), made["providerClientId"].(string)
		signIn := func(what string, rp registrartest.RelyingParty, uri string, want int) {
			t.Helper()
			if got := rp.SignIn(t, id, uri); got != want {
				t.Errorf("%s, %s: the token endpoint answers %d, want %d", d.path, what, got, want)
			}
		}
		first := "https://rp.example/cb"
		signIn("registered", rp, first, 200)

		next, nextKey := registrartest.NewRelyingParty(t, provider, "two")
		response(t, w.Call("POST", neutral(path)+"/keys", token, withRequestTime(map[string]any{"request": map[string]any{"publicKey": nextKey}})))
		signIn("with the old key beside the new one", rp, first, 200)
		signIn("with the new key", next, first, 200)
		response(t, w.Call("DELETE", neutral(path)+"/keys?kid=one", token, nil))
		signIn("with the old key that went", rp, first, 401)
		signIn("with the new key alone", next, first, 200)

		second := "https://rp.example/new"
		response(t, w.Call("PUT", path, token, withRequestTime(registrartest.UpdateRequest(with("redirectUris", []any{second}, "userClaims", claims)))))
		signIn("changed", next, second, 200)
		response(t, w.Call("PUT", path, token,
			withRequestTime(registrartest.UpdateRequest(with("redirectUris", []any{second}, "userClaims", claims, "status",
				"INACTIVE")))))
		signIn("switched off", next, second, 401)
		response(t, w.Call("PUT", path, token, withRequestTime(registrartest.UpdateRequest(with("redirectUris", []any{second}, "userClaims", claims)))))
		signIn("switched on", next, second, 200)
	}
}

// The same in the RFC 7591 API, through which the library changes its key.
func TestRealProviderSignsUsersInAtClientsOfStandardInterface(t *testing.T) {
	provider := registrartest.NewOpenID(t)
	w := registrartest.Boot(t, registrartest.Options{Config: provider.Configure})
	rp, key := registrartest.NewRelyingParty(t, provider, "one")
	made := members(t, w.Call("POST", standardPath, initialToken(t, w, 1), metadata(key, nil)), 201)
	id, access := made["client_id"].(string), made["registration_access_token"].(string)
	uri := "https://rp.example/cb"
	if got := rp.SignIn(t, id, uri); got != 200 {
		t.Errorf("registered: %d", got)
	}
	next, nextKey := registrartest.NewRelyingParty(t, provider, "two")
	members(t, w.Call("PUT", standardPath+"/"+id, access, metadata(key, with("client_id", id, "jwks", set(nextKey)))), 200)
	if old, got := rp.SignIn(t, id, uri), next.SignIn(t, id, uri); old != 401 || got != 200 {
		t.Errorf("with another key: %d with the old one, %d with the new one", old, got)
	}
	if r := w.Call("DELETE", standardPath+"/"+id, access, nil); r.Status != 204 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if got := next.SignIn(t, id, uri); got != 401 {
		t.Errorf("deleted: %d", got)
	}
}
