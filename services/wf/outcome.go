package wf

import (
	"cmp"
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// ballot returns the voters of a run and their seats. Voters of a pool have no seats.
func (c *change) ballot(run *StageRun) (b quorum.Ballot, seats []int) {
	stage := c.stage(run)
	b = quorum.Ballot{Quorum: stage.Quorum, Rejection: stage.Rejection, Minimums: run.Minimums, Pool: run.Pool}
	if run.Pool {
		b.Voters = c.poolVoters(run)
		return b, nil
	}
	tasks := c.tasksOf(run)
	b.Unfilled = run.unfilled(stage, tasks)
	replaced := map[int]bool{}
	for _, t := range tasks {
		replaced[t.Replaces] = true
	}
	for _, t := range tasks {
		if t.counted() {
			v := t.voter()
			v.Replaced = replaced[t.Seat]
			b.Voters, seats = append(b.Voters, v), append(seats, t.Seat)
		}
	}
	return b, seats
}

// unfilled returns the number of required rules without approvers and without a rescue. A lost
// approver keeps the place, so the rule of that approver is not counted.
func (s StageRun) unfilled(stage policy.Stage, tasks []Task) int {
	n := 0
	for i, rule := range stage.Approvers {
		if rule.Required && !slices.ContainsFunc(s.People, func(a approver.Approver) bool { return slices.Contains(a.Rules, i) }) {
			n++
		}
	}
	for _, t := range tasks {
		if t.counted() && t.Rescue && t.Required && t.Added && t.Replaces == 0 {
			n--
		}
	}
	return max(n, 0)
}

// poolVoters returns the voters of a pool, including unassigned rescues.
func (c *change) poolVoters(run *StageRun) []quorum.Voter {
	held := map[string]Task{} // by the id of the owner
	var voters []quorum.Voter
	for _, t := range c.tasksOf(run) {
		switch holder := t.holder(); {
		case t.vacant():
			voters = append(voters, t.voter())
		case holder != "" && (t.Status.live() || t.Decision != nil):
			held[holder] = t
		}
	}
	for _, a := range run.People {
		v := quorum.Voter{State: quorum.VoterFree, Rules: a.Counts(), Added: a.Added}
		t, acts := held[a.ID]
		switch {
		case acts:
			v = t.voter()
			v.Rules, v.Added = a.Counts(), a.Added
		case a.Lost || c.def.Settings.RepeatApprover == policy.RepeatExclude && c.unfit(a.User, run) != "":
			v.State = quorum.VoterLost
		}
		voters = append(voters, v)
	}
	return voters
}

// voter returns the task as a voter.
func (t Task) voter() quorum.Voter {
	v := quorum.Voter{State: t.state(), Rules: quorum.Rules(t.Rules), Required: t.Required, Added: t.Added, Rescue: t.Rescue}
	if t.Rescue {
		v.Rules = quorum.EveryRule
	}
	if t.Decision != nil {
		v.Actor = t.person()
	}
	return v
}

// tasksOf returns the tasks of a run.
func (r *Request) tasksOf(run *StageRun) []Task {
	var tasks []Task
	for _, t := range r.Tasks {
		if run.Owns(t) {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

// judge evaluates a running stage and applies the verdict. An undecided stage then has exactly the
// tasks that it needs.
func (c *change) judge(run *StageRun) {
	stage := c.stage(run)
	ballot, seats := c.ballot(run)
	verdict, rescues := ballot.Settle(cmp.Or(c.votes[run.ID], quorum.CauseOther))
	switch verdict {
	case quorum.VerdictApproved:
		c.finishStage(run, StageApproved, ClosedQuorumMet)
		return
	case quorum.VerdictRejected:
		c.because = StatusReason{Code: rejectionCode(stage, ballot), StageKey: run.Key, Message: c.because.Message}
		c.finishStage(run, StageRejected, ClosedStageRejected)
		return
	}
	for _, rescue := range rescues {
		t := c.newTask(run)
		t.Kind, t.Rescue, t.Added, t.Required = RescueTask, true, true, rescue.Required
		if rescue.Replaces >= 0 && seats != nil {
			t.Replaces = seats[rescue.Replaces]
		}
		c.Tasks = append(c.Tasks, t)
		c.note(audit.EventTaskCreated, run, &t)
	}
	if len(rescues) > 0 {
		ballot, _ = c.ballot(run)
	}
	if run.Pool {
		c.offer(run, ballot)
	}
	run.Count = ballot.Count()
	c.blockOrNot(run)
}

// rejectionCode returns the reason for the rejection of a ballot.
func rejectionCode(stage policy.Stage, b quorum.Ballot) ReasonCode {
	switch {
	case !stage.Rejection.Rejects(b.Count().Rejections):
		return BecauseQuorumUnreachable
	case stage.Rejection.Mode == quorum.RejectionCount:
		return BecauseRejectThreshold
	default:
		return BecauseVeto
	}
}

// offer adjusts the number of unassigned pool tasks to the need. The tasks are equal; eligible
// claimants are computed on demand.
func (c *change) offer(run *StageRun, b quorum.Ballot) {
	want, takers := b.Tasks()
	run.Wanted = int64(takers & (1<<len(c.stage(run).Approvers) - 1)) // #nosec G115 -- at most 50 rules
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if !run.Owns(*t) || t.Kind != ApproverTask || !t.Status.live() || t.Assignee != nil {
			continue
		}
		if want > 0 {
			want--
			continue
		}
		*t = t.closed(TaskSkipped, ClosedNotNeeded, c.facts.At)
		c.note(audit.EventTaskClosed, run, t)
	}
	for range want {
		t := c.newTask(run)
		c.Tasks = append(c.Tasks, t)
		c.note(audit.EventTaskCreated, run, &t)
	}
}

// blockOrNot sets a stage to blocked while it has an unassigned rescue. An understaffed stage
// without a decision is retried automatically.
func (c *change) blockOrNot(run *StageRun) {
	switch {
	case slices.ContainsFunc(c.tasksOf(run), Task.vacant):
		run.Status = StageBlocked
		switch {
		case !c.understaffed(run):
			run.RetryAt = time.Time{}
		case run.RetryAt.IsZero():
			*run = run.lookAgain(c.facts.At, c.facts.At)
		}
	case run.Status == StageBlocked:
		run.Status, run.RetryAt, run.LastError = StageActive, time.Time{}, ""
	}
}

// newTask returns a new open, unassigned task of a run.
func (c *change) newTask(run *StageRun) Task {
	last := 0
	for _, t := range c.tasksOf(run) {
		last = max(last, t.Seat)
	}
	return Task{
		ID: c.ids.next(), RequestID: c.ID, StageKey: run.Key, StageRun: run.Run, Seat: last + 1,
		Kind: ApproverTask, Status: TaskOpen, CreatedAt: c.facts.At, UpdatedAt: c.facts.At, Rev: 1,
	}
}

// force applies the outcome set by an admin.
func (c *change) force(run *StageRun, in DecisionInput) {
	c.because = StatusReason{Code: BecauseOverride, StageKey: run.Key, Message: in.Comment}
	status := StageApproved
	if in.Action == ActionReject {
		status = StageRejected
	}
	c.note(audit.EventRequestOverridden, run, nil)
	c.finishStage(run, status, ClosedOverride)
}

// finishStage gives a stage its outcome, and skips its open tasks.
func (c *change) finishStage(run *StageRun, status StageStatus, reason CloseReason) {
	ballot, _ := c.ballot(run)
	run.Count = ballot.Count()
	run.Count.Open, run.Wanted = 0, 0
	run.Status, run.CompletedAt, run.RetryAt = status, c.facts.At, time.Time{}
	c.closeTasks(run, TaskSkipped, reason)
	kind := audit.EventStageApproved
	if status == StageRejected {
		kind = audit.EventStageRejected
	}
	c.note(kind, run, nil)
}

// closeTasks closes the open tasks of a run.
func (c *change) closeTasks(run *StageRun, status TaskStatus, reason CloseReason) {
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if run.Owns(*t) && t.Status.live() {
			*t = t.closed(status, reason, c.facts.At)
			c.note(audit.EventTaskClosed, run, t)
		}
	}
}
