package daemon

import (
	"context"
	"time"

	"github.com/countersign/countersign/libs/metrics"
)

const (
	checkEvery = time.Minute
	checkTime  = 20 * time.Second // of a pass

	// checkGood is the lifetime of the values: they outlast two failed passes.
	checkGood = 3*checkEvery + checkTime
)

// CheckLoop returns the loop that reads database counts once a minute, in one process at a time, and
// exports them as gauges of that process. Scrapes neither wait for the database nor add load to it.
// read sets the gauges; it should be bounded in rows, and its time is limited.
func CheckLoop(
	leads func(context.Context) (bool, error), registry *metrics.Registry,
	read func(ctx context.Context, gauges *metrics.Registry) error,
) *Loop {
	readings := registry.Readings(checkGood)
	return &Loop{
		Name: "checker", Every: checkEvery, Metrics: registry,
		Leads: leads, Idle: readings.Drop, // the leader exports the gauges now
		Pass: func(ctx context.Context) (bool, error) {
			ctx, cancel := context.WithTimeout(ctx, checkTime)
			defer cancel()
			return false, readings.Read(func(gauges *metrics.Registry) error { return read(ctx, gauges) })
		},
	}
}
