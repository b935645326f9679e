package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf/internal/server"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

func TestADatabaseThatIsAwayAtTheStartIsNamed(t *testing.T) {
	proxy, url := between(t, sqldbtest.Postgres(t)) // and cut
	s := serve(t, development(t, url))
	s.becomes("/v1/wf/health", 503, "WF-006")
	for _, path := range []string{"/readyz", "/v1/wf/requests", "/no/such/route"} {
		s.want(path, 503, "WF-006")
	}
	proxy.Mend()
	timetest.Await(t, s.ready, "the service is ready")
	s.want("/v1/wf/health", 200, "")
	if n := strings.Count(s.log.String(), `"reachable":false`); n != 1 {
		t.Errorf("logged %d times:\n%s", n, s.log)
	}
}

func TestServiceReportsDatabaseLossAndRecovers(t *testing.T) {
	proxy, url := between(t, sqldbtest.Postgres(t))
	proxy.Mend()
	s := begin(t, development(t, url))
	for range 2 {
		s.want("/v1/wf/requests", 200, "")
		proxy.Cut()
		s.becomes("/v1/wf/health", 503, "WF-006")
		for _, path := range []string{"/v1/wf/requests", "/v1/wf/policies", "/readyz"} {
			s.want(path, 503, "WF-006")
		}
		s.root().Get("/livez").Want(200)
		proxy.Mend()
		s.becomes("/v1/wf/requests", 200, "") // without a health request
		s.want("/v1/wf/health", 200, "")
	}
	if err := s.end(); err != nil {
		t.Errorf("Run = %v", err)
	}
}

// receives starts a receiver of callbacks and returns its URL. It reports whether the signature of
// each message of one type is valid; those of other types must be.
func receives(t *testing.T, c server.Config, kind string) (heard chan error, url string) {
	t.Helper()
	heard = make(chan error, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		secret, err := os.ReadFile(filepath.Join(c.DataDir, "dev-webhook.secret"))
		if err != nil {
			t.Error(err)
		}
		verifier, err := standardwebhooks.NewWebhook(strings.TrimSpace(string(secret)))
		if err != nil {
			t.Error(err)
		}
		err = verifier.Verify(body, r.Header)
		if strings.Contains(string(body), kind) {
			heard <- err
		} else if err != nil {
			t.Errorf("signature: %v", err)
		}
	}))
	t.Cleanup(receiver.Close)
	return heard, receiver.URL
}

func TestTheWorkersAndTimersRun(t *testing.T) {
	sqldbtest.Any(t, func(t *testing.T, url string) {
		c := development(t, url)
		heard, receiver := receives(t, c, "request.expired")
		s := begin(t, c)
		s.addPolicy("spend", spend)
		s.root().Post("/v1/wf/delegations", fmt.Sprintf(`{"user_id":"ana","delegate_to":"dora","starts_at":%q,"ends_at":%q}`,
			time.Now().UTC().Format(time.RFC3339Nano), time.Now().Add(time.Hour).UTC().Format(time.RFC3339Nano))).Want(201)
		s.root().Post("/v1/wf/requests", `{"policy_key":"spend","expires_in":"PT1S","callback_url":"`+receiver+`"}`).Want(201)
		if err := timetest.Await(t, heard, "a message about the end"); err != nil {
			t.Errorf("signature: %v", err)
		}
		timetest.Eventually(t, "the start of the delegation is recorded", func() bool {
			return len(s.root().Get("/v1/wf/admin/audit?type=delegation.started").Items("id")) == 1
		})
	})
}

func TestAProcessWithoutWorkersLeavesTheWorkToOthers(t *testing.T) {
	url := sqldbtest.Postgres(t)
	c := development(t, url)
	heard, receiver := receives(t, c, "request.created")
	c.Workers = false
	calls := begin(t, c)
	calls.addPolicy("spend", spend)
	calls.root().Post("/v1/wf/requests", `{"policy_key":"spend","callback_url":"`+receiver+`"}`).Want(201)
	list := calls.root().Get("/v1/wf/admin/deliveries").Items("status")
	if len(list) != 1 || list[0] != "pending" || len(heard) > 0 {
		t.Fatalf("deliveries %v, %d sent", list, len(heard))
	}
	c.Workers = true
	begin(t, c)
	if err := timetest.Await(t, heard, "a message about the request"); err != nil {
		t.Errorf("signature: %v", err)
	}
}

func TestItEndsWhenSomethingItNeedsCannotBeHad(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	tests := map[string]struct {
		change func(t *testing.T, c *server.Config)
		blame  string
	}{
		"the address":                  {func(t *testing.T, c *server.Config) { c.Listen = taken.Addr().String() }, "WF_LISTEN"},
		"a supported kind of database": {func(t *testing.T, c *server.Config) { c.DatabaseURL = "mysql://db.example/wf" }, "WF_DATABASE_URL"},
		"a file for the database":      {func(t *testing.T, c *server.Config) { c.DatabaseURL = "sqlite:" }, "WF_DATABASE_URL"},
		"a schema that it can use": {func(t *testing.T, c *server.Config) {
			s := begin(t, *c)
			must(t, s.end())
			db := wftest.Connect(t, string(c.DatabaseURL), nil)
			if err := db.Read(t.Context()).Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)").Error; err != nil {
				t.Fatal(err)
			}
		}, "WF_DATABASE_URL"},
		"keys that are some": {func(t *testing.T, c *server.Config) {
			c.AuthIssuer, c.AuthJWKSURL = "https://idp.example", "file:config_test.go"
		}, "WF_AUTH_"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := development(t, sqldbtest.SQLite(t))
			tt.change(t, &c)
			log := new(logtest.Log)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			err := server.Run(ctx, c, log.Logger(), func(string) { t.Error("it reports readiness") })
			if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), tt.blame) {
				t.Fatalf("Run = %v, want an error that names %s", err, tt.blame)
			}
			if address := address(log); address != "" {
				if _, err := net.Dial("tcp", strings.TrimPrefix(address, "http://")); err == nil {
					t.Error("it still listens")
				}
			}
		})
	}
}

func TestNothingRunsAfterTheEnd(t *testing.T) {
	sqldbtest.Any(t, func(t *testing.T, url string) {
		for range 5 {
			s := begin(t, development(t, url))
			s.want("/v1/wf/requests", 200, "")
			must(t, s.end())
		}
		http.DefaultClient.CloseIdleConnections()
		stacks := func() string {
			buffer := make([]byte, 1<<20)
			return string(buffer[:runtime.Stack(buffer, true)])
		}
		mine := []string{"libs/outbox/webhooks.", "internal/server.", "libs/bearer.", "database/sql.(*DB)", "net/http.(*conn).serve"}
		timetest.Eventually(t, "its goroutines end", func() bool {
			all := stacks()
			for _, word := range mine {
				if strings.Contains(all, word) {
					return false
				}
			}
			return true
		})
	})
}
