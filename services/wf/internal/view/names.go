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
	given := reflect.ValueOf(value)
	if !given.IsValid() { // a nil interface
		return value, nil
	}
	copied := reflect.New(given.Type()).Elem()
	copied.Set(given)
	var n unnamed
	if n.collect(copied); len(n) == 0 {
		return value, nil
	}
	people, err := known(List(n, func(p person) string { return p.id }))
	if err != nil {
		return value, err
	}
	for _, p := range n {
		*p.name, *p.username = people[p.id].Name, cmp.Or(*p.username, people[p.id].Username)
	}
	return copied.Interface().(T), nil
}

// person is the id of a user or actor, and the places of their names.
type person struct {
	id             string
	name, username *string
}

// unnamed holds the users and actors without a name in a copied value.
type unnamed []person

// collect adds those in v, and copies what v refers to.
func (n *unnamed) collect(v reflect.Value) {
	if !v.CanSet() || !hasUsers(v.Type()) {
		return
	}
	switch at := v.Addr().Interface().(type) {
	case *identity.User:
		if at.Name == "" && at.ID != "" && !identity.IsSystemID(at.ID) {
			*n = append(*n, person{at.ID, &at.Name, &at.Username})
		}
		return
	case *identity.ActorRef:
		if at.Name == "" && at.Kind != identity.ActorSystem {
			*n = append(*n, person{at.ID, &at.Name, &at.Username})
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
