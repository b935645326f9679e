package policyfile

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Directory answers the rules of a policy in its tests. The username of a user is their id.
type Directory struct {
	Roles     map[string][]string `json:"roles,omitempty"`     // by name; a role of a client is client/role
	Groups    map[string][]string `json:"groups,omitempty"`    // by path
	Managers  map[string]string   `json:"managers,omitempty"`  // by user
	Resolvers map[string][]string `json:"resolvers,omitempty"` // users that a resolver or URL yields
}

// Resolve returns the users of a rule, as the directory of the service does.
func (d Directory) Resolve(_ context.Context, q approver.Question) ([]identity.User, error) {
	r := q.Rule
	switch r.Type {
	case policy.RuleRole:
		name := r.Role
		if r.Client != "" {
			name = r.Client + "/" + r.Role
		}
		return usersOf(d.Roles, "roles", name)
	case policy.RuleGroup:
		users, err := usersOf(d.Groups, "groups", r.Path)
		for path, members := range d.Groups {
			if r.IncludeSubgroups && strings.HasPrefix(path, strings.TrimSuffix(r.Path, "/")+"/") {
				users, err = append(users, usersByID(members)...), nil
			}
		}
		return unique(users), err
	case policy.RuleManager:
		id := q.From
		for range max(r.Level, 1) {
			if id = d.Managers[id]; id == "" {
				return nil, nil
			}
		}
		return usersByID([]string{id}), nil
	case policy.RuleHTTP:
		return usersOf(d.Resolvers, "resolvers", cmp.Or(r.Resolver, r.URL))
	default:
		return usersByID(slices.Concat(r.IDs, r.Usernames)), nil
	}
}

// usersOf returns the users of an entry of the directory, or a refusal without one.
func usersOf(entries map[string][]string, member, name string) ([]identity.User, error) {
	ids, ok := entries[name]
	if !ok {
		return nil, refusal.New(reason.EngineRefused, "%q does not exist in directory.%s of the test", name, member)
	}
	return usersByID(ids), nil
}

func usersByID(ids []string) []identity.User {
	users := make([]identity.User, len(ids))
	for i, id := range ids {
		users[i] = identity.User{ID: id, Username: id}
	}
	return users
}

// unique returns the users in the order of their ids, each once.
func unique(users []identity.User) []identity.User {
	slices.SortFunc(users, func(a, b identity.User) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(users, func(a, b identity.User) bool { return a.ID == b.ID })
}
