package engine

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/notice"
)

// Unsubscription is the subject of an unsubscribe link: the mails of a kind to a person.
type Unsubscription struct {
	Person string      `json:"person"`
	Kind   notice.Kind `json:"kind"` // notice.Digest for every kind of mode daily
}

// UnsubscribePath is the path of unsubscribe links below the first page. Their parameter token has the token.
const UnsubscribePath = "/unsubscribe"

// unsubscribePurpose names the derived keys of unsubscribe links, and their place.
const unsubscribePurpose = "wf: unsubscribe from mail"

// UnsubscribeToken returns the token of an unsubscribe link: a text of keys derived for this purpose only. It
// permits nothing else, and does not show the person. It is valid while its key is configured, because a mail
// can be read at any later time. Without keys, the error is seal.ErrNoKey.
func UnsubscribeToken(keys seal.Keys, u Unsubscription) (string, error) {
	text, err := json.Marshal(u)
	if err != nil {
		return "", err
	}
	derived, err := keys.Derive(unsubscribePurpose)
	if err != nil {
		return "", err
	}
	return derived.Seal(text, unsubscribePurpose)
}

// ReadUnsubscribeToken returns the subject of a token of UnsubscribeToken, and false for any other text.
func (e *Notices) ReadUnsubscribeToken(token string) (u Unsubscription, ok bool) {
	derived, err := e.Keys.Derive(unsubscribePurpose)
	if err != nil {
		return u, false
	}
	text, err := derived.Open(token, unsubscribePurpose)
	if err != nil || json.Unmarshal(text, &u) != nil {
		return Unsubscription{}, false
	}
	return u, u.Person != "" && (u.Kind == notice.Digest || slices.Contains(notice.Kinds, u.Kind))
}

// IsSubscribed reports whether a person receives the mails of an unsubscribe link.
func (e *Notices) IsSubscribed(ctx context.Context, u Unsubscription) (bool, error) {
	to, err := e.store.Notices.Recipient(ctx, u.Person, "", "")
	return to.Settings != to.Settings.Without(u.Kind), err
}

// Unsubscribe ends the mails of an unsubscribe link. A further call changes nothing.
func (e *Notices) Unsubscribe(ctx context.Context, u Unsubscription) error {
	return e.store.Do(ctx, func(tx *store.Tx) error {
		stored, err := tx.Notices.Settings([]string{u.Person})
		if err != nil {
			return err
		}
		now, ok := stored[u.Person]
		if !ok {
			now = notice.Default()
		}
		if now == now.Without(u.Kind) {
			return nil
		}
		return e.putSettings(tx, u.Person, now.Without(u.Kind))
	})
}
