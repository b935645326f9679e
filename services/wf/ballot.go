package wf

import "slices"

// VoterState is where a voter stands in the count.
type VoterState string

// The states of a voter. A free voter may still take a task of a pool. A pending one has
// a task in hand, or is the rescue that waits for somebody. A lost one has left, or
// their task has ended without a decision: losing approvers must not weaken a quorum.
const (
	VoterFree      VoterState = "free"
	VoterPending   VoterState = "pending"
	VoterApproved  VoterState = "approved"
	VoterRejected  VoterState = "rejected"
	VoterAbstained VoterState = "abstained"
	VoterLost      VoterState = "lost"
)

// Voter is what the quorum counts: a seat of a stage with assignment each, a person of a
// pool, or a rescue that nobody has taken yet.
type Voter struct {
	State    VoterState
	Actor    string  // who decided; approvals count by distinct actor
	Rules    ruleSet // that the person fits
	Required bool    // the stage cannot be approved without them; not in pools
	Added    bool    // joined after the start: counts, and does not raise the need
	Rescue   bool    // assigned by an admin, or waits for that
	Replaced bool    // a rescue has taken its place: its rejection still counts, its abstention does not
}

// mayApprove reports whether the voter may still approve.
func (v Voter) mayApprove() bool {
	return !v.Replaced && (v.State == VoterFree || v.State == VoterPending)
}

func (v Voter) approved() bool { return v.State == VoterApproved }

// taken reports whether the voter has approved or has a task in hand.
func (v Voter) taken() bool { return v.approved() || !v.Replaced && v.State == VoterPending }

// Ballot is a stage's rules of counting with the voters to count.
type Ballot struct {
	Quorum    Quorum
	Rejection Rejection
	Minimums  []int // approvals that each rule's people have to give
	Pool      bool  // wait_for_all and required mean nothing in a pool
	Unfilled  int   // required rules without people that have no rescue yet
	Voters    []Voter
}

// Verdict is what the voters of a stage amount to.
type Verdict string

// The verdicts. VerdictUndecided means that the stage can still be approved, and that
// somebody may still decide.
const (
	VerdictUndecided   Verdict = "undecided"
	VerdictApproved    Verdict = "approved"
	VerdictRejected    Verdict = "rejected"
	VerdictUnreachable Verdict = "unreachable"
)

// Count is how the voters of a stage stand.
type Count struct {
	Need        int `json:"need" doc:"Approvals that the stage needs."`
	Voters      int `json:"seats" doc:"Seats of a stage with assignment each; people of a pool."`
	Approvals   int `json:"approvals" doc:"Approvals so far."`
	Rejections  int `json:"rejections" doc:"Rejections so far."`
	Abstentions int `json:"abstentions" doc:"Abstentions so far."`
	Open        int `json:"open" doc:"Seats, or people, from whom an approval may still come."`
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
		case v.mayApprove():
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
	count.Need = max(b.Quorum.MinApprovals, 1, kept, b.Quorum.share(starting-abstained))
	return count
}

// actedBefore reports whether an earlier voter's approval was by the same actor.
func (b Ballot) actedBefore(i int) bool {
	actor := b.Voters[i].Actor
	return actor != "" && slices.ContainsFunc(b.Voters[:i], func(v Voter) bool { return v.approved() && v.Actor == actor })
}

// share is the part of n voters whose approval the mode asks for.
func (q Quorum) share(n int) int {
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

// Judge says what the voters amount to. It depends on nothing but the ballot, so an
// outcome can be recomputed from the stored decisions.
func (b Ballot) Judge() Verdict {
	count := b.Count()
	switch {
	case b.Rejection.rejects(count.Rejections):
		return VerdictRejected
	case count.Approvals >= count.Need && !b.lacksRequired(Voter.approved) && b.match(Voter.approved).missing() == 0 &&
		!(b.Quorum.WaitForAll && !b.Pool && count.Open > 0):
		return VerdictApproved
	case b.missing(count) > 0 || b.lacksRequired(Voter.mayStillCount):
		return VerdictUnreachable
	default:
		return VerdictUndecided
	}
}

func (v Voter) mayStillCount() bool { return v.approved() || v.mayApprove() }

// missing is how many approvals would be missing even if everybody approved who may.
func (b Ballot) missing(count Count) int {
	return max(count.Need-count.Approvals-count.Open, b.match(Voter.mayStillCount).missing())
}

// lacksRequired reports whether a required voter whom no rescue replaces is none of these.
func (b Ballot) lacksRequired(counts func(Voter) bool) bool {
	return !b.Pool && slices.ContainsFunc(b.Voters, func(v Voter) bool { return v.Required && !v.Replaced && !counts(v) })
}

// match finds how many of the rules' minimums these voters can fill. Each voter fills
// one.
func (b Ballot) match(counts func(Voter) bool) matching {
	if len(b.Minimums) == 0 {
		return matching{}
	}
	var people []ruleSet
	for i, v := range b.Voters {
		if counts(v) && !(v.State == VoterApproved && b.actedBefore(i)) {
			people = append(people, v.Rules)
		}
	}
	return match(b.Minimums, people)
}

func (r Rejection) rejects(rejections int) bool {
	switch r.Mode {
	case RejectionCount:
		return rejections >= r.Value
	case RejectionUnreachable:
		return false
	default:
		return rejections > 0
	}
}

// Cause says what has just happened to a ballot.
type Cause string

// The causes. A stage ends as out of reach only after a rejection or an abstention:
// when people leave, rescues are made whatever the policy says.
const (
	CauseOther       Cause = "other"
	CauseVote        Cause = "vote"         // a rejection or an abstention
	CauseRescuerVote Cause = "rescuer_vote" // a rejection by somebody whom an admin assigned
)

// Rescue is a place for somebody whom an admin has to find.
type Rescue struct {
	Replaces int  // index of the voter whose place it takes, or -1
	Required bool // the stage cannot be approved without it
}

// Settle judges the ballot after something has happened. A ballot that is out of reach
// is rejected if the policy says so. Otherwise it gets the rescues that it needs to be
// decided by people. The rescue of a required rule without people is required: the rule
// counts as a minimum of one, so it is always among the missing approvals.
func (b Ballot) Settle(cause Cause) (Verdict, []Rescue) {
	verdict := b.Judge()
	if verdict != VerdictUnreachable {
		return verdict, nil
	}
	switch {
	case cause == CauseRescuerVote && b.Rejection.Mode == RejectionUnreachable:
		return VerdictRejected, nil // otherwise nobody could ever reject
	case cause != CauseOther && b.Rejection.OnUnreachable != OnUnreachableBlock:
		return VerdictRejected, nil
	}
	b.Voters = slices.Clone(b.Voters)
	var rescues []Rescue
	add := func(r Rescue) {
		rescues = append(rescues, r)
		b.Voters = append(b.Voters, Voter{State: VoterPending, Rules: everyRule, Required: r.Required, Added: true, Rescue: true})
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

// Tasks says, for an undecided pool, how many unassigned tasks it offers and who may
// take one: whoever is free and fits one of the rules.
func (b Ballot) Tasks() (open int, takers ruleSet) {
	taken := 0
	for _, v := range b.Voters {
		if v.taken() {
			taken++
		}
	}
	matched := b.match(Voter.taken)
	gap, kept := max(b.Count().Need-taken, 0), matched.missing()
	switch {
	case gap > kept:
		return gap, everyRule
	case kept > 0:
		return kept, matched.wanted()
	default:
		return 0, 0
	}
}
