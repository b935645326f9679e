package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/countersign/countersign/libs/egress"
)

// webhooks measures how wf sends: how fast it sends what waits, how soon it sends what
// happens, and how much an endpoint that hangs delays the others.
type webhooks struct {
	bench
	backlog int // deliveries that wait before a drain
	stuck   int // deliveries that wait for the endpoint that hangs
}

// sent is what was measured of webhooks; what failed is zero.
type sent struct {
	drains []*drain
	bare   []float64 // bare HTTP posts a second, by round

	fromEvent, fromReply lateness // until an endpoint has it, at so many events a second
	beside               lateness // from the event until an endpoint has it, while another hangs
}

// drain is how many deliveries a second so many processes work off, and how much
// processor time of theirs each takes, by round.
type drain struct {
	processes int
	rates     []float64
	cpu       []time.Duration
}

// lateness sums up waits.
type lateness struct{ p50, p95, p99 time.Duration }

// hooksPart is the name of this part of the program.
const hooksPart = "webhooks"

// What wf does by default.
const (
	inFlight    = 128 // exchanges at a time in a process
	inPerTarget = 8   // of those, with one endpoint
)

const (
	endpoints  = 20 // of the receiver
	eventRate  = 50 // events a second, to one endpoint
	besideRate = 20 // events a second, each to all endpoints, beside one that hangs

	// hangs is the endpoint that hangs, and the policy whose events it gets. A request
	// under it has so many approvers, and an event for each of their tasks, one for the
	// stage, and one for the request.
	hangs           = "hangs"
	approversOfHang = 98
	perHang         = approversOfHang + 2
)

func (w *webhooks) run(ctx context.Context) (*sent, error) {
	if err := w.build(ctx); err != nil {
		return nil, err
	}
	if err := w.issue(ctx); err != nil {
		return nil, err
	}
	r := &sent{drains: []*drain{{processes: 1}, {processes: 3}}}
	var failures []error
	for _, part := range []struct {
		name    string
		measure func(context.Context, *stage, *sent) error
	}{
		{"drain", w.drain}, {"events", w.events}, {"hang", w.hang},
	} {
		if err := w.on(ctx, func(s *stage) error { return part.measure(ctx, s, r) }); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", part.name, err))
		}
	}
	return r, errors.Join(failures...)
}

// stage is a database with a service on it, and the receiver of its endpoints.
type stage struct {
	*service
	receiver *receiver
	conn     *pgx.Conn
	url      string // of the database
}

// on runs do with a fresh database, a prepared service and a receiver.
func (w *webhooks) on(ctx context.Context, do func(*stage) error) error {
	name, err := w.createDatabase(ctx, "")
	if err != nil {
		return err
	}
	defer w.dropDatabase(ctx, name)
	s := &stage{url: w.databaseURL(name)}
	if s.service, err = w.start(ctx, s.url); err != nil {
		return err
	}
	defer func() { s.kill() }() // do may start another
	if s.conn, err = w.connect(ctx, name); err != nil {
		return err
	}
	defer s.conn.Close(context.WithoutCancel(ctx))
	if s.receiver, err = newReceiver(endpoints); err != nil {
		return err
	}
	defer s.receiver.close()
	if err := w.prepare(ctx, s.service, w.tokens); err != nil {
		return err
	}
	if err := do(s); err != nil {
		return errors.Join(err, s.accident())
	}
	return s.stop()
}

// listen sends an endpoint some events of one policy.
func (w *webhooks) listen(ctx context.Context, s *stage, name, url, policy string, events ...string) error {
	body, err := json.Marshal(map[string]any{"name": name, "url": url, "events": events, "policy_keys": []string{policy}, "secret": s.receiver.secret})
	if err != nil {
		return err
	}
	_, err = s.call(ctx, call{path: "/v1/wf/admin/webhooks", token: w.tokens["ana"], body: body, want: 201})
	return err
}

// listenAll sends all endpoints of the receiver one event of each request.
func (w *webhooks) listenAll(ctx context.Context, s *stage) error {
	for i, url := range s.receiver.urls {
		if err := w.listen(ctx, s, fmt.Sprintf("healthy-%d", i), url, "bench", "request.created"); err != nil {
			return err
		}
	}
	return nil
}

// drain lets deliveries pile up and measures how long one process, bare posts and
// three processes take to get them through, round by round.
func (w *webhooks) drain(ctx context.Context, s *stage, r *sent) error {
	if err := w.listenAll(ctx, s); err != nil {
		return err
	}
	for n := range w.count {
		w.progress("round %d of %d of webhooks", n+1, w.count)
		for i, d := range r.drains {
			posts, err := w.drainOnce(ctx, s, d)
			if err != nil {
				return fmt.Errorf("by %d processes: %w", d.processes, err)
			}
			if i > 0 {
				continue
			}
			if posts, err = bare(ctx, s.receiver, posts); err != nil {
				return fmt.Errorf("bare: %w", err)
			}
			r.bare = append(r.bare, rate(posts))
		}
	}
	return nil
}

// drainOnce fills the backlog and returns what comes when it is worked off.
func (w *webhooks) drainOnce(ctx context.Context, s *stage, d *drain) ([]post, error) {
	requests := (w.backlog + endpoints - 1) / endpoints
	n := requests * endpoints
	s.receiver.expect(n)
	before, err := s.delivered(ctx)
	if err != nil {
		return nil, err
	}
	// As after failures, but for longer: wf has no other way to let deliveries wait.
	if err := s.pause(ctx, time.Hour); err != nil {
		return nil, err
	}
	if err := w.fill(ctx, s, requests, w.steps[0].call); err != nil {
		return nil, err
	}
	running := []*service{s.service}
	for range d.processes - 1 {
		other, err := w.start(ctx, s.url)
		if err != nil {
			return nil, err
		}
		defer other.kill()
		running = append(running, other)
	}
	idle, err := cpuOf(running)
	if err != nil {
		return nil, err
	}
	if err := s.pause(ctx, 0); err != nil {
		return nil, err
	}
	posts, err := s.receiver.all(ctx)
	if err != nil {
		return nil, err
	}
	busy, err := cpuOf(running)
	if err != nil {
		return nil, err
	}
	d.rates, d.cpu = append(d.rates, rate(posts)), append(d.cpu, (busy-idle)/time.Duration(n))
	// Once they have stopped they have stored every outcome.
	for _, p := range running {
		if err := p.stop(); err != nil {
			return nil, err
		}
	}
	after, err := s.delivered(ctx)
	if err != nil {
		return nil, err
	}
	if after-before != n {
		return nil, fmt.Errorf("%d came, but the database has %d more delivered at the first attempt", n, after-before)
	}
	next, err := w.start(ctx, s.url)
	if err != nil {
		return nil, err
	}
	s.service = next
	return posts, nil
}

// cpuOf is how much processor time the services have had together.
func cpuOf(running []*service) (sum time.Duration, err error) {
	for _, s := range running {
		had, err := s.cpu()
		if err != nil {
			return 0, err
		}
		sum += had
	}
	return sum, nil
}

// fill makes so many calls on some connections at a time.
func (w *webhooks) fill(ctx context.Context, s *stage, n int, make func(tokens, int64, string) call) error {
	samples, err := load(ctx, s.address, goalLevel, func(i int) (call, bool) {
		return make(w.tokens, w.number(), ""), i < n
	})
	if err == nil {
		_, err = yielded(step{yield: created}, samples)
	}
	return err
}

// created is the id of the request in a reply.
func created(body []byte) (string, error) {
	r, err := succeeded[struct{ ID string }](body)
	return r.ID, err
}

// pause lets nothing be sent to any endpoint for a while.
func (s *stage) pause(ctx context.Context, d time.Duration) error {
	_, err := s.conn.Exec(ctx, "UPDATE endpoint SET paused_until_ms = $1", time.Now().Add(d).UnixMilli())
	return err
}

// delivered counts what was delivered at the first attempt.
func (s *stage) delivered(ctx context.Context) (n int, err error) {
	err = s.conn.QueryRow(ctx, "SELECT count(*) FROM delivery WHERE status = 'delivered' AND attempt = 1").Scan(&n)
	return n, err
}

// bare posts the same messages again, with the client that wf uses and as many at a
// time, and returns them as they came.
func bare(ctx context.Context, r *receiver, posts []post) ([]post, error) {
	r.expect(len(posts))
	client := egress.New(egress.Policy{AllowHTTP: true, AnyPort: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	defer client.CloseIdleConnections()
	queue := make(chan post, len(posts))
	for _, p := range posts {
		queue <- p
	}
	close(queue)
	errs := make([]error, inFlight)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			for p := range queue {
				if errs[i] = repost(ctx, client, p); errs[i] != nil {
					return
				}
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return r.all(ctx)
}

func repost(ctx context.Context, client *http.Client, p post) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(p.body))
	if err != nil {
		return err
	}
	req.Header = p.header
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		return fmt.Errorf("answered %d", res.StatusCode)
	}
	return nil
}

// events measures how soon one endpoint is told of what happens.
func (w *webhooks) events(ctx context.Context, s *stage, r *sent) error {
	w.progress("%d events a second", eventRate)
	if err := w.listen(ctx, s, "healthy", s.receiver.urls[0], "bench", "request.created"); err != nil {
		return err
	}
	replies, posts, err := w.paceHooks(ctx, s, eventRate, 1)
	if err != nil {
		return err
	}
	var fromEvent, fromReply []time.Duration
	for _, p := range posts {
		e, err := p.event()
		if err != nil {
			return err
		}
		reply, known := replies[e.Data.Request.ID]
		if !known {
			return fmt.Errorf("a webhook of request %q, which was not made", e.Data.Request.ID)
		}
		fromEvent = append(fromEvent, p.at.Sub(e.Timestamp))
		fromReply = append(fromReply, max(0, p.at.Sub(reply)))
	}
	r.fromEvent, r.fromReply = late(fromEvent), late(fromReply)
	return nil
}

// hang measures how soon endpoints are told of what happens while another one has a
// long queue and never answers.
func (w *webhooks) hang(ctx context.Context, s *stage, r *sent) error {
	requests := (w.stuck + perHang - 1) / perHang
	w.progress("%d events a second while an endpoint hangs with %d waiting", besideRate, requests*perHang)
	h, err := newHole()
	if err != nil {
		return err
	}
	defer h.close()
	if err := w.listenAll(ctx, s); err != nil {
		return err
	}
	if err := w.listen(ctx, s, hangs, h.url, hangs, "request.*", "stage.*", "task.*"); err != nil {
		return err
	}
	if err := w.prepareHang(ctx, s); err != nil {
		return err
	}
	if err := w.fill(ctx, s, requests, func(t tokens, _ int64, _ string) call {
		return call{path: "/v1/wf/requests", token: t["rosa"], body: []byte(`{"policy_key":"` + hangs + `"}`), want: 201}
	}); err != nil {
		return err
	}
	if err := h.used(ctx); err != nil {
		return err
	}
	_, posts, err := w.paceHooks(ctx, s, besideRate, endpoints)
	if err != nil {
		return err
	}
	var waits []time.Duration
	for _, p := range posts {
		e, err := p.event()
		if err != nil {
			return err
		}
		waits = append(waits, p.at.Sub(e.Timestamp))
	}
	r.beside = late(waits)

	var waiting int
	const query = "SELECT count(*) FROM outbox JOIN endpoint ON CAST(endpoint.id AS text) = outbox.lane WHERE endpoint.name = $1"
	if err := s.conn.QueryRow(ctx, query, hangs).Scan(&waiting); err != nil {
		return err
	}
	if want := requests * perHang; waiting != want {
		return fmt.Errorf("%d deliveries wait for the endpoint that hangs, want %d", waiting, want)
	}
	if most := h.most(); most > inPerTarget {
		return fmt.Errorf("%d connections to the endpoint that hangs, want at most %d", most, inPerTarget)
	}
	return nil
}

// prepareHang makes the policy whose events go to the endpoint that hangs.
func (w *webhooks) prepareHang(ctx context.Context, s *stage) error {
	approvers := make([]string, approversOfHang)
	for i := range approvers {
		approvers[i] = fmt.Sprintf("approver-%d", i)
	}
	policy, err := json.Marshal(map[string]any{
		"policy_key": hangs, "name": "Hangs",
		"stages": []any{map[string]any{
			"key": "check", "name": "Check", "quorum": map[string]any{"mode": "any"},
			"approvers": []any{map[string]any{"type": "user", "ids": approvers}},
		}},
	})
	if err != nil {
		return err
	}
	if _, err := s.call(ctx, call{path: "/v1/wf/policies", token: w.tokens["ana"], body: policy, want: 201}); err != nil {
		return err
	}
	_, err = s.call(ctx, call{path: "/v1/wf/policies/" + hangs + "/versions/1/activate", token: w.tokens["ana"], body: []byte{}, want: 200})
	return err
}

// paceHooks makes requests at a rate, each of which is sent to so many endpoints. It
// returns when each request was answered, by its id, and what came.
func (w *webhooks) paceHooks(ctx context.Context, s *stage, perSecond, heard int) (map[string]time.Time, []post, error) {
	s.receiver.expect(int(w.paced.Seconds()*float64(perSecond)) * heard)
	samples, err := w.atRate(ctx, s.service, perSecond)
	if err != nil {
		return nil, nil, err
	}
	replies := map[string]time.Time{}
	for _, sample := range samples {
		id, err := created(sample.body)
		if err != nil {
			return nil, nil, err
		}
		replies[id] = sample.end
	}
	posts, err := s.receiver.all(ctx)
	return replies, posts, err
}

// hookEvent is what is read of a webhook's body.
type hookEvent struct {
	Timestamp time.Time
	Data      struct{ Request struct{ ID string } }
}

func (p post) event() (e hookEvent, err error) {
	err = json.Unmarshal(p.body, &e)
	return e, err
}

func late(waits []time.Duration) lateness {
	slices.Sort(waits)
	return lateness{quantile(waits, 0.50), quantile(waits, 0.95), quantile(waits, 0.99)}
}

func (d *drain) name() string {
	if d.processes == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", d.processes)
}

// ratios is the drain over bare posts, round by round.
func (d *drain) ratios(bare []float64) []float64 {
	ratios := make([]float64, len(d.rates))
	for i := range ratios {
		ratios[i] = d.rates[i] / bare[i]
	}
	return ratios
}
