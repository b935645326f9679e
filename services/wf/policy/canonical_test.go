package policy_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/policy"
)

// emptyLists calls visit with each list and map below v while it is empty, and the structures that contain it have
// nothing else.
func emptyLists(v reflect.Value, path string, visit func(path string, list reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name = path + "/" + name; options == "" {
				name += " (required)"
			}
			emptyLists(v.Field(i), name, visit)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		emptyLists(v.Elem(), path, visit)
		v.SetZero()
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			return // stored as given
		}
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		visit(path, v)
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		emptyLists(v.Index(0), path+"/0", visit)
		v.SetZero()
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		visit(path, v)
		v.SetZero()
	}
}

func TestTheCanonicalFormDropsEmptyLists(t *testing.T) {
	var d policy.Definition
	encode := func(d policy.Definition) string {
		raw, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	visited := 0
	emptyLists(reflect.ValueOf(&d).Elem(), "", func(path string, list reflect.Value) {
		visited++
		empty := encode(d)
		var stored policy.Definition
		if err := json.Unmarshal([]byte(empty), &stored); err != nil {
			t.Fatal(err)
		}
		if again := encode(stored); again != empty {
			t.Errorf("%s: %s becomes %s when it is stored and read", path, empty, again)
		}
		list.SetZero()
		if absent := encode(d); absent != empty && !strings.HasSuffix(path, "(required)") {
			t.Errorf("%s: %s, but %s without the list", path, empty, absent)
		}
	})
	if visited < 30 {
		t.Errorf("visited %d lists", visited)
	}
}
