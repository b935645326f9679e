package interop

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/libs/keycloaktest"
)

// questions are paths of the admin interface below the realm: those that wf requests, and similar
// ones. {group PATH} and {client NAME} are replaced by ids.
var questions = []string{
	"/users/aaaaaaaa-0000-4000-8000-000000000001", "/users/aaaaaaaa-0000-4000-8000-000000000004", "/users/aaaaaaaa-0000-4000-8000-000000000011",
	"/users/aaaaaaaa-0000-4000-8000-00000000ffff", "/users/ana", "/users/a%2Fb",
	"/users?username=ana&exact=true", "/users?username=BO&exact=true", "/users?username=a", "/users?username=nobody&exact=true",
	"/users?username=service-account-wf-directory&exact=true", "/users?username=ana&exact=true&briefRepresentation=true",
	"/users?username=dee&exact=true",
	"/roles/finance-officer", "/roles/finance-head", "/roles/cashier", "/roles/nobody", "/roles/nobody/users",
	"/roles/nobody/groups", "/roles/nobody/composites",
	"/roles/finance-officer/users", "/roles/finance-officer/users?first=1&max=1",
	"/roles/finance-officer/users?first=9&max=5", "/roles/finance-officer/users?briefRepresentation=true",
	"/roles/finance-officer/groups", "/roles/finance-officer/groups?first=1&max=5", "/roles/finance-head/composites",
	"/roles/cashier/composites", "/roles/finance-officer/composites",
	"/clients?clientId=payments", "/clients?clientId=nobody", "/clients/{client payments}/roles?first=0&max=10",
	"/clients/{client payments}/roles/releaser",
	"/clients/{client payments}/roles/releaser/users", "/clients/{client payments}/roles/releaser/groups",
	"/clients/{client payments}/roles/nobody/users",
	"/clients/{client payments}/roles/supervisor/composites", "/clients/aaaaaaaa-0000-4000-8000-00000000ffff/roles/releaser/users",
	"/group-by-path/finance", "/group-by-path/finance/officers%20&%20co/deputies", "/group-by-path/finance/nobody", "/group-by-path/nobody",
	"/groups/{group /finance}/members", "/groups/{group /finance}/members?first=1&max=1",
	"/groups/{group /finance/officers%20&%20co}/members", "/groups/{group /empty}/members",
	"/groups/{group /finance}/children", "/groups/{group /empty}/children",
	"/groups/aaaaaaaa-0000-4000-8000-00000000ffff/members", "/groups/aaaaaaaa-0000-4000-8000-00000000ffff/children",
	"/roles/../users", "//users", "/nothing",
}

func TestTheDoubleAnswersAsKeycloak(t *testing.T) {
	ask(t, "Keycloak", "directory of wf: its double answers alike, path for path")
	k := theKeycloak(t)
	theDoubleAnswersAs(k, filepath.Join("..", "..", "deploy", "keycloak", "realm.json"), questions)
}

func TestTheDoubleCutsListsAsKeycloak(t *testing.T) {
	ask(t, "Keycloak", "directory of wf: its double cuts long lists alike")
	k := theKeycloak(t)
	k.realm = "interop-many"
	file, realm := filepath.Join(t.TempDir(), "realm.json"), crowd(k.realm, 250)
	raw, err := json.Marshal(realm)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	k.add("", realm)
	var paged []string
	for _, list := range []string{"/roles/officer/users", "/groups/{group /all}/members", "/groups/{group /all}/children"} {
		paged = append(paged, list, list+"?max=200", list+"?first=100&max=100", list+"?first=200&max=100", list+
			"?first=249&max=100", list+"?first=250&max=100")
	}
	theDoubleAnswersAs(k, file, paged)
}

// crowd is a realm with the given number of people, all with one role and in one group, and as
// many groups below that.
func crowd(name string, size int) object {
	users := []object{{
		"id": "bbbbbbbb-0000-4000-8000-000000000000", "username": "service-account-wf-directory", "enabled": true, "serviceAccountClientId": "wf-directory",
		"clientRoles": object{"realm-management": []string{"view-users", "query-users", "query-groups", "view-realm", "view-clients"}},
	}}
	var groups []object
	for i := range size {
		users = append(users, object{
			"id": fmt.Sprintf("bbbbbbbb-0000-4000-8000-%012d", i+1), "username": fmt.Sprintf("person-%03d", i), "enabled": true,
			"realmRoles": []string{"officer"}, "groups": []string{"/all"},
		})
		groups = append(groups, object{"name": fmt.Sprintf("team-%03d", i)})
	}
	return object{
		"realm": name, "enabled": true, "sslRequired": "none", "roles": object{"realm": []object{{"name": "officer"}}},
		"groups": []object{{"name": "all", "subGroups": groups}}, "users": users,
		"clients": []object{{
			"clientId": "wf-directory", "enabled": true, "publicClient": false, "standardFlowEnabled": false,
			"serviceAccountsEnabled": true, "secret": "directory-secret",
		}},
	}
}

// theDoubleAnswersAs compares Keycloak with a double that has read the same file.
func theDoubleAnswersAs(k keycloak, file string, paths []string) {
	k.t.Helper()
	double := keycloaktest.New()
	k.t.Cleanup(double.Close)
	if err := double.Load(file); err != nil {
		k.t.Fatal(err)
	}
	theirs, ours := directory{k.t, k.url, k.realm, ""}, directory{k.t, double.URL, double.Realm, ""}
	compare := func(path, how string) {
		k.t.Helper()
		if diff := cmp.Diff(theirs.answer(path), ours.answer(path)); diff != "" {
			k.t.Errorf("%s%s (-Keycloak +double):\n%s", path, how, diff)
		}
	}
	for _, path := range []string{"/users?username=ana&exact=true", "/nothing"} {
		compare(path, " without a token")
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {double.ClientID}, "client_secret": {double.ClientSecret}}
	theirs.token, ours.token = k.tokens(k.realm, form).Access, keycloak{k.t, double.URL, double.Realm}.tokens(double.Realm, form).Access
	for _, path := range paths {
		compare(path, "")
	}
}

// directory is an admin interface: that of Keycloak, or of the double.
type directory struct {
	t                 *testing.T
	url, realm, token string
}

// seen holds the members of an answer that a resolver may use.
type seen struct {
	Status int
	Items  []item // of a list, in its order, or the one
}

// item is an object of the realm with the members of the double.
type item struct {
	Username, FirstName, LastName, Email, Name, Path, ClientID string
	ServiceAccountClientID                                     string
	Composite, ClientRole                                      bool
	Attributes                                                 struct{ Manager []string }
}

var placeholder = regexp.MustCompile(`\{(group|client) ([^}]*)\}`)

// answer requests a path.
func (d directory) answer(path string) (s seen) {
	d.t.Helper()
	path = placeholder.ReplaceAllStringFunc(path, func(match string) string {
		part := placeholder.FindStringSubmatch(match)
		var one struct{ ID string }
		var many []struct{ ID string }
		if part[1] == "group" {
			d.get("/group-by-path"+part[2], &one)
		} else if d.get("/clients?clientId="+part[2], &many); len(many) == 1 {
			one = many[0]
		}
		return one.ID
	})
	var raw json.RawMessage
	if s.Status = d.get(path, &raw); s.Status != http.StatusOK {
		return s
	}
	if raw[0] != '[' {
		raw = slices.Concat([]byte{'['}, raw, []byte{']'})
	}
	if err := json.Unmarshal(raw, &s.Items); err != nil {
		d.t.Errorf("%s: %s: %v", path, raw, err)
	}
	return s
}

func (d directory) get(path string, into any) (status int) {
	d.t.Helper()
	request, err := http.NewRequest(http.MethodGet, d.url+"/admin/realms/"+d.realm+path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	if d.token != "" {
		request.Header.Set("Authorization", "Bearer "+d.token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		d.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	if response.StatusCode == http.StatusOK {
		if err := json.Unmarshal(body, into); err != nil {
			d.t.Errorf("%s: %s: %v", path, body, err)
		}
	}
	return response.StatusCode
}

// clientCalls are calls of oidc-registrar, in their order. {client} is the path of the client interop-double.
var clientCalls = []struct{ method, path, body string }{
	{"GET", "/clients?clientId=interop-double", ""},
	{"POST", "/clients", `{"clientId":"interop-double","name":"A","redirectUris":["https://rp.example/"],"publicClient":false,"clientAuthenticatorType":"client-jwt",
		"attributes":{"registrar.registration":"m","tosUri":"https://rp.example/","jwks.url":""},"defaultClientScopes":["basic","acr"],"optionalClientScopes":["email","none"],
		"authenticationFlowBindingOverrides":{"browser":"","direct_grant":""},
		"protocolMappers":[{"name":"name","protocol":"openid-connect","protocolMapper":"oidc-full-name-mapper","config":{"id.token.claim":"true"}}]}`},
	{"POST", "/clients", `{"clientId":"interop-double"}`},
	{"POST", "/clients", `{"clientId":"interop-refused","redirectUris":["https://rp.example/#a"]}`},
	{"POST", "/clients", `{"clientId":"interop-refused","attributes":{"logoUri":"javascript:a"}}`},
	{"PUT", "{client}",
		`{"clientId":"interop-double","name":"B","enabled":false,"notBefore":1700000000,"attributes":{"tosUri":""},"protocolMappers":[],"optionalClientScopes":["phone"]}`},
	{"PUT", "{client}", `{"clientId":"interop-double","enabled":true,"name":"` + strings.Repeat("n", 300) + `"}`},
	{"PUT", "{client}/optional-client-scopes/{scope phone}", ""}, {"DELETE", "{client}/optional-client-scopes/{scope email}", ""},
	{"DELETE", "{client}/default-client-scopes/{scope acr}", ""}, {"PUT", "{client}/default-client-scopes/none", ""},
	{"PUT", "/localization/fr/registrar.interop-double", "text:L'été"}, {"GET", "/localization/fr/registrar.interop-double", ""},
	{"GET", "/localization/de/registrar.interop-double", ""}, {"DELETE", "/localization/fr/registrar.interop-double", ""},
	{"DELETE", "/localization/fr/registrar.interop-double", ""}, {"DELETE", "{client}", ""}, {"DELETE", "{client}", ""},
	{"PUT", "{client}", `{"clientId":"interop-double"}`},
}

func TestTheDoubleManagesClientsAsKeycloak(t *testing.T) {
	ask(t, "Keycloak", "clients of oidc-registrar: its double answers alike, call for call, also without roles")
	k := theKeycloak(t)
	for name, roles := range map[string][]string{"oidc-registrar": {"manage-clients", "manage-realm"}, "wf-directory": {"view-clients", "view-realm"}} {
		double := keycloaktest.New()
		t.Cleanup(double.Close)
		double.Configure(keycloaktest.Settings{Roles: roles})
		secret := map[string]string{"oidc-registrar": "registrar-secret", "wf-directory": "directory-secret"}[name]
		form := url.Values{"grant_type": {"client_credentials"}, "client_id": {double.ClientID},
			"client_secret": {double.ClientSecret}}
		theirs := directory{t, k.url, k.realm, k.application(name, secret)}.manageClients()
		ours := directory{t, double.URL, double.Realm,
			keycloak{t, double.URL, double.Realm}.tokens(double.Realm, form).Access}.manageClients()
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("with %v (-Keycloak +double):\n%s", roles, diff)
		}
	}
}

// manageClients makes the calls and returns the status of each, with the client after it.
func (d directory) manageClients() (seen []string) {
	d.t.Helper()
	var scopes []struct{ ID, Name string }
	d.get("/client-scopes", &scopes)
	client := "/clients/none"
	for _, c := range clientCalls {
		path := strings.ReplaceAll(c.path, "{client}", client)
		for _, s := range scopes {
			path = strings.ReplaceAll(path, "{scope "+s.Name+"}", s.ID)
		}
		body, isText := strings.CutPrefix(c.body, "text:")
		request, err := http.NewRequest(c.method, d.url+"/admin/realms/"+d.realm+path, strings.NewReader(body))
		if err != nil {
			d.t.Fatal(err)
		}
		request.Header = http.Header{"Authorization": {"Bearer " + d.token}, "Content-Type": {"application/json"},
			"Accept": {"application/json, text/plain;q=0.5"}}
		if isText {
			request.Header.Set("Content-Type", "text/plain")
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			d.t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			d.t.Fatal(err)
		}
		if _, id, ok := strings.Cut(response.Header.Get("Location"), "/clients/"); ok {
			client = "/clients/" + id
		}
		var found []struct {
			Name                                      string
			Enabled                                   bool
			NotBefore                                 int
			Attributes                                map[string]string
			AuthenticationFlowBindingOverrides        map[string]string
			DefaultClientScopes, OptionalClientScopes []string
			ProtocolMappers                           []struct{ Name, ProtocolMapper string }
			Access                                    map[string]bool
		}
		d.get("/clients?clientId=interop-double", &found)
		for i := range found {
			delete(found[i].Attributes, "client.secret.creation.time")
			slices.Sort(found[i].DefaultClientScopes)
			slices.Sort(found[i].OptionalClientScopes)
		}
		if c.method != "GET" || response.StatusCode != http.StatusOK || strings.HasPrefix(path, "/clients") {
			text = nil
		}
		seen = append(seen, fmt.Sprintf("%s %s: %d %s %+v", c.method, c.path, response.StatusCode, text, found))
	}
	return seen
}
