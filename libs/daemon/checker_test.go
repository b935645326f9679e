package daemon

import (
	"context"
	"errors"
	"testing"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

func TestOneProcessAtATimeChecks(t *testing.T) {
	url := sqldbtest.Postgres(t)
	type process struct {
		metrics *metrics.Registry
		pass    func(context.Context) (bool, error)
		resign  func()
		read    int
		broken  error
	}
	start := func() *process {
		db, err := sqldb.Open(t.Context(), url, sqldb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		p := &process{metrics: metrics.New("x", "1")}
		loop := CheckLoop(db, p.metrics, func(_ context.Context, gauges *metrics.Registry) error {
			p.read++
			gauges.Gauge("things", "Things.").WithLabelValues().Set(float64(p.read))
			return p.broken
		})
		p.pass, p.resign = loop.pass, loop.Leader.Resign
		return p
	}
	one, two := start(), start()
	check := func(p *process, want float64) {
		t.Helper()
		if _, err := p.pass(t.Context()); !errors.Is(err, p.broken) {
			t.Errorf("pass = %v, want %v", err, p.broken)
		}
		metricstest.Want(t, p.metrics, map[string]float64{"x_things": want})
	}
	check(one, 1)
	check(two, 0) // the other one leads
	one.broken = errors.New("broken")
	check(one, 1) // the previous value is shown
	one.broken = nil
	one.resign()
	check(two, 1)
	check(one, 0)
	if one.read != 2 || two.read != 1 {
		t.Errorf("read %d and %d times, want 2 and 1", one.read, two.read)
	}
}
