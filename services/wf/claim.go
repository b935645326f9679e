package wf

import (
	"slices"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Claim claims a task. It is idempotent for the holder of a claimed task.
func (r Request) Claim(def policy.Definition, taskID string, by identity.Actor, f Facts) (Request, []Event, error) {
	return r.onTask(def, taskID, by, f, (*change).claim)
}

func (c *change) claim(task *Task, run *StageRun) error {
	right, err := c.mayAct(task, run)
	if err != nil {
		return err
	}
	if task.Status == TaskClaimed && task.HeldBy(c.by.ID) {
		return nil
	}
	if err := c.recheck(task, run, right.owner.ID); err != nil {
		return err
	}
	c.take(task, run, right)
	return c.advance() // in a pool, others may claim the remaining tasks
}

// take assigns the task to the actor, according to their right.
func (c *change) take(task *Task, run *StageRun, right right) {
	switch {
	case right.queue:
		*task = task.taken(c.by.User, right.owner, c.facts.At)
	case right.back:
		*task = task.returned(c.facts.At).claimed(c.facts.At)
		c.setStandIn(run, right.owner.ID, nil)
	case right.final:
		c.handOver(task, run)
		*task = task.claimed(c.facts.At)
	default:
		*task = task.claimed(c.facts.At)
	}
	c.note(audit.EventTaskClaimed, run, task)
}

// right is the authority to act on a task.
type right struct {
	owner approver.Approver // approver represented by the actor; must still be an approver
	queue bool              // the task is unassigned and in a pool
	back  bool              // the owner reclaims it after the end of a delegation
	final bool              // the delegate has the task permanently
}

// mayAct returns the actor's right to claim or decide a task. It rejects an unrelated person with
// Forbidden. It rejects a related person without a present right as a state conflict.
func (c *change) mayAct(task *Task, run *StageRun) (right, error) {
	id := c.by.ID
	if !task.HeldBy(id) && !(task.OnBehalfOf != nil && task.OnBehalfOf.ID == id) && !(run.Pool && run.Concerns(id)) && !task.formerly(id) {
		if task.vacant() {
			return right{}, refusal.New(reason.Forbidden, "task %s waits for an admin to reassign it", task.ID)
		}
		return right{}, refusal.New(reason.Forbidden, "the caller is not the assignee of task %s, nor a candidate for it", task.ID)
	}
	if err := c.live(task, run); err != nil {
		return right{}, err
	}
	switch {
	case task.vacant():
		return right{}, refusal.New(reason.WrongState, "task %s waits for an admin to reassign it", task.ID)
	case task.Assignee == nil:
		return c.mayTake(task, run)
	case task.HeldBy(id):
		return c.holding(task, run)
	case task.OnBehalfOf != nil && task.OnBehalfOf.ID == id:
		return c.mayTakeBack(task, run)
	case task.Status == TaskClaimed:
		return right{}, refusal.New(reason.WrongState, "task %s is already claimed", task.ID)
	default:
		return right{}, refusal.New(reason.WrongState, "task %s is assigned to somebody else", task.ID)
	}
}

// mayTakeBack returns the right of the owner of a task held by a delegate. The owner may act after
// the revocation of the delegation, and after the end of a delegation with return.
func (c *change) mayTakeBack(task *Task, run *StageRun) (right, error) {
	stands := c.delegated(*task, run)
	final := !stands && c.isFinal(*task)
	switch {
	case !stands && !final:
		return right{owner: approver.Approver{User: c.by.User}, back: true}, c.excluded(task, run)
	case run.Pool && stands:
		return right{}, refusal.New(reason.WrongState, "task %s is already claimed", task.ID)
	default:
		return right{}, refusal.New(reason.Forbidden, "%s stands in on task %s", task.Assignee.ID, task.ID)
	}
}

// formerly reports whether the person had the task before it ended.
func (t Task) formerly(id string) bool {
	return !t.Status.live() && (t.Owner != nil && t.Owner.ID == id || t.ReassignedFrom != nil && t.ReassignedFrom.ID == id)
}

// holding returns the right of the holder or sharer of the task.
func (c *change) holding(task *Task, run *StageRun) (right, error) {
	r := right{owner: approver.Approver{User: task.owner()}}
	if err := c.excluded(task, run); err != nil {
		return r, err
	}
	if stand := task.standIn(); stand != nil && stand.ID == c.by.ID && !c.delegated(*task, run) {
		switch final, finishes := c.isFinal(*task), c.mayFinish(*task); {
		case final:
			r.final, r.owner = true, approver.Approver{User: *stand}
		case finishes:
		default:
			return r, refusal.New(reason.Forbidden, "the delegation by which %s stood in on task %s is over", stand.ID, task.ID)
		}
	}
	if c.actedOnOther(task, run) {
		return r, refusal.New(reason.WrongState, "the caller holds or has decided another task of stage %s", run.Key)
	}
	return r, nil
}

// mayTake returns the right to claim an unassigned pool task: as a member of the pool, or as the
// delegate of one.
func (c *change) mayTake(task *Task, run *StageRun) (right, error) {
	id := c.by.ID
	if err := c.excluded(task, run); err != nil {
		return right{}, err
	}
	used := run.used(c.Tasks)
	ballot, _ := c.ballot(run)
	_, takers := ballot.Tasks()
	own := run.entry(id)
	if own >= 0 && run.People[own].Lost {
		return right{}, refusal.New(reason.Forbidden, "the caller is no longer an approver of stage %s", run.Key)
	}
	stands := false
	r := right{queue: true}
	if c.Any(len(run.People), func(i int) bool {
		a := run.People[i]
		if own >= 0 && i != own || own < 0 && !a.Stands(id) || a.Lost {
			return false
		}
		if own < 0 && !c.standsIn(id, a.User, run) {
			return false
		}
		stands, r.owner = true, a
		return !used[id] && !used[a.ID] && a.Counts()&takers != 0 && c.unfit(a.User, run) == ""
	}) {
		return r, nil
	}
	switch {
	case !stands:
		return right{}, refusal.New(reason.Forbidden, "the delegation by which %s stood in for stage %s is over", id, run.Key)
	case used[id]:
		return right{}, refusal.New(reason.WrongState, "the caller holds or has decided a task of stage %s already", run.Key)
	default:
		return right{}, refusal.New(reason.WrongState, "the open tasks of stage %s wait for people of other rules", run.Key)
	}
}

// excluded rejects an actor who is excluded from approving the stage.
func (c *change) excluded(task *Task, run *StageRun) error {
	if why := c.unfit(c.by.User, run); why != "" {
		return refusal.New(reason.Forbidden, "the caller is excluded from task %s: %s", task.ID, why)
	}
	return nil
}

// actedOnOther reports whether the actor has another task of the run in hand, or has
// decided one.
func (c *change) actedOnOther(task *Task, run *StageRun) bool {
	others := slices.DeleteFunc(c.tasksOf(run), func(t Task) bool { return t.ID == task.ID })
	return run.used(others)[c.by.ID]
}

// Unclaim puts a claimed task back: into the queue of its pool, or to its assignee.
func (r Request) Unclaim(def policy.Definition, taskID string, by identity.Actor, f Facts) (Request, []Event, error) {
	return r.onTask(def, taskID, by, f, (*change).unclaim)
}

func (c *change) unclaim(task *Task, run *StageRun) error {
	owner := task.OnBehalfOf != nil && task.OnBehalfOf.ID == c.by.ID
	if !task.HeldBy(c.by.ID) && !owner && !c.by.Has(identity.RoleAdmin) {
		return refusal.New(reason.Forbidden, "the caller is not the assignee of task %s", task.ID)
	}
	if err := c.unexpired(); err != nil {
		return err
	}
	if task.Status != TaskClaimed {
		return refusal.New(reason.WrongState, "task %s is %s, not claimed", task.ID, task.Status)
	}
	over := task.OnBehalfOf != nil && !c.delegated(*task, run)
	final := over && c.isFinal(*task)
	switch {
	case owner && (!over || final) && !c.by.Has(identity.RoleAdmin):
		return refusal.New(reason.Forbidden, "%s stands in on task %s", task.Assignee.ID, task.ID)
	case final:
		c.handOver(task, run)
		*task = task.released(run.Pool, c.facts.At)
	case over && !run.Pool && c.unfit(task.owner(), run) == "":
		*task = task.returned(c.facts.At)
		c.setStandIn(run, task.owner().ID, nil)
	default:
		*task = task.released(run.Pool, c.facts.At)
	}
	c.note(audit.EventTaskUnclaimed, run, task)
	return c.advance()
}
