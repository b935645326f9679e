package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// observed measures what it costs wf to be watched: requests are created, in turn, with
// nobody who watches, with metrics that are read, with traces that are sent, and with both.
// All of these are processes of one program on one database.
type observed struct{ bench }

// watch is one way to be watched.
type watch struct {
	name            string
	metrics, traces bool

	rates []float64 // calls a second, by round
	cpu   []time.Duration
	p99   []time.Duration

	calls, spans, scrapes int // in all rounds

	service   *service
	collector *spanCollector
}

// observedPart is the name of this part of the program.
const observedPart = "observed"

// scrapeEvery is fifteen times as often as is usual.
const scrapeEvery = time.Second

// phases is how many times as long as a step's a phase of this part is: metrics are to be
// read several times in it.
const phases = 4

func (o *observed) run(ctx context.Context) ([]*watch, error) {
	if err := o.build(ctx); err != nil {
		return nil, err
	}
	if err := o.issue(ctx); err != nil {
		return nil, err
	}
	name, err := o.createDatabase(ctx, "")
	if err != nil {
		return nil, err
	}
	defer o.dropDatabase(ctx, name)
	ways := []*watch{{name: "by nobody"}, {name: "metrics", metrics: true}, {name: "traces", traces: true}, {name: "metrics and traces", metrics: true, traces: true}}
	for i, w := range ways {
		if err := o.begin(ctx, w, o.databaseURL(name)); err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		defer w.end()
		if i == 0 {
			if err := o.prepare(ctx, w.service, o.tokens); err != nil {
				return nil, err
			}
		}
	}
	for n := range o.count {
		o.progress("round %d of %d", n+1, o.count)
		for i := range ways { // no one is always the first
			w := ways[(n+i)%len(ways)]
			if err := o.measure(ctx, w); err != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", w.name, err), w.service.accident())
			}
		}
	}
	for _, w := range ways {
		if err := w.stop(); err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return ways, nil
}

// begin starts a process that is watched like that.
func (o *observed) begin(ctx context.Context, w *watch, databaseURL string) (err error) {
	b := o.bench
	if w.metrics {
		b.settings = append(b.settings, "WF_ADMIN_LISTEN=127.0.0.1:0")
	}
	if w.traces {
		w.collector = newSpanCollector()
		b.settings = append(b.settings, "OTEL_EXPORTER_OTLP_ENDPOINT="+w.collector.URL)
	}
	w.service, err = b.start(ctx, databaseURL)
	if err != nil && w.collector != nil {
		w.collector.Close()
	}
	return err
}

// end ends what stop has not.
func (w *watch) end() {
	w.service.kill()
	if w.collector != nil {
		w.collector.Close()
	}
}

// measure creates requests for the time of some phases.
func (o *observed) measure(ctx context.Context, w *watch) error {
	here := &series{}
	scraped := func() (int, error) { return 0, nil }
	if w.metrics {
		address, err := w.service.admin()
		if err != nil {
			return err
		}
		scraped = scrape(ctx, address)
	}
	first := o.steps[0]
	yields, err := o.overHTTP(ctx, goalLevel, here, w.service, first, o.until(time.Now().Add(phases*o.phase), 2*goalLevel, first))
	n, scrapeErr := scraped()
	if err := errors.Join(err, scrapeErr); err != nil {
		return err
	}
	w.calls, w.scrapes = w.calls+len(yields), w.scrapes+n
	w.rates, w.cpu, w.p99 = append(w.rates, here.http[0].rate), append(w.cpu, here.cpu[0]), append(w.p99, here.http[0].p99)
	return nil
}

// stop ends the process, which sends its last spans, and counts those that came.
func (w *watch) stop() (err error) {
	if err := w.service.stop(); err != nil {
		return err
	}
	if w.collector == nil {
		return nil
	}
	if w.spans, err = w.collector.count(); err == nil && w.spans == 0 {
		err = errors.New("no span came")
	}
	return err
}

// admin is where the service serves its metrics.
func (s *service) admin() (string, error) {
	address := servesMetrics.FindStringSubmatch(s.logged())
	if address == nil {
		return "", errors.New("the service does not say where its metrics are")
	}
	return address[1], nil
}

// servesMetrics is the log line with their address.
var servesMetrics = regexp.MustCompile(`"admin":"([^"]+)"`)

// scrape reads metrics at once and then every second, until the function that it returns is
// called, which returns how often that was.
func scrape(ctx context.Context, address string) (end func() (int, error)) {
	ctx, cancel := context.WithCancel(ctx)
	n, failure := 0, error(nil)
	var reading sync.WaitGroup
	reading.Go(func() {
		every := time.NewTicker(scrapeEvery)
		defer every.Stop()
		for ctx.Err() == nil && failure == nil {
			failure = readMetrics("http://" + address + "/metrics")
			n++
			select {
			case <-every.C:
			case <-ctx.Done():
			}
		}
	})
	return func() (int, error) {
		cancel()
		reading.Wait()
		return n, failure
	}
}

func readMetrics(url string) error {
	res, err := http.Get(url) // #nosec G107 -- the service's own
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("metrics: status %d", res.StatusCode)
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

// spanCollector takes spans by OTLP over HTTP, and reads them when the load is over.
type spanCollector struct {
	*httptest.Server

	mu       sync.Mutex
	messages [][]byte
	failure  error
}

func newSpanCollector() *spanCollector {
	c := &spanCollector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		message, err := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.messages, c.failure = append(c.messages, message), errors.Join(c.failure, err)
	}))
	return c
}

// count returns how many spans came.
func (c *spanCollector) count() (n int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, message := range c.messages {
		var export collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(message, &export); err != nil {
			return 0, err
		}
		for _, resource := range export.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				n += len(scope.Spans)
			}
		}
	}
	return n, c.failure
}
