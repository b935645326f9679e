package wf

import (
	"slices"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// delegationChain is the chain of active delegations of one person.
type delegationChain struct {
	path  []approver.Delegation
	last  int  // index in path of the delegation to the effective delegate, or -1
	cycle bool // the chain is a cycle: no delegate

	delegate approver.Fit // the effective delegate, if the chain was followed with a check of them
}

// effective returns the delegation to the effective delegate.
func (r delegationChain) effective() (approver.Delegation, bool) {
	if r.cycle || r.last < 0 {
		return approver.Delegation{}, false
	}
	return r.path[r.last], true
}

// uses reports whether the path to the effective delegate contains the delegation.
func (r delegationChain) uses(id string) bool {
	return !r.cycle && slices.ContainsFunc(r.path[:r.last+1], func(d approver.Delegation) bool { return d.ID == id })
}

// chainOf follows the newest delegation of each person, up to the hop limit of the policy. It selects
// the last fit delegate. Beyond the limit it only detects cycles.
func (c runChange) chainOf(
	owner identity.User, counts func(approver.Delegation) bool, fit delegateCheck,
) delegationChain {
	r := delegationChain{last: -1}
	hops := c.def.Settings.Hops(c.stage())
	if hops == 0 {
		return r
	}
	passed := map[string]bool{owner.ID: true}
	for at := owner; ; {
		next, ok := newestOf(c.DelegationsOf(at.ID), func(d approver.Delegation) bool {
			return d.Covers(c.facts.At, c.PolicyKey, c.run.Key, c.ArtifactType) && counts(d)
		})
		if !ok || next.Mode == approver.DelegationShare && at.ID != owner.ID {
			return r // a delegate's own share delegation is not followed
		}
		if passed[next.DelegateTo.ID] {
			r.cycle = true
			return r
		}
		r.path = append(r.path, next)
		at = next.DelegateTo
		passed[at.ID] = true
		if who, ok := fit(at); ok && len(r.path) <= hops {
			r.last, r.delegate = len(r.path)-1, who
		}
		if next.Mode == approver.DelegationShare {
			return r // the owner keeps a shared task: no further hop
		}
	}
}

func newestOf(list []approver.Delegation, counts func(approver.Delegation) bool) (newest approver.Delegation, ok bool) {
	for _, d := range list {
		if counts(d) && (!ok || newer(d, newest)) {
			newest, ok = d, true
		}
	}
	return newest, ok
}

func newer(a, b approver.Delegation) bool {
	return a.CreatedAt.After(b.CreatedAt) || a.CreatedAt.Equal(b.CreatedAt) && a.ID > b.ID
}

func anyUser(identity.User) (approver.Fit, bool) { return approver.Fit{}, true }

func anyDelegation(approver.Delegation) bool { return true }

// isDelegate reports whether a person is the effective delegate of the owner in a run. An expired
// delegation does not count, even before its expiry is processed.
func (c runChange) isDelegate(id string, owner identity.User) bool {
	r := c.chainOf(owner, anyDelegation, func(u identity.User) (approver.Fit, bool) { return approver.Fit{}, u.ID == id })
	_, ok := r.effective()
	return ok
}

// delegateCheck returns a delegate as fit, and whether they are eligible.
type delegateCheck func(identity.User) (approver.Fit, bool)

// orPresent is a check that also accepts the present delegate, who needs no check to remain the delegate.
func orPresent(present *identity.User, fit delegateCheck) delegateCheck {
	return func(u identity.User) (approver.Fit, bool) {
		if present != nil && present.ID == u.ID {
			return approver.Fit{}, true
		}
		return fit(u)
	}
}

// eligibleDelegate returns a predicate for eligible delegates of a run. An eligible delegate exists in
// the directory, is not excluded, is no approver of the stage, and has no task in it. With
// assignment each, a delegate holds one task. In a pool, a delegate may represent several approvers
// and acts for one.
func (c runChange) eligibleDelegate(owners []identity.User) delegateCheck {
	var delegates []identity.User
	c.Want(len(owners), func(i int) {
		for _, d := range c.chainOf(owners[i], anyDelegation, anyUser).path {
			delegates = append(delegates, d.DelegateTo)
		}
	})
	enabled := c.KnownUsers(delegates)
	used := c.run.occupants(c.Tasks)
	fit := c.fitToJoin()
	return func(u identity.User) (approver.Fit, bool) {
		_, there := enabled[u.ID]
		who, may := fit(u)
		return who, may && there && !used[u.ID] && c.run.entry(u.ID) < 0 &&
			(c.run.Pool || !slices.ContainsFunc(c.run.People, func(a approver.Approver) bool { return a.HasDelegate(u.ID) }))
	}
}

// applyDelegations assigns delegates to the approvers of a run that have just joined it: those from an index on.
func (c runChange) applyDelegations(from int) {
	fit := c.eligibleDelegate(c.run.users()[from:])
	for i := range c.run.People[from:] {
		a := &c.run.People[from+i]
		r := c.chainOf(a.User, anyDelegation, fit)
		if d, ok := r.effective(); ok {
			*a = a.WithDelegate(d, r.delegate)
		} else if len(r.path) > 0 {
			c.note(audit.EventDelegationNotApplied, c.run, nil)
		}
	}
}

// delegateOf returns the delegate of the task's delegation. This may differ from the holder after a
// reassignment by the delegate. It returns nil without a delegation.
func (c taskChange) delegateOf() *identity.User {
	stand := c.task.delegate()
	if stand == nil {
		return nil
	}
	if d, known := c.Delegation(c.task.DelegationID); known {
		return &d.DelegateTo
	}
	return stand
}

// delegated reports whether the delegation of the task is active.
func (c taskChange) delegated() bool {
	delegate := c.delegateOf()
	return delegate != nil && c.isDelegate(delegate.ID, c.task.owner())
}

// removeDelegateOf removes the delegate of an approver of the run.
func (s *StageRun) removeDelegateOf(owner string) {
	if i := s.entry(owner); i >= 0 {
		s.People[i] = s.People[i].WithoutDelegate()
	}
}

// redelegate records another delegation of an approver in the run to the same delegate.
func (s *StageRun) redelegate(owner string, d approver.Delegation) {
	if i := s.entry(owner); i >= 0 && s.People[i].HasDelegate(d.DelegateTo.ID) {
		s.People[i] = s.People[i].WithDelegation(d)
	}
}

// setDelegate records the delegate of an approver in the run.
func (s *StageRun) setDelegate(owner string, d approver.Delegation, delegate approver.Fit) {
	if i := s.entry(owner); i >= 0 {
		s.People[i] = s.People[i].WithDelegate(d, delegate)
	}
}

// mayFinish reports whether a delegate may still decide a claimed task. This holds if the
// delegation has ended or if the owner has a newer delegation, but not after a revocation.
func (c taskChange) mayFinish() bool {
	if c.task.Status != TaskClaimed || c.task.OnBehalfOf == nil {
		return false
	}
	d, known := c.Delegation(c.task.DelegationID)
	status := d.Status(c.facts.At)
	return known && (status == approver.DelegationEnded || status == approver.DelegationActive && d.User.ID == c.task.owner().ID)
}

// isFinal reports whether the delegation of the task has ended without return. The delegate then
// keeps the task.
func (c taskChange) isFinal() bool {
	if c.task.OnBehalfOf == nil {
		return false
	}
	d, known := c.Delegation(c.task.DelegationID)
	return known && !d.ReturnOnEnd && d.Status(c.facts.At) == approver.DelegationEnded
}

// makePermanent assigns the task permanently to the delegate, and in a pool the place as well.
func (c taskChange) makePermanent() {
	owner := c.task.holder()
	if i := c.run.entry(owner); i >= 0 && c.run.Pool {
		c.run.People[i] = c.run.People[i].KeptBy(*c.task.Assignee)
	}
	c.run.removeDelegateOf(owner)
	c.run.leave(owner)
	*c.task = c.task.madePermanent(c.facts.At)
}
