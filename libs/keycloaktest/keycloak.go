// Package keycloaktest is a fake of Keycloak's admin interface over HTTP: a realm with the users, groups, roles
// and clients of a test, and Keycloak's paging, tokens and errors. It supports the calls of wf's approver rules and
// of oidc-registrar's registrations, and returns 404 for others.
package keycloaktest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Keycloak is a realm. Its methods may be called while it serves.
type Keycloak struct {
	URL, Realm, ClientID, ClientSecret string

	server *httptest.Server
	admin  *http.ServeMux

	mu      sync.Mutex
	ids     int
	tokens  map[string]bool // valid tokens
	issued  int
	calls   []string // "GET /admin/…", with the query
	before  func(http.ResponseWriter, *http.Request) bool
	after   func(*http.Request) bool
	users   []User
	groups  []*group
	roles   []*role // of the realm, and of clients
	clients map[string]string

	registered []client
	texts      map[string]map[string]string // by locale
	settings   Settings
}

// User is a person, or a service account, of the realm.
type User struct {
	ID             string              `json:"id"` // made when empty
	Username       string              `json:"username"`
	FirstName      string              `json:"firstName,omitempty"`
	LastName       string              `json:"lastName,omitempty"`
	Email          string              `json:"email,omitempty"`
	EmailVerified  bool                `json:"emailVerified,omitempty"`
	Enabled        bool                `json:"enabled"`
	ServiceAccount string              `json:"serviceAccountClientId,omitempty"` // only in the realm files of Keycloak 26
	Attributes     map[string][]string `json:"attributes,omitempty"`
}

type group struct {
	id, path string
	members  map[string]bool // ids
}

type role struct {
	id, client, name string
	users            map[string]bool // ids
	groups           map[string]bool // paths
	parts            []*role
}

// New starts an empty realm. Close stops it.
func New() *Keycloak {
	k := &Keycloak{
		Realm: "countersign", ClientID: "wf-directory", ClientSecret: "secret-of-the-double",
		tokens: map[string]bool{}, clients: map[string]string{}, texts: map[string]map[string]string{},
	}
	k.admin, k.server = k.routes(), httptest.NewServer(k)
	k.URL = k.server.URL
	return k
}

// Close stops the realm.
func (k *Keycloak) Close() {
	k.server.CloseClientConnections() // of tests that have not closed theirs
	k.server.Close()
}

func (k *Keycloak) id() string {
	k.ids++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", k.ids)
}

// AddUser adds an enabled user and returns their id. Most tests set only a username.
func (k *Keycloak) AddUser(u User) string {
	u.Enabled = true
	return k.addUser(u)
}

func (k *Keycloak) addUser(u User) string {
	k.set(func() {
		if u.ID == "" {
			u.ID = k.id()
		}
		k.users = append(k.users, u)
	})
	return u.ID
}

// set changes the realm, or reads it.
func (k *Keycloak) set(fn func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	fn()
}

// SetEnabled enables or disables a user.
func (k *Keycloak) SetEnabled(id string, enabled bool) {
	k.set(func() { k.users[k.index(id)].Enabled = enabled })
}

// Remove deletes a user.
func (k *Keycloak) Remove(id string) {
	k.set(func() { k.users = slices.DeleteFunc(k.users, func(u User) bool { return u.ID == id }) })
}

func (k *Keycloak) index(id string) int {
	return slices.IndexFunc(k.users, func(u User) bool { return u.ID == id })
}

// find returns the item that fits, or nil.
func find[T any](list []*T, fits func(*T) bool) *T {
	if i := slices.IndexFunc(list, fits); i >= 0 {
		return list[i]
	}
	return nil
}

// AddGroup adds the group at a path such as /finance/officers and those above it,
// unless they exist, and adds the members to it.
func (k *Keycloak) AddGroup(path string, members ...string) {
	k.set(func() {
		g := k.groupAt(path)
		for _, id := range members {
			g.members[id] = true
		}
	})
}

// groupAt finds or makes a group.
func (k *Keycloak) groupAt(path string) *group {
	if g := k.group(path); g != nil {
		return g
	}
	if parent := path[:strings.LastIndex(path, "/")]; parent != "" {
		k.groupAt(parent)
	}
	g := &group{id: k.id(), path: path, members: map[string]bool{}}
	k.groups = append(k.groups, g)
	return g
}

func (k *Keycloak) group(path string) *group {
	return find(k.groups, func(g *group) bool { return g.path == path })
}

// Holders are the people and groups that have a role.
type Holders struct {
	Users  []string // ids
	Groups []string // paths
}

// AddRole adds a role, of the realm or of a client when the name is client/role, unless
// it exists, and gives it to the holders.
func (k *Keycloak) AddRole(name string, holders Holders) {
	k.set(func() {
		r := k.roleOf(name)
		for _, id := range holders.Users {
			r.users[id] = true
		}
		for _, path := range holders.Groups {
			r.groups[path] = true
		}
	})
}

// TakeRole takes a role from users.
func (k *Keycloak) TakeRole(name string, users ...string) {
	k.set(func() {
		for _, id := range users {
			delete(k.roleOf(name).users, id)
		}
	})
}

// Include makes a role a composite: it includes its parts.
func (k *Keycloak) Include(composite string, parts ...string) {
	k.set(func() {
		r := k.roleOf(composite)
		for _, part := range parts {
			r.parts = append(r.parts, k.roleOf(part))
		}
	})
}

// roleOf finds or makes a role.
func (k *Keycloak) roleOf(name string) *role {
	at := strings.Index(name, "/")
	client, short := name[:max(at, 0)], name[at+1:]
	if client != "" && k.clients[client] == "" {
		k.clients[client] = k.id()
	}
	if r := k.role(client, short); r != nil {
		return r
	}
	r := &role{id: k.id(), client: client, name: short, users: map[string]bool{}, groups: map[string]bool{}}
	k.roles = append(k.roles, r)
	return r
}

func (k *Keycloak) role(client, name string) *role {
	return find(k.roles, func(r *role) bool { return r.client == client && r.name == name })
}

// SetHook sets a function that runs before every call and returns true if it has replied; nil removes it.
func (k *Keycloak) SetHook(fn func(http.ResponseWriter, *http.Request) bool) {
	k.set(func() { k.before = fn })
}

// SetAfter sets a function that runs after every call and returns true if its answer is lost; nil removes it.
func (k *Keycloak) SetAfter(fn func(*http.Request) bool) { k.set(func() { k.after = fn }) }

// RevokeTokens revokes all issued tokens.
func (k *Keycloak) RevokeTokens() { k.set(func() { clear(k.tokens) }) }

// TokenCount returns the number of issued tokens.
func (k *Keycloak) TokenCount() (n int) {
	k.set(func() { n = k.issued })
	return n
}

// Calls returns the calls of the admin interface so far, as "GET /path?query", the
// path without the part that all share.
func (k *Keycloak) Calls() (calls []string) {
	k.set(func() { calls = slices.Clone(k.calls) })
	return calls
}

// ServeHTTP answers as Keycloak 26 does.
func (k *Keycloak) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var before func(http.ResponseWriter, *http.Request) bool
	var after func(*http.Request) bool
	k.set(func() { before, after = k.before, k.after })
	if before != nil && before(w, r) {
		return
	}
	k.serve(w, r)
	if after != nil && after(r) {
		panic(http.ErrAbortHandler)
	}
}

func (k *Keycloak) serve(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case path.Clean(r.URL.EscapedPath()) != r.URL.EscapedPath(): // since 26.4.3
		fail(w, http.StatusBadRequest, "Path not normalized")
	case r.Method == http.MethodPost && r.URL.Path == "/realms/"+k.Realm+"/protocol/openid-connect/token":
		k.token(w, r)
	case r.URL.Path == "/realms/"+k.Realm+"/.well-known/openid-configuration":
		answer(w, http.StatusOK, map[string]any{"acr_values_supported": k.settings.ACRs})
	case !strings.HasPrefix(r.URL.EscapedPath()+"/", "/admin/realms/"+k.Realm+"/"):
		noSuchCall(w, r)
	case !k.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]:
		fail(w, http.StatusUnauthorized, "HTTP 401 Unauthorized")
	default:
		k.calls = append(k.calls, strings.TrimPrefix(r.Method+" "+r.URL.RequestURI(), "GET /admin/realms/"+k.Realm))
		k.admin.ServeHTTP(w, r)
	}
}

func (k *Keycloak) token(w http.ResponseWriter, r *http.Request) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	if id != k.ClientID || secret != k.ClientSecret || r.FormValue("grant_type") != "client_credentials" {
		answer(w, http.StatusUnauthorized, map[string]string{"error": "unauthorized_client"})
		return
	}
	k.issued++
	token := "token-" + strconv.Itoa(k.issued)
	k.tokens[token] = true
	answer(w, http.StatusOK, map[string]any{"access_token": token, "expires_in": 300, "token_type": "Bearer"})
}

// routes are the calls of the admin interface. They are made under the lock.
func (k *Keycloak) routes() *http.ServeMux {
	mux := http.NewServeMux()
	route := func(path string, serve http.HandlerFunc) { mux.HandleFunc("GET /admin/realms/{realm}/"+path, serve) }
	route("users", k.findUsers)
	route("users/count", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, len(k.users)) })
	route("users/{id}", func(w http.ResponseWriter, r *http.Request) {
		if i := k.index(r.PathValue("id")); i >= 0 {
			answer(w, http.StatusOK, k.users[i])
			return
		}
		fail(w, http.StatusNotFound, "User not found")
	})
	k.routeClients(mux)
	for _, roles := range []string{"roles", "clients/{client}/roles"} {
		for _, of := range []string{"", "/{role}", "/{role}/{what}"} {
			route(roles+of, k.serveRoles)
		}
	}
	route("group-by-path/{path...}", func(w http.ResponseWriter, r *http.Request) {
		if g := k.group("/" + r.PathValue("path")); g != nil {
			answer(w, http.StatusOK, g)
			return
		}
		fail(w, http.StatusNotFound, "Group path does not exist")
	})
	route("groups/{id}/{what}", k.serveGroup)
	mux.HandleFunc("/", noSuchCall)
	return mux
}

func noSuchCall(w http.ResponseWriter, _ *http.Request) {
	fail(w, http.StatusNotFound, "HTTP 404 Not Found")
}

func (k *Keycloak) findUsers(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("search") != "" {
		k.searchUsers(w, r)
		return
	}
	name, exact := strings.ToLower(r.FormValue("username")), r.FormValue("exact") == "true"
	k.people(w, r, func(u User) bool {
		username := strings.ToLower(u.Username)
		return username == name || !exact && strings.Contains(username, name)
	})
}

// searchUsers returns the users with a username, name or address that matches every word, as a prefix or,
// with a leading *, as a substring.
func (k *Keycloak) searchUsers(w http.ResponseWriter, r *http.Request) {
	k.people(w, r, func(u User) bool {
		if u.ServiceAccount != "" || r.FormValue("enabled") != "" && strconv.FormatBool(u.Enabled) != r.FormValue("enabled") {
			return false
		}
		for _, word := range strings.Fields(strings.ToLower(r.FormValue("search"))) {
			part, anywhere := strings.CutPrefix(word, "*")
			part = strings.TrimSuffix(part, "*")
			fits := func(text string) bool {
				text = strings.ToLower(text)
				return strings.HasPrefix(text, part) || anywhere && strings.Contains(text, part)
			}
			if !slices.ContainsFunc([]string{u.Username, u.FirstName, u.LastName, u.Email}, fits) {
				return false
			}
		}
		return true
	})
}

func (k *Keycloak) serveRoles(w http.ResponseWriter, r *http.Request) {
	client, name, what := "", r.PathValue("role"), r.PathValue("what")
	for known, id := range k.clients {
		if id == r.PathValue("client") {
			client = known
		}
	}
	found := k.role(client, name)
	switch {
	case client == "" && r.PathValue("client") != "":
		fail(w, http.StatusNotFound, "Could not find client")
	case name == "":
		writePage(w, r, k.roles, 100, func(one *role) bool { return one.client == client })
	case found == nil:
		fail(w, http.StatusNotFound, "Could not find role")
	case what == "":
		answer(w, http.StatusOK, found)
	case what == "users":
		k.people(w, r, func(u User) bool { return found.users[u.ID] })
	case what == "groups":
		writePage(w, r, k.groups, 100, func(g *group) bool { return found.groups[g.path] })
	case what == "composites":
		answer(w, http.StatusOK, append([]*role{}, found.parts...))
	default:
		noSuchCall(w, r)
	}
}

func (k *Keycloak) serveGroup(w http.ResponseWriter, r *http.Request) {
	what := r.PathValue("what")
	found := find(k.groups, func(g *group) bool { return g.id == r.PathValue("id") })
	switch {
	case found == nil:
		fail(w, http.StatusNotFound, "Could not find group by id")
	case what == "members":
		k.people(w, r, func(u User) bool { return found.members[u.ID] })
	case what == "children":
		writePage(w, r, k.groups, 10, func(g *group) bool {
			rest, under := strings.CutPrefix(g.path, found.path+"/")
			return under && !strings.Contains(rest, "/")
		})
	default:
		noSuchCall(w, r)
	}
}

// people replies with a page of the matching users, ordered by name.
func (k *Keycloak) people(w http.ResponseWriter, r *http.Request, fits func(User) bool) {
	list := slices.SortedStableFunc(slices.Values(k.users), func(a, b User) int { return strings.Compare(a.Username, b.Username) })
	if r.FormValue("briefRepresentation") == "true" {
		for i := range list {
			list[i].Attributes = nil
		}
	}
	writePage(w, r, list, 100, fits)
}

func (g *group) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"id": g.id, "name": g.path[strings.LastIndex(g.path, "/")+1:], "path": g.path, "subGroups": []any{}})
}

func (r *role) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"id": r.id, "name": r.name, "composite": len(r.parts) > 0, "clientRole": r.client != ""})
}

// writePage replies with the page of the parameters first and max from the matching items; size is the
// default of max.
func writePage[T any](w http.ResponseWriter, r *http.Request, all []T, size int, fits func(T) bool) {
	list := slices.DeleteFunc(append([]T{}, all...), func(one T) bool { return !fits(one) })
	first, _ := strconv.Atoi(r.FormValue("first"))
	if n, err := strconv.Atoi(r.FormValue("max")); err == nil {
		size = n
	}
	first = min(first, len(list))
	answer(w, http.StatusOK, list[first:min(first+size, len(list))])
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func fail(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"error": message})
}

// Load adds the content of a realm file of Keycloak, so that one file prepares a real realm and this one. It
// reads users, groups, roles and the client of the admin interface, whose service account may view users.
func (k *Keycloak) Load(path string) error {
	raw, err := os.ReadFile(path) // #nosec G304 -- the test names the file
	if err != nil {
		return err
	}
	var file realmFile
	if err := json.Unmarshal(raw, &file); err != nil {
		return fmt.Errorf("read realm %s: %w", path, err)
	}
	k.Realm = file.Realm
	secrets := map[string]string{}
	for _, c := range file.Clients {
		if c.ServiceAccountsEnabled {
			secrets[c.ClientID] = c.Secret
		}
	}
	for client, roles := range file.Roles.Client {
		k.loadRoles(client+"/", roles)
	}
	k.loadRoles("", file.Roles.Realm)
	k.loadGroups("", file.Groups)
	for _, u := range file.Users {
		if secret, ok := secrets[u.ServiceAccount]; ok && slices.Contains(u.ClientRoles["realm-management"], "view-users") {
			k.ClientID, k.ClientSecret = u.ServiceAccount, secret
		}
		u.ServiceAccount = "" // only in realm files, not in replies
		id := k.addUser(u.User)
		for _, name := range roleNames(u.RealmRoles, u.ClientRoles) {
			k.AddRole(name, Holders{Users: []string{id}})
		}
		for _, path := range u.Groups {
			k.AddGroup(path, id)
		}
	}
	return nil
}

// The parts of a realm file.
type (
	realmFile struct {
		Realm string `json:"realm"`
		Roles struct {
			Realm  []roleFile            `json:"realm"`
			Client map[string][]roleFile `json:"client"`
		} `json:"roles"`
		Groups  []groupFile `json:"groups"`
		Clients []struct {
			ClientID               string `json:"clientId"`
			Secret                 string `json:"secret"`
			ServiceAccountsEnabled bool   `json:"serviceAccountsEnabled"`
		} `json:"clients"`
		Users []struct {
			User
			RealmRoles  []string            `json:"realmRoles"`
			ClientRoles map[string][]string `json:"clientRoles"`
			Groups      []string            `json:"groups"`
		} `json:"users"`
	}
	roleFile struct {
		Name       string `json:"name"`
		Composites struct {
			Realm  []string            `json:"realm"`
			Client map[string][]string `json:"client"`
		} `json:"composites"`
	}
	groupFile struct {
		Name        string              `json:"name"`
		RealmRoles  []string            `json:"realmRoles"`
		ClientRoles map[string][]string `json:"clientRoles"`
		SubGroups   []groupFile         `json:"subGroups"`
	}
)

// roleNames are roles of the realm, and of clients as client/role.
func roleNames(realm []string, clients map[string][]string) []string {
	list := slices.Clone(realm)
	for client, names := range clients {
		for _, name := range names {
			list = append(list, client+"/"+name)
		}
	}
	return list
}

func (k *Keycloak) loadRoles(prefix string, roles []roleFile) {
	for _, r := range roles {
		k.AddRole(prefix+r.Name, Holders{})
		k.Include(prefix+r.Name, roleNames(r.Composites.Realm, r.Composites.Client)...)
	}
}

func (k *Keycloak) loadGroups(parent string, groups []groupFile) {
	for _, g := range groups {
		path := parent + "/" + g.Name
		k.AddGroup(path)
		for _, name := range roleNames(g.RealmRoles, g.ClientRoles) {
			k.AddRole(name, Holders{Groups: []string{path}})
		}
		k.loadGroups(path, g.SubGroups)
	}
}
