package store

import (
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

const (
	denialWindow    = time.Minute        // one event per person, object and code
	denialRetention = 7 * 24 * time.Hour // retention of folded denials without an event
	denialsAtOnce   = 100                // deleted together with a new one
)

// CountDenial counts a denial of an object and reports whether it needs an event, at most once a
// minute. The name of the object is any text. untold is the number of denials since the last event.
// The row stays locked until the transaction ends, so the count holds across processes.
func (tx *Tx) CountDenial(actorID, object, code string) (tell bool, untold int64, err error) {
	row := struct{ Suppressed, Unreported int64 }{}
	now := ms(tx.Now())
	over := now - denialWindow.Milliseconds()
	err = tx.Batch(sqldb.Stmt{
		SQL: `INSERT INTO denial (actor_id, object, code, since_ms, suppressed, unreported) VALUES (?, ?, ?, ?, 0, 0)
			ON CONFLICT (actor_id, object, code) DO UPDATE SET
				unreported = CASE WHEN denial.since_ms <= ? THEN denial.suppressed ELSE denial.unreported END,
				suppressed = CASE WHEN denial.since_ms <= ? THEN 0 ELSE denial.suppressed + 1 END,
				since_ms = CASE WHEN denial.since_ms <= ? THEN excluded.since_ms ELSE denial.since_ms END
			RETURNING suppressed, unreported`,
		Args: []any{printable(actorID), printable(object), code, now, over, over, over}, Into: &row,
	})
	if err != nil || row.Suppressed > 0 {
		return false, 0, wrapError(err, "count a refusal of %s", object)
	}
	err = tx.Batch(sqldb.Stmt{
		SQL: `DELETE FROM denial WHERE (actor_id, object, code) IN (
			SELECT actor_id, object, code FROM denial WHERE since_ms < ? ORDER BY since_ms LIMIT ?` + tx.RowLock("FOR UPDATE SKIP LOCKED") + `)`,
		Args: []any{now - denialRetention.Milliseconds(), denialsAtOnce},
	})
	return true, row.Unreported, wrapError(err, "forget old refusals")
}

// Exists reports whether a task or a policy version exists, and returns the request of a task.
func (tx *Tx) Exists(about wf.Resource) (known bool, requestID string, err error) {
	var found struct{ ID string }
	switch about.Type {
	case "task":
		if isID(about.ID) {
			err = tx.Table("task").Select("request_id AS id").Where("id = ?", about.ID).Scan(&found).Error
		}
		requestID = found.ID
	case "policy":
		err = tx.Table("policy_version").Select("policy_key AS id").
			Where("policy_key = ? AND number = ?", printable(about.ID), about.Version).Scan(&found).Error
	}
	return found.ID != "", requestID, wrapError(err, "find %s %s", about.Type, about.ID)
}
