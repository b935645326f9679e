package wf

import (
	"cmp"
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

// requireApprover refuses a service account, unless the configuration permits them as approvers.
func requireApprover(by identity.Actor) error {
	if by.Kind == identity.ActorService && !by.Approves {
		return refusal.New(reason.Forbidden, "service accounts may not claim, decide or withdraw")
	}
	return nil
}

// RequireManager refuses a caller who is neither an admin nor an owner of the policy. act is the refused operation.
func RequireManager(by identity.Actor, act string) error {
	if !by.Manages() {
		return refusal.New(reason.Forbidden, "only an admin or an owner of the policy may %s", act)
	}
	return nil
}

// requireStepUp refuses a token with a weaker or older authentication than the stage requires. It guards the acts
// that decide or give a decision away.
func (t taskChange) requireStepUp() error {
	reauth := t.at().stage().Reauth
	if reauth.Permits(t.c.by, t.c.facts.At) {
		return nil
	}
	return &refusal.Error{
		Reason:  reason.Forbidden,
		Message: "stage " + t.run.Key + " requires a more recent or stronger authentication",
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
func (t taskChange) concerns(id string) bool {
	return t.task.HeldBy(id) || t.run.Pool && t.run.Concerns(id)
}

// principal returns the user for whom the caller acts on the task: the caller, if it concerns them, or else the
// delegator of the newest delegation whose place permits the act. behalf selects a delegator; empty for any.
func (t taskChange) principal(behalf string) (principal identity.User, ok bool) {
	if own := t.concerns(t.c.by.ID) || t.task.formerly(t.c.by.ID); own && behalf == "" || behalf == t.c.by.ID {
		return t.c.by.User, own
	}
	for _, u := range t.c.req.delegators(*t.run, t.c.by.ID, t.c.facts.Delegations, t.c.facts.At) {
		if behalf != "" && behalf != u.ID || !t.concerns(u.ID) {
			continue
		}
		if t.task.HeldBy(u.ID) || t.run.isClaimant(u.ID, *t.task, t.c.req.Tasks) {
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
func (t taskChange) mayAct(behalf string) (right, error) {
	if err := requireApprover(t.c.by); err != nil {
		return right{}, err
	}
	owner, related := t.principal(behalf)
	switch {
	case !related && behalf != "":
		return right{}, refusal.New(reason.Forbidden, "no delegation permits the caller to act for %s on task %s",
			behalf, t.task.ID)
	case !related && t.task.vacant():
		return right{}, refusal.New(reason.Forbidden, "task %s must be reassigned by an admin first", t.task.ID)
	case !related:
		return right{}, refusal.New(reason.Forbidden, "the caller is neither the assignee of task %s nor a candidate for it",
			t.task.ID)
	}
	if err := t.live(); err != nil {
		return right{}, err
	}
	switch {
	case t.task.vacant():
		return right{}, refusal.New(reason.WrongState, "task %s must be reassigned by an admin first", t.task.ID)
	case t.task.Assignee == nil:
		return t.mayTake(owner)
	case t.task.HeldBy(owner.ID):
		return t.mayHold(owner)
	case t.task.Status == TaskClaimed:
		return right{}, refusal.New(reason.WrongState, "task %s is already claimed", t.task.ID)
	default:
		return right{}, refusal.New(reason.WrongState, "task %s is assigned to another user", t.task.ID)
	}
}

// mayDecide returns the actor's right to decide the task: their own, or that of an overriding admin.
func (t taskChange) mayDecide(behalf string) (r right, override bool, err error) {
	r, err = t.mayAct(behalf)
	if err == nil || t.c.keep || !t.c.by.Has(identity.RoleAdmin) || requireApprover(t.c.by) != nil {
		return r, false, err
	}
	if !t.c.def.Settings.AdminOverride {
		if t.task.vacant() && t.live() == nil {
			return r, false, refusal.New(reason.WrongState, "task %s has to be reassigned to an approver first",
				t.task.ID)
		}
		return r, false, err
	}
	if err := t.live(); err != nil {
		return r, true, err
	}
	who, why, err := t.at().fit(t.c.by.User, true)
	switch {
	case err == nil && why != nil &&
		(why.Reason == approver.ExcludedRequester || why.Reason == approver.ExcludedSubmitter):
		err = refusal.New(reason.Forbidden, "the %s may not override", why.Reason)
	case err == nil && why != nil:
		err = t.isExcluded(why)
	}
	return right{actor: who}, true, err
}

// mayUnclaim refuses a release by another person than the assignee, the claimant or an admin.
func (t taskChange) mayUnclaim() error {
	if t.task.HeldBy(t.c.by.ID) || t.task.hasClaim(t.c.by.ID) || t.c.by.Has(identity.RoleAdmin) {
		return nil
	}
	return refusal.New(reason.Forbidden, "the caller is neither the assignee nor the claimant of task %s", t.task.ID)
}

// mayReassign refuses a caller without the right to reassign the task.
func (t taskChange) mayReassign() error {
	if t.c.by.Has(identity.RoleAdmin) ||
		t.task.HeldBy(t.c.by.ID) && t.at().stage().Allow.Reassign != policy.ReassignNone {
		return nil
	}
	return refusal.New(reason.Forbidden, "the caller may not reassign task %s", t.task.ID)
}

// mayWithdraw refuses a withdrawal of the decision on the task by another person than its actor, and after its effects.
func (t taskChange) mayWithdraw() error {
	if err := requireApprover(t.c.by); err != nil {
		return err
	}
	d := t.task.Decision
	if _, related := t.principal(""); d == nil && !related ||
		d != nil && (d.Actor.ID != t.c.by.ID || d.Actor.Kind == identity.ActorSystem) {
		return refusal.New(reason.Forbidden, "the caller has not decided task %s", t.task.ID)
	}
	if err := t.undecided(); err != nil {
		return err
	}
	switch allow := t.at().stage().Allow.Withdraw; {
	case d == nil:
		return refusal.New(reason.WrongState, "task %s has no decision", t.task.ID)
	case allow != nil && !*allow:
		return refusal.New(reason.WrongState, "stage %s does not allow withdrawing a decision", t.run.Key)
	}
	for _, other := range t.c.req.Tasks {
		if t.run.Owns(other) && other.Replaces == t.task.Seat {
			return refusal.New(reason.WrongState, "a rescue has replaced the decision on task %s", t.task.ID)
		}
		if e := other.Decision; e != nil && e.Actor.Kind == identity.ActorSystem && other.person() == d.Actor.ID &&
			!e.DecidedAt.Before(d.DecidedAt.Time) {
			return refusal.New(reason.WrongState, "the decision counts as the approval of stage %s too", other.StageKey)
		}
	}
	return nil
}

// live rejects an action on a task that has ended.
func (t taskChange) live() error {
	if err := t.undecided(); err != nil {
		return err
	}
	if !t.task.Status.live() {
		return refusal.New(reason.WrongState, "task %s is %s", t.task.ID, t.task.Status)
	}
	return nil
}

// undecided refuses an act in a request or a stage that has ended.
func (t taskChange) undecided() error {
	if err := t.c.requireUnexpired(); err != nil {
		return err
	}
	switch {
	case t.c.req.Status.Final() || t.c.req.Status == RequestChangesRequested:
		return refusal.New(reason.WrongState, "request %s is %s", t.c.req.ID, t.c.req.Status)
	case !t.run.Status.running():
		return refusal.New(reason.WrongState, "stage %s is already %s", t.run.Key, t.run.Status)
	default:
		return nil
	}
}

// mayHold returns the right of the holder of the task, or of their delegate.
func (t taskChange) mayHold(owner identity.User) (right, error) {
	r := right{owner: approver.Approver{User: owner}}
	if i := t.run.entry(owner.ID); t.run.Pool && i >= 0 {
		r.owner = t.run.People[i]
	}
	if err := t.refuseExcluded(owner); err != nil {
		return r, err
	}
	if t.actedOnOther(owner.ID) {
		return r, refusal.New(reason.WrongState, "%s holds or has decided another task of stage %s", t.name(owner), t.run.Key)
	}
	if by := t.task.ClaimedBy; t.c.by.ID != owner.ID && by != nil && by.ID != owner.ID && by.ID != t.c.by.ID {
		return r, refusal.New(reason.WrongState, "task %s is claimed by another delegate", t.task.ID)
	}
	return r, nil
}

// mayTake returns the right to claim an unassigned pool task for a member of the pool.
func (t taskChange) mayTake(owner identity.User) (right, error) {
	if err := t.refuseExcluded(owner); err != nil {
		return right{}, err
	}
	i := t.run.entry(owner.ID)
	if i < 0 || t.run.People[i].Ineligible {
		return right{}, refusal.New(reason.Forbidden, "%s is no longer an approver of stage %s", t.name(owner), t.run.Key)
	}
	switch {
	case t.run.occupants(t.c.req.Tasks)[owner.ID]:
		return right{}, refusal.New(reason.WrongState, "%s already holds or has decided a task of stage %s",
			t.name(owner), t.run.Key)
	case !t.run.isClaimant(owner.ID, *t.task, t.c.req.Tasks):
		return right{}, refusal.New(reason.WrongState, "the open tasks of stage %s require approvers of other rules",
			t.run.Key)
	}
	return right{queue: true, owner: t.run.People[i]}, nil
}

// name returns the words for a user in a refusal.
func (t taskChange) name(u identity.User) string {
	if u.ID == t.c.by.ID {
		return "the caller"
	}
	return u.ID
}

// admit completes the check of a right with the answers of directories and resolvers. It rejects an excluded owner and
// one that has lost the membership, and releases their place. It rejects an unfit delegate; the place stays.
func (t taskChange) admit(r *right) error {
	holder, why, err := t.at().fit(r.owner.User, false)
	switch {
	case err != nil:
		return err
	case why != nil:
		return t.release(r.owner.ID, t.isExcluded(why))
	}
	if err := t.recheck(r.owner.User); err != nil {
		return err
	}
	r.holder, r.actor = holder, holder
	if r.owner.ID != t.c.by.ID {
		r.actor, err = t.admitDelegate(r.owner)
	}
	return err
}

// admitDelegate returns the caller as fit to act for the owner of a place: mayActFor permits it, the directory has not
// disabled them, and no exclude rule yields them.
func (t taskChange) admitDelegate(owner approver.Approver) (who approver.Fit, err error) {
	if err := t.mayActFor(owner); err != nil {
		return who, err
	}
	if err := t.requireEnabled(t.c.by.User); err != nil {
		return who, err
	}
	who, why, err := t.at().fit(t.c.by.User, t.task.Rescue || t.placerOf(owner) != nil)
	if err == nil && why != nil {
		err = t.isExcluded(why)
	}
	return who, err
}

// mayActFor refuses the caller as the delegate of the owner of a place, as far as it follows from the request: a
// delegate is a person without a part that excludes them, did not place the owner by a rescue, and has and had neither
// a place nor another act in the stage run.
func (t taskChange) mayActFor(owner approver.Approver) error {
	placer := t.placerOf(owner)
	_, why := t.at().bars(t.task.Rescue || placer != nil).Check(t.c.by.User)
	id := t.c.by.ID
	switch {
	case t.c.by.Kind != identity.ActorUser:
		return refusal.New(reason.Forbidden, "a delegate is a person: %s is not", id)
	case why != nil:
		return t.isExcluded(why)
	case placer != nil && placer.ID == id && !t.c.def.Settings.AdminOverride:
		return refusal.New(reason.Forbidden, "the caller assigned the rescue task %s and may not decide it", t.task.ID)
	case t.run.entry(id) >= 0 || slices.Contains(t.run.Former, id) || t.actedOnOther(id):
		return refusal.New(reason.WrongState,
			"the caller has or had a place or another task in stage %s and may not act for others there", t.run.Key)
	}
	return nil
}

// placerOf returns the admin that gave the task to the owner as a rescue; nil for none.
func (t taskChange) placerOf(owner approver.Approver) *identity.User {
	return cmp.Or(owner.PlacedBy, t.task.PlacedBy)
}

// requireEnabled refuses a delegate that the directory lacks or has disabled, according to settings.membership_recheck.
func (t taskChange) requireEnabled(u identity.User) error {
	mode := t.c.def.Settings.MembershipRecheck
	if !t.c.finder.Directory || t.c.facts.TrustMembership || mode == policy.RecheckNone {
		return nil
	}
	q := approver.ExistingUsers(u.ID)
	q.MaxAge = recheckAge(mode)
	found, failure := t.c.finder.Ask(q)
	switch {
	case failure != nil && mode == policy.RecheckStrict:
		return reason.NoAnswer("delegate %s: %s", u.ID, failure.Message)
	case failure != nil:
		t.c.stale = true
		return nil
	case len(found) == 0:
		return refusal.New(reason.Forbidden, "the delegate %s is unknown to the directory or disabled", u.ID)
	}
	return nil
}

// isExcluded returns the refusal of an act for the exclusion of the caller or of the owner of the place.
func (t taskChange) isExcluded(why *approver.Exclusion) error {
	return refusal.New(reason.Forbidden, "%s is excluded from task %s: %s", t.name(why.User), t.task.ID, why.Reason)
}

// refuseExcluded rejects an act for a user excluded from approving the stage by their part in the request. The exclude
// rules are left to admit, which releases the place.
func (t taskChange) refuseExcluded(owner identity.User) error {
	if _, why := t.at().parts(false).Check(owner); why != nil {
		return t.isExcluded(why)
	}
	return nil
}

// actedOnOther reports whether a user holds, has claimed or has decided another task of the run.
func (t taskChange) actedOnOther(id string) bool {
	others := slices.DeleteFunc(t.run.tasksOf(t.c.req.Tasks), func(other Task) bool { return other.ID == t.task.ID })
	return t.run.occupants(others)[id]
}

// Actions returns the actions available to the person on the request.
func (c Case) Actions(by identity.Actor) []string {
	r := c.Request
	by.Owner = by.Owner || c.Owner
	actions := []string{}
	party := r.isParty(by.ID)
	if !r.Status.Final() && (party || by.Has(identity.RoleAdmin)) {
		actions = append(actions, "cancel")
	}
	if r.Status == RequestChangesRequested && party {
		actions = append(actions, "resubmit")
	}
	if r.Standing.Stands() && RequirePerson(by) == nil && r.mayRevoke(by) {
		actions = append(actions, "revoke")
	}
	if r.Standing == StandingInForce && c.Definition.Settings.SingleUse && r.mayConsume(c.Definition, by) {
		actions = append(actions, "consume")
	}
	return actions
}

// TaskActions returns the actions available to the person on a task, based on the request alone.
// The request contains at least the tasks of the task's run.
func (c Case) TaskActions(t Task, run StageRun, by identity.Actor) []string {
	actions := []string{}
	at := c.onTask(t, run, by)
	switch {
	case c.Request.Overdue(c.Now) || RequirePerson(by) != nil:
		return actions
	case t.Decision != nil && at.mayWithdraw() == nil:
		return append(actions, "withdraw")
	case !t.Status.live():
		return actions
	}
	owner, err := at.mayAct("")
	decides := err == nil && (owner.owner.ID == by.ID || at.mayActFor(owner.owner) == nil)
	if decides && !t.hasClaim(by.ID) {
		actions = append(actions, "claim")
	}
	if decides {
		actions = append(actions, "decide")
	}
	if t.Status == TaskClaimed && at.mayUnclaim() == nil {
		actions = append(actions, "unclaim")
	}
	if at.mayReassign() == nil && (at.reassignsToAnyone() || len(at.receivers()) > 0) {
		actions = append(actions, "reassign")
	}
	return actions
}

// OnBehalfOf returns the delegator for whom the person may act on an open task; nil for their own acts and without a
// right.
func (c Case) OnBehalfOf(t Task, run StageRun, by identity.Actor) *identity.User {
	if !t.Status.live() {
		return nil
	}
	owner, ok := c.onTask(t, run, by).principal("")
	if !ok || owner.ID == by.ID {
		return nil
	}
	return &owner
}

// Receivers returns the approvers eligible for reassignment of the task, based on the request
// alone. The request contains at least the tasks of the run.
func (c Case) Receivers(t Task, run StageRun) []identity.User {
	return c.onTask(t, run, identity.Actor{}).receivers()
}

// onTask returns the rights of a caller on a task without the facts of a transition.
func (c Case) onTask(t Task, run StageRun, by identity.Actor) taskChange {
	all := &change{req: c.Request, def: c.Definition, by: by, facts: Facts{At: c.Now, Delegations: c.Delegations}}
	return all.onRun(&run).onTask(&t)
}
