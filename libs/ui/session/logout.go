package session

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
)

// ErrLogoutUsed indicates that a logout token was accepted before.
var ErrLogoutUsed = errors.New("the logout token was used before")

// Logout is a verified logout token (OpenID Connect Back-Channel Logout 1.0 §2.4). Session is sid.
// If it is empty, all sessions of the subject end.
type Logout struct {
	JTI, Subject, Session string
	IssuedAt              time.Time
}

type logoutRow struct {
	JTI      string `gorm:"column:jti;primaryKey"`
	Subject  string
	IssuerID string

	At     time.Time `gorm:"column:at_ms;serializer:millis"`   // iat of the token
	EndsAt time.Time `gorm:"column:ends_ms;serializer:millis"` // end of the refusal of earlier access tokens
}

func (logoutRow) TableName() string { return "logout" }

// LogOut accepts a logout token once and ends its sessions. Their access tokens are rejected until
// they expire. It returns ErrLogoutUsed on a second use.
func (s *Store) LogOut(ctx context.Context, l Logout) error {
	jti, subject, issuerID := sqldb.CleanText(l.JTI), sqldb.CleanText(l.Subject), sqldb.CleanText(l.Session)
	err := s.do(ctx, "log out", func(tx *sqldb.Tx) error {
		done := tx.Exec("INSERT INTO logout (jti, subject, issuer_id, at_ms, ends_ms) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			jti, subject, issuerID, sqldb.Millis(l.IssuedAt), sqldb.Millis(tx.Now().Add(s.TokenLifetime)))
		switch {
		case done.Error != nil:
			return done.Error
		case done.RowsAffected == 0:
			return ErrLogoutUsed
		}
		query := tx.DB
		if issuerID != "" {
			query = query.Where("issuer_id = ?", issuerID)
		}
		if subject != "" {
			query = query.Where("subject = ?", subject)
		}
		return query.Delete(&Session{}).Error
	})
	if err != nil {
		return err
	}
	return s.LoadLogouts(ctx)
}

// logouts caches the stored logouts whose access tokens may not have expired.
type logouts struct {
	mu       sync.RWMutex
	sessions map[string]logoutRow // by sid
	subjects map[string]logoutRow // the latest logout of all sessions, by subject
	newest   time.Time            // the latest EndsAt that was loaded
}

// maxCommitDelay bounds the time from the first read of a transaction's clock to its commit.
const maxCommitDelay = time.Minute

// LoadLogouts loads the logouts that other processes have stored since the last call. Every process
// calls it at an interval.
func (s *Store) LoadLogouts(ctx context.Context) error {
	now, err := s.db.Now(ctx)
	if err != nil {
		return s.wrapError(err, "read the clock")
	}
	l := &s.logouts
	l.mu.Lock()
	defer l.mu.Unlock()
	from := now
	if l.newest.Add(-maxCommitDelay).After(now) {
		from = l.newest.Add(-maxCommitDelay)
	}
	var rows []logoutRow
	if err := s.db.Read(ctx).Where("ends_ms > ?", sqldb.Millis(from)).Find(&rows).Error; err != nil {
		return s.wrapError(err, "load logouts")
	}
	ended := func(_ string, known logoutRow) bool { return !known.EndsAt.After(now) }
	maps.DeleteFunc(l.sessions, ended)
	maps.DeleteFunc(l.subjects, ended)
	for _, row := range rows {
		if row.EndsAt.After(l.newest) {
			l.newest = row.EndsAt
		}
		if row.IssuerID != "" && row.EndsAt.After(l.sessions[row.IssuerID].EndsAt) {
			l.sessions[row.IssuerID] = row
		} else if row.IssuerID == "" && row.At.After(l.subjects[row.Subject].At) {
			l.subjects[row.Subject] = row
		}
	}
	return nil
}

// IsLoggedOut reports whether the issuer has ended the session of an access token. This is the
// session of its sid, or all sessions of its subject if the token predates the logout. A logout
// from another process takes effect at the next LoadLogouts.
func (s *Store) IsLoggedOut(subject, sid string, issuedAt time.Time) bool {
	s.logouts.mu.RLock()
	defer s.logouts.mu.RUnlock()
	_, ended := s.logouts.sessions[sid]
	all, found := s.logouts.subjects[subject]
	return ended || found && !issuedAt.After(all.At)
}

// PurgeLogouts deletes at most limit logouts whose access tokens have expired, and returns their
// number.
func (s *Store) PurgeLogouts(ctx context.Context, limit int) (int, error) {
	return s.exec(ctx, "purge logouts",
		"DELETE FROM logout WHERE jti IN (SELECT jti FROM logout WHERE ends_ms <= ? ORDER BY jti LIMIT ?"+
			s.db.RowLock("FOR UPDATE SKIP LOCKED")+")",
		func(now time.Time) []any { return []any{sqldb.Millis(now), limit} })
}
