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
func (c runChange) ballot() (b quorum.Ballot, seats []int) {
	stage := c.stage()
	b = quorum.Ballot{Quorum: stage.Quorum, Rejection: stage.Rejection, Minimums: c.run.Minimums, Pool: c.run.Pool, Veto: stage.Veto()}
	if c.run.Pool {
		b.Voters = c.poolVoters()
		return b, nil
	}
	tasks := c.run.tasksOf(c.Tasks)
	b.Unfilled = c.run.countUnfilled(stage, tasks)
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

// countUnfilled returns the number of required rules without approvers and without a rescue. A lost
// approver keeps the place, so the rule of that approver is not counted.
func (s StageRun) countUnfilled(stage policy.Stage, tasks []Task) int {
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
func (c runChange) poolVoters() []quorum.Voter {
	held := map[string]Task{} // by the id of the owner
	var voters []quorum.Voter
	for _, t := range c.run.tasksOf(c.Tasks) {
		switch holder := t.holder(); {
		case t.vacant():
			voters = append(voters, t.voter())
		case holder != "" && (t.Status.live() || t.Decision != nil):
			held[holder] = t
		}
	}
	for _, a := range c.run.People {
		v := quorum.Voter{State: quorum.VoterFree, Rules: a.Counts(), Added: a.Added}
		t, acts := held[a.ID]
		switch {
		case acts:
			v = t.voter()
			v.Rules, v.Added = a.Counts(), a.Added
		case a.Ineligible || c.def.Settings.RepeatApprover == policy.RepeatExclude && !c.parts(false).Admits(a.User):
			v.State = quorum.VoterIneligible
		}
		voters = append(voters, v)
	}
	return voters
}

// judge evaluates a running stage and applies the verdict. An undecided stage then has exactly the
// tasks that it needs.
func (c runChange) judge() {
	stage := c.stage()
	ballot, seats := c.ballot()
	verdict, rescues := ballot.Settle(cmp.Or(c.votes[c.run.ID], quorum.CauseOther))
	switch verdict {
	case quorum.VerdictApproved:
		c.finishStage(StageApproved, ClosedQuorumMet)
		return
	case quorum.VerdictRejected:
		c.because = StatusReason{Code: rejectionCode(stage, ballot), StageKey: c.run.Key, Message: c.because.Message}
		c.finishStage(StageRejected, ClosedStageRejected)
		return
	}
	for _, rescue := range rescues {
		t := c.newTask()
		t.Kind, t.Rescue, t.Added, t.Required = RescueTask, true, true, rescue.Required
		if rescue.Replaces >= 0 && seats != nil {
			t.Replaces = seats[rescue.Replaces]
		}
		c.Tasks = append(c.Tasks, t)
		c.note(audit.EventTaskCreated, c.run, &t)
	}
	if len(rescues) > 0 {
		ballot, _ = c.ballot()
	}
	if c.run.Pool {
		c.offer(ballot)
	}
	c.run.Count = ballot.Count()
	*c.run = c.run.block(c.Tasks, c.facts.At)
}

// rejectionCode returns the reason for the rejection of a ballot.
func rejectionCode(stage policy.Stage, b quorum.Ballot) ReasonCode {
	switch {
	case b.Vetoed():
		return BecauseVeto
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
func (c runChange) offer(b quorum.Ballot) {
	want, claimants := b.Tasks()
	c.run.Unmet = int64(claimants & (1<<len(c.stage().Approvers) - 1)) // #nosec G115 -- at most 50 rules
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if !c.run.Owns(*t) || t.Kind != ApproverTask || !t.Status.live() || t.Assignee != nil {
			continue
		}
		if want > 0 {
			want--
			continue
		}
		*t = t.close(TaskSkipped, ClosedNotNeeded, c.facts.At)
		c.note(audit.EventTaskClosed, c.run, t)
	}
	for range want {
		t := c.newTask()
		c.Tasks = append(c.Tasks, t)
		c.note(audit.EventTaskCreated, c.run, &t)
	}
}

// newTask returns a new open, unassigned task of a run.
func (c runChange) newTask() Task {
	last := 0
	for _, t := range c.run.tasksOf(c.Tasks) {
		last = max(last, t.Seat)
	}
	return Task{
		ID: c.ids.next(), RequestID: c.ID, StageKey: c.run.Key, StageRun: c.run.Run, Seat: last + 1,
		Kind: ApproverTask, Status: TaskOpen, CreatedAt: c.facts.At, UpdatedAt: c.facts.At, Rev: 1,
	}
}

// finishStage completes a stage and closes its open tasks.
func (c runChange) finishStage(status StageStatus, reason CloseReason) {
	ballot, _ := c.ballot()
	c.run.Count = ballot.Count()
	c.run.Count.Open, c.run.Unmet = 0, 0
	c.run.Status, c.run.CompletedAt, c.run.RetryAt = status, c.facts.At, time.Time{}
	c.closeTasks(TaskSkipped, reason)
	kind := audit.EventStageApproved
	if status == StageRejected {
		kind = audit.EventStageRejected
	}
	c.note(kind, c.run, nil)
}

// closeTasks closes the open tasks of a run.
func (c runChange) closeTasks(status TaskStatus, reason CloseReason) {
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if c.run.Owns(*t) && t.Status.live() {
			*t = t.close(status, reason, c.facts.At)
			c.note(audit.EventTaskClosed, c.run, t)
		}
	}
}

// finish ends the request and closes its open stages and tasks.
func (c *change) finish(status RequestStatus, why StatusReason) {
	kind := map[RequestStatus]audit.EventType{
		RequestApproved: audit.EventRequestApproved, RequestRejected: audit.EventRequestRejected, RequestCancelled: audit.EventRequestCancelled, RequestExpired: audit.EventRequestExpired,
	}[status]
	switch status {
	case RequestCancelled:
		c.stop(StageCancelled, TaskCancelled, ClosedRequestCancelled)
	case RequestExpired:
		c.stop(StageExpired, TaskCancelled, ClosedRequestExpired)
	default:
		c.stop(StageCancelled, TaskSkipped, ClosedStageRejected)
	}
	c.Status, c.StatusReason, c.CompletedAt = status, &why, c.facts.At
	if status == RequestApproved {
		c.Standing = StandingPending.At(c.ValidFrom, c.facts.At)
		length := cmp.Or(c.ValidFor, c.def.Settings.ValidityOrZero().ValidFor)
		c.ValidUntil = policy.EarliestEnd(c.start(), length, c.ValidUntil)
	}
	c.note(kind, nil, nil)
	c.lapse() // an end set by the content may have passed
}

// stop ends every open stage with its tasks.
func (c *change) stop(status StageStatus, tasks TaskStatus, reason CloseReason) {
	for i := range c.Stages {
		run := &c.Stages[i]
		if run.Status != StagePending && run.Status != StageResolving && !run.Status.running() {
			continue
		}
		c.onRun(run).closeTasks(tasks, reason)
		run.Status, run.CompletedAt, run.RetryAt = status, c.facts.At, time.Time{}
		run.Count.Open, run.Unmet = 0, 0
	}
}
