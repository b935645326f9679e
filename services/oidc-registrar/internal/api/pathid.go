package api

import (
	"reflect"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// pathID is an input field with an id from the path, and the reason for an impossible id.
type pathID struct {
	field  []int
	reason registrar.Reason
}

// idList lists the ids of a path.
type idList []pathID

// pathIDs returns the id fields in the path of an input. It omits those of a PUT of the catalogue,
// which creates the entry and has its own rule for the id.
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

// check refuses an input with an impossible id before any query.
func (l idList) check(in any) error {
	v := reflect.ValueOf(in).Elem()
	for _, id := range l {
		if !registrar.PossibleID(v.FieldByIndex(id.field).String()) {
			return refusal.New(id.reason, `nothing has the id in the path: an id has 1 to 100 visible characters, without / and \`)
		}
	}
	return nil
}
