package wf

import (
	"fmt"
	"slices"
)

// change is a transition in progress: a copy of the request, and the events that
// the transition has caused so far.
type change struct {
	Request
	def      Definition
	w        World
	by       Actor
	reason   string // of the event being noted
	because  StatusReason
	starting bool // the caller waits for the request to start, and may be refused
	events   []Event
}

// begin starts a transition on a copy.
func (r Request) begin(def Definition, by Actor, w World) *change {
	r.Stages, r.Tasks = slices.Clone(r.Stages), slices.Clone(r.Tasks)
	return &change{Request: r, def: def, w: w, by: by}
}

// onTask starts a transition on one task.
func (r Request) onTask(def Definition, id string, by Actor, w World) (*change, *Task, *StageRun, error) {
	c := r.begin(def, by, w)
	for i := range c.Tasks {
		if task := &c.Tasks[i]; task.ID == id {
			return c, task, c.run(task), nil
		}
	}
	return nil, nil, nil, Refuse(TaskNotFound, "no task %s", id)
}

// run returns the run that a task belongs to.
func (c *change) run(t *Task) *StageRun {
	for i := range c.Stages {
		if run := &c.Stages[i]; run.Key == t.StageKey && run.Run == t.StageRun {
			return run
		}
	}
	panic(fmt.Sprintf("task %s belongs to no run of its request", t.ID))
}

// live refuses to touch a task that has ended.
func (c *change) live(t *Task, run *StageRun) error {
	switch {
	case c.Status.Final() || c.Status == ChangesRequested:
		return Refuse(WrongState, "request %s is %s", c.ID, c.Status)
	case !run.Status.running():
		return Refuse(WrongState, "stage %s is already %s", run.Key, run.Status)
	case !t.Status.live():
		return Refuse(WrongState, "task %s is %s", t.ID, t.Status)
	default:
		return nil
	}
}

// note records that something happened. run and task may be nil.
func (c *change) note(kind EventType, run *StageRun, task *Task) {
	e := Event{
		ID: c.w.NewID(), Type: kind, At: Stamp{c.w.At}, Actor: c.by.Ref(), Auth: c.by.Auth, Client: c.by.Client,
		Resource: Resource{Type: "request", ID: c.ID}, RequestID: c.ID, Request: c.Brief(), Reason: c.reason,
	}
	if run != nil {
		e.Stage = &StageNote{Key: run.Key, Run: run.Run, Status: run.Status, Skip: run.Skip}
		e.Resource = Resource{Type: "stage", ID: run.ID}
	}
	if task != nil {
		e.Task = &TaskNote{
			ID: task.ID, Kind: task.Kind, StageKey: task.StageKey, Seat: task.Seat, Status: task.Status,
			Assignee: task.Assignee, OnBehalfOf: task.OnBehalfOf, ReassignedFrom: task.ReassignedFrom, CloseReason: task.CloseReason,
		}
		if kind == TaskDecided {
			e.Decision = task.Decision
		}
		e.Resource = Resource{Type: "task", ID: task.ID}
	}
	c.events = append(c.events, e)
}

// done links the events to the request's chain and returns the changed copy. A
// transition without an event has changed nothing.
func (c *change) done() (Request, []Event, error) {
	if len(c.events) == 0 {
		return c.Request, nil, nil
	}
	for i, e := range c.events {
		var err error
		if c.Chain, c.events[i], err = c.Chain.Append(e); err != nil {
			return c.Request, nil, err
		}
	}
	c.UpdatedAt = c.w.At
	c.Rev++
	return c.Request, c.events, nil
}

// enter adds a pending run of every stage, but of those whose last run is kept.
func (c *change) enter(keep func(last StageRun) bool) {
	for _, stage := range c.def.Stages {
		last, ran := c.latest(stage.Key)
		if ran && keep(last) {
			continue
		}
		c.Stages = append(c.Stages, StageRun{
			ID: c.w.NewID(), Key: stage.Key, Name: stage.Name, Run: last.Run + 1,
			Status: StagePending, ParallelGroup: stage.ParallelGroup,
		})
	}
}

// advance judges the running stages and starts those that are reached, until
// people have to decide or the request ends.
func (c *change) advance() error {
	for {
		for i := range c.Stages {
			if run := &c.Stages[i]; run.Status.running() {
				c.judge(run)
			}
		}
		pending, over := c.frontier()
		switch {
		case c.because.Code != "" && c.hasRejected():
			c.finish(WasRejected, c.because)
			return nil
		case over:
			return c.conclude()
		case len(pending) == 0:
			c.settle()
			return nil
		}
		for _, run := range pending {
			if err := c.start(run); err != nil {
				return err
			}
		}
	}
}

// frontier returns the runs to start now, and whether all stages are over.
func (c *change) frontier() (pending []*StageRun, over bool) {
	for _, group := range c.def.groups() {
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

func (c *change) current(stage string) *StageRun {
	for i := len(c.Stages) - 1; i >= 0; i-- {
		if c.Stages[i].Key == stage {
			return &c.Stages[i]
		}
	}
	panic("stage " + stage + " has no run")
}

func (c *change) hasRejected() bool {
	return slices.ContainsFunc(c.def.Stages, func(s Stage) bool { return c.current(s.Key).Status == StageRejected })
}

// conclude ends a request whose stages are all over.
func (c *change) conclude() error {
	skipped := !slices.ContainsFunc(c.def.Stages, func(s Stage) bool { return c.current(s.Key).Status != StageSkipped })
	reason := StatusReason{Code: BecauseQuorumMet}
	if c.because.Code == BecauseOverride {
		reason = c.because
	}
	if !skipped {
		c.finish(WasApproved, reason)
		return nil
	}
	reason = StatusReason{Code: BecauseNoStageApplies}
	c.by = SystemPolicy
	switch c.def.Settings.OnNoStages {
	case NoStagesApprove:
		c.finish(WasApproved, reason)
	case NoStagesReject:
		c.finish(WasRejected, reason)
	default:
		return Refuse(EngineRefused, "no stage of policy %s applies to this request", c.PolicyKey)
	}
	return nil
}

// settle brings the request's status in line with its running stages.
func (c *change) settle() {
	var blocked *StageRun
	for i := range c.Stages {
		if c.Stages[i].Status == StageBlocked {
			blocked = &c.Stages[i]
			break
		}
	}
	switch {
	case blocked != nil && c.Status != Blocked:
		c.Status = Blocked
		code := BecauseNoApprovers
		if c.because.Code == BecauseQuorumUnreachable {
			code = BecauseQuorumUnreachable
		}
		c.StatusReason = &StatusReason{Code: code, StageKey: blocked.Key, Message: blocked.LastError}
		c.note(RequestBlocked, nil, nil)
	case blocked == nil && c.Status == Blocked:
		c.Status, c.StatusReason = InReview, nil
		c.note(RequestUnblocked, nil, nil)
	}
}

// start opens a stage that is reached: it may be skipped, or find nobody.
func (c *change) start(run *StageRun) error {
	stage, _ := c.def.Stage(run.Key)
	plan, err := c.w.Plan(c.Request, stage)
	if err != nil {
		return err
	}
	if plan.Problem != "" && c.starting {
		return Refuse(EngineRefused, "stage %s: %s", run.Key, plan.Problem)
	}
	run.LastError = plan.Problem
	if plan.Skip != nil {
		c.skip(run, *plan.Skip)
		return nil
	}
	seats, enough := c.seats(run, stage, plan.Rules, plan.Delegations)
	onEmpty := stage.OnEmpty
	if !enough && onEmpty == EmptyFallback {
		run.Fallback, onEmpty = true, EmptyBlock
		seats, enough = c.seats(run, stage, [][]User{plan.Fallback}, plan.Delegations)
	}
	if limit := c.overLimit(run, seats); limit != "" {
		if c.starting {
			return Refuse(EngineRefused, "stage %s: %s", run.Key, limit)
		}
		run.LastError, seats, enough, onEmpty = limit, nil, false, EmptyBlock
	}
	if !enough {
		switch onEmpty {
		case EmptySkip:
			c.skip(run, Skip{Reason: "empty"})
			return nil
		case EmptyReject:
			c.because = StatusReason{Code: BecauseStageEmpty, StageKey: run.Key}
			c.end(run, StageRejected, ClosedStageRejected)
			c.note(StageWasRejected, run, nil)
			return nil
		}
	}
	run.Status, run.StartedAt = StageActive, c.w.At
	c.note(StageStarted, run, nil)
	for i := range seats {
		c.Tasks = append(c.Tasks, seats[i])
		c.note(TaskCreated, run, &seats[i])
	}
	if c.def.Settings.RepeatApprover == RepeatAutoApprove {
		c.repeat(run)
	}
	if !enough {
		c.block(run)
	}
	return nil
}

func (c *change) skip(run *StageRun, why Skip) {
	run.Status, run.Skip, run.CompletedAt = StageSkipped, &why, c.w.At
	c.note(StageWasSkipped, run, nil)
}

func (c *change) overLimit(run *StageRun, seats []Task) string {
	switch {
	case len(seats) > maxSeats && run.Need > 0:
		return fmt.Sprintf("%d approvals needed, and a pool takes at most %d", len(seats), maxSeats)
	case len(seats) > maxSeats:
		return fmt.Sprintf("%d approvers, and each takes at most %d; use assignment pool", len(seats), maxSeats)
	case len(run.People) > maxPool:
		return fmt.Sprintf("%d candidates, and a pool takes at most %d", len(run.People), maxPool)
	default:
		return ""
	}
}

// seats resolves who may hold the seats of a run and makes the tasks. It reports
// whether there are people enough for the quorum.
func (c *change) seats(run *StageRun, stage Stage, rules [][]User, delegations []Delegation) ([]Task, bool) {
	run.People, run.Excluded = nil, nil
	for _, person := range union(rules) {
		if why := c.unfit(person.User, run); why != "" {
			run.Excluded = append(run.Excluded, Exclusion{User: person.User, Reason: why})
			continue
		}
		run.People = append(run.People, person)
	}
	c.delegate(run, stage, delegations)
	var tasks []Task
	if stage.Assignment == Pool {
		tasks = c.pool(run, stage)
	} else {
		tasks = c.each(run, stage)
	}
	ballot := c.ballot(run, stage, tasks)
	c.starve(run, tasks, &ballot)
	return tasks, ballot.met(true)
}

// each makes a task for every person.
func (c *change) each(run *StageRun, stage Stage) []Task {
	var tasks []Task
	for _, person := range run.People {
		if person.Shared {
			continue
		}
		t := c.task(run, len(tasks)+1)
		t.Assignee, t.Owner, t.Rules = &person.User, &person.User, person.Rules
		t.OnBehalfOf, t.DelegationID = person.OnBehalfOf, person.DelegationID
		if i := slices.IndexFunc(run.People, func(a Approver) bool { return a.Shared && a.OnBehalfOf.ID == person.ID }); i >= 0 {
			t.SharedWith, t.DelegationID = &run.People[i].User, run.People[i].DelegationID
		}
		t.Required = !run.Fallback && slices.ContainsFunc(person.Rules, func(rule int) bool { return stage.Approvers[rule].Required })
		tasks = append(tasks, t)
	}
	return tasks
}

// delegate puts delegates in the place of those whom they stand in for. It never
// makes the people of a stage fewer: a delegate who has a seat himself gets no
// second one.
func (c *change) delegate(run *StageRun, stage Stage, delegations []Delegation) {
	hops := c.def.Settings.Hops(stage)
	if hops == 0 || len(delegations) == 0 {
		return
	}
	here := map[string]bool{}
	for _, person := range run.People {
		here[person.ID] = true
	}
	covers := func(d Delegation) bool { return d.covers(c.w.At, c.PolicyKey, run.Key, c.ArtifactType) }
	fit := func(u User) bool { return !here[u.ID] && c.unfit(u, run) == "" }
	for i, person := range slices.Clone(run.People) {
		d, ok := route(person.User, delegations, hops, covers, fit)
		if !ok {
			if slices.ContainsFunc(delegations, func(d Delegation) bool { return d.User.ID == person.ID && covers(d) }) {
				c.note(DelegationNotApplied, run, nil)
			}
			continue
		}
		here[d.DelegateTo.ID] = true
		stand := Approver{User: d.DelegateTo, Rules: person.Rules, OnBehalfOf: &person.User, DelegationID: d.ID}
		if d.Mode == Share {
			stand.Shared = true
			run.People = append(run.People, stand)
		} else {
			run.People[i] = stand
		}
	}
}

// pool makes as many unassigned tasks as approvals are needed: one for every
// approval that a rule needs, for its people alone, and the rest for anyone.
func (c *change) pool(run *StageRun, stage Stage) []Task {
	people := 0
	for _, person := range run.People {
		if !person.Shared {
			people++
		}
	}
	run.Need = stage.Quorum.need(people)
	var tasks []Task
	for rule, least := range c.minimums(run, stage) {
		for range least {
			t := c.task(run, len(tasks)+1)
			t.Slot = rule
			tasks = append(tasks, t)
		}
	}
	for len(tasks) < run.Need {
		tasks = append(tasks, c.task(run, len(tasks)+1))
	}
	return tasks
}

func (c *change) task(run *StageRun, seat int) Task {
	return Task{
		ID: c.w.NewID(), RequestID: c.ID, StageKey: run.Key, StageRun: run.Run, Seat: seat,
		Kind: ApproverTask, Status: TaskOpen, Slot: freeSlot, CreatedAt: c.w.At, UpdatedAt: c.w.At, Rev: 1,
	}
}

// repeat fills the seats of those who approved an earlier stage.
func (c *change) repeat(run *StageRun) {
	caller := c.by
	c.by = SystemRepeat
	for i := range c.Tasks {
		task := &c.Tasks[i]
		if c.run(task) != run || task.Status != TaskOpen || task.Assignee == nil || !c.approvedElsewhere(task.Assignee.ID, run) {
			continue
		}
		d := c.decision(*task, DecisionInput{ID: c.w.NewID(), Action: Approve}, false)
		d.Source = "system"
		*task = task.decided(d)
		c.note(TaskDecided, run, task)
	}
	c.by = caller
}

func (c *change) minimums(run *StageRun, stage Stage) []int {
	if run.Fallback {
		return nil
	}
	return stage.minimums()
}

// ballot returns what the quorum judges: the seats among tasks that belong to run.
func (c *change) ballot(run *StageRun, stage Stage, tasks []Task) Ballot {
	b := Ballot{Quorum: stage.Quorum, Rejection: stage.Rejection, Minimums: c.minimums(run, stage)}
	if stage.Assignment == Pool {
		b.Quorum.Mode, b.Quorum.Value = QuorumCount, run.Need
	}
	var possible []int
	for _, person := range run.People {
		for _, rule := range person.Rules {
			if !slices.Contains(possible, rule) {
				possible = append(possible, rule)
			}
		}
	}
	for _, t := range tasks {
		if t.StageKey == run.Key && t.StageRun == run.Run && t.counted() {
			b.Seats = append(b.Seats, t.seat(possible))
		}
	}
	return b
}

// starve counts the open seats of a pool that nobody is left to claim as lost, and
// reports whether there are any: too few candidates at the start, or candidates who
// may approve one stage alone and are taken by a parallel one.
func (c *change) starve(run *StageRun, tasks []Task, b *Ballot) bool {
	if run.Need == 0 {
		return false
	}
	var free [][]int // the rules of each candidate who has no seat
	for _, person := range run.People {
		if !person.Shared && !c.spent(person, run) && c.unfit(person.User, run) == "" {
			free = append(free, person.Rules)
		}
	}
	var slots, kept, open []int // kept and open: numbers of seats, in the ballot
	seat := 0
	for _, t := range tasks {
		if t.StageKey != run.Key || t.StageRun != run.Run || !t.counted() {
			continue
		}
		if t.Status.live() && t.Assignee == nil {
			if t.Slot == freeSlot {
				open = append(open, seat)
			} else {
				slots, kept = append(slots, t.Slot), append(kept, seat)
			}
		}
		seat++
	}
	left := len(free)
	starved := false
	lose := func(seat int) { b.Seats[seat].State, starved = SeatLost, true }
	for i, filled := range fill(slots, free) {
		if filled {
			left--
		} else {
			lose(kept[i])
		}
	}
	for i, seat := range open {
		if i >= left {
			lose(seat)
		}
	}
	return starved
}

// judge draws the outcome of a running stage from its seats.
func (c *change) judge(run *StageRun) {
	stage, _ := c.def.Stage(run.Key)
	ballot := c.ballot(run, stage, c.Tasks)
	run.Count = ballot.Count()
	starved := c.starve(run, c.Tasks, &ballot)
	switch verdict := ballot.Judge(); verdict {
	case Approved:
		c.end(run, StageApproved, ClosedQuorumMet)
		c.note(StageWasApproved, run, nil)
	case Rejected:
		c.because = StatusReason{Code: BecauseVeto, StageKey: run.Key}
		if stage.Rejection.Mode == RejectCount {
			c.because.Code = BecauseRejectThreshold
		}
		c.end(run, StageRejected, ClosedStageRejected)
		c.note(StageWasRejected, run, nil)
	case Unreachable:
		switch {
		case run.Status == StageBlocked:
			c.block(run)
		case starved || stage.Rejection.OnUnreachable == UnreachableBlock:
			if !starved {
				c.because = StatusReason{Code: BecauseQuorumUnreachable, StageKey: run.Key}
			}
			c.block(run)
		default:
			c.because = StatusReason{Code: BecauseQuorumUnreachable, StageKey: run.Key}
			c.end(run, StageRejected, ClosedStageRejected)
			c.note(StageWasRejected, run, nil)
		}
	default:
		switch {
		case run.Status != StageBlocked:
		case ballot.met(true):
			run.Status = StageActive
			c.closeTasks(run, TaskSkipped, ClosedRescued, func(t Task) bool { return t.Kind == RescueTask })
		default: // it waits for all, and has too few still
			c.block(run)
		}
	}
}

// block stops a stage until an admin finds people: one rescue task asks for them.
func (c *change) block(run *StageRun) {
	run.Status = StageBlocked
	seats := 0
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if t.StageKey != run.Key || t.StageRun != run.Run {
			continue
		}
		seats = max(seats, t.Seat)
		if t.Kind == RescueTask && t.Status.live() {
			return
		}
	}
	t := c.task(run, seats+1)
	t.Kind = RescueTask
	c.Tasks = append(c.Tasks, t)
	c.note(TaskCreated, run, &t)
}

// force gives a stage the outcome that an admin has decided.
func (c *change) force(run *StageRun, action Action) {
	c.because = StatusReason{Code: BecauseOverride, StageKey: run.Key}
	status, kind := StageApproved, StageWasApproved
	if action == Reject {
		status, kind = StageRejected, StageWasRejected
	}
	c.note(RequestOverridden, run, nil)
	c.end(run, status, ClosedOverride)
	c.note(kind, run, nil)
}

// sendBack returns the request to the requester.
func (c *change) sendBack(run *StageRun) {
	c.stop(StageCancelled, TaskCancelled, ClosedChangesRequested)
	c.Status, c.StatusReason = ChangesRequested, nil
	c.note(RequestChangesRequested, run, nil)
}

// finish ends the request: nothing of it stays open.
func (c *change) finish(status RequestStatus, why StatusReason) {
	kind := map[RequestStatus]EventType{
		WasApproved: RequestApproved, WasRejected: RequestRejected, WasCancelled: RequestCancelled, HasExpired: RequestExpired,
	}[status]
	switch status {
	case WasCancelled:
		c.stop(StageCancelled, TaskCancelled, ClosedRequestCancelled)
	case HasExpired:
		c.stop(StageExpired, TaskCancelled, ClosedRequestExpired)
	default:
		c.stop(StageCancelled, TaskSkipped, ClosedStageRejected)
	}
	c.Status, c.StatusReason, c.CompletedAt = status, &why, c.w.At
	c.note(kind, nil, nil)
}

// stop ends every stage that is not over, with its tasks.
func (c *change) stop(status StageStatus, tasks TaskStatus, reason CloseReason) {
	for i := range c.Stages {
		run := &c.Stages[i]
		if run.Status != StagePending && !run.Status.running() {
			continue
		}
		c.closeTasks(run, tasks, reason, func(Task) bool { return true })
		run.Status, run.CompletedAt = status, c.w.At
	}
}

// end gives a stage its outcome; what nobody has decided by then is skipped.
func (c *change) end(run *StageRun, status StageStatus, reason CloseReason) {
	run.Status, run.CompletedAt = status, c.w.At
	c.closeTasks(run, TaskSkipped, reason, func(Task) bool { return true })
}

func (c *change) closeTasks(run *StageRun, status TaskStatus, reason CloseReason, which func(Task) bool) {
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if t.StageKey == run.Key && t.StageRun == run.Run && t.Status.live() && which(*t) {
			*t = t.closed(status, reason, c.w.At)
			c.note(TaskClosed, run, t)
		}
	}
}

// parties returns requester or submitter when u is one of them.
func (c *change) parties(u User) ExclusionReason {
	switch u.ID {
	case c.Requester.ID:
		return ExcludedRequester
	case c.SubmittedBy.ID:
		return ExcludedSubmitter
	default:
		return ""
	}
}

// unfit says why a person may not hold a seat of the run; empty when he may.
func (c *change) unfit(u User, run *StageRun) ExclusionReason {
	if why := c.parties(u); why != "" && !c.def.Settings.RequesterMayApprove {
		return why
	}
	if c.def.Settings.RepeatApprover == RepeatExclude && (c.approvedElsewhere(u.ID, run) || !c.holds(u.ID, run) && c.holdsElsewhere(u.ID, run)) {
		return ExcludedRepeat
	}
	return ""
}

// approvedElsewhere reports whether the person approved another stage, in the run
// that counts.
func (c *change) approvedElsewhere(id string, run *StageRun) bool {
	return slices.ContainsFunc(c.Tasks, func(t Task) bool {
		return t.StageKey != run.Key && t.Decision != nil && t.Decision.Action == Approve && t.person() == id &&
			c.current(t.StageKey).Run == t.StageRun
	})
}

// holdsElsewhere reports whether the person has a task in a parallel stage.
func (c *change) holdsElsewhere(id string, run *StageRun) bool {
	return slices.ContainsFunc(c.Tasks, func(t Task) bool {
		return t.StageKey != run.Key && t.Status.live() && t.Assignee != nil && t.Assignee.ID == id
	})
}

// holds reports whether the person himself has a task of the run in hand.
func (c *change) holds(id string, run *StageRun) bool {
	return slices.ContainsFunc(c.Tasks, func(t Task) bool {
		return t.StageKey == run.Key && t.StageRun == run.Run && t.Status.live() && t.Assignee != nil && t.Assignee.ID == id
	})
}

// seated reports whether a seat of the run takes up the person's voice.
func (c *change) seated(id string, run *StageRun) bool {
	return slices.ContainsFunc(c.Tasks, func(t Task) bool {
		return t.StageKey == run.Key && t.StageRun == run.Run && t.seats(id)
	})
}

// spent reports whether a candidate may take no seat of the run any more: he has
// one, or the person for whom he stands in has.
func (c *change) spent(a Approver, run *StageRun) bool {
	return c.seated(a.ID, run) || c.seated(a.mandate(), run)
}
