package wf

import (
	"slices"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// parties returns the reason requester or submitter if the user is one of them.
func (c *change) parties(u identity.User) approver.ExclusionReason {
	switch u.ID {
	case c.Requester.ID:
		return approver.ExcludedRequester
	case c.SubmittedBy.ID:
		return approver.ExcludedSubmitter
	default:
		return ""
	}
}

// unfit returns the reason for excluding a user from the tasks of the run, or an empty reason.
func (c runChange) unfit(u identity.User) approver.ExclusionReason {
	if why := c.parties(u); why != "" && !c.def.Settings.RequesterMayApprove {
		return why
	}
	if c.def.Settings.RepeatApprover == policy.RepeatExclude && (c.approvedElsewhere(u.ID, c.run) || !c.holds(u.ID, c.run) && c.holdsElsewhere(u.ID, c.run)) {
		return approver.ExcludedRepeat
	}
	return ""
}

// approvedElsewhere reports whether the user approved another stage in its last run.
func (r *Request) approvedElsewhere(id string, run *StageRun) bool {
	return slices.ContainsFunc(r.Tasks, func(t Task) bool {
		last, _ := r.LatestRun(t.StageKey)
		return t.StageKey != run.Key && t.Decision != nil && t.Decision.Action == ActionApprove && t.person() == id &&
			last.Run == t.StageRun
	})
}

// holdsElsewhere reports whether the user has a task in a parallel stage.
func (r *Request) holdsElsewhere(id string, run *StageRun) bool {
	return slices.ContainsFunc(r.Tasks, func(t Task) bool {
		return t.StageKey != run.Key && t.Status.live() && t.Assignee != nil && t.Assignee.ID == id
	})
}

// holds reports whether a user holds an open task of the run.
func (r *Request) holds(id string, run *StageRun) bool {
	return slices.ContainsFunc(r.Tasks, func(t Task) bool {
		return run.Owns(t) && t.Status.live() && t.Assignee != nil && t.Assignee.ID == id
	})
}
