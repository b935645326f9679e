package resolve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Keycloak configures access to the admin interface of a realm. The client is confidential. Its
// service account has the roles view-users, query-groups, view-realm and view-clients of
// realm-management. Keycloak 23 or later is required: earlier versions do not list the children of
// a group.
type Keycloak struct {
	URL          string // base, such as https://id.example.org
	Realm        string
	ClientID     string
	ClientSecret string

	// ServiceAccounts permits service accounts as approvers in rules of type user, by id. Roles and
	// groups never yield them.
	ServiceAccounts bool
}

const (
	pageSize = 100
	maxPage  = 2 << 20 // bytes of one answer

	// tokenMargin is subtracted from the lifetime of a token.
	tokenMargin = 10 * time.Second

	// serviceAccount is the prefix of usernames of service accounts.
	serviceAccount = "service-account-"
)

// directory is a realm.
type directory struct {
	Keycloak
	client *retryablehttp.Client
	now    func() time.Time

	mu      sync.Mutex
	token   string
	expires time.Time
}

var (
	// errUnknown means that the object does not exist in the directory.
	errUnknown = errors.New("not in the directory")

	// errNoID means that the directory returned an object without an id.
	errNoID = errors.New("the answer contains no id")
)

// The representations of Keycloak, limited to the members in use.
type (
	userRep struct {
		ID             string              `json:"id"`
		Username       string              `json:"username"`
		FirstName      string              `json:"firstName"`
		LastName       string              `json:"lastName"`
		Email          string              `json:"email"`
		Enabled        *bool               `json:"enabled"`
		ServiceAccount string              `json:"serviceAccountClientId"`
		Attributes     map[string][]string `json:"attributes"`
	}
	roleRep struct {
		ID         string `json:"id"`
		Name       string `json:"name"`
		Composite  bool   `json:"composite"`
		ClientRole bool   `json:"clientRole"`
	}
	groupRep struct {
		ID string `json:"id"`
	}
	clientRep struct {
		ID       string `json:"id"`
		ClientID string `json:"clientId"`
	}
)

// answer returns the enabled users of a rule, without service accounts.
func (d *directory) answer(ctx context.Context, q approver.Question) ([]identity.User, error) {
	found := people{most: q.Most}
	var err error
	switch q.Rule.Type {
	case policy.RuleRole:
		err = d.byRole(ctx, q.Rule, &found)
	case policy.RuleGroup:
		err = d.byGroup(ctx, q.Rule, &found)
	case policy.RuleManager:
		err = d.byManager(ctx, q, &found)
	case policy.RuleUser:
		err = d.byName(ctx, q.Rule, &found)
	default:
		err = fmt.Errorf("no directory answers rules of type %s", q.Rule.Type)
	}
	if errors.Is(err, errUnknown) {
		return nil, refusal.New(reason.EngineRefused, "%s does not exist in the directory", describe(q.Rule))
	}
	return found.users, err
}

// byRole returns the people with a role: directly, through a group, and optionally through a
// composite role.
func (d *directory) byRole(ctx context.Context, rule policy.Rule, found *people) error {
	container := "/roles"
	if rule.Client != "" {
		client, err := d.clientID(ctx, rule.Client)
		if err != nil {
			return err
		}
		container = "/clients/" + url.PathEscape(client) + "/roles"
	}
	var role roleRep
	path := container + "/" + url.PathEscape(rule.Role)
	if err := d.get(ctx, path, nil, &role); err != nil {
		return err
	}
	if role.ID == "" {
		return errNoID
	}
	paths := []string{path}
	if rule.IncludeComposites {
		more, err := d.containingPaths(ctx, role, container)
		if err != nil {
			return err
		}
		paths = append(paths, more...)
	}
	groups := map[string]bool{}
	for _, path := range paths {
		if err := forEach(ctx, d, path+"/users", found.addPerson); err != nil {
			return err
		}
		if rule.IncludeGroups != nil && !*rule.IncludeGroups {
			continue
		}
		// A group passes its roles to its subgroups.
		err := forEach(ctx, d, path+"/groups", func(g groupRep) error { return d.members(ctx, g.ID, true, groups, found) })
		if err != nil {
			return err
		}
	}
	return nil
}

// containingPaths returns the paths of the roles of the realm and of the container that include a role, directly
// or through others.
func (d *directory) containingPaths(ctx context.Context, role roleRep, container string) ([]string, error) {
	type composite struct {
		id, path string
		parts    []roleRep
	}
	var all []composite
	for _, container := range slices.Compact([]string{"/roles", container}) {
		err := forEach(ctx, d, container, func(r roleRep) error {
			if !r.Composite {
				return nil
			}
			c := composite{id: r.ID, path: container + "/" + url.PathEscape(r.Name)}
			err := d.get(ctx, c.path+"/composites", nil, &c.parts)
			all = append(all, c)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var paths []string
	includes := map[string]bool{role.ID: true}
	for grown := true; grown; {
		grown = false
		for _, c := range all {
			for _, part := range c.parts {
				if includes[part.ID] && !includes[c.id] {
					includes[c.id], grown = true, true
					paths = append(paths, c.path)
				}
			}
		}
	}
	return paths, nil
}

func (d *directory) byGroup(ctx context.Context, rule policy.Rule, found *people) error {
	var path strings.Builder
	for name := range strings.SplitSeq(strings.Trim(rule.Path, "/"), "/") {
		path.WriteString("/" + url.PathEscape(name))
	}
	var group groupRep
	if err := d.get(ctx, "/group-by-path"+path.String(), nil, &group); err != nil {
		return err
	}
	return d.members(ctx, group.ID, rule.IncludeSubgroups, map[string]bool{}, found)
}

// members adds the members of a group, and of its subgroups if deep. done contains the processed groups.
func (d *directory) members(ctx context.Context, group string, deep bool, done map[string]bool, found *people) error {
	if done[group] {
		return nil
	}
	done[group] = true
	path := "/groups/" + url.PathEscape(group)
	if err := forEach(ctx, d, path+"/members", found.addPerson); err != nil {
		return err
	}
	if !deep {
		return nil
	}
	return forEach(ctx, d, path+"/children", func(g groupRep) error { return d.members(ctx, g.ID, true, done, found) })
}

// byManager follows the manager attribute level by level. It returns no people for a missing
// manager or a cycle.
func (d *directory) byManager(ctx context.Context, q approver.Question, found *people) error {
	attribute := cmp.Or(q.Rule.Attribute, "manager")
	person, err := d.byID(ctx, q.From)
	seen := map[string]bool{}
	for range max(q.Rule.Level, 1) {
		if err != nil || seen[person.ID] {
			break
		}
		seen[person.ID] = true
		values := person.Attributes[attribute]
		if len(values) == 0 || values[0] == "" {
			return nil
		}
		if person, err = d.person(ctx, values[0]); err != nil {
			break
		}
	}
	switch {
	case errors.Is(err, errUnknown) || err == nil && seen[person.ID]:
		return nil
	case err != nil:
		return err
	default:
		return found.addRep(person, false)
	}
}

// byName adds the directory's users with the ids and usernames of a rule. Unknown ones are skipped.
func (d *directory) byName(ctx context.Context, rule policy.Rule, found *people) error {
	add := func(names []string, services bool, find func(context.Context, string) (userRep, error)) error {
		for _, name := range names {
			person, err := find(ctx, name)
			if err == nil {
				err = found.addRep(person, services)
			}
			if err != nil && !errors.Is(err, errUnknown) {
				return err
			}
		}
		return nil
	}
	if err := add(rule.IDs, d.ServiceAccounts, d.byID); err != nil {
		return err
	}
	return add(rule.Usernames, false, d.byUsername)
}

// person returns the user that an attribute references. A value with the form of an id is used as
// an id only, because a username may equal the id of another user.
func (d *directory) person(ctx context.Context, idOrUsername string) (userRep, error) {
	if isID(idOrUsername) {
		return d.byID(ctx, idOrUsername)
	}
	return d.byUsername(ctx, idOrUsername)
}

// isID reports whether the text is a Keycloak id: a UUID, or f:store:id for a user of another store.
func isID(text string) bool {
	return strings.HasPrefix(text, "f:") || len(text) == 36 && strings.Trim(text, "0123456789abcdefABCDEF-") == ""
}

func (d *directory) byID(ctx context.Context, id string) (userRep, error) {
	var u userRep
	switch id {
	case "", ".", "..", "count", "profile": // the paths of other resources
		return u, errUnknown
	}
	return u, d.get(ctx, "/users/"+url.PathEscape(id), nil, &u)
}

func (d *directory) byUsername(ctx context.Context, name string) (userRep, error) {
	var users []userRep
	if err := d.get(ctx, "/users", url.Values{"username": {name}, "exact": {"true"}, "briefRepresentation": {"false"}}, &users); err != nil {
		return userRep{}, err
	}
	for _, u := range users {
		if strings.EqualFold(u.Username, name) {
			return u, nil
		}
	}
	return userRep{}, errUnknown
}

// search finds enabled people by parts of username, names or address. It reads one page only;
// callers refine a broad search.
func (d *directory) search(ctx context.Context, text string, limit int) ([]identity.User, error) {
	var words []string
	for _, word := range strings.Fields(text) {
		if word = strings.Trim(word, `*"`); word != "" { // search operators of Keycloak
			words = append(words, "*"+word+"*")
		}
	}
	if len(words) == 0 {
		return nil, nil
	}
	query := url.Values{"search": {strings.Join(words, " ")}, "enabled": {"true"}, "briefRepresentation": {"true"},
		"first": {"0"}, "max": {strconv.Itoa(limit)}}
	var users []userRep
	if err := d.get(ctx, "/users", query, &users); err != nil {
		return nil, err
	}
	found := people{}
	for _, u := range users {
		if err := found.addPerson(u); err != nil {
			return nil, err
		}
	}
	return found.users, nil
}

func (d *directory) clientID(ctx context.Context, name string) (string, error) {
	var clients []clientRep
	if err := d.get(ctx, "/clients", url.Values{"clientId": {name}}, &clients); err != nil {
		return "", err
	}
	for _, c := range clients {
		switch {
		case c.ClientID == name && c.ID == "":
			return "", errNoID
		case c.ClientID == name:
			return c.ID, nil
		}
	}
	return "", errUnknown
}

// addPerson is addRep for lists, which yield no service accounts.
func (p *people) addPerson(u userRep) error { return p.addRep(u, false) }

// addRep adds an enabled user, and a service account only if services is set. A user without an id
// or without the enabled member invalidates the whole answer.
func (p *people) addRep(u userRep, services bool) error {
	if err := identity.CheckUserID(u.ID); err != nil {
		return fmt.Errorf("the answer has an invalid user: %w", err)
	}
	if u.Enabled == nil {
		return errors.New("the answer has a user without the member enabled")
	}
	if !*u.Enabled || !services && (u.ServiceAccount != "" || strings.HasPrefix(u.Username, serviceAccount)) {
		return nil
	}
	return p.add(u.user())
}

func (u userRep) user() identity.User {
	return identity.User{ID: u.ID, Username: u.Username, Name: strings.TrimSpace(u.FirstName + " " + u.LastName), Email: u.Email}
}

// forEach calls fn for every element of a list, page by page and without the attributes.
func forEach[T any](ctx context.Context, d *directory, path string, fn func(T) error) error {
	for first := 0; ; first += pageSize {
		at := url.Values{"briefRepresentation": {"true"}, "first": {strconv.Itoa(first)}, "max": {strconv.Itoa(pageSize)}}
		var page []T
		err := d.get(ctx, path, at, &page)
		if errors.Is(err, errUnknown) {
			err = errors.New("a list has vanished while it was read") // the operation is retried
		}
		if err != nil {
			return err
		}
		for _, element := range page {
			if err := fn(element); err != nil {
				return err
			}
		}
		if len(page) < pageSize {
			return nil
		}
	}
}

// get reads one resource of the realm. If the realm rejects the token, it retries once with a new one.
func (d *directory) get(ctx context.Context, path string, query url.Values, into any) error {
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if name == "" || name == "." || name == ".." {
			return errUnknown // "." and ".." are other paths; later versions return 400
		}
	}
	address := d.base("admin/") + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	for refused := ""; ; {
		token, err := d.bearer(ctx, refused)
		if err != nil {
			return fmt.Errorf("get a token: %w", err)
		}
		request, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Accept", "application/json")
		status, body, err := call(d.client, request, maxPage)
		switch {
		case err != nil:
			return err
		case status == http.StatusUnauthorized && refused == "":
			refused = token
		case status == http.StatusNotFound:
			return errUnknown
		case status != http.StatusOK:
			return fmt.Errorf("the directory returned %d", status)
		default:
			return decode(body, into)
		}
	}
}

// bearer returns a token for the admin interface other than refused.
func (d *directory) bearer(ctx context.Context, refused string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.token != "" && d.token != refused && d.now().Before(d.expires) {
		return d.token, nil
	}
	if err := ctx.Err(); err != nil {
		return "", err // expired while another call held the lock
	}
	config := clientcredentials.Config{
		TokenURL: d.base("") + "/protocol/openid-connect/token",
		ClientID: d.ClientID, ClientSecret: d.ClientSecret, AuthStyle: oauth2.AuthStyleInParams,
	}
	asked := d.now()
	grant, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, d.client.StandardClient()))
	if refusal, ok := errors.AsType[*oauth2.RetrieveError](err); ok { // its text contains the response
		return "", fmt.Errorf("the directory returned %d", refusal.Response.StatusCode)
	}
	if err != nil {
		return "", egress.WithoutURL(err)
	}
	d.token, d.expires = grant.AccessToken, asked.Add(min(max(time.Until(grant.Expiry), 0), 24*time.Hour)-tokenMargin)
	return d.token, nil
}

// base is the base path of the realm under the prefix.
func (d *directory) base(prefix string) string {
	return strings.TrimSuffix(d.URL, "/") + "/" + prefix + "realms/" + url.PathEscape(d.Realm)
}

// call makes one HTTP exchange, with retries, and returns the body. A body over the limit or a truncated one
// is an error. No error contains the URL, which may contain a name.
func call(client *retryablehttp.Client, request *retryablehttp.Request, limit int64) (int, []byte, error) {
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, fmt.Errorf("call %s: %w", request.URL.Host, egress.WithoutURL(err))
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	switch {
	case err != nil:
		return 0, nil, fmt.Errorf("read the answer: %w", err)
	case int64(len(body)) > limit:
		return 0, nil, fmt.Errorf("the answer exceeds %d bytes", limit)
	default:
		return response.StatusCode, body, nil
	}
}

func decode(body []byte, into any) error {
	if err := strictjson.Decode(body, strictjson.Default, into); err != nil {
		return fmt.Errorf("the answer is not the expected JSON: %w", err)
	}
	return nil
}
