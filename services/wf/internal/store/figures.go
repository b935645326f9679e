package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// figuresSpan is the time whose requests the figures of policies count.
const figuresSpan = 30 * 24 * time.Hour

// RefreshFigures counts the open tasks and the latest requests of each policy, at most 100,000 of each.
func (s *Store) RefreshFigures(ctx context.Context) error {
	var found []wf.PolicyFigures
	err := s.db.View(ctx, func(tx *sqldb.Tx) error {
		latest, err := countLatest(tx.DB, tx.Now())
		tasks, taskErr := countTasks(tx.DB, tx.Now())
		of := map[string]wf.PolicyFigures{}
		for _, f := range latest {
			of[f.PolicyKey] = f
		}
		for _, t := range tasks {
			f := of[t.PolicyKey]
			f.PolicyKey, f.Tasks, f.Overdue, f.OldestMS = t.PolicyKey, t.Tasks, t.Overdue, t.OldestMS
			of[t.PolicyKey] = f
		}
		for _, f := range of {
			f.AtMS = ms(tx.Now())
			found = append(found, f)
		}
		return errors.Join(err, taskErr)
	})
	if err == nil {
		err = s.db.Do(ctx, func(tx *sqldb.Tx) error {
			if err := tx.Exec("DELETE FROM policy_figures").Error; err != nil || len(found) == 0 {
				return err
			}
			// Another process can have counted at the same time.
			return tx.Table("policy_figures").Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(found, 500).Error
		})
	}
	return wrapError(err, "refresh the figures of policies")
}

// countLatest counts the requests of the last 30 days by policy. One index returns those of a status, the last changed
// first: a request is changed when it is created and when it is decided.
func countLatest(db *gorm.DB, now time.Time) (found []wf.PolicyFigures, err error) {
	since := ms(now.Add(-figuresSpan))
	parts := sqldb.Values(everyStatus, func(status wf.RequestStatus) *gorm.DB {
		return db.Table("request").Select("policy_key, status, created_ms, completed_ms, updated_ms").
			Where("status = ? AND updated_ms > ?", status, since).Order("updated_ms DESC").Limit(maxCounted)
	})
	latest := union(db, parts, false).Order("updated_ms DESC").Limit(maxCounted)
	const decided = "status IN ('approved', 'rejected') AND completed_ms > ?"
	timed := db.Table("(?) AS latest", latest).
		Select("policy_key, created_ms, CASE WHEN "+decided+" THEN completed_ms - created_ms END AS took", since)
	const own = "OVER (PARTITION BY policy_key, took IS NULL"
	ranked := db.Table("(?) AS timed", timed).
		Select("*, row_number() " + own + " ORDER BY took) AS place, count(*) " + own + ") AS number")
	const atMost = "coalesce(min(CASE WHEN 100 * place >= ? * number THEN took END), 0)"
	err = db.Table("(?) AS ranked", ranked).Select("policy_key, count(CASE WHEN created_ms > ? THEN 1 END) AS requests, "+
		"count(took) AS decided, "+atMost+" AS median_ms, "+atMost+" AS ninety_ms", since, 50, 90).
		Group("policy_key").Find(&found).Error
	return found, err
}

// Figures returns the last count of policies by key. A policy without tasks and requests has none.
func (s Policies) Figures(ctx context.Context, list []wf.Policy) (map[string]wf.PolicyFigures, error) {
	keys := sqldb.Values(list, func(p wf.Policy) string { return p.Key })
	var rows []wf.PolicyFigures
	err := s.db.Read(ctx).Table("policy_figures").Find(&rows, "policy_key IN ?", keys).Error
	figures := map[string]wf.PolicyFigures{}
	for _, row := range rows {
		figures[row.PolicyKey] = row
	}
	return figures, wrapError(err, "read the figures of policies")
}
