// Package metrics collects the Prometheus metrics of a process.
//
// A process has one [Registry], created where the service is assembled and passed to its
// components. There are no package variables, so a test may run several services concurrently.
// Every method works on a nil *Registry, whose metrics are not exported.
//
// Series are bounded. A label takes its values from the code, or from [Registry.Value],
// which is bounded; the ids and names of people are never values.
package metrics

import (
	"errors"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Registry holds the metrics. It is safe for concurrent use.
type Registry struct {
	namespace string
	inner     *prometheus.Registry
	values    *sync.Map // by label: *values
}

// New returns a registry whose metrics begin with namespace_, with those of the Go
// runtime, of the process and of the build.
func New(namespace, version string) *Registry {
	r := &Registry{namespace: namespace, inner: prometheus.NewRegistry(), values: &sync.Map{}}
	r.inner.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	r.Gauge("build_info", "Always 1; the labels identify the build.", "version", "goversion").WithLabelValues(version, runtime.Version()).Set(1)
	return r
}

// Handler serves the metrics in the format of Prometheus.
func (r *Registry) Handler() http.Handler {
	return promhttp.HandlerFor(r.inner, promhttp.HandlerOpts{
		MaxRequestsInFlight: 2, Timeout: 5 * time.Second, EnableOpenMetrics: true,
	})
}

// Gatherer returns the gatherer, for tests.
func (r *Registry) Gatherer() prometheus.Gatherer { return r.inner }

// Register adds an external collector, such as that of a connection pool.
func (r *Registry) Register(c prometheus.Collector) { register(r, c) }

// Counter returns the counter of the name. The first call creates it.
func (r *Registry) Counter(name, help string, labels ...string) *prometheus.CounterVec {
	return register(r, prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: r.space(), Name: name, Help: help}, labels))
}

// Gauge is like Counter.
func (r *Registry) Gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: r.space(), Name: name, Help: help}, labels))
}

// Histogram is like Counter.
func (r *Registry) Histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: r.space(), Name: name, Help: help, Buckets: buckets}, labels))
}

// Func registers a gauge that is read at every scrape. read must not block.
func (r *Registry) Func(name, help string, read func() float64) {
	register(r, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: r.space(), Name: name, Help: help}, read))
}

// Total registers an external counter that is read at every scrape.
func (r *Registry) Total(name, help string, read func() float64) {
	register(r, prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: r.space(), Name: name, Help: help}, read))
}

func (r *Registry) space() string {
	if r == nil {
		return ""
	}
	return r.namespace
}

// register returns the collector, or an equal one that is already registered.
func register[C prometheus.Collector](r *Registry, c C) C {
	if r == nil {
		return c
	}
	err := r.inner.Register(c)
	if before, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); ok {
		return before.ExistingCollector.(C)
	}
	if err != nil {
		panic(err) // same name with other labels
	}
	return c
}

// Other is the result of Value above its limit.
const Other = "other"

// maxValues bounds the values of a label that come from data.
const maxValues = 200

// Value returns the label value for a value from data, such as a policy key: the value itself for the first
// 200 values, then Other.
func (r *Registry) Value(label, value string) string {
	if r == nil {
		return Other
	}
	known, ok := r.values.Load(label)
	if !ok {
		known, _ = r.values.LoadOrStore(label, &values{known: map[string]bool{}})
	}
	return known.(*values).label(strings.ToValidUTF8(value, "\uFFFD"))
}

type values struct {
	sync.RWMutex
	known map[string]bool
}

func (v *values) label(value string) string {
	v.RLock()
	known, full := v.known[value], len(v.known) >= maxValues
	v.RUnlock()
	if known {
		return value
	}
	if full {
		return Other
	}
	v.Lock()
	defer v.Unlock()
	if len(v.known) >= maxValues && !v.known[value] {
		return Other
	}
	v.known[value] = true
	return value
}
