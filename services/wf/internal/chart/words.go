package chart

import (
	"cmp"

	"github.com/countersign/countersign/services/wf"
)

// Words are the words of a language. Those with %s and %d are formats.
type Words struct {
	Version  string                      // name of a policy, number of a version
	Request  string                      // where the way through a policy begins
	AskedBy  string                      // requester
	Requests map[wf.RequestStatus]string // how they end, and that changes were asked for
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
	Waits       string // of somebody who is asked
	For         string // for whom they stand in
	Nobody      string // has a task of a stage that is blocked
	More        string // people
	Observed    string // whom a stage lets read along
	Pool        string // of a stage that whoever takes it decides

	// Person and Rule are what people and rules are called; nil for what they are called
	// everywhere.
	Person func(wf.User) string
	Rule   func(wf.Rule) string
}

// name is what people call somebody.
func (w Words) name(u wf.User) string {
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
