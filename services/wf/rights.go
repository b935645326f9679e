package wf

import (
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// right is the authority to claim or decide a task: mayAct and then admit check it.
type right struct {
	owner approver.Approver // the caller or a delegator; the act is for their place
	queue bool              // the task is unassigned and in a pool

	holder, actor approver.Fit // the owner and the caller, checked by admit; of an override, the caller only
}

// RequirePerson refuses a party that acts for a person (RFC 8693), because it is not the person. Each use case with a
// caller calls it first, except those of the closed list in the message.
func RequirePerson(by identity.Actor) error {
	if by.IsRepresented() {
		return refusal.New(reason.Forbidden,
			"a party that acts for a person may only create, resubmit, cancel, consume, comment, simulate, preview, read and wait")
	}
	return nil
}

// requireStepUp refuses a token with a weaker or older authentication than the stage requires. It guards the acts
// that decide or give a decision away.
func (c taskChange) requireStepUp() error {
	reauth := c.stage().Reauth
	if reauth.Permits(c.by, c.facts.At) {
		return nil
	}
	return &refusal.Error{
		Reason:  reason.Forbidden,
		Message: "stage " + c.run.Key + " requires a more recent or stronger authentication",
		StepUp:  reauth.StepUp(),
	}
}

// covers reports whether a delegation gives a right in a run at a time.
func (r Request) covers(d approver.Delegation, run StageRun, now time.Time) bool {
	return run.Delegable && d.Covers(now, r.PolicyKey, run.Key, r.ArtifactType)
}

// delegators returns the delegators of a user in a run at a time, the newest delegation first.
func (r Request) delegators(run StageRun, id string, given []approver.Delegation, now time.Time) (users []identity.User) {
	given = slices.Clone(given)
	slices.SortFunc(given, approver.CompareNewest)
	for _, d := range given {
		if d.DelegateTo.ID == id && r.covers(d, run, now) {
			users = append(users, d.User)
		}
	}
	return users
}

// DelegatesOf returns the delegates of a person with a place in a run, without those that may not act in it: the
// requester, the submitter and users with a place of their own.
func (r Request) DelegatesOf(id string, run StageRun, given []approver.Delegation, now time.Time) (users []identity.User) {
	for _, d := range given {
		to := d.DelegateTo
		if d.User.ID == id && r.covers(d, run, now) && run.entry(to.ID) < 0 && !r.isParty(to.ID) {
			users = append(users, to)
		}
	}
	return users
}

// WithClaims returns the request with each claim of a delegate whose right is over as the claim of the assignee. given
// holds the delegations in force to delegates with a claim.
func (r Request) WithClaims(given []approver.Delegation, now time.Time) Request {
	r.Tasks = slices.Clone(r.Tasks)
	for i, t := range r.Tasks {
		if t.ClaimedBy == nil || t.HeldBy(t.ClaimedBy.ID) {
			continue
		}
		if !slices.ContainsFunc(r.delegators(r.Run(t), t.ClaimedBy.ID, given, now), func(u identity.User) bool { return t.HeldBy(u.ID) }) {
			r.Tasks[i].ClaimedBy = t.Assignee
		}
	}
	return r
}

// concerns reports whether a user holds the task, or is an approver of its pool.
func (c taskChange) concerns(id string) bool {
	return c.task.HeldBy(id) || c.run.Pool && c.run.Concerns(id)
}

// principal returns the user for whom the caller acts on the task: the caller, if it concerns them, or else the
// delegator of the newest delegation whose place permits the act. behalf selects a delegator; empty for any.
func (c taskChange) principal(behalf string) (principal identity.User, ok bool) {
	if own := c.concerns(c.by.ID) || c.task.formerly(c.by.ID); own && behalf == "" || behalf == c.by.ID {
		return c.by.User, own
	}
	for _, u := range c.delegators(*c.run, c.by.ID, c.facts.Delegations, c.facts.At) {
		if behalf != "" && behalf != u.ID || !c.concerns(u.ID) {
			continue
		}
		if c.task.HeldBy(u.ID) || c.run.isClaimant(u.ID, *c.task, c.Tasks) {
			return u, true
		}
		if !ok {
			principal, ok = u, true
		}
	}
	return principal, ok
}

// mayAct returns the caller's right to claim or decide the task, for themself or for a delegator, as far as it follows
// from the request and the delegations; admit completes the check. It refuses an unrelated caller with Forbidden, and a
// related one without a present right as a state conflict.
func (c taskChange) mayAct(behalf string) (right, error) {
	owner, related := c.principal(behalf)
	switch {
	case !related && behalf != "":
		return right{}, refusal.New(reason.Forbidden, "no delegation permits the caller to act for %s on task %s", behalf, c.task.ID)
	case !related && c.task.vacant():
		return right{}, refusal.New(reason.Forbidden, "task %s must be reassigned by an admin first", c.task.ID)
	case !related:
		return right{}, refusal.New(reason.Forbidden, "the caller is neither the assignee of task %s nor a candidate for it", c.task.ID)
	}
	if err := c.live(); err != nil {
		return right{}, err
	}
	switch {
	case c.task.vacant():
		return right{}, refusal.New(reason.WrongState, "task %s must be reassigned by an admin first", c.task.ID)
	case c.task.Assignee == nil:
		return c.mayTake(owner)
	case c.task.HeldBy(owner.ID):
		return c.mayHold(owner)
	case c.task.Status == TaskClaimed:
		return right{}, refusal.New(reason.WrongState, "task %s is already claimed", c.task.ID)
	default:
		return right{}, refusal.New(reason.WrongState, "task %s is assigned to another user", c.task.ID)
	}
}

// live rejects an action on a task that has ended.
func (c taskChange) live() error {
	if err := c.requireUnexpired(); err != nil {
		return err
	}
	switch {
	case c.Status.Final() || c.Status == RequestChangesRequested:
		return refusal.New(reason.WrongState, "request %s is %s", c.ID, c.Status)
	case !c.run.Status.running():
		return refusal.New(reason.WrongState, "stage %s is already %s", c.run.Key, c.run.Status)
	case !c.task.Status.live():
		return refusal.New(reason.WrongState, "task %s is %s", c.task.ID, c.task.Status)
	default:
		return nil
	}
}

// mayHold returns the right of the holder of the task, or of their delegate.
func (c taskChange) mayHold(owner identity.User) (right, error) {
	r := right{owner: approver.Approver{User: owner}}
	if i := c.run.entry(owner.ID); c.run.Pool && i >= 0 {
		r.owner = c.run.People[i]
	}
	if err := c.refuseExcluded(owner); err != nil {
		return r, err
	}
	if c.actedOnOther(owner.ID) {
		return r, refusal.New(reason.WrongState, "%s holds or has decided another task of stage %s", c.name(owner), c.run.Key)
	}
	if by := c.task.ClaimedBy; c.by.ID != owner.ID && by != nil && by.ID != owner.ID && by.ID != c.by.ID {
		return r, refusal.New(reason.WrongState, "task %s is claimed by another delegate", c.task.ID)
	}
	return r, nil
}

// mayTake returns the right to claim an unassigned pool task for a member of the pool.
func (c taskChange) mayTake(owner identity.User) (right, error) {
	if err := c.refuseExcluded(owner); err != nil {
		return right{}, err
	}
	i := c.run.entry(owner.ID)
	if i < 0 || c.run.People[i].Ineligible {
		return right{}, refusal.New(reason.Forbidden, "%s is no longer an approver of stage %s", c.name(owner), c.run.Key)
	}
	switch {
	case c.run.occupants(c.Tasks)[owner.ID]:
		return right{}, refusal.New(reason.WrongState, "%s already holds or has decided a task of stage %s", c.name(owner), c.run.Key)
	case !c.run.isClaimant(owner.ID, *c.task, c.Tasks):
		return right{}, refusal.New(reason.WrongState, "the open tasks of stage %s require approvers of other rules", c.run.Key)
	}
	return right{queue: true, owner: c.run.People[i]}, nil
}

// name returns the words for a user in a refusal.
func (c taskChange) name(u identity.User) string {
	if u.ID == c.by.ID {
		return "the caller"
	}
	return u.ID
}

// admit completes the check of a right with the answers of directories and resolvers. It rejects an excluded owner and
// one that has lost the membership, and releases their place. It rejects an unfit delegate; the place stays.
func (c taskChange) admit(r *right) error {
	holder, why, err := c.fit(r.owner.User, false)
	switch {
	case err != nil:
		return err
	case why != nil:
		return c.release(r.owner.ID, c.isExcluded(why))
	}
	if err := c.recheck(r.owner.User); err != nil {
		return err
	}
	r.holder, r.actor = holder, holder
	if r.owner.ID != c.by.ID {
		r.actor, err = c.admitDelegate(r.owner)
	}
	return err
}

// admitDelegate returns the caller as fit to act for the owner of a place: an enabled person that is not excluded, is
// an eligible rescuer on a rescue, and has and had neither a place nor another act in the stage run.
func (c taskChange) admitDelegate(owner approver.Approver) (approver.Fit, error) {
	if c.by.Kind != identity.ActorUser {
		return approver.Fit{}, refusal.New(reason.Forbidden, "a delegate is a person: %s is not", c.by.ID)
	}
	if err := c.requireEnabled(c.by.User); err != nil {
		return approver.Fit{}, err
	}
	placer := c.task.PlacedBy
	if owner.PlacedBy != nil {
		placer = owner.PlacedBy
	}
	who, why, err := c.fit(c.by.User, c.task.Rescue || placer != nil)
	switch {
	case err != nil:
		return who, err
	case why != nil:
		return who, c.isExcluded(why)
	case placer != nil && placer.ID == c.by.ID && !c.def.Settings.AdminOverride:
		return who, refusal.New(reason.Forbidden, "the caller assigned the rescue task %s and may not decide it", c.task.ID)
	}
	return who, c.requireNoPlace()
}

// requireNoPlace refuses a delegate with a place or another act in the stage run, or a former one.
func (c taskChange) requireNoPlace() error {
	if id := c.by.ID; c.run.entry(id) >= 0 || slices.Contains(c.run.Former, id) || c.actedOnOther(id) {
		return refusal.New(reason.WrongState, "the caller has or had a place or another task in stage %s and may not act for others there", c.run.Key)
	}
	return nil
}

// requireEnabled refuses a delegate that the directory lacks or has disabled, according to settings.membership_recheck.
func (c taskChange) requireEnabled(u identity.User) error {
	mode := c.def.Settings.MembershipRecheck
	if !c.Directory || c.facts.TrustMembership || mode == policy.RecheckNone {
		return nil
	}
	q := approver.ExistingUsers(u.ID)
	q.MaxAge = recheckAge(mode)
	found, failure := c.Ask(q)
	switch {
	case failure != nil && mode == policy.RecheckStrict:
		return reason.NoAnswer("delegate %s: %s", u.ID, failure.Message)
	case failure != nil:
		c.stale = true
		return nil
	case len(found) == 0:
		return refusal.New(reason.Forbidden, "the delegate %s is unknown to the directory or disabled", u.ID)
	}
	return nil
}

// isExcluded returns the refusal of an act for the exclusion of the caller or of the owner of the place.
func (c taskChange) isExcluded(why *approver.Exclusion) error {
	return refusal.New(reason.Forbidden, "%s is excluded from task %s: %s", c.name(why.User), c.task.ID, why.Reason)
}

// refuseExcluded rejects an act for a user excluded from approving the stage by their part in the request. The exclude
// rules are left to admit, which releases the place.
func (c taskChange) refuseExcluded(owner identity.User) error {
	if _, why := c.parts(false).Check(owner); why != nil {
		return c.isExcluded(why)
	}
	return nil
}

// actedOnOther reports whether a user holds, has claimed or has decided another task of the run.
func (c taskChange) actedOnOther(id string) bool {
	others := slices.DeleteFunc(c.run.tasksOf(c.Tasks), func(t Task) bool { return t.ID == c.task.ID })
	return c.run.occupants(others)[id]
}
