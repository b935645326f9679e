package containers

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/test/programs"
)

// The parts of deploy/keycloak/realm.json, in the words of Keycloak's
// RealmRepresentation.
type (
	realm struct {
		Realm         string            `json:"realm"`
		International bool              `json:"internationalizationEnabled"`
		Locales       []string          `json:"supportedLocales"`
		Locale        string            `json:"defaultLocale"`
		Enabled       bool              `json:"enabled"`
		SSLRequired   string            `json:"sslRequired"`
		Attributes    map[string]string `json:"attributes"`
		Components    map[string][]struct {
			Name       string              `json:"name"`
			ProviderID string              `json:"providerId"`
			SubType    string              `json:"subType"`
			Config     map[string][]string `json:"config"`
		} `json:"components"`
		Roles struct {
			Realm  []realmRole            `json:"realm"`
			Client map[string][]realmRole `json:"client"`
		} `json:"roles"`
		Groups  []realmGroup  `json:"groups"`
		Clients []realmClient `json:"clients"`
		Users   []realmUser   `json:"users"`
	}
	realmRole struct {
		Name       string    `json:"name"`
		Composite  bool      `json:"composite"`
		Composites roleNames `json:"composites"`
	}
	roleNames struct {
		Realm  []string            `json:"realm"`
		Client map[string][]string `json:"client"`
	}
	realmGroup struct {
		Name        string              `json:"name"`
		RealmRoles  []string            `json:"realmRoles"`
		ClientRoles map[string][]string `json:"clientRoles"`
		SubGroups   []realmGroup        `json:"subGroups"`
	}
	realmClient struct {
		ClientID        string            `json:"clientId"`
		Enabled         bool              `json:"enabled"`
		Public          bool              `json:"publicClient"`
		StandardFlow    bool              `json:"standardFlowEnabled"`
		Passwords       bool              `json:"directAccessGrantsEnabled"`
		ServiceAccounts bool              `json:"serviceAccountsEnabled"`
		Secret          string            `json:"secret"`
		RedirectURIs    []string          `json:"redirectUris"`
		Attributes      map[string]string `json:"attributes"`
		Mappers         []struct {
			Name     string            `json:"name"`
			Protocol string            `json:"protocol"`
			Mapper   string            `json:"protocolMapper"`
			Config   map[string]string `json:"config"`
		} `json:"protocolMappers"`
	}
	realmUser struct {
		ID             string              `json:"id"`
		Username       string              `json:"username"`
		FirstName      string              `json:"firstName"`
		LastName       string              `json:"lastName"`
		Email          string              `json:"email"`
		Enabled        bool                `json:"enabled"`
		ServiceAccount string              `json:"serviceAccountClientId"`
		Attributes     map[string][]string `json:"attributes"`
		RealmRoles     []string            `json:"realmRoles"`
		ClientRoles    map[string][]string `json:"clientRoles"`
		Groups         []string            `json:"groups"`
		Credentials    []struct {
			Type  string `json:"type"`
			Value string `json:"value"`
		} `json:"credentials"`
	}
)

// readRealm reads the realm. It rejects unknown members, as the import of Keycloak
// does.
func readRealm(t *testing.T) (r realm) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(contentOf(t, "deploy/keycloak/realm.json")))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		t.Fatal(err)
	}
	return r
}

func contentOf(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// list returns the roles as name and client/name.
func (n roleNames) list() []string {
	names := slices.Clone(n.Realm)
	for client, roles := range n.Client {
		for _, role := range roles {
			names = append(names, client+"/"+role)
		}
	}
	return names
}

// walk calls fn for each group with its path.
func walk(parent string, groups []realmGroup, fn func(path string, g realmGroup)) {
	for _, g := range groups {
		fn(parent+"/"+g.Name, g)
		walk(parent+"/"+g.Name, g.SubGroups, fn)
	}
}

func TestTheRealmHasRolesPeopleNestedGroupsAndAServiceAccount(t *testing.T) {
	r := readRealm(t)
	if !r.Enabled {
		t.Error("the realm is not enabled")
	}
	for _, role := range []string{"WF_VIEWER", "WF_ADMIN", "AUTH_PARTNER", "PARTNER_ADMIN"} {
		if !slices.ContainsFunc(r.Users, func(u realmUser) bool { return u.Enabled && slices.Contains(u.RealmRoles, role) }) {
			t.Errorf("no user has the role %s", role)
		}
	}
	depth := 0
	walk("", r.Groups, func(path string, _ realmGroup) { depth = max(depth, strings.Count(path, "/")) })
	if depth < 3 {
		t.Errorf("groups are nested %d deep, want 3", depth)
	}
	// The requirements of the client in services/wf/docs/reference.md.
	want := []string{"view-users", "query-groups", "view-realm", "view-clients"}
	if !slices.ContainsFunc(r.Users, func(u realmUser) bool {
		has := u.ClientRoles["realm-management"]
		return u.ServiceAccount == "wf-directory" && u.Enabled && !slices.ContainsFunc(want, func(role string) bool { return !slices.Contains(has, role) })
	}) {
		t.Errorf("no service account of wf-directory has %q", want)
	}
}

// Keycloak fails to start if an imported file names a missing object.
func TestTheRealmNamesNothingThatItDoesNotHave(t *testing.T) {
	r := readRealm(t)
	roles, groups, clients, ids := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, role := range r.Roles.Realm {
		roles[role.Name] = true
	}
	for _, role := range []string{"view-users", "query-users", "query-groups", "view-realm", "view-clients", "manage-clients", "manage-realm"} {
		roles["realm-management/"+role] = true // of every realm
	}
	for _, c := range r.Clients {
		clients[c.ClientID] = c.ServiceAccounts
	}
	for client, list := range r.Roles.Client {
		if _, ok := clients[client]; !ok {
			t.Errorf("roles of the client %s, which is missing", client)
		}
		for _, role := range list {
			roles[client+"/"+role.Name] = true
		}
	}
	for client, has := range clients {
		// Some versions fail to make one themselves (keycloak/keycloak#38647).
		if has && !slices.ContainsFunc(r.Users, func(u realmUser) bool { return u.ServiceAccount == client && u.Username == "service-account-"+client }) {
			t.Errorf("the client %s is without the user that is its service account", client)
		}
	}
	known := func(who string, names roleNames) {
		for _, name := range names.list() {
			if !roles[name] {
				t.Errorf("%s: no role %s", who, name)
			}
		}
	}
	for _, list := range append(slices.Collect(maps.Values(r.Roles.Client)), r.Roles.Realm) {
		for _, role := range list {
			known(role.Name, role.Composites)
		}
	}
	walk("", r.Groups, func(path string, g realmGroup) {
		groups[path] = true
		known(path, roleNames{g.RealmRoles, g.ClientRoles})
	})
	for _, u := range r.Users {
		known(u.Username, roleNames{u.RealmRoles, u.ClientRoles})
		for _, path := range u.Groups {
			if !groups[path] {
				t.Errorf("%s: no group %s", u.Username, path)
			}
		}
		if u.ServiceAccount != "" && !clients[u.ServiceAccount] {
			t.Errorf("%s: the client %s has no service account", u.Username, u.ServiceAccount)
		}
		if len(u.ID) != 36 || ids[u.ID] {
			t.Errorf("%s: %q is not an id of their own", u.Username, u.ID)
		}
		ids[u.ID] = true
	}
}

// Keycloak drops attributes outside the user profile, and lets users edit those that the profile
// permits.
func TestOnlyAdministratorsEditTheAttributesOfTheRealm(t *testing.T) {
	r := readRealm(t)
	var profile struct {
		Attributes []struct {
			Name        string
			Permissions struct{ View, Edit []string }
		}
	}
	component := r.Components["org.keycloak.userprofile.UserProfileProvider"]
	if len(component) != 1 || component[0].ProviderID != "declarative-user-profile" {
		t.Fatalf("components: %+v", r.Components)
	}
	if err := json.Unmarshal([]byte(strings.Join(component[0].Config["kc.user.profile.config"], "")), &profile); err != nil {
		t.Fatal(err)
	}
	private := map[string]bool{}
	for _, a := range profile.Attributes {
		admin := []string{"admin"}
		private[a.Name] = slices.Equal(a.Permissions.View, admin) && slices.Equal(a.Permissions.Edit, admin)
	}
	for _, name := range []string{"username", "email"} { // else the profile is refused
		if _, ok := private[name]; !ok {
			t.Errorf("the user profile lacks %s", name)
		}
	}
	for _, u := range r.Users {
		for name := range u.Attributes {
			if !private[name] {
				t.Errorf("%s of %s: not in the user profile for administrators alone", name, u.Username)
			}
		}
	}
}

func TestTokensOfTheRealmAreForTheServices(t *testing.T) {
	r := readRealm(t)
	people, applications := 0, 0
	for _, c := range r.Clients {
		if c.ClientID == "wf-directory" || c.ClientID == "oidc-registrar" {
			continue // call Keycloak alone
		}
		var audiences []string
		for _, m := range c.Mappers {
			if m.Protocol == "openid-connect" && m.Mapper == "oidc-audience-mapper" && m.Config["access.token.claim"] == "true" {
				audiences = append(audiences, m.Config["included.custom.audience"])
			}
		}
		want := []string{"countersign-wf"} // the defaults of WF_AUTH_AUDIENCE and REGISTRAR_AUTH_AUDIENCE
		switch {
		case c.Passwords && c.Public:
			want = append(want, "countersign-registrar")
		case c.ClientID == "registrar-console":
			want = []string{"countersign-registrar"}
		}
		if !slices.Equal(audiences, want) {
			t.Errorf("tokens of %s have the audiences %q, want %q", c.ClientID, audiences, want)
		}
		if c.Passwords && c.Public {
			people++
		}
		if c.ServiceAccounts && c.Secret != "" {
			applications++
		}
	}
	if people == 0 || applications == 0 {
		t.Errorf("%d clients for people and %d for applications, want some", people, applications)
	}
}

func TestTheRealmIsDescribed(t *testing.T) {
	r, readme := readRealm(t), contentOf(t, "deploy/keycloak/README.md")
	var wanted []string
	for _, u := range r.Users {
		if u.ServiceAccount != "" {
			continue
		}
		if len(u.Credentials) != 1 || u.Credentials[0].Type != "password" || u.Credentials[0].Value == "" {
			t.Errorf("%s has no password", u.Username)
			continue
		}
		wanted = append(wanted, u.Username, u.Credentials[0].Value)
	}
	for _, role := range r.Roles.Realm {
		wanted = append(wanted, role.Name)
	}
	for _, c := range r.Clients {
		wanted = append(wanted, c.ClientID, c.Secret)
	}
	walk("", r.Groups, func(path string, _ realmGroup) { wanted = append(wanted, path) })
	for _, text := range wanted {
		if text != "" && !strings.Contains(readme, "`"+text+"`") {
			t.Errorf("deploy/keycloak/README.md does not have `%s`", text)
		}
	}
}

func TestKeycloakIsPinnedAndReachedFromThisMachineAlone(t *testing.T) {
	s := compose(t).Services["keycloak"]
	if script := contentOf(t, "deploy/keycloak/keycloak.sh"); !strings.Contains(script, "\nversion="+
		strings.TrimPrefix(s.Image, "quay.io/keycloak/keycloak:")+" ") {
		t.Errorf("image %s, and deploy/keycloak/keycloak.sh has another version", s.Image)
	}
	if !regexp.MustCompile(`^quay\.io/keycloak/keycloak:26\.\d+\.\d+$`).MatchString(s.Image) {
		t.Errorf("image %s, want one version of 26", s.Image)
	}
	if !slices.Equal(s.Profiles, []string{"keycloak"}) || !slices.Equal(s.Networks, []string{"services"}) {
		t.Errorf("profiles %q and networks %q", s.Profiles, s.Networks)
	}
	if !slices.Equal(s.Command, []string{"start-dev", "--import-realm"}) ||
		!slices.Equal(s.Volumes, []string{"./deploy/keycloak/realm.json:/opt/keycloak/data/import/realm.json:ro"}) {
		t.Errorf("command %q with volumes %q do not import the realm", s.Command, s.Volumes)
	}
	address, loopback := strings.CutPrefix(settings(t, "keycloak")["KC_HOSTNAME"], "http://127.0.0.1:")
	if !loopback || !slices.Equal(s.Ports, []string{"127.0.0.1:" + address + ":8080"}) {
		t.Errorf("ports %q, want the one of KC_HOSTNAME on 127.0.0.1", s.Ports)
	}
}

func TestKeycloakIsHealthyWhenItIsReadyAndHasTheRealm(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the check is for bash:", err)
	}
	test := compose(t).Services["keycloak"].Healthcheck.Test
	if len(test) != 4 || !slices.Equal(test[:3], []string{"CMD", "bash", "-c"}) {
		t.Fatalf("healthcheck %q", test)
	}
	command := strings.ReplaceAll(test[3], "$$", "$")
	paths := map[string]string{"9000": "/health/ready", "8080": "/realms/" + readRealm(t).Realm}
	nobody := 0 // in place of a status
	for _, tt := range []struct {
		ready, realm int
		healthy      bool
	}{
		{http.StatusOK, http.StatusOK, true},
		{http.StatusServiceUnavailable, http.StatusOK, false},
		{http.StatusOK, http.StatusNotFound, false},
		{nobody, http.StatusOK, false},
		{http.StatusOK, nobody, false},
	} {
		script := command
		for port, status := range map[string]int{"9000": tt.ready, "8080": tt.realm} {
			address := programs.FreeAddress(t)
			if status != nobody {
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path != paths[port] {
						t.Errorf("port %s received a request for %s", port, r.URL.Path)
					}
					w.WriteHeader(status)
				}))
				t.Cleanup(server.Close)
				address = server.Listener.Addr().String()
			}
			script = strings.Replace(script, port+"/", strings.TrimPrefix(address, "127.0.0.1:")+"/", 1)
		}
		check := exec.CommandContext(t.Context(), "bash", "-c", script)
		check.Env = []string{"PATH=/nonexistent"} // commands outside bash may be missing
		if out, err := check.CombinedOutput(); (err == nil) != tt.healthy {
			t.Errorf("ready %d, realm %d: %v %s", tt.ready, tt.realm, err, out)
		}
	}
}

func TestWfAcceptsItsSettingsForKeycloak(t *testing.T) {
	offered := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^# (WF_[A-Z_]+)=(.*)$`).FindAllStringSubmatch(contentOf(t, "deploy/wf.env"), -1) {
		offered[line[1]] = line[2]
	}
	r, inside := readRealm(t), "http://keycloak:8080"
	issuer := settings(t, "keycloak")["KC_HOSTNAME"] + "/realms/" + r.Realm
	i := slices.IndexFunc(r.Clients, func(c realmClient) bool { return c.ClientID == "wf-directory" }) // the default
	if i < 0 {
		t.Fatal("no client wf-directory")
	}
	for name, want := range map[string]string{
		"WF_AUTH_ISSUER":            issuer,
		"WF_AUTH_JWKS_URL":          inside + "/realms/" + r.Realm + "/protocol/openid-connect/certs",
		"WF_KEYCLOAK_URL":           inside + "/realms/" + r.Realm,
		"WF_KEYCLOAK_CLIENT_SECRET": r.Clients[i].Secret,
	} {
		if offered[name] != want {
			t.Errorf("wf.env offers %s=%s, want %s", name, offered[name], want)
		}
	}

	values := settings(t, "wf")
	maps.Copy(values, compose(t).Services["wf"].Environment)
	for name, value := range offered {
		values[name] = value
	}
	keepSecrets(t, values)
	address := programs.FreeAddress(t)
	values["WF_ADMIN_LISTEN"] = "off"
	values["WF_LISTEN"], values["WF_DATABASE_URL"], values["WF_DRAIN_DELAY"] = address, "sqlite:"+filepath.Join(t.TempDir(), "test.db"), "0s"
	// There is no Keycloak here, so it does not become ready. It would not serve at all
	// if its policy for calls ruled out one of the addresses.
	serveUntil(t, build(t, "wf"), environment(values), func() bool {
		response, err := http.Get("http://" + address + "/livez")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

func TestMakeStartsAndStopsKeycloakAndQueriesTheNamedOne(t *testing.T) {
	if got := run(t, &exec.Cmd{Dir: root, Env: os.Environ()}, "make", "-n", "keycloak"); !strings.Contains(got,
		"--profile keycloak up --detach --wait keycloak") {
		t.Errorf("make keycloak: %s", got)
	}
	// Without the profile, down leaves it running.
	if got := run(t, &exec.Cmd{Dir: root, Env: os.Environ()}, "make", "-n", "down"); !strings.Contains(got, "--profile '*' down") {
		t.Errorf("make down: %s", got)
	}
	if got := run(t, &exec.Cmd{Dir: root, Env: append(os.Environ(), "KEYCLOAK_URL=")}, "make", "-n", "check",
		"SUITE=interop"); !strings.Contains(got, "deploy/keycloak/keycloak.sh run") {
		t.Errorf("make check SUITE=interop without KEYCLOAK_URL: %s", got)
	}
	if !strings.Contains(contentOf(t, "README.md"), "make keycloak") {
		t.Error("README.md does not name make keycloak")
	}
}
