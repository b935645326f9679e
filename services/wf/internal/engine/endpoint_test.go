package engine_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/libs/outbox"
	webhookadmin "github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/outbox/signing"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

// edit changes an endpoint, as root.
func (s *service) edit(id string, change webhookadmin.Change) outbox.Endpoint {
	s.t.Helper()
	e, err := s.Webhooks.UpdateEndpoint(s.t.Context(), root, id, "", change)
	must(s.t, err)
	return e
}

// told returns the types of the deliveries to an endpoint, oldest first.
func (s *service) told(e outbox.Endpoint) []string {
	s.t.Helper()
	return s.rows("SELECT d.event_type FROM delivery d WHERE d.endpoint_id = ? ORDER BY d.id", e.ID)
}

func ref[T any](v T) *T { return &v }

func TestAnEndpointIsChangedAndLeavesATrail(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		made, err := s.Webhooks.CreateEndpoint(ctx, root, outbox.Endpoint{
			Name: "ledger", URL: "https://ledger.example/", Events: []string{"task.*"}, PolicyKeys: []string{"a*"}, Signature: outbox.SignBoth, Enabled: true,
		}, "")
		must(t, err)
		read := func() outbox.Endpoint {
			e, err := s.Webhooks.Endpoint(ctx, made.ID)
			must(t, err)
			return e
		}
		if diff := cmp.Diff(made.Endpoint, read()); diff != "" {
			t.Errorf("the stored endpoint differs from the created one (-created +stored):\n%s", diff)
		}
		s.advance(time.Minute)
		edited := s.edit(made.ID, webhookadmin.Change{URL: ref("https://new.example/"), Events: []string{}, PolicyKeys: []string{"*"}, Signature: ref(outbox.SignHMAC)})
		want := made.Endpoint
		want.URL, want.Events, want.PolicyKeys, want.Signature = "https://new.example/", []string{}, []string{"*"}, outbox.SignHMAC
		want.UpdatedAt, want.Rev = s.now(), edited.Rev
		if diff := cmp.Diff(want, read()); diff != "" || edited.Rev <= made.Rev {
			t.Errorf("after the change, revision %d (-want +got):\n%s", edited.Rev, diff)
		}
		_, err = s.Webhooks.UpdateEndpoint(ctx, root, made.ID, view.ETag(made.Rev), webhookadmin.Change{Events: []string{"*"}})
		refused(t, "a change of an older revision", err, reason.WrongState)
		same := s.edit(made.ID, webhookadmin.Change{URL: ref("https://new.example/"), Enabled: ref(true)})
		if diff := cmp.Diff(edited, same); diff != "" {
			t.Errorf("a change that changes nothing did (-before +after):\n%s", diff)
		}
		s.edit(made.ID, webhookadmin.Change{Enabled: ref(false)})
		_, err = s.Webhooks.RotateSecret(ctx, root, made.ID, "", time.Hour)
		must(t, err)
		_, err = s.Webhooks.DeleteEndpoint(ctx, root, made.ID, view.ETag(made.Rev))
		refused(t, "a deletion of an older revision", err, reason.WrongState)
		_, err = s.Webhooks.DeleteEndpoint(ctx, root, made.ID, "")
		must(t, err)
		for what, call := range map[string]func() error{
			"a look": func() error { _, err := s.Webhooks.Endpoint(ctx, made.ID); return err },
			"a change": func() error {
				_, err := s.Webhooks.UpdateEndpoint(ctx, root, made.ID, "", webhookadmin.Change{})
				return err
			},
			"a rotation": func() error { _, err := s.Webhooks.RotateSecret(ctx, root, made.ID, "", 0); return err },
			"a test":     func() error { _, err := s.Webhooks.TestEndpoint(ctx, root, made.ID); return err },
			"a deletion": func() error { _, err := s.Webhooks.DeleteEndpoint(ctx, root, made.ID, ""); return err },
		} {
			refused(t, what, call(), reason.EndpointNotFound)
		}

		events, _, err := s.store.Events(ctx, "", wf.Page{})
		must(t, err)
		var trail []string
		for _, e := range events {
			if e.Resource != wf.EndpointResource(made.Endpoint) || e.Actor.ID != root.ID {
				t.Errorf("%s is about %+v, by %s", e.Type, e.Resource, e.Actor.ID)
			}
			trail = append(trail, fmt.Sprintf("%s %s", e.Type, e.Reason))
		}
		equal(t, "the trail", trail, []string{
			"endpoint.created ", "endpoint.updated url, events, policy_keys, signature", "endpoint.updated disabled", "endpoint.rotated ", "endpoint.deleted ",
		})
	})
}

// The egress policy can become stricter after the creation of an endpoint.
func TestAnEndpointThatMayNoLongerBeWhereItIsCanBeDisabled(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ledger := s.endpoint("ledger")
		strict := s.with(func(o *engine.Options) {
			o.EndpointURL = func(string) error { return fmt.Errorf("nowhere is allowed") }
		})
		if e := strict.edit(ledger.ID, webhookadmin.Change{URL: ref(ledger.URL), Enabled: ref(false)}); e.Enabled {
			t.Error("it is still enabled")
		}
		_, err := strict.Webhooks.UpdateEndpoint(t.Context(), root, ledger.ID, "", webhookadmin.Change{URL: ref("https://other.example/")})
		refused(t, "a move", err, reason.BadInput)
	})
}

func TestASecretIsKeptEncrypted(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		own := "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret that a receiver has"))
		made, err := s.Webhooks.CreateEndpoint(ctx, root, outbox.Endpoint{Name: "ledger", URL: "https://ledger.example/", Signature: outbox.SignHMAC, Enabled: true}, own)
		must(t, err)
		rotated, err := s.Webhooks.RotateSecret(ctx, root, made.ID, "", time.Hour)
		must(t, err)
		if made.Secret != own || rotated.Secret == own {
			t.Errorf("shown %q, then %q, want %q and a new one", made.Secret, rotated.Secret, own)
		}
		secrets := func() []string {
			stored, err := s.Webhooks.Endpoint(ctx, made.ID)
			must(t, err)
			var all []string
			for _, sealed := range stored.Keys(s.now()) {
				key, err := signing.Open(s.options.Keys, made.ID, sealed)
				must(t, err)
				all = append(all, key.Secret())
			}
			return all
		}
		equal(t, "what signs", secrets(), []string{rotated.Secret, own})
		s.advance(time.Hour)
		equal(t, "what signs after the overlap", secrets(), []string{rotated.Secret})
		again, err := s.Webhooks.RotateSecret(ctx, root, made.ID, own, 0)
		must(t, err)
		equal(t, "what signs without an overlap", secrets(), []string{own})
		if again.Previous != (outbox.SealedKey{}) {
			t.Errorf("the key before is still stored: %+v", again.Previous)
		}
		for _, column := range s.rows("SELECT sealed || previous_sealed || hint FROM endpoint") {
			if strings.Contains(column, strings.TrimPrefix(own, "whsec_")) {
				t.Errorf("stored as %s", column)
			}
		}
	})
}

func TestEventsOfTheServiceFanOut(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		all := s.endpoint("all", func(e *outbox.Endpoint) {
			e.Events, e.PolicyKeys = []string{"policy.activated", "delegation.*"}, []string{"*"}
		})
		narrow := s.endpoint("narrow", func(e *outbox.Endpoint) {
			e.Events, e.PolicyKeys = []string{"policy.*", "delegation.revoked"}, []string{"none"}
		})
		woken := s.woken.Load()
		s.publish(policyOf(stage("check", "ana")))
		if s.woken.Load() == woken {
			t.Error("the activation did not wake the worker")
		}
		d := s.delegate("ana", "dan")
		s.settle(1)
		must(t, s.revoke(d.ID, person("ana")))
		later := s.delegate("bo", "dan", func(d *approver.Delegation) { d.StartsAt, d.EndsAt = s.now().Add(time.Hour), s.now().Add(2*time.Hour) })
		for range 2 {
			s.advance(time.Hour)
			_, err := s.Delegations.RecordDelegations(t.Context(), s.now(), 10)
			must(t, err)
		}
		told := func(e outbox.Endpoint) []string { // events only for the audit trail are not sent
			return slices.DeleteFunc(s.told(e), func(kind string) bool { return !slices.Contains(audit.EventTypes, audit.EventType(kind)) })
		}
		equal(t, "to the subscribed endpoint", told(all), []string{
			"policy.activated", "delegation.started", "delegation.revoked", "delegation.started", "delegation.ended",
		})
		// Delegations belong to no policy, so patterns of policies do not narrow them.
		equal(t, "to the endpoint of other policies", told(narrow), []string{"delegation.revoked"})
		list, _, err := s.Webhooks.Deliveries(t.Context(), outbox.DeliveryFilter{EventType: []string{string(audit.EventDelegationEnded)}}, wf.Page{})
		must(t, err)
		if len(list) != 1 || list[0].Subject != "" || later.ID == "" {
			t.Errorf("deliveries of the end: %+v", list)
		}
	})
}

func TestPendingDeliveriesEndWithTheirEndpoint(t *testing.T) {
	for name, end := range map[string]func(s *service, id string){
		"disabled": func(s *service, id string) { s.edit(id, webhookadmin.Change{Enabled: ref(false)}) },
		"deleted": func(s *service, id string) {
			_, err := s.Webhooks.DeleteEndpoint(s.t.Context(), root, id, "")
			must(s.t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *service) {
				id, ledger := s.deliver()
				other := s.endpoint("other")
				for _, e := range []outbox.Endpoint{ledger, other} {
					_, err := s.Webhooks.TestEndpoint(t.Context(), root, e.ID)
					must(t, err)
				}
				end(s, ledger.ID)
				equal(t, "to the endpoint", s.rows("SELECT status FROM delivery WHERE endpoint_id = ?", ledger.ID), []string{"cancelled", "cancelled"})
				equal(t, "to the other", s.rows("SELECT status FROM delivery WHERE endpoint_id = ?", other.ID), []string{"sending"}) // described in outbox
				_, err := s.Webhooks.RetryDelivery(t.Context(), root, id, "")
				refused(t, "a retry", err, reason.WrongState)
				out, err := s.Webhooks.RecoverDeliveries(t.Context(), root, outbox.Recovery{
					Status: outbox.RecoverCancelled, CreatedAfter: noon.Add(-time.Hour), CreatedBefore: noon.Add(time.Hour),
				})
				if must(t, err); out != (webhookadmin.Recovered{}) {
					t.Errorf("recovered %+v", out)
				}
				if name == "deleted" { // one of the same name is another
					s.advance(time.Second)
					s.endpoint("ledger")
					_, err := s.Webhooks.RetryDelivery(t.Context(), root, id, "")
					refused(t, "a retry to its successor", err, reason.WrongState)
					return
				}
				if e := s.edit(ledger.ID, webhookadmin.Change{Enabled: ref(true)}); e.DisabledReason != "" || e.Health != (outbox.Health{}) {
					t.Errorf("enabled again: %+v", e)
				}
				_, err = s.Webhooks.RetryDelivery(t.Context(), root, id, "")
				must(t, err)
			})
		})
	}
}

// failed makes n deliveries that were given up, as old as the test, to an endpoint.
func (s *service) failed(n int) (id string, endpoint outbox.Endpoint) {
	s.t.Helper()
	id, endpoint = s.deliver()
	s.attempt(&outbox.Result{StatusCode: 410, Gone: true})
	uuid := "'0199a000-0000-7000-8000-' || CAST(100000000000 + n.i AS text)"
	if s.db.Postgres() {
		uuid = "CAST(" + uuid + " AS uuid)"
	}
	columns := "event_id, variant, event_type, subject, sequence, endpoint, endpoint_id, url, status, cycle, attempt, crashes, " +
		"last_attempt_ms, last_status_code, last_error, last_duration_ms, response_excerpt, delivered_ms, created_ms, updated_ms"
	s.exec("WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO delivery (id, target, "+columns+") "+
		"SELECT "+uuid+", 'copy ' || CAST(n.i AS text), "+columns+" FROM n, delivery WHERE delivery.id = ?", n, id)
	return id, endpoint
}

// recovery is of all that failed at noon.
var recovery = outbox.Recovery{Status: outbox.RecoverFailed, CreatedAfter: noon.Add(-time.Second), CreatedBefore: noon.Add(time.Second)}

func TestAtMostTenThousandDeliveriesAreRecoveredAtOnce(t *testing.T) {
	onPostgres(t, func(t *testing.T, s *service) { // on SQLite the race detector makes it slow
		_, ledger := s.failed(10_001)
		s.advance(time.Minute)
		for _, want := range []webhookadmin.Recovered{{Retried: 10_000, More: true}, {Retried: 1}} {
			out, err := s.Webhooks.RecoverDeliveries(t.Context(), root, recovery)
			if must(t, err); out != want {
				t.Errorf("recovered %+v, want %+v", out, want)
			}
		}
		s.recovered(ledger, 10_001, "10000 retried", "1 retried")
	})
}

// recovered fails the test unless the n failed deliveries are in their second cycle and due, with
// recovery events in the trail. It deletes its fixtures.
func (s *service) recovered(endpoint outbox.Endpoint, n int, trail ...string) {
	s.t.Helper()
	equal(s.t, "deliveries", s.rows(`SELECT status || ' ' || cycle || ' ' || attempt || ' ' || count(*) FROM delivery d JOIN message USING (event_id)
		WHERE endpoint_id = ? AND (SELECT o.due_ms <= ? AND o.leased_ms = 0 FROM outbox o WHERE o.id = d.id) AND payload <> '' GROUP BY status, cycle, attempt`, endpoint.ID, s.now().UnixMilli()),
		[]string{fmt.Sprintf("sending 2 0 %d", n)})
	events, _, err := s.store.Events(s.t.Context(), "", wf.Page{Limit: 200})
	must(s.t, err)
	var told []string
	for _, e := range events {
		if e.Type == audit.EventDeliveriesRecovered {
			told = append(told, e.Reason)
		}
	}
	equal(s.t, "the trail", told, trail)
	s.exec("DELETE FROM outbox WHERE id IN (SELECT id FROM delivery WHERE target LIKE 'copy %')")
	s.exec("DELETE FROM delivery WHERE target LIKE 'copy %'")
}
