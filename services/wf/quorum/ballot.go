package quorum

import "slices"

// VoterState is the state of a voter in the count.
type VoterState string

// The states of a voter. A free voter may claim a pool task. A pending voter has a live task, or is
// an unassigned rescue. An ineligible voter has left, or their task has ended without a decision: losing
// approvers must not weaken a quorum.
const (
	VoterFree       VoterState = "free"
	VoterPending    VoterState = "pending"
	VoterApproved   VoterState = "approved"
	VoterRejected   VoterState = "rejected"
	VoterAbstained  VoterState = "abstained"
	VoterIneligible VoterState = "ineligible"
)

// Voter is one unit of the quorum: a seat with assignment each, a member of a pool, or an
// unassigned rescue.
type Voter struct {
	State    VoterState
	Actor    string  // the decider; approvals count by distinct actor
	Rules    RuleSet // rules for which the approval counts
	Required bool    // mandatory for approval; not in pools
	Added    bool    // joined after the start: counts, but does not raise the need
	Rescue   bool    // assigned by an admin, or not assigned yet
	Replaced bool    // replaced by a rescue: a rejection still counts, an abstention does not
}

// MayApprove reports whether the voter may still approve.
func (v Voter) MayApprove() bool {
	return !v.Replaced && (v.State == VoterFree || v.State == VoterPending)
}

func (v Voter) approved() bool { return v.State == VoterApproved }

// holdsSeat reports whether the voter has approved or has a live task.
func (v Voter) holdsSeat() bool { return v.approved() || !v.Replaced && v.State == VoterPending }

// Ballot holds the counting rules and the voters of a stage.
type Ballot struct {
	Quorum    Quorum
	Rejection Rejection
	Minimums  []int   // minimum approvals per rule
	Veto      RuleSet // rules whose voters reject the stage alone
	Pool      bool    // a pool ignores wait_for_all and required
	Unfilled  int     // required rules without approvers and without a rescue
	Voters    []Voter
}

// Verdict is the result of evaluating a ballot.
type Verdict string

// The verdicts. VerdictUndecided means that approval is still possible and that decisions are
// pending.
const (
	VerdictUndecided   Verdict = "undecided"
	VerdictApproved    Verdict = "approved"
	VerdictRejected    Verdict = "rejected"
	VerdictUnreachable Verdict = "unreachable"
)

// Count holds the numbers of votes of a stage.
type Count struct {
	Need        int `json:"need" doc:"Approvals that the stage needs."`
	Voters      int `json:"seats" doc:"Seats of a stage with assignment each; members of a pool."`
	Approvals   int `json:"approvals" doc:"Approvals so far."`
	Rejections  int `json:"rejections" doc:"Rejections so far."`
	Abstentions int `json:"abstentions" doc:"Abstentions so far."`
	Open        int `json:"open" doc:"Seats or users with a possible approval."`
}

// Count counts the voters.
func (b Ballot) Count() Count {
	var count Count
	starting, abstained := 0, 0
	for i, v := range b.Voters {
		if !v.Replaced && !(b.Pool && v.Added) {
			count.Voters++
		}
		if !v.Added {
			starting++
		}
		switch {
		case v.MayApprove():
			count.Open++
		case v.State == VoterApproved && !b.actedBefore(i):
			count.Approvals++
		case v.State == VoterRejected:
			count.Rejections++
		case v.State == VoterAbstained:
			count.Abstentions++
			if !v.Added && !v.Replaced {
				abstained++
			}
		}
	}
	kept := 0
	for _, least := range b.Minimums {
		kept += least
	}
	count.Need = max(b.Quorum.MinApprovals, 1, kept, b.Quorum.Share(starting-abstained))
	return count
}

// actedBefore reports whether an earlier voter's approval was by the same actor.
func (b Ballot) actedBefore(i int) bool {
	actor := b.Voters[i].Actor
	return actor != "" && slices.ContainsFunc(b.Voters[:i], func(v Voter) bool { return v.approved() && v.Actor == actor })
}

// Share returns the approvals that the mode requires of n voters.
func (q Quorum) Share(n int) int {
	switch q.Mode {
	case QuorumAny:
		return 1
	case QuorumCount:
		return q.Value
	case QuorumPercentage:
		return (q.Value*n + 99) / 100
	default:
		return n
	}
}

// Judge evaluates the ballot. The verdict depends on the ballot only and can be recomputed from the stored
// decisions.
func (b Ballot) Judge() Verdict {
	count := b.Count()
	switch {
	case b.Vetoed() || b.Rejection.Rejects(count.Rejections):
		return VerdictRejected
	case count.Approvals >= count.Need && !b.lacksRequired(Voter.approved) && b.match(Voter.approved).Missing() == 0 &&
		!(b.Quorum.WaitForAll && !b.Pool && count.Open > 0):
		return VerdictApproved
	case b.missing(count) > 0 || b.lacksRequired(Voter.mayStillCount):
		return VerdictUnreachable
	default:
		return VerdictUndecided
	}
}

// Vetoed reports whether a voter of a rule with a veto has rejected. An added seat, of a rescue or an escalation, has
// the veto of every rule, also of a required one, which it does not fill.
func (b Ballot) Vetoed() bool {
	return b.Veto != 0 && slices.ContainsFunc(b.Voters, func(v Voter) bool {
		return v.State == VoterRejected && (v.Rules&b.Veto != 0 || v.Added && !b.Pool)
	})
}

func (v Voter) mayStillCount() bool { return v.approved() || v.MayApprove() }

// missing returns the number of approvals missing if all remaining voters approve.
func (b Ballot) missing(count Count) int {
	return max(count.Need-count.Approvals-count.Open, b.match(Voter.mayStillCount).Missing())
}

// lacksRequired reports whether a required voter without a rescue fails the predicate.
func (b Ballot) lacksRequired(counts func(Voter) bool) bool {
	return !b.Pool && slices.ContainsFunc(b.Voters, func(v Voter) bool { return v.Required && !v.Replaced && !counts(v) })
}

// match assigns voters to the minimums of the rules. Each voter counts for one rule.
func (b Ballot) match(counts func(Voter) bool) Matching {
	if len(b.Minimums) == 0 {
		return Matching{}
	}
	var people []RuleSet
	for i, v := range b.Voters {
		if counts(v) && !(v.State == VoterApproved && b.actedBefore(i)) {
			people = append(people, v.Rules)
		}
	}
	return Match(b.Minimums, people)
}

// Vetoes reports whether every rejection rejects the stage.
func (r Rejection) Vetoes() bool { return r.Mode == RejectionVeto || r.Mode == "" }

func (r Rejection) Rejects(rejections int) bool {
	switch r.Mode {
	case RejectionCount:
		return rejections >= r.Value
	case RejectionUnreachable:
		return false
	default:
		return rejections > 0
	}
}

// Cause is the event before the evaluation of a ballot.
type Cause string

// The causes. A stage is rejected as unreachable only after a rejection or an abstention. After the
// loss of approvers, rescues are created whatever the policy.
const (
	CauseOther       Cause = "other"
	CauseVote        Cause = "vote"         // a rejection or an abstention
	CauseRescuerVote Cause = "rescuer_vote" // a rejection by an approver whom an admin assigned
)

// Rescue is a place for an approver to be assigned by an admin.
type Rescue struct {
	Replaces int  // index of the voter whose place it takes, or -1
	Required bool // the stage cannot be approved without it
}

// Settle evaluates the ballot after an event. An unreachable ballot is rejected if the policy
// requires it; otherwise the missing rescues are added. The rescue of a required rule without
// approvers is required. Such a rule has a minimum of one, so it is always among the missing
// approvals.
func (b Ballot) Settle(cause Cause) (Verdict, []Rescue) {
	verdict := b.Judge()
	if verdict != VerdictUnreachable {
		return verdict, nil
	}
	switch {
	case cause == CauseRescuerVote && b.Rejection.Mode == RejectionUnreachable:
		return VerdictRejected, nil // otherwise rejection would be impossible
	case cause != CauseOther && b.Rejection.OnUnreachable != OnUnreachableBlock:
		return VerdictRejected, nil
	}
	b.Voters = slices.Clone(b.Voters)
	var rescues []Rescue
	add := func(r Rescue) {
		rescues = append(rescues, r)
		b.Voters = append(b.Voters, Voter{State: VoterPending, Rules: EveryRule, Required: r.Required, Added: true, Rescue: true})
	}
	for i := range b.Voters {
		if v := &b.Voters[i]; !b.Pool && v.Required && !v.Replaced && !v.mayStillCount() {
			v.Replaced = true
			add(Rescue{Replaces: i, Required: true})
		}
	}
	for n := range max(b.missing(b.Count()), 0) {
		add(Rescue{Replaces: -1, Required: n < b.Unfilled})
	}
	return VerdictUndecided, rescues
}

// Tasks returns, for an undecided pool, the number of unassigned tasks and the rules of the
// eligible claimants.
func (b Ballot) Tasks() (open int, claimants RuleSet) {
	taken := 0
	for _, v := range b.Voters {
		if v.holdsSeat() {
			taken++
		}
	}
	matched := b.match(Voter.holdsSeat)
	gap, kept := max(b.Count().Need-taken, 0), matched.Missing()
	switch {
	case gap > kept:
		return gap, EveryRule
	case kept > 0:
		return kept, matched.usefulRules()
	default:
		return 0, 0
	}
}
