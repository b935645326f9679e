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
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// SessionTimes are how long somebody stays signed in to the pages for people: since they
// last did something, and whatever they do.
type SessionTimes struct{ Idle, Longest time.Duration }

const (
	// seeEvery is how exactly it is known when a session was last used: not every page
	// that is read is a write.
	seeEvery = time.Minute

	// renewalTime is how long one process has to renew the tokens of a session.
	renewalTime = 10 * time.Second
)

// Tokens are what the issuer has given for a session. They never leave the service.
type Tokens struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh,omitempty"`
}

// Session is somebody who is signed in.
type Session struct {
	store.Session
	Tokens Tokens
}

// sessionID is what a session is stored by: with the table alone nobody can go on with one.
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

// BeginSession signs a person in and stores the name and the address of their token. secret is what their browser will have, and issuerID the
// issuer's name for the session, if it has one.
func (e *Engine) BeginSession(ctx context.Context, secret string, by wf.Actor, subject, issuerID string, t Tokens, times SessionTimes) error {
	id := sessionID(secret)
	sealed, err := e.sealTokens(id, t)
	if err != nil {
		return err
	}
	return e.store.Do(ctx, func(tx *store.Tx) error {
		tx.MeetActor(by)
		return tx.AddSession(store.Session{
			ID: id, UserID: by.ID, Subject: subject, IssuerID: issuerID, Sealed: sealed, SeenAt: tx.Now(), EndsAt: tx.Now().Add(times.Longest), Rev: 1,
		})
	})
}

// Session returns the session of a secret, and whether there is one that has not ended. A
// session whose tokens cannot be read any more has ended.
func (e *Engine) Session(ctx context.Context, secret string, times SessionTimes) (Session, bool, error) {
	row, found, err := e.store.Session(ctx, sessionID(secret))
	if err != nil || !found {
		return Session{}, false, err
	}
	now, err := e.store.Now(ctx)
	if err != nil {
		return Session{}, false, err
	}
	if !now.Before(row.EndsAt) || now.Sub(row.SeenAt) >= times.Idle {
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

// ClaimRenewal reports whether the caller is to renew the tokens of the session: one
// process at a time does, since an issuer may take a refresh token once.
func (e *Engine) ClaimRenewal(ctx context.Context, s Session) (claimed bool, err error) {
	err = e.store.Do(ctx, func(tx *store.Tx) (err error) {
		claimed, err = tx.ClaimRenewal(s.Session, renewalTime)
		return err
	})
	return claimed, err
}

// RenewSession stores the tokens that a session goes on with.
func (e *Engine) RenewSession(ctx context.Context, s Session, t Tokens) error {
	var err error
	if s.Sealed, err = e.sealTokens(s.ID, t); err != nil {
		return err
	}
	return e.store.Do(ctx, func(tx *store.Tx) error { return tx.PutSession(s.Session) })
}

// EndSession signs out the browser that has the secret.
func (e *Engine) EndSession(ctx context.Context, secret string) error {
	return e.store.Do(ctx, func(tx *store.Tx) error { return tx.EndSession(sessionID(secret)) })
}

// EndSessions signs out as the issuer says: the session that it names, or everywhere the
// person that it names.
func (e *Engine) EndSessions(ctx context.Context, subject, issuerID string) error {
	return e.store.Do(ctx, func(tx *store.Tx) error { return tx.EndSessions(subject, issuerID) })
}

// PurgeSessions deletes at most limit sessions that have ended, and returns how many.
func (e *Engine) PurgeSessions(ctx context.Context, times SessionTimes, limit int) (int, error) {
	return e.store.PurgeSessions(ctx, times.Idle, limit)
}
