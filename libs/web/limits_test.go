package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
)

// desk is a server with calls that block on request. It lives in a synctest bubble: time
// passes when every goroutine is blocked.
type desk struct {
	t        *testing.T
	server   *web.Server
	issuer   *bearer.DevIssuer
	registry *metrics.Registry
	leave    chan struct{} // when closed, blocked calls continue
}

type writing struct {
	Name string          `json:"name,omitempty" maxLength:"20"`
	List []int           `json:"list,omitempty" maxItems:"3"`
	Free json.RawMessage `json:"free,omitempty"`
	Open []struct {
		Key string `json:"key"`
	} `json:"open,omitempty"`
}

func newDesk(t *testing.T, change func(*web.Options)) *desk {
	t.Helper()
	d := &desk{t: t, registry: metrics.New("desk", "1"), leave: make(chan struct{})}
	var err error
	if d.issuer, err = bearer.OpenDevIssuer(filepath.Join(t.TempDir(), "key.jwk")); err != nil {
		t.Fatal(err)
	}
	verifier, err := bearer.New(bearer.Config{Issuer: "https://issuer.test", Audience: "desk", Keys: d.issuer.JWKS()})
	if err != nil {
		t.Fatal(err)
	}
	o := web.Options{
		Title: "Desk", Version: "1", Failure: refuse, Open: []string{"/health"}, Verifier: verifier,
		RolePointers: []string{"/realm_access/roles"}, Metrics: d.registry,
		Caller:  func(_ huma.Context, token bearer.Token, _ []string) (any, error) { return token, nil },
		Service: func(caller any) bool { return caller.(bearer.Token).Service() != "" },
		Long:    []string{"export"},
		Tag:     func(string) string { return "" }, FailureSchema: func(string) *huma.Schema { return &huma.Schema{} },
		Code: func(reason error) (int, string) { return statuses[reason.(refusal.Reason)], "" },
	}
	if change != nil {
		change(&o)
	}
	d.server = running(o)
	token, text := web.Access{Token: true}, &huma.Schema{Type: huma.TypeString}
	type read struct {
		How string `query:"how"`
	}
	for _, op := range []web.Operation{
		{"read", "GET", "/read", token, 200, nil, "Read"},
		{"clerks", "GET", "/clerks", web.Access{Token: true, Roles: []string{"CLERK"}}, 200, nil, "Clerks"},
		{"keys", "GET", "/keys", web.Access{}, 200, nil, "Keys"}, {"health", "GET", "/health", web.Access{}, 200, nil,
			"Health"}, {"export", "GET", "/export", token, 200, nil, "Export"},
	} {
		web.Register(d.server, op, text, func(ctx context.Context, in *read) (*struct{ Body string }, error) {
			if op.ID == "export" {
				if err := web.BeginLong(ctx); err != nil {
					return nil, err
				}
			}
			return d.done(ctx, in.How)
		})
	}
	web.Register(d.server, web.Operation{"write", "POST", "/write", token, 200, nil, "Write"}, text,
		func(ctx context.Context, in *struct{ Body writing }) (*struct{ Body string }, error) {
			return d.done(ctx, in.Body.Name)
		})
	return d
}

// done executes the requested behaviour of a call.
func (d *desk) done(ctx context.Context, how string) (*struct{ Body string }, error) {
	switch how {
	case "panic":
		panic("as asked")
	case "error":
		return nil, errors.New("as asked")
	case "wait":
		select {
		case <-d.leave:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &struct{ Body string }{"done"}, nil
}

// token returns a token of a subject; the name marks services.
func (d *desk) token(subject string) string {
	token := bearer.DevToken{Issuer: "https://issuer.test", Audience: "desk", Subject: subject}
	if strings.HasPrefix(subject, "service") {
		token.Claims = map[string]any{"client_id": subject}
	}
	text, err := d.issuer.Issue(token)
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

// request is a call of a subject, or without a token.
func (d *desk) request(ctx context.Context, subject, method, path string, body io.Reader) *http.Request {
	r, err := http.NewRequestWithContext(ctx, method, path, body)
	if err != nil {
		d.t.Fatal(err)
	}
	r.RemoteAddr = "192.0.2.1:1000"
	r.Header.Set("Content-Type", "application/json")
	if subject != "" {
		r.Header.Set("Authorization", "Bearer "+d.token(subject))
	}
	return r
}

func (d *desk) send(r *http.Request) *recorder {
	w := &recorder{header: http.Header{}}
	d.server.ServeHTTP(w, r)
	return w
}

func (d *desk) call(subject, method, path, body string) *recorder {
	d.t.Helper()
	return d.send(d.request(d.t.Context(), subject, method, path, strings.NewReader(body)))
}

// expect reports a call with another status.
func (d *desk) expect(r *recorder, status int) *recorder {
	d.t.Helper()
	if r.status != status {
		d.t.Errorf("%d %s, want %d", r.status, r, status)
	}
	return r
}

// start starts calls, and returns when each is blocked.
func (d *desk) start(count int, subject, method, path, body string) {
	d.t.Helper()
	for range count {
		go func() { d.expect(d.call(subject, method, path, body), 200) }()
	}
	synctest.Wait()
}

// finish releases the blocked calls, and checks that no slot or byte stays charged, including
// those of decoding: this call needs all of them.
func (d *desk) finish() {
	d.t.Helper()
	close(d.leave)
	synctest.Wait()
	d.holds(0, 0, 0, 0)
	d.expect(d.call("the last", "POST", "/write", dearest), 200)
	d.holds(0, 0, 0, 0)
}

func (d *desk) holds(slots, bytes, waiting, long float64) {
	d.t.Helper()
	metricstest.Want(d.t, d.registry, map[string]float64{
		"desk_http_slots_taken": slots, "desk_http_body_bytes_in_flight": bytes, "desk_http_calls_waiting": waiting, "desk_http_long_calls": long,
	})
}

func (d *desk) expectLimited(limit string, times float64) {
	d.t.Helper()
	metricstest.Want(d.t, d.registry, map[string]float64{`desk_http_limited_total{limit="` + limit + `"}`: times})
}

// atADesk runs a test in a bubble.
func atADesk(t *testing.T, change func(*web.Options), test func(*testing.T, *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newDesk(t, change)) })
}

func TestACallIsChargedForItsBodyUntilItEnds(t *testing.T) {
	atADesk(t, nil, func(_ *testing.T, d *desk) {
		const body = `{"name":"wait","list":[1,2,3],"free":{"a":[true,null]}}` // 10 values
		d.start(1, "ana", "POST", "/write", body)
		d.holds(1, float64(len(body)+1+4*len(body)+10*100), 0, 0)
		d.finish()
	})
}

// large is a body with a charge of about 6.6 MB and a blocked call.
var large = `{"name":"wait","free":[0` + strings.Repeat(",0", 60_000) + `]}`

func TestBodiesAreBoundedForASubjectAndForAll(t *testing.T) {
	atADesk(t, func(o *web.Options) { o.MaxInFlight = 1000 }, func(t *testing.T, d *desk) {
		for i := range 10 {
			d.start(1, fmt.Sprint("caller-", i/2), "POST", "/write", large)
		}
		r := d.expect(d.call("caller-0", "POST", "/write", large), 429)
		if r.header.Get("Retry-After") == "" || r.header.Get("RateLimit") != "" {
			t.Errorf("headers: %v", r.header)
		}
		if r = d.expect(d.call("caller-9", "POST", "/write", large), 503); r.header.Get("Retry-After") == "" {
			t.Errorf("headers: %v", r.header)
		}
		d.expect(d.call("caller-9", "POST", "/write", `{}`), 200)
		d.expect(d.call("caller-0", "GET", "/read", ""), 200)
		d.expectLimited("subject_bytes", 1)
		d.expectLimited("bytes", 1)
		d.finish()
		d.leave = make(chan struct{})
		d.start(1, "caller-0", "POST", "/write", large)
		d.finish()
	})
}

// dearest is charged as much as a body can be. It is taken, or it would be refused for ever.
var dearest = `{"free":[0` + strings.Repeat(",0", (256<<10-len(`{"free":[0]}`))/2) + `]}`

// However calls end, their slots and bytes are released.
func TestNothingIsHeldWhenACallHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, func(o *web.Options) {
			o.MaxInFlight = 20
			o.Rates = web.Rates{Person: limit.Rate{Calls: 20, Per: time.Second, Burst: 5}, AuthFailures: limit.Rate{Calls: 1, Per: time.Second, Burst: 5}}
		})
		chance := rand.New(rand.NewPCG(7, 7))
		bodies := []string{
			`{}`, `{"name":"panic"}`, `{"name":"error"}`, `{"name":"wait"}`, large, `{"list":[1,2,3,4]}`, `{"name":7}`,
			`{"nam":7}`, `{`, ``, strings.Repeat(" ", 300<<10), `[`,
			`{"name":"` + strings.Repeat("x", 30) + `","open":[{},{}]}`,
		}
		paths := []string{"/read", "/read?how=panic", "/read?how=wait", "/clerks", "/keys?how=wait", "/keys", "/export",
			"/export?how=panic", "/export?how=wait", "/none", "/read?what=1"}
		answers := map[int]int{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 600 {
			subject := []string{"ana", "bo", "service", "", "cy"}[chance.IntN(5)]
			ctx, hangUp := context.WithTimeout(t.Context(), time.Duration(chance.IntN(3000))*time.Millisecond)
			method, path, body := "GET", paths[chance.IntN(len(paths))], ""
			if chance.IntN(2) == 0 {
				method, path, body = "POST", "/write", bodies[chance.IntN(len(bodies))]
			}
			if r := d.request(ctx, subject, method, path, strings.NewReader(body)); chance.IntN(10) == 0 {
				r.Body = io.NopCloser(io.MultiReader(strings.NewReader(body), brokenReader{}))
				r.ContentLength = -1
				wg.Go(func() { defer hangUp(); d.send(r) })
			} else {
				wg.Go(func() {
					defer hangUp()
					w := d.send(r)
					mu.Lock()
					defer mu.Unlock()
					answers[w.status]++
				})
			}
			if i%10 == 0 {
				time.Sleep(50 * time.Millisecond) // of the bubble
			}
		}
		wg.Wait()
		d.finish()
		for _, status := range []int{200, 401, 403, 404, 413, 422, 429, 500, 503} {
			if answers[status] == 0 {
				t.Errorf("no call was answered %d: %v", status, answers)
			}
		}
	})
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func TestCallsWithATokenAndThoseWithoutHaveSlotsOfTheirOwn(t *testing.T) {
	atADesk(t, func(o *web.Options) { o.MaxInFlight = 2 }, func(_ *testing.T, d *desk) {
		d.start(2, "ana", "GET", "/read?how=wait", "")
		d.expect(d.call("bo", "GET", "/read", ""), 503)
		d.expect(d.call("bo", "POST", "/write", "{}"), 503)
		d.expect(d.call("", "GET", "/keys", ""), 200)
		d.start(2, "", "GET", "/keys?how=wait", "")
		d.expect(d.call("", "GET", "/keys", ""), 503)
		d.start(3, "", "GET", "/health?how=wait", "")
		d.expectLimited("slots", 3)
		d.finish()
		d.expect(d.call("bo", "GET", "/read", ""), 200)
	})
}

func TestACallOverItsRateWaitsAndIsRefusedWhenThatTakesTooLong(t *testing.T) {
	atADesk(t, func(o *web.Options) {
		o.MaxInFlight = 2
		o.Rates.Person = limit.Rate{Calls: 2, Per: time.Second, Burst: 2}
		o.Rates.Service = limit.Rate{Calls: 1, Per: time.Hour, Burst: 3}
		o.Rates.Operations = []web.OperationRate{{Name: "writes", Operations: []string{"write"}, Rate: limit.Rate{Calls: 1, Per: time.Minute, Burst: 1}}}
	}, func(t *testing.T, d *desk) {
		begun := time.Now()
		took := func(want time.Duration) {
			t.Helper()
			if got := time.Since(begun); got != want {
				t.Errorf("after %s, want %s", got, want)
			}
		}
		for range 2 {
			d.expect(d.call("ana", "GET", "/read", ""), 200)
		}
		took(0)
		d.start(2, "ana", "GET", "/read", "") // in half a second, and in a second
		d.holds(0, 0, 2, 0)
		r := d.expect(d.call("ana", "GET", "/read", ""), 429)
		for name, want := range map[string]string{"Retry-After": "2", "RateLimit-Policy": `"person";q=2;w=1`, "RateLimit": `"person";r=0;t=2`} {
			if got := r.header.Get(name); got != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
		d.expect(d.call("bo", "GET", "/read", ""), 200) // waiting calls hold no slot
		took(0)
		d.expect(d.call("bo", "GET", "/clerks", ""), 403) // a refused call counts
		d.expect(d.call("bo", "GET", "/read", ""), 200)
		took(500 * time.Millisecond)

		for range 3 {
			d.expect(d.call("service", "GET", "/read", ""), 200)
		}
		r = d.expect(d.call("service", "GET", "/read", ""), 429)
		if r.header.Get("RateLimit-Policy") != `"service";q=3;w=10800` || r.header.Get("Retry-After") != "3600" {
			t.Errorf("headers: %v", r.header)
		}

		time.Sleep(10 * time.Second)
		d.expect(d.call("ana", "POST", "/write", "{}"), 200)
		r = d.expect(d.call("ana", "POST", "/write", "{}"), 429)
		if r.header.Get("RateLimit-Policy") != `"writes";q=1;w=60` {
			t.Errorf("headers: %v", r.header)
		}
		d.expectLimited("rate", 2)
		d.expectLimited("operation_rate", 1)
		d.finish()
	})
}

func TestWaitingCallsAreBounded(t *testing.T) {
	atADesk(t, func(o *web.Options) {
		o.MaxInFlight, o.Rates.Person = 10_000, limit.Rate{Calls: 5000, Per: time.Second, Burst: 1}
	}, func(_ *testing.T, d *desk) {
		d.start(1001, "ana", "GET", "/read", "")
		d.holds(0, 0, 1000, 0)
		d.expect(d.call("ana", "GET", "/read", ""), 429)
		d.expectLimited("waiting", 1)
		time.Sleep(2 * time.Second)
		d.expect(d.call("ana", "GET", "/read", ""), 200)
		d.finish()
	})
}

func TestRefusedTokensThrottleOnlyTheirAddress(t *testing.T) {
	atADesk(t, func(o *web.Options) { o.Rates.AuthFailures = limit.Rate{Calls: 2, Per: time.Second, Burst: 2} }, func(t *testing.T, d *desk) {
		try := func(address, token string, status int, want time.Duration) {
			t.Helper()
			begun := time.Now()
			r := d.request(t.Context(), "", "GET", "/read", nil)
			r.RemoteAddr = address
			r.Header.Set("Authorization", "Bearer "+token)
			d.expect(d.send(r), status)
			if took := time.Since(begun); took != want {
				t.Errorf("%s: answered after %s, want %s", address, took, want)
			}
		}
		const here, next, elsewhere = "[2001:db8::1]:1", "[2001:db8::2]:2", "[2001:db8:0:1::1]:1"
		try(here, "x", 401, 0)
		try(next, "x", 401, 0)
		try(here, "x", 401, 500*time.Millisecond)
		go try(next, "x", 401, 500*time.Millisecond)
		synctest.Wait()
		go try(next, "x", 401, time.Second)
		synctest.Wait()
		go try(next, "x", 401, time.Second) // no answer is later
		synctest.Wait()
		d.holds(0, 0, 0, 0) // they are not counted as waiting for a rate
		try(here, d.token("ana"), 200, 0)
		try(elsewhere, "x", 401, 0)
		synctest.Wait()
		time.Sleep(time.Minute)
		try(here, "x", 401, 0)
		d.finish()
	})
}

func TestCallsThatTakeLongAreOneOfASubjectAndFourInAll(t *testing.T) {
	atADesk(t, func(o *web.Options) { o.MaxInFlight = 1 }, func(t *testing.T, d *desk) {
		for i := range 4 {
			d.start(1, fmt.Sprint("caller-", i), "GET", "/export?how=wait", "")
		}
		d.holds(0, 0, 0, 4)
		r := d.expect(d.call("caller-0", "GET", "/export", ""), 429)
		if r.header.Get("Retry-After") != "10" {
			t.Errorf("headers: %v", r.header)
		}
		d.expect(d.call("caller-4", "GET", "/export", ""), 503)
		d.expect(d.call("caller-0", "GET", "/read", ""), 200) // they have given back their slots
		d.expectLimited("long", 2)
		d.finish()
		d.expect(d.call("caller-4", "GET", "/export?how=panic", ""), 500)
		d.expect(d.call("caller-4", "GET", "/export", ""), 200)
	})
}

func TestFindingsOfALongListAreCut(t *testing.T) {
	atADesk(t, nil, func(t *testing.T, d *desk) {
		for body, want := range map[string]string{
			`{"list":[1,2,3,4]}`:          `{"detail":[{"type":"too_long","loc":["body","list"],"msg":"List should have at most 3 items"}]}`,
			`{"list":[1,2,"x"],"x":1}`:    `{"detail":[{"type":"int_type","loc":["body","list",2],"msg":"Input should be a valid integer"},{"type":"extra_forbidden","loc":["body","x"],"msg":"Extra inputs are not permitted"}]}`,
			`{"free":{"list":[1,2,3,4]}}`: `"done"`,
		} {
			if r := d.call("ana", "POST", "/write", body); r.String() != want {
				t.Errorf("%s: %d %s\nwant %s", body, r.status, r, want)
			}
		}
		// The length of this one is unbounded.
		r := d.expect(d.call("ana", "POST", "/write?x=1", `{"open":[{}`+strings.Repeat(`,{}`, 10_000)+`]}`), 422)
		if n := strings.Count(r.String(), "missing"); n != 0 {
			t.Errorf("%d findings in the body, beside one in the query", n)
		}
		r = d.expect(d.call("ana", "POST", "/write", `{"open":[{}`+strings.Repeat(`,{}`, 10_000)+`]}`), 422)
		if n := strings.Count(r.String(), `"missing"`); n != 50 || !strings.Contains(r.String(), `["body","open",49,"key"]`) {
			t.Errorf("%d findings: %s", n, r)
		}
		d.finish()
	})
}
