package interop

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// keycloak is a real one with the realm of deploy/keycloak.
type keycloak struct {
	t          *testing.T
	url, realm string
}

// theKeycloak is the one that KEYCLOAK_URL names; without it the test ends.
func theKeycloak(t *testing.T) keycloak {
	t.Helper()
	if !isEnabled() {
		t.Skip("make check SUITE=interop runs this")
	}
	k := keycloak{t, strings.TrimRight(os.Getenv("KEYCLOAK_URL"), "/"), cmp.Or(os.Getenv("KEYCLOAK_REALM"), "countersign")}
	if k.url == "" {
		why := cmp.Or(os.Getenv("KEYCLOAK_MISSING"), "KEYCLOAK_URL is not set")
		if os.Getenv("COUNTERSIGN_REQUIRE_KEYCLOAK") == "1" {
			t.Fatal(why)
		}
		unavailable(t, why)
	}
	return k
}

func (k keycloak) issuer() string { return k.url + "/realms/" + k.realm }

// tokens calls the token endpoint of a realm, which must return 200.
func (k keycloak) tokens(realm string, form url.Values) (tokens struct {
	Access  string `json:"access_token"`
	ID      string `json:"id_token"`
	Refresh string `json:"refresh_token"`
}) {
	k.t.Helper()
	response, err := http.PostForm(k.url+"/realms/"+realm+"/protocol/openid-connect/token", form)
	if err != nil {
		k.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || json.Unmarshal(body, &tokens) != nil {
		k.t.Fatalf("a token for %s%s: %d %s (%v)", form.Get("username"), form.Get("client_id"), response.StatusCode, body, err)
	}
	return tokens
}

// person returns an access token of a user of the realm by their password.
func (k keycloak) person(name string) string {
	k.t.Helper()
	return k.tokens(k.realm, byPassword(name)).Access
}

func byPassword(name string) url.Values {
	return url.Values{
		"grant_type": {"password"}, "client_id": {"countersign-cli"}, "username": {name}, "password": {passwordOf(name)}, "scope": {"openid"},
	}
}

// passwordOf returns the password of a user in realm.json.
func passwordOf(name string) string { return name + "-local-only" }

// application is the access token of a client for itself, with scopes.
func (k keycloak) application(id, secret string, scopes ...string) string {
	k.t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}}
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	return k.tokens(k.realm, form).Access
}

// manage calls the admin interface as the administrator of all realms, for a path below
// /admin/realms. into may be nil. It returns the Location of a new object.
func (k keycloak) manage(method, path string, body, into any) (location string) {
	k.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		k.t.Fatal(err)
	}
	request, err := http.NewRequest(method, k.url+"/admin/realms"+path, bytes.NewReader(raw))
	if err != nil {
		k.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+k.administrator())
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		k.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		k.t.Fatalf("%s %s: %d %s (%v)", method, path, response.StatusCode, answer, err)
	}
	if into != nil {
		if err := json.Unmarshal(answer, into); err != nil {
			k.t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	return response.Header.Get("Location")
}

// kept is a token of the administrator, since to check a password takes Keycloak a second.
var kept struct {
	token string
	until time.Time
}

func (k keycloak) administrator() string {
	k.t.Helper()
	if time.Now().After(kept.until) {
		kept.token = k.tokens("master", url.Values{
			"grant_type": {"password"}, "client_id": {"admin-cli"}, "username": {cmp.Or(os.Getenv("KEYCLOAK_ADMIN"), "admin")},
			"password": {cmp.Or(os.Getenv("KEYCLOAK_ADMIN_PASSWORD"), "admin-local-only")},
		}).Access
		kept.until = time.Now().Add(30 * time.Second) // of a minute
	}
	return kept.token
}

// add makes something below a path of the admin interface, and removes it when the test
// ends. It returns its id.
func (k keycloak) add(path string, body any) (id string) {
	k.t.Helper()
	location := k.manage(http.MethodPost, path, body, nil)
	_, below, _ := strings.Cut(location, "/admin/realms")
	k.t.Cleanup(func() { k.manage(http.MethodDelete, below, nil, nil) })
	return location[strings.LastIndex(location, "/")+1:]
}

// client is what Keycloak has of a client of the realm, and its path.
func (k keycloak) client(clientID string) (path string, client object) {
	k.t.Helper()
	var found []object
	k.manage(http.MethodGet, "/"+k.realm+"/clients?clientId="+url.QueryEscape(clientID), nil, &found)
	if len(found) != 1 {
		k.t.Fatalf("%d clients %s", len(found), clientID)
	}
	return "/" + k.realm + "/clients/" + found[0]["id"].(string), found[0]
}

// portOf is the port of an address.
func portOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}
