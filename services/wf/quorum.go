package wf

// QuorumMode selects the formula for the required approvals of a stage.
type QuorumMode string

// The quorum modes. N is the number of seats, or of people of a pool, that the stage
// started with, b the abstentions among them.
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
	Mode         QuorumMode `json:"mode,omitempty" doc:"all when absent"`
	Value        int        `json:"value,omitempty" doc:"count and percentage: 1 to 100"`
	MinApprovals int        `json:"min_approvals,omitempty" doc:"Never fewer approvals than this; 1 when absent."`
	WaitForAll   bool       `json:"wait_for_all,omitempty" doc:"Approve only when every seat has decided; not for pools."`
}

// RejectionMode selects the condition for the rejection of a stage.
type RejectionMode string

// The rejection modes.
const (
	RejectionVeto        RejectionMode = "veto"        // one is enough; the default
	RejectionCount       RejectionMode = "count"       // value of them
	RejectionUnreachable RejectionMode = "unreachable" // so many that the quorum cannot be met
)

// Values returns every value.
func (RejectionMode) Values() []RejectionMode {
	return []RejectionMode{RejectionVeto, RejectionCount, RejectionUnreachable}
}

// OnUnreachable is the reaction to an unreachable quorum.
type OnUnreachable string

// An unreachable quorum rejects the stage, or blocks it until an admin helps.
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
	Mode          RejectionMode `json:"mode,omitempty" doc:"veto when absent"`
	Value         int           `json:"value,omitempty" doc:"count: 1 to 100"`
	OnUnreachable OnUnreachable `json:"on_unreachable,omitempty" doc:"reject when absent"`
}

func (q Quorum) validate(v *validation, pointer string, s Stage) {
	switch q.Mode {
	case QuorumCount, QuorumPercentage:
		v.refuse(q.Value < 1 || q.Value > 100, pointer+"/value", "must be between 1 and 100 with mode %s", q.Mode)
	default:
		v.refuse(q.Value != 0, pointer+"/value", "applies to the modes count and percentage alone")
	}
	v.between(pointer+"/min_approvals", q.MinApprovals, 1, maxCounted)
	pool := s.Assignment == AssignmentPool
	v.refuse(pool && (q.Mode == QuorumAll || q.Mode == ""), pointer+"/mode",
		"a pool needs any, count or percentage: with all, everybody would have to claim a task")
	v.refuse(pool && q.WaitForAll, pointer+"/wait_for_all", "needs assignment each: a pool does not wait for everybody")
	ruled := 0
	for _, rule := range s.Approvers {
		ruled += min(max(rule.MinApprovals, 0), maxCounted+1)
	}
	v.refuse(ruled > maxCounted, pointer, "the rules' min_approvals sum to %d, over the limit of %d", ruled, maxCounted)
	count := q.Mode == QuorumCount
	v.refuse(count && ruled > q.Value, pointer+"/value", "is %d, but the rules' min_approvals need %d", q.Value, ruled)
	named, known := s.users()
	if !known {
		return
	}
	people := len(named)
	v.refuse(pool && people > maxPool, pointer, "%d approvers are too many; a pool takes at most %d", people, maxPool)
	v.refuse(!pool && people > maxCounted, pointer, "%d approvers need assignment pool; each takes at most %d", people, maxCounted)
	v.refuse(count && q.Value > people, pointer+"/value", "is %d, but the stage names %d people", q.Value, people)
	v.refuse(q.MinApprovals > people, pointer+"/min_approvals", "is %d, but the stage names %d people", q.MinApprovals, people)
	if ruled <= maxCounted {
		people := make([]ruleSet, len(named))
		for i, person := range named {
			people[i] = rulesOf(person.Rules)
		}
		if found := match(s.minimums(), people); found.missing() > 0 {
			v.add(pointer, "the rules' min_approvals need %d people, but the stage names only %d for them", ruled, found.filled)
		}
	}
}

func (r Rejection) validate(v *validation, pointer string, s Stage) {
	if r.Mode == RejectionCount {
		if r.Value < 1 || r.Value > 100 {
			v.add(pointer+"/value", "must be between 1 and 100 with mode count")
		} else if named, known := s.users(); known && s.Assignment == AssignmentPool && r.Value > len(named) {
			v.warn(pointer+"/value", "is %d, but the stage names %d people: so many rejections cannot come together", r.Value, len(named))
		}
	} else if r.Value != 0 {
		v.add(pointer+"/value", "applies to the mode count alone")
	}
}
