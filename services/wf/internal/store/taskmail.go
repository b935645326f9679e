package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/notice"
)

// collecting is the digest_id of items for the next mail about tasks. Digests take items without a digest_id.
const collecting = "collecting"

// TaskMails returns at most limit ids of people with a collected task from before a time, longest waiting first.
func (s Due) TaskMails(ctx context.Context, before time.Time, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Model(&noticeItemRow{}).Select("user_id").Where("digest_id = '"+collecting+"' AND at_ms <= ?", ms(before)).
		Group("user_id").Order("min(at_ms), user_id").Limit(limit), "list the mails about tasks that are due")
}

// TaskMail is a due mail about tasks.
type TaskMail struct {
	Anchor
	EventType audit.EventType // of the anchor
	First     DigestLine      // the request of the anchor
}

// TakeTaskMail assigns the collected tasks of a person to a delivery, and returns the anchor of the mail: the first
// task. due is false if the first task is from after before, as after another process has taken the mail. Locks on
// the items order concurrent calls.
func (tx *NoticeTx) TakeTaskMail(id string, before time.Time, delivery string) (m TaskMail, due bool, err error) {
	var rows []noticeItemRow
	err = tx.Clauses(clause.Locking{Strength: "UPDATE"}).Order("at_ms, event_id").
		Find(&rows, "user_id = ? AND digest_id = ?", printable(id), collecting).Error
	if err != nil || len(rows) == 0 || rows[0].AtMS > ms(before) {
		return m, false, wrapError(err, "lock the tasks of a mail")
	}
	var e eventRow
	err = tx.Select("id, seq, type").Take(&e, "id = ?", rows[0].EventID).Error
	if err == nil {
		m.Anchor, m.EventType = Anchor{e.ID, rows[0].RequestID, e.Seq}, e.Type
		err = tx.Table("request r").Select(digestColumns).Where("r.id = ?", m.RequestID).Scan(&m.First).Error
	}
	if err == nil {
		err = tx.Table("notice_item").Where("user_id = ? AND digest_id = ?", printable(id), collecting).Update("digest_id", delivery).Error
	}
	return m, err == nil, wrapError(err, "take a mail about tasks")
}

// TaskMailContent returns the content of a mail about tasks, as of the read: its requests that still wait for the
// person, in Waiting, and their number up to a limit.
func (s Notices) TaskMailContent(ctx context.Context, id, delivery string) (DigestContent, error) {
	d := DigestContent{Recipient: recipientOf(id)}
	err := s.db.Snapshot(ctx, func(db *gorm.DB) error {
		if err := d.fill(db, &d.User); err != nil {
			return err
		}
		items := db.Table("notice_item n").Select("n.request_id, min(n.at_ms) AS at_ms").
			Where("n.user_id = ? AND n.digest_id = ? AND n.kind = ?", printable(id), delivery, notice.Waits).
			Where("EXISTS (SELECT 1 FROM inbox i WHERE i.user_id = n.user_id AND i.request_id = n.request_id)").Group("n.request_id")
		var found []struct{ RequestID string }
		if err := db.Table("(?) AS i", items).Order("at_ms, request_id").Limit(10_000).Scan(&found).Error; err != nil {
			return err
		}
		d.Waits = len(found)
		ids := make([]string, min(d.Waits, MostLines))
		for i := range ids {
			ids[i] = found[i].RequestID
		}
		if len(ids) == 0 {
			return nil
		}
		where, arg := sqldb.Among(db, "r.id", ids)
		var lines []DigestLine
		if err := db.Table("request r").Select(digestColumns).Where(where, arg).Scan(&lines).Error; err != nil {
			return err
		}
		byID := map[string]DigestLine{}
		for _, l := range lines {
			byID[l.RequestID] = l
		}
		for _, id := range ids {
			if l, ok := byID[id]; ok {
				d.Waiting = append(d.Waiting, l)
			}
		}
		if err := fillDues(db, d.Waiting); err != nil {
			return err
		}
		return fillStages(db, id, d.Waiting)
	})
	return d, wrapError(err, "load a mail about tasks")
}

// fillStages fills in the names of the stages in which the requests wait for a person; of the earliest task, if there
// are several.
func fillStages(db *gorm.DB, id string, lines []DigestLine) error {
	var rows []struct{ RequestID, StageKey, Name string }
	where, arg := sqldb.Among(db, "i.request_id", sqldb.Values(lines, func(l DigestLine) string { return l.RequestID }))
	err := db.Table("inbox i").Select("i.request_id, s.stage_key, s.name").Joins("JOIN task t ON t.id = i.task_id JOIN stage_run s ON s.id = t.stage_run_id").
		Where("i.user_id = ?", printable(id)).Where(where, arg).Order("i.created_ms DESC, i.task_id DESC").Scan(&rows).Error
	for _, row := range rows {
		for i := range lines {
			if lines[i].RequestID == row.RequestID {
				lines[i].StageKey, lines[i].StageName = row.StageKey, row.Name
			}
		}
	}
	return err
}
