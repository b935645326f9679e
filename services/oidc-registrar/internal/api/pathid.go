package api

import (
	"reflect"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// pathID is a field of an input that holds an id of its path, and why an id that nothing
// can have is refused.
type pathID struct {
	field  []int
	reason registrar.Reason
}

// idList is the ids of a path.
type idList []pathID

// pathIDs returns the ids in the path of an input. A PUT of the catalogue makes the entry
// that it names, and has a rule for its id.
func pathIDs[I any](method string) (ids idList) {
	reasons := map[string]registrar.Reason{"client_id": registrar.ClientNotFound}
	if method != put {
		reasons["policyId"], reasons["partnerId"] = registrar.PolicyNotFound, registrar.PartnerNotFound
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[I]()) {
		if reason := reasons[f.Tag.Get("path")]; reason != "" {
			ids = append(ids, pathID{f.Index, reason})
		}
	}
	return ids
}

// check refuses an input with an id that nothing can have, before anything looks for it.
func (l idList) check(in any) error {
	v := reflect.ValueOf(in).Elem()
	for _, id := range l {
		if !registrar.PossibleID(v.FieldByIndex(id.field).String()) {
			return registrar.Refuse(id.reason, `nothing has the id in the path: an id has 1 to 100 visible characters, without / and \`)
		}
	}
	return nil
}
