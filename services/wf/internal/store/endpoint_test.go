package store_test

import (
	"errors"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// newEndpoint returns an enabled endpoint that hears of everything.
func (f *fixture) newEndpoint(name string) wf.Endpoint {
	return wf.Endpoint{
		ID: newID(), Name: name, URL: "https://e.example/" + name, Events: []string{"*"}, PolicyKeys: []string{"*"},
		Signature: wf.SignHMAC, Enabled: true, CreatedAt: f.clock(), UpdatedAt: f.clock(), Rev: 1,
	}
}

// addEndpoint writes an endpoint as newEndpoint makes it, with changes.
func (f *fixture) addEndpoint(name string, changes ...func(*wf.Endpoint)) wf.Endpoint {
	f.t.Helper()
	e := f.newEndpoint(name)
	for _, change := range changes {
		change(&e)
	}
	f.do(func(tx *store.Tx) error { return tx.AddEndpoint(e) })
	return e
}

// target is the endpoint of the name, which is added when there is none.
func (f *fixture) target(name string) wf.Target {
	f.t.Helper()
	list, _, err := f.Endpoints(f.t.Context(), store.EndpointFilter{Search: name}, store.Page{})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, e := range list {
		if e.Name == name {
			return e.Target()
		}
	}
	return f.addEndpoint(name).Target()
}

func TestAnEndpointComesBackAsItWasWritten(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		fill := &filler{t: t}
		var added, changed wf.Endpoint
		fill.fill(&added)
		fill.fill(&changed)
		added.ID, added.Signature, added.Enabled = newID(), wf.SignBoth, false
		changed.ID, changed.Signature = added.ID, wf.SignEd25519
		f.do(func(tx *store.Tx) error { return tx.AddEndpoint(added) })
		got, err := f.ReadEndpoint(t.Context(), added.ID)
		same(t, "added", added, got, err)
		f.do(func(tx *store.Tx) error {
			before, err := tx.Endpoint(added.ID)
			same(t, "locked", added, before, err)
			return tx.PutEndpoint(before, changed)
		})
		got, err = f.ReadEndpoint(t.Context(), added.ID)
		same(t, "changed", changed, got, err)
		f.do(func(tx *store.Tx) error {
			list, err := tx.Endpoints()
			same(t, "list", []wf.Endpoint{changed}, list, err)
			return nil
		})
		for _, id := range []string{newID(), "", "x"} {
			if _, err := f.ReadEndpoint(t.Context(), id); !errors.Is(err, wf.EndpointNotFound) {
				t.Errorf("endpoint %q: %v", id, err)
			}
		}
	})
}
