package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Delegations has the use cases of delegations.
type Delegations struct{ *core }

// routedAtOnce is the number of requests that one transaction reroutes. The call that creates or
// revokes a delegation handles one such batch; a worker handles the others, see ADR 6.
const routedAtOnce = 100

// CreateDelegation stores a delegation. If it is in force, the delegator's open tasks are routed to
// the delegate. A zero StartsAt means now.
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
	var made approver.Delegation
	err = e.do(ctx, func(tx *store.Tx, a *answers) error {
		made = d
		made.Warnings = slices.Clone(d.Warnings)
		made.ID, made.CreatedBy, made.CreatedAt, made.UpdatedAt = newID(), by.User, tx.Now(), tx.Now()
		if made.User.ID == "" || made.User.ID == by.ID {
			made.User = by.User
		} else if !by.Has(identity.RoleAdmin) {
			return refusal.New(reason.Forbidden, "only an admin may delegate for another user")
		}
		if made.StartsAt.IsZero() {
			made.StartsAt = tx.Now()
		}
		if err := made.Check(tx.Now()); err != nil {
			return err
		}
		back, err := tx.Delegations.Of([]string{made.DelegateTo.ID}, maxChain)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(back, func(other approver.Delegation) bool { return other.DelegateTo.ID == made.User.ID }) {
			made.Warnings = append(made.Warnings, fmt.Sprintf("%s delegates back to %s: tasks in a cycle are not routed", made.DelegateTo.ID, made.User.ID))
		}
		if err := tx.Delegations.Add(made); err != nil {
			return err
		}
		tx.MeetActor(by)
		if made.Status(tx.Now()) == approver.DelegationActive {
			if made, _, err = a.startDelegation(tx, made, ""); err != nil {
				return err
			}
		}
		created := event(tx, audit.EventDelegationCreated, by, wf.Resource{Type: "delegation", ID: made.ID}, made.Reason)
		created.ID = wf.Seed(uuid.New()).EventID(tx.Now(), 1)
		if err := a.notify(tx, []notice.Notice{{Person: made.User, Kind: notice.Delegated, EventID: created.ID}}, ""); err != nil {
			return err
		}
		// The service's chain is locked last, after the requests.
		if _, err := tx.Append(created, newID); err != nil || !made.Started {
			return err
		}
		return auditDelegation(tx, audit.EventDelegationStarted, by, made)
	})
	if err == nil {
		e.Wake()
	}
	return made, err
}

// Routed is a request with tasks that a delegation would route to the delegate.
type Routed struct {
	wf.Request
	Stages []string // stage names
}

// errPreviewed rolls back the transaction of a preview.
var errPreviewed = errors.New("previewed")

// PreviewDelegation lists the first requests with tasks that a delegation of the caller would route
// now. It also reports whether there may be more. It returns the refusals of CreateDelegation and
// writes nothing.
func (e *Delegations) PreviewDelegation(ctx context.Context, by identity.Actor, d approver.Delegation) (list []Routed, more bool, err error) {
	if _, err := e.findUser(ctx, by, "/delegate_to", d.DelegateTo.ID); err != nil {
		return nil, false, err
	}
	err = e.do(ctx, func(tx *store.Tx, a *answers) error {
		list, more = nil, false
		d := d
		if d.StartsAt.IsZero() {
			d.StartsAt = tx.Now()
		}
		d.ID, d.User, d.CreatedBy, d.CreatedAt, d.UpdatedAt = newID(), by.User, by.User, tx.Now(), tx.Now()
		if err := d.Check(tx.Now()); err != nil {
			return err
		}
		if !d.ApplyToOpen {
			return errPreviewed
		}
		d.StartsAt, d.Started = tx.Now(), true // as if in force
		if err := tx.Delegations.Add(d); err != nil {
			return err
		}
		requests, err := tx.Delegations.RequestsToRoute(d, "", routedAtOnce)
		if err != nil {
			return err
		}
		more = len(requests) == routedAtOnce
		for _, id := range requests {
			before, err := tx.Request(store.ByID(id))
			if err != nil {
				return err
			}
			done, err := a.transit(tx, before, func(r wf.Request, def policy.Definition, f wf.Facts) (wf.Request, []wf.Event, error) {
				return r.Reroute(def, d, f)
			})
			if err != nil {
				return err
			}
			routed := Routed{Request: done.after}
			for _, event := range done.events {
				if event.Type == audit.EventDelegationApplied && event.Stage != nil {
					routed.Stages = append(routed.Stages, event.Stage.Name)
				}
			}
			if len(routed.Stages) > 0 {
				list = append(list, routed)
			}
		}
		return errPreviewed
	})
	if errors.Is(err, errPreviewed) {
		err = nil
	}
	return list, more, err
}

// startDelegation applies a delegation in force to one batch of open tasks, in requests after the
// given one. It returns the last request of the batch, or "" at the end.
func (a *answers) startDelegation(tx *store.Tx, d approver.Delegation, after string) (_ approver.Delegation, last string, err error) {
	var requests []string
	if d.ApplyToOpen {
		if requests, err = tx.Delegations.RequestsToRoute(d, after, routedAtOnce); err != nil {
			return d, "", err
		}
	}
	applied, err := a.reroute(tx, requests, d)
	if err != nil {
		return d, "", err
	}
	last = lastOf(requests)
	d.Started, d.UpdatedAt = last == "", tx.Now()
	d.RoutedOpenTasks += applied
	return d, last, tx.Delegations.Put(d)
}

// lastOf returns the cursor for the next batch, or "" at the end.
func lastOf(requests []string) string {
	if len(requests) < routedAtOnce {
		return ""
	}
	return requests[len(requests)-1]
}

// reroute follows the delegations of requests again. It returns the number of tasks and candidate
// places with a new delegate.
func (a *answers) reroute(tx *store.Tx, requests []string, d approver.Delegation) (applied int, err error) {
	for _, id := range requests {
		err := a.apply(tx, id, func(r wf.Request, def policy.Definition, f wf.Facts) (wf.Request, []wf.Event, error) {
			after, events, err := r.Reroute(def, d, f)
			for _, event := range events {
				if event.Type == audit.EventDelegationApplied {
					applied++
				}
			}
			return after, events, err
		})
		if err != nil {
			return applied, err
		}
	}
	return applied, nil
}

// closeDelegation returns the tasks that a delegation has routed, in batches like startDelegation.
func (a *answers) closeDelegation(tx *store.Tx, d approver.Delegation, after string) (_ approver.Delegation, last string, err error) {
	requests, err := tx.Delegations.RequestsRouted(d.ID, after, routedAtOnce)
	if err != nil {
		return d, "", err
	}
	last = lastOf(requests)
	d.Closed, d.UpdatedAt = last == "", tx.Now()
	if err := tx.Delegations.Put(d); err != nil { // first, so that the delegation is no longer in force
		return d, "", err
	}
	_, err = a.reroute(tx, requests, d)
	return d, last, err
}

// DeleteDelegation revokes a delegation.
func (e *Delegations) DeleteDelegation(ctx context.Context, by identity.Actor, id string) (approver.Delegation, error) {
	if err := wf.RequirePerson(by); err != nil {
		return approver.Delegation{}, err
	}
	var d approver.Delegation
	err := e.do(ctx, func(tx *store.Tx, a *answers) error {
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
		if d, _, err = a.closeDelegation(tx, d, ""); err != nil {
			return err
		}
		return auditDelegation(tx, audit.EventDelegationRevoked, by, d)
	})
	if err == nil {
		e.Wake()
	}
	return d, err
}

// AdvanceDelegations starts and closes due delegations, at most limit, and returns the number
// processed. A failure does not stop the others.
func (e *Delegations) AdvanceDelegations(ctx context.Context, now time.Time, limit int) (int, error) {
	return e.processAll(ctx, 1, e.advanceDelegation)(e.store.Due.Delegations(ctx, now, limit))
}

// advanceDelegation starts or closes a delegation, one transaction per batch of requests. After an
// interruption it starts again; processed requests need no change.
func (e *Delegations) advanceDelegation(ctx context.Context, id string) error {
	var status approver.DelegationStatus
	for last, more := "", true; more; more = last != "" {
		was, after := status, last
		err := e.do(ctx, func(tx *store.Tx, a *answers) (err error) {
			status, last, err = a.advanceBatch(tx, id, was, after)
			return err
		})
		if err != nil {
			return err
		}
		e.Wake() // notifications of this batch do not wait for the next batches
	}
	return nil
}

// advanceBatch reads the delegation again under the lock and processes the batch after the given
// request. A late or repeated call has no effect. If the status has changed, it starts at the first
// request: a delegation that ends during its start must be closed everywhere.
func (a *answers) advanceBatch(
	tx *store.Tx,
	id string,
	was approver.DelegationStatus,
	after string,
) (status approver.DelegationStatus, last string, err error) {
	d, err := tx.Delegations.Lock(id)
	if err != nil {
		return "", "", err
	}
	if status = d.Status(tx.Now()); status != was {
		after = ""
	}
	var done audit.EventType
	switch {
	case status == approver.DelegationActive && !d.Started:
		done = audit.EventDelegationStarted
		d, last, err = a.startDelegation(tx, d, after)
	case status == approver.DelegationEnded && !d.Closed:
		done = audit.EventDelegationEnded
		d, last, err = a.closeDelegation(tx, d, after)
	case status == approver.DelegationRevoked && !d.Closed: // its event exists already
		_, last, err = a.closeDelegation(tx, d, after)
	}
	if err != nil || last != "" || done == "" {
		return status, last, err
	}
	return status, "", auditDelegation(tx, done, identity.SystemExpiry, d)
}

func auditDelegation(tx *store.Tx, kind audit.EventType, by identity.Actor, d approver.Delegation) error {
	return appendServiceEvent(tx, kind, by, wf.Resource{Type: "delegation", ID: d.ID}, d.Reason)
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
