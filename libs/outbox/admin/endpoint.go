package admin

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/outbox/signing"
	"github.com/countersign/countersign/libs/refusal"
)

// Shown is an endpoint with the secret that this call created. It is shown once.
type Shown struct {
	outbox.Endpoint
	Secret string
}

// create adds an endpoint. Its secret is the given one, or a new one.
func (m Rules) create(tx *outboxdb.Tx, draft outbox.Endpoint, secret string, by outbox.Person) (Shown, error) {
	if draft.Events == nil {
		draft.Events = m.Events
	}
	if draft.PolicyKeys == nil {
		draft.PolicyKeys = []string{"*"}
	}
	draft.Signature = cmp.Or(draft.Signature, outbox.SignHMAC)
	if err := m.Check(draft); err != nil {
		return Shown{}, err
	}
	if err := m.CheckURL(draft.URL); err != nil {
		return Shown{}, err
	}
	made := Shown{Endpoint: draft}
	made.ID, made.CreatedBy, made.Rev = uuid.Must(uuid.NewV7()).String(), by, 1
	made.CreatedAt, made.UpdatedAt = tx.Now(), tx.Now()
	if !made.Enabled {
		made.DisabledReason, made.DisabledAt = outbox.DisabledByAdmin, tx.Now()
	}
	var err error
	if made.Chat() {
		if secret != "" {
			return Shown{}, refusal.At(outbox.BadInput, "/secret", "is for endpoints that get signed events; a chat has its url")
		}
		made.Endpoint, err = m.hide(made.Endpoint, made.URL)
	} else {
		made.Secret, made.Key, err = m.newKey(made.ID, secret)
	}
	if err != nil {
		return Shown{}, err
	}
	return made, tx.AddEndpoint(made.Endpoint)
}

// hide seals the URL of a chat and returns the endpoint with the public part of it.
func (m Rules) hide(e outbox.Endpoint, secret string) (outbox.Endpoint, error) {
	if m.Keys.IsEmpty() {
		return e, refusal.New(outbox.WrongState, "the service cannot encrypt secrets: %s is not set", m.KeysSetting)
	}
	u, err := url.Parse(secret)
	if err != nil {
		return e, errors.New("parse the url of a chat") // without the error, which contains the url
	}
	e.URL = u.Scheme + "://" + u.Host + "/…"
	e.Key, err = signing.SealURL(m.Keys, e.ID, secret)
	return e, err
}

// newKey returns the key of an endpoint and its secret, the given or a new one.
func (m Rules) newKey(endpointID, secret string) (string, outbox.SealedKey, error) {
	if m.Keys.IsEmpty() {
		return "", outbox.SealedKey{}, refusal.New(outbox.WrongState, "the service cannot encrypt secrets: %s is not set", m.KeysSetting)
	}
	key, err := signing.NewKey(secret)
	if err != nil {
		return "", outbox.SealedKey{}, refusal.At(outbox.BadInput, "/secret", "%s", err)
	}
	sealed, err := signing.Seal(m.Keys, endpointID, key)
	return key.Secret(), sealed, err
}

// Change contains the changes of UpdateEndpoint. Nil leaves a member unchanged.
type Change struct {
	URL                *string
	Events, PolicyKeys []string
	Include            []string
	Signature          *outbox.SignatureScheme
	Enabled            *bool
}

// apply applies the change and returns the names of the changed members. It checks the URL only if that
// changes, so that an endpoint with a forbidden URL can be disabled.
func (m Rules) apply(c Change, e outbox.Endpoint, at time.Time) (outbox.Endpoint, []string, error) {
	var changed []string
	if c.URL != nil && *c.URL != e.URL {
		if err := m.CheckURL(*c.URL); err != nil {
			return e, nil, err
		}
		if e.Chat() {
			var err error
			if e, err = m.hide(e.Move("", at), *c.URL); err != nil {
				return e, nil, err
			}
			changed = append(changed, "url")
		} else {
			e, changed = e.Move(*c.URL, at), append(changed, "url")
		}
	}
	if c.Events != nil && !slices.Equal(c.Events, e.Events) {
		e.Events, changed = c.Events, append(changed, "events")
	}
	if c.PolicyKeys != nil && !slices.Equal(c.PolicyKeys, e.PolicyKeys) {
		e.PolicyKeys, changed = c.PolicyKeys, append(changed, "policy_keys")
	}
	if c.Include != nil && !slices.Equal(c.Include, e.Include) {
		e.Include, changed = c.Include, append(changed, "include")
	}
	if c.Signature != nil && *c.Signature != e.Signature {
		e.Signature, changed = *c.Signature, append(changed, "signature")
	}
	switch {
	case c.Enabled == nil || *c.Enabled == e.Enabled:
	case *c.Enabled:
		e, changed = e.Enable(at), append(changed, "enabled")
	default:
		e, changed = e.Disable(outbox.DisabledByAdmin, at), append(changed, "disabled")
	}
	return e, changed, m.Check(e)
}

// update changes a locked endpoint and returns the names of the changed members.
func (m Rules) update(tx *outboxdb.Tx, before outbox.Endpoint, change Change) (outbox.Endpoint, []string, error) {
	after, changed, err := m.apply(change, before, tx.Now())
	if err != nil || changed == nil {
		return before, nil, err
	}
	if before.Enabled && !after.Enabled {
		if err := tx.CancelDeliveries(before.ID); err != nil {
			return before, nil, err
		}
	}
	if after.Rev == before.Rev {
		after = after.Touch(tx.Now())
	}
	return after, changed, tx.PutEndpoint(after)
}
