package daemon

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/metrics/metricstest"
)

func TestAClockThatIsOffClosesTheService(t *testing.T) {
	var log logtest.Log
	registry := metrics.New("x", "1")
	var ahead time.Duration
	var fails error
	off := false
	clock := clock(func(context.Context) (time.Duration, error) { return ahead, fails }, func(is bool) { off = is }, log.Logger(), registry)
	for _, step := range []struct {
		ahead time.Duration
		fails error
		off   bool
	}{
		{ahead: time.Minute}, {ahead: time.Minute + 1, off: true}, {fails: errors.New("away"), off: true},
		{ahead: -time.Minute - 1, off: true}, {ahead: -time.Minute},
	} {
		ahead, fails = step.ahead, step.fails
		if _, err := clock.Pass(t.Context()); !errors.Is(err, step.fails) || off != step.off {
			t.Errorf("%s ahead: off %t, %v, want %t", ahead, off, err, step.off)
		}
	}
	metricstest.Want(t, registry, map[string]float64{"x_clock_skew_seconds": -60})
	if n := strings.Count(log.String(), "clock differs from the database's"); n != 1 {
		t.Errorf("logged %d times in a minute\n%s", n, log.String())
	}
}
