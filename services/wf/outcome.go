package wf

import (
	"cmp"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// ballot returns the voters of a run and their seats. Voters of a pool have no seats. A rescue that is closed as not
// needed replaces no voter.
func (s runChange) ballot() (b quorum.Ballot, seats []int) {
	stage := s.stage()
	b = quorum.Ballot{
		Quorum: stage.Quorum, Rejection: stage.Rejection, Minimums: s.run.Minimums, Pool: s.run.Pool, Veto: stage.Veto(),
	}
	if s.run.Pool {
		b.Voters = s.poolVoters()
		return b, nil
	}
	tasks := s.run.tasksOf(s.c.req.Tasks)
	b.Unfilled = s.run.countUnfilled(stage, tasks)
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
func (s runChange) poolVoters() []quorum.Voter {
	held := map[string]Task{} // by the id of the owner
	var voters []quorum.Voter
	for _, t := range s.run.tasksOf(s.c.req.Tasks) {
		switch holder := t.holder(); {
		case t.vacant():
			voters = append(voters, t.voter())
		case holder != "" && (t.Status.live() || t.Decision != nil):
			held[holder] = t
		}
	}
	for _, a := range s.run.People {
		v := quorum.Voter{State: quorum.VoterFree, Rules: a.Counts(), Added: a.Added}
		t, acts := held[a.ID]
		switch {
		case acts:
			v = t.voter()
			v.Rules, v.Added = a.Counts(), a.Added
		case a.Ineligible || s.c.def.Settings.RepeatApprover == policy.RepeatExclude && !s.parts(false).Admits(a.User):
			v.State = quorum.VoterIneligible
		}
		voters = append(voters, v)
	}
	return voters
}

// judge evaluates a running stage and applies the verdict. An undecided stage then has exactly the
// tasks that it needs.
func (s runChange) judge() {
	stage := s.stage()
	ballot, seats := s.ballot()
	verdict, rescues := ballot.Settle(cmp.Or(s.c.votes[s.run.ID], quorum.CauseOther))
	switch verdict {
	case quorum.VerdictApproved:
		s.finishStage(StageApproved, ClosedQuorumMet)
		return
	case quorum.VerdictRejected:
		s.c.because = StatusReason{Code: rejectionCode(stage, ballot), StageKey: s.run.Key, Message: s.c.because.Message}
		s.finishStage(StageRejected, ClosedStageRejected)
		return
	}
	for _, rescue := range rescues {
		t := s.newTask()
		t.Kind, t.Rescue, t.Added, t.Required = RescueTask, true, true, rescue.Required
		if rescue.Replaces >= 0 && seats != nil {
			t.Replaces = seats[rescue.Replaces]
		}
		s.c.req.Tasks = append(s.c.req.Tasks, t)
		s.c.note(audit.EventTaskCreated, s.run, &t)
	}
	if len(rescues) > 0 {
		ballot, _ = s.ballot()
	}
	if s.run.Pool {
		s.offer(ballot)
	}
	s.run.Count = ballot.Count()
	*s.run = s.run.block(s.c.req.Tasks, s.c.facts.At)
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
func (s runChange) offer(b quorum.Ballot) {
	want, claimants := b.Tasks()
	s.run.Unmet = int64(claimants & (1<<len(s.stage().Approvers) - 1)) // #nosec G115 -- at most 50 rules
	for i := range s.c.req.Tasks {
		t := &s.c.req.Tasks[i]
		if !s.run.Owns(*t) || t.Kind != ApproverTask || !t.Status.live() || t.Assignee != nil {
			continue
		}
		if want > 0 {
			want--
			continue
		}
		*t = t.close(TaskSkipped, ClosedNotNeeded, s.c.facts.At)
		s.c.note(audit.EventTaskClosed, s.run, t)
	}
	for range want {
		t := s.newTask()
		s.c.req.Tasks = append(s.c.req.Tasks, t)
		s.c.note(audit.EventTaskCreated, s.run, &t)
	}
}

// newTask returns a new open, unassigned task of a run.
func (s runChange) newTask() Task {
	last := 0
	for _, t := range s.run.tasksOf(s.c.req.Tasks) {
		last = max(last, t.Seat)
	}
	return Task{
		ID: s.c.ids.next(), RequestID: s.c.req.ID, StageKey: s.run.Key, StageRun: s.run.Run, Seat: last + 1,
		Kind: ApproverTask, Status: TaskOpen, CreatedAt: s.c.facts.At, UpdatedAt: s.c.facts.At, Rev: 1,
	}
}

// finishStage completes a stage and closes its open tasks.
func (s runChange) finishStage(status StageStatus, reason CloseReason) {
	ballot, _ := s.ballot()
	s.run.Count = ballot.Count()
	s.run.Count.Open, s.run.Unmet = 0, 0
	s.run.Status, s.run.CompletedAt, s.run.RetryAt = status, s.c.facts.At, time.Time{}
	s.closeTasks(TaskSkipped, reason)
	kind := audit.EventStageApproved
	if status == StageRejected {
		kind = audit.EventStageRejected
	}
	s.c.note(kind, s.run, nil)
}

// closeTasks closes the open tasks of a run.
func (s runChange) closeTasks(status TaskStatus, reason CloseReason) {
	for i := range s.c.req.Tasks {
		t := &s.c.req.Tasks[i]
		if s.run.Owns(*t) && t.Status.live() {
			*t = t.close(status, reason, s.c.facts.At)
			s.c.note(audit.EventTaskClosed, s.run, t)
		}
	}
}

// finish ends the request and closes its open stages and tasks.
func (c *change) finish(status RequestStatus, why StatusReason) {
	kind := map[RequestStatus]audit.EventType{
		RequestApproved: audit.EventRequestApproved, RequestRejected: audit.EventRequestRejected,
		RequestCancelled: audit.EventRequestCancelled, RequestExpired: audit.EventRequestExpired,
	}[status]
	switch status {
	case RequestCancelled:
		c.stop(StageCancelled, TaskCancelled, ClosedRequestCancelled)
	case RequestExpired:
		c.stop(StageExpired, TaskCancelled, ClosedRequestExpired)
	default:
		c.stop(StageCancelled, TaskSkipped, ClosedStageRejected)
	}
	c.req.Status, c.req.StatusReason, c.req.CompletedAt = status, &why, c.facts.At
	if status == RequestApproved {
		c.req.Standing = StandingPending.At(c.req.ValidFrom, c.facts.At)
		length := cmp.Or(c.req.ValidFor, c.def.Settings.ValidityOrZero().ValidFor)
		c.req.ValidUntil = policy.EarliestEnd(c.req.start(), length, c.req.ValidUntil)
	}
	c.note(kind, nil, nil)
	c.lapse() // an end set by the content may have passed
}

// stop ends every open stage with its tasks.
func (c *change) stop(status StageStatus, tasks TaskStatus, reason CloseReason) {
	for i := range c.req.Stages {
		run := &c.req.Stages[i]
		if run.Status != StagePending && run.Status != StageResolving && !run.Status.running() {
			continue
		}
		c.onRun(run).closeTasks(tasks, reason)
		run.Status, run.CompletedAt, run.RetryAt = status, c.facts.At, time.Time{}
		run.Count.Open, run.Unmet = 0, 0
	}
}

// advance evaluates the running stages and starts the next ones, until decisions are pending or the
// request ends.
func (c *change) advance() error {
	for {
		c.judgeAll()
		pending, over := c.frontier()
		switch {
		case c.because.Code != "" && c.hasRejected():
			c.finish(RequestRejected, c.because)
			return nil
		case over:
			return c.conclude()
		case len(pending) == 0:
			c.updateStatus()
			return nil
		}
		for _, run := range pending {
			if err := c.onRun(run).start(); err != nil {
				return err
			}
		}
	}
}

// judgeAll evaluates the running stages. The end of one releases its approvers for parallel stages,
// so those are evaluated again.
func (c *change) judgeAll() {
	for again := true; again; {
		again = false
		for i := range c.req.Stages {
			if run := &c.req.Stages[i]; run.Status.running() {
				c.onRun(run).judge()
				again = again || !run.Status.running()
			}
		}
	}
}

// frontier returns the runs to start now, and whether all stages are over.
func (c *change) frontier() (pending []*StageRun, over bool) {
	for _, group := range c.def.Groups() {
		open := false
		for _, stage := range group {
			run := c.current(stage.Key)
			switch run.Status {
			case StageApproved, StageSkipped:
			case StagePending:
				pending = append(pending, run)
				open = true
			default:
				open = true
			}
		}
		if open {
			return pending, false
		}
	}
	return nil, true
}

// current returns the last run of a stage. Each stage of the policy has one.
func (c *change) current(stage string) *StageRun { return &c.req.Stages[c.req.indexOfLatest(stage)] }

// enter adds a pending run of every stage whose last run is not kept.
func (c *change) enter(keep func(last StageRun) bool) {
	for _, stage := range c.def.Stages {
		last, ran := c.req.LatestRun(stage.Key)
		if ran && keep(last) {
			continue
		}
		c.req.Stages = append(c.req.Stages, newRun(c.ids.next(), c.def, stage, last.Run+1))
	}
}

// newRun returns a pending run of a stage.
func newRun(id string, def policy.Definition, stage policy.Stage, number int) StageRun {
	return StageRun{
		ID: id, Key: stage.Key, Name: stage.Name, Run: number,
		Status: StagePending, ParallelGroup: stage.ParallelGroup, Pool: stage.Assignment == policy.AssignmentPool,
		Delegable: def.Delegable(stage),
	}
}

func (c *change) hasRejected() bool {
	return slices.ContainsFunc(c.def.Stages, func(s policy.Stage) bool { return c.current(s.Key).Status == StageRejected })
}

// conclude ends a request after its last stage.
func (c *change) conclude() error {
	ran := func(s policy.Stage) bool { return c.current(s.Key).Status != StageSkipped }
	why := StatusReason{Code: BecauseQuorumMet}
	if c.because.Code == BecauseOverride {
		why = c.because
	}
	if slices.ContainsFunc(c.def.Stages, ran) {
		c.finish(RequestApproved, why)
		return nil
	}
	why = StatusReason{Code: BecauseNoStageApplies}
	c.by = identity.SystemPolicy
	switch c.def.Settings.OnNoStages {
	case policy.OnNoStagesApprove:
		c.finish(RequestApproved, why)
	case policy.OnNoStagesReject:
		c.finish(RequestRejected, why)
	default:
		return refusal.New(reason.EngineRefused, "no stage of policy %s applies to this request", c.req.PolicyKey)
	}
	return nil
}

// updateStatus derives the status of the request from its running stages.
func (c *change) updateStatus() {
	i := slices.IndexFunc(c.req.Stages, func(run StageRun) bool { return run.Status == StageBlocked })
	switch {
	case i >= 0 && c.req.Status != RequestBlocked:
		c.req.Status = RequestBlocked
		blocked := c.req.Stages[i]
		code := BecauseNoApprovers
		if c.votes[blocked.ID] != "" {
			code = BecauseQuorumUnreachable
		}
		c.req.StatusReason = &StatusReason{Code: code, StageKey: blocked.Key, Message: blocked.LastError}
		c.note(audit.EventRequestBlocked, nil, nil)
	case i < 0 && c.req.Status == RequestBlocked:
		c.req.Status, c.req.StatusReason = RequestInReview, nil
		c.note(audit.EventRequestUnblocked, nil, nil)
	}
}
