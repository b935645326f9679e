package idp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Keycloak is the connector of a realm of Keycloak 26, by its admin API. A client has the id of this service there.
//
// The attribute registrar.registration proves that a client there is ours: its value is random and was stored here
// before the first call. A lost answer is therefore resolved by a repeated call.
type Keycloak struct {
	caller *caller
	acrs   *acrs
	admin  string // address of the realm in the admin API
	claims map[string]string
	others []string // ids of clients that are not this service's

	mu    sync.Mutex
	realm realm  // the last one read
	fault string // the role that the last answer missed
}

// ErrRole reports that the service account lacks a role, which its text names. It qualifies an ErrUnreachable.
var ErrRole = errors.New("the service account of REGISTRAR_IDP_CLIENT_ID lacks a role of the client realm-management")

// realmPath is the path of a realm: the prefix before the realm, and the realm.
var realmPath = regexp.MustCompile(`^(.*)/realms/([^/]+)/?$`)

// NewKeycloak returns the connector of the realm at o.URL. The token endpoint is that of the realm, unless o names
// another.
func NewKeycloak(o Options) (*Keycloak, error) {
	u, err := url.Parse(o.URL)
	var parts []string
	if err == nil {
		parts = realmPath.FindStringSubmatch(u.Path)
	}
	if parts == nil {
		return nil, errors.New("REGISTRAR_IDP_URL: must be the address of a realm: …/realms/REALM")
	}
	base := *u
	base.Path = parts[1]
	o.TokenURL = cmp.Or(o.TokenURL, u.JoinPath("protocol/openid-connect/token").String())
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	return &Keycloak{
		caller: c, admin: base.JoinPath("admin/realms", parts[2]).String(), claims: o.Claims,
		acrs:   &acrs{caller: c, url: u.JoinPath(".well-known/openid-configuration").String()},
		others: slices.Concat(builtIn, []string{o.ClientID}, o.OtherClients),
	}, nil
}

// builtIn are the clients of every realm.
var builtIn = []string{
	"account", "account-console", "admin-cli", "broker", "realm-management", "security-admin-console",
}

// Abilities include all but contacts and default_max_age. Names in other languages depend on the realm.
func (k *Keycloak) Abilities() Abilities {
	a := Abilities{
		ChangesKeys: true, RemovesEncKey: true, Settles: true, EnforcesPKCE: true, List: k.list, Scope: k.scope,
		Metadata: append([]string{"client_uri", "tos_uri", "policy_uri", "post_logout_redirect_uris"}, storedHere...),
		Limits:   registrar.Limits{Provider: "Keycloak", Name: 255, RedirectURI: 255},
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.realm.showsNames {
		a.Names = AllNames
	}
	a.Fault = k.fault
	return a
}

// Check reads the realm, with the roles of the service account.
func (k *Keycloak) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var first []struct {
		Access struct {
			Manage bool `json:"manage"`
		} `json:"access"`
	}
	if err := k.get(ctx, "/clients?first=0&max=1", &first); err != nil {
		return err
	}
	if len(first) == 0 || !first[0].Access.Manage {
		return unreachableError("%w", k.lacks("manage-clients"))
	}
	_, err := k.readRealm(ctx)
	return err
}

// Register creates c. A client with its id that has another mark is refused: it is not ours.
func (k *Keycloak) Register(
	ctx context.Context, c registrar.Client, _ registrar.Prior,
) (none registrar.ProviderRecord, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	r, wanted, err := k.prepare(ctx, c)
	if err != nil {
		return none, notSentError{err}
	}
	a, err := k.call(ctx, http.MethodPost, "/clients", wanted)
	switch {
	case err != nil:
		return none, err
	case a.status == http.StatusCreated:
		err = k.putTexts(ctx, c, r.texts(c))
	case a.status == http.StatusConflict:
		there, found, findErr := k.find(ctx, c.ID)
		switch {
		case findErr != nil:
			return none, findErr
		case !found:
			return none, unreachableError("register: status %d, but there is no client with the id", a.status)
		case there.mark() != c.Mark:
			return none, newRefusal("duplicate_client_id", "a client with this id exists there, and was not registered here")
		}
		err = k.replace(ctx, c, r, there, wanted)
	default:
		return none, k.rejection("/clients", a)
	}
	if err != nil {
		err = partialError{err}
	}
	return none, err
}

// Update replaces c there. The client of another owner is replaced only after an admin has confirmed that it is ours.
func (k *Keycloak) Update(
	ctx context.Context, c registrar.Client, record registrar.ProviderRecord, prior registrar.Prior,
) (registrar.ProviderRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	r, wanted, err := k.prepare(ctx, c)
	if err != nil {
		return record, notSentError{err}
	}
	there, found, err := k.find(ctx, c.ID)
	switch {
	case err != nil:
		return record, notSentError{err}
	case !found:
		return record, ErrMissing
	case there.mark() != c.Mark && prior != registrar.PriorOurs:
		return record, outcomeUnknown("client %s there was not registered here", c.ID)
	}
	return record, k.replace(ctx, c, r, there, wanted)
}

// Remove deletes c and its texts. A client with another mark is not ours and stays.
func (k *Keycloak) Remove(
	ctx context.Context, c registrar.Client, _ registrar.ProviderRecord, prior registrar.Prior,
) (registrar.Prior, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	r, err := k.readRealm(ctx)
	if err != nil {
		return prior, err
	}
	there, found, err := k.find(ctx, c.ID)
	if err != nil || !found || there.mark() != c.Mark {
		return prior, err
	}
	if there.hasTexts() && r.showsNames {
		if err := k.deleteTexts(ctx, c, nil); err != nil {
			return prior, err
		}
	}
	return prior, k.change(ctx, http.MethodDelete, "/clients/"+there.ID, nil)
}

// prepare returns the realm and the representation of c.
func (k *Keycloak) prepare(ctx context.Context, c registrar.Client) (realm, representation, error) {
	if err := checkForKeycloak(c); err != nil {
		return realm{}, representation{}, err
	}
	r, err := k.readRealm(ctx)
	if err != nil {
		return r, representation{}, err
	}
	wanted, err := k.representation(ctx, r, c)
	return r, wanted, err
}

// replace makes there, the client of the realm, equal to wanted. Each step can be repeated.
func (k *Keycloak) replace(ctx context.Context, c registrar.Client, r realm, there, wanted representation) error {
	texts := r.texts(c)
	if there.hasTexts() && r.showsNames {
		if err := k.deleteTexts(ctx, c, texts); err != nil {
			return err
		}
	}
	if err := k.putTexts(ctx, c, texts); err != nil {
		return err
	}
	path := "/clients/" + there.ID
	if err := k.change(ctx, http.MethodPut, path, wanted.replacing(there)); err != nil {
		return err
	}
	for _, kind := range []struct {
		path         string
		has, permits []string
	}{
		{"/default-client-scopes/", there.DefaultScopes, wanted.DefaultScopes},
		{"/optional-client-scopes/", there.OptionalScopes, wanted.OptionalScopes},
	} {
		for name, s := range r.scopes {
			has, permits := slices.Contains(kind.has, name), slices.Contains(kind.permits, name)
			if has == permits {
				continue
			}
			method := http.MethodPut
			if has {
				method = http.MethodDelete
			}
			if err := k.change(ctx, method, path+kind.path+s.id, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// find reads the client with an id.
func (k *Keycloak) find(ctx context.Context, id string) (there representation, found bool, err error) {
	var list []representation
	err = k.get(ctx, "/clients?"+url.Values{"clientId": {id}}.Encode(), &list)
	i := slices.IndexFunc(list, func(r representation) bool { return r.ClientID == id })
	if err != nil || i < 0 {
		return there, false, err
	}
	return list[i], true, nil
}

// listPage is the page size of the list: a client has up to 10 KiB in it.
const listPage = 20

// list calls found for each client of the realm that is neither built in nor one of REGISTRAR_IDP_OTHER_CLIENTS.
func (k *Keycloak) list(ctx context.Context, found func(Listed) error) error {
	for first := 0; ; first += listPage {
		var page []representation
		query := url.Values{"first": {strconv.Itoa(first)}, "max": {strconv.Itoa(listPage)}}
		if err := k.get(ctx, "/clients?"+query.Encode(), &page); err != nil {
			return err
		}
		for _, c := range page {
			if slices.Contains(k.others, c.ClientID) {
				continue
			}
			if err := found(Listed{ClientID: c.ClientID, Name: printablePrefix(c.Name)}); err != nil {
				return err
			}
		}
		if len(page) < listPage {
			return nil
		}
	}
}

// call calls the admin API below the realm.
func (k *Keycloak) call(ctx context.Context, method, path string, body any) (answer, error) {
	a, err := k.caller.json(ctx, k.caller.client, k.caller.tokens, method, k.admin+path, body)
	if err == nil && a.status < 300 {
		k.setFault("")
	}
	return a, err
}

func (k *Keycloak) setFault(text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fault = text
}

// lacks returns an ErrRole and records it.
func (k *Keycloak) lacks(role string) error {
	err := fmt.Errorf("%w: %s", ErrRole, role)
	k.setFault(err.Error())
	return err
}

// get reads an object of the realm.
func (k *Keycloak) get(ctx context.Context, path string, into any) error {
	a, err := k.call(ctx, http.MethodGet, path, nil)
	if err == nil && a.status != http.StatusOK {
		err = k.rejection(path, a)
	}
	if err != nil {
		return err
	}
	return a.decode(into)
}

// change makes a call that may be repeated. A DELETE without an object succeeds.
func (k *Keycloak) change(ctx context.Context, method, path string, body any) error {
	a, err := k.call(ctx, method, path, body)
	switch {
	case err != nil || a.status < 300 || method == http.MethodDelete && a.status == http.StatusNotFound:
		return err
	case method == http.MethodPut && a.status == http.StatusNotFound: // the client or the scope was deleted meanwhile
		k.forgetRealm()
		return unreachableError("%s: status %d", method, a.status)
	}
	return k.rejection(path, a)
}

// rejection returns the error of an answer that reports a failure: a refusal with Keycloak's text, or a missing role.
func (k *Keycloak) rejection(path string, a answer) error {
	switch {
	case a.status == http.StatusForbidden && strings.HasPrefix(path, "/localization"):
		return fmt.Errorf("%w: %w", a.tokenRejection(path), k.lacks("manage-realm"))
	case a.status == http.StatusForbidden:
		return fmt.Errorf("%w: %w", a.tokenRejection(path), k.lacks("manage-clients"))
	case a.isDenied():
		return a.tokenRejection(path)
	}
	var fault struct {
		failure
		Message string `json:"errorMessage"`
	}
	if a.status != http.StatusBadRequest || a.decode(&fault) != nil {
		return a.unusable("%s: status %d", path, a.status)
	}
	return newRefusal("", cmp.Or(fault.Message, fault.Description, fault.Code))
}

// realm holds the properties of the realm that clients depend on.
type realm struct {
	read          time.Time
	showsNames    bool // by language: the realm is international, and this service may change its texts
	defaultLocale string
	scopes        map[string]scopeOfRealm
}

// scopeOfRealm is a client scope. claims are those that it adds.
type scopeOfRealm struct {
	id     string
	claims []string
}

// realmAge is the lifetime of the cached realm.
const realmAge = time.Minute

func (k *Keycloak) lastRealm() realm {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.realm
}

func (k *Keycloak) forgetRealm() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.realm.read = time.Time{}
}

// readRealm returns the realm, at most realmAge old.
func (k *Keycloak) readRealm(ctx context.Context) (realm, error) {
	if last := k.lastRealm(); k.caller.now().Sub(last.read) < realmAge {
		return last, nil
	}
	r := realm{read: k.caller.now(), scopes: map[string]scopeOfRealm{}}
	var settings struct {
		Internationalization bool   `json:"internationalizationEnabled"` // absent without the role view-realm or manage-realm
		DefaultLocale        string `json:"defaultLocale"`
	}
	var scopes []struct {
		ID              string           `json:"id"`
		Name            string           `json:"name"`
		Protocol        string           `json:"protocol"`
		ProtocolMappers []protocolMapper `json:"protocolMappers"`
	}
	if err := errors.Join(k.get(ctx, "", &settings), k.get(ctx, "/client-scopes", &scopes)); err != nil {
		return r, err
	}
	for _, s := range scopes {
		if s.Protocol != "openid-connect" {
			continue
		}
		one := scopeOfRealm{id: s.ID}
		for _, m := range s.ProtocolMappers {
			one.claims = append(one.claims, m.claim())
		}
		r.scopes[s.Name] = one
	}
	if settings.Internationalization {
		r.defaultLocale = cmp.Or(settings.DefaultLocale, "en")
		// The text of no client: it does not exist, and without the role a deletion is 403 all the same.
		a, err := k.call(ctx, http.MethodDelete, textPath(r.defaultLocale, ""), nil)
		if err != nil {
			return r, err
		}
		r.showsNames = !a.isDenied()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.realm = r
	return r, nil
}

// texts returns the names of c by locale, or nil if the realm does not show names by language.
func (r realm) texts(c registrar.Client) map[string]string {
	if !r.showsNames || len(c.Extensions.Names) == 0 {
		return nil
	}
	texts := map[string]string{r.defaultLocale: c.Name}
	for code, name := range c.Extensions.Names {
		texts[registrar.LanguageTag(code)] = name
	}
	for locale, name := range texts {
		texts[locale] = messageFormat.Replace(name)
	}
	return texts
}

// messageFormat quotes a text for java.text.MessageFormat.
var messageFormat = strings.NewReplacer("'", "''", "{", "'{'", "}", "'}'")

// nameKey is the key of the names of a client.
func nameKey(id string) string { return "registrar." + id }

func textPath(locale, id string) string {
	return "/localization/" + url.PathEscape(locale) + "/" + url.PathEscape(nameKey(id))
}

// putTexts stores the names of c by locale.
func (k *Keycloak) putTexts(ctx context.Context, c registrar.Client, texts map[string]string) error {
	for _, locale := range slices.Sorted(maps.Keys(texts)) {
		if err := k.change(ctx, http.MethodPut, textPath(locale, c.ID), plainText(texts[locale])); err != nil {
			return err
		}
	}
	return nil
}

// deleteTexts deletes the names of c in the locales of the realm, except those that stay.
func (k *Keycloak) deleteTexts(ctx context.Context, c registrar.Client, stay map[string]string) error {
	var locales []string
	if err := k.get(ctx, "/localization", &locales); err != nil {
		return err
	}
	for _, locale := range locales {
		if _, stays := stay[locale]; stays {
			continue
		}
		if err := k.change(ctx, http.MethodDelete, textPath(locale, c.ID), nil); err != nil {
			return err
		}
	}
	return nil
}
