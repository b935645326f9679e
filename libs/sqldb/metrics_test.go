package sqldb_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

func TestErrorsOfTheDatabaseAreCounted(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{})
		r := metrics.New("x", "1")
		db.Measure(r, "things")
		do := func(fn func(tx *sqldb.Tx) error) { _ = db.Do(t.Context(), fn) }
		do(func(tx *sqldb.Tx) error { return tx.Batch(insert("a", 1)) })
		do(func(tx *sqldb.Tx) error { return tx.Batch(insert("a", 3)) }) // taken
		do(func(tx *sqldb.Tx) error {
			return tx.Batch(sqldb.Stmt{SQL: "UPDATE items SET n = 1 WHERE id = ?", Args: []any{"nobody"}, One: true})
		})
		do(func(*sqldb.Tx) error { return errors.New("the caller's own") })
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_ = db.Read(ended).Exec("SELECT 1").Error
		metricstest.Want(t, r, map[string]float64{
			`x_db_errors_total{kind="unique"}`:        1,
			`x_db_errors_total{kind="conflict"}`:      1,
			`x_db_errors_total{kind="cancelled"}`:     1,
			`x_db_errors_total{kind="other"}`:         0,
			`x_db_transaction_duration_seconds_count`: 4,
		})
		if _, there := metricstest.Values(t, r)[`go_sql_in_use_connections{db_name="things"}`]; !there {
			t.Error("the pool is not shown")
		}
	})
}

func TestTheSkewIsHowFarThisClockIsAhead(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url, sqldb.Options{Now: func() time.Time { return time.Now().Add(-time.Hour) }})
		if skew, err := db.ClockSkew(t.Context()); err != nil || skew.Round(time.Minute) != time.Hour {
			t.Errorf("skew = %v, %v, want 1h", skew, err)
		}
	})
}
