package sqldb

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/metrics"
)

// measures are the metrics of a database.
type measures struct {
	statements           map[string]prometheus.Counter // by first word; "" for others
	errors, transactions *prometheus.CounterVec
	retries              prometheus.Counter
	seconds              prometheus.Observer
}

func newMeasures(r *metrics.Registry) *measures {
	statements := r.Counter("db_statements_total", "Statements sent to the database, by their first word.", "kind")
	m := &measures{
		statements:   map[string]prometheus.Counter{"": statements.WithLabelValues("other")},
		errors:       r.Counter("db_errors_total", "Database errors by kind.", "kind"),
		transactions: r.Counter("db_transactions_total", "Read-write transactions by outcome.", "outcome"),
		retries:      r.Counter("db_transaction_retries_total", "Transactions retried after a conflict.").WithLabelValues(),
		seconds: r.Histogram("db_transaction_duration_seconds",
			"Time from taking a connection to the end of the transaction.",
			[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}).WithLabelValues(),
	}
	for _, word := range []string{"select", "insert", "update", "delete"} {
		m.statements[word] = statements.WithLabelValues(word)
	}
	m.statements["with"] = m.statements["select"]
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

// countStatements counts the statements of gorm.
func (db *DB) countStatements() error {
	count := func(done *gorm.DB) {
		if done.DryRun { // a subquery of another statement
			return
		}
		db.measures.countStatement(done.Statement.SQL.String())
		db.measures.countError(done.Error)
	}
	callbacks := db.gorm.Callback()
	return errors.Join(
		callbacks.Create().After("gorm:create").Register("count", count),
		callbacks.Query().After("gorm:query").Register("count", count),
		callbacks.Update().After("gorm:update").Register("count", count),
		callbacks.Delete().After("gorm:delete").Register("count", count),
		callbacks.Row().After("gorm:row").Register("count", count),
		callbacks.Raw().After("gorm:raw").Register("count", count),
	)
}

// countStatement counts a statement by its first word.
func (m *measures) countStatement(sql string) {
	word, _, _ := strings.Cut(strings.TrimLeft(sql, " \t\n("), " ")
	counter, known := m.statements[strings.ToLower(word)]
	if !known {
		counter = m.statements[""]
	}
	counter.Inc()
}

// countError counts an error by its kind. It ignores nil.
func (m *measures) countError(err error) {
	if kind := errorKind(err); kind != "" {
		m.errors.WithLabelValues(kind).Inc()
	}
}

// countError counts an error of the database and returns it.
func (db *DB) countError(err error) error {
	db.measures.countError(err)
	return err
}

// countTransaction counts a transaction.
func (m *measures) countTransaction(begin time.Time, committed bool, err error) {
	outcome := "committed"
	switch {
	case !committed && errorKind(err) == "unavailable":
		outcome = "unavailable"
	case !committed:
		outcome = "rolled_back"
	}
	m.transactions.WithLabelValues(outcome).Inc()
	m.seconds.Observe(time.Since(begin).Seconds())
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
