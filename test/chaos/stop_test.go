package chaos

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
)

// holdLock holds a lock until the test is over.
func holdLock(t *testing.T, database, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), "BEGIN; "+statement); err != nil {
		t.Fatal(err)
	}
}

// waits returns when a connection is blocked by a lock.
func waits(t *testing.T, database string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	timetest.Eventually(t, "a connection blocked by the lock", func() bool {
		var n int
		err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n)
		return err == nil && n > 0
	})
}

// A signal comes at any time. The end is the same, and it does not take for ever.
func TestAStopEndsWellWheneverItComes(t *testing.T) {
	chaos(t)
	for name, tt := range map[string]struct {
		variables []string
		when      func(t *testing.T, s *service, database string) *replica // it is there, in the state
		within    time.Duration
	}{
		"before it has begun": {nil, func(_ *testing.T, s *service, _ string) *replica {
			r := s.start("")
			timetest.Eventually(s.t, "it listens", func() bool { return strings.Contains(r.Log.String(), "listening") })
			return r
		}, 5 * time.Second},
		"while the database is away": {[]string{"DATABASE_URL=postgres://nobody@127.0.0.1:1/none"}, func(_ *testing.T, s *service, _ string) *replica {
			r := s.start("")
			timetest.Eventually(s.t, "it has tried", func() bool { return strings.Contains(r.Log.String(), "reachable") })
			return r
		}, 2 * time.Second},
		"while it migrates": {nil, func(t *testing.T, s *service, database string) *replica {
			holdLock(t, database, "LOCK TABLE pg_catalog.pg_class IN EXCLUSIVE MODE")
			r := s.start("")
			waits(t, database)
			return r
		}, 5 * time.Second},
		"while the issuer of the tokens hangs": {nil, func(t *testing.T, s *service, _ string) *replica {
			asked := make(chan struct{}, 10)
			issuer := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- struct{}{}; <-r.Context().Done() }))
			t.Cleanup(issuer.Close)
			s.env = append(s.env, s.prefix+"AUTH_JWKS_URL="+issuer.URL, s.prefix+"ALLOW_HTTP_OUTBOUND=true",
				s.prefix+"OUTBOUND_ALLOW=127.0.0.0/8,"+port(t, issuer.URL))
			r := s.start("")
			timetest.Await(t, asked, "a call to the issuer")
			return r
		}, 2 * time.Second},
		"while idle connections and half a call are open": {[]string{"DRAIN_DELAY=0s"}, func(t *testing.T, s *service, _ string) *replica {
			r := s.begin("")
			for _, sent := range []string{"", "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n",
				"POST /v1/wf/requests HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", "GET /livez HT"} {
				conn, err := net.Dial("tcp", r.address())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = conn.Close() })
				_, _ = io.WriteString(conn, sent)
			}
			return r
		}, 12 * time.Second},
		"while a call is blocked by a lock": {[]string{"DRAIN_DELAY=0s"}, func(t *testing.T, s *service, database string) *replica {
			r := s.begin("")
			c := s.caller(r.url)
			c.policy(t)
			holdLock(t, database, "LOCK TABLE request")
			answered := make(chan string, 1)
			go func() {
				a, err := c.call("POST", requests, `{"policy_key":"spend"}`)
				answered <- fmt.Sprint(a.status, a.code, err)
			}()
			waits(t, database)
			t.Cleanup(func() {
				if got := timetest.Await(t, answered, "the call is answered"); got != "503WF-006<nil>" {
					t.Errorf("the call that ran was answered %s", got)
				}
			})
			return r
		}, 8 * time.Second},
		"while a client of an export does not read": {[]string{"DRAIN_DELAY=0s"}, func(t *testing.T, s *service, _ string) *replica {
			r := s.begin("")
			c := s.caller(r.url)
			c.must(t, "POST", policies, fmt.Sprintf(
				`{"policy_key":"spend","name":"Spend","description":"%s","stages":[{"key":"check","name":"Check","approvers":[{"type":"user","ids":["ana"]}]}]}`, strings.Repeat("x", 900)), 201)
			c.must(t, "POST", policies+"/spend/versions/1/activate", "", 200)
			for range 3000 {
				c.must(t, "POST", requests, `{"policy_key":"spend","title":"`+strings.Repeat("long ", 30)+`"}`, 201)
			}
			request, _ := http.NewRequest("GET", r.url+"/v1/wf/admin/audit", nil)
			request.Header = http.Header{"Authorization": {"Bearer " + c.token}, "Accept": {"application/x-ndjson"}}
			narrow := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, network, address)
				if err == nil {
					_ = conn.(*net.TCPConn).SetReadBuffer(64 << 10)
				}
				return conn, err
			}}}
			response, err := narrow.Do(request)
			if err != nil || response.StatusCode != 200 {
				t.Fatalf("export: %v, %v", response, err)
			}
			t.Cleanup(func() {
				body, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if whole := strings.Contains(string(body), `{"end":`); whole == (err != nil) {
					t.Errorf("the export has %d bytes, its end %t, and ended with %v", len(body), whole, err)
				} else {
					t.Logf("the export was whole: %t, after %d bytes (%v)", whole, len(body), err)
				}
			})
			return r
		}, 22 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			database := sqldbtest.Postgres(t)
			s := wf(t, database, tt.variables...)
			r := tt.when(t, s, database)
			begin := time.Now()
			r.Signal(syscall.SIGTERM)
			status := r.Wait()
			t.Logf("ended with %d after %s: %s", status, time.Since(begin).Round(10*time.Millisecond), r.lastLine())
			if status != 0 || !strings.Contains(r.lastLine(), `"msg":"stopped"`) || time.Since(begin) > tt.within {
				t.Errorf("ended with %d after %s, want 0 within %s:\n%s", status, time.Since(begin), tt.within, r.Log.String())
			}
		})
	}
}

func port(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

func TestASecondSignalEndsTheProcessAtOnce(t *testing.T) {
	chaos(t)
	s := wf(t, sqldbtest.Postgres(t))
	r := s.begin("")
	r.Signal(syscall.SIGTERM)
	timetest.Eventually(t, "it is stopping", func() bool { return strings.Contains(r.Log.String(), "stopping") })
	begin := time.Now()
	r.Signal(syscall.SIGINT)
	if status := r.Wait(); status != 1 || time.Since(begin) > time.Second || !strings.Contains(r.lastLine(), "second signal") {
		t.Errorf("ended with %d after %s: %s", status, time.Since(begin), r.lastLine())
	}
}

// A slow receiver with fifty messages in flight at the stop of their sender gets each of them once,
// without a wait for the end of a lease.
func TestAStopFinishesTheWebhooksThatAreUnderWay(t *testing.T) {
	chaos(t)
	const endpoints, each, slow = 8, 8, 4 * time.Second
	r := receives(t, endpoints, slow)
	s, first, caller := sends(t, r)
	caller.tell(t, r, each)
	timetest.Eventually(t, "fifty are under way", func() bool { return len(r.arrivals()) >= 50 })
	begin := time.Now()
	first.Signal(syscall.SIGTERM)
	if status := first.Wait(); status != 0 || time.Since(begin) > 12*time.Second {
		t.Errorf("ended with %d after %s: %s", status, time.Since(begin), first.lastLine())
	}
	stopped := time.Now()
	s.begin(first.address())
	timetest.Eventually(t, "each message is accepted", func() bool {
		different, _ := r.messages()
		return different == endpoints*each
	})
	_, twice := r.messages()
	t.Logf("stopped after %s; all accepted %s later, %d twice", stopped.Sub(begin).Round(10*time.Millisecond),
		time.Since(stopped).Round(10*time.Millisecond), twice)
	if twice > 0 || time.Since(stopped) > 10*time.Second {
		t.Errorf("%d messages were accepted twice; the last %s after the stop", twice, time.Since(stopped))
	}
}
