package engine_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	webhookadmin "github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/outbox/signing"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/policy"
)

// The races are run on PostgreSQL: SQLite has one writer and hides them.
func onPostgres(t *testing.T, fn func(t *testing.T, s *service)) {
	t.Helper()
	on(t, wftest.Schema.Postgres(t), func(t *testing.T, s *service) {
		fn(t, s)
		s.noDeadlocks()
	})
}

// noDeadlocks fails the test if PostgreSQL resolved a deadlock: a retry hides it from the caller
// although the lock order was violated. Connections report their counts at their end, so it checks
// after the last one.
func (s *service) noDeadlocks() {
	s.t.Helper()
	for _, db := range *s.opened {
		_ = db.Close()
	}
	s.open(s.options)
	timetest.Eventually(s.t, "the connections end", func() bool {
		return s.rows("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")[0] == "0"
	})
	if n := s.rows("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")[0]; n != "0" {
		s.t.Errorf("%s deadlocks", n)
	}
}

// together runs the calls at the same moment and returns their errors.
func together(calls ...func() error) []error {
	errs := make([]error, len(calls))
	start := make(chan struct{})
	var running sync.WaitGroup
	for i, call := range calls {
		running.Go(func() {
			<-start
			errs[i] = call()
		})
	}
	close(start)
	running.Wait()
	return errs
}

// times is the same call, n times.
func times(n int, call func(i int) error) []func() error {
	calls := make([]func() error, n)
	for i := range calls {
		calls[i] = func() error { return call(i) }
	}
	return calls
}

// tally counts the outcomes.
func tally(errs []error) map[string]int {
	counts := map[string]int{}
	for _, err := range errs {
		counts[outcome(err)]++
	}
	return counts
}

// call is one of two that race: on a replica, and on a request that has just started.
type call func(s *service, r wf.Request) error

// The racing operations. The task is named by its place, because it has other holders in
// some orders.
func decides(who string, task int, action wf.Action) call {
	return func(s *service, r wf.Request) error { return s.act(r.Tasks[task].ID, who, action) }
}

func claims(who string, task int) call {
	return func(s *service, r wf.Request) error { return s.claim(r.Tasks[task].ID, who) }
}

func withdraws(who string, task int) call {
	return func(s *service, r wf.Request) error { return s.withdraw(r.Tasks[task].ID, who) }
}

func moves(task int, to string) call {
	return func(s *service, r wf.Request) error { return s.reassign(r.Tasks[task].ID, to, root) }
}

func cancels(s *service, r wf.Request) error { return s.cancel(r.ID, rita) }

func resubmits(s *service, r wf.Request) error {
	_, err := s.Requests.ResubmitRequest(s.t.Context(), rita, r.ID, nil, "", "", "", nil)
	return err
}

func expires(s *service, r wf.Request) error {
	_, err := s.Timers.ExpireRequests(s.t.Context(), s.now(), 1000)
	return err
}

func delegates(from, to string) call {
	return func(s *service, r wf.Request) error {
		_, err := s.Delegations.CreateDelegation(s.t.Context(), person(from), s.leave(from, to))
		return err
	}
}

// revokes takes back the last delegation.
func revokes(s *service, r wf.Request) error {
	return s.revoke(s.rows("SELECT max(CAST(id AS text)) FROM delegation")[0], root)
}

func TestTwoAtOnceEndAsOneAfterTheOther(t *testing.T) {
	const rounds = 12 // of each
	// Outcomes of the two competing calls.
	const won, lost, barred = " ok", " wrong_state", " forbidden"
	type ends = map[string]wf.RequestStatus // by the outcomes of the two

	anaApproves := func(s *service, r wf.Request) { must(s.t, s.approve(r.Tasks[0].ID, "ana")) }
	tests := map[string]struct {
		stage policy.Stage
		setUp func(s *service, r wf.Request) // before the race
		a, b  call
		want  ends
	}{
		"the last two approvals": {stage("check", "ana", "bo"), nil,
			decides("ana", 0, wf.ActionApprove), decides("bo", 1, wf.ActionApprove), ends{won + won: wf.RequestApproved}},
		"two approvals where one is needed": {anyOf("check", "ana", "bo"), nil,
			decides("ana", 0, wf.ActionApprove), decides("bo", 1, wf.ActionApprove), ends{won + lost: wf.RequestApproved, lost + won: wf.RequestApproved}},
		"one approval sent twice": {stage("check", "ana"), nil,
			decides("ana", 0, wf.ActionApprove), decides("ana", 0, wf.ActionApprove), ends{won + lost: wf.RequestApproved, lost + won: wf.RequestApproved}},
		"an approval and a veto where one is needed": {anyOf("check", "ana", "bo"), nil,
			decides("ana", 0, wf.ActionApprove), decides("bo", 1, wf.ActionReject), ends{won + lost: wf.RequestApproved, lost + won: wf.RequestRejected}},
		"an approval and a veto where two are needed": {stage("check", "ana", "bo"), nil,
			decides("ana", 0, wf.ActionApprove), decides("bo", 1, wf.ActionReject), ends{won + won: wf.RequestRejected, lost + won: wf.RequestRejected}},
		"an approval and a request for changes": {anyOf("check", "ana", "bo"), nil,
			decides("ana", 0, wf.ActionApprove), decides("bo", 1, wf.ActionRequestChanges),
			ends{won + lost: wf.RequestApproved, lost + won: wf.RequestChangesRequested}},
		"a decision and a cancellation": {stage("check", "ana"), nil,
			decides("ana", 0, wf.ActionApprove), cancels, ends{won + lost: wf.RequestApproved, lost + won: wf.RequestCancelled}},
		"two cancellations": {stage("check", "ana"), nil,
			cancels, cancels, ends{won + lost: wf.RequestCancelled, lost + won: wf.RequestCancelled}},
		"two claims": {pool("check", 1, "ana", "bo"), nil,
			claims("ana", 0), claims("bo", 0), ends{won + lost: wf.RequestInReview, lost + won: wf.RequestInReview}},
		"one claim sent twice": {pool("check", 1, "ana", "bo"), nil,
			claims("ana", 0), claims("ana", 0), ends{won + won: wf.RequestInReview}},
		"one person claims two tasks": {pool("check", 2, "ana", "bo"), nil,
			claims("ana", 0), claims("ana", 1), ends{won + lost: wf.RequestInReview, lost + won: wf.RequestInReview}},
		"a claim and a decision from the pool": {pool("check", 1, "ana", "bo"), nil,
			claims("ana", 0), decides("bo", 0, wf.ActionApprove), ends{won + lost: wf.RequestInReview, lost + won: wf.RequestApproved}},
		"two decisions from the pool": {pool("check", 2, "ana", "bo"), nil,
			decides("ana", 0, wf.ActionApprove), decides("bo", 1, wf.ActionApprove), ends{won + won: wf.RequestApproved}},
		"one person decides two tasks of the pool": {pool("check", 2, "ana", "bo"), nil,
			decides("ana", 0, wf.ActionApprove), decides("ana", 1, wf.ActionApprove), ends{won + lost: wf.RequestInReview, lost + won: wf.RequestInReview}},
		"a decision and a reassignment": {stage("check", "ana"), nil,
			decides("ana", 0, wf.ActionApprove), moves(0, "bo"), ends{won + lost: wf.RequestApproved, barred + won: wf.RequestInReview}},
		"two tasks to one person": {stage("check", "ana", "bo"), nil,
			moves(0, "cy"), moves(1, "cy"), ends{won + lost: wf.RequestInReview, lost + won: wf.RequestInReview}},
		"a task to the claimant of another": {pool("check", 2, "ana", "bo", "cy"), nil,
			moves(0, "cy"), claims("cy", 1), ends{won + lost: wf.RequestInReview, lost + won: wf.RequestInReview}},
		"two resubmissions": {stage("check", "ana"), func(s *service, r wf.Request) { must(s.t, s.act(r.Tasks[0].ID, "ana", wf.ActionRequestChanges)) },
			resubmits, resubmits, ends{won + lost: wf.RequestInReview, lost + won: wf.RequestInReview}},
		"a resubmission and a cancellation": {stage("check", "ana"),
			func(s *service, r wf.Request) { must(s.t, s.act(r.Tasks[0].ID, "ana", wf.ActionRequestChanges)) },
			resubmits, cancels, ends{won + won: wf.RequestCancelled, lost + won: wf.RequestCancelled}},
		"a rescue and a cancellation": {stage("check", "rita"), nil,
			moves(0, "ana"), cancels, ends{won + won: wf.RequestCancelled, lost + won: wf.RequestCancelled}},
		"a decision and the end of its time": {stage("check", "ana"), func(s *service, _ wf.Request) { s.advance(31 * 24 * time.Hour) },
			decides("ana", 0, wf.ActionApprove), expires, ends{lost + won: wf.RequestExpired}},
		"a claim and the end of its time": {stage("check", "ana"), func(s *service, _ wf.Request) { s.advance(31 * 24 * time.Hour) },
			claims("ana", 0), expires, ends{lost + won: wf.RequestExpired}},
		"the end of its time, found by two": {stage("check", "ana"), func(s *service, _ wf.Request) { s.advance(31 * 24 * time.Hour) },
			expires, expires, ends{won + won: wf.RequestExpired}},
		"a decision of both": {stage("check", "ana"), func(s *service, _ wf.Request) { s.delegate("ana", "dora") },
			decides("dora", 0, wf.ActionApprove), decides("ana", 0, wf.ActionApprove), ends{won + lost: wf.RequestApproved, lost + won: wf.RequestApproved}},
		"claims of two delegates": {stage("check", "ana"), func(s *service, _ wf.Request) { s.delegate("ana", "dora"); s.delegate("ana", "dan") },
			claims("dora", 0), claims("dan", 0), ends{won + lost: wf.RequestInReview, lost + won: wf.RequestInReview}},
		"a delegate of two decides both": {stage("check", "ana", "bo"),
			func(s *service, _ wf.Request) { s.delegate("ana", "dora"); s.delegate("bo", "dora") },
			decides("dora", 0, wf.ActionApprove), decides("dora", 1, wf.ActionApprove), ends{won + lost: wf.RequestInReview, lost + won: wf.RequestInReview}},
		"a decision and its delegation": {stage("check", "ana"), nil,
			decides("dora", 0, wf.ActionApprove), delegates("ana", "dora"), ends{won + won: wf.RequestApproved, barred + won: wf.RequestInReview}},
		"a decision and the revocation of its delegation": {stage("check", "ana"), func(s *service, _ wf.Request) { s.delegate("ana", "dora") },
			decides("dora", 0, wf.ActionApprove), revokes, ends{won + won: wf.RequestApproved, barred + won: wf.RequestInReview}},
		"a decision on a claimed task and the revocation of its delegation": {stage("check", "ana"),
			func(s *service, r wf.Request) { s.delegate("ana", "dora"); must(s.t, s.claim(r.Tasks[0].ID, "dora")) },
			decides("dora", 0, wf.ActionApprove), revokes, ends{won + won: wf.RequestApproved, barred + won: wf.RequestInReview}},
		"a decision from the pool and the revocation of its delegation": {pool("check", 1, "ana", "bo"),
			func(s *service, r wf.Request) { s.delegate("ana", "dora") },
			decides("dora", 0, wf.ActionApprove), revokes, ends{won + won: wf.RequestApproved, barred + won: wf.RequestInReview}},
		"a decision of the delegator and the revocation": {pool("check", 1, "ana", "bo"), func(s *service, r wf.Request) { s.delegate("ana", "dora") },
			decides("ana", 0, wf.ActionApprove), revokes, ends{won + won: wf.RequestApproved}},
		"a withdrawal and the approval that ends the stage": {stage("check", "ana", "bo"), anaApproves,
			withdraws("ana", 0), decides("bo", 1, wf.ActionApprove),
			ends{won + won: wf.RequestInReview, lost + won: wf.RequestApproved}},
		"a withdrawal and the rejection that ends the stage": {stage("check", "ana", "bo"), anaApproves,
			withdraws("ana", 0), decides("bo", 1, wf.ActionReject),
			ends{won + won: wf.RequestRejected, lost + won: wf.RequestRejected}},
		"two withdrawals": {stage("check", "ana", "bo"), anaApproves,
			withdraws("ana", 0), withdraws("ana", 0), ends{won + lost: wf.RequestInReview, lost + won: wf.RequestInReview}},
		"a withdrawal and a cancellation": {stage("check", "ana", "bo"), anaApproves,
			withdraws("ana", 0), cancels, ends{won + won: wf.RequestCancelled, lost + won: wf.RequestCancelled}},
		"a reassignment and the decision of a delegate": {stage("check", "ana"), func(s *service, _ wf.Request) { s.delegate("ana", "dora") },
			moves(0, "cy"), decides("dora", 0, wf.ActionApprove), ends{won + barred: wf.RequestInReview, lost + won: wf.RequestApproved}},
	}
	onPostgres(t, func(t *testing.T, s *service) {
		other := s.replica()
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				s, other := s.under(t), other.under(t)
				key := s.publish(policyOf(tt.stage))
				for range rounds {
					s.advance(2 * time.Hour) // delegations of the last round have ended
					_, err := s.Delegations.RecordDelegations(t.Context(), s.now(), 1000)
					must(t, err)
					r := s.create(key)
					if tt.setUp != nil {
						tt.setUp(s, r)
					}
					errs := together(func() error { return tt.a(s, r) }, func() error { return tt.b(other, r) })
					got := " " + outcome(errs[0]) + " " + outcome(errs[1])
					want, possible := tt.want[got]
					if !possible {
						t.Fatalf("outcomes%s, want one of %v: %s", got, tt.want, describe(s.read(r.ID)))
					}
					if after := s.read(r.ID); after.Status != want {
						t.Fatalf("outcomes%s, and the request is %s, want %s", got, describe(after), want)
					}
					if !want.Final() {
						must(t, s.cancel(r.ID, rita))
					}
				}
			})
		}
	})
}

func TestEqualCallsWithOneKeyHaveOneEffect(t *testing.T) {
	const keys, callers = 8, 64
	onPostgres(t, func(t *testing.T, s *service) {
		replicas := []*service{s, s.replica()}
		policyKey := s.publish(policyOf(stage("check", "ana")))
		for k := range keys {
			replies := make([]engine.Reply, callers)
			errs := together(times(callers, func(i int) (err error) {
				replies[i], err = replicas[i%2].Requests.CreateRequest(t.Context(), rita, input(policyKey), keyOf(rita, fmt.Sprint("key-", k), "body"))
				return err
			})...)
			must(t, errs...)
			first := 0
			for _, reply := range replies {
				if !reply.Replayed {
					first++
				}
				if string(reply.Body) != string(replies[0].Body) {
					t.Fatalf("bodies differ: %s and %s", reply.Body, replies[0].Body)
				}
			}
			if first != 1 {
				t.Fatalf("%d of %d replies are the first, want 1", first, callers)
			}
		}
		if n := s.rows("SELECT count(*) FROM request")[0]; n != fmt.Sprint(keys) {
			t.Errorf("%s requests for %d keys", n, keys)
		}
	})
}

func TestARefusedCallLeavesItsKeyToTheNext(t *testing.T) {
	onPostgres(t, func(t *testing.T, s *service) {
		other := s.replica()
		for round := range 20 {
			r := s.begin(stage("check", "ana"))
			rep := keyOf(person("ana"), fmt.Sprint("key-", round), "f")
			errs := together(
				func() error { return cancels(s, r) },
				func() error {
					_, err := other.Tasks.DecideTask(t.Context(), person("ana"), r.Tasks[0].ID, wf.DecisionInput{Action: wf.ActionApprove}, "", rep)
					return err
				},
				func() error {
					_, err := s.Tasks.DecideTask(t.Context(), person("ana"), r.Tasks[0].ID, wf.DecisionInput{Action: wf.ActionApprove}, "", rep)
					return err
				},
			)
			// The twins end alike: both decided, or both came too late.
			if outcome(errs[1]) != outcome(errs[2]) || (errs[0] == nil) == (errs[1] == nil) {
				t.Fatalf("outcomes %v", tally(errs))
			}
		}
	})
}

func TestConcurrentCreatesLeaveOneOpenRequestPerArtifact(t *testing.T) {
	onPostgres(t, func(t *testing.T, s *service) {
		replicas := []*service{s, s.replica()}
		key := s.publish(policyOf(stage("check", "ana")))
		for round := range 10 {
			artifact := func(in *engine.RequestInput) { in.ArtifactType, in.ArtifactID = "batch", fmt.Sprint(round) }
			errs := together(times(16, func(i int) error {
				_, err := replicas[i%2].Requests.CreateRequest(t.Context(), rita, input(key, artifact), nil)
				return err
			})...)
			if got := tally(errs); got["ok"] != 1 || got["wrong_state"] != 15 {
				t.Fatalf("outcomes %v, want one winner", got)
			}
		}
	})
}

func TestVersionsThatAreActivatedAtOnceLeaveOneActive(t *testing.T) {
	const callers = 64
	onPostgres(t, func(t *testing.T, s *service) {
		replicas := []*service{s, s.replica()}
		key := s.publish(policyOf(stage("check", "ana")))
		_, _, err := s.Policies.AddVersion(t.Context(), root, key, given(policyOf(stage("check", "bo"))))
		must(t, err)
		// Requests that start meanwhile follow one of the two: there is never none.
		starts := make([]int, 16)
		errs := together(append(
			times(callers, func(i int) error {
				_, err := replicas[i%2].Policies.ActivateVersion(t.Context(), root, key, 1+i/2%2, "", "")
				return err
			}),
			times(len(starts), func(i int) error {
				reply, err := replicas[i%2].Requests.CreateRequest(t.Context(), rita, input(key), nil)
				starts[i] = reply.Case.Request.PolicyVersion
				return err
			})...)...)
		if got := tally(errs); got["ok"] != len(errs) {
			t.Errorf("outcomes %v, want all of %d ok", got, len(errs))
		}
		for _, version := range starts {
			if version != 1 && version != 2 {
				t.Errorf("a request follows version %d", version)
			}
		}
		if active := s.rows("SELECT number FROM policy_version WHERE policy_key = ? AND status = 'active'", key); len(active) != 1 {
			t.Errorf("active: %v, want one", active)
		}
	})
}

func TestVersionsThatAreWrittenAtOnceAreNumberedWithoutAGap(t *testing.T) {
	onPostgres(t, func(t *testing.T, s *service) {
		replicas := []*service{s, s.replica()}
		errs := together(times(16, func(i int) error {
			_, err := replicas[i%2].Policies.CreatePolicy(t.Context(), root, "spend", policyOf(stage("check", "ana")))
			return err
		})...)
		if got := tally(errs); got["ok"] != 1 || got["policy_exists"] != 15 {
			t.Errorf("creations %v, want one winner", got)
		}
		numbers := make([]int, 16)
		must(t, together(times(16, func(i int) error {
			v, _, err := replicas[i%2].Policies.AddVersion(t.Context(), root, "spend", given(policyOf(stage("check", "ana"))))
			numbers[i] = v.Number
			return err
		})...)...)
		slices.Sort(numbers)
		for i, n := range numbers {
			if n != i+2 {
				t.Fatalf("numbers %v, want 2 to 17", numbers)
			}
		}
	})
}

func TestAnEditAndAnActivationAtOnce(t *testing.T) {
	onPostgres(t, func(t *testing.T, s *service) {
		other := s.replica()
		for i := range 20 {
			key := s.publish(policyOf(stage("check", "ana")))
			seen, _, err := s.Policies.AddVersion(t.Context(), root, key, given(policyOf(stage("check", "bo"))))
			must(t, err)
			hash := []string{"", seen.ContentHash}[i%2]
			errs := together(
				func() error {
					_, err := s.Policies.UpdateVersion(t.Context(), root, key, 2, "", renamed("Edited"))
					return err
				},
				func() error { _, err := other.Policies.ActivateVersion(t.Context(), eve, key, 2, "", hash); return err },
			)
			v, err := s.Policies.GetVersion(t.Context(), key, 2)
			must(t, err)
			edited := v.Definition.Name == "Edited"
			if hash != "" && edited { // not the content that eve has read
				if outcome(errs[1]) != "forbidden" || v.Status != policy.VersionDraft || errs[0] != nil {
					t.Fatalf("outcomes %v, and the version is %s", errs, v.Status)
				}
				continue
			}
			if outcome(errs[1]) != "ok" || v.Status != policy.VersionActive || edited != (errs[0] == nil) || !edited && outcome(errs[0]) != "wrong_state" {
				t.Fatalf("outcomes %v, and the version is %s, edited %t", errs, v.Status, edited)
			}
		}
	})
}

// Workers send while admins recover: each delivery is sent in one more cycle, once.
func TestARecoveryWhileWorkersRunStartsOneCycleOfEach(t *testing.T) {
	const deliveries, recoveries, workers = 500, 8, 4
	onPostgres(t, func(t *testing.T, s *service) {
		replicas := []*service{s, s.replica()}
		_, ledger := s.failed(deliveries)
		s.advance(time.Minute)
		var recovered atomic.Int64
		calls := times(recoveries, func(i int) error {
			out, err := replicas[i%2].Webhooks.RecoverDeliveries(t.Context(), root, recovery)
			recovered.Add(int64(out.Retried))
			return err
		})
		var sent atomic.Int64
		calls = append(calls, times(workers, func(i int) error {
			for sent.Load() < deliveries {
				n, err := replicas[i%2].finish(16, outbox.Result{StatusCode: 200})
				if err != nil {
					return err
				}
				sent.Add(int64(n))
				if t.Context().Err() != nil {
					return t.Context().Err()
				}
			}
			return nil
		})...)
		must(t, together(calls...)...)
		if recovered.Load() != deliveries || sent.Load() != deliveries {
			t.Errorf("%d recovered and %d sent, want %d each", recovered.Load(), sent.Load(), deliveries)
		}
		equal(t, "deliveries", s.rows(
			"SELECT status || ' ' || cycle || ' ' || count(*) FROM delivery WHERE endpoint_id = ? GROUP BY status, cycle",
			ledger.ID), []string{fmt.Sprintf("delivered 2 %d", deliveries)})
		equal(t, "attempts", s.rows("SELECT CAST(count(*) AS text) FROM delivery_attempt WHERE cycle = 2"), []string{fmt.Sprint(deliveries)})
		s.exec("DELETE FROM delivery_attempt")
		s.exec("DELETE FROM delivery WHERE target LIKE 'copy %'")
	})
}

// Events are written for an endpoint that is disabled, changed or deleted at the same time. No
// delivery to it stays pending, and no transactions deadlock.
func TestAnEndpointMayGoWhileEventsAreWrittenForIt(t *testing.T) {
	const rounds = 10
	onPostgres(t, func(t *testing.T, s *service) {
		other := s.replica()
		for round := range rounds {
			ledger := s.endpoint(fmt.Sprintf("ledger%d", round), func(e *outbox.Endpoint) { e.Events, e.PolicyKeys = []string{"*"}, []string{"*"} })
			key := s.publish(policyOf(stage("check", "ana")))
			calls := times(10, func(int) error {
				_, err := other.Requests.CreateRequest(t.Context(), rita, input(key), nil)
				return err
			})
			calls = append(calls,
				func() error {
					_, err := s.Webhooks.UpdateEndpoint(t.Context(), root, ledger.ID, "", webhookadmin.Change{Enabled: new(false)})
					return err
				},
				func() error { _, err := other.Webhooks.TestEndpoint(t.Context(), root, ledger.ID); return err },
				func() error {
					_, err := s.Webhooks.RotateSecret(t.Context(), root, ledger.ID, "", time.Hour)
					return err
				},
				func() error {
					_, err := other.Webhooks.RecoverDeliveries(t.Context(), root, but(recovery, func(r *outbox.Recovery) { r.Status = outbox.RecoverCancelled }))
					return err
				},
				func() error { _, err := s.store.Outbox.ClaimDeliveries(t.Context(), claimer, 5); return err },
			)
			if round%2 == 0 {
				calls = append(calls, func() error { _, err := other.Webhooks.DeleteEndpoint(t.Context(), root, ledger.ID, ""); return err })
			}
			for _, err := range together(calls...) {
				switch outcome(err) {
				case "ok", "wrong_state", "endpoint_not_found":
				default:
					t.Fatal(err)
				}
			}
		}
		s.advance(2 * time.Minute) // earlier leases have expired
		for range 200 {
			if _, err := s.store.Outbox.ClaimDeliveries(t.Context(), claimer, 100); err != nil {
				t.Fatal(err)
			}
		}
		equal(t, "what still waits", s.rows("SELECT DISTINCT status FROM delivery WHERE status = 'sending'"), nil)
	})
}

func TestEachRotationAtOnceHasItsSecret(t *testing.T) {
	onPostgres(t, func(t *testing.T, s *service) {
		ledger := s.endpoint("ledger")
		var mu sync.Mutex
		secrets := map[string]bool{}
		must(t, together(times(20, func(int) error {
			shown, err := s.Webhooks.RotateSecret(t.Context(), root, ledger.ID, "", time.Hour)
			mu.Lock()
			defer mu.Unlock()
			secrets[shown.Secret] = true
			return err
		})...)...)
		after, err := s.Webhooks.Endpoint(t.Context(), ledger.ID)
		if must(t, err); after.Rev != ledger.Rev+20 || len(secrets) != 20 {
			t.Errorf("revision %d and %d secrets, want %d and 20", after.Rev, len(secrets), ledger.Rev+20)
		}
		for _, sealed := range after.Keys(s.now()) {
			key, err := signing.Open(s.options.Keys, ledger.ID, sealed)
			if must(t, err); !secrets[key.Secret()] {
				t.Error("a key without a disclosed secret signs")
			}
		}
	})
}
