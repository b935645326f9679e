package store

import (
	"context"
	"errors"
	"time"
)

// Session is a signed-in user of the pages. ID is a hash of the browser's secret; Sealed holds the
// encrypted tokens of the issuer.
type Session struct {
	ID       string
	UserID   string
	Subject  string // the issuer's subject of the user
	IssuerID string // the issuer's id of the session; may be empty
	Sealed   string
	Agent    string // the browser's User-Agent, at most 200 characters

	BegunAt time.Time `gorm:"column:started_ms;serializer:millis"`
	SeenAt  time.Time `gorm:"column:seen_ms;serializer:millis"`
	EndsAt  time.Time `gorm:"column:ends_ms;serializer:millis"`  // absolute end
	RenewAt time.Time `gorm:"column:renew_ms;serializer:millis"` // lease of the process that renews the tokens
	Rev     int64     // grows with every write of Sealed
}

// AddSession writes a new session.
func (tx *Tx) AddSession(s Session) error {
	return failed(tx.Create(&s).Error, "add a session")
}

// Session returns the session with the id and reports whether it exists.
func (s *Store) Session(ctx context.Context, id string) (Session, bool, error) {
	var rows []Session
	err := s.db.Read(ctx).Where("id = ?", printable(id)).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return Session{}, false, failed(err, "load a session")
	}
	return rows[0], true, nil
}

// SeeSession records the use of a session at tx.Now.
func (tx *Tx) SeeSession(id string) error {
	return failed(tx.Exec("UPDATE session SET seen_ms = ? WHERE id = ? AND seen_ms < ?", ms(tx.Now()), id, ms(tx.Now())).Error, "note the use of a session")
}

// ClaimRenewal claims the token renewal of a session at the revision that was read, for the
// duration of hold. It reports false if another process holds the claim.
func (tx *Tx) ClaimRenewal(s Session, hold time.Duration) (bool, error) {
	done := tx.Exec("UPDATE session SET renew_ms = ? WHERE id = ? AND rev = ? AND renew_ms <= ?", ms(tx.Now().Add(hold)), s.ID, s.Rev, ms(tx.Now()))
	return done.RowsAffected == 1, failed(done.Error, "claim a renewal")
}

// PutSession writes the tokens of a session, if it exists.
func (tx *Tx) PutSession(s Session) error {
	return failed(tx.Exec("UPDATE session SET sealed = ?, renew_ms = 0, rev = rev + 1 WHERE id = ?", s.Sealed, s.ID).Error, "write a session")
}

// EndSession deletes a session, if it exists.
func (tx *Tx) EndSession(id string) error {
	return failed(tx.Exec("DELETE FROM session WHERE id = ?", printable(id)).Error, "end a session")
}

// EndSessions deletes the session with the issuer's id, or, without an id, all sessions of the
// subject.
func (tx *Tx) EndSessions(subject, issuerID string) error {
	query := tx.DB
	if issuerID != "" {
		query = query.Where("issuer_id = ?", printable(issuerID))
	}
	if subject != "" {
		query = query.Where("subject = ?", printable(subject))
	}
	return failed(query.Delete(&Session{}).Error, "end sessions")
}

// EndOtherSessions deletes the sessions of a user except one.
func (tx *Tx) EndOtherSessions(userID, kept string) error {
	return failed(tx.Exec("DELETE FROM session WHERE user_id = ? AND id <> ?", userID, kept).Error, "end other sessions")
}

// EndSessionOf deletes a session of a user, if it exists.
func (tx *Tx) EndSessionOf(userID, id string) error {
	return failed(tx.Exec("DELETE FROM session WHERE user_id = ? AND id = ?", userID, printable(id)).Error, "end a session")
}

// SessionsOf returns at most 100 sessions of a user, most recently used first. Some may have ended.
func (s *Store) SessionsOf(ctx context.Context, userID string) ([]Session, error) {
	var rows []Session
	err := s.db.Read(ctx).Where("user_id = ?", userID).Order("seen_ms DESC, id").Limit(100).Find(&rows).Error
	return rows, failed(err, "list sessions")
}

// Logout is an accepted logout token of the issuer.
type Logout struct {
	JTI      string `gorm:"column:jti;primaryKey"`
	Subject  string
	IssuerID string

	At     time.Time `gorm:"column:at_ms;serializer:millis"`   // iat of the token
	EndsAt time.Time `gorm:"column:ends_ms;serializer:millis"` // end of the refusal of earlier access tokens
}

// ErrLogoutUsed reports a replayed logout token.
var ErrLogoutUsed = errors.New("the logout token was used before")

// AddLogout stores a logout token. It fails with ErrLogoutUsed if its jti is stored.
func (tx *Tx) AddLogout(l Logout) error {
	done := tx.Exec("INSERT INTO logout (jti, subject, issuer_id, at_ms, ends_ms) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		printable(l.JTI), printable(l.Subject), printable(l.IssuerID), ms(l.At), ms(l.EndsAt))
	if done.Error == nil && done.RowsAffected == 0 {
		return ErrLogoutUsed
	}
	return failed(done.Error, "store a logout")
}

// Logouts returns the logouts in force at a time.
func (s *Store) Logouts(ctx context.Context, now time.Time) ([]Logout, error) {
	var rows []Logout
	err := s.db.Read(ctx).Where("ends_ms > ?", ms(now)).Find(&rows).Error
	return rows, failed(err, "load logouts")
}

// PurgeLogouts deletes at most limit ended logouts and returns their number.
func (s *Store) PurgeLogouts(ctx context.Context, limit int) (int, error) {
	deleted := 0
	err := s.Do(ctx, func(tx *Tx) error {
		done := tx.Exec("DELETE FROM logout WHERE jti IN (SELECT jti FROM logout WHERE ends_ms <= ? ORDER BY jti LIMIT ?"+tx.skipLocked()+")",
			ms(tx.Now()), limit)
		deleted = int(done.RowsAffected)
		return failed(done.Error, "delete logouts that have ended")
	})
	return deleted, err
}

// PurgeSessions deletes at most limit sessions that have ended or were unused for the given
// duration. It returns their number.
func (s *Store) PurgeSessions(ctx context.Context, unusedSince time.Duration, limit int) (int, error) {
	deleted := 0
	err := s.Do(ctx, func(tx *Tx) error {
		done := tx.Exec("DELETE FROM session WHERE id IN (SELECT id FROM session WHERE ends_ms <= ? OR seen_ms <= ? ORDER BY id LIMIT ?"+tx.skipLocked()+")",
			ms(tx.Now()), ms(tx.Now().Add(-unusedSince)), limit)
		deleted = int(done.RowsAffected)
		return failed(done.Error, "delete sessions that have ended")
	})
	return deleted, err
}
