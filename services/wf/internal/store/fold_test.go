package store_test

import (
	"testing"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// SQLite ignored the case of ASCII letters only, PostgreSQL that of its locale.
func TestPeopleAreFoundInAnyCaseAndForm(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		meet := func(u identity.User) {
			t.Helper()
			must(t, f.Do(t.Context(), func(tx *store.Tx) error { tx.Meet(u); return nil }))
		}
		meet(identity.User{ID: "Ü-1", Username: "inès", Name: "Ine\u0300s STRAUẞ"})
		meet(identity.User{ID: "u2", Username: "Ωmega"})
		meet(identity.User{ID: "u2", Name: "Later"}) // the username stays
		for text, want := range map[string][]string{
			"INÈS": {"Ü-1"}, "ine\u0300s s": {"Ü-1"}, "strauss": {"Ü-1"}, "ü": {"Ü-1"}, "ωMEGA": {"u2"}, "lAT": {"u2"}, "ines": nil, "_": nil,
		} {
			found, err := f.People(t.Context(), text, 10)
			same(t, text, want, sorted(found, func(u identity.User) string { return u.ID }), err)
		}
	})
}
