package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// addEvents adds old and new events of an existing and of a deleted client.
func addEvents(t *testing.T, s *store.Store) {
	t.Helper()
	add(t, s, client(t, 1))
	var all []error
	do(t, s, func(tx *store.Tx) error {
		all = nil
		for _, when := range []time.Time{at, tx.Now()} {
			for _, e := range []registrar.Event{
				{ClientID: "c001", Type: registrar.EventClientActivated},
				{ClientID: "c001", Type: registrar.EventClientRefused, Reason: registrar.DuplicateKey},
				{ClientID: "gone", Type: registrar.EventClientRegistered},
				{Type: registrar.EventClientRefused},
			} {
				e.Actor, e.At = "ana", when
				all = append(all, tx.AddEvent(e))
			}
		}
		return errors.Join(all...)
	})
}

func TestPurgeDeletesOldRefusalsAndEventsOfDeletedClients(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, db *sqldb.DB) {
		addEvents(t, s)
		kinds := func() string {
			var list []string
			if err := db.Read(t.Context()).Raw(
				"SELECT client_id || ' ' || type FROM client_event WHERE type <> 'purged' ORDER BY seq").Scan(
				&list).Error; err != nil {
				t.Fatal(err)
			}
			return strings.Join(list, ", ")
		}
		before := at.Add(time.Hour)
		n, err := s.CountOldEvents(t.Context(), before)
		if err != nil || n != 3 {
			t.Errorf("%d events to purge, %v; want 3", n, err)
		}
		for _, want := range []int{2, 1, 0} {
			do(t, s, func(tx *store.Tx) error {
				n, err := tx.PurgeEvents(before, 2)
				if n != want {
					t.Errorf("%d events purged, want %d", n, want)
				}
				return err
			})
		}
		if got, want := kinds(), "c001 activated, c001 activated, c001 refused, gone registered,  refused"; got != want {
			t.Errorf("left: %s\nwant: %s", got, want)
		}
		var stones []struct{ Purged, PurgedLastSeq int64 }
		if err := db.Read(t.Context()).Raw(
			"SELECT purged, purged_last_seq FROM client_event WHERE type = 'purged' ORDER BY seq").Scan(
			&stones).Error; err != nil {
			t.Fatal(err)
		}
		if len(stones) != 2 || stones[0].Purged != 2 || stones[1].Purged != 1 || stones[0].PurgedLastSeq >= stones[1].PurgedLastSeq {
			t.Errorf("their tombstones: %+v", stones)
		}
		// Events of clients, younger events and other tombstones stay, whatever the filter.
		for _, which := range []string{"type = 'activated'", "type = 'refused'", "type = 'purged'", "type = 'registered'"} {
			err := db.Read(t.Context()).Exec("DELETE FROM client_event WHERE " + which).Error
			if err == nil || !strings.Contains(err.Error(), "insert only") {
				t.Errorf("%s: %v", which, err)
			}
		}
	})
}

func TestTheServicesOwnRoleCannotTouchTheTrail(t *testing.T) {
	url := schema.Postgres(t)
	open := func(url string) (*store.Store, *sqldb.DB) {
		db, err := sqldb.Open(t.Context(), url, sqldb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return store.New(db), db
	}
	owner, _ := open(url)
	role, _ := sqldbtest.Roles(t, url, store.Schema())
	app, db := open(role)
	addEvents(t, app)
	do(t, app, func(tx *store.Tx) error { return tx.RemoveClient("c001") })
	for _, err := range []error{app.Ping(t.Context()), db.TryWrite(t.Context())} {
		if err != nil {
			t.Error(err)
		}
	}
	for _, statement := range []string{
		"DELETE FROM client_event", "UPDATE client_event SET actor = ''", "TRUNCATE client_event", "DROP TRIGGER client_event_purged ON client_event",
		"DELETE FROM partner", "DELETE FROM policy", "CREATE TABLE mine (id text)", "UPDATE goose_db_version SET is_applied = false",
	} {
		err := db.Read(t.Context()).Exec(statement).Error
		if err == nil || !strings.Contains(err.Error(), "permission denied") && !strings.Contains(err.Error(), "must be owner") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	purge := func(tx *store.Tx) error { _, err := tx.PurgeEvents(at.Add(time.Hour), 10); return err }
	if err := app.Do(t.Context(), purge); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("the service's own role purges: %v", err)
	}
	do(t, owner, purge)
}
