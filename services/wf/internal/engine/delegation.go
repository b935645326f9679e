package engine

import (
	"context"
	"errors"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/reason"
)

// Delegations has the use cases of delegations.
type Delegations struct{ *core }

// CreateDelegation stores a delegation. A zero StartsAt means now. The delegator receives a mail.
func (e *Delegations) CreateDelegation(ctx context.Context, by identity.Actor, d approver.Delegation) (approver.Delegation, error) {
	if err := wf.RequirePerson(by); err != nil {
		return approver.Delegation{}, err
	}
	to, err := e.findUser(ctx, by, "/delegate_to", d.DelegateTo.ID)
	if err != nil {
		return d, err
	}
	if d.DelegateTo = to.User; to.warning != "" {
		d.Warnings = append(d.Warnings, to.warning)
	}
	err = e.store.Do(ctx, func(tx *store.Tx) error {
		d.ID, d.CreatedBy, d.CreatedAt, d.UpdatedAt = newID(), by.User, tx.Now(), tx.Now()
		if d.User.ID == "" || d.User.ID == by.ID {
			d.User = by.User
		} else if !by.Has(identity.RoleAdmin) {
			return refusal.New(reason.Forbidden, "only an admin may delegate for another user")
		}
		if d.StartsAt.IsZero() {
			d.StartsAt = tx.Now()
		}
		if err := d.Check(tx.Now()); err != nil {
			return err
		}
		if err := tx.Delegations.Add(d); err != nil {
			return err
		}
		tx.MeetActor(by)
		tx.Meet(d.DelegateTo)
		return e.record(tx, audit.EventDelegationCreated, by, d, d.User, notice.Delegated)
	})
	if err == nil {
		e.Wake()
	}
	return d, err
}

// record appends an event of a delegation, with a mail to a person.
func (e *Delegations) record(
	tx *store.Tx, kind audit.EventType, by identity.Actor, d approver.Delegation, person identity.User, mail notice.Kind,
) error {
	recorded := event(tx, kind, by, wf.Resource{Type: "delegation", ID: d.ID}, d.Reason)
	recorded.ID = newSeed().EventID(tx.Now(), 1)
	if mail != "" {
		if err := e.notify(tx, []notice.Notice{{Person: person, Kind: mail, EventID: recorded.ID}}, ""); err != nil {
			return err
		}
	}
	_, err := tx.Append(recorded)
	return err
}

// DeleteDelegation revokes a delegation.
func (e *Delegations) DeleteDelegation(ctx context.Context, by identity.Actor, id string) (d approver.Delegation, err error) {
	if err := wf.RequirePerson(by); err != nil {
		return d, err
	}
	err = e.store.Do(ctx, func(tx *store.Tx) error {
		found, err := tx.Delegations.Lock(id)
		if err != nil {
			return err
		}
		if d, err = found.Revoke(by.User, tx.Now()); err != nil {
			return err
		}
		if found.User.ID != by.ID && !by.Has(identity.RoleAdmin) {
			return refusal.New(reason.Forbidden, "delegation %s belongs to another user", id)
		}
		if err := tx.Delegations.Put(d); err != nil {
			return err
		}
		return e.record(tx, audit.EventDelegationRevoked, by, d, identity.User{}, "")
	})
	if err == nil {
		e.Wake()
	}
	return d, err
}

// RecordDelegations records the start and the end of due delegations, at most limit, and returns the number
// processed. The rights follow the clock and do not wait for it. A failure does not stop the others.
func (e *Delegations) RecordDelegations(ctx context.Context, now time.Time, limit int) (int, error) {
	return e.processAll(ctx, 1, e.recordDelegation)(e.store.Due.Delegations(ctx, now, limit))
}

// recordDelegation reads the delegation again under its lock. The delegate receives a mail at the start.
func (e *Delegations) recordDelegation(ctx context.Context, id string) error {
	return e.store.Do(ctx, func(tx *store.Tx) error {
		d, err := tx.Delegations.Lock(id)
		if err != nil {
			return err
		}
		kind, mail := audit.EventDelegationStarted, notice.Started
		switch status := d.Status(tx.Now()); {
		case status == approver.DelegationActive && !d.Started:
			d.Started = true
		case status == approver.DelegationEnded && !d.Ended:
			d.Ended, kind, mail = true, audit.EventDelegationEnded, ""
		default:
			return nil
		}
		d.UpdatedAt = tx.Now()
		if err := tx.Delegations.Put(d); err != nil {
			return err
		}
		return e.record(tx, kind, identity.SystemExpiry, d, d.DelegateTo, mail)
	})
}

// GetDelegation returns a delegation to its delegator, its delegate, viewers and admins.
func (e *Delegations) GetDelegation(ctx context.Context, by identity.Actor, id string) (approver.Delegation, error) {
	d, err := e.store.Delegations.Delegation(ctx, id)
	if err != nil && !errors.Is(err, reason.DelegationNotFound) {
		return d, err
	}
	if !by.Has(identity.RoleViewer) && d.User.ID != by.ID && d.DelegateTo.ID != by.ID { // also if the delegation does not exist
		return approver.Delegation{}, refusal.New(reason.Forbidden, "the caller has no part in delegation %s", id)
	}
	return d, err
}

// ListDelegations lists delegations. A caller without a role receives only those in which they are
// delegator or delegate.
func (e *Delegations) ListDelegations(
	ctx context.Context,
	by identity.Actor,
	f wf.DelegationFilter,
	p wf.Page,
) ([]approver.Delegation, string, error) {
	if !by.Has(identity.RoleViewer) {
		f.Own = by.ID
	}
	return e.store.Delegations.List(ctx, f, p)
}
