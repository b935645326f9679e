package store_test

import (
	"testing"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/services/wf/internal/store"
)

func open(t *testing.T, url string, o sqldb.Options) (*sqldb.DB, *store.Store) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := store.New(db)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db, s
}

func TestMigratingTwiceIsHarmless(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		_, s := open(t, url, sqldb.Options{})
		if err := s.Migrate(t.Context()); err != nil {
			t.Error(err)
		}
		if err := s.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
