// Package quorum counts votes: quorums, matching of approvers to rules, verdicts and rescues.
package quorum

// QuorumMode selects the formula for the required approvals of a stage.
type QuorumMode string

// The quorum modes. N is the number of seats, or of pool members, at the start of the stage; b is the number
// of abstentions among them.
const (
	QuorumAll        QuorumMode = "all"        // N-b; the default
	QuorumAny        QuorumMode = "any"        // 1
	QuorumCount      QuorumMode = "count"      // value
	QuorumPercentage QuorumMode = "percentage" // value % of N-b, rounded up
)

// Values returns every value.
func (QuorumMode) Values() []QuorumMode {
	return []QuorumMode{QuorumAll, QuorumAny, QuorumCount, QuorumPercentage}
}

// Quorum is the approval rule of a stage.
type Quorum struct {
	Mode         QuorumMode `json:"mode,omitempty" doc:"Approvals that a stage needs: of all approvers, any one, a count or a percentage; all when absent."`
	Value        int        `json:"value,omitempty" doc:"count and percentage: 1 to 100"`
	ValueCEL     string     `json:"value_cel,omitempty" doc:"count and percentage: CEL that yields the value instead, evaluated at creation and resubmission."`
	MinApprovals int        `json:"min_approvals,omitempty" doc:"Minimum number of approvals; 1 when absent."`
	WaitForAll   bool       `json:"wait_for_all,omitempty" doc:"The stage is approved only after all seats have decided; not for pools."`
}

// RejectionMode selects the condition for the rejection of a stage.
type RejectionMode string

// The rejection modes.
const (
	RejectionVeto        RejectionMode = "veto"        // one rejection; the default
	RejectionCount       RejectionMode = "count"       // value rejections
	RejectionUnreachable RejectionMode = "unreachable" // the quorum is unreachable
)

// Values returns every value.
func (RejectionMode) Values() []RejectionMode {
	return []RejectionMode{RejectionVeto, RejectionCount, RejectionUnreachable}
}

// OnUnreachable is the reaction to an unreachable quorum.
type OnUnreachable string

// An unreachable quorum rejects the stage, or blocks it until an admin assigns an approver.
const (
	OnUnreachableReject OnUnreachable = "reject"
	OnUnreachableBlock  OnUnreachable = "block"
)

// Values returns every value.
func (OnUnreachable) Values() []OnUnreachable {
	return []OnUnreachable{OnUnreachableReject, OnUnreachableBlock}
}

// Rejection is the rejection rule of a stage.
type Rejection struct {
	Mode          RejectionMode `json:"mode,omitempty" doc:"Rejections that reject a stage. veto: one; count: a number; unreachable: those that make the quorum unreachable; veto when absent."`
	Value         int           `json:"value,omitempty" doc:"count: 1 to 100"`
	OnUnreachable OnUnreachable `json:"on_unreachable,omitempty" doc:"Effect of a quorum that can no longer be reached; reject when absent."`
}
