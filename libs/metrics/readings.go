package metrics

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Readings are gauges that are read together, now and then, by somebody who may wait for
// the database. Prometheus gets them as they were read last, at once. When they are too
// old, or Drop was called, there are none: no value is better than one that was true
// once.
type Readings struct {
	registry *Registry
	good     time.Duration
	last     atomic.Pointer[reading]
}

type reading struct {
	at     time.Time
	gauges *prometheus.Registry
}

// Readings returns gauges that are good for a time after they were read.
func (r *Registry) Readings(good time.Duration) *Readings {
	return register(r, &Readings{registry: r, good: good})
}

// Read replaces all readings by those that fill puts into gauges, unless fill fails. The
// old ones are then shown as long as they are good.
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

// Drop shows nothing until the next Read.
func (x *Readings) Drop() { x.last.Store(nil) }

// Describe says nothing: which gauges there are is not known before they are read.
func (x *Readings) Describe(chan<- *prometheus.Desc) {}

// Collect shows what was read last.
func (x *Readings) Collect(ch chan<- prometheus.Metric) {
	if last := x.last.Load(); last != nil && time.Since(last.at) < x.good {
		last.gauges.Collect(ch)
	}
}
