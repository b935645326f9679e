package strictjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Decode decodes a document into v as encoding/json does, with further errors: a document that
// Check refuses, a member that differs from one of v only in letter case, and null as the document
// or as an element of a list, which would become a zero value. It ignores other unknown members,
// and treats null for a member as absent.
func Decode(data []byte, l Limits, v any) error {
	if err := Check(data, l); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return err
	}
	if tree == nil {
		return errors.New("the document is null")
	}
	if err := checkSpelling(tree, reflect.TypeOf(v)); err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// checkSpelling returns the errors of Decode beyond Check in a value for type t.
func checkSpelling(value any, t reflect.Type) error {
	for t.Kind() == reflect.Pointer && !t.Implements(unmarshaler) {
		t = t.Elem()
	}
	if t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler) {
		return nil // the type decodes its own bytes
	}
	switch value := value.(type) {
	case []any:
		if t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
			return nil // json.Unmarshal reports it
		}
		for i, element := range value {
			if element == nil {
				return fmt.Errorf("element %d of a list is null", i)
			}
			if err := checkSpelling(element, t.Elem()); err != nil {
				return err
			}
		}
	case map[string]any:
		switch t.Kind() {
		case reflect.Map:
			for _, member := range value {
				if err := checkSpelling(member, t.Elem()); err != nil {
					return err
				}
			}
		case reflect.Struct:
			return spelledMembers(value, t)
		}
	}
	return nil
}

func spelledMembers(object map[string]any, t reflect.Type) error {
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" || field.Anonymous && name == "" {
			continue
		}
		name = cmp.Or(name, field.Name)
		for member, value := range object {
			if member == name {
				if err := checkSpelling(value, field.Type); err != nil {
					return err
				}
			} else if strings.EqualFold(member, name) {
				return fmt.Errorf("a member is spelled unlike %q", name)
			}
		}
	}
	return nil
}
