package metrics

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Readings are gauges that a background job reads together, for example from the database. A scrape
// returns the last values without a read. Values that are too old, or were dropped, are not
// exported.
type Readings struct {
	registry *Registry
	good     time.Duration
	last     atomic.Pointer[reading]
}

type reading struct {
	at     time.Time
	gauges *prometheus.Registry
}

// Readings returns gauges whose values expire after a time.
func (r *Registry) Readings(good time.Duration) *Readings {
	return register(r, &Readings{registry: r, good: good})
}

// Read replaces all values by those that fill sets. If fill fails, the previous values remain until they
// expire.
func (x *Readings) Read(fill func(gauges *Registry) error) error {
	gauges := &Registry{namespace: x.registry.space(), inner: prometheus.NewRegistry(), values: &sync.Map{}}
	if x.registry != nil {
		gauges.values = x.registry.values // so that a value is the same in all metrics
	}
	if err := fill(gauges); err != nil {
		return err
	}
	x.last.Store(&reading{time.Now(), gauges.inner})
	return nil
}

// Drop exports no values until the next Read.
func (x *Readings) Drop() { x.last.Store(nil) }

// Describe sends nothing: the gauges are unknown before the first Read.
func (x *Readings) Describe(chan<- *prometheus.Desc) {}

// Collect exports the last values while they are fresh.
func (x *Readings) Collect(ch chan<- prometheus.Metric) {
	if last := x.last.Load(); last != nil && time.Since(last.at) < x.good {
		last.gauges.Collect(ch)
	}
}
