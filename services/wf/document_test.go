package wf_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// fillAll sets every member, however deep, to a value of its own; users have names.
func fillAll(v reflect.Value, n *int) {
	*n++
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = time.UnixMilli(int64(1_700_000_000_000 + *n)).UTC()
		return
	case *json.RawMessage:
		*at = json.RawMessage(`{"n":1.50,"text":"<&>"}`)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("text" + strings.Repeat("x", *n%7))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillAll(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillAll(v.Index(0), n)
		fillAll(v.Index(1), n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillAll(key, n)
		fillAll(value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			fillAll(v.Field(i), n)
		}
		switch at := v.Addr().Interface().(type) {
		case *identity.User:
			*at = identity.User{ID: "id-" + strings.Repeat("u", *n%5), Username: "secret", Name: "Secret", Email: "secret@example.org"}
		case *identity.ActorRef:
			*at = identity.ActorRef{Kind: identity.ActorUser, ID: "actor", Username: "secret", Name: "Secret"}
		}
	}
}

func TestADocumentHasEveryMemberAndNoNames(t *testing.T) {
	var r wf.Request
	fillAll(reflect.ValueOf(&r).Elem(), new(int))
	r.ListedDue = time.Time{}
	for i := range r.Tasks {
		r.Tasks[i].RequestID = r.ID
	}
	document, err := r.Document()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(document.Summary) + string(document.Detail); strings.Contains(strings.ToLower(text), "secret") {
		t.Errorf("the document has a name: %s", text)
	}
	got, err := document.Request()
	if err != nil {
		t.Fatal(err)
	}
	people := r.Named()
	if u := people["actor"]; u.Name != "Secret" || len(people) < 2 {
		t.Errorf("people %+v", people)
	}
	for _, id := range r.Mentions() {
		if people[id].Name != "Secret" {
			t.Errorf("%s is mentioned without a name", id)
		}
	}
	got = got.WithNames(people)
	r.Chain, r.Encoded = audit.Chain{}, nil
	for i := range r.Stages { // a retry changes them without an event
		r.Stages[i].RetryAt, r.Stages[i].TimerAt, r.Stages[i].LastError = time.Time{}, time.Time{}, ""
	}
	if diff := cmp.Diff(r, got); diff != "" {
		t.Errorf("it comes back with another value (-want +got):\n%s", diff)
	}
	again, err := got.Document()
	if err != nil || again.Hash() != document.Hash() {
		t.Errorf("its hash changes: %s, %v", again, err)
	}
	if got := string(document.Context); got != `{"n":1.50,"text":"<&>"}` {
		t.Errorf("the content has other bytes: %s", got)
	}
	listed, err := wf.ReadSummary(document.Summary)
	if err != nil || listed.ID != r.ID || listed.Title != r.Title || listed.Stages != nil || listed.Context != nil {
		t.Errorf("the summary is %+v, %v", listed, err)
	}
}
