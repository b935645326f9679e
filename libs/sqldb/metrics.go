package sqldb

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/metrics"
)

// measures are the metrics of a database.
type measures struct {
	errors  *prometheus.CounterVec
	seconds prometheus.Observer
}

func newMeasures(r *metrics.Registry) *measures {
	m := &measures{
		errors: r.Counter("db_errors_total", "Database errors by kind.", "kind"),
		seconds: r.Histogram("db_transaction_duration_seconds",
			"Time from taking a connection to the end of a read-write transaction.",
			[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}).WithLabelValues(),
	}
	for _, kind := range []string{
		"unavailable", "lock_timeout", "statement_timeout", "serialization", "unique", "conflict", "cancelled", "other",
	} {
		m.errors.WithLabelValues(kind) // exported as 0 before the first error
	}
	return m
}

// Measure registers the metrics of the database and of its pool. It must be called before the first use.
func (db *DB) Measure(r *metrics.Registry, name string) {
	db.measures = newMeasures(r)
	r.Register(collectors.NewDBStatsCollector(db.pool, name))
}

// countError counts an error of the database by its kind and returns it. It ignores nil.
func (db *DB) countError(err error) error {
	if kind := errorKind(err); kind != "" {
		db.measures.errors.WithLabelValues(kind).Inc()
	}
	return err
}

// errorKind returns the label of an error; empty for nil.
func errorKind(err error) string {
	switch {
	case err == nil || errors.Is(err, gorm.ErrRecordNotFound):
		return ""
	case IsLockTimeout(err):
		return "lock_timeout"
	case IsStatementTimeout(err):
		return "statement_timeout"
	case isSerialization(err):
		return "serialization"
	case IsUnavailable(err):
		return "unavailable"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "cancelled"
	case errors.Is(err, ErrRowCount):
		return "conflict"
	}
	if _, unique := IsUnique(err); unique {
		return "unique"
	}
	return "other"
}

// ClockSkew returns the difference between the clock of this process and the database's, positive if it is ahead.
func (db *DB) ClockSkew(ctx context.Context) (time.Duration, error) {
	before := time.Now()
	now, err := db.Now(ctx)
	return before.Add(time.Since(before) / 2).Sub(now), err
}
