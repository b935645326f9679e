package engine_test

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// unsound are queries that find nothing in a sound database, whatever happened and
// in whatever order. A query that fails is a failure too.
var unsound = map[string]string{
	"an open request without a possible step": `SELECT r.id FROM request r WHERE r.status IN ('in_review', 'blocked')
		AND NOT EXISTS (SELECT 1 FROM task t WHERE t.request_id = r.id AND t.status IN ('open', 'claimed'))
		AND r.retry_ms = 0`,
	"a blocked request without a rescue task": `SELECT r.id FROM request r
		WHERE r.status = 'blocked' AND NOT EXISTS (SELECT 1 FROM task t WHERE t.request_id = r.id AND t.kind = 'rescue' AND t.status IN ('open', 'claimed'))`,
	"a rescue task of a request that is not blocked": `SELECT r.id FROM request r
		WHERE r.status <> 'blocked' AND EXISTS (SELECT 1 FROM task t WHERE t.request_id = r.id AND t.kind = 'rescue' AND t.status IN ('open', 'claimed'))`,
	"work left of a request that is over or sent back": `SELECT t.id FROM task t JOIN request r ON r.id = t.request_id
		WHERE r.status NOT IN ('in_review', 'blocked') AND t.status IN ('open', 'claimed')`,
	"a time of completion where there is none, or the reverse": `SELECT id FROM request
		WHERE (completed_ms > 0) <> (status IN ('approved', 'rejected', 'cancelled', 'expired'))`,
	"a completed task without a decision, or the reverse": `SELECT id FROM task WHERE (status = 'completed') <> (action <> '')`,
	"a claimed task without an assignee":                  `SELECT id FROM task WHERE status = 'claimed' AND assignee_id = ''`,
	"a chain of events with a gap":                        `SELECT chain FROM event WHERE chain <> 'service' GROUP BY chain HAVING count(*) <> max(seq) OR min(seq) <> 1`,
	"a key without a reply":                               `SELECT value FROM idempotency_key WHERE status = 0`,
	"two active versions":                                 `SELECT policy_key FROM policy_version WHERE status = 'active' GROUP BY policy_key HAVING count(*) > 1`,
	"two open requests for one artifact":                  `SELECT policy_key FROM request WHERE one_open AND status IN ('in_review', 'blocked', 'changes_requested') GROUP BY policy_key, artifact_type, artifact_id HAVING count(*) > 1`,
	"a delivery that is not done and not in the outbox, or the reverse": `SELECT id FROM delivery WHERE status = 'sending' AND id NOT IN (SELECT id FROM outbox)
		UNION ALL SELECT id FROM outbox o WHERE NOT EXISTS (SELECT 1 FROM delivery d WHERE d.id = o.id AND d.status = 'sending')`,
	"a delivery of an event that is unknown": `SELECT d.id FROM delivery d LEFT JOIN event e ON e.id = d.event_id AND e.chain = coalesce(CAST(d.subject AS text), 'service') WHERE e.id IS NULL`,
}

// sound fails the test if the database holds a state that no order of calls may produce.
func (s *service) sound() {
	s.t.Helper()
	for what, query := range unsound {
		if found := s.rows(query); len(found) > 0 {
			s.t.Errorf("%s: %v", what, found)
		}
	}
	for _, id := range append(s.rows("SELECT id FROM request ORDER BY id"), "") {
		bad, _, err := s.Audit.VerifyEvents(s.t.Context(), id)
		if err != nil || bad.FirstBad != 0 {
			s.t.Errorf("chain %q: %+v, %v", id, bad, err)
		}
		if id != "" {
			s.soundRequest(s.read(id))
		}
	}
	for _, body := range s.rows("SELECT body FROM idempotency_key") {
		var reply struct {
			Response struct {
				ID      string
				Request struct{ ID string } // of a decision
			}
		}
		if err := json.Unmarshal([]byte(body), &reply); err != nil {
			s.t.Errorf("stored reply %q: %v", body, err)
			continue
		}
		id := cmp.Or(reply.Response.ID, reply.Response.Request.ID)
		if len(s.rows("SELECT id FROM request WHERE id = ?", id)) != 1 {
			s.t.Errorf("stored reply %q names no request", body)
		}
	}
}

// soundRequest recomputes a request from its decisions and events.
func (s *service) soundRequest(r wf.Request) {
	s.t.Helper()
	def, err := s.store.Policies.Definition(s.t.Context(), r.PolicyKey, r.PolicyVersion)
	must(s.t, err)
	for _, run := range r.Stages {
		for _, problem := range soundStage(r, run) {
			s.t.Errorf("stage %s: %s: request %s is %s", run.Key, problem, r.ID, describe(r))
		}
	}
	if problem := stuck(r); problem != "" {
		s.t.Errorf("%s: request %s is %s", problem, r.ID, describe(r))
	}
	for _, task := range r.Tasks {
		if d := task.Decision; d != nil && !def.Settings.RequesterMayApprove && (d.Actor.ID == r.Requester.ID || d.Actor.ID == r.SubmittedBy.ID) {
			s.t.Errorf("%s decided on their own request %s", d.Actor.ID, r.ID)
		}
	}
	types := s.types(r.ID)
	ends := 0
	for i, kind := range types {
		switch kind {
		case audit.EventRequestApproved, audit.EventRequestRejected, audit.EventRequestCancelled, audit.EventRequestExpired:
			ends++
			if !slices.Equal(types[i+1:], afterEnd(types[i+1:])) || kind != audit.EventType("request."+string(r.Status)) {
				s.t.Errorf("request %s is %s, and its events are %v", r.ID, r.Status, types)
			}
		}
	}
	if ended := r.Status.Final(); ended != (ends == 1) {
		s.t.Errorf("request %s is %s, and ended %d times: %v", r.ID, r.Status, ends, types)
	}
	s.soundDeliveries(r)
}

// soundStage returns the states of a stage run that no order of calls may produce.
func soundStage(r wf.Request, run wf.StageRun) (problems []string) {
	bad := func(is bool, problem string) {
		if is {
			problems = append(problems, problem)
		}
	}
	running := run.Status == wf.StageActive || run.Status == wf.StageBlocked
	waits := run.Status == wf.StageResolving || run.Status == wf.StageBlocked
	goes := r.Status == wf.RequestInReview || r.Status == wf.RequestBlocked
	bad((running || waits || run.Status == wf.StagePending) && !goes, "it runs in a request that does not")
	seats, holders, actors, decided := map[int]bool{}, map[string]bool{}, map[string]bool{}, false
	for _, t := range r.Tasks {
		if !run.Owns(t) {
			continue
		}
		live := t.Status == wf.TaskOpen || t.Status == wf.TaskClaimed
		bad(live && !running, "it is over and has an open task")
		bad(seats[t.Seat], "a seat has two tasks")
		seats[t.Seat] = true
		if t.Assignee != nil && t.Kind == wf.ApproverTask && (live || t.Status == wf.TaskCompleted) {
			bad(holders[t.Assignee.ID], "a person has two tasks")
			holders[t.Assignee.ID] = true
		}
		if d := t.Decision; d != nil {
			decided = true
			bad(d.Actor.Kind != identity.ActorSystem && actors[d.Actor.ID], "a person decided twice")
			actors[d.Actor.ID] = true
		}
	}
	bad(!run.RetryAt.IsZero() && !waits, "it is tried again without a reason")
	bad(run.RetryAt.IsZero() && (run.Status == wf.StageResolving || run.Status == wf.StageBlocked && !decided), "it is not tried again")
	bad(!run.RetryAt.IsZero() && run.Status == wf.StageBlocked && decided, "it is blocked by a decision and tried again")
	return problems
}

// soundDeliveries compares the deliveries of a request with its events and targets: one delivery
// per event and target. Changed endpoints are skipped, since their earlier subscriptions are
// unknown.
func (s *service) soundDeliveries(r wf.Request) {
	s.t.Helper()
	endpoints, _, err := s.Webhooks.Endpoints(s.t.Context(), outbox.EndpointFilter{}, wf.Page{Limit: 200})
	must(s.t, err)
	endpoints = slices.DeleteFunc(endpoints, func(e outbox.Endpoint) bool { return e.Rev != 1 })
	var found []struct{ EventID, EndpointID, URL string }
	err = s.db.Read(s.t.Context()).Raw("SELECT event_id, endpoint_id, url FROM delivery WHERE subject = ?", r.ID).Scan(&found).Error
	must(s.t, err)
	var got, want []string
	for _, d := range found {
		if d.EndpointID == "" || slices.ContainsFunc(endpoints, func(e outbox.Endpoint) bool { return e.ID == d.EndpointID }) {
			got = append(got, d.EventID+" "+cmp.Or(d.EndpointID, d.URL))
		}
	}
	var events []struct {
		ID, Type string
		AtMS     int64
	}
	must(s.t, s.db.Read(s.t.Context()).Raw("SELECT id, type, at_ms FROM event WHERE chain = ?", r.ID).Scan(&events).Error)
	for _, event := range events {
		id, kind := event.ID, event.Type
		for _, e := range endpoints {
			if e.Enabled && event.AtMS >= e.CreatedAt.UnixMilli() && selects(e.Events, kind) && selects(e.PolicyKeys, r.PolicyKey) {
				want = append(want, id+" "+e.ID)
			}
		}
		if r.CallbackURL != "" && selects([]string{"request.*"}, kind) {
			want = append(want, id+" "+r.CallbackURL)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.t.Errorf("deliveries of request %s: %v, want %v", r.ID, got, want)
	}
}

// selects reports whether one of the patterns does.
func selects(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// afterEnd returns the events that may follow the end of a request: comments, and one end of the standing after
// its announcement.
func afterEnd(types []audit.EventType) (allowed []audit.EventType) {
	ended := false
	for _, kind := range types {
		switch kind {
		case audit.EventRequestLapsed, audit.EventRequestRevoked, audit.EventRequestConsumed:
			if ended {
				continue
			}
			ended = true
		case audit.EventRequestLapsing:
			if ended {
				continue
			}
		case audit.EventRequestCommented:
		default:
			continue
		}
		allowed = append(allowed, kind)
	}
	return allowed
}
