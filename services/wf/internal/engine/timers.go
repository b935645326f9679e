package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/reason"
)

// Timers has the use cases of the service's own clock.
type Timers struct{ *core }

// processAll returns a function that processes due ids, atOnce in parallel, and returns their number. A
// failure does not stop the others, unless the database is unavailable.
func (e *core) processAll(ctx context.Context, atOnce int, one func(ctx context.Context, id string) error) func([]string, error) (int, error) {
	return func(due []string, err error) (int, error) {
		if err != nil || len(due) == 0 {
			return 0, err
		}
		failures := make([]error, len(due))
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(atOnce)
		for i, id := range due {
			group.Go(func() error {
				if err := one(ctx, id); err != nil {
					failures[i] = fmt.Errorf("process %s: %w", id, err)
				}
				if errors.Is(failures[i], reason.DatabaseDown) {
					return failures[i]
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			return len(due), err
		}
		e.Wake()
		return len(due), errors.Join(failures...)
	}
}

// inOwnTx runs one in its own transaction.
func (e *core) inOwnTx(one func(a *answers, tx *store.Tx, id string) error) func(context.Context, string) error {
	return func(ctx context.Context, id string) error {
		return e.do(ctx, func(tx *store.Tx, a *answers) error { return one(a, tx, id) })
	}
}

// applyStep returns a function that applies a step to the request with the id.
func (e *core) applyStep(step wf.Step) func(context.Context, string) error {
	return e.inOwnTx(func(a *answers, tx *store.Tx, id string) error { return a.apply(tx, id, step) })
}

// ExpireRequests expires overdue requests, at most limit, and returns the number processed. A
// failure does not stop the others.
func (e *Timers) ExpireRequests(ctx context.Context, now time.Time, limit int) (int, error) {
	return e.processAll(ctx, 1, e.applyStep(wf.EndByTime))(e.store.Due.Requests(ctx, store.EndTimer, now, limit))
}

// LapseApprovals ends approvals past their validity, at most limit, and returns the number processed. A
// failure does not stop the others.
func (e *Timers) LapseApprovals(ctx context.Context, now time.Time, limit int) (int, error) {
	return e.processAll(ctx, 1, e.applyStep(wf.EndByTime))(e.store.Due.Requests(ctx, store.LapseTimer, now, limit))
}

// EndRequest commits the expiry or the lapse of a request, if it is due.
func (e *Timers) EndRequest(ctx context.Context, id string) error {
	return e.applyStep(wf.EndByTime)(ctx, id)
}

// ProcessDeadlines does the due work of the deadlines of stages, in at most limit requests, and returns the number
// of requests processed. A failure does not stop the others.
func (e *Timers) ProcessDeadlines(ctx context.Context, now time.Time, limit int) (int, error) {
	// Each escalation may block on a directory.
	process := e.processAll(ctx, concurrentQuestions, e.applyStep(wf.ProcessDeadlines))
	return process(e.store.Due.Requests(ctx, store.DeadlineTimer, now, limit))
}

// RetryStages re-resolves the approvers of waiting or understaffed stages, in at most limit
// requests. It returns the number of requests processed. A failure does not stop the others.
func (e *Timers) RetryStages(ctx context.Context, now time.Time, limit int) (int, error) {
	// Each request may block on a directory.
	process := e.processAll(ctx, concurrentQuestions, e.applyStep(wf.Resolve))
	return process(e.store.Due.Requests(ctx, store.RetryTimer, now, limit))
}

const (
	missingAtOnce = 20     // users per directory query
	allMissing    = 3      // minimum number of users for the check for a wrong directory
	sweptAtOnce   = 10_000 // requests per query
)

var goneAtOnce = 10_000 // users per sweep without a directory entry; the next sweep processes the others

// Sweep reassigns tasks of ineligible approvers: users that the directory has deleted or disabled,
// and users outside the rules of their stage. Then it re-resolves understaffed stages; see
// wf.Sweep. A failed request does not stop the others.
func (e *Timers) Sweep(ctx context.Context) error {
	gone, err := e.missingUsers(ctx)
	if errors.Is(err, reason.DatabaseDown) {
		return err
	}
	versions, unread := e.checkingMembership(ctx)
	if errors.Is(unread, reason.DatabaseDown) {
		return unread
	}
	failures := []error{err, unread}
	for last := ""; ; {
		found, err := e.store.Due.Sweep(ctx, versions, gone[:min(len(gone), goneAtOnce)], last, sweptAtOnce)
		if err != nil || len(found) == 0 {
			return errors.Join(append(failures, err)...)
		}
		for _, id := range found {
			last = id
			err := e.sweepRequest(ctx, id, gone)
			if errors.Is(err, reason.DatabaseDown) {
				return err
			}
			failures = append(failures, err)
		}
	}
}

// checkingMembership returns the versions with open requests whose approvers are rechecked. A
// version that cannot be read does not stop the others, unless the database is unavailable.
func (e *Timers) checkingMembership(ctx context.Context) (checking []store.VersionID, err error) {
	versions, err := e.store.Policies.VersionsInUse(ctx)
	failures := []error{err}
	for _, v := range versions {
		def, err := e.store.Policies.Definition(ctx, v.PolicyKey, v.Number)
		if errors.Is(err, reason.DatabaseDown) {
			return nil, err
		}
		failures = append(failures, err)
		if err == nil && def.ChecksMembership() {
			checking = append(checking, v)
		}
	}
	return checking, errors.Join(failures...)
}

// sweepRequest applies the sweep to a request. It locks the request only if a change is due.
func (e *Timers) sweepRequest(ctx context.Context, id string, gone []string) error {
	a := e.answers()
	_, events, err := a.try(ctx, identity.Actor{}, id, wf.Sweep(gone))
	if err != nil || len(events) == 0 {
		return err
	}
	return a.do(ctx, func(tx *store.Tx, a *answers) error { return a.apply(tx, id, wf.Sweep(gone)) })
}

// missingUsers returns the users with open work that the directory has deleted or disabled. If it contains
// none of at least allMissing users, missingUsers returns an error: a wrong realm would orphan every task.
func (e *Timers) missingUsers(ctx context.Context) ([]string, error) {
	if !e.Directory {
		return nil, nil
	}
	var gone []string
	for last, asked := "", 0; ; {
		ids, err := e.store.LivePeople(ctx, last, missingAtOnce)
		switch {
		case err != nil:
			return nil, err
		case len(ids) == 0 && asked >= allMissing && len(gone) == asked:
			return nil, fmt.Errorf("the directory contains none of %d users with tasks: is it the directory of the token issuer?", asked)
		case len(ids) == 0:
			return gone, nil
		}
		last, asked = ids[len(ids)-1], asked+len(ids)
		known, err := e.Resolve(ctx, approver.ExistingUsers(ids...))
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if !slices.ContainsFunc(known, func(u identity.User) bool { return u.ID == id }) {
				gone = append(gone, id)
			}
		}
	}
}
