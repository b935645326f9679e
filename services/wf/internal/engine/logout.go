package engine

import (
	"context"
	"time"

	"github.com/countersign/countersign/services/wf/internal/store"
)

// ErrLogoutUsed indicates that a logout token was accepted before.
var ErrLogoutUsed = store.ErrLogoutUsed

// Logout is a verified logout token (OpenID Connect Back-Channel Logout 1.0 §2.4). Session is sid.
// If it is empty, all sessions of the subject end.
type Logout struct {
	JTI, Subject, Session string
	IssuedAt              time.Time
}

// LogOut accepts a logout token once and ends its sessions. Their access tokens are rejected until
// they expire. It returns ErrLogoutUsed on a second use.
func (e *Engine) LogOut(ctx context.Context, l Logout) error {
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		stored := store.Logout{
			JTI: l.JTI, Subject: l.Subject, IssuerID: l.Session, At: l.IssuedAt, EndsAt: tx.Now().Add(e.TokenLifetime),
		}
		if err := tx.AddLogout(stored); err != nil {
			return err
		}
		return tx.EndSessions(l.Subject, l.Session)
	})
	if err != nil {
		return err
	}
	return e.LoadLogouts(ctx)
}

// logouts holds the logouts whose access tokens may not have expired.
type logouts struct {
	sessions map[string]bool      // by sid
	subjects map[string]time.Time // the latest logout of all sessions
}

// LoadLogouts loads the logouts stored by other processes. Every process calls it at an interval.
func (e *Engine) LoadLogouts(ctx context.Context) error {
	now, err := e.store.Now(ctx)
	if err != nil {
		return err
	}
	rows, err := e.store.Logouts(ctx, now)
	if err != nil {
		return err
	}
	loaded := &logouts{map[string]bool{}, map[string]time.Time{}}
	for _, row := range rows {
		if row.IssuerID != "" {
			loaded.sessions[row.IssuerID] = true
		} else if row.At.After(loaded.subjects[row.Subject]) {
			loaded.subjects[row.Subject] = row.At
		}
	}
	e.logouts.Store(loaded)
	return nil
}

// LoggedOut reports whether the issuer has ended the session of an access token. This is the
// session of its sid, or all sessions of its subject if the token predates the logout. A logout
// from another process takes effect at the next LoadLogouts.
func (e *Engine) LoggedOut(subject, sid string, issuedAt time.Time) bool {
	known := e.logouts.Load()
	if known == nil {
		return false
	}
	at, found := known.subjects[subject]
	return known.sessions[sid] || found && !issuedAt.After(at)
}

// PurgeLogouts deletes at most limit logouts whose access tokens have expired, and returns their
// number.
func (e *Engine) PurgeLogouts(ctx context.Context, limit int) (int, error) {
	return e.store.PurgeLogouts(ctx, limit)
}
