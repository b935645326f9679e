package engine

import (
	"context"
	"maps"
	"sync"
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

// logouts caches the stored logouts whose access tokens may not have expired.
type logouts struct {
	mu       sync.RWMutex
	sessions map[string]store.Logout // by sid
	subjects map[string]store.Logout // the latest logout of all sessions, by subject
	newest   time.Time               // the latest EndsAt that was loaded
}

// lateCommit bounds the time from the first read of a transaction's clock to its commit.
const lateCommit = time.Minute

// LoadLogouts loads the logouts that other processes have stored since the last call. Every process
// calls it at an interval.
func (e *Engine) LoadLogouts(ctx context.Context) error {
	now, err := e.store.Now(ctx)
	if err != nil {
		return err
	}
	l := &e.logouts
	l.mu.Lock()
	defer l.mu.Unlock()
	from := now
	if l.newest.Add(-lateCommit).After(now) {
		from = l.newest.Add(-lateCommit)
	}
	rows, err := e.store.Logouts(ctx, from)
	if err != nil {
		return err
	}
	ended := func(_ string, known store.Logout) bool { return !known.EndsAt.After(now) }
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

// LoggedOut reports whether the issuer has ended the session of an access token. This is the
// session of its sid, or all sessions of its subject if the token predates the logout. A logout
// from another process takes effect at the next LoadLogouts.
func (e *Engine) LoggedOut(subject, sid string, issuedAt time.Time) bool {
	e.logouts.mu.RLock()
	defer e.logouts.mu.RUnlock()
	_, ended := e.logouts.sessions[sid]
	all, found := e.logouts.subjects[subject]
	return ended || found && !issuedAt.After(all.At)
}

// PurgeLogouts deletes at most limit logouts whose access tokens have expired, and returns their
// number.
func (e *Engine) PurgeLogouts(ctx context.Context, limit int) (int, error) {
	return e.store.PurgeLogouts(ctx, limit)
}
