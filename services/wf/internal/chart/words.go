package chart

import (
	"cmp"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
)

// Words holds the labels of one language. Labels with %s or %d are format strings.
type Words struct {
	Version  string                      // name of a policy, number of a version
	Request  string                      // label of the start
	AskedBy  string                      // requester
	Requests map[wf.RequestStatus]string // label of each final status, and of requested changes
	Stages   map[wf.StageStatus]string
	Actions  map[wf.Action]string

	OnlyWhen    string // condition
	Conditional string // of a stage with one that is not shown
	All, One    string
	Count       string // approvals
	Percentage  string
	Required    string // rule
	AtLeast     string // rule, approvals
	Progress    string // approvals, of those needed
	MayTake     string // people
	Waits       string // label of a pending approver
	For         string // owner whom the delegate represents
	Nobody      string // label of a blocked stage without a task holder
	More        string // people
	Observed    string // observers of a stage
	Pool        string // label of a stage with assignment pool

	// Person and Rule return the label of a person and of a rule; nil selects the default.
	Person func(identity.User) string
	Rule   func(wf.Rule) string
}

// name returns the label of a person.
func (w Words) name(u identity.User) string {
	if w.Person != nil {
		return w.Person(u)
	}
	return cmp.Or(u.Name, u.Username, u.ID)
}

// English are the words of English.
var English = Words{
	Version: "%s, version %d", Request: "A request", AskedBy: "Asked by %s",
	Requests: map[wf.RequestStatus]string{
		wf.RequestChangesRequested: "Changes were asked for",
		wf.RequestApproved:         "Approved", wf.RequestRejected: "Rejected", wf.RequestCancelled: "Cancelled", wf.RequestExpired: "Expired",
	},
	Stages: map[wf.StageStatus]string{
		wf.StagePending: "to come", wf.StageResolving: "looking for approvers", wf.StageActive: "now", wf.StageBlocked: "blocked", wf.StageApproved: "approved",
		wf.StageRejected: "rejected", wf.StageSkipped: "skipped", wf.StageExpired: "expired", wf.StageCancelled: "not finished",
	},
	Actions: map[wf.Action]string{
		wf.ActionApprove: "approved", wf.ActionReject: "rejected", wf.ActionAbstain: "abstained", wf.ActionRequestChanges: "asked for changes",
	},
	OnlyWhen: "Only when %s", Conditional: "Only under a condition", All: "All of them approve", One: "One of them approves", Count: "%d of them approve", Percentage: "%d %% of them approve",
	Required: "%s (each must approve)", AtLeast: "%s (at least %d)", Progress: "%d of %d approvals", MayTake: "%d may take it", Waits: "is asked", For: "for %s",
	Nobody: "An admin has to name somebody", More: "and %d more", Pool: "Whoever of them takes it", Observed: "Observed by %s",
}
