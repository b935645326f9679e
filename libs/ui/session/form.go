package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/ui/form"
)

// Form is a submitted form, kept for the page that shows it again after a redirect.
type Form struct {
	ID      string            `json:"-"`                 // chosen by the page of the form
	Path    string            `json:"path"`              // of the page
	Status  int               `json:"status"`            // of the page; 0 for a form that was not checked
	Values  url.Values        `json:"values,omitempty"`  // as submitted
	Problem string            `json:"problem,omitempty"` // of the whole form
	Errors  []form.FieldError `json:"errors,omitempty"`  // in the order of the page
	Result  json.RawMessage   `json:"result,omitempty"`  // of the operation
	Once    bool              `json:"once,omitempty"`    // the first read deletes the form
}

// maxForms is the maximum number of kept forms of a session. Newer ones displace older ones.
const maxForms = 10

// formPlace binds a sealed form to its user.
func formPlace(userID, id string) string { return "user|" + userID + "|form|" + id }

// KeepForm stores a form of a session in place of one with the same id. It reports false for a session
// that has ended.
func (s *Store) KeepForm(ctx context.Context, of Session, f Form) (kept bool, err error) {
	raw, err := json.Marshal(f)
	if err != nil {
		return false, fmt.Errorf("encode a form: %w", err)
	}
	sealed, err := s.Keys.Seal(raw, formPlace(of.UserID, f.ID))
	if err != nil {
		return false, err
	}
	err = s.do(ctx, "keep a form", func(tx *sqldb.Tx) error {
		done := tx.Exec(`INSERT INTO session_form (session_id, id, sealed, kept_ms) SELECT id, ?, ?, CAST(? AS bigint) FROM session WHERE id = ?
			ON CONFLICT (session_id, id) DO UPDATE SET sealed = excluded.sealed, kept_ms = excluded.kept_ms`,
			f.ID, sealed, sqldb.Millis(tx.Now()), of.ID)
		if kept = done.RowsAffected == 1; done.Error != nil || !kept {
			return done.Error
		}
		return tx.Exec(`DELETE FROM session_form WHERE session_id = ? AND id NOT IN
			(SELECT id FROM session_form WHERE session_id = ? ORDER BY kept_ms DESC, id LIMIT ?)`, of.ID, of.ID, maxForms).Error
	})
	return kept, err
}

// KeptForm returns a kept form of a session. found is false without one, or if it cannot be decrypted.
func (s *Store) KeptForm(ctx context.Context, of Session, id string) (f Form, found bool, err error) {
	var sealed []string
	err = s.db.Read(ctx).Table("session_form").Where("session_id = ? AND id = ?", of.ID, id).Pluck("sealed", &sealed).Error
	if err != nil || len(sealed) == 0 {
		return f, false, s.wrapError(err, "load a form")
	}
	raw, err := s.Keys.Open(sealed[0], formPlace(of.UserID, id))
	if errors.Is(err, seal.ErrUnknownKey) {
		return f, false, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &f)
	}
	if err != nil {
		return f, false, fmt.Errorf("open a form: %w", err)
	}
	if f.ID = id; f.Once {
		err = s.DropForm(ctx, of, id)
	}
	return f, err == nil, err
}

// DropForm deletes a kept form of a session.
func (s *Store) DropForm(ctx context.Context, of Session, id string) error {
	_, err := s.exec(ctx, "drop a form", "DELETE FROM session_form WHERE session_id = ? AND id = ?",
		func(time.Time) []any { return []any{of.ID, id} })
	return err
}

// Replace ends the session of an older secret of the browser. Its forms move to the new session if
// that has the same user.
func (s *Store) Replace(ctx context.Context, old, secret string) error {
	before, now := idOf(old), idOf(secret)
	return s.do(ctx, "replace a session", func(tx *sqldb.Tx) error {
		err := tx.Exec(`UPDATE session_form SET session_id = ? WHERE session_id = ? AND
			(SELECT count(DISTINCT user_id) FROM session WHERE id IN (?, ?)) = 1`, now, before, before, now).Error
		if err != nil {
			return err
		}
		return tx.Exec("DELETE FROM session WHERE id = ?", before).Error
	})
}
