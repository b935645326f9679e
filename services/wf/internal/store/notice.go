package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/notice"
)

// noticeSettingRow stores the notification settings of a person.
type noticeSettingRow struct {
	UserID   string          `gorm:"primaryKey"`
	Settings notice.Settings `gorm:"embedded"`
}

// noticeItemRow is a notice of a person: of their next mail while MailID is empty.
type noticeItemRow struct {
	UserID    string      `gorm:"primaryKey"`
	MailID    string      `gorm:"primaryKey"` // the delivery of the mail
	AtMS      int64       `gorm:"primaryKey;autoIncrement:false"`
	EventID   string      `gorm:"primaryKey"`
	Kind      notice.Kind `gorm:"primaryKey"`
	RequestID string
	DueMS     int64
}

var noticeItemTable = sqldb.TableOf[noticeItemRow]()

// Notices reads the recipients and the contents of mails.
type Notices struct{ db *sqldb.DB }

// NoticeTx has the notification settings and the notices of people in a transaction.
type NoticeTx struct{ *sqldb.Tx }

// Settings returns the stored notification settings by person. People with default settings
// are absent.
func (tx *NoticeTx) Settings(ids []string) (map[string]notice.Settings, error) {
	return noticeSettings(tx.DB, ids)
}

func noticeSettings(db *gorm.DB, ids []string) (map[string]notice.Settings, error) {
	found, rows := map[string]notice.Settings{}, []noticeSettingRow{}
	err := amongTexts(db, "user_id", ids).of(db).Find(&rows).Error
	for _, r := range rows {
		found[r.UserID] = r.Settings
	}
	return found, wrapError(err, "load notification settings")
}

// PutSettings writes the notification settings of a person.
func (tx *NoticeTx) PutSettings(id string, s notice.Settings) error {
	row := noticeSettingRow{printable(id), s}
	return wrapError(tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error, "write notification settings")
}

// NoticeItem is a notice for the next mail to a person, which is due at a time at the latest.
type NoticeItem struct {
	notice.Notice
	RequestID string // empty for a notice of no request
	Due       time.Time
}

// AddItems stores notices for the next mails.
func (tx *NoticeTx) AddItems(list []NoticeItem) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([]noticeItemRow, len(list))
	for i, n := range list {
		rows[i] = noticeItemRow{
			UserID: printable(n.Person.ID), AtMS: ms(tx.Now()), EventID: n.EventID, Kind: n.Kind, RequestID: n.RequestID,
			DueMS: ms(n.Due),
		}
	}
	return wrapError(tx.Batch(noticeItemTable.Insert(" ON CONFLICT DO NOTHING", rows...)...), "store notices")
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

// Meet collects users for the end of the transaction: those with more than an id.
func (tx *Tx) Meet(people ...identity.User) {
	nameless := func(u identity.User) bool { return u == identity.User{ID: u.ID} }
	tx.store.people.cacheMisses(tx.people, slices.DeleteFunc(slices.Clone(people), nameless))
}

// WithoutAddress returns the ids of people with inbox entries and without a stored address, at most limit.
func (s Notices) WithoutAddress(ctx context.Context, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Model(&inboxRow{}).Distinct("user_id").
		Where("NOT EXISTS (SELECT 1 FROM person p WHERE p.id = inbox.user_id AND p.email <> '')").
		Order("user_id").Limit(limit), "list people without an address")
}

// Mails returns at most limit ids of people with a due mail, longest waiting first.
func (s Due) Mails(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Model(&noticeItemRow{}).Select("user_id").Where("mail_id = '' AND due_ms <= ?", ms(now)).
		Group("user_id").Order("min(due_ms), user_id").Limit(limit), "list the mails that are due")
}

// Anchor is the event of a mail's delivery: the newest of its notices. Every delivery belongs to an event.
type Anchor struct {
	EventID, RequestID string
	EventType          audit.EventType
	Seq                int64
}

// TakeMail assigns the notices of a person to a delivery and returns its anchor. due is false without a due notice,
// as after another process has taken the mail. Locks on the notices order concurrent calls.
func (tx *NoticeTx) TakeMail(id, delivery string) (a Anchor, due bool, err error) {
	var rows []noticeItemRow
	err = tx.Clauses(clause.Locking{Strength: "UPDATE"}).Order("at_ms DESC, event_id DESC").
		Find(&rows, "user_id = ? AND mail_id = ''", printable(id)).Error
	due = slices.ContainsFunc(rows, func(r noticeItemRow) bool { return r.DueMS <= ms(tx.Now()) })
	if err != nil || !due {
		return a, false, wrapError(err, "lock the notices of a mail")
	}
	var e eventRow
	if err = tx.Select("id, type, seq").Take(&e, "id = ?", rows[0].EventID).Error; err == nil {
		a = Anchor{e.ID, rows[0].RequestID, e.Type, e.Seq}
		err = tx.Table("notice_item").Where("user_id = ? AND mail_id = ''", printable(id)).Update("mail_id", delivery).Error
	}
	return a, err == nil, wrapError(err, "take a mail")
}

// Purge deletes at most limit old notices of mails without a queued delivery and returns their number.
func (s Notices) Purge(ctx context.Context, limit int) (n int, err error) {
	err = s.db.Do(ctx, func(tx *sqldb.Tx) error {
		old := tx.Table("notice_item n").Select("n.user_id, n.mail_id, n.at_ms, n.event_id, n.kind").
			Where("n.mail_id <> '' AND n.at_ms < ?", ms(tx.Now().Add(-noticeRetention))).
			Where("NOT EXISTS (SELECT 1 FROM outbox o WHERE CAST(o.id AS text) = n.mail_id)").Limit(limit)
		result := tx.Table("notice_item").Where("(user_id, mail_id, at_ms, event_id, kind) IN (?)", old).Delete(nil)
		n = int(result.RowsAffected)
		return result.Error
	})
	return n, wrapError(err, "purge notices")
}

// noticeRetention is the retention of the notices of a mail, so that a failed mail can be sent again.
const noticeRetention = 30 * 24 * time.Hour

// Recipient returns the stored data and the notification settings of a person.
func (s Notices) Recipient(ctx context.Context, id string) (identity.User, notice.Settings, error) {
	db, to := s.db.Read(ctx), identity.User{ID: id}
	settings := notice.Default()
	known, err := knownPeople(db, []string{id})
	if err != nil {
		return to, settings, err
	}
	if found, ok := known[printable(id)]; ok {
		to.Username, to.Name, to.Email = found.Username, found.Name, found.Email
	}
	stored, err := noticeSettings(db, []string{id})
	if chosen, ok := stored[printable(id)]; ok {
		settings = chosen
	}
	return to, settings, err
}

// MailNotice is a notice of a mail with its event, which has the stored names of people.
type MailNotice struct {
	Kind      notice.Kind
	RequestID string
	Event     wf.Event
}

// Mail returns the newest notices of a mail to a person, at most limit, oldest first.
func (s Notices) Mail(ctx context.Context, id, delivery string, limit int) ([]MailNotice, error) {
	db := s.db.Read(ctx)
	var rows []struct {
		Kind      notice.Kind
		RequestID string   // of the notice
		Event     eventRow `gorm:"embedded;embeddedPrefix:event_"`
	}
	err := db.Table("notice_item n").Select("n.kind, n.request_id, e.id AS event_id, e.chain AS event_chain, e.seq AS event_seq, "+
		"e.body AS event_body, e.hash AS event_hash").
		Joins("JOIN event e ON e.id = n.event_id").Where("n.user_id = ? AND n.mail_id = ?", printable(id), delivery).
		Order("n.at_ms DESC, n.event_id DESC, n.kind").Limit(limit).Scan(&rows).Error
	if err != nil {
		return nil, wrapError(err, "load a mail")
	}
	slices.Reverse(rows)
	list, events := make([]MailNotice, len(rows)), make([]eventRow, len(rows))
	for i, r := range rows {
		events[i] = r.Event
	}
	named, err := eventsOf(db, events)
	if err != nil {
		return nil, err
	}
	for i, r := range rows {
		list[i] = MailNotice{r.Kind, r.RequestID, named[i]}
	}
	return list, nil
}
