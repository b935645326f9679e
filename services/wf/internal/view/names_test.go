package view_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
)

type inner struct {
	By    *identity.User
	List  []identity.User
	Actor *identity.ActorRef
}

type outer struct {
	identity.User
	Inner  []*inner
	Caller identity.Actor
	Note   json.RawMessage
}

func TestNamesAreAddedToACopy(t *testing.T) {
	known := func(ids []string) (map[string]identity.User, error) {
		slices.Sort(ids)
		if want := []string{"a", "b", "c", "d"}; !slices.Equal(ids, want) {
			t.Errorf("asked for %v, want %v", ids, want)
		}
		return map[string]identity.User{"a": {ID: "a", Name: "A"}, "b": {ID: "b", Name: "B", Username: "b.x"},
			"c": {ID: "c", Name: "C"}, "d": {ID: "d"}}, nil
	}
	value := outer{User: identity.User{ID: "a"}, Caller: identity.Actor{User: identity.User{ID: "e"}}, Inner: []*inner{nil, {
		By: &identity.User{ID: "b", Username: "b.y"}, List: []identity.User{{ID: "c"}, {ID: "f", Name: "F"}, {ID: "system:policy"}, {}},
		Actor: &identity.ActorRef{ID: "d", Kind: identity.ActorUser},
	}}}
	before, _ := json.Marshal(value)
	named, err := view.WithNames(any(value), known)
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := json.Marshal(value); string(after) != string(before) {
		t.Errorf("the value changed to %s", after)
	}
	got := named.(outer)
	in := got.Inner[1]
	if got.Name != "A" || *in.By != (identity.User{ID: "b", Name: "B", Username: "b.y"}) || in.List[0].Name != "C" ||
		in.List[1].Name != "F" || in.Actor.Name != "" {
		t.Errorf("%+v, %+v", got, in)
	}
	if nothing, err := view.WithNames(any(nil), known); nothing != nil || err != nil {
		t.Errorf("nothing becomes %v, %v", nothing, err)
	}
	down := errors.New("down")
	if _, err := view.WithNames(value, func([]string) (map[string]identity.User, error) { return nil, down }); !errors.Is(err, down) {
		t.Errorf("error %v", err)
	}
}
