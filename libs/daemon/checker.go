package daemon

import (
	"context"
	"log/slog"
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/sqldb"
)

const (
	checkEvery = time.Minute
	checkTime  = 20 * time.Second // of a pass

	// checkGood is the lifetime of the values: they outlast two failed passes.
	checkGood = 3*checkEvery + checkTime
)

// Checker reads database counts once a minute, on one process at a time, and exports them as gauges
// of that process. Scrapes neither wait for the database nor add load to it.
type Checker struct {
	DB      *sqldb.DB
	Metrics *metrics.Registry
	Logger  *slog.Logger

	// Read puts gauges of what is there now. It should be bounded in rows; its time
	// is.
	Read func(ctx context.Context, gauges *metrics.Registry) error
}

// Run reads until ctx ends, and then returns nil.
func (c *Checker) Run(ctx context.Context) error {
	pass, resign := c.pass()
	defer resign()
	loop := &Loop{Name: "checker", Every: checkEvery, Logger: c.Logger, Metrics: c.Metrics, Pass: pass}
	return loop.Run(ctx)
}

func (c *Checker) pass() (pass func(context.Context) (bool, error), resign func()) {
	readings := c.Metrics.Readings(checkGood)
	leader := c.DB.Leader("checker")
	pass = func(ctx context.Context) (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, checkTime)
		defer cancel()
		leads, err := leader.Leads(ctx)
		if !leads {
			readings.Drop() // the process that leads shows them now
		}
		if err != nil || !leads {
			return false, err
		}
		return false, readings.Read(func(gauges *metrics.Registry) error { return c.Read(ctx, gauges) })
	}
	return pass, leader.Resign
}
