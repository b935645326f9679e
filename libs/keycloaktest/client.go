package keycloaktest

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Settings are those of a realm that concern its clients. The zero value has no texts by language.
type Settings struct {
	Roles         []string // of the service account in realm-management; nil for all
	International bool
	DefaultLocale string
	ACRs          []string // that the realm knows
}

// Configure sets the settings of the realm.
func (k *Keycloak) Configure(s Settings) { k.set(func() { k.settings = s }) }

// client is a ClientRepresentation.
type client map[string]any

// Client returns the representation of a client, or nil.
func (k *Keycloak) Client(clientID string) (found map[string]any) {
	k.set(func() {
		if i := k.clientIndex("clientId", clientID); i >= 0 {
			found = maps.Clone(k.registered[i])
		}
	})
	return found
}

// ClientIDs returns the ids of the clients.
func (k *Keycloak) ClientIDs() (ids []string) {
	k.set(func() {
		for _, c := range k.registered {
			ids = append(ids, c["clientId"].(string))
		}
	})
	return ids
}

// ChangeClient changes members of a client as an administrator does; nil members delete it. Attributes are merged.
func (k *Keycloak) ChangeClient(clientID string, members map[string]any) {
	k.set(func() {
		i := k.clientIndex("clientId", clientID)
		if members == nil {
			k.registered = slices.Delete(k.registered, i, i+1)
			return
		}
		k.registered[i] = k.registered[i].with(members)
	})
}

// AddClient adds a client that an administrator makes.
func (k *Keycloak) AddClient(clientID string, members map[string]any) {
	k.set(func() { k.registered = append(k.registered, k.newClient(client{"clientId": clientID}.with(members))) })
}

// Texts returns the texts of a locale.
func (k *Keycloak) Texts(locale string) (texts map[string]string) {
	k.set(func() { texts = maps.Clone(k.texts[locale]) })
	return texts
}

func (k *Keycloak) clientIndex(member, value string) int {
	return slices.IndexFunc(k.registered, func(c client) bool { return c[member] == value })
}

// may reports whether the service account has one of the roles, and replies otherwise.
func (k *Keycloak) may(w http.ResponseWriter, roles ...string) bool {
	ok := k.has(roles...)
	if !ok {
		fail(w, http.StatusForbidden, "HTTP 403 Forbidden")
	}
	return ok
}

func (k *Keycloak) has(roles ...string) bool {
	held := func(role string) bool { return slices.Contains(k.settings.Roles, role) }
	return k.settings.Roles == nil || slices.ContainsFunc(roles, held)
}

// routeClients adds the calls about clients, scopes and texts.
func (k *Keycloak) routeClients(mux *http.ServeMux) {
	route := func(method, path string, roles []string, serve http.HandlerFunc) {
		mux.HandleFunc(method+" /admin/realms/{realm}"+path, func(w http.ResponseWriter, r *http.Request) {
			if k.may(w, roles...) {
				serve(w, r)
			}
		})
	}
	read, write, texts := []string{"manage-clients", "view-clients"}, []string{"manage-clients"}, []string{"manage-realm"}
	all := append(slices.Clone(read), "view-realm", "manage-realm", "view-users")
	route("GET", "", all, k.getRealm)
	route("GET", "/clients", read, k.listClients)
	route("POST", "/clients", write, k.postClient)
	route("GET", "/clients/{client}", read, k.withClient(read, func(w http.ResponseWriter, _ *http.Request, i int) {
		answer(w, http.StatusOK, k.shown(k.registered[i]))
	}))
	route("PUT", "/clients/{client}", read, k.withClient(write, k.putClient))
	route("DELETE", "/clients/{client}", read, k.withClient(write, func(w http.ResponseWriter, _ *http.Request, i int) {
		k.registered = slices.Delete(k.registered, i, i+1)
		w.WriteHeader(http.StatusNoContent)
	}))
	route("GET", "/client-scopes", read, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, scopes) })
	for _, kind := range []string{"default", "optional"} {
		assign := k.withClient(write, func(w http.ResponseWriter, r *http.Request, i int) {
			k.assignScope(w, r, kind+"ClientScopes", i)
		})
		for _, method := range []string{"PUT", "DELETE"} {
			route(method, "/clients/{client}/"+kind+"-client-scopes/{scope}", read, assign)
		}
	}
	route("GET", "/localization", all, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, append([]string{}, slices.Sorted(maps.Keys(k.texts))...))
	})
	for _, method := range []string{"PUT", "DELETE"} {
		route(method, "/localization/{locale}/{key}", texts, k.serveText)
	}
	route("GET", "/localization/{locale}/{key}", all, k.serveText)
}

// getRealm replies with the settings to a service account with the role view-realm or manage-realm.
func (k *Keycloak) getRealm(w http.ResponseWriter, _ *http.Request) {
	if !k.has("manage-realm", "view-realm") {
		answer(w, http.StatusOK, map[string]any{"realm": k.Realm, "supportedLocales": []string{}})
		return
	}
	shown := map[string]any{"realm": k.Realm, "internationalizationEnabled": k.settings.International}
	if k.settings.DefaultLocale != "" {
		shown["defaultLocale"] = k.settings.DefaultLocale
	}
	answer(w, http.StatusOK, shown)
}

// listClients replies with the clients, those of roles with no more than an id.
func (k *Keycloak) listClients(w http.ResponseWriter, r *http.Request) {
	all := []client{}
	for _, clientID := range slices.Sorted(maps.Keys(k.clients)) {
		all = append(all, client{"id": k.clients[clientID], "clientId": clientID})
	}
	all = append(append(all, client{"id": "built-in", "clientId": "account"}), k.registered...)
	wanted := r.FormValue("clientId")
	for i := range all {
		all[i] = k.shown(all[i])
	}
	writePage(w, r, all, len(all), func(c client) bool { return wanted == "" || c["clientId"] == wanted })
}

// shown adds the rights of the caller.
func (k *Keycloak) shown(c client) client {
	c = maps.Clone(c)
	c["access"] = map[string]bool{"view": true, "configure": k.has("manage-clients"), "manage": k.has("manage-clients")}
	return c
}

// withClient serves a call about a client, which is looked for before the roles are checked.
func (k *Keycloak) withClient(roles []string, serve func(http.ResponseWriter, *http.Request, int)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		i := k.clientIndex("id", r.PathValue("client"))
		if i < 0 {
			fail(w, http.StatusNotFound, "Could not find client")
			return
		}
		if k.may(w, roles...) {
			serve(w, r, i)
		}
	}
}

// representation reads and checks the body of a call.
func representation(w http.ResponseWriter, r *http.Request) (sent client) {
	var checked struct {
		ClientID, Name string
		RedirectURIs   []string
		Attributes     struct{ LogoURI string }
	}
	body, _ := io.ReadAll(r.Body)
	isWrong := func(uri string) bool { return strings.Contains(uri, "#") }
	isLong := func(text string) bool { return len(text) > 255 }
	status, fault := http.StatusBadRequest, map[string]string{"error": "invalid_input"}
	switch {
	case json.Unmarshal(body, &sent) != nil || json.Unmarshal(body, &checked) != nil:
		fault["error"] = "Cannot parse the JSON"
	case slices.ContainsFunc(checked.RedirectURIs, isWrong):
		fault["error_description"] = "A redirect URI is not a valid URI"
	case strings.HasPrefix(checked.Attributes.LogoURI, "javascript:"):
		fault["error_description"] = "Logo URL uses an illegal scheme"
	case slices.ContainsFunc(append(checked.RedirectURIs, checked.Name, checked.ClientID), isLong):
		status, fault["error"] = http.StatusInternalServerError, "unknown_error"
	default:
		return sent
	}
	answer(w, status, fault)
	return nil
}

// postClient adds a client. Scopes that the realm does not have are left out.
func (k *Keycloak) postClient(w http.ResponseWriter, r *http.Request) {
	sent := representation(w, r)
	if sent == nil {
		return
	}
	clientID, _ := sent["clientId"].(string)
	if k.clientIndex("clientId", clientID) >= 0 {
		answer(w, http.StatusConflict, map[string]string{"errorMessage": "Client " + clientID + " already exists"})
		return
	}
	made := k.newClient(sent)
	k.registered = append(k.registered, made)
	w.Header().Set("Location", k.URL+"/admin/realms/"+k.Realm+"/clients/"+made["id"].(string))
	w.WriteHeader(http.StatusCreated)
}

// newClient returns a client with the members that Keycloak sets.
func (k *Keycloak) newClient(sent client) client {
	made := client{
		"id": k.id(), "enabled": true, "notBefore": 0, "surrogateAuthRequired": false, "nodeReRegistrationTimeout": -1,
		"attributes": map[string]any{"realm_client": "false"}, "authenticationFlowBindingOverrides": map[string]any{},
	}.with(sent)
	isNone := func(name any) bool {
		return !slices.ContainsFunc(scopes, func(s clientScope) bool { return s.Name == name })
	}
	for _, kind := range []string{"defaultClientScopes", "optionalClientScopes"} {
		given, _ := sent[kind].([]any)
		made[kind] = slices.DeleteFunc(append([]any{}, given...), isNone)
	}
	return made
}

// putClient changes the members of the call except its scopes.
func (k *Keycloak) putClient(w http.ResponseWriter, r *http.Request, i int) {
	sent := representation(w, r)
	if sent == nil {
		return
	}
	for _, kept := range []string{"id", "defaultClientScopes", "optionalClientScopes"} {
		delete(sent, kept)
	}
	k.registered[i] = k.registered[i].with(sent)
	w.WriteHeader(http.StatusNoContent)
}

// with returns c with the members of sent. Attributes are merged, and empty ones removed, as are empty flows.
func (c client) with(sent map[string]any) client {
	after := maps.Clone(c)
	maps.Copy(after, sent)
	for _, member := range []string{"attributes", "authenticationFlowBindingOverrides"} {
		merged := map[string]any{}
		for _, from := range []any{c[member], sent[member]} {
			values, _ := from.(map[string]any)
			maps.Copy(merged, values)
		}
		maps.DeleteFunc(merged, func(_ string, value any) bool { return value == "" })
		after[member] = merged
	}
	return after
}

// assignScope assigns a scope to a client, or removes it.
func (k *Keycloak) assignScope(w http.ResponseWriter, r *http.Request, kind string, i int) {
	at := slices.IndexFunc(scopes, func(s clientScope) bool { return s.ID == r.PathValue("scope") })
	if at < 0 {
		fail(w, http.StatusNotFound, "Client scope not found")
		return
	}
	names, _ := k.registered[i][kind].([]any)
	names = slices.DeleteFunc(slices.Clone(names), func(name any) bool { return name == scopes[at].Name })
	if r.Method == http.MethodPut {
		names = append(names, scopes[at].Name)
	}
	k.registered[i] = k.registered[i].with(map[string]any{kind: names})
	w.WriteHeader(http.StatusNoContent)
}

// serveText reads, stores or deletes a text.
func (k *Keycloak) serveText(w http.ResponseWriter, r *http.Request) {
	locale, key := r.PathValue("locale"), r.PathValue("key")
	text, found := k.texts[locale][key]
	switch {
	case r.Method == http.MethodPut:
		body, _ := io.ReadAll(r.Body)
		if k.texts[locale] == nil {
			k.texts[locale] = map[string]string{}
		}
		k.texts[locale][key] = string(body)
		w.WriteHeader(http.StatusNoContent)
	case !found:
		fail(w, http.StatusNotFound, "Localization text not found")
	case r.Method == http.MethodDelete:
		delete(k.texts[locale], key)
		w.WriteHeader(http.StatusNoContent)
	case !strings.Contains(r.Header.Get("Accept"), "text/plain"):
		fail(w, http.StatusNotAcceptable, "HTTP 406 Not Acceptable")
	default:
		_, _ = io.WriteString(w, text)
	}
}

// clientScope is a client scope of a new realm.
type clientScope struct {
	ID       string           `json:"id"`
	Name     string           `json:"name"`
	Protocol string           `json:"protocol"`
	Mappers  []map[string]any `json:"protocolMappers,omitempty"`
}

// scopes are the client scopes of a new realm, with the claims that they add.
var scopes = func() (list []clientScope) {
	for i, s := range []struct {
		name   string
		claims []string
	}{
		{"profile", []string{"profile", "given_name", "website", "gender", "family_name", "preferred_username", "zoneinfo",
			"updated_at", "locale", "middle_name", "nickname", "picture", "oidc-full-name-mapper", "birthdate"}},
		{"email", []string{"email", "email_verified"}}, {"address", []string{"oidc-address-mapper"}},
		{"phone", []string{"phone_number", "phone_number_verified"}},
		{"acr", nil}, {"basic", nil}, {"web-origins", nil}, {"roles", nil}, {"offline_access", nil},
	} {
		one := clientScope{ID: "scope-" + strconv.Itoa(i), Name: s.name, Protocol: "openid-connect"}
		for _, claim := range s.claims {
			m := map[string]any{"name": claim, "protocolMapper": claim, "config": map[string]string{}}
			if !strings.HasPrefix(claim, "oidc-") {
				m["protocolMapper"], m["config"] = "oidc-usermodel-attribute-mapper", map[string]string{"claim.name": claim}
			}
			one.Mappers = append(one.Mappers, m)
		}
		list = append(list, one)
	}
	return append(list, clientScope{ID: "scope-saml", Name: "role_list", Protocol: "saml"})
}()
