package wf

import "slices"

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
			c.closeTasks(run, TaskSkipped, ClosedRescued, func(t Task) bool { return !t.counted() })
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

// end gives a stage its outcome; what nobody has decided by then is skipped.
func (c *change) end(run *StageRun, status StageStatus, reason CloseReason) {
	run.Status, run.CompletedAt = status, c.w.At
	c.closeTasks(run, TaskSkipped, reason, func(Task) bool { return true })
	stage, _ := c.def.Stage(run.Key)
	ballot := c.ballot(run, stage, c.Tasks)
	run.Count = ballot.Count()
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
