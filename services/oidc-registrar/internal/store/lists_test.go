package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

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
			{registrar.ClientFilter{RedirectHost: "app.example.ORG"}, "c001"},
			{registrar.ClientFilter{RedirectHost: "example.org"}, ""},
			{registrar.ClientFilter{RedirectHost: "evil.example"}, ""},
			{registrar.ClientFilter{RedirectHost: "localhost"}, "c001"},
			{registrar.ClientFilter{RedirectHost: "io.example.app"}, "c002"},
			{registrar.ClientFilter{RedirectHost: "oauth"}, "c002"},
			{registrar.ClientFilter{RedirectHost: "[::1]"}, "c003"},
			{registrar.ClientFilter{RedirectHost: "other.example.org"}, "c004"},
			{registrar.ClientFilter{RedirectHost: "other_example.org"}, ""},
			{registrar.ClientFilter{RedirectHost: "https"}, ""},
			{registrar.ClientFilter{RedirectHost: "%"}, ""},
			{registrar.ClientFilter{Origin: registrar.OriginPartner}, "c004 c001"},
			{registrar.ClientFilter{Origin: registrar.OriginProvider}, "c003"},
			{registrar.ClientFilter{Origin: registrar.OriginStandard}, "c002"},
			{registrar.ClientFilter{KeyThumbprint: "k001"}, "c001"},
			{registrar.ClientFilter{KeyThumbprint: "f002"}, "c002"},
			{registrar.ClientFilter{KeyThumbprint: "pending"}, "c004"},
			{registrar.ClientFilter{KeyThumbprint: "k00"}, ""},
			{registrar.ClientFilter{OutcomeUnknown: true}, "c004"},
			{registrar.ClientFilter{AwaitsApproval: true}, "c001"},
			{registrar.ClientFilter{Differs: true}, "c002"},
			{registrar.ClientFilter{Text: "c00 näm"}, "c004 c003 c002 c001"},
			{registrar.ClientFilter{Text: "C002"}, "c002"},
			{registrar.ClientFilter{Text: "2"}, ""},
			{registrar.ClientFilter{Text: "-wide.org/"}, "c004 c003 c002 c001"},
			{registrar.ClientFilter{Text: "de"}, ""},
			{registrar.ClientFilter{Text: "%"}, ""},
			{registrar.ClientFilter{Text: "x_"}, ""},
			{registrar.ClientFilter{Text: "':* | 'x"}, ""},
			{registrar.ClientFilter{Text: "name \\"}, ""},
			{registrar.ClientFilter{Text: "c002", RedirectHost: "oauth", Origin: registrar.OriginStandard}, "c002"},
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
				ID: store.TokenID(token), PartnerID: "p", PolicyID: "q", Uses: n, IssuedBy: "ana", IssuedAt: now, ExpiresAt: now.Add(time.Hour * time.Duration(n+1)),
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

// large returns a store on PostgreSQL with n clients of 100 partners and 2n events.
func large(t testing.TB, n int) (*store.Store, *sqldb.DB) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), schema.Postgres(t), sqldb.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s := store.New(db)
	c := registrar.Client{
		ID: "template", API: registrar.PartnerAPI, Status: registrar.ClientActive, Rev: 1, CreatedAt: at, UpdatedAt: at, CreatedBy: "ana",
		Key:        registrar.Key{ID: "kid", Thumbprint: "template", JWK: strings.Repeat("x", 400)},
		UserClaims: []string{"name", "email", "phone_number"}, ACRs: []string{"mosip:idp:acr:generated-code"},
		LogoURI: "https://rp.example.org/logo.png", GrantTypes: []string{"authorization_code"}, AuthMethods: []string{"private_key_jwt"},
	}
	err = s.Do(t.Context(), func(tx *store.Tx) error { return tx.AddClient(c, nil) })
	run := func(sql string, args ...any) {
		if err == nil {
			err = db.Read(t.Context()).Transaction(func(tx *gorm.DB) error {
				return errors.Join(sqldb.NoTimeout(tx), tx.Exec(sql, args...).Error)
			})
		}
	}
	run(`INSERT INTO client SELECT r.* FROM client c, generate_series(1, ?::int) AS n CROSS JOIN LATERAL jsonb_populate_record(c, jsonb_build_object(
		'id', rtrim(replace(replace(encode(sha256(n::text::bytea), 'base64'), '+', '-'), '/', '_'), '='), 'name', 'Portal of agency ' || n,
		'api', CASE n % 500 WHEN 7 THEN 'provider' ELSE 'partner' END, 'created_by', CASE n % 500 WHEN 8 THEN 'initial access token:1f' ELSE 'ana' END,
		'partner_id', 'partner-' || n % 100, 'status', CASE n % 500 WHEN 1 THEN 'FAILED' WHEN 2 THEN 'PENDING' WHEN 3 THEN 'INACTIVE' ELSE 'ACTIVE' END,
		'outcome_unknown', n % 1000 = 2, 'key_thumbprint', 'k' || n, 'created_ms', 1700000000000 + 1000 * n,
		'redirect_uris', '["https://app' || n || '.example.org/callback","http://localhost:3000/callback"]')) AS r`, n)
	run(`INSERT INTO client_key SELECT key_thumbprint, id FROM client WHERE id <> 'template'`)
	run(`INSERT INTO client_event (client_id, type, actor, at_ms, changed, flags, reason, provider_code)
		SELECT id, CASE WHEN status = 'ACTIVE' OR turn = 1 THEN (ARRAY['registered', 'activated'])[turn] ELSE 'dropped' END,
			(ARRAY[created_by, 'oidc-registrar'])[turn], created_ms + turn, '[]', '[]', '', '' FROM client, generate_series(1, 2) AS turn`)
	run(`INSERT INTO difference SELECT id, 'missing', '[]', 0 FROM client WHERE status = 'INACTIVE'`)
	run(`INSERT INTO approval (client_id, revision, state, kind, change, policy_key, requester, title, context, request_id, context_hash, reason,
		requested_ms, due_ms, attempts) SELECT id, 1, CASE status WHEN 'PENDING' THEN 'waiting' ELSE 'granted' END, 'register', '', '', '', '', '', '', '', '', 0, 0, 0
		FROM client`)
	run("ANALYZE")
	if err == nil {
		err = db.Read(t.Context()).Exec("VACUUM").Error
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, db
}

// listCalls are reads of the lists, each with a name.
func listCalls(s *store.Store) map[string]func(context.Context) (rows int, err error) {
	calls := map[string]func(context.Context) (int, error){}
	for name, f := range map[string]registrar.ClientFilter{
		"all": {}, "status": {Status: registrar.ClientFailed}, "doubtful": {OutcomeUnknown: true}, "partner": {PartnerID: "partner-7"},
		"origin provider": {Origin: registrar.OriginProvider}, "origin rfc7591": {Origin: registrar.OriginStandard}, "origin partner": {Origin: registrar.OriginPartner},
		"host": {RedirectHost: "app777.example.org"}, "host of all": {RedirectHost: "localhost"}, "host of none": {RedirectHost: "none.example"},
		"thumbprint": {KeyThumbprint: "k777"}, "text": {Text: "AGENCY 777"}, "text of all": {Text: "portal"}, "text of none": {Text: "hospital"}, "short text": {Text: "a"}, "id": {Text: "6VIDTX"},
		"text of a partner": {Text: "agency", API: registrar.PartnerAPI, Partners: []string{"partner-7", "partner-8"}}, "approval": {AwaitsApproval: true},
		"differs": {Differs: true}, "failed of a partner": {Status: registrar.ClientFailed, PartnerID: "partner-1"},
		"failed of no partner": {Status: registrar.ClientFailed, PartnerID: "partner-2"},
	} {
		calls[name] = func(ctx context.Context) (int, error) {
			rows, _, err := s.Clients(ctx, f, registrar.Page{})
			return len(rows), err
		}
	}
	for name, f := range map[string]registrar.AuditFilter{
		"audit": {}, "audit of a client": {ClientID: "template"}, "audit of an actor": {Actor: "initial access token:1f"}, "audit of a type": {Type: "dropped"},
		"audit of no actor": {Actor: "none"}, "audit of a time": {Since: time.UnixMilli(1700000777000), Until: time.UnixMilli(1700001777000)},
	} {
		calls[name] = func(ctx context.Context) (int, error) {
			rows, _, err := s.Audit(ctx, f, registrar.Page{})
			return len(rows), err
		}
	}
	counts := func(partners []string) func(context.Context) (int, error) {
		return func(ctx context.Context) (int, error) {
			n, err := s.CountQueues(ctx, partners)
			return n.Failed + n.Waiting + n.Doubtful + n.Different, err
		}
	}
	calls["queues"], calls["queues of a partner"], calls["queues of no partner"] = counts(nil), counts([]string{"partner-1"}), counts([]string{"x"})
	calls["details"] = func(ctx context.Context) (int, error) {
		d, err := s.Details(ctx, "template")
		return len(d.Approvals), err
	}
	calls["history"] = func(ctx context.Context) (int, error) {
		rows, _, err := s.History(ctx, registrar.EventFilter{ClientID: "template", Reader: "ana"}, registrar.Page{})
		return len(rows), err
	}
	calls["tokens"] = func(ctx context.Context) (int, error) {
		rows, _, err := s.InitialTokens(ctx, registrar.Page{})
		return len(rows), err
	}
	return calls
}

// Without its index a list reads every block of its table, more than 2,000.
func TestAListReadsFewBlocks(t *testing.T) {
	s, db := large(t, 20_000)
	type query struct {
		text string
		args []any
	}
	var queries []query
	keep := func(db *gorm.DB) {
		if !db.DryRun {
			queries = append(queries, query{db.Statement.SQL.String(), slices.Clone(db.Statement.Vars)})
		}
	}
	if err := db.Read(t.Context()).Callback().Query().After("gorm:query").Register("watch", keep); err != nil {
		t.Fatal(err)
	}
	for name, call := range listCalls(s) {
		queries = nil
		rows, err := call(t.Context())
		if err != nil || strings.Contains(name, " no") != (rows == 0) && name != "tokens" {
			t.Errorf("%s: %d rows, %v", name, rows, err)
		}
		blocks := 0
		for _, q := range queries {
			var plans []struct {
				Plan struct {
					Hit  int `json:"Shared Hit Blocks"`
					Read int `json:"Shared Read Blocks"`
				}
			}
			var text string
			err := db.Read(t.Context()).Statement.ConnPool.QueryRowContext(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+q.text, q.args...).Scan(&text)
			if err == nil {
				err = json.Unmarshal([]byte(text), &plans)
			}
			if err != nil {
				t.Fatalf("%s: %v", q.text, err)
			}
			blocks += plans[0].Plan.Hit + plans[0].Plan.Read
		}
		t.Logf("%s: %d rows, %d queries, %d blocks", name, rows, len(queries), blocks)
		if blocks > 600 || len(queries) > 3 {
			t.Errorf("%s: %d queries read %d blocks", name, len(queries), blocks)
		}
	}
}

// BenchmarkLists measures the median of each list with 100,000 clients.
func BenchmarkLists(b *testing.B) {
	s, _ := large(b, 100_000)
	for name, call := range listCalls(s) {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := call(b.Context()); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
		})
	}
}
