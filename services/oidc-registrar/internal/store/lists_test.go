package store_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

func TestClientsOfAllOriginsAreFound(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, db *sqldb.DB) {
		uris := [][]string{
			{"https://App.Example.org:8443/cb?next=https://evil.example", "http://localhost/cb"}, {"io.example.app://oauth/cb"},
			{"https://user@host_1.example?x", "http://[::1]:80/cb"}, {"https://other.example.org", "urn:x"},
		}
		for n, list := range uris {
			c := client(t, n+1)
			c.RedirectURIs, c.OutcomeUnknown, c.Name = list, n == 3, "Näme (world-wide.org) "+strings.ToUpper(c.ID)
			c.CreatedBy, c.API = []string{"ana", "initial access token:1f", "ana", "bo"}[n], registrar.PartnerAPI
			if n == 2 {
				c.API = registrar.ProviderAPI
			}
			add(t, s, c)
		}
		do(t, s, func(tx *store.Tx) error {
			return errors.Join(tx.PutDifference("c002", registrar.Difference{Kind: registrar.DifferenceMissing}),
				tx.Approvals.Add(registrar.Approval{ClientID: "c001", Revision: 1, State: registrar.ApprovalWaiting, Kind: registrar.CallUpdate}),
				tx.Approvals.Add(registrar.Approval{ClientID: "c003", Revision: 1, State: registrar.ApprovalGranted, Kind: registrar.CallUpdate}),
				tx.ReserveKeys("c004", []string{"k004", "f004", "pending"}))
		})
		for _, tt := range []struct {
			filter registrar.ClientFilter
			want   string
		}{
			{registrar.ClientFilter{Origin: registrar.OriginPartner}, "c004 c001"},
			{registrar.ClientFilter{Origin: registrar.OriginProvider}, "c003"},
			{registrar.ClientFilter{Origin: registrar.OriginStandard}, "c002"},
			{registrar.ClientFilter{KeyThumbprint: "k001"}, "c001"},
			{registrar.ClientFilter{KeyThumbprint: "o002-0"}, "c002"},
			{registrar.ClientFilter{KeyThumbprint: "pending"}, "c004"},
			{registrar.ClientFilter{KeyThumbprint: "k00"}, ""},
			{registrar.ClientFilter{OutcomeUnknown: true}, "c004"},
			{registrar.ClientFilter{AwaitsApproval: true}, "c001"},
			{registrar.ClientFilter{Differs: true}, "c002"},
			{registrar.ClientFilter{Q: "näme (wor"}, "c004 c003 c002 c001"},
			{registrar.ClientFilter{Q: "C002", Origin: registrar.OriginStandard}, "c002"},
		} {
			found, _, err := s.Clients(t.Context(), tt.filter, registrar.Page{})
			var got []string
			for _, c := range found {
				got = append(got, c.ID)
			}
			if err != nil || strings.Join(got, " ") != tt.want {
				t.Errorf("%+v: %q, %v; want %q", tt.filter, got, err, tt.want)
			}
		}
		for _, c := range must(s.Clients(t.Context(), registrar.ClientFilter{}, registrar.Page{})) {
			found := must(s.Clients(t.Context(), registrar.ClientFilter{Origin: c.Origin()}, registrar.Page{}))
			if !slices.ContainsFunc(found, func(other registrar.Client) bool { return other.ID == c.ID }) {
				t.Errorf("client %s is not in the list of its origin %s", c.ID, c.Origin())
			}
		}
	})
}

// must returns the page of a list.
func must[T any](page []T, _ string, err error) []T {
	if err != nil {
		panic(err)
	}
	return page
}

func TestTheTrailOfAllClientsIsFiltered(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *sqldb.DB) {
		event := filled[registrar.Event](t)
		event.ClientID, event.Type, event.Actor = "c001", registrar.EventClientUpdated, "ana"
		do(t, s, func(tx *store.Tx) error {
			return errors.Join(tx.AddEvent(event),
				tx.AddEvent(registrar.Event{ClientID: "c002", Type: registrar.EventClientRegistered, Actor: "ana", At: at.Add(time.Hour)}),
				tx.AddEvent(registrar.Event{ClientID: "c003", Type: registrar.EventClientUpdated, Actor: "bo", At: at.Add(2 * time.Hour)}),
				tx.AddEvent(registrar.Event{Type: registrar.EventClientRefused, Actor: "eve", At: at.Add(time.Hour), Reason: registrar.DuplicateKey}))
		})
		do(t, s, func(tx *store.Tx) error { _, err := tx.PurgeEvents(at.Add(90*time.Minute), 1); return err }) // c001
		for _, tt := range []struct {
			filter registrar.AuditFilter
			want   string
		}{
			{registrar.AuditFilter{}, "purged  1, updated c003 0, refused  0, registered c002 0"},
			{registrar.AuditFilter{ClientID: "c003"}, "updated c003 0"},
			{registrar.AuditFilter{Actor: "ana"}, "registered c002 0"},
			{registrar.AuditFilter{Type: registrar.EventClientRefused}, "refused  0"},
			{registrar.AuditFilter{Type: registrar.EventClientUpdated, Actor: "ana"}, ""},
			{registrar.AuditFilter{Since: at.Add(time.Hour), Until: at.Add(2 * time.Hour)}, "refused  0, registered c002 0"},
			{registrar.AuditFilter{ClientID: "\x00"}, ""},
		} {
			var got, exported []string
			page := registrar.Page{Limit: 1}
			for next := "x"; next != ""; page.Cursor = next {
				var found []registrar.AuditEvent
				var err error
				if found, next, err = s.Audit(t.Context(), tt.filter, page); err != nil {
					t.Fatal(err)
				}
				for _, e := range found {
					got = append(got, fmt.Sprint(e.Type, " ", e.ClientID, " ", e.Purged))
				}
			}
			err := s.ExportAudit(t.Context(), tt.filter, func(e registrar.AuditEvent) error {
				exported = append([]string{fmt.Sprint(e.Type, " ", e.ClientID, " ", e.Purged)}, exported...)
				return nil
			})
			if strings.Join(got, ", ") != tt.want || err != nil || !slices.Equal(exported, got) {
				t.Errorf("%+v: %q, exported %q, %v; want %q", tt.filter, got, exported, err, tt.want)
			}
		}
	})
}

func TestInitialTokensAreListedAndRevoked(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store, _ *sqldb.DB) {
		now, err := s.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tokens := map[string]registrar.InitialToken{}
		for n, token := range []string{"first", "second", "old"} {
			given := registrar.InitialToken{
				ID: store.TokenID(token), PartnerID: "p", PolicyID: "q", Uses: n, IssuedBy: "ana", IssuedAt: now,
				ExpiresAt: now.Add(time.Hour * time.Duration(n+1)),
			}
			if token == "old" {
				given.ExpiresAt = now.Add(-time.Second)
			}
			tokens[given.ID] = given
			do(t, s, func(tx *store.Tx) error { return tx.Tokens.AddInitial(token, given) })
		}
		found, next, err := s.InitialTokens(t.Context(), registrar.Page{Limit: 1})
		if err != nil || len(found) != 1 || !reflect.DeepEqual(found[0], tokens[store.TokenID("second")]) {
			t.Fatalf("%+v, %v", found, err)
		}
		found, next, err = s.InitialTokens(t.Context(), registrar.Page{Limit: 1, Cursor: next})
		if err != nil || next != "" || len(found) != 1 || !reflect.DeepEqual(found[0], tokens[store.TokenID("first")]) { // without uses
			t.Errorf("%+v, %q, %v", found, next, err)
		}
		do(t, s, func(tx *store.Tx) error {
			revoked, err := tx.Tokens.RevokeInitial(store.TokenID("second"))
			if err == nil && !reflect.DeepEqual(revoked, tokens[store.TokenID("second")]) {
				t.Errorf("revoked %+v", revoked)
			}
			return err
		})
		if _, err := s.InitialToken(t.Context(), "second"); !errors.Is(err, registrar.InvalidToken) {
			t.Errorf("a revoked token: %v", err)
		}
		for _, id := range []string{store.TokenID("second"), "", "second", "\x00", "________________"} {
			err := s.Do(t.Context(), func(tx *store.Tx) error { _, err := tx.Tokens.RevokeInitial(id); return err })
			if !errors.Is(err, registrar.TokenNotFound) {
				t.Errorf("token %q: %v", id, err)
			}
		}
	})
}
