package view

import (
	"cmp"
	"reflect"
	"sync"

	"github.com/countersign/countersign/services/wf/identity"
)

// WithNames returns a copy of a value in which users and actors without a name have the stored one. known returns the
// stored users by id. Every reply and page has its names from here: documents and events hold ids.
func WithNames[T any](value T, known func(ids []string) (map[string]identity.User, error)) (T, error) {
	named := value
	var n unnamed
	whole := reflect.ValueOf(&named).Elem()
	copied := whole
	if whole.Kind() == reflect.Interface && !whole.IsNil() {
		copied = reflect.New(whole.Elem().Type()).Elem()
		copied.Set(whole.Elem())
	}
	n.collect(copied)
	if len(n.users)+len(n.actors) == 0 {
		return value, nil
	}
	var ids []string
	for _, u := range n.users {
		ids = append(ids, u.ID)
	}
	for _, a := range n.actors {
		ids = append(ids, a.ID)
	}
	people, err := known(ids)
	if err != nil {
		return value, err
	}
	for _, u := range n.users {
		u.Name, u.Username = people[u.ID].Name, cmp.Or(u.Username, people[u.ID].Username)
	}
	for _, a := range n.actors {
		a.Name, a.Username = people[a.ID].Name, cmp.Or(a.Username, people[a.ID].Username)
	}
	whole.Set(copied)
	return named, nil
}

// unnamed holds the users and actors without a name in a copied value.
type unnamed struct {
	users  []*identity.User
	actors []*identity.ActorRef
}

// collect adds those in v, and copies what v refers to.
func (n *unnamed) collect(v reflect.Value) {
	if !v.CanSet() || !hasUsers(v.Type()) {
		return
	}
	switch at := v.Addr().Interface().(type) {
	case *identity.User:
		if at.Name == "" && at.ID != "" && !identity.IsSystemID(at.ID) {
			n.users = append(n.users, at)
		}
		return
	case *identity.ActorRef:
		if at.Name == "" && at.Kind != identity.ActorSystem {
			n.actors = append(n.actors, at)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			pointed := reflect.New(v.Type().Elem())
			pointed.Elem().Set(v.Elem())
			v.Set(pointed)
			n.collect(pointed.Elem())
		}
	case reflect.Slice:
		if !v.IsNil() {
			list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(list, v)
			v.Set(list)
			for i := range v.Len() {
				n.collect(v.Index(i))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n.collect(v.Field(i))
		}
	}
}

var typesWithUsers sync.Map // by reflect.Type

// hasUsers reports whether values of a type can contain users or actors that collect finds.
func hasUsers(t reflect.Type) bool {
	if known, ok := typesWithUsers.Load(t); ok {
		return known.(bool)
	}
	has := findsUsers(t, map[reflect.Type]bool{})
	typesWithUsers.Store(t, has)
	return has
}

func findsUsers(t reflect.Type, seen map[reflect.Type]bool) bool {
	switch t {
	case reflect.TypeFor[identity.User](), reflect.TypeFor[identity.ActorRef]():
		return true
	case reflect.TypeFor[identity.Actor](): // the caller
		return false
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return findsUsers(t.Elem(), seen)
	case reflect.Struct:
		for field := range t.Fields() {
			if field.IsExported() && findsUsers(field.Type, seen) {
				return true
			}
		}
	}
	return false
}
