package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/notice"
)

// noticeSettingRow stores the notification settings of a person.
type noticeSettingRow struct {
	UserID    string          `gorm:"primaryKey"`
	Settings  notice.Settings `gorm:"embedded"`
	DigestMS  int64
	UpdatedMS int64
}

// noticeItemRow is one item of a person's digest.
type noticeItemRow struct {
	UserID    string      `gorm:"primaryKey"`
	EventID   string      `gorm:"primaryKey"`
	Kind      notice.Kind `gorm:"primaryKey"`
	RequestID string
	AtMS      int64  `gorm:"primaryKey;autoIncrement:false"`
	DigestID  string `gorm:"primaryKey"`
}

var noticeItemTable = sqldb.TableOf[noticeItemRow]()

// Notices reads the recipients and the contents of notifications.
type Notices struct{ db *sqldb.DB }

// NoticeTx has the notification settings and the digests of people in a transaction.
type NoticeTx struct{ *sqldb.Tx }

// Settings returns the stored notification settings by person. People with default settings
// are absent.
func (tx *NoticeTx) Settings(ids []string) (map[string]notice.Settings, error) {
	found := map[string]notice.Settings{}
	for some := range slices.Chunk(ids, 500) {
		var rows []noticeSettingRow
		if err := tx.Find(&rows, "user_id IN ?", some).Error; err != nil {
			return nil, wrapError(err, "load notification settings")
		}
		for _, r := range rows {
			found[r.UserID] = r.Settings
		}
	}
	return found, nil
}

// PutSettings writes the notification settings of a person and the time of their next digest.
// A zero time means no digest.
func (tx *NoticeTx) PutSettings(id string, s notice.Settings, digest time.Time) error {
	row := noticeSettingRow{printable(id), s, ms(digest), ms(tx.Now())}
	return wrapError(tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error, "write notification settings")
}

// NoticeItem is one item of a person's digest, or of their next mail about tasks.
type NoticeItem struct {
	Notice    notice.Notice
	RequestID string
	At        time.Time
	Collect   bool // for the next mail about tasks
}

// AddItems stores items for the next digests and mails about tasks.
func (tx *NoticeTx) AddItems(list []NoticeItem) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([]noticeItemRow, len(list))
	for i, n := range list {
		rows[i] = noticeItemRow{UserID: printable(n.Notice.Person.ID), EventID: n.Notice.EventID, Kind: n.Notice.Kind, RequestID: n.RequestID, AtMS: ms(n.At)}
		if n.Collect {
			rows[i].DigestID = collecting
		}
	}
	return wrapError(tx.Batch(noticeItemTable.Insert(" ON CONFLICT DO NOTHING", rows...)...), "store digest items")
}

// CollectNames collects the names and addresses of notified people for the write at the end of the
// transaction.
func (tx *Tx) CollectNames(list []identity.User) {
	var more []identity.User
	for _, u := range list {
		if u != (identity.User{ID: u.ID}) {
			more = append(more, u)
		}
	}
	tx.store.people.cacheMisses(tx.people, more)
}

// HasMet reports whether this process has stored the person with this name and address.
func (s *Store) HasMet(u identity.User) bool {
	misses := map[string]identity.User{}
	s.people.cacheMisses(misses, []identity.User{u})
	return len(misses) == 0
}

// MeetActor collects a caller for the end of the transaction, also one without a name in the token.
// A stored address that the token marks as unverified is removed. Service accounts are skipped.
func (tx *Tx) MeetActor(by identity.Actor) {
	if by.Kind == identity.ActorUser {
		if by.Unverified != "" {
			tx.unverified = identity.User{ID: by.ID, Email: by.Unverified}
		}
		tx.store.people.cacheMisses(tx.people, []identity.User{by.User})
	}
}

// WithoutAddress counts the people with inbox entries and without a stored address, up to limit.
func (s Notices) WithoutAddress(ctx context.Context, limit int) (n int, err error) {
	var found int64
	err = s.db.Read(ctx).Table(`(SELECT DISTINCT i.user_id FROM inbox i
		WHERE NOT EXISTS (SELECT 1 FROM person p WHERE p.id = i.user_id AND p.email <> '') LIMIT ?) AS people`, limit).Count(&found).Error
	return int(found), wrapError(err, "count people without an address")
}

// Digests returns at most limit ids of people with a due digest, longest overdue first.
func (s Due) Digests(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Model(&noticeSettingRow{}).Select("user_id").Where("digest_ms > 0 AND digest_ms <= ?", ms(now)).
		Order("digest_ms, user_id").Limit(limit), "list the digests that are due")
}

// Digest is a due digest.
type Digest struct {
	Settings notice.Settings
	Anchor   Anchor // anchor of one item; zero for an empty digest
}

// Anchor is the event of a digest's delivery. Every delivery belongs to an event.
type Anchor struct {
	EventID, RequestID string
	Seq                int64
}

// TakeDigest locks the settings of a person with a due digest and finds its anchor. due is false if
// another process has completed the digest.
func (tx *NoticeTx) TakeDigest(id string) (d Digest, due bool, err error) {
	var rows []noticeSettingRow
	err = tx.Clauses(clause.Locking{Strength: "UPDATE"}).Find(&rows, "user_id = ? AND digest_ms > 0 AND digest_ms <= ?", printable(id), ms(tx.Now())).Error
	if err != nil || len(rows) == 0 {
		return Digest{}, false, wrapError(err, "lock a due digest")
	}
	d.Settings = rows[0].Settings
	err = tx.Table("notice_item n").Select("e.id AS event_id, n.request_id, e.seq").Joins("JOIN event e ON e.id = n.event_id").
		Where("n.user_id = ? AND n.digest_id = ''", printable(id)).Order("n.at_ms DESC").Limit(1).Scan(&d.Anchor).Error
	if err == nil && d.Anchor.EventID == "" && d.Settings.Waits == notice.Daily {
		err = tx.Table("(SELECT request_id FROM inbox WHERE user_id = ? ORDER BY created_ms DESC LIMIT 1) AS i", printable(id)).
			Select("e.id AS event_id, i.request_id, e.seq").Joins("JOIN event e ON e.chain = CAST(i.request_id AS text)").
			Order("e.seq DESC").Limit(1).Scan(&d.Anchor).Error
	}
	return d, err == nil, wrapError(err, "find the anchor of a digest")
}

// FinishDigest assigns the pending items to the delivery, if any, and writes the time of the next
// digest.
func (tx *NoticeTx) FinishDigest(id, delivery string, next time.Time) error {
	err := tx.Model(&noticeSettingRow{}).Where("user_id = ?", printable(id)).UpdateColumn("digest_ms", ms(next)).Error
	if err == nil && delivery != "" {
		err = tx.Table("notice_item").Where("user_id = ? AND digest_id = ''", printable(id)).Update("digest_id", delivery).Error
	}
	return wrapError(err, "finish a digest")
}

// Purge deletes at most limit old items of digests without a queued delivery and returns
// their number.
func (s Notices) Purge(ctx context.Context, limit int) (n int, err error) {
	err = s.db.Do(ctx, func(tx *sqldb.Tx) error {
		old := tx.Table("notice_item n").Select("n.user_id, n.digest_id, n.at_ms, n.event_id, n.kind").
			Where("n.digest_id <> '' AND n.at_ms < ?", ms(tx.Now().Add(-noticeRetention))).
			Where("NOT EXISTS (SELECT 1 FROM outbox o WHERE CAST(o.id AS text) = n.digest_id)").Limit(limit)
		result := tx.Table("notice_item").Where("(user_id, digest_id, at_ms, event_id, kind) IN (?)", old).Delete(nil)
		n = int(result.RowsAffected)
		return result.Error
	})
	return n, wrapError(err, "purge digest items")
}

// noticeRetention is the retention of delivered digest items, so that a failed digest can be
// redelivered.
const noticeRetention = 30 * 24 * time.Hour

// Recipient is the present state of a notification's recipient and request.
type Recipient struct {
	identity.User
	Settings  notice.Settings
	Part      bool             // is a participant of the request
	Waits     bool             // has an inbox entry for the request
	Asks      bool             // is the requester or the submitter
	Actor     identity.User    // stored data of the actor
	Status    wf.RequestStatus // status of the request
	ExpiresAt time.Time        // expiry of the request, zero for none
}

func recipientOf(id string) Recipient { return Recipient{User: identity.User{ID: id}} }

// Recipient returns a recipient's stored data, their part in a request, and the stored data of the
// actor.
func (s Notices) Recipient(ctx context.Context, id, actor, request string) (Recipient, error) {
	to := Recipient{User: identity.User{ID: id}, Actor: identity.User{ID: actor}}
	err := s.db.Snapshot(ctx, func(db *gorm.DB) error {
		if err := to.fill(db, &to.User, &to.Actor); err != nil || !isID(request) {
			return err
		}
		var found []struct {
			Status                   wf.RequestStatus
			ExpiresMS                int64
			RequesterID, SubmittedBy string
			Part, Waits              int
		}
		err := db.Table("request").Select(`status, expires_ms, requester_id, submitted_by_id AS submitted_by,
				CASE WHEN `+hasPart+` THEN 1 ELSE 0 END AS part,
				(SELECT count(*) FROM task JOIN inbox ON inbox.user_id = ? AND `+inboxOfTask+` WHERE task.request_id = request.id) AS waits`,
			printable(id), printable(id)).Where("id = ?", request).Scan(&found).Error
		for _, f := range found {
			to.Status, to.ExpiresAt, to.Part, to.Waits = f.Status, at(f.ExpiresMS), f.Part > 0, f.Waits > 0
			to.Asks = printable(id) == f.RequesterID || printable(id) == f.SubmittedBy
		}
		return err
	})
	return to, wrapError(err, "load a recipient")
}

// fill fills in the stored names and addresses, and the recipient's notification settings.
func (to *Recipient) fill(db *gorm.DB, people ...*identity.User) error {
	var ids []string
	for _, u := range people {
		ids = append(ids, printable(u.ID))
	}
	var known []personRow
	if err := db.Find(&known, "id IN ?", ids).Error; err != nil {
		return err
	}
	for _, p := range known {
		for _, u := range people {
			if printable(u.ID) == p.ID {
				u.Username, u.Name, u.Email = p.Username, p.Name, p.Email
			}
		}
	}
	to.Settings = notice.Default()
	var rows []noticeSettingRow
	err := db.Limit(1).Find(&rows, "user_id = ?", printable(to.ID)).Error
	for _, r := range rows {
		to.Settings = r.Settings
	}
	return err
}

// HasRunningStage reports whether the run of a stage of a request still accepts decisions.
func (s Notices) HasRunningStage(ctx context.Context, request string, stage *wf.StageSummary) (bool, error) {
	var n int64
	err := s.db.Read(ctx).Table("stage_run").Where("request_id = ? AND stage_key = ? AND run = ? AND status IN ('active', 'blocked')",
		request, stage.Key, stage.Run).Count(&n).Error
	return n > 0, wrapError(err, "find a running stage")
}

// DigestLine is one request in a digest.
type DigestLine struct {
	Kind      notice.Kind
	RequestID string

	PolicyKey     string
	PolicyVersion int
	Title         string
	Status        wf.RequestStatus
	Priority      wf.Priority
	Requester     identity.User `gorm:"serializer:jsontext"`
	ExpiresAt     time.Time     `gorm:"column:expires_ms;serializer:millis"`
	DueAt         time.Time     `gorm:"-"` // earliest due date of the running stages; zero for none

	StageKey, StageName string `gorm:"-"` // in which the request waits for the person; in mails about tasks
}

// DigestContent is the content of a digest, as of the read.
type DigestContent struct {
	Recipient
	Waiting []DigestLine // first open requests in the recipient's inbox
	Waits   int          // number of these requests, counted up to a limit
	News    []DigestLine // events, oldest first
}

// digestColumns are the columns of a DigestLine in request r.
const digestColumns = "r.id AS request_id, r.policy_key, r.policy_version, r.title, r.status, r.priority, r.requester, r.expires_ms"

// MostLines limits the lines of each kind in a digest.
const MostLines = 50

// DigestContent returns the content of a person's digest: their inbox, if they chose daily notices,
// and the items of the delivery. Requests without a part of the person, and expiry warnings of
// final requests, are left out.
func (s Notices) DigestContent(ctx context.Context, id, delivery string) (DigestContent, error) {
	d := DigestContent{Recipient: recipientOf(id)}
	err := s.db.Snapshot(ctx, func(db *gorm.DB) error {
		if err := d.fill(db, &d.User); err != nil {
			return err
		}
		err := db.Table("notice_item n").Select("n.kind, "+digestColumns).Joins("JOIN request r ON r.id = n.request_id").
			Joins("JOIN participant p ON (p.user_id, p.created_ms, p.request_id) = (n.user_id, r.created_ms, r.id) AND p.reader").
			Where("n.user_id = ? AND n.digest_id = ? AND n.kind <> ?", printable(id), delivery, notice.Waits).
			Where("(n.kind <> ? OR r."+openStatus+")", notice.Expires).
			Order("n.at_ms, n.event_id, n.kind").Limit(MostLines).Scan(&d.News).Error
		if err == nil {
			err = fillDues(db, d.News)
		}
		if err != nil || d.Settings.Waits != notice.Daily {
			return err
		}
		first := db.Table("inbox").Select("request_id, min(urgency) AS urgency, min(created_ms) AS created_ms").
			Where("user_id = ?", printable(id)).Group("request_id").Order("2, 3").Limit(MostLines)
		err = db.Table("(?) AS i", first).Select(digestColumns).Joins("JOIN request r ON r.id = i.request_id").
			Order("i.urgency, i.created_ms, r.id").Scan(&d.Waiting).Error
		if err == nil {
			err = fillDues(db, d.Waiting)
		}
		if err != nil {
			return err
		}
		return db.Table("(SELECT request_id FROM inbox WHERE user_id = ? LIMIT 10000) AS i", printable(id)).
			Select("count(DISTINCT request_id)").Scan(&d.Waits).Error
	})
	return d, wrapError(err, "load a digest")
}

// fillDues fills in the due dates of the lines.
func fillDues(db *gorm.DB, lines []DigestLine) error {
	if len(lines) == 0 {
		return nil
	}
	dues, err := firstDues(db, sqldb.Values(lines, func(l DigestLine) string { return l.RequestID }))
	for i, l := range lines {
		lines[i].DueAt = dues[l.RequestID]
	}
	return err
}

// ExpiringRequests returns the ids of open requests that expire before until and have no warning
// yet, earliest expiry first.
func (s Due) ExpiringRequests(ctx context.Context, now, until time.Time, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Model(&requestRow{}).Select("id").
		Where("expires_ms > ? AND expires_ms <= ? AND NOT expiry_notified AND "+openStatus, ms(now), ms(until)).
		Where("(limit_ms < 0 OR limit_ms > 0 AND limit_ms <= ?)", ms(until)). // the warning is of the expiry, not of a due date
		Where("created_ms < CASE WHEN limit_ms < 0 THEN expires_ms ELSE limit_ms END - ?", until.Sub(now).Milliseconds()).
		Order("expires_ms").Limit(limit), "list requests that expire soon")
}
