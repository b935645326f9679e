package chaos

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/test/programs"
)

// 5,000 calls of 250 subjects wait without a query of their own. A commit wakes those of its request, and a stop
// answers all. The bounds are above the measured values.
func TestFiveThousandCallersWait(t *testing.T) {
	chaos(t)
	const subjects, each = 250, 20
	admin := programs.FreeAddress(t)
	s := wf(t, sqldbtest.Postgres(t), "MAX_WAITING=5000", "ADMIN_LISTEN="+admin, "DRAIN_DELAY=0s", "WORKERS=false")
	r := s.begin("")
	root := s.caller(r.url)
	root.policy(t)
	ids := make([]string, subjects)
	for i := range ids {
		ids[i] = root.must(t, "POST", requests, `{"policy_key":"spend"}`, 201).request(t).ID
	}
	metrics := func() map[string]float64 { return metricstest.Scrape(t, "http://"+admin+"/metrics") }
	statements := func() (sum float64) {
		for series, value := range metrics() {
			if strings.HasPrefix(series, "wf_db_statements_total") {
				sum += value
			}
		}
		return sum
	}
	before := r.memoryMiB(t, "VmRSS")

	var waiting sync.WaitGroup
	var answered, failed atomic.Int64
	changed := make(chan time.Time, each)
	for i := range subjects {
		c := s.callerAs(r.url, fmt.Sprint("subject-", i))
		c.client = &http.Client{Transport: &http.Transport{}}
		for range each {
			waiting.Go(func() {
				a, err := c.call("GET", requests+"/"+ids[i]+"?wait=55", "")
				if answered.Add(1); err != nil || a.status != 200 || a.header.Get("Preference-Applied") != "wait" {
					failed.Add(1)
				}
				if i == 0 {
					changed <- time.Now()
				}
			})
		}
		if started := float64(i+1) * each; int(started)%200 == 0 { // WF_MAX_IN_FLIGHT is 256
			timetest.Eventually(t, "the calls wait", func() bool { return metrics()["wf_http_long_polls"] == started })
		}
	}
	used := r.memoryMiB(t, "VmRSS") - before
	sent, start := statements(), time.Now()
	time.Sleep(4 * time.Second) // the span of the measurement
	rate := (statements() - sent) / time.Since(start).Seconds()

	at := time.Now()
	root.must(t, "POST", requests+"/"+ids[0]+"/cancel", "", 200)
	var woken time.Duration
	for range each {
		woken = (<-changed).Sub(at)
	}
	rest := subjects*each - answered.Load()
	at = time.Now()
	r.Signal(syscall.SIGTERM)
	waiting.Wait()
	stopped := time.Since(at)
	t.Logf("%d calls of %d subjects: %d MiB (%d before), %.1f statements a second; %d woken after %s; %d answered %s after SIGTERM",
		subjects*each, subjects, used, before, rate, each, woken.Round(time.Millisecond), rest, stopped.Round(time.Millisecond))
	if failed.Load() > 0 || rest != subjects*each-each {
		t.Errorf("%d calls failed, and %d waited until the stop", failed.Load(), rest)
	}
	if used > 400 {
		t.Errorf("%d MiB", used)
	}
	if rate > 20 {
		t.Errorf("%.1f statements a second", rate)
	}
	if woken > time.Second || stopped > 15*time.Second {
		t.Errorf("%s until the wake, %s until the stop", woken, stopped)
	}
	if status := r.Wait(); status != 0 {
		t.Errorf("exit %d", status)
	}
}
