package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// SessionTimes holds the lifetime of page sessions: the idle timeout and the maximum lifetime.
type SessionTimes struct{ Idle, Longest time.Duration }

// ended reports whether a session has expired.
func (t SessionTimes) ended(s store.Session, now time.Time) bool {
	return !now.Before(s.EndsAt) || now.Sub(s.SeenAt) >= t.Idle
}

const (
	// seeEvery is the precision of the last use of a session: a page and its resources cause one
	// write.
	seeEvery = 5 * time.Second

	// renewalTime is the time limit of one process to renew the tokens of a session.
	renewalTime = 10 * time.Second
)

// Tokens holds the issuer's tokens of a session. They stay in the service.
type Tokens struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh,omitempty"`
}

// Session is a session of the inbox pages, with its tokens.
type Session struct {
	store.Session
	Tokens Tokens
}

// sessionID returns the stored id of a session. It is a hash, so that the table alone does not
// grant access.
func sessionID(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func sessionPlace(id string) string { return "session|" + id + "|tokens" }

func (e *Engine) sealTokens(id string, t Tokens) (string, error) {
	raw, err := json.Marshal(t)
	if err != nil {
		return "", fmt.Errorf("encode tokens: %w", err)
	}
	return e.Keys.Seal(raw, sessionPlace(id))
}

// NewSession is the input of BeginSession. IssuerID is the issuer's session (sid) and may be empty.
type NewSession struct {
	Person            identity.Actor
	Subject, IssuerID string
	Agent             string // the browser's User-Agent
	Tokens            Tokens
}

// BeginSession stores a session and the user's name and address. The browser receives the secret.
func (e *Engine) BeginSession(ctx context.Context, secret string, s NewSession, times SessionTimes) error {
	id := sessionID(secret)
	sealed, err := e.sealTokens(id, s.Tokens)
	if err != nil {
		return err
	}
	return e.store.Do(ctx, func(tx *store.Tx) error {
		now := tx.Now()
		tx.MeetActor(s.Person)
		return tx.AddSession(store.Session{
			ID: id, UserID: s.Person.ID, Subject: s.Subject, IssuerID: s.IssuerID, Sealed: sealed, Agent: s.Agent,
			BegunAt: now, SeenAt: now, EndsAt: now.Add(times.Longest), Rev: 1,
		})
	})
}

// Session returns the session of a secret and whether it is valid. A session whose tokens cannot be
// decrypted has ended.
func (e *Engine) Session(ctx context.Context, secret string, times SessionTimes) (Session, bool, error) {
	row, found, err := e.store.Session(ctx, sessionID(secret))
	if err != nil || !found {
		return Session{}, false, err
	}
	now, err := e.store.Now(ctx)
	if err != nil {
		return Session{}, false, err
	}
	if times.ended(row, now) {
		return Session{}, false, nil
	}
	raw, err := e.Keys.Open(row.Sealed, sessionPlace(row.ID))
	if errors.Is(err, seal.ErrUnknownKey) {
		return Session{}, false, nil
	}
	if err != nil {
		return Session{}, false, fmt.Errorf("open the tokens of a session: %w", err)
	}
	s := Session{Session: row}
	if err := json.Unmarshal(raw, &s.Tokens); err != nil {
		return Session{}, false, fmt.Errorf("decode the tokens of a session: %w", err)
	}
	if now.Sub(row.SeenAt) >= seeEvery {
		err = e.store.Do(ctx, func(tx *store.Tx) error { return tx.SeeSession(row.ID) })
	}
	return s, true, err
}

// ClaimRenewal reports whether the caller must renew the tokens of the session. Only one process
// renews at a time, since an issuer may accept a refresh token once.
func (e *Engine) ClaimRenewal(ctx context.Context, s Session) (claimed bool, err error) {
	err = e.store.Do(ctx, func(tx *store.Tx) (err error) {
		claimed, err = tx.ClaimRenewal(s.Session, renewalTime)
		return err
	})
	return claimed, err
}

// RenewSession stores the new tokens of a session.
func (e *Engine) RenewSession(ctx context.Context, s Session, t Tokens) error {
	var err error
	if s.Sealed, err = e.sealTokens(s.ID, t); err != nil {
		return err
	}
	return e.store.Do(ctx, func(tx *store.Tx) error { return tx.PutSession(s.Session) })
}

// EndSession signs out the browser that sent the secret.
func (e *Engine) EndSession(ctx context.Context, secret string) error {
	return e.store.Do(ctx, func(tx *store.Tx) error { return tx.EndSession(sessionID(secret)) })
}

// Sessions returns the open sessions of a user without their tokens, most recently used first.
func (e *Engine) Sessions(ctx context.Context, userID string, times SessionTimes) (open []Session, err error) {
	rows, err := e.store.SessionsOf(ctx, userID)
	if err != nil {
		return nil, err
	}
	now, err := e.store.Now(ctx)
	for _, row := range rows {
		if !times.ended(row, now) {
			open = append(open, Session{Session: row})
		}
	}
	return open, err
}

// EndSessionOf ends a session of the user by its id.
func (e *Engine) EndSessionOf(ctx context.Context, userID, id string) error {
	return e.store.Do(ctx, func(tx *store.Tx) error { return tx.EndSessionOf(userID, id) })
}

// EndOtherSessions ends the sessions of the user except the one with the id.
func (e *Engine) EndOtherSessions(ctx context.Context, userID, kept string) error {
	return e.store.Do(ctx, func(tx *store.Tx) error { return tx.EndOtherSessions(userID, kept) })
}

// PurgeSessions deletes at most limit ended sessions and returns their number.
func (e *Engine) PurgeSessions(ctx context.Context, times SessionTimes, limit int) (int, error) {
	return e.store.PurgeSessions(ctx, times.Idle, limit)
}
