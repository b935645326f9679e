package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"time"
)

// lists measures every list of wf while it holds many requests, of which one person has
// many to decide, and what it costs to create more.
type lists struct {
	bench
	keep     bool // the databases
	requests int  // in PostgreSQL when lists are measured; a tenth of that in SQLite
}

// listed is what was measured of lists on one database.
type listed struct {
	database string
	curve    []grown
	lists    []listSpeed
	tables   map[string]int64 // bytes, with indexes; where the database says
}

// grown is a size of the database: the requests, their bytes, and how fast more are
// created.
type grown struct {
	requests, tasks int
	bytes           int64
	speed
}

type listSpeed struct {
	list
	speed
	rows    int           // on the page
	cpu     time.Duration // of the service for one page
	backend time.Duration // of PostgreSQL for one page; 0 where it cannot be seen
}

// listsPart is the name of this part of the program.
const listsPart = "lists"

// listCallers is how many callers read a list at a time.
const listCallers = 4

// sizes are how many requests there are when creation is measured.
var sizes = []int{1_000, 10_000, 100_000, 1_000_000}

// crowded is wf with what lists need: people who have much to do, and little.
var crowded = subject{
	program: wf.program, rate: wf.rate, prepare: wf.prepare, steps: wf.steps,
	callers: map[string][]string{"ana": {"--role", "WF_ADMIN"}, "ben": nil, "bea": nil, "rosa": nil, "rita": nil, "olga": nil, "max": nil, "p1": nil, "p6-1": nil},
}

func (l *lists) run(ctx context.Context) ([]listed, error) {
	if err := l.build(ctx); err != nil {
		return nil, err
	}
	if err := l.issue(ctx); err != nil {
		return nil, err
	}
	name, err := l.createDatabase(ctx, "")
	if err != nil {
		return nil, err
	}
	if l.keep {
		l.progress("database %s is left", name)
	} else {
		defer l.dropDatabase(ctx, name)
	}
	var all []listed
	file := filepath.Join(l.dir, "lists.db")
	for _, d := range []struct {
		name, url, driver, source string
		requests                  int
	}{
		{"PostgreSQL", l.databaseURL(name), "pgx", l.databaseURL(name), l.requests},
		{"SQLite", "sqlite:" + file, "sqlite", "file:" + file + "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)", l.requests / 10},
	} {
		db, err := sql.Open(d.driver, d.source)
		if err != nil {
			return all, err
		}
		measured, err := l.on(ctx, d.name, d.url, db, max(d.requests, 1))
		if all = append(all, measured); err != nil {
			return all, fmt.Errorf("on %s: %w", d.name, errors.Join(err, db.Close()))
		}
		if err := db.Close(); err != nil {
			return all, err
		}
	}
	return all, nil
}

// on measures on one database that gets so many requests.
func (l *lists) on(ctx context.Context, name, databaseURL string, db *sql.DB, requests int) (listed, error) {
	m := listed{database: name}
	s, err := l.start(ctx, databaseURL)
	if err != nil {
		return m, err
	}
	defer func() { s.kill() }()
	templates, err := l.templates(ctx, s, requests)
	if err != nil {
		return m, err
	}
	c, err := newCopier(ctx, db, name == "PostgreSQL", requests)
	if err != nil {
		return m, err
	}
	defer c.db.Close()
	if err := c.send(ctx); err != nil {
		return m, err
	}
	for _, size := range append(slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return n >= requests }), requests) {
		if err := s.stop(); err != nil { // no timer runs while rows are copied
			return m, err
		}
		l.progress("%d requests on %s", size, name)
		if err := c.fill(ctx, templates, size); err != nil {
			return m, err
		}
		if err := c.settle(ctx); err != nil {
			return m, err
		}
		if s, err = l.start(ctx, databaseURL); err != nil {
			return m, err
		}
		g, err := l.grow(ctx, s, c, size)
		if err != nil {
			return m, errors.Join(err, s.accident())
		}
		m.curve = append(m.curve, g)
	}
	if _, m.tables, err = c.stored(ctx); err != nil {
		return m, err
	}
	cases, err := l.cases(ctx, s, db, requests)
	if err != nil {
		return m, err
	}
	server := db
	if name != "PostgreSQL" {
		server = nil
	}
	var failures []error
	for _, one := range cases {
		measured, err := l.measure(ctx, s, server, one)
		if ctx.Err() != nil {
			return m, ctx.Err()
		}
		if err != nil { // such as 503, when the service gives up
			failures, measured.p50, measured.p99 = append(failures, err), callLimit, callLimit
		}
		l.progress("%s %s: %s, %s, CPU %s + %s", name, one.name, milliseconds(measured.p50), milliseconds(measured.p99), milliseconds(measured.cpu), milliseconds(measured.backend))
		m.lists = append(m.lists, measured)
	}
	return m, errors.Join(append(failures, s.stop())...)
}

// grow measures how fast requests are created now.
func (l *lists) grow(ctx context.Context, s *service, c *copier, size int) (grown, error) {
	g := grown{requests: size}
	var err error
	if g.bytes, _, err = c.stored(ctx); err != nil {
		return g, err
	}
	if err := c.db.QueryRowContext(ctx, "SELECT count(*) FROM task WHERE assignee_id = 'ben' AND status = 'open'").Scan(&g.tasks); err != nil {
		return g, err
	}
	samples, err := load(ctx, s.address, goalLevel, l.until(time.Now().Add(3*l.phase), 2*goalLevel, l.steps[0]))
	if err == nil {
		_, err = yielded(l.steps[0], samples)
	}
	g.speed = summarise(samples)
	return g, err
}

// teams are how many policies there are beside those of the copies: one for so many
// requests, and at most so many.
const (
	teamSize = 1_000
	maxTeams = 300
)

// policy makes a policy of one stage and activates it.
func (l *lists) policy(ctx context.Context, s *service, key, stage string) error {
	body := fmt.Sprintf(`{"policy_key":"%s","name":"Bench","stages":[%s]}`, key, stage)
	if _, err := s.call(ctx, call{path: "/v1/wf/policies", token: l.tokens["ana"], body: []byte(body), want: 201}); err != nil {
		return err
	}
	_, err := s.call(ctx, call{path: "/v1/wf/policies/" + key + "/versions/1/activate", token: l.tokens["ana"], body: []byte{}, want: 200})
	return err
}

// templates makes a request of every kind that is copied, and one of each team.
func (l *lists) templates(ctx context.Context, s *service, requests int) ([]template, error) {
	if err := l.prepare(ctx, s, l.tokens); err != nil {
		return nil, err
	}
	ends := []byte(`{"name":"ends","url":"http://127.0.0.1:9/ends","events":["request.approved","request.rejected"]}`)
	if _, err := s.call(ctx, call{path: "/v1/wf/admin/webhooks", token: l.tokens["ana"], body: ends, want: 201}); err != nil {
		return nil, err
	}
	for n := range min(requests/teamSize, maxTeams) + 1 {
		team := fmt.Sprintf("team-%d", n)
		if err := l.policy(ctx, s, team, fmt.Sprintf(`{"key":"check-%d","name":"Check","approvers":[{"type":"user","ids":["max"]}]}`, n%10)); err != nil {
			return nil, err
		}
		if _, err := l.template(ctx, s, n, team, "rosa", "normal", "Team", "", ""); err != nil {
			return nil, err
		}
	}
	for key, stages := range map[string]string{
		"rare": `{"key":"check","name":"Check","approvers":[{"type":"user","ids":["ben"]}]}`,
		"pool": `{"key":"pick","name":"Pick","assignment":"pool","quorum":{"mode":"any"},"approvers":[{"type":"user","ids":["ben","bea","p1","p2","p3","p4","p5","p6"]}]}`,
		"solo": `{"key":"check","name":"Check","approvers":[{"type":"user","ids":["bea"]}]}`,
	} {
		if err := l.policy(ctx, s, key, stages); err != nil {
			return nil, err
		}
	}
	var all []template
	for n, kind := range []struct {
		policy, requester, priority, title, decider, action string
		slots                                               int
	}{
		{"rare", "rita", "normal", "Zebra crossing", "ben", "reject", rare},
		{"bench", "olga", "normal", "School grants", "ben", "approve", old},
		{"bench", "rosa", "normal", "School grants", "", "", 2},
		{"bench", "rosa", "urgent", "School grants", "", "", 1},
		{"pool", "rosa", "normal", "Travel grants", "", "", 1},
		{"pool", "rosa", "low", "Travel grants", "", "", 1},
		{"solo", "rosa", "normal", "Travel costs", "", "", 2},
		{"pool", "rosa", "normal", "Travel grants", "bea", "approve", 4},
		{"bench", "rosa", "high", "School grants", "ben", "approve", 39},
	} {
		t, err := l.template(ctx, s, n, kind.policy, kind.requester, kind.priority, kind.title, kind.decider, kind.action)
		if err != nil {
			return nil, err
		}
		t.slots = kind.slots
		all = append(all, t)
	}
	return all, nil
}

// template makes one request and, if somebody decides it, has it decided.
func (l *lists) template(ctx context.Context, s *service, n int, policy, requester, priority, title, decider, action string) (template, error) {
	body := fmt.Sprintf(`{"policy_key":"%s","artifact_type":"%s_batch","artifact_id":"T-%d","title":"%s","priority":"%s","labels":{"region":"%s"},`+
		`"context":{"amount":60000,"currency":"EUR","payees":["S-17","S-18","S-19"]}}`, policy, policy, n, title, priority, policy)
	reply, err := s.call(ctx, call{path: "/v1/wf/requests", token: l.tokens[requester], key: fmt.Sprintf("template-%s-%d", policy, n), body: []byte(body), want: 201})
	if err != nil {
		return template{}, err
	}
	made, err := succeeded[struct {
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

// list is one list as somebody asks for it.
type list struct{ name, caller, path string }

// measure calls one list by some callers at a time.
func (l *lists) measure(ctx context.Context, s *service, server *sql.DB, one list) (listSpeed, error) {
	c := call{path: one.path, token: l.tokens[one.caller], want: 200}
	body, err := s.call(ctx, c)
	if err != nil {
		return listSpeed{list: one}, err
	}
	page, err := succeeded[struct{ Items []json.RawMessage }](body)
	if err != nil {
		return listSpeed{list: one}, fmt.Errorf("%s: %w", one.name, err)
	}
	measured := listSpeed{list: one, rows: len(page.Items)}
	cpu, backend, err := l.spent(ctx, s, server)
	if err != nil {
		return measured, err
	}
	end := time.Now().Add(l.phase)
	samples, err := load(ctx, s.address, listCallers, func(i int) (call, bool) { return c, i < 2*listCallers || time.Now().Before(end) })
	if measured.speed = summarise(samples); err != nil {
		return measured, err
	}
	measured.cpu, measured.backend, err = l.spent(ctx, s, server)
	measured.cpu, measured.backend = (measured.cpu-cpu)/time.Duration(len(samples)), (measured.backend-backend)/time.Duration(len(samples))
	return measured, err
}

// spent is how much processor time the service has had, and PostgreSQL on its connections
// if it is on this machine. server is nil for SQLite, which is in the service.
func (l *lists) spent(ctx context.Context, s *service, server *sql.DB) (cpu, backend time.Duration, err error) {
	if cpu, err = s.cpu(); err != nil || server == nil {
		return cpu, 0, err
	}
	rows, err := server.QueryContext(ctx, "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()")
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var pid int
		if err := rows.Scan(&pid); err != nil {
			return 0, 0, err
		}
		if name, had, err := processorTime(pid); err == nil && name == "postgres" {
			backend += had
		}
	}
	return cpu, backend, rows.Err()
}

// deep is the path of a page of a list so many rows down.
func (l *lists) deep(ctx context.Context, s *service, caller, path string, rows int) (string, error) {
	const limit = 200
	next := path + "&limit=200"
	for range rows / limit {
		body, err := s.call(ctx, call{path: next, token: l.tokens[caller], want: 200})
		if err != nil {
			return "", err
		}
		page, err := succeeded[struct {
			Cursor *string `json:"next_cursor"`
		}](body)
		if err != nil || page.Cursor == nil {
			return next, err
		}
		next = path + "&limit=200&cursor=" + url.QueryEscape(*page.Cursor)
	}
	return next, nil
}

// cases are the lists: each filter and sort, alone and in pairs that no index has.
func (l *lists) cases(ctx context.Context, s *service, db *sql.DB, requests int) ([]list, error) {
	var one string
	if err := db.QueryRowContext(ctx, "SELECT CAST(id AS text) FROM request ORDER BY created_ms DESC LIMIT 1").Scan(&one); err != nil {
		return nil, err
	}
	middle := url.QueryEscape(time.Now().Add(-span / 2).UTC().Format(time.RFC3339))
	var all []list
	add := func(caller, path string, queries ...string) {
		for _, query := range queries {
			all = append(all, list{caller + " " + path + " " + query, caller, "/v1/wf/" + path + "?" + query})
		}
	}
	add("ana", "requests", "", "status=in_review", "status=approved", "status=rejected", "status=expired", "status=in_review,rejected",
		"policy_key=bench", "policy_key=rare", "policy_key=none", "artifact_type=bench_batch", "artifact_type=rare_batch", "artifact_id=B-77", "artifact_type=bench_batch&artifact_id=B-77",
		"requester=rosa", "requester=rita", "participant=ben", "participant=rita", "participant=ben&sort=updated_at", "participant=rita&sort=updated_at",
		"participant=ben&status=rejected", "participant=p1&status=in_review",
		"sort=updated_at", "status=rejected&sort=updated_at", "policy_key=rare&sort=updated_at", "created_before="+middle, "created_after="+middle,
		"created_before="+middle+"&policy_key=pool", "status=rejected&policy_key=bench", "status=in_review&policy_key=rare", "status=rejected&policy_key=rare",
		"label.region=bench", "label.region=rare", "label.region=none", "label.region=rare&status=approved",
		"q=grants", "q=zebra", "q=nothing+like+it", "q=B-777", "q=zx", "q=zebra&sort=updated_at", "q=zebra&status=rejected", "q=travel&status=in_review", "q=grants&status=rejected")
	add("rosa", "requests", "", "status=in_review", "status=rejected", "sort=updated_at", "q=zebra", "q=grants", "policy_key=solo", "label.region=bench")
	add("rita", "requests", "", "sort=updated_at", "status=in_review", "q=grants")
	add("ben", "tasks", "inbox=me", "inbox=me&sort=priority", "inbox=me&status=open", "inbox=me&status=claimed", "inbox=me&policy_key=pool", "inbox=me&policy_key=rare", "inbox=me&policy_key=rare&sort=priority",
		"inbox=me&stage_key=pick", "inbox=me&stage_key=none", "inbox=me&artifact_type=bench_batch", "inbox=me&artifact_type=none", "inbox=me&kind=approver", "inbox=me&kind=rescue",
		"inbox=me&q=grants", "inbox=me&q=zebra", "inbox=me&q=77", "candidate=me", "candidate=me&sort=priority", "candidate=me&policy_key=bench",
		"assignee=me", "assignee=me&status=open", "assignee=me&status=open&sort=priority", "assignee=me&status=claimed", "assignee=me&status=completed", "assignee=me&sort=priority", "assignee=me&policy_key=rare", "assignee=me&q=zebra")
	add("ana", "tasks", "", "sort=priority", "status=open", "status=claimed", "status=completed", "status=skipped", "status=cancelled", "status=open&sort=priority", "status=completed&sort=priority", "status=open,claimed&policy_key=pool",
		"policy_key=bench", "policy_key=rare", "policy_key=rare&sort=priority", "stage_key=pick", "stage_key=none", "artifact_type=rare_batch", "kind=rescue", "kind=approver", "request_id="+one, "q=grants", "q=zebra", "q=zx",
		"status=open&policy_key=rare", "assignee=ben&status=open")
	add("ben", "tasks/stats", "", "assignee=me")
	add("ana", "tasks/stats", "", "inbox=ben", "assignee=ben", "assignee=bea")
	add("ben", "me", "")
	add("ana", "admin/audit", "", "type=task.*", "type=policy.*", "type=request.rejected", "type=request.cancelled", "actor=rosa", "actor=rita", "request_id="+one, "chain="+one, "chain=service", "outcome=denied", "error_code=WF-008",
		"resource_type=task", "resource_type=policy", "resource_type=stage", "resource_id="+one, "created_after="+middle, "created_before="+middle, "sort=oldest", "type=request.rejected&sort=oldest", "actor=rita&type=request.approved")
	add("ana", "delegations", "", "user_id=ben", "delegate_to=bea", "status=active", "status=ended")
	add("ben", "delegations", "")
	add("ana", "admin/deliveries", "", "status=failed", "status=pending", "endpoint=none", "event_type=request.created", "request_id="+one, "created_after="+middle)
	for _, d := range []struct{ caller, path, query string }{{"ana", "requests", "policy_key=bench"}, {"ben", "tasks", "inbox=me"}, {"ben", "tasks", "inbox=me&sort=priority"}, {"rosa", "requests", "status=in_review"}} {
		path, err := l.deep(ctx, s, d.caller, "/v1/wf/"+d.path+"?"+d.query, min(requests/20, 50_000))
		if err != nil {
			return nil, err
		}
		all = append(all, list{d.caller + " " + d.path + " " + d.query + " deep, 200 a page", d.caller, path})
	}
	return all, nil
}
