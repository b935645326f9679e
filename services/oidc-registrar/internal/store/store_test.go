package store_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/work"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

var schema = sqldbtest.Schema{Migrate: func(ctx context.Context, db *sqldb.DB) error { return store.New(db).Migrate(ctx) }}

func TestMain(m *testing.M) { os.Exit(schema.Run(m)) }

// each runs fn on an empty store of either kind.
func each(t *testing.T, fn func(t *testing.T, s *store.Store, db *sqldb.DB)) {
	t.Helper()
	schema.Each(t, func(t *testing.T, url string) {
		db, err := sqldb.Open(t.Context(), url, sqldb.Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		s := store.New(db)
		if err := s.Migrate(t.Context()); err != nil { // it finds nothing to do
			t.Fatal(err)
		}
		fn(t, s, db)
	})
}

// do runs fn in a transaction that must succeed.
func do(t *testing.T, s *store.Store, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := s.Do(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

var at = time.Date(2026, 3, 1, 12, 0, 0, 1e6, time.UTC)

// filled returns a T in which no field is zero, so that a forgotten column shows.
func filled[T any](t *testing.T) T {
	t.Helper()
	var v T
	fill(t, reflect.ValueOf(&v).Elem(), "x")
	return v
}

func fill(t *testing.T, v reflect.Value, text string) {
	t.Helper()
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(at))
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(7)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), text+"é\"0")
		fill(t, v.Index(1), text+"1")
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), text)
	case v.Kind() == reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{text: "é\"0"}))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(t, v.Field(i), text+v.Type().Field(i).Name)
			}
		}
	default:
		t.Fatalf("fill does not support %s", v.Type())
	}
}

// client returns a client of a number, with everything filled in.
func client(t *testing.T, n int) registrar.Client {
	t.Helper()
	c := filled[registrar.Client](t)
	c.API, c.Status, c.Rev = registrar.ProviderAPI, registrar.ClientActive, 1
	c.ID, c.Key.Thumbprint = fmt.Sprintf("c%03d", n), fmt.Sprintf("k%03d", n)
	for i := range c.OtherKeys {
		c.OtherKeys[i].Thumbprint = fmt.Sprintf("o%03d-%d", n, i)
	}
	c.CreatedAt = at.Add(time.Duration(n/3) * time.Millisecond) // some at the same time
	return c
}

func add(t *testing.T, s *store.Store, clients ...registrar.Client) {
	t.Helper()
	for _, c := range clients {
		do(t, s, func(tx *store.Tx) error { return tx.AddClient(c, nil) })
	}
}

func TestAClientComesBackAsItWasStored(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *sqldb.DB) {
		c := client(t, 1)
		add(t, s, c)
		got, err := s.Client(t.Context(), c.ID)
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Fatalf("got  %+v, %v\nwant %+v", got, err, c)
		}
		empty := registrar.Client{ID: "e", API: registrar.PartnerAPI, Status: registrar.ClientPending, Key: registrar.Key{Thumbprint: "e"}, Rev: 1}
		add(t, s, empty)
		if got, err := s.Client(t.Context(), "e"); err != nil || got.UserClaims == nil || len(got.UserClaims) != 0 {
			t.Errorf("a missing list is read as %#v, %v; want an empty one", got.UserClaims, err)
		}
		for _, id := range []string{"nobody", "", "\x00", "\xff"} {
			if _, err := s.Client(t.Context(), id); !errors.Is(err, registrar.ClientNotFound) {
				t.Errorf("client %q: %v", id, err)
			}
		}
		do(t, s, func(tx *store.Tx) error {
			before, err := tx.Client(c.ID)
			if err != nil {
				return err
			}
			changed := filled[registrar.Client](t)
			changed.ID, changed.API, changed.Status, changed.Rev = before.ID, registrar.PartnerAPI, registrar.ClientInactive, 2
			changed.Name = "another"
			c = changed
			return tx.PutClient(before, changed)
		})
		if got, err := s.Client(t.Context(), c.ID); err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("got  %+v, %v\nwant %+v", got, err, c)
		}
	})
}

func TestAWriterOfAnOldRevisionHasLost(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *sqldb.DB) {
		c := client(t, 1)
		add(t, s, c)
		after := c
		after.Name, after.Rev = "b", 2
		do(t, s, func(tx *store.Tx) error { return tx.PutClient(c, after) })
		err := s.Do(t.Context(), func(tx *store.Tx) error { return tx.PutClient(c, after) })
		if !errors.Is(err, registrar.StaleClient) {
			t.Errorf("error = %v", err)
		}
	})
}

func TestIDAndKeyAreUnique(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *sqldb.DB) {
		add(t, s, client(t, 1))
		sameID, sameKey := client(t, 2), client(t, 3)
		sameID.ID, sameKey.Key.Thumbprint = "c001", "k001"
		for want, c := range map[registrar.Reason]registrar.Client{registrar.DuplicateClientID: sameID, registrar.DuplicateKey: sameKey} {
			err := s.Do(t.Context(), func(tx *store.Tx) error { return tx.AddClient(c, nil) })
			if !errors.Is(err, want) {
				t.Errorf("error = %v, want %s", err, want)
			}
		}
		otherKey := client(t, 4)
		otherKey.Key.Thumbprint = client(t, 1).OtherKeys[0].Thumbprint
		err := s.Do(t.Context(), func(tx *store.Tx) error { return tx.AddClient(otherKey, nil) })
		if !errors.Is(err, registrar.DuplicateKey) {
			t.Errorf("a further key of another client: %v", err)
		}
		do(t, s, func(tx *store.Tx) error { return tx.RemoveClient("c001") })
		add(t, s, sameID) // a removed client's id and key are free again
		add(t, s, sameKey)
	})
}

func TestRegistrationConflictsIncludeClientsAndCatalogueEntries(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *sqldb.DB) {
		partner, policy := filled[registrar.Partner](t), filled[registrar.Policy](t)
		partner.Status, policy.Status = registrar.EntryActive, registrar.EntryInactive
		mapping := registrar.Mapping{PartnerID: partner.ID, PolicyID: policy.ID, Status: registrar.MappingRevoked}
		reg := registrar.Client{API: registrar.PartnerAPI, ID: "c001", Key: registrar.Key{Thumbprint: "k002"}, PartnerID: partner.ID, PolicyID: policy.ID}
		survey := func(r registrar.Client) (found store.Conflicts) {
			t.Helper()
			do(t, s, func(tx *store.Tx) (err error) { found, err = tx.Conflicts(r); return err })
			return found
		}
		if found := survey(reg); !reflect.DeepEqual(found, store.Conflicts{}) {
			t.Errorf("an empty database has %+v", found)
		}
		one, two := client(t, 1), client(t, 2)
		add(t, s, one, two, client(t, 3))
		do(t, s, func(tx *store.Tx) error {
			return errors.Join(tx.Catalog.PutPartner(partner), tx.Catalog.PutPolicy(policy), tx.Catalog.PutMapping(mapping))
		})
		found := survey(reg)
		want := store.Conflicts{Existing: found.Existing, Partner: &partner, Policy: &policy, Mapping: &mapping}
		if !reflect.DeepEqual(found, want) || len(found.Existing) != 2 ||
			!slices.ContainsFunc(found.Existing, func(c registrar.Client) bool { return reflect.DeepEqual(c, two) }) {
			t.Errorf("got  %+v\nwant %+v", found, want)
		}
		reg.API = registrar.ProviderAPI
		if found := survey(reg); found.Partner != nil || len(found.Existing) != 2 {
			t.Errorf("the provider interface reads the catalogue: %+v", found)
		}
	})
}

func TestPagesMissNothingWhileClientsCome(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *sqldb.DB) {
		for n := range 20 {
			add(t, s, client(t, n))
		}
		var ids []string
		page := registrar.Page{Limit: 3}
		for n := 20; ; n++ {
			found, next, err := s.Clients(t.Context(), registrar.ClientFilter{}, page)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range found {
				ids = append(ids, c.ID)
			}
			if next == "" {
				break
			}
			if len(ids) > 100 {
				t.Fatal("the list does not end")
			}
			page.Cursor = next
			add(t, s, client(t, n))
		}
		if len(ids) != 20 || !slices.IsSortedFunc(ids, func(a, b string) int { return strings.Compare(b, a) }) {
			t.Errorf("%d clients in the order %s", len(ids), ids)
		}
		for _, cursor := range []string{"!", "e30K!", "bnVsbA==", "WzFd"} {
			if _, _, err := s.Clients(t.Context(), registrar.ClientFilter{}, registrar.Page{Cursor: cursor}); !errors.Is(err, registrar.InvalidRequest) {
				t.Errorf("cursor %q: %v", cursor, err)
			}
		}
	})
}

func TestClientsAreFiltered(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *sqldb.DB) {
		a, b := client(t, 1), client(t, 2)
		a.PartnerID, a.PolicyID, a.Status, a.Name = "p1", "q1", registrar.ClientFailed, "100% Sure_Thing"
		b.PartnerID, b.PolicyID, b.Name = "p2", "q2", "Other"
		add(t, s, a, b)
		for _, tt := range []struct {
			filter registrar.ClientFilter
			want   []string
		}{
			{registrar.ClientFilter{}, []string{"c002", "c001"}},
			{registrar.ClientFilter{PartnerID: "p1"}, []string{"c001"}},
			{registrar.ClientFilter{PolicyID: "q2"}, []string{"c002"}},
			{registrar.ClientFilter{Status: registrar.ClientFailed}, []string{"c001"}},
			{registrar.ClientFilter{PartnerID: "p1", PolicyID: "q2"}, nil},
			{registrar.ClientFilter{Q: "sure_th"}, []string{"c001"}},
			{registrar.ClientFilter{Q: "C00"}, []string{"c002", "c001"}},
			{registrar.ClientFilter{Q: "0%"}, []string{"c001"}},
			{registrar.ClientFilter{Q: "e_t"}, []string{"c001"}},
			{registrar.ClientFilter{Q: `\`}, nil},
			{registrar.ClientFilter{Q: "\x00", PartnerID: "\xff"}, nil},
		} {
			found, _, err := s.Clients(t.Context(), tt.filter, registrar.Page{})
			var got []string
			for _, c := range found {
				got = append(got, c.ID)
			}
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%+v: %q, %v; want %q", tt.filter, got, err, tt.want)
			}
		}
	})
}

func TestEventsAreKeptForGood(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, db *sqldb.DB) {
		event := filled[registrar.Event](t)
		event.ClientID, event.Type = "c001", registrar.EventClientUpdated
		refusal := registrar.Event{ClientID: "c001", Type: registrar.EventClientRefused, Actor: "eve", At: at, Reason: registrar.DuplicateKey}
		other := registrar.Event{ClientID: "c002", Type: registrar.EventClientRegistered, Actor: "ana", At: at}
		add(t, s, client(t, 1))
		do(t, s, func(tx *store.Tx) error {
			return errors.Join(tx.AddEvent(event), tx.AddEvent(refusal), tx.AddEvent(other))
		})
		do(t, s, func(tx *store.Tx) error { return tx.RemoveClient("c001") })

		found, next, err := s.Events(t.Context(), registrar.EventFilter{ClientID: "c001"}, registrar.Page{Limit: 1})
		if err != nil || len(found) != 1 || !reflect.DeepEqual(found[0], event) {
			t.Fatalf("got  %+v, %v\nwant %+v", found, err, event)
		}
		found, next, err = s.Events(t.Context(), registrar.EventFilter{ClientID: "c001"}, registrar.Page{Limit: 1, Cursor: next})
		if err != nil || next != "" || len(found) != 1 || found[0].Reason != registrar.DuplicateKey {
			t.Errorf("second page: %+v, %q, %v", found, next, err)
		}
		found, _, err = s.Events(t.Context(), registrar.EventFilter{ClientID: "c001", Reader: "ana"}, registrar.Page{})
		if err != nil || len(found) != 1 || found[0].Type != registrar.EventClientUpdated {
			t.Errorf("ana sees %+v, %v", found, err)
		}
		for _, change := range []string{"UPDATE client_event SET actor = 'x'", "DELETE FROM client_event"} {
			if err := db.Read(t.Context()).Exec(change).Error; err == nil || !strings.Contains(err.Error(), "insert only") {
				t.Errorf("%s: %v", change, err)
			}
		}
	})
}

func TestTheCatalogueIsWrittenOverAndListed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *sqldb.DB) {
		partner, policy := filled[registrar.Partner](t), filled[registrar.Policy](t)
		partner.Status, policy.Status = registrar.EntryActive, registrar.EntryActive
		mapping := registrar.Mapping{PartnerID: partner.ID, PolicyID: policy.ID, Status: registrar.MappingApproved}
		for range 2 {
			do(t, s, func(tx *store.Tx) error {
				return errors.Join(tx.Catalog.PutPartner(partner), tx.Catalog.PutPolicy(policy), tx.Catalog.PutMapping(mapping))
			})
			gotPartner, err1 := s.Partner(t.Context(), partner.ID)
			gotPolicy, err2 := s.Policy(t.Context(), policy.ID)
			gotMappings, err3 := s.Mappings(t.Context(), partner.ID)
			if err := errors.Join(err1, err2, err3); err != nil || gotPartner != partner ||
				!reflect.DeepEqual(gotPolicy, policy) || !slices.Equal(gotMappings, []registrar.Mapping{mapping}) {
				t.Fatalf("%+v %+v %+v, %v", gotPartner, gotPolicy, gotMappings, err)
			}
			partner.Name, policy.Name, mapping.Status = "new", "new", registrar.MappingRevoked
		}
		do(t, s, func(tx *store.Tx) error {
			return tx.Catalog.PutPartner(registrar.Partner{ID: "a", Status: registrar.EntryActive})
		})
		first, next, err := s.Partners(t.Context(), nil, registrar.Page{Limit: 1})
		second, last, err2 := s.Partners(t.Context(), nil, registrar.Page{Limit: 1, Cursor: next})
		if errors.Join(err, err2) != nil || first[0].ID != "a" || second[0].ID != partner.ID || last != "" {
			t.Errorf("%+v %+v, %v %v", first, second, err, err2)
		}
		if only, _, err := s.Partners(t.Context(), []string{partner.ID}, registrar.Page{}); err != nil || len(only) != 1 {
			t.Errorf("%+v, %v", only, err)
		}
		if policies, _, err := s.Policies(t.Context(), registrar.Page{}); err != nil || len(policies) != 1 {
			t.Errorf("%+v, %v", policies, err)
		}

		none := map[registrar.Reason]func(tx *store.Tx) error{
			registrar.PartnerNotFound: func(tx *store.Tx) error {
				return tx.Catalog.PutMapping(registrar.Mapping{PartnerID: "x", PolicyID: policy.ID})
			},
			registrar.PolicyNotFound: func(tx *store.Tx) error {
				return tx.Catalog.PutMapping(registrar.Mapping{PartnerID: "a", PolicyID: "x"})
			},
			registrar.MappingNotFound: func(tx *store.Tx) error {
				return tx.Catalog.WithdrawMapping(registrar.Mapping{PartnerID: "a", PolicyID: policy.ID, Status: registrar.MappingRevoked}, "ana")
			},
		}
		for want, fn := range none {
			if err := s.Do(t.Context(), fn); !errors.Is(err, want) {
				t.Errorf("error = %v, want %s", err, want)
			}
		}
		do(t, s, func(tx *store.Tx) error {
			return tx.Catalog.WithdrawMapping(registrar.Mapping{PartnerID: partner.ID, PolicyID: policy.ID, Status: registrar.MappingRevoked}, "ana")
		})
	})
}

// pending returns a call of an unknown process whose lease began before a time.
func pending(call registrar.Call, wanted registrar.Update, tx *store.Tx, before time.Duration) store.Lease {
	return store.NewCall(call, wanted, "ana", tx.Now()).Begin("", tx.Now().Add(-before))
}

// The lease itself is tested in package workdb.
func TestACallIsLeasedAndEnds(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *sqldb.DB) {
		wanted := filled[registrar.Update](t)
		add(t, s, client(t, 1))
		call := registrar.Call{ClientID: "c001", Kind: registrar.CallUpdate}
		enqueue := func(before time.Duration) (l store.Lease, err error) {
			err = s.Do(t.Context(), func(tx *store.Tx) error {
				l = pending(call, wanted, tx, before)
				return tx.Enqueue(l, "")
			})
			return l, err
		}
		take := func(want int) store.Lease {
			t.Helper()
			var taken []store.Lease
			do(t, s, func(tx *store.Tx) (err error) { taken, err = tx.TakeDue(10, ""); return err })
			if len(taken) != want {
				t.Fatalf("%d calls taken, want %d", len(taken), want)
			}
			return append(taken, store.Lease{})[0]
		}
		held, err := enqueue(work.LeaseTime)
		if err != nil {
			t.Fatal(err)
		}
		got := take(1)
		if !reflect.DeepEqual(got.Wanted, wanted) || got.Kind != call.Kind || got.Attempts != 2 || got.Actor != "ana" || !got.TakenOver ||
			got.Prior != registrar.PriorUnknown {
			t.Fatalf("taken %+v", got)
		}
		take(0)
		for name, fn := range map[string]func(tx *store.Tx) error{
			"settled":   func(tx *store.Tx) error { return tx.Settle(held) },
			"postponed": func(tx *store.Tx) error { return tx.Postpone(held, held.Call) },
		} {
			if err := s.Do(t.Context(), fn); !errors.Is(err, store.ErrLeaseLost) {
				t.Errorf("%s without a lease: %v", name, err)
			}
		}
		if _, err := enqueue(0); !errors.Is(err, registrar.StaleClient) {
			t.Errorf("a call under way was replaced: %v", err)
		}
		do(t, s, func(tx *store.Tx) error {
			next := got.Call
			next.DueAt, next.Attempts = tx.Now(), 4
			return tx.Postpone(got, next)
		})
		if got = take(1); got.Attempts != 5 || got.TakenOver {
			t.Errorf("after the delay: %+v", got)
		}
		do(t, s, func(tx *store.Tx) error { return tx.Settle(got) })
		take(0)
		if _, err := enqueue(work.LeaseTime); err != nil {
			t.Fatal(err)
		}
		if _, err := enqueue(work.LeaseTime); err != nil { // one without a lease is replaced
			t.Fatal(err)
		}
		do(t, s, func(tx *store.Tx) error { return tx.RemoveClient("c001") })
		take(0)
	})
}

func TestProviderRecordIsStored(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *sqldb.DB) {
		add(t, s, client(t, 1))
		record := filled[store.Record](t)
		record.ClientID = "c001"
		for range 2 {
			do(t, s, func(tx *store.Tx) error { return tx.PutRecord(record) })
			if got, err := s.Record(t.Context(), "c001"); err != nil || got != record || string(got.AccessToken) == "" {
				t.Fatalf("%+v, %v", got, err)
			}
			record.AccessToken = "another"
		}
		if got, err := s.Record(t.Context(), "c002"); err != nil || got != (store.Record{}) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestAnUnreachableDatabaseIsNamedAsSuch(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, db *sqldb.DB) {
		if err := s.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		db.Close()
		_, err := s.Client(t.Context(), "c001")
		for _, err := range []error{err, s.Ping(t.Context()), s.Do(t.Context(), func(*store.Tx) error { return nil })} {
			if !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("error = %v", err)
			}
		}
	})
}

// Granted approvals are taken when they are due, those that have lapsed first. A final standing is not
// taken.
func TestApprovalsThatHaveLapsedAreTakenFirst(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *sqldb.DB) {
		var now time.Time
		do(t, s, func(tx *store.Tx) error {
			now = tx.Now()
			var errs []error
			add := func(revision int64, standing registrar.Standing, due, until time.Duration) {
				a := registrar.Approval{
					ClientID: "c1", Revision: revision, Kind: registrar.CallRegister, State: registrar.ApprovalGranted,
					Standing: standing, RequestID: "r1", AskedAt: now, DueAt: now.Add(due),
				}
				if until != 0 {
					a.ValidUntil = now.Add(until)
				}
				errs = append(errs, tx.Approvals.Add(a))
			}
			add(1, registrar.StandingInForce, -time.Hour, 0)
			add(2, registrar.StandingInForce, -2*time.Hour, 0)
			add(3, registrar.StandingInForce, -3*time.Hour, time.Hour)
			add(4, registrar.StandingInForce, -time.Minute, -time.Minute)
			add(5, registrar.StandingInForce, time.Hour, -time.Minute)
			add(6, registrar.StandingRevoked, -time.Hour, 0)
			add(7, registrar.StandingLapsed, -time.Hour, -time.Minute)
			add(8, registrar.StandingReplaced, -time.Hour, 0)
			return errors.Join(errs...)
		})
		var order []int64
		for range 6 {
			do(t, s, func(tx *store.Tx) error {
				taken, err := tx.Approvals.TakeGranted(1, time.Hour)
				for _, a := range taken {
					order = append(order, a.Revision)
				}
				return err
			})
		}
		if want := []int64{4, 3, 2, 1}; !slices.Equal(order, want) {
			t.Errorf("taken %v, want %v", order, want)
		}
		do(t, s, func(tx *store.Tx) error {
			taken, err := tx.Approvals.TakeRequested("r1", time.Hour)
			if len(taken) != 5 {
				t.Errorf("%d approvals of the request, want 5", len(taken))
			}
			return err
		})
	})
}

// A change of a client ends its pending approval request, even while a worker lists approvals at
// the same moment.
func TestReadApprovalIsLockedAgainstOtherTransactions(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, db *sqldb.DB) {
		if !db.Postgres() { // where one transaction writes at a time
			return
		}
		do(t, s, func(tx *store.Tx) error {
			return tx.Approvals.Add(registrar.Approval{ClientID: "c1", Revision: 1, Kind: registrar.CallRegister,
				State: registrar.ApprovalAsking, AskedAt: at, DueAt: at})
		})
		do(t, s, func(tx *store.Tx) error {
			asked, err := tx.Approvals.Newest("c1")
			if err != nil {
				return err
			}
			do(t, s, func(other *store.Tx) error {
				taken, err := other.Approvals.TakeDue(1, time.Minute)
				if len(taken) != 0 {
					t.Errorf("%v was taken", taken)
				}
				return err
			})
			return tx.Approvals.Put(asked, asked.Withdraw(tx.Now()))
		})
	})
}
