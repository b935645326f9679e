package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// lists measures creation while a PostgreSQL database grows, and then the lists of wf. One user has
// 100,000 open tasks in a database of 1,000,000 requests.
type lists struct {
	bench
	requests int // when the lists are measured
}

// listed is the result of lists.
type listed struct {
	curve []grown
	lists []listSpeed
}

// grown is the speed of creation at a size of the database.
type grown struct {
	requests, tasks int
	bytes           int64 // of the tables of requests, with indexes
	speed
}

type listSpeed struct {
	list
	speed
	rows int           // of the page
	cpu  time.Duration // of the service for one page
}

// listCallers is the number of concurrent callers of a list.
const listCallers = 4

// sizes are the numbers of requests at which creation is measured.
var sizes = []int{1_000, 10_000, 100_000, 1_000_000}

// crowded is wf with the callers of the lists.
var crowded = subject{
	name: "lists", program: wf.program, prepare: wf.prepare, steps: wf.steps,
	callers: map[string][]string{"ana": {"--role", "WF_ADMIN"}, "ben": nil, "bea": nil, "rosa": nil, "rita": nil},
}

func (l *lists) run(ctx context.Context) (listed, error) {
	var m listed
	if err := l.build(ctx); err != nil {
		return m, err
	}
	if err := l.issue(ctx); err != nil {
		return m, err
	}
	name, err := l.createDatabase(ctx)
	if err != nil {
		return m, err
	}
	defer l.dropDatabase(ctx, name)
	db, err := pgx.Connect(ctx, l.databaseURL(name))
	if err != nil {
		return m, err
	}
	defer db.Close(context.WithoutCancel(ctx))
	s, err := l.start(ctx, l.databaseURL(name))
	if err != nil {
		return m, err
	}
	defer func() { s.kill() }()
	templates, err := l.templates(ctx, s)
	if err != nil {
		return m, err
	}
	c, err := newCopier(ctx, db, l.requests)
	if err != nil {
		return m, err
	}
	for _, size := range append(slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return n >= l.requests }), l.requests) {
		if err := s.stop(); err != nil { // no timer runs while rows are copied
			return m, err
		}
		l.progress("%d requests", size)
		if err := c.fill(ctx, templates, size); err != nil {
			return m, err
		}
		if s, err = l.start(ctx, l.databaseURL(name)); err != nil {
			return m, err
		}
		g, err := l.grow(ctx, s, c, size)
		if err != nil {
			return m, errors.Join(err, s.accident())
		}
		m.curve = append(m.curve, g)
	}
	cases, err := l.cases(ctx, db)
	if err != nil {
		return m, err
	}
	for _, one := range cases {
		measured, err := l.page(ctx, s, one)
		if err != nil {
			return m, errors.Join(fmt.Errorf("%s: %w", one.name, err), s.accident())
		}
		l.progress("%s: %s, %s", one.name, milliseconds(measured.p50), milliseconds(measured.p99))
		m.lists = append(m.lists, measured)
	}
	return m, s.stop()
}

// grow measures creation at the present size.
func (l *lists) grow(ctx context.Context, s *service, c *copier, size int) (grown, error) {
	g := grown{requests: size}
	var err error
	if g.bytes, err = c.tableSize(ctx); err != nil {
		return g, err
	}
	if err := c.db.QueryRow(ctx, "SELECT count(*) FROM task WHERE assignee_id = 'ben' AND status = 'open'").Scan(&g.tasks); err != nil {
		return g, err
	}
	samples, err := load(ctx, s.address, levels[0], l.repeatUntil(time.Now().Add(3*l.phase), 2*levels[0], l.steps[0]))
	if err != nil {
		return g, err
	}
	g.speed = summarise(samples)
	_, err = checkSamples(l.steps[0], samples)
	return g, err
}

// policy creates a policy of one stage and activates it.
func (l *lists) policy(ctx context.Context, s *service, key, stage string) error {
	body := fmt.Sprintf(`{"policy_key":"%s","name":"Bench","stages":[%s]}`, key, stage)
	if _, err := s.call(ctx, call{path: "/v1/wf/policies", token: l.tokens["ana"], body: []byte(body), want: 201}); err != nil {
		return err
	}
	_, err := s.call(ctx, call{path: "/v1/wf/policies/" + key + "/versions/1/activate", token: l.tokens["ana"], body: []byte{}, want: 200})
	return err
}

// templates creates the requests that are copied. Of 50 copies, 5 have open tasks of ben.
func (l *lists) templates(ctx context.Context, s *service) ([]template, error) {
	if err := l.prepare(ctx, s, l.tokens); err != nil {
		return nil, err
	}
	for key, stage := range map[string]string{
		"rare": `{"key":"check","name":"Check","approvers":[{"type":"user","ids":["ben"]}]}`,
		"pool": `{"key":"pick","name":"Pick","assignment":"pool","quorum":{"mode":"any"},"approvers":[{"type":"user","ids":["ben","bea","cy"]}]}`,
		"solo": `{"key":"check","name":"Check","approvers":[{"type":"user","ids":["bea"]}]}`,
	} {
		if err := l.policy(ctx, s, key, stage); err != nil {
			return nil, err
		}
	}
	var all []template
	for n, kind := range []struct {
		policy, requester, priority, title, decider, action string
		share                                               int
	}{
		{"rare", "rita", "normal", "Zebra crossing", "ben", "reject", rare},
		{"bench", "rosa", "normal", "School grants", "", "", 4},
		{"bench", "rosa", "urgent", "School grants", "", "", 1},
		{"pool", "rosa", "normal", "Travel grants", "", "", 2},
		{"solo", "rosa", "normal", "Travel costs", "", "", 2},
		{"pool", "rosa", "normal", "Travel grants", "bea", "approve", 4},
		{"bench", "rosa", "high", "School grants", "ben", "approve", 37},
	} {
		t, err := l.template(ctx, s, n, kind.policy, kind.requester, kind.priority, kind.title, kind.decider, kind.action)
		if err != nil {
			return nil, err
		}
		t.share = kind.share
		all = append(all, t)
	}
	return all, nil
}

// template creates one request, with the decision of the decider if there is one.
func (l *lists) template(ctx context.Context, s *service, n int, policy, requester, priority, title, decider, action string) (template, error) {
	body := fmt.Sprintf(`{"policy_key":"%s","artifact_type":"%s_batch","artifact_id":"T-%d","title":"%s","priority":"%s","labels":{"region":"%s"},`+
		`"context":{"amount":60000,"currency":"EUR","payees":["S-17","S-18","S-19"]}}`, policy, policy, n, title, priority, policy)
	reply, err := s.call(ctx, call{path: "/v1/wf/requests", token: l.tokens[requester], body: []byte(body), want: 201})
	if err != nil {
		return template{}, err
	}
	made, err := decodeSuccess[struct {
		ID        string
		CreatedAt time.Time `json:"created_at"`
		Tasks     []struct {
			ID       string
			Assignee *struct{ ID string }
		}
	}](reply)
	t := template{id: made.ID, born: made.CreatedAt.UnixMilli()}
	if err != nil || decider == "" {
		return t, err
	}
	for _, task := range made.Tasks {
		if task.Assignee == nil || task.Assignee.ID == decider {
			body := fmt.Sprintf(`{"action":"%s","comment":"The list of payees is complete."}`, action)
			_, err = s.call(ctx, call{path: "/v1/wf/tasks/" + task.ID + "/decision", token: l.tokens[decider], body: []byte(body), want: 200})
			break
		}
	}
	return t, err
}

// list is a list with its caller.
type list struct{ name, caller, path string }

// page measures the first page of a list.
func (l *lists) page(ctx context.Context, s *service, one list) (listSpeed, error) {
	m := listSpeed{list: one}
	c := call{path: one.path, token: l.tokens[one.caller], want: 200}
	body, err := s.call(ctx, c)
	if err != nil {
		return m, err
	}
	page, err := decodeSuccess[struct{ Items []json.RawMessage }](body)
	if err != nil {
		return m, err
	}
	m.rows = len(page.Items)
	before, err := s.cpu()
	if err != nil {
		return m, err
	}
	end := time.Now().Add(l.phase)
	samples, err := load(ctx, s.address, listCallers, func(i int) (call, bool) { return c, i < 2*listCallers || time.Now().Before(end) })
	if err != nil {
		return m, err
	}
	after, err := s.cpu()
	m.speed, m.cpu = summarise(samples), (after-before)/time.Duration(len(samples))
	return m, err
}

// cases are the lists: filters, sorts and searches, with frequent, rare and missing values.
func (l *lists) cases(ctx context.Context, db *pgx.Conn) ([]list, error) {
	var one string
	if err := db.QueryRow(ctx, "SELECT id::text FROM request ORDER BY created_ms DESC LIMIT 1").Scan(&one); err != nil {
		return nil, err
	}
	middle := url.QueryEscape(time.Now().Add(-span / 2).UTC().Format(time.RFC3339))
	var all []list
	add := func(caller, path string, queries ...string) {
		for _, query := range queries {
			all = append(all, list{caller + " " + path + " " + query, caller, "/v1/wf/" + path + "?" + query})
		}
	}
	add(
		"ben",
		"tasks",
		"inbox=me",
		"inbox=me&sort=priority",
		"inbox=me&policy_key=rare",
		"inbox=me&q=zebra",
		"candidate=me",
		"assignee=me&status=completed",
	)
	add("ana", "tasks", "status=open", "status=open&sort=priority", "policy_key=rare", "q=zebra")
	add("ana", "requests", "", "status=in_review", "policy_key=rare", "artifact_id=B-77", "participant=ben", "participant=rita&sort=updated_at",
		"created_before="+middle, "label.region=rare", "q=grants", "q=zebra", "q=nothing+like+it")
	add("rosa", "requests", "status=in_review", "q=zebra")
	add("ben", "tasks/stats", "")
	add("ben", "me", "")
	add("ana", "admin/audit", "", "type=request.rejected", "actor=rita", "request_id="+one)
	add("ana", "admin/deliveries", "", "status=failed")
	return all, nil
}
