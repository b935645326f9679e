package idp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Keycloak is the connector of a Keycloak realm: RFC7591 with Keycloak's deviations.
//
// Keycloak drops software_id. It keeps unknown members of a JWK (RFC 7517 §4). The id of the client
// is therefore a member of its first key, where the admin interface returns it.
type Keycloak struct {
	*RFC7591
	clients string // of the admin interface
}

// realmPath is the path of a registration endpoint: the prefix before the realm, and the realm.
var realmPath = regexp.MustCompile(`^(.*)/realms/([^/]+)/clients-registrations/openid-connect$`)

// NewKeycloak returns the connector of the realm whose registration endpoint is o.URL. The token endpoint and
// the metadata are those of the realm, unless o names others.
func NewKeycloak(o Options) (*Keycloak, error) {
	u, err := url.Parse(o.URL)
	var parts []string
	if err == nil {
		parts = realmPath.FindStringSubmatch(u.Path)
	}
	if parts == nil {
		return nil, fmt.Errorf("REGISTRAR_IDP_URL: must end with /realms/REALM/clients-registrations/openid-connect")
	}
	base, realm := *u, *u
	base.Path, realm.Path = parts[1], parts[1]+"/realms/"+parts[2]
	if o.ClientID != "" || o.ManageClientID != "" {
		o.TokenURL = cmp.Or(o.TokenURL, realm.JoinPath("protocol/openid-connect/token").String())
	}
	o.MetadataURL = cmp.Or(o.MetadataURL, realm.JoinPath(".well-known/openid-configuration").String())
	r, err := NewRFC7591(o)
	if err != nil {
		return nil, err
	}
	r.keycloak = true
	return &Keycloak{r, base.JoinPath("admin/realms", parts[2], "clients").String()}, nil
}

// Abilities are those of RFC7591. Keycloak replaces the registration access token in each answer.
// It lists clients for credentials that manage them.
func (k *Keycloak) Abilities() Abilities {
	a := k.RFC7591.Abilities()
	a.Rotates, a.Names = a.Unmanaged, NoNames
	a.Metadata = []string{"client_uri", "tos_uri", "policy_uri", "post_logout_redirect_uris", "default_max_age", "software_id", "software_version"}
	a.Limits = registrar.Limits{Provider: "Keycloak", Name: 255, RedirectURI: 255}
	a.Unreturned = []string{
		"enabled", "publicClient", "logoUri", "webOrigins", "consentRequired", "PKCE", "fullScopeAllowed", "protocolMappers",
	}
	if k.manage != nil {
		a.List = k.list
	}
	return a
}

// listPage is the page size of the list: an answer of Keycloak has up to 8 KiB for each client.
const listPage = 25

// list calls found for each client of the realm that this service has registered.
func (k *Keycloak) list(ctx context.Context, found func(Listed) error) error {
	for first := 0; ; first += listPage {
		var page []struct {
			ClientID   string            `json:"clientId"`
			Name       string            `json:"name"`
			Attributes map[string]string `json:"attributes"`
		}
		query := url.Values{"first": {strconv.Itoa(first)}, "max": {strconv.Itoa(listPage)}}
		a, err := k.caller.json(ctx, k.manage, http.MethodGet, k.clients+"?"+query.Encode(), nil)
		switch {
		case err != nil:
			return err
		case a.isDenied():
			return a.tokenRejection("list clients")
		case a.status != http.StatusOK:
			return unreachableError("list clients: status %d", a.status)
		}
		if err := a.decode(&page); err != nil {
			return err
		}
		for _, c := range page {
			id := markOf([]byte(c.Attributes["jwks.string"]))
			if id == "" || printablePrefix(c.ClientID) != c.ClientID {
				continue
			}
			if err := found(Listed{ProviderClientID: c.ClientID, ClientID: id, Name: printablePrefix(c.Name)}); err != nil {
				return err
			}
		}
		if len(page) < listPage {
			return nil
		}
	}
}

// markMember is the member of a JWK with the id of the client that it was registered for.
const markMember = "software_id"

// withMark returns a JWK Set whose first key names the client.
func withMark(set json.RawMessage, id string) json.RawMessage {
	var keys struct {
		Keys []map[string]any `json:"keys"`
	}
	if json.Unmarshal(set, &keys) != nil || len(keys.Keys) == 0 {
		return set // not made by this package
	}
	keys.Keys[0][markMember] = id
	with, err := json.Marshal(keys)
	if err != nil {
		return set
	}
	return with
}

// markOf returns the id of the client in a JWK Set, or an empty string.
func markOf(set []byte) string {
	var keys struct {
		Keys []map[string]any `json:"keys"`
	}
	if json.Unmarshal(set, &keys) != nil {
		return ""
	}
	for _, key := range keys.Keys {
		if id, ok := key[markMember].(string); ok && printablePrefix(id) == id {
			return id
		}
	}
	return ""
}
