package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwk"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/receipt"
	"github.com/countersign/countersign/services/wf/internal/trail"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/reason"
)

const (
	checkpointEvery = 5 * time.Minute
	issuer          = "https://approvals.example.org"
)

// signing is the service with a key for checkpoints.
func (s *service) signing() *service {
	s.t.Helper()
	keys, err := receipt.ParseKeys("k1:" + seal.NewKey())
	must(s.t, err)
	return s.with(func(o *engine.Options) { o.Receipts, o.ReceiptIssuer = keys, issuer })
}

// pass runs the job of checkpoints once.
func (s *service) pass() {
	s.t.Helper()
	must(s.t, s.Audit.MakeCheckpoint(s.t.Context(), checkpointEvery))
}

// checkpoint makes a checkpoint after an interval and returns the last one.
func (s *service) checkpoint() string {
	s.t.Helper()
	s.advance(checkpointEvery)
	s.pass()
	last, err := s.Audit.GetCheckpoint(s.t.Context())
	must(s.t, err)
	return last.JWS
}

// claims verifies a checkpoint.
func (s *service) claims(token string) receipt.Checkpoint {
	s.t.Helper()
	c, err := receipt.VerifyCheckpoint(token, s.keySet(), issuer)
	must(s.t, err)
	return c
}

func (s *service) keySet() jwk.Set {
	s.t.Helper()
	text, err := receipt.JWKS(s.Requests.Receipts.Public())
	must(s.t, err)
	set, err := jwk.Parse(text)
	must(s.t, err)
	return set
}

// ends returns the requests in the events audit.checkpoint, one text for each event, with a mark on those that are
// followed by more.
func (s *service) ends() []string {
	s.t.Helper()
	sealed := wf.AuditFilter{Types: []audit.EventType{audit.EventAuditCheckpoint}}
	events, _, err := s.Audit.ListAudit(s.t.Context(), sealed, wf.Page{Limit: 200})
	must(s.t, err)
	var all []string
	for _, e := range slices.Backward(events) {
		var ids []string
		for _, end := range e.Checkpoint.Ends {
			stored := s.rows("SELECT hash FROM event WHERE chain = ? AND seq = ?", end.Request, end.Seq)
			if len(stored) != 1 || stored[0] != end.Hash {
				s.t.Errorf("event %d lists %+v", e.Seq, end)
			}
			ids = append(ids, end.Request)
		}
		slices.Sort(ids)
		text := strings.Join(ids, " ")
		if e.Checkpoint.More {
			text += " …"
		}
		all = append(all, text)
	}
	return all
}

func TestACheckpointListsTheRequestsThatMoved(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		s = s.signing()
		ctx := t.Context()
		_, err := s.Audit.GetCheckpoint(ctx)
		refused(t, "before the first checkpoint", err, reason.WrongState)
		s.pass()
		equal(t, "checkpoints of an empty trail", s.ends(), nil)

		key := s.publish(policyOf(stage("check", "ana")))
		first, second := s.create(key), s.create(key)
		both := []string{first.ID, second.ID}
		slices.Sort(both)
		s.pass() // the first is due at once
		want := []string{strings.Join(both, " ")}
		equal(t, "checkpoints", s.ends(), want)
		one, err := s.Audit.GetCheckpoint(ctx)
		must(t, err)
		c := s.claims(one.JWS)
		hash := s.rows("SELECT hash FROM event WHERE chain = 'service' AND seq = ?", one.Seq)
		if c.Before != nil || c.Seq != one.Seq || c.Hash != hash[0] || c.IssuedAt != noon.Unix() || !one.At.Equal(noon) {
			t.Errorf("checkpoint %+v of %+v, %v", c, one, hash)
		}

		same(t, "without an event", s.checkpoint(), one.JWS)
		must(t, s.approve(taskOf(t, first, "ana"), "ana"))
		s.pass() // an interval has passed
		want = append(want, first.ID)
		equal(t, "checkpoints", s.ends(), want)
		two, err := s.Audit.GetCheckpoint(ctx)
		must(t, err)
		if c := s.claims(two.JWS); *c.Before != (receipt.Link{Seq: one.Seq, Hash: hash[0]}) || !two.At.Equal(noon.Add(checkpointEvery)) {
			t.Errorf("the second checkpoint is %+v of %+v", c, two)
		}

		must(t, s.approve(taskOf(t, second, "ana"), "ana"))
		s.advance(checkpointEvery - time.Millisecond)
		s.pass()
		equal(t, "checkpoints before the end of the interval", s.ends(), want)
		s.advance(time.Millisecond)
		s.pass()
		want = append(want, second.ID)
		equal(t, "checkpoints", s.ends(), want)

		s.publish(policyOf(stage("check", "ana"))) // only the service chain moves
		s.checkpoint()
		want = append(want, "")
		equal(t, "checkpoints", s.ends(), want)

		s.create(key)
		s.setClock(s.clock.Now().Add(-time.Hour))
		s.pass()
		same(t, "checkpoints after the clock was set back", len(s.ends()), len(want)+1)
	})
}

func TestNoCheckpointsWithoutAKeyOrAnInterval(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		s.begin(stage("check", "ana"))
		s.pass()
		must(t, s.signing().Audit.MakeCheckpoint(t.Context(), 0))
		equal(t, "checkpoints", s.ends(), nil)
		lag, err := s.Audit.CheckpointLag(t.Context(), checkpointEvery)
		if err != nil || lag > 0 {
			t.Errorf("lag without a key: %s, %v", lag, err)
		}
		s = s.signing()
		s.checkpoint()
		_, err = s.with(func(o *engine.Options) { o.Receipts = receipt.Keys{} }).Audit.GetCheckpoint(t.Context())
		refused(t, "without a key", err, reason.WrongState)
	})
}

// The lag is the time since which a checkpoint is due.
func TestTheLagOfCheckpoints(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		s = s.signing()
		lag := func(want time.Duration) {
			t.Helper()
			got, err := s.Audit.CheckpointLag(t.Context(), checkpointEvery)
			if err != nil || max(0, got) != want {
				t.Errorf("lag %s, %v, want %s", got, err, want)
			}
		}
		lag(0)
		key := s.publish(policyOf(stage("check", "ana")))
		s.advance(time.Minute)
		lag(time.Minute) // of the policy
		s.create(key)
		s.pass()
		lag(0)
		s.advance(time.Minute)
		r := s.create(key)
		s.advance(checkpointEvery)
		lag(time.Minute) // it is due at the end of the interval
		s.pass()
		s.advance(time.Hour)
		lag(0) // nothing moved
		must(t, s.approve(taskOf(t, r, "ana"), "ana"))
		s.advance(time.Second)
		s.publish(policyOf(stage("check", "ana")))
		s.advance(time.Second)
		lag(2 * time.Second)
	})
}

// Concurrent processes make one checkpoint of an interval, while requests change.
func TestReplicasMakeOneCheckpointOfAnInterval(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		s = s.signing()
		key := s.publish(policyOf(stage("check", "ana")))
		replicas := []*service{s, s.replica(), s.replica()}
		for round := range 5 {
			var work sync.WaitGroup
			for _, r := range replicas {
				for range 2 {
					work.Go(func() {
						if err := r.Audit.MakeCheckpoint(t.Context(), checkpointEvery); err != nil {
							t.Error(err)
						}
					})
				}
				work.Go(func() {
					reply, err := r.Requests.CreateRequest(t.Context(), rita, input(key), nil)
					if err == nil {
						err = r.approve(reply.Case.Request.Tasks[0].ID, "ana")
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			work.Wait()
			s.pass()
			same(t, "checkpoints", len(s.ends()), round+1)
			s.advance(checkpointEvery)
		}
		s.pass()
		equal(t, "findings", s.findings(s.export(), s.checkpoint()), nil)
	})
}

// More requests than one event may list are recorded in several transactions. One that fails has no effect, and another
// process continues after the end of one.
func TestACheckpointOfManyRequestsContinuesAfterAKill(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		s = s.signing()
		hook := s.endpoint("witness", func(e *outbox.Endpoint) { e.Events = []string{"audit.checkpoint"} })
		key := s.publish(policyOf(stage("check", "ana")))
		for range 5 {
			s.create(key)
			s.advance(time.Millisecond)
		}
		ids := s.rows("SELECT id FROM request ORDER BY id")
		killed := errors.New("killed")
		seal := func(s *service, err error) error {
			_, sealed := s.store.Seal(t.Context(), checkpointEvery, 2, func(end receipt.Link, before *receipt.Link, at time.Time) (string, error) {
				if before != nil || !at.Equal(s.clock.Now()) || end.Seq == 0 {
					t.Errorf("signs %+v after %+v at %s", end, before, at)
				}
				return "signed", err
			})
			return sealed
		}
		pairs := []string{strings.Join(ids[:2], " ") + " …", strings.Join(ids[2:4], " ") + " …"}
		if err := seal(s, killed); !errors.Is(err, killed) {
			t.Errorf("a failed signature: %v", err)
		}
		equal(t, "checkpoints after a rollback", s.ends(), pairs)
		equal(t, "sealed after a rollback", s.rows("SELECT id FROM request WHERE sealed_seq < chain_seq"), ids[4:])
		equal(t, "deliveries", s.told(hook), nil)
		last, err := s.store.Audit.Checkpoint(t.Context())
		if err != nil || last.JWS != "" {
			t.Errorf("a checkpoint before the last part: %+v, %v", last, err)
		}
		must(t, seal(s.replica(), nil))
		equal(t, "checkpoints", s.ends(), append(pairs, ids[4]))
		equal(t, "deliveries", s.told(hook), []string{"audit.checkpoint"})
		must(t, seal(s, killed)) // none is due
		same(t, "checkpoints", len(s.ends()), 3)
	})
}

// invalid returns the chains that the newest event audit.checkpoint lists as invalid.
func (s *service) invalid() []string {
	s.t.Helper()
	events, _, err := s.Audit.ListAudit(s.t.Context(), wf.AuditFilter{Types: []audit.EventType{audit.EventAuditCheckpoint}}, wf.Page{Limit: 1})
	must(s.t, err)
	return events[0].Checkpoint.Invalid
}

// counted compares wf_audit_invalid.
func (s *service) counted(want int64) {
	s.t.Helper()
	last, err := s.store.Audit.Checkpoint(s.t.Context())
	must(s.t, err)
	same(s.t, "invalid chains", last.Invalid, want)
}

// Example 67 of the design: a checkpoint leaves out the requests that were changed in the database, and attests the others.
func TestACheckpointAttestsOnlyChainsThatVerify(t *testing.T) {
	gone(t, func(t *testing.T, s *service) {
		s = s.signing()
		key := s.publish(policyOf(stage("check", "ana")))
		wftest.Disarm(t, s.db)
		var bad, kept []string
		for what, damage := range map[string]string{
			"document":   `UPDATE request SET context = replace(context, '"amount":1', '"amount":9') WHERE CAST(id AS text) = ?`,
			"projection": "UPDATE task SET kind = 'rescue' WHERE CAST(request_id AS text) = ?",
			"event":      "UPDATE event SET body = replace(body, 'rita', 'mallory') WHERE chain = ? AND seq = 1",
		} {
			damaged, good := s.create(key, withContext(`{"amount":1}`)), s.create(key, withContext(`{"amount":1}`))
			s.exec(damage, damaged.ID)
			bad = append(bad, damaged.ID)
			if len(s.breaks(damaged.ID)) == 0 {
				t.Errorf("%s: the verification finds nothing", what)
			}
			kept = append(kept, s.checkpoint())
			equal(t, what+": attested", s.ends()[len(s.ends())-1:], []string{good.ID})
			equal(t, what+": invalid", s.invalid(), bad)
			s.counted(int64(len(bad)))
			s.advance(time.Second)
		}
		found := s.findings(s.export(), kept...)
		for _, id := range bad {
			if !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, "request "+id+": the service found it invalid") }) {
				t.Errorf("findings %q without %s", found, id)
			}
		}

		// Damaged requests that fill a part do not stop the others.
		good := s.create(key, withContext(`{"amount":1}`))
		s.advance(checkpointEvery)
		_, err := s.store.Seal(t.Context(), checkpointEvery, 1, func(receipt.Link, *receipt.Link, time.Time) (string,
			error) {
			return "x", nil
		})
		must(t, err)
		equal(t, "attested beside damaged requests", s.ends()[len(s.ends())-2:], []string{good.ID + " …", ""})
		s.counted(3)

		s.exec("UPDATE event SET body = replace(body, 'mallory', 'rita') WHERE seq = 1 AND chain <> 'service'") // repaired
		s.exec("UPDATE task SET kind = 'approver'")
		s.exec(`UPDATE request SET context = replace(context, '"amount":9', '"amount":1')`)
		s.checkpoint()
		slices.Sort(bad)
		equal(t, "attested after the repair", s.ends()[len(s.ends())-1:], []string{strings.Join(bad, " ")})
		s.counted(0)
	})
}

// Nothing is signed after an invalid service chain, until an admin starts a new one.
func TestAnInvalidServiceChainIsRestarted(t *testing.T) {
	gone(t, func(t *testing.T, s *service) {
		s = s.signing()
		s.create(s.publish(policyOf(stage("check", "ana"))))
		last := s.checkpoint()
		_, err := s.Audit.RestartChain(t.Context(), root, "nothing is wrong")
		refused(t, "a valid chain", err, reason.WrongState)
		wftest.Disarm(t, s.db)
		for _, damage := range []string{
			"UPDATE event SET body = body || ' ' WHERE chain = 'service' AND seq = 1",
			"DELETE FROM event WHERE chain = 'service' AND seq = (SELECT max(seq) FROM event WHERE chain = 'service')",
			"UPDATE chain SET seq = 1, hash = 'x'",
			"UPDATE policy_version SET definition = '{}'",
			"UPDATE policy_version SET definition = '{}', status = 'retired'",
		} {
			s.publish(policyOf(stage("check", "ana"))) // a checkpoint is due
			s.exec(damage)
			s.advance(checkpointEvery)
			if err := s.replica().Audit.MakeCheckpoint(t.Context(), checkpointEvery); err == nil ||
				!strings.Contains(err.Error(), "audit chain invalid: service") {
				t.Errorf("%s: %v", damage, err)
			}
			now, err := s.store.Audit.Checkpoint(t.Context())
			if err != nil || now.JWS != last {
				t.Errorf("%s: signed: %+v, %v", damage, now, err)
			}
			s.counted(1)
			old, err := s.Audit.RestartChain(t.Context(), root, "incident 4711")
			must(t, err)
			equal(t, damage+": breaks after the restart", s.breaks(""), nil)
			events, _, err := s.Audit.ListAudit(t.Context(), wf.AuditFilter{Types: []audit.EventType{audit.EventAuditRestarted}}, wf.Page{Limit: 1})
			must(t, err)
			if e := events[0]; e.Reason != "incident 4711" || e.Actor.ID != root.ID || len(e.Breaks) == 0 || e.Breaks[0] != old.Breaks[0] || e.PrevHash == "" {
				t.Errorf("%s: event %+v of %+v", damage, e, old)
			}
			last = s.checkpoint()
			s.counted(0)
		}
		s.exec("UPDATE event SET body = body || ' ' WHERE type = 'audit.restarted'")
		if len(s.breaks("")) == 0 {
			t.Error("a forged restart is valid")
		}
	})
}

// A checkpoint is sent to endpoints that name it. The message has the signature, the trail does not.
func TestACheckpointIsSentToReceiversThatNameIt(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		s = s.signing()
		all := s.endpoint("all", func(e *outbox.Endpoint) { e.Events = []string{"*"} })
		witness := s.endpoint("witness", func(e *outbox.Endpoint) { e.Events = []string{"audit.checkpoint"} })
		_, err := s.Webhooks.CreateEndpoint(t.Context(), root, outbox.Endpoint{
			Name: "x", URL: "https://x.example/", Events: []string{"audit.*"}, Signature: outbox.SignHMAC, Enabled: true,
		}, "")
		refused(t, "a pattern of no event", err, reason.BadInput)
		s.begin(stage("check", "ana"))
		woken := s.woken.Load()
		token := s.checkpoint()
		if s.woken.Load() == woken {
			t.Error("the sender is not woken")
		}
		equal(t, "deliveries to *", s.told(all), nil)
		equal(t, "deliveries to the witness", s.told(witness), []string{"audit.checkpoint"})
		var message struct {
			Type string
			Data struct {
				Sequence                       int64
				Checkpoint                     string
				Request, Stage, Task, Decision *struct{}
			}
		}
		must(t, json.Unmarshal([]byte(s.rows(
			"SELECT payload FROM message WHERE event_id IN (SELECT id FROM event WHERE type = 'audit.checkpoint')")[0]),
			&message))
		if message.Type != "audit.checkpoint" || message.Data.Checkpoint != token ||
			message.Data.Sequence != s.claims(token).Seq || message.Data.Request != nil {
			t.Errorf("message %+v, want %s", message, token)
		}
		if body := s.rows("SELECT body FROM event WHERE type = 'audit.checkpoint'")[0]; strings.Contains(body, token[:40]) {
			t.Errorf("the trail has the signature: %s", body)
		}
	})
}

// A purge keeps the checkpoints, and the trail is valid after it.
func TestCheckpointsOutliveAPurge(t *testing.T) {
	gone(t, func(t *testing.T, s *service) {
		s = s.signing()
		key := s.toldOfAll("ledger")
		old := s.finished(key)
		must(t, s.Audit.RecordRefusal(t.Context(), eve,
			engine.Refusal{Operation: "x", About: wf.Resource{Type: "request", ID: old.ID}, ErrorCode: "WF-008", Message: "no"}))
		kept := []string{s.checkpoint()}
		s.delivered()
		s.advance(40 * day)
		s.finished(key)
		kept = append(kept, s.checkpoint())
		done, err := s.Deletion.Purge(t.Context(), engine.Retention{Requests: 30 * day, Deliveries: 30 * day, Refusals: 30 * day}, 10)
		if err != nil || done.Requests != 1 || done.Refusals != 1 {
			t.Fatalf("purged %+v, %v", done, err)
		}
		kept = append(kept, s.checkpoint())
		same(t, "checkpoints", len(s.rows("SELECT seq FROM event WHERE type = 'audit.checkpoint'")), 3)
		equal(t, "findings", s.findings(s.export(), kept...), nil)
	})
}

// export returns the whole trail, as the API exports it.
func (s *service) export() []byte {
	s.t.Helper()
	var out bytes.Buffer
	must(s.t, trail.WriteAll(&out, func(write func([]wf.StoredEvent) error) error {
		return s.Audit.ExportEvents(s.t.Context(), wf.AuditFilter{}, write)
	}))
	return out.Bytes()
}

// findings verifies an export with kept checkpoints, without the service.
func (s *service) findings(export []byte, kept ...string) []string {
	s.t.Helper()
	checkpoints, err := trail.ReadCheckpoints(strings.NewReader(strings.Join(kept, "\n")), s.keySet(), issuer)
	must(s.t, err)
	report, err := trail.Verify(bytes.NewReader(export), checkpoints)
	must(s.t, err)
	return report.Findings
}
