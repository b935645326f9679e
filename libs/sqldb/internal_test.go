package sqldb

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm/logger"
)

func TestRebindNumbersPlaceholdersOutsideQuotes(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT 1":                             "SELECT 1",
		"a = ? AND b IN (?, ?)":                "a = $1 AND b IN ($2, $3)",
		"a = '?' AND b = ?":                    "a = '?' AND b = $1",
		"a = 'it''s ?' AND \"odd ? name\" = ?": "a = 'it''s ?' AND \"odd ? name\" = $1",
		"naïve = ?":                            "naïve = $1",
	} {
		if got := rebind(query); got != want {
			t.Errorf("rebind(%s) = %s, want %s", query, got, want)
		}
	}
}

func TestSSLModeDefaultsToVerifyFullAwayFromThisMachine(t *testing.T) {
	t.Setenv("PGSSLMODE", "")
	for url, verified := range map[string]bool{
		"postgres://u@db.example/d":                      true,
		"postgres://u@10.1.2.3:6432/d?pool=x":            true,
		"postgres://u@localhost/d?host=db.example":       true,
		"postgres://u@db.example/d?sslmode=disable":      false,
		"postgres://u@127.0.0.1/d":                       false,
		"postgres://u@[::1]/d":                           false,
		"postgres://u@localhost/d":                       false,
		"postgres:///d?host=/run/postgresql":             false,
		"postgresql://u@127.0.0.1/d?sslmode=verify-full": true,
	} {
		config, _, err := parsePostgres(url, 0)
		if err != nil {
			t.Errorf("parsePostgres(%q): %v", url, err)
			continue
		}
		if got := config.TLSConfig != nil && !config.TLSConfig.InsecureSkipVerify && len(config.Fallbacks) == 0; got != verified {
			t.Errorf("%s: verified = %v, want %v", url, got, verified)
		}
	}
}

func TestAParameterInTheURLWins(t *testing.T) {
	config, _, err := parsePostgres("postgres://u@localhost/d?statement_timeout=1s&application_name=wf", time.Hour)
	if err != nil || config.RuntimeParams["statement_timeout"] != "1s" || config.RuntimeParams["application_name"] != "wf" {
		t.Errorf("parameters = %v (%v)", config.RuntimeParams, err)
	}
}

func TestPatienceIsTheLeastOfEachLimit(t *testing.T) {
	config, _, err := parsePostgres("postgres://u@localhost/d", 7*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"statement_timeout": "7000", "lock_timeout": "7000", "idle_in_transaction_session_timeout": "10000"} {
		if got := config.RuntimeParams[name]; got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if config.ConnectTimeout != 7*time.Second {
		t.Errorf("a connection may take %s, want 7s", config.ConnectTimeout)
	}
}

func TestTheLogHoldsNoValues(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	db, err := Open(t.Context(), "sqlite:"+t.TempDir()+"/x.db", Options{Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Read(t.Context()).Exec("SELECT ? FROM nowhere", "s3cret").Error; err == nil {
		t.Fatal("no error")
	}
	slow := func() (string, int64) { return "SELECT slow", 1 }
	gormLog{logger.Discard, db}.Trace(context.Background(), time.Now().Add(-time.Minute), slow, nil)
	if got := out.String(); !strings.Contains(got, "nowhere") || !strings.Contains(got, "SELECT slow") || strings.Contains(got, "s3cret") {
		t.Errorf("log = %s", got)
	}
}
