package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// inbox measures the pages for people while many people have many tasks.
type inbox struct {
	bench
	tasks, people int
}

// inboxed is what was measured of the pages.
type inboxed struct {
	tasks, people int
	pages         []pageSpeed
	first         int   // bytes of a first visit of the inbox, compressed
	idle          int64 // resident memory before the first page
	called        int64 // after as many calls of the API
	paged         int64 // after the pages
}

// pageSpeed is how fast one page is.
type pageSpeed struct {
	name  string
	conns int
	size  int           // compressed
	cpu   time.Duration // of the service, for one page
	speed               // latencies are those of the first byte
}

// inboxPart is the name of this part of the program.
const inboxPart = "inbox"

// each request of this part waits for so many people.
const askedEach = 2

func (i *inbox) run(ctx context.Context) (*inboxed, error) {
	if err := i.build(ctx); err != nil {
		return nil, err
	}
	if err := i.issue(ctx); err != nil {
		return nil, err
	}
	name, err := i.createDatabase(ctx, "")
	if err != nil {
		return nil, err
	}
	defer i.dropDatabase(ctx, name)
	s, err := i.start(ctx, i.databaseURL(name))
	if err != nil {
		return nil, err
	}
	defer func() { s.kill() }()
	m := &inboxed{people: i.people}
	request, err := i.fill(ctx, s)
	if err != nil {
		return nil, err
	}
	conn, err := i.connect(ctx, name)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := conn.QueryRow(ctx, "SELECT count(*) FROM task WHERE status = 'open'").Scan(&m.tasks); err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "VACUUM (ANALYZE)"); err != nil { // as autovacuum does in time
		return nil, err
	}
	if err := s.stop(); err != nil {
		return nil, err
	}
	if s, err = i.start(ctx, i.databaseURL(name)); err != nil {
		return nil, err
	}
	return m, errors.Join(i.measure(ctx, s, m, request), s.stop())
}

// fill makes a policy that asks whom its requests name, and requests until there are as many
// tasks as wanted. It returns the id of one.
func (i *inbox) fill(ctx context.Context, s *service) (string, error) {
	policy := `{"policy_key":"inbox","name":"Grants","context_schema":{"type":"object","properties":{"amount":{"type":"number","title":"Amount","x-currency":"EUR"},"who":{"type":"array","title":"Approvers","items":{"type":"string"}},
		"payees":{"type":"array","title":"Payees","items":{"type":"object","properties":{"name":{"type":"string","title":"Name"},"amount":{"type":"number","title":"Amount","x-currency":"EUR"}}}}}},
		"stages":[{"key":"check","name":"Check","approvers":[{"type":"expression","cel":"context.who"}]},{"key":"pay","name":"Payment","approvers":[{"type":"user","ids":["bea"]}]}]}`
	if _, err := s.call(ctx, call{path: "/v1/wf/policies", token: i.tokens["ana"], body: []byte(policy), want: 201}); err != nil {
		return "", err
	}
	if _, err := s.call(ctx, call{path: "/v1/wf/policies/inbox/versions/1/activate", token: i.tokens["ana"], body: []byte{}, want: 200}); err != nil {
		return "", err
	}
	i.progress("%d tasks of %d people", i.tasks, i.people)
	samples, err := load(ctx, s.address, goalLevel, func(n int) (call, bool) {
		who := make([]string, askedEach)
		for k := range who {
			who[k] = strconv.Quote(i.person(n*askedEach + k))
		}
		body := fmt.Sprintf(`{"policy_key":"inbox","title":"Grants of district %d","artifact_id":"G-%d","context":{"amount":%d.50,"who":[%s],"payees":[{"name":"School %d","amount":1200},{"name":"School %d","amount":800.25}]}}`,
			n, n, 2000+n, strings.Join(who, ","), n, n+1)
		return call{path: "/v1/wf/requests", token: i.tokens["rosa"], body: []byte(body), want: 201}, n < max(i.tasks/askedEach, 1)
	})
	if err != nil {
		return "", err
	}
	made, err := succeeded[struct{ ID string }](samples[0].body)
	return made.ID, err
}

// person is the id of the n-th of the people, who begin anew after the last.
func (i *inbox) person(n int) string { return fmt.Sprintf("p%d", n%max(i.people, askedEach)) }

func (i *inbox) measure(ctx context.Context, s *service, m *inboxed, request string) error {
	var err error
	if m.idle, _, err = s.memory(); err != nil {
		return err
	}
	i.progress("calls of the API")
	if err := i.calls(ctx, s); err != nil {
		return err
	}
	if m.called, _, err = s.memory(); err != nil {
		return err
	}
	cookies := make([]string, max(i.people, askedEach))
	for n := range cookies {
		if cookies[n], err = signIn(ctx, s.address, i.person(n)); err != nil {
			return err
		}
	}
	for _, page := range []struct {
		name, path string
		conns      int
	}{
		{"my work", "/inbox", listCallers},
		{"my work", "/inbox", levels[len(levels)-1]},
		{"my work, searched", "/inbox?q=district", listCallers},
		{"a request", "/inbox/requests/" + request, listCallers},
		{"what I can ask for", "/inbox/ask", listCallers},
	} {
		own := strings.HasPrefix(page.path, "/inbox/requests/") // not everybody reads it
		get := func(n int) call {
			who := n % len(cookies)
			if own {
				who = n % askedEach
			}
			return call{path: page.path, headers: "Cookie: " + cookies[who] + "\r\nAccept-Encoding: gzip\r\n", want: 200, first: true}
		}
		i.progress("%s on %d connections", page.name, page.conns)
		before, err := s.cpu()
		if err != nil {
			return err
		}
		end := time.Now().Add(3 * i.phase)
		samples, err := load(ctx, s.address, page.conns, func(n int) (call, bool) { return get(n), n < 2*page.conns || time.Now().Before(end) })
		if err != nil {
			return err
		}
		after, err := s.cpu()
		if err != nil {
			return err
		}
		m.pages = append(m.pages, pageSpeed{page.name, page.conns, len(samples[0].body), (after - before) / time.Duration(len(samples)), summarise(samples)})
		if m.first == 0 {
			if m.first, err = firstVisit(ctx, s, get(0), samples[0].body); err != nil {
				return err
			}
		}
	}
	m.paged, _, err = s.memory()
	return err
}

// calls asks the API for lists as long as the pages are asked for, so that what pages need
// beside them can be told.
func (i *inbox) calls(ctx context.Context, s *service) error {
	for _, conns := range []int{listCallers, levels[len(levels)-1]} {
		end := time.Now().Add(3 * i.phase)
		c := call{path: "/v1/wf/tasks?inbox=p0&limit=100", token: i.tokens["ana"], want: 200}
		if _, err := load(ctx, s.address, conns, func(n int) (call, bool) { return c, n < 2*conns || time.Now().Before(end) }); err != nil {
			return err
		}
	}
	return nil
}

// signIn signs somebody in by the page of --dev, and returns their cookie.
func signIn(ctx context.Context, address, who string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/inbox/signin", strings.NewReader(url.Values{"id": {who}}.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	reply, err := http.DefaultTransport.RoundTrip(r) // which follows no redirect
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	for _, cookie := range reply.Cookies() {
		if cookie.Name == "wf_session" {
			return cookie.Name + "=" + cookie.Value, nil
		}
	}
	return "", fmt.Errorf("%s is not signed in: %d", who, reply.StatusCode)
}

var linked = regexp.MustCompile(`(?:href|src)="(/inbox/assets/[^"]+)"`)

// firstVisit is the weight of a page with all that it links, as a browser gets it.
func firstVisit(ctx context.Context, s *service, page call, body []byte) (int, error) {
	weight := len(body)
	unpacked, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		return 0, err
	}
	links := linked.FindAllSubmatch(text, -1)
	if len(links) == 0 {
		return 0, errors.New("the page links nothing")
	}
	for _, link := range links {
		page.path = strings.ReplaceAll(string(link[1]), "&amp;", "&")
		file, err := s.call(ctx, page)
		if err != nil {
			return 0, err
		}
		weight += len(file)
	}
	return weight, nil
}

// table is what was measured of the pages.
func (m *inboxed) table(w *tabwriter.Writer) {
	fmt.Fprintf(w, "page, with %d open tasks of %d people\tconnections\tpages/s\tp50 to the first byte\tp99\tCPU\tbytes, compressed\t\n", m.tasks, m.people)
	for _, p := range m.pages {
		fmt.Fprintf(w, "%s\t%d\t%.0f\t%s\t%s\t%s\t%d\t\n", p.name, p.conns, p.rate, milliseconds(p.p50), milliseconds(p.p99), fmt.Sprintf("%.2f ms", float64(p.cpu)/1e6), p.size)
	}
	fmt.Fprintf(w, "a first visit, with style, script and icon\t\t\t\t\t\t%d\t\n", m.first)
	fmt.Fprintf(w, "memory idle, after calls of the API, after pages\t\t\t\t%s\t%s\t%s\t\n", megabytes(m.idle), megabytes(m.called), megabytes(m.paged))
}

func (m *inboxed) goals() []goal {
	var goals []goal
	add := func(met bool, format string, args ...any) {
		goals = append(goals, goal{met, inboxPart + ": " + fmt.Sprintf(format, args...)})
	}
	if len(m.pages) > 0 {
		p := m.pages[0]
		add(p.p99 <= 50*time.Millisecond, "99 %% of %s begin within %s, want 50 ms", p.name, milliseconds(p.p99))
	}
	add(m.first <= 60<<10, "a first visit takes %d bytes, want %d", m.first, 60<<10)
	add(m.paged-m.called <= 10e6, "pages add %s of memory, want 10 MB", megabytes(m.paged-m.called))
	return goals
}
