package store

import (
	"context"

	"gorm.io/gorm"

	"github.com/countersign/countersign/services/wf"
)

// TaskStats counts the tasks of the filter by status and policy; it ignores the text filter. It
// counts at most wf.MaxCount tasks and reports whether there are more.
func (s *Store) TaskStats(ctx context.Context, f wf.TaskFilter) ([]wf.TaskCount, bool, error) {
	counts := []wf.TaskCount{}
	err := s.countQuery(ctx, f).Select("status, policy_key, count(*) AS count, sum(late) AS overdue").Group("1, 2").Order("1, 2").Find(&counts).Error
	var total int64
	for _, c := range counts {
		total += c.Count
	}
	if total > wf.MaxCount {
		counts[len(counts)-1].Count--
	}
	return counts, total > wf.MaxCount, wrapError(err, "count tasks")
}

// CountTasks counts the tasks of the filter with the limit of TaskStats.
func (s *Store) CountTasks(ctx context.Context, f wf.TaskFilter) (n int64, more bool, err error) {
	err = s.countQuery(ctx, f).Count(&n).Error
	return min(n, wf.MaxCount), n > wf.MaxCount, wrapError(err, "count tasks")
}

// countQuery returns the query for the status and the policy of the tasks of the filter, at most
// wf.MaxCount + 1 rows.
func (s *Store) countQuery(ctx context.Context, f wf.TaskFilter) *gorm.DB {
	l, db := listOf(f), s.db.Read(ctx)
	status, args := "inbox.status", []any(nil)
	if l.user == "" {
		status = "CASE WHEN task.status IN ? AND task.request_id IN " + overdueRequests + " THEN 'cancelled' ELSE task.status END AS status"
		args = []any{liveStatus, ms(l.AsOf)}
	}
	late := l.overdue(l.table)
	args = append(args, late.args...)
	filter := l.filter(l.table, l.id)
	var rows []*gorm.DB
	for _, in := range l.scans() {
		all := in.intersect(filter.where, filter.args...)
		rows = append(rows, db.Table(l.table).
			Select(status+", "+l.table+".policy_key, CASE WHEN "+late.where+" THEN 1 ELSE 0 END AS late", args...).
			Where(all.where, all.args...).Limit(wf.MaxCount+1))
	}
	return db.Table("(?) AS counted", union(db, rows).Limit(wf.MaxCount+1))
}
