package wf

import (
	"slices"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// right is the authority to act on a task.
type right struct {
	owner approver.Approver // approver represented by the actor; must still be an approver
	actor approver.Fit      // of an override; taskChange.admit returns it for the other rights
	queue bool              // the task is unassigned and in a pool
	back  bool              // the owner reclaims it after the end of a delegation
	final bool              // the delegate has the task permanently
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

// mayAct returns the actor's right to claim or decide a task. It rejects an unrelated person with
// Forbidden. It rejects a related person without a present right as a state conflict.
func (c taskChange) mayAct() (right, error) {
	id := c.by.ID
	if !c.task.HeldBy(id) && !(c.task.OnBehalfOf != nil && c.task.OnBehalfOf.ID == id) && !(c.run.Pool && c.run.Concerns(id)) && !c.task.formerly(id) {
		if c.task.vacant() {
			return right{}, refusal.New(reason.Forbidden, "task %s must be reassigned by an admin first", c.task.ID)
		}
		return right{}, refusal.New(reason.Forbidden, "the caller is neither the assignee of task %s nor a candidate for it", c.task.ID)
	}
	if err := c.live(); err != nil {
		return right{}, err
	}
	switch {
	case c.task.vacant():
		return right{}, refusal.New(reason.WrongState, "task %s must be reassigned by an admin first", c.task.ID)
	case c.task.Assignee == nil:
		return c.mayTake()
	case c.task.HeldBy(id):
		return c.holding()
	case c.task.OnBehalfOf != nil && c.task.OnBehalfOf.ID == id:
		return c.mayTakeBack()
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

// mayTakeBack returns the right of the owner of a task held by a delegate. The owner may act after
// the revocation of the delegation, and after the end of a delegation with return.
func (c taskChange) mayTakeBack() (right, error) {
	stands := c.delegated()
	final := !stands && c.isFinal()
	switch {
	case !stands && !final:
		return right{owner: approver.Approver{User: c.by.User}, back: true}, c.refuseExcluded()
	case c.run.Pool && stands:
		return right{}, refusal.New(reason.WrongState, "task %s is already claimed", c.task.ID)
	default:
		return right{}, refusal.New(reason.Forbidden, "%s holds task %s as a delegate", c.task.Assignee.ID, c.task.ID)
	}
}

// holding returns the right of the holder or sharer of the task.
func (c taskChange) holding() (right, error) {
	r := right{owner: approver.Approver{User: c.task.owner()}}
	if err := c.refuseExcluded(); err != nil {
		return r, err
	}
	if stand := c.task.delegate(); stand != nil && stand.ID == c.by.ID && !c.delegated() {
		switch final, finishes := c.isFinal(), c.mayFinish(); {
		case final:
			r.final, r.owner = true, approver.Approver{User: *stand}
		case finishes:
		default:
			return r, refusal.New(reason.Forbidden, "the delegation of task %s to %s has ended", c.task.ID, stand.ID)
		}
	}
	if c.actedOnOther() {
		return r, refusal.New(reason.WrongState, "the caller holds or has decided another task of stage %s", c.run.Key)
	}
	return r, nil
}

// mayTake returns the right to claim an unassigned pool task: as a member of the pool, or as the
// delegate of one.
func (c taskChange) mayTake() (right, error) {
	id := c.by.ID
	if err := c.refuseExcluded(); err != nil {
		return right{}, err
	}
	used := c.run.occupants(c.Tasks)
	ballot, _ := c.ballot()
	_, claimants := ballot.Tasks()
	own := c.run.entry(id)
	if own >= 0 && c.run.People[own].Ineligible {
		return right{}, refusal.New(reason.Forbidden, "the caller is no longer an approver of stage %s", c.run.Key)
	}
	stands := false
	r := right{queue: true}
	if c.Any(len(c.run.People), func(i int) bool {
		a := c.run.People[i]
		if own >= 0 && i != own || own < 0 && !a.HasDelegate(id) || a.Ineligible {
			return false
		}
		if own < 0 && !c.isDelegate(id, a.User) {
			return false
		}
		stands, r.owner = true, a
		return !used[id] && !used[a.ID] && a.Counts()&claimants != 0 && c.parts(false).Admits(a.User)
	}) {
		return r, nil
	}
	switch {
	case !stands:
		return right{}, refusal.New(reason.Forbidden, "the delegation to %s for stage %s has ended", id, c.run.Key)
	case used[id]:
		return right{}, refusal.New(reason.WrongState, "the caller already holds or has decided a task of stage %s", c.run.Key)
	default:
		return right{}, refusal.New(reason.WrongState, "the open tasks of stage %s require approvers of other rules", c.run.Key)
	}
}

// isExcluded returns the refusal of the actor for an exclusion of them or of the owner of their place.
func (c taskChange) isExcluded(why *approver.Exclusion) error {
	if why.User.ID == c.by.ID {
		return refusal.New(reason.Forbidden, "the caller is excluded from task %s: %s", c.task.ID, why.Reason)
	}
	return refusal.New(reason.Forbidden, "%s is excluded from task %s: %s", why.User.ID, c.task.ID, why.Reason)
}

// refuseExcluded rejects an actor who is excluded from approving the stage by their part in the request. The exclude
// rules are left to admit, which releases the place.
func (c taskChange) refuseExcluded() error {
	if _, why := c.parts(false).Check(c.by.User); why != nil {
		return c.isExcluded(why)
	}
	return nil
}

// actedOnOther reports whether the actor holds or has decided another task of the run.
func (c taskChange) actedOnOther() bool {
	others := slices.DeleteFunc(c.run.tasksOf(c.Tasks), func(t Task) bool { return t.ID == c.task.ID })
	return c.run.occupants(others)[c.by.ID]
}
