package daemon

import (
	"context"
	"errors"
	"testing"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/metrics/metricstest"
)

func TestOnlyTheLeaderExportsTheGauges(t *testing.T) {
	broken := errors.New("broken")
	var leads bool
	var leadsErr, readErr error
	r := metrics.New("x", "1")
	loop := CheckLoop(func(context.Context) (bool, error) { return leads, leadsErr }, r,
		func(_ context.Context, gauges *metrics.Registry) error {
			gauges.Gauge("things", "Things.").WithLabelValues().Set(1)
			return readErr
		})
	for _, step := range []struct {
		name              string
		leads             bool
		leadsErr, readErr error
		want              float64
	}{
		{"another process leads", false, nil, nil, 0},
		{"it leads", true, nil, nil, 1},
		{"a failed read keeps the values", true, nil, broken, 1},
		{"so does an unknown leader", false, broken, nil, 1},
		{"another process leads again", false, nil, nil, 0},
		{"a failed first read exports nothing", true, nil, broken, 0},
	} {
		leads, leadsErr, readErr = step.leads, step.leadsErr, step.readErr
		if _, err := loop.pass(t.Context()); (err != nil) != (step.leadsErr != nil || step.readErr != nil) {
			t.Errorf("%s: error %v", step.name, err)
		}
		metricstest.Want(t, r, map[string]float64{"x_things": step.want})
	}
}
