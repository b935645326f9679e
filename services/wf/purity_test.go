package wf_test

import (
	"maps"
	"reflect"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/policy"
)

// The domain calls no other component: the input of a transition is data. A function, a channel
// or an interface value in it could block or do I/O. The programs of a definition are bounded and local.
func TestTransitionsTakeDataAlone(t *testing.T) {
	transitions := map[string]reflect.Type{
		"NewRequest": reflect.TypeOf(wf.NewRequest), "AddComment": reflect.TypeOf(wf.AddComment), "Cancel": reflect.TypeOf(wf.Cancel),
		"Claim": reflect.TypeOf(wf.Claim), "Consume": reflect.TypeOf(wf.Consume), "Decide": reflect.TypeOf(wf.Decide),
		"MoveDueDate": reflect.TypeOf(wf.MoveDueDate), "Reassign": reflect.TypeOf(wf.Reassign), "Resubmit": reflect.TypeOf(wf.Resubmit),
		"Revoke": reflect.TypeOf(wf.Revoke), "Sweep": reflect.TypeOf(wf.Sweep), "Unclaim": reflect.TypeOf(wf.Unclaim),
		"WarnOfEnd": reflect.TypeOf(wf.WarnOfEnd),
	}
	request := reflect.TypeFor[wf.Request]()
	for i := range request.NumMethod() {
		m := request.Method(i)
		transitions["Request."+m.Name] = m.Type
	}
	data := map[reflect.Type]bool{reflect.TypeFor[policy.Programs](): true, reflect.TypeFor[wf.Step](): true}
	for name, transition := range transitions {
		for i := range transition.NumIn() {
			for _, found := range callable(transition.In(i), maps.Clone(data)) {
				t.Errorf("%s takes %s: %s", name, transition.In(i), found)
			}
		}
	}
}

func TestPurityCheckFindsNestedCallables(t *testing.T) {
	type inner struct{ F func() }
	type holder struct{ Hidden map[string][]*inner }
	for _, bad := range []any{func() {}, holder{}, make(chan int), []error{}, [1]any{}, map[error]int{}, struct{ time any }{}} {
		if len(callable(reflect.TypeOf(bad), map[reflect.Type]bool{})) == 0 {
			t.Errorf("%T passes for data", bad)
		}
	}
	for _, good := range []any{1, "", []byte{}, wf.Task{}, noon, map[string]*refusal.Error{}} {
		if found := callable(reflect.TypeOf(good), map[reflect.Type]bool{}); len(found) > 0 {
			t.Errorf("%T: %v", good, found)
		}
	}
}

// callable lists the members of a type that are not data.
func callable(typ reflect.Type, seen map[reflect.Type]bool) []string {
	if seen[typ] {
		return nil
	}
	seen[typ] = true
	switch typ.Kind() {
	case reflect.Func, reflect.Chan, reflect.Interface, reflect.UnsafePointer:
		return []string{typ.String()}
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return callable(typ.Elem(), seen)
	case reflect.Map:
		return append(callable(typ.Key(), seen), callable(typ.Elem(), seen)...)
	case reflect.Struct:
		var found []string
		for i := range typ.NumField() {
			field := typ.Field(i)
			for _, path := range callable(field.Type, seen) {
				found = append(found, field.Name+" "+path)
			}
		}
		return found
	default:
		return nil
	}
}
