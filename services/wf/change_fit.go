package wf

import "slices"

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
