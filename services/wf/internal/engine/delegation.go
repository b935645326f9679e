package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// routedAtOnce is in how many requests one transaction follows a delegation anew. Who makes or
// revokes one waits for so many; a worker goes through the others, see ADR 41.
const routedAtOnce = 100

// CreateDelegation stores a delegation and, if it is in force, gives the open tasks of
// its person to the delegate. A zero StartsAt means now.
func (e *Engine) CreateDelegation(ctx context.Context, by wf.Actor, d wf.Delegation) (wf.Delegation, error) {
	if e.Directory {
		switch known, err := e.Resolve(ctx, wf.Whether(d.DelegateTo.ID)); {
		case err != nil:
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s could not be found: the directory does not answer", d.DelegateTo.ID))
		case len(known) == 0:
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s is unknown to the directory, or disabled: tasks stay where they are", d.DelegateTo.ID))
		default:
			d.DelegateTo = known[0]
		}
	}
	var made wf.Delegation
	err := e.do(ctx, func(tx *store.Tx, a *answers) error {
		made = d
		made.Warnings = slices.Clone(d.Warnings)
		made.ID, made.CreatedBy, made.CreatedAt, made.UpdatedAt = newID(), by.User, tx.Now(), tx.Now()
		if made.User.ID == "" || made.User.ID == by.ID {
			made.User = by.User
		} else if !by.Has(wf.RoleAdmin) {
			return wf.Refuse(wf.Forbidden, "only an admin may delegate for somebody else")
		}
		if made.StartsAt.IsZero() {
			made.StartsAt = tx.Now()
		}
		if err := made.Check(tx.Now()); err != nil {
			return err
		}
		back, err := tx.DelegationsOf([]string{made.DelegateTo.ID}, maxChain)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(back, func(other wf.Delegation) bool { return other.DelegateTo.ID == made.User.ID }) {
			made.Warnings = append(made.Warnings, fmt.Sprintf("%s delegates back to %s: tasks stay where the loop begins", made.DelegateTo.ID, made.User.ID))
		}
		if err := tx.AddDelegation(made); err != nil {
			return err
		}
		tx.MeetActor(by)
		if made.Status(tx.Now()) == wf.DelegationActive {
			if made, _, err = a.startDelegation(tx, made, ""); err != nil {
				return err
			}
		}
		// The service's chain is locked last, after the requests.
		if err := auditDelegation(tx, wf.EventDelegationCreated, by, made); err != nil || !made.Started {
			return err
		}
		return auditDelegation(tx, wf.EventDelegationStarted, by, made)
	})
	if err == nil {
		e.Wake()
	}
	return made, err
}

// Routed is a request of which a delegation would give tasks to the delegate.
type Routed struct {
	wf.Request
	Stages []string // their names
}

// errPreviewed rolls back what was done to see what would happen.
var errPreviewed = errors.New("previewed")

// PreviewDelegation tells which tasks a delegation of the caller's would give to the
// delegate if it was in force now, in the first requests, and whether there may be more. It
// refuses what CreateDelegation refuses, and changes nothing.
func (e *Engine) PreviewDelegation(ctx context.Context, by wf.Actor, d wf.Delegation) (list []Routed, more bool, err error) {
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
		d.StartsAt, d.Started = tx.Now(), true // as if it was in force
		if err := tx.AddDelegation(d); err != nil {
			return err
		}
		requests, err := tx.RequestsToRoute(d, "", routedAtOnce)
		if err != nil {
			return err
		}
		more = len(requests) == routedAtOnce
		for _, id := range requests {
			before, err := tx.Request(store.ByID(id))
			if err != nil {
				return err
			}
			done, err := a.transit(tx, before, func(r wf.Request, def wf.Definition, f wf.Facts) (wf.Request, []wf.Event, error) {
				return r.Reroute(def, d, f)
			})
			if err != nil {
				return err
			}
			routed := Routed{Request: done.after}
			for _, event := range done.events {
				if event.Type == wf.EventDelegationApplied && event.Stage != nil {
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

// startDelegation applies a delegation that is in force to open tasks, once: in the requests
// after a given one. It returns the last of them, or nothing when that were all.
func (a *answers) startDelegation(tx *store.Tx, d wf.Delegation, after string) (_ wf.Delegation, last string, err error) {
	var requests []string
	if d.ApplyToOpen {
		if requests, err = tx.RequestsToRoute(d, after, routedAtOnce); err != nil {
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
	return d, last, tx.PutDelegation(d)
}

// lastOf is the request after which a delegation goes on, or nothing when there are no more.
func lastOf(requests []string) string {
	if len(requests) < routedAtOnce {
		return ""
	}
	return requests[len(requests)-1]
}

// reroute follows the delegations of requests anew, and returns for how many tasks and
// places somebody new stands in.
func (a *answers) reroute(tx *store.Tx, requests []string, d wf.Delegation) (applied int, err error) {
	for _, id := range requests {
		err := a.apply(tx, id, func(r wf.Request, def wf.Definition, f wf.Facts) (wf.Request, []wf.Event, error) {
			after, events, err := r.Reroute(def, d, f)
			for _, event := range events {
				if event.Type == wf.EventDelegationApplied {
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

// closeDelegation returns the tasks that a delegation has routed, once: in the requests after
// a given one, as startDelegation does.
func (a *answers) closeDelegation(tx *store.Tx, d wf.Delegation, after string) (_ wf.Delegation, last string, err error) {
	requests, err := tx.RequestsRouted(d.ID, after, routedAtOnce)
	if err != nil {
		return d, "", err
	}
	last = lastOf(requests)
	d.Closed, d.UpdatedAt = last == "", tx.Now()
	if err := tx.PutDelegation(d); err != nil { // first, so that it is not in force any more
		return d, "", err
	}
	_, err = a.reroute(tx, requests, d)
	return d, last, err
}

// DeleteDelegation revokes a delegation.
func (e *Engine) DeleteDelegation(ctx context.Context, by wf.Actor, id string) (wf.Delegation, error) {
	var d wf.Delegation
	err := e.do(ctx, func(tx *store.Tx, a *answers) error {
		found, err := tx.Delegation(id)
		if err != nil {
			return err
		}
		if d, err = found.Revoke(by.User, tx.Now()); err != nil {
			return err
		}
		if found.User.ID != by.ID && !by.Has(wf.RoleAdmin) {
			return wf.Refuse(wf.Forbidden, "delegation %s belongs to somebody else", id)
		}
		if d, _, err = a.closeDelegation(tx, d, ""); err != nil {
			return err
		}
		return auditDelegation(tx, wf.EventDelegationRevoked, by, d)
	})
	if err == nil {
		e.Wake()
	}
	return d, err
}

// SettleDelegations starts and closes delegations whose time has come, at most limit of
// them, and returns how many it looked at. One that fails does not stop the others.
func (e *Engine) SettleDelegations(ctx context.Context, now time.Time, limit int) (int, error) {
	return e.settle(ctx, 1, e.settleDelegation)(e.store.DueDelegations(ctx, now, limit))
}

// settleDelegation starts or closes a delegation, in as many transactions as its requests
// take. One that is interrupted begins anew, and finds nothing to do where it was.
func (e *Engine) settleDelegation(ctx context.Context, id string) error {
	var status wf.DelegationStatus
	for last, more := "", true; more; more = last != "" {
		was, after := status, last
		err := e.do(ctx, func(tx *store.Tx, a *answers) (err error) {
			status, last, err = a.settleSome(tx, id, was, after)
			return err
		})
		if err != nil {
			return err
		}
		e.Wake() // what these tell of does not wait for the others
	}
	return nil
}

// settleSome looks again under the lock, and goes on after a request. A late or repeated call
// finds nothing to do. One that finds another status than there was begins with the first
// request: a delegation that ends while it is started is to be closed in all of them.
func (a *answers) settleSome(tx *store.Tx, id string, was wf.DelegationStatus, after string) (status wf.DelegationStatus, last string, err error) {
	d, err := tx.Delegation(id)
	if err != nil {
		return "", "", err
	}
	if status = d.Status(tx.Now()); status != was {
		after = ""
	}
	var done wf.EventType
	switch {
	case status == wf.DelegationActive && !d.Started:
		done = wf.EventDelegationStarted
		d, last, err = a.startDelegation(tx, d, after)
	case status == wf.DelegationEnded && !d.Closed:
		done = wf.EventDelegationEnded
		d, last, err = a.closeDelegation(tx, d, after)
	case status == wf.DelegationRevoked && !d.Closed: // which is told already
		_, last, err = a.closeDelegation(tx, d, after)
	}
	if err != nil || last != "" || done == "" {
		return status, last, err
	}
	return status, "", auditDelegation(tx, done, wf.SystemExpiry, d)
}

func auditDelegation(tx *store.Tx, kind wf.EventType, by wf.Actor, d wf.Delegation) error {
	return audit(tx, kind, by, wf.Resource{Type: "delegation", ID: d.ID}, d.Reason)
}

// Delegation returns a delegation to its people, to viewers and to admins.
func (e *Engine) Delegation(ctx context.Context, by wf.Actor, id string) (wf.Delegation, error) {
	d, err := e.store.ReadDelegation(ctx, id)
	if err != nil && !errors.Is(err, wf.DelegationNotFound) {
		return d, err
	}
	if !by.Has(wf.RoleViewer) && d.User.ID != by.ID && d.DelegateTo.ID != by.ID { // also of one that does not exist
		return wf.Delegation{}, wf.Refuse(wf.Forbidden, "the caller has no part in delegation %s", id)
	}
	return d, err
}

// Delegations lists delegations. A caller without a role sees those that they are part of.
func (e *Engine) Delegations(ctx context.Context, by wf.Actor, f wf.DelegationFilter, p wf.Page) ([]wf.Delegation, string, error) {
	if !by.Has(wf.RoleViewer) {
		f.Own = by.ID
	}
	return e.store.Delegations(ctx, f, p)
}
