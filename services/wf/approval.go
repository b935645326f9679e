package wf

import (
	"time"

	"github.com/countersign/countersign/services/wf/identity"
)

// Basis is the ground on which an approval counts.
type Basis string

// The grounds.
const (
	BasisRule       Basis = "rule"       // an approver of the policy
	BasisEscalation Basis = "escalation" // an approver added by the deadline of the stage
	BasisRescue     Basis = "rescue"     // an approver assigned by an admin
	BasisOverride   Basis = "override"   // an admin in place of the approver
	BasisRepeat     Basis = "repeat"     // the approver of an earlier stage, without another decision
)

// Values returns every value.
func (Basis) Values() []Basis {
	return []Basis{BasisRule, BasisEscalation, BasisRescue, BasisOverride, BasisRepeat}
}

// Approval is a counted approval of a stage run.
type Approval struct {
	Actor      string // user id
	OnBehalfOf string // user id; empty for none
	Basis      Basis
	At         time.Time
	ACR        string // authentication context class of the decision; may be empty
}

// Approvals returns the counted approvals of the run, in the order of its tasks. tasks are those of the request.
func (s StageRun) Approvals(tasks []Task) []Approval {
	var all []Approval
	for _, t := range s.tasksOf(tasks) {
		d := t.Decision
		if d == nil || d.Action != ActionApprove || !t.counted() {
			continue
		}
		a := Approval{Actor: t.person(), Basis: t.basis(s), At: d.DecidedAt.Time, ACR: d.Auth.ACR}
		if d.OnBehalfOf != nil {
			a.OnBehalfOf = d.OnBehalfOf.ID
		}
		all = append(all, a)
	}
	return all
}

// basis returns the ground of the decision of a task.
func (t Task) basis(run StageRun) Basis {
	switch {
	case t.Decision.Override:
		return BasisOverride
	case t.Decision.Actor.Kind == identity.ActorSystem:
		return BasisRepeat
	case t.Rescue || t.PlacedBy != nil:
		return BasisRescue
	case t.Escalated(run):
		return BasisEscalation
	default:
		return BasisRule
	}
}
