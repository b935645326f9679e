package store_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// reads are the queries that a store makes.
type reads struct {
	f       *fixture
	queries []query
}

type query struct {
	text string
	args []any
}

// watch remembers the queries that a fixture's store makes from now on.
func watch(f *fixture) *reads {
	r := &reads{f: f}
	keep := func(db *gorm.DB) {
		if !db.DryRun { // a part of another query
			r.queries = append(r.queries, query{db.Statement.SQL.String(), slices.Clone(db.Statement.Vars)})
		}
	}
	callbacks := f.db.Read(f.t.Context()).Callback()
	for _, err := range []error{callbacks.Query().After("gorm:query").Register("watch", keep), callbacks.Row().After("gorm:row").Register("watch", keep)} {
		if err != nil {
			f.t.Fatal(err)
		}
	}
	return r
}

// blocks makes the queries once more, and returns how many blocks PostgreSQL reads.
func (r *reads) blocks() (n int) {
	r.f.t.Helper()
	db := r.f.db.Read(r.f.t.Context()).Statement.ConnPool
	for _, q := range r.queries {
		var plans []struct {
			Plan struct {
				Hit  int `json:"Shared Hit Blocks"`
				Read int `json:"Shared Read Blocks"`
			}
		}
		var text string
		err := db.QueryRowContext(r.f.t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+q.text, q.args...).Scan(&text)
		if err == nil {
			err = json.Unmarshal([]byte(text), &plans)
		}
		if err != nil {
			r.f.t.Fatalf("%s: %v", q.text, err)
		}
		n += plans[0].Plan.Hit + plans[0].Plan.Read
	}
	r.queries = nil
	return n
}

// copies adds n requests like the one with a title, each a second later than the one before
// and all later than what there is, with their people, tasks and inboxes.
func (f *fixture) copies(title string, n int) {
	f.t.Helper()
	for _, statement := range []string{
		`CREATE TABLE copy AS SELECT r.id AS template, gen_random_uuid() AS id, (SELECT max(created_ms) FROM request) - r.created_ms + 1000 * n AS later, n
			FROM request r, generate_series(1, ` + strconv.Itoa(n) + `) AS n WHERE r.title = '` + title + `'`,
		`INSERT INTO request SELECT c.* FROM copy JOIN request r ON r.id = copy.template CROSS JOIN LATERAL jsonb_populate_record(r, jsonb_build_object(
			'id', copy.id, 'title', 'Copy', 'artifact_id', 'A-' || later, 'folded_title', 'copy', 'folded_artifact_id', 'a-' || later, 'created_ms', r.created_ms + later, 'updated_ms', r.updated_ms + later)) AS c`,
		`INSERT INTO participant SELECT p.* FROM copy JOIN participant t ON t.request_id = copy.template
			CROSS JOIN LATERAL jsonb_populate_record(t, jsonb_build_object('request_id', copy.id, 'created_ms', t.created_ms + later)) AS p`,
		`INSERT INTO task SELECT c.* FROM copy JOIN task t ON t.request_id = copy.template CROSS JOIN LATERAL jsonb_populate_record(t, jsonb_build_object(
			'id', gen_random_uuid(), 'request_id', copy.id, 'stage_run_id', gen_random_uuid(), 'created_ms', t.created_ms + later)) AS c`,
		`INSERT INTO stage_run SELECT c.* FROM copy JOIN stage_run s ON s.request_id = copy.template CROSS JOIN LATERAL jsonb_populate_record(s, jsonb_build_object(
			'id', gen_random_uuid(), 'request_id', copy.id)) AS c`,
		`INSERT INTO inbox (user_id, role, status, urgency, created_ms, task_id, request_id, kind, stage_key, policy_key, artifact_type, due_ms)
			SELECT t.assignee_id, 'holder', t.status, t.urgency, t.created_ms, t.id, t.request_id, t.kind, t.stage_key, t.policy_key, t.artifact_type, t.due_ms
			FROM copy JOIN task t ON t.request_id = copy.id WHERE t.status = 'open'`,
		"DROP TABLE copy",
	} {
		f.exec(statement)
	}
}

// Each list has many old rows, and many that do not match the filter.
func TestAPageReadsABoundedNumberOfBlocks(t *testing.T) {
	f := onPostgres(t, 0)
	f.addPolicy("q")
	defer store.LimitReads(store.LimitReads(100, 100))
	template := func(title, policy, requester, approver string, status wf.RequestStatus, task wf.TaskStatus) {
		r := withTask(f.newRequest(), "s-"+policy, approver)
		r.Title, r.PolicyKey, r.ArtifactType, r.Status, r.Tasks[0].Status = title, policy, policy+"-type", status, task
		r.Requester, r.SubmittedBy = identity.User{ID: requester}, identity.User{ID: requester}
		r.Labels = map[string]string{"title": title}
		if title == "open" {
			r.Stages[0].Clock = wf.Clock{DueAt: f.clock().Add(time.Hour), OnDue: "notify", TimerAt: f.clock().Add(time.Hour), RemindedAt: f.clock()}
		}
		if status == wf.RequestApproved {
			r.Standing, r.ValidUntil, r.CompletedAt = wf.StandingInForce, f.clock().Add(time.Hour), f.clock()
		}
		f.addRequest(r)
	}
	template("old", "p", "olga", "oona", wf.RequestApproved, wf.TaskCompleted)
	template("rare", "q", "rita", "ren", wf.RequestRejected, wf.TaskCompleted)
	template("open", "p", "rosa", "ana", wf.RequestInReview, wf.TaskOpen)
	template("over", "p", "rosa", "ana", wf.RequestApproved, wf.TaskCompleted)
	f.copies("old", 1_100) // more than are read and sorted
	f.copies("rare", 60)

	lists := map[string]func() error{}
	for _, sort := range []string{"created_at", "updated_at"} {
		for name, filter := range map[string]wf.RequestFilter{
			"":                            {},
			"status":                      {Status: []wf.RequestStatus{wf.RequestInReview}},
			"a rare status":               {Status: []wf.RequestStatus{wf.RequestRejected}},
			"a status that none has":      {Status: []wf.RequestStatus{wf.RequestExpired}},
			"policy":                      {PolicyKey: []string{"p"}},
			"a rare policy":               {PolicyKey: []string{"q"}},
			"type":                        {ArtifactType: []string{"p-type"}},
			"a rare type":                 {ArtifactType: []string{"q-type"}},
			"policy and another's status": {PolicyKey: []string{"p"}, Status: []wf.RequestStatus{wf.RequestRejected}},
			"policy and another's type":   {PolicyKey: []string{"p"}, ArtifactType: []string{"q-type"}},
			"artifact":                    {ArtifactID: []string{"A-1000"}},
			"requester":                   {Requester: "rosa"},
			"an old requester":            {Requester: "olga"},
			"an old requester and status": {Requester: "olga", Status: []wf.RequestStatus{wf.RequestRejected}},
			"an old participant":          {Participant: "oona"},
			"participant and policy":      {Own: "oona", PolicyKey: []string{"q"}},
			"participant and status":      {Own: "oona", Status: []wf.RequestStatus{wf.RequestInReview}},
			"requester and participant":   {Requester: "olga", Participant: "ana"},
			"label":                       {Labels: map[string]string{"title": "rare"}},
			"an old text":                 {Q: "rare"},
			"what many have, and is old":  {Q: "copy", CreatedBefore: f.clock().Add(-time.Hour)},
			"a short text":                {Q: "zx"},
			"standing":                    {Standing: []wf.Standing{wf.StandingInForce}},
			"a rare standing":             {Standing: []wf.Standing{wf.StandingLapsed}},
			"validity":                    {ValidBefore: f.clock().Add(time.Hour)},
			"overdue":                     {Due: wf.DueFilter{Overdue: new(true)}},
			"not overdue":                 {Due: wf.DueFilter{Overdue: new(false)}},
			"due date":                    {Due: wf.DueFilter{Before: f.clock().Add(time.Minute)}},
		} {
			filter.Sort, filter.AsOf = sort, f.clock()
			lists["requests by "+sort+", "+name] = func() error { _, _, err := f.Requests(t.Context(), filter, wf.Page{}); return err }
		}
	}
	for _, sort := range []string{"created_at", "priority", "due_at"} {
		for name, filter := range map[string]wf.TaskFilter{
			"":                          {},
			"status":                    {Status: []wf.TaskStatus{wf.TaskOpen}},
			"stage":                     {StageKey: []string{"s-q"}},
			"type":                      {ArtifactType: []string{"q-type"}},
			"policy and another's type": {PolicyKey: []string{"p"}, ArtifactType: []string{"q-type"}},
			"inbox":                     {Inbox: "ana"},
			"inbox and stage":           {Inbox: "ana", StageKey: []string{"s-q"}},
			"assignee":                  {Assignee: "oona"},
			"assignee and policy":       {Assignee: "ana", PolicyKey: []string{"q"}},
			"an old assignee":           {Assignee: "oona", Status: []wf.TaskStatus{wf.TaskCompleted}},
			"overdue":                   {Due: wf.DueFilter{Overdue: new(true)}},
			"due date":                  {Due: wf.DueFilter{Before: f.clock().Add(time.Minute)}},
			"inbox and overdue":         {Inbox: "ana", Due: wf.DueFilter{Overdue: new(true)}},
		} {
			filter.Sort, filter.AsOf = sort, f.clock()
			lists["tasks by "+sort+", "+name] = func() error { _, _, err := f.Tasks(t.Context(), filter, wf.Page{}); return err }
		}
	}
	f.copies("open", 5_000)
	f.copies("over", 5_000)
	f.exec("VACUUM (ANALYZE)")
	r := watch(f)
	for name, list := range lists {
		if err := list(); err != nil {
			t.Fatal(err)
		}
		if blocks := r.blocks(); blocks > 1_500 {
			t.Errorf("%s: %d blocks", name, blocks)
		}
	}
}

// Each loop finds its due rows by one partial index, without a scan of a table.
func TestLoopsFindTheirDueRowsByAnIndex(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		now := f.clock()
		for range 50 {
			r := withTask(f.newRequest(), "s", "ana")
			r.Stages[0].Clock = wf.Clock{DueAt: now.Add(time.Hour), OnDue: "notify", TimerAt: now.Add(time.Hour), RemindedAt: now}
			r.ExpiresAt = new(now.Add(2 * time.Hour))
			f.addRequest(r)
			r = withTask(f.newRequest(), "s", "ana")
			r.Status, r.Tasks[0].Status, r.Standing = wf.RequestApproved, wf.TaskCompleted, wf.StandingInForce
			r.ValidUntil, r.CompletedAt = now.Add(time.Hour), now
			f.addRequest(r)
		}
		f.exec("ANALYZE")
		r := watch(f)
		for index, find := range map[string]func() ([]string, error){
			"stage_run_timer":  func() ([]string, error) { return f.Due.Deadlines(t.Context(), now, 10) },
			"request_standing": func() ([]string, error) { return f.Due.LapsedApprovals(t.Context(), now, 10) },
			"request_expiry":   func() ([]string, error) { return f.Due.ExpiredRequests(t.Context(), now, 10) },
			"request_unsealed": func() ([]string, error) {
				_, err := f.Audit.CheckpointDue(t.Context(), now, time.Minute)
				r.queries = slices.DeleteFunc(r.queries, func(q query) bool {
					return strings.Contains(q.text, "FROM chain") || strings.Contains(q.text, `FROM "chain"`) || strings.Contains(q.text, "FROM `chain`")
				})
				return nil, err
			},
		} {
			r.queries = nil
			if found, err := find(); err != nil || len(found) > 0 {
				t.Fatalf("%s: %v, %v", index, found, err)
			}
			if plan := r.plan(); !strings.Contains(plan, index) || strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN request") || strings.Contains(plan, "SCAN stage_run") {
				t.Errorf("%s: the plan is\n%s", index, plan)
			}
		}
		r.queries = nil
		if _, err := f.Counts(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.queries = slices.DeleteFunc(r.queries, func(q query) bool { return !strings.Contains(q.text, "min(") })
		plan := r.plan()
		for _, index := range []string{"stage_run_timer", "request_standing", "request_expiry"} {
			if !strings.Contains(plan, index) {
				t.Errorf("lags without %s: the plan is\n%s", index, plan)
			}
		}
	})
}

// The order by due date reads an index of the tasks with a date, without a sort, up to the page.
func TestTasksByDueDateAreReadByAnIndex(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		now := f.clock()
		for i := range 400 {
			r := withTask(f.newRequest(), "s", "bo")
			if i%20 == 0 {
				r = withTask(f.newRequest(), "s", "ana")
			}
			if at := now.Add(time.Duration(i*37%400) * time.Minute); i%2 == 0 {
				r.Stages[0].Clock = wf.Clock{DueAt: at, OnDue: "notify", TimerAt: at, RemindedAt: now}
			}
			f.addRequest(r)
		}
		f.exec("ANALYZE")
		r := watch(f)
		for _, tt := range []struct {
			index  string
			filter wf.TaskFilter
		}{
			{"inbox_due", wf.TaskFilter{Inbox: "ana"}},
			{"inbox_due", wf.TaskFilter{Assignee: "ana", Status: []wf.TaskStatus{wf.TaskOpen}}},
			{"task_due", wf.TaskFilter{}},
			{"task_assignee_due", wf.TaskFilter{Assignee: "ana"}},
		} {
			tt.filter.Sort = "due_at"
			r.queries = nil
			items, _, err := f.Tasks(t.Context(), tt.filter, wf.Page{Limit: 10})
			if err != nil || len(items) != 10 || !slices.IsSortedFunc(items, func(a, b wf.TaskItem) int { return a.Run.DueAt.Compare(b.Run.DueAt) }) {
				t.Fatalf("%+v: %d tasks, %v", tt.filter, len(items), err)
			}
			r.queries = slices.DeleteFunc(r.queries, func(q query) bool { return !strings.Contains(q.text, "merged") })
			if len(r.queries) != 1 {
				t.Errorf("%+v: %d queries of keys, and the tasks with a date fill the page", tt.filter, len(r.queries))
			}
			if plan := r.plan(); !strings.Contains(plan, tt.index+" ") {
				t.Errorf("%+v: the plan is\n%s", tt.filter, plan)
			}
		}
		defer store.LimitReads(store.LimitReads(20, 1000))
		f.advance(10 * time.Minute)
		for _, due := range []wf.DueFilter{{Before: f.clock()}, {Overdue: new(true)}} {
			if all, short := walked(t, f, wf.TaskFilter{Due: due, Sort: "due_at"}, 20); len(all) < 5 || len(all) > 6 || short > 0 {
				t.Errorf("%+v: %d tasks, and %d pages read later dates", due, len(all), short)
			}
		}
	})
}

// The lookup of an agent's request reads only the requests of the submitter for the content.
func TestAnApprovalIsFoundByAnIndex(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		now := f.clock()
		add := func(change func(*wf.Request)) string {
			r := withTask(f.newRequest(), "s", "ana")
			r.PolicyKey, r.ContextHash, r.SubmittedBy = "p", "sha256:one", identity.User{ID: "sam"}
			change(&r)
			f.addRequest(r)
			return r.ID
		}
		approved := func(r *wf.Request) { r.Status, r.Standing, r.CompletedAt = wf.RequestApproved, wf.StandingInForce, now }
		expect := func(step, id string, count int) {
			t.Helper()
			if got, n, err := f.FindApproval(t.Context(), "sam", "p", "sha256:one"); got != id || n != count || err != nil {
				t.Errorf("%s: %q, %d, %v, want %q, %d", step, got, n, err, id, count)
			}
		}
		expect("none", "", 0)
		add(func(r *wf.Request) { r.SubmittedBy.ID = "tom" })
		add(func(r *wf.Request) { r.ContextHash = "sha256:two" })
		add(func(r *wf.Request) { r.Status, r.CompletedAt = wf.RequestRejected, now })
		add(func(r *wf.Request) { r.ExpiresAt = new(now) })
		add(func(r *wf.Request) { approved(r); r.ValidUntil = now })
		add(func(r *wf.Request) {
			approved(r)
			r.Standing, r.EndedAt, r.EndedBy = wf.StandingConsumed, now, &identity.User{ID: "sam"}
		})
		expect("ended", "", 4)
		force := add(func(r *wf.Request) { approved(r); r.ValidUntil = now.Add(time.Hour) })
		expect("in force", force, 5)
		open := add(func(r *wf.Request) { r.ExpiresAt = new(now.Add(time.Hour)) })
		expect("open", open, 6)
		expect("newest", add(func(r *wf.Request) { approved(r) }), 7)
		changes := add(func(r *wf.Request) { r.Status = wf.RequestChangesRequested })
		expect("changes requested", changes, 8)
		for range 50 {
			add(func(r *wf.Request) { r.ContextHash = "sha256:many" })
		}
		f.exec("ANALYZE")
		r := watch(f)
		expect("with others", changes, 8)
		r.queries = slices.DeleteFunc(r.queries, func(q query) bool { return !strings.Contains(q.text, "context_hash") })
		if plan := r.plan(); strings.Count(plan, "request_content") < 2 || strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN request") {
			t.Errorf("the plan is\n%s", plan)
		}
	})
}

// The list of an owner reads the requests of each policy and status, and those with a part in them, by indexes in the
// order of the list, up to the page.
func TestRequestsOfOwnersAreReadByIndexes(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		f.addPolicy("q")
		for i := range 300 {
			r := withTask(f.newRequest(), "s", "bo")
			if i%20 == 0 {
				r.PolicyKey = "q"
			}
			if i%50 == 1 {
				r = withTask(f.newRequest(), "s", "olga")
			}
			f.addRequest(r)
		}
		f.exec("ANALYZE")
		r := watch(f)
		items, _, err := f.Requests(t.Context(), wf.RequestFilter{Own: "olga", Owned: []string{"q"}}, wf.Page{Limit: 10})
		if err != nil || len(items) != 10 {
			t.Fatalf("%d requests, %v", len(items), err)
		}
		r.queries = slices.DeleteFunc(r.queries, func(q query) bool { return !strings.Contains(q.text, "merged") })
		plan := r.plan()
		want, never := []string{"request_policy", "sqlite_autoindex_participant_1 (user_id=?)"}, "SCAN request"
		if f.db.Postgres() { // the table is small: it may select another index
			want, never = []string{"participant_pkey"}, "Seq Scan on request"
		}
		for _, index := range want {
			if !strings.Contains(plan, index) || strings.Contains(plan, never) {
				t.Errorf("without %s, or with %s, the plan is\n%s", index, never, plan)
			}
		}
		all, _, err := f.Requests(t.Context(), wf.RequestFilter{Own: "olga", Owned: []string{"q"}}, wf.Page{Limit: 200})
		if err != nil || len(all) != 21 || !slices.IsSortedFunc(all, func(a, b wf.Request) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
			t.Errorf("%d requests, want 21 in order; %v", len(all), err)
		}
	})
}

// plan returns the plans of the queries. PostgreSQL prefers a scan of small tables, which is turned off.
func (r *reads) plan() string {
	r.f.t.Helper()
	var lines []string
	for _, q := range r.queries {
		err := r.f.db.Read(r.f.t.Context()).Connection(func(db *gorm.DB) error {
			if r.f.db.Postgres() {
				if err := db.Exec("SET enable_seqscan = off").Error; err != nil {
					return err
				}
				defer db.Exec("RESET enable_seqscan")
				var plan []string
				err := db.Raw("EXPLAIN "+q.text, q.args...).Scan(&plan).Error
				lines = append(lines, plan...)
				return err
			}
			var plan []struct{ Detail string }
			err := db.Raw("EXPLAIN QUERY PLAN "+q.text, q.args...).Scan(&plan).Error
			for _, step := range plan {
				lines = append(lines, step.Detail)
			}
			return err
		})
		if err != nil {
			r.f.t.Fatalf("%s: %v", q.text, err)
		}
	}
	return strings.Join(lines, "\n")
}

func TestAPageOfDeliveriesOfATypeReadsAsMuchHoweverManyThereAre(t *testing.T) {
	f := onPostgres(t, 4)
	none := outbox.DeliveryFilter{EventType: []string{string(audit.EventAuthDenied)}}
	r, was := watch(f), 0
	for _, n := range []int{100, 900} {
		f.enqueue(n)
		f.exec("VACUUM (ANALYZE)")
		r.queries = nil
		if list, _, err := f.Outbox.Deliveries(t.Context(), none, wf.Page{}); err != nil || len(list) != 0 {
			t.Fatalf("%d deliveries, %v", len(list), err)
		}
		blocks := r.blocks()
		if n > 100 && blocks > was+10 {
			t.Errorf("%d blocks, and %d of ten times the deliveries", was, blocks)
		}
		was = blocks
	}
}
