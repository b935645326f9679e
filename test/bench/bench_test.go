package main

import (
	"bytes"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/test/programs"
)

func TestAShortRunReportsEveryStep(t *testing.T) {
	server, bin := os.Getenv("TEST_POSTGRES_URL"), ""
	if server == "" && os.Getenv("COUNTERSIGN_REQUIRE_POSTGRES") != "1" {
		t.Skip("TEST_POSTGRES_URL is not set; make test sets it")
	}
	for _, s := range []subject{wf, registrar} {
		bin = filepath.Dir(programs.Build(t, s.program))
	}
	var out bytes.Buffer
	if err := run(t.Context(), flags{Rounds: 1, Seconds: 0.01, Bin: bin, Postgres: server}, &out); err != nil {
		t.Fatalf("run() = %v\n%s", err, &out)
	}
	for _, want := range []string{"create request  postgres", "decide task    sqlite", "list requests", "register client"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report has no %q:\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
		t.Errorf("the report contains an invalid number:\n%s", &out)
	}
}

func TestTheRateCountsEveryCallOfTheWholeLoad(t *testing.T) {
	at := func(seconds int64) time.Time { return time.Unix(seconds, 0) }
	got := summarise([]sample{{at(5), 5 * time.Second, nil}, {at(6), time.Second, nil}, {at(8), 2 * time.Second, nil}})
	if math.Abs(got.rate-3./8) > 1e-9 || got.p50 != 2*time.Second || got.p99 != 5*time.Second {
		t.Errorf("summarise() = %+v", got)
	}
	if got := medianOf([]speed{{rate: 4}, {rate: 1}, {rate: 2}, {rate: 9}}, func(s speed) float64 { return s.rate }); got != 3 {
		t.Errorf("the median is %v", got)
	}
}

func TestALoadFailsAtAStatusThatIsNotWanted(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := load(t.Context(), server.Listener.Addr().String(), 2, func(i int) (call, string, bool) {
		return call{path: "/nothing", want: 200}, "", i < 100
	})
	if err == nil || !strings.Contains(err.Error(), "GET /nothing: answered 404, want 200") {
		t.Errorf("load() = %v", err)
	}
}
