// Package session stores the sessions of the pages of a service and the logouts of its issuer. The
// service's migrations create the tables session and logout.
package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
)

// Options configures a Store.
type Options struct {
	Keys          seal.Keys
	Idle, Longest time.Duration // idle timeout and maximum lifetime of a session
	TokenLifetime time.Duration // maximum lifetime of an access token at the API

	// Refusal converts an error of the database into a refusal of the service; nil keeps it.
	Refusal func(error) error
}

// Store holds the sessions of a service. It is safe for concurrent use.
type Store struct {
	Options
	db      *sqldb.DB
	logouts logouts
}

// New returns the sessions in db.
func New(db *sqldb.DB, o Options) *Store {
	if o.Refusal == nil {
		o.Refusal = func(err error) error { return err }
	}
	return &Store{Options: o, db: db, logouts: logouts{sessions: map[string]logoutRow{}, subjects: map[string]logoutRow{}}}
}

const (
	// seenInterval is the precision of SeenAt: a page and its resources cause one write.
	seenInterval = 5 * time.Second

	// renewalTime is the time limit of one process to renew the tokens of a session.
	renewalTime = 10 * time.Second

	maxListed = 100
)

// Tokens holds the issuer's tokens of a session. They stay in the service.
type Tokens struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh,omitempty"`
}

// Session is a signed-in user of the pages.
type Session struct {
	ID       string // hash of the browser's secret, so that the table alone does not grant access
	UserID   string
	Subject  string // the issuer's subject of the user
	IssuerID string // the issuer's id of the session (sid); may be empty
	Sealed   string // encrypted tokens
	Tokens   Tokens `gorm:"-"`
	Agent    string // the browser's User-Agent, at most 200 characters

	StartedAt time.Time `gorm:"column:started_ms;serializer:millis"`
	SeenAt    time.Time `gorm:"column:seen_ms;serializer:millis"`
	EndsAt    time.Time `gorm:"column:ends_ms;serializer:millis"`  // absolute end
	RenewAt   time.Time `gorm:"column:renew_ms;serializer:millis"` // lease of the process that renews the tokens
	Rev       int64     // grows with every write of Sealed
}

func idOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// hasEnded reports whether a session has expired.
func (s *Store) hasEnded(row Session, now time.Time) bool {
	return !now.Before(row.EndsAt) || now.Sub(row.SeenAt) >= s.Idle
}

// sealPlace binds the sealed tokens to their session.
func sealPlace(id string) string { return "session|" + id + "|tokens" }

func (s *Store) seal(id string, t Tokens) (string, error) {
	raw, err := json.Marshal(t)
	if err != nil {
		return "", fmt.Errorf("encode tokens: %w", err)
	}
	return s.Keys.Seal(raw, sealPlace(id))
}

// do runs fn in a transaction.
func (s *Store) do(ctx context.Context, operation string, fn func(tx *sqldb.Tx) error) error {
	return s.wrapError(s.db.Do(ctx, fn), operation)
}

// exec runs one statement in a transaction and returns the number of changed rows. args gets the
// time of the transaction.
func (s *Store) exec(ctx context.Context, operation, statement string, args func(now time.Time) []any) (changed int,
	err error) {
	err = s.do(ctx, operation, func(tx *sqldb.Tx) error {
		done := tx.Exec(statement, args(tx.Now())...)
		changed = int(done.RowsAffected)
		return done.Error
	})
	return changed, err
}

func (s *Store) wrapError(err error, operation string) error {
	if err == nil {
		return nil
	}
	return s.Refusal(fmt.Errorf("%s: %w", operation, err))
}

// Begin stores a session with its Tokens. The browser receives the secret.
func (s *Store) Begin(ctx context.Context, secret string, begun Session) error {
	begun.ID, begun.Rev = idOf(secret), 1
	var err error
	if begun.Sealed, err = s.seal(begun.ID, begun.Tokens); err != nil {
		return err
	}
	return s.do(ctx, "begin a session", func(tx *sqldb.Tx) error {
		begun.StartedAt, begun.SeenAt, begun.EndsAt = tx.Now(), tx.Now(), tx.Now().Add(s.Longest)
		return tx.Create(&begun).Error
	})
}

// Find returns the session of a secret and whether it is valid. A session whose tokens cannot be
// decrypted has ended.
func (s *Store) Find(ctx context.Context, secret string) (Session, bool, error) {
	now, err := s.db.Now(ctx)
	if err != nil {
		return Session{}, false, s.wrapError(err, "read the clock")
	}
	var rows []Session
	err = s.db.Read(ctx).Where("id = ?", idOf(secret)).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 || s.hasEnded(rows[0], now) {
		return Session{}, false, s.wrapError(err, "load a session")
	}
	found := rows[0]
	raw, err := s.Keys.Open(found.Sealed, sealPlace(found.ID))
	if errors.Is(err, seal.ErrUnknownKey) {
		return Session{}, false, nil
	}
	if err != nil {
		return Session{}, false, fmt.Errorf("open the tokens of a session: %w", err)
	}
	if err := json.Unmarshal(raw, &found.Tokens); err != nil {
		return Session{}, false, fmt.Errorf("decode the tokens of a session: %w", err)
	}
	if now.Sub(found.SeenAt) >= seenInterval {
		_, err = s.exec(ctx, "record the use of a session", "UPDATE session SET seen_ms = ? WHERE id = ? AND seen_ms < ?",
			func(now time.Time) []any { return []any{sqldb.Millis(now), found.ID, sqldb.Millis(now)} })
	}
	return found, true, err
}

// ClaimRenewal reports whether the caller must renew the tokens of the session. Only one process
// renews at a time, since an issuer may accept a refresh token once.
func (s *Store) ClaimRenewal(ctx context.Context, of Session) (bool, error) {
	changed, err := s.exec(ctx, "claim a renewal",
		"UPDATE session SET renew_ms = ? WHERE id = ? AND rev = ? AND renew_ms <= ?",
		func(now time.Time) []any {
			return []any{sqldb.Millis(now.Add(renewalTime)), of.ID, of.Rev, sqldb.Millis(now)}
		})
	return changed == 1, err
}

// Renew stores the new tokens of a session, if it exists.
func (s *Store) Renew(ctx context.Context, of Session, t Tokens) error {
	sealed, err := s.seal(of.ID, t)
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, "renew a session", "UPDATE session SET sealed = ?, renew_ms = 0, rev = rev + 1 WHERE id = ?",
		func(time.Time) []any { return []any{sealed, of.ID} })
	return err
}

// End signs out the browser that sent the secret.
func (s *Store) End(ctx context.Context, secret string) error {
	return s.delete(ctx, "id = ?", idOf(secret))
}

// EndOf ends a session of the user by its id.
func (s *Store) EndOf(ctx context.Context, userID, id string) error {
	return s.delete(ctx, "user_id = ? AND id = ?", userID, sqldb.CleanText(id))
}

// EndOthers ends the sessions of the user except the one with the id.
func (s *Store) EndOthers(ctx context.Context, userID, kept string) error {
	return s.delete(ctx, "user_id = ? AND id <> ?", userID, kept)
}

func (s *Store) delete(ctx context.Context, where string, args ...any) error {
	_, err := s.exec(ctx, "end sessions", "DELETE FROM session WHERE "+where, func(time.Time) []any { return args })
	return err
}

// List returns at most 100 open sessions of a user without their tokens, most recently used first.
func (s *Store) List(ctx context.Context, userID string) (open []Session, err error) {
	now, err := s.db.Now(ctx)
	if err != nil {
		return nil, s.wrapError(err, "read the clock")
	}
	var rows []Session
	err = s.db.Read(ctx).Where("user_id = ?", userID).Order("seen_ms DESC, id").Limit(maxListed).Find(&rows).Error
	for _, row := range rows {
		if !s.hasEnded(row, now) {
			open = append(open, row)
		}
	}
	return open, s.wrapError(err, "list sessions")
}

// Purge deletes at most limit ended sessions and returns their number.
func (s *Store) Purge(ctx context.Context, limit int) (int, error) {
	return s.exec(ctx, "purge sessions",
		"DELETE FROM session WHERE id IN (SELECT id FROM session WHERE ends_ms <= ? OR seen_ms <= ? ORDER BY id LIMIT ?"+
			s.db.RowLock("FOR UPDATE SKIP LOCKED")+")",
		func(now time.Time) []any { return []any{sqldb.Millis(now), sqldb.Millis(now.Add(-s.Idle)), limit} })
}
