package quorum

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestEveryBallotOfFourVoters judges every ballot of up to four voters, some of them
// required or added after the start, under every kind of quorum and rejection.
func TestEveryBallotOfFourVoters(t *testing.T) {
	var kinds []Voter
	for _, state := range []VoterState{VoterPending, VoterApproved, VoterRejected, VoterAbstained, VoterIneligible} {
		for _, required := range []bool{false, true} {
			for _, added := range []bool{false, true} {
				kinds = append(kinds, Voter{State: state, Required: required, Added: added})
			}
		}
	}
	all := ballots(kinds, 4)
	for _, quorum := range quorums(4) {
		for _, rejection := range []Rejection{{}, {Mode: RejectionCount, Value: 2}, {Mode: RejectionUnreachable}} {
			all.check(t, Ballot{Quorum: quorum, Rejection: rejection})
		}
	}
}

// TestEveryBallotOfThreeVotersWithRuleMinimums adds approvals that have to come from the
// people of one rule, and voters whose place a rescue has taken.
func TestEveryBallotOfThreeVotersWithRuleMinimums(t *testing.T) {
	var kinds []Voter
	for _, state := range []VoterState{VoterPending, VoterApproved, VoterRejected, VoterAbstained, VoterIneligible} {
		for _, rules := range []RuleSet{0, 1, 2, 3} {
			kinds = append(kinds, Voter{State: state, Rules: rules})
		}
		kinds = append(kinds, Voter{State: state, Rules: EveryRule, Added: true, Rescue: true, Required: true}, Voter{State: state, Rules: 1, Added: true})
		if v := (Voter{State: state, Rules: 3, Required: true, Replaced: true}); !v.approved() && state != VoterPending {
			kinds = append(kinds, v)
		}
	}
	all := ballots(kinds, 3)
	for _, minimums := range [][]int{{1, 0}, {1, 1}, {2, 0}, {2, 1}} {
		for _, quorum := range []Quorum{{}, {Mode: QuorumAny}, {Mode: QuorumAny, WaitForAll: true}, {Mode: QuorumCount, Value: 2}} {
			for _, rejection := range []Rejection{{}, {Mode: RejectionUnreachable}} {
				all.check(t, Ballot{Quorum: quorum, Rejection: rejection, Minimums: minimums})
			}
			all.check(t, Ballot{Quorum: quorum, Rejection: Rejection{Mode: RejectionCount, Value: 2}, Minimums: minimums, Veto: 2})
		}
	}
}

// TestEveryPoolOfThreeVoters also checks that a pool offers the required tasks to eligible
// people.
func TestEveryPoolOfThreeVoters(t *testing.T) {
	var kinds []Voter
	for _, state := range []VoterState{VoterFree, VoterPending, VoterApproved, VoterRejected, VoterAbstained, VoterIneligible} {
		for _, rules := range []RuleSet{1, 2, 3} {
			kinds = append(kinds, Voter{State: state, Rules: rules})
		}
		kinds = append(kinds, Voter{State: state, Rules: EveryRule, Added: true, Rescue: state != VoterFree})
	}
	all := ballots(kinds, 3)
	for _, minimums := range [][]int{nil, {1, 0}, {1, 1}, {2, 0}, {2, 1}} {
		for _, quorum := range []Quorum{{Mode: QuorumAny}, {Mode: QuorumCount, Value: 2}, {Mode: QuorumPercentage, Value: 67}} {
			for _, rejection := range []Rejection{{}, {Mode: RejectionUnreachable}} {
				b := Ballot{Quorum: quorum, Rejection: rejection, Minimums: minimums, Pool: true}
				all.check(t, b)
				for _, b.Voters = range all.voters {
					if b.Judge() == VerdictUndecided {
						offersWhatItNeeds(t, b)
					}
				}
			}
		}
	}
}

// offersWhatItNeeds checks the tasks of an undecided pool.
func offersWhatItNeeds(t *testing.T, b Ballot) {
	t.Helper()
	var taken []RuleSet
	for _, v := range b.Voters {
		if v.State == VoterApproved || v.State == VoterPending {
			taken = append(taken, v.Rules)
		}
	}
	kept := 0
	for _, least := range b.Minimums {
		kept += least
	}
	filled := Most(b.Minimums, taken)
	gap := max(Need(b)-len(taken), 0)
	open, claimants := b.Tasks()
	if want := max(gap, kept-filled); open != want {
		t.Fatalf("%+v offers %d tasks, want %d", b, open, want)
	}
	for _, v := range b.Voters {
		if v.State != VoterFree {
			continue
		}
		helps := gap > kept-filled || Most(b.Minimums, append(slices.Clone(taken), v.Rules)) > filled
		if may := v.Rules&claimants != 0; open > 0 && may != helps {
			t.Fatalf("%+v: a user of the rules %b may take a task: %t, want %t", b, v.Rules, may, helps)
		}
	}
}

func TestSampledBallotsOfFiveVoters(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	quorums := quorums(5)
	states := []VoterState{VoterPending, VoterApproved, VoterRejected, VoterAbstained, VoterIneligible}
	for range 3000 {
		voters := make([]Voter, 5)
		for i := range voters {
			voters[i] = Voter{
				State: states[random.IntN(len(states))], Required: random.IntN(4) == 0, Added: random.IntN(4) == 0,
				Rules: []RuleSet{0, 1, 2, 4, 3, 6, 7}[random.IntN(7)],
			}
		}
		one := ballots(nil, 0)
		one.add(voters)
		one.check(t, Ballot{
			Quorum:    quorums[random.IntN(len(quorums))],
			Rejection: []Rejection{{}, {Mode: RejectionCount, Value: 1 + random.IntN(3)}, {Mode: RejectionUnreachable}}[random.IntN(3)],
			Minimums:  []int{random.IntN(3), random.IntN(2), random.IntN(2)},
			Veto:      RuleSet(random.IntN(3)), // #nosec G115 -- a set of bits
		})
	}
}

// quorums returns every kind of quorum that makes a difference with n voters.
func quorums(n int) []Quorum {
	kinds := []Quorum{{}, {Mode: QuorumAll, MinApprovals: 2}, {Mode: QuorumAny}, {Mode: QuorumAny, MinApprovals: 2}}
	for value := range n {
		kinds = append(kinds, Quorum{Mode: QuorumCount, Value: value + 1})
	}
	for _, value := range []int{34, 50, 100} {
		kinds = append(kinds, Quorum{Mode: QuorumPercentage, Value: value})
	}
	for _, q := range slices.Clone(kinds) {
		q.WaitForAll = true
		kinds = append(kinds, q)
	}
	return kinds
}

// board is a set of ballots with every ballot that a decision leads to. A ballot comes
// after all those that it leads to.
type board struct {
	voters [][]Voter
	next   [][]int // by ballot: what one decision leads to
	yes    []int   // by ballot: the result of an approval by an open voter; itself without one
	index  map[string]int
}

// ballots returns every choice, in any number up to n, of these kinds of voter.
func ballots(kinds []Voter, n int) *board {
	b := &board{index: map[string]int{}}
	var choose func(voters []Voter, from int)
	choose = func(voters []Voter, from int) {
		b.add(voters)
		if len(voters) == n {
			return
		}
		for kind := from; kind < len(kinds); kind++ {
			choose(append(slices.Clone(voters), kinds[kind]), kind)
		}
	}
	choose(nil, 0)
	return b
}

func (b *board) add(voters []Voter) int {
	voters = slices.Clone(voters)
	key := make([]string, len(voters))
	for i, v := range voters {
		v.Actor = ""
		key[i] = fmt.Sprint(v)
	}
	slices.Sort(key)
	id := fmt.Sprint(key)
	if i, ok := b.index[id]; ok {
		return i
	}
	var next []int
	yes := -1
	for i, v := range voters {
		if v.State != VoterPending && v.State != VoterFree {
			continue
		}
		for _, state := range []VoterState{VoterApproved, VoterRejected, VoterAbstained} {
			after := slices.Clone(voters)
			after[i].State = state
			next = append(next, b.add(after))
		}
		yes = next[len(next)-3]
	}
	for i := range voters {
		if voters[i].State == VoterApproved {
			voters[i].Actor = Names[i]
		}
	}
	b.voters, b.next, b.yes = append(b.voters, voters), append(b.next, next), append(b.yes, yes)
	b.index[id] = len(b.voters) - 1
	if yes < 0 {
		b.yes[b.index[id]] = b.index[id]
	}
	return b.index[id]
}

// check judges every ballot of the board by the rules of r.
func (b *board) check(t *testing.T, r Ballot) {
	t.Helper()
	approvable := make([]bool, len(b.voters)) // now, or by some decisions of the open voters
	for i, voters := range b.voters {
		r.Voters = voters
		verdict := r.Judge()
		if want := judge(r); verdict != want {
			t.Fatalf("%+v is %s, want %s", r, verdict, want)
		}
		if got := r.Count().Need; got != Need(r) {
			t.Fatalf("%+v needs %d approvals, want %d", r, got, Need(r))
		}
		approvable[i] = verdict == VerdictApproved || slices.ContainsFunc(b.next[i], func(n int) bool { return approvable[n] })
		switch {
		case verdict == VerdictUndecided && b.yes[i] == i:
			t.Fatalf("%+v is undecided, and no voter may decide", r)
		case verdict == VerdictUndecided && !approvable[b.yes[i]]:
			t.Fatalf("%+v is undecided, and approval by all does not approve it", r)
		case verdict == VerdictUnreachable && approvable[i]:
			t.Fatalf("%+v is called unreachable, and can be approved", r)
		}
	}
}

// Names are those of people by their place in a ballot.
var Names = [...]string{"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"}

// Need is how many approvals a ballot needs.
func Need(b Ballot) int {
	starting, kept := 0, 0
	for _, v := range b.Voters {
		if !v.Added && (v.State != VoterAbstained || v.Replaced) {
			starting++ // voters of the start without an abstention
		}
	}
	for _, least := range b.Minimums {
		kept += least
	}
	quorum := starting
	switch b.Quorum.Mode {
	case QuorumAny:
		quorum = 1
	case QuorumCount:
		quorum = b.Quorum.Value
	case QuorumPercentage:
		quorum = int(math.Ceil(float64(b.Quorum.Value*starting) / 100))
	}
	return max(b.Quorum.MinApprovals, 1, kept, quorum)
}

// judge is the table of the quorum rules, read from top to bottom; its people are all
// different.
func judge(b Ballot) Verdict {
	var approvals, rejections, open int
	requiredMet, requiredLost, kept := true, false, 0
	var yes, maybe []RuleSet
	for _, v := range b.Voters {
		switch v.State {
		case VoterApproved:
			approvals++
			yes, maybe = append(yes, v.Rules), append(maybe, v.Rules)
		case VoterPending, VoterFree:
			open++
			maybe = append(maybe, v.Rules)
		case VoterRejected:
			rejections++
			if v.Rules&b.Veto != 0 || b.Veto != 0 && v.Added && !b.Pool {
				return VerdictRejected
			}
		}
		if v.Required && !v.Replaced && v.State != VoterApproved && !b.Pool {
			requiredMet = false
			requiredLost = requiredLost || v.State != VoterPending
		}
	}
	for _, least := range b.Minimums {
		kept += least
	}
	switch need := Need(b); {
	case rejections > 0 && b.Rejection.Mode == "":
		return VerdictRejected
	case b.Rejection.Mode == RejectionCount && rejections >= b.Rejection.Value:
		return VerdictRejected
	case approvals >= need && requiredMet && Most(b.Minimums, yes) == kept && !(b.Quorum.WaitForAll && open > 0):
		return VerdictApproved
	case approvals+open < need || requiredLost || Most(b.Minimums, maybe) < kept:
		return VerdictUnreachable
	default:
		return VerdictUndecided
	}
}

func TestAPersonCountsOnce(t *testing.T) {
	ana := Voter{State: VoterApproved, Actor: "ana", Rules: 3}
	bo := Voter{State: VoterApproved, Actor: "bo", Rules: 2}
	for name, tt := range map[string]struct {
		ballot Ballot
		want   Verdict
	}{
		"two approvals of two people": {Ballot{Quorum: Quorum{Mode: QuorumCount, Value: 2}, Voters: []Voter{ana, bo}}, VerdictApproved},
		"two approvals of one person": {Ballot{Quorum: Quorum{Mode: QuorumCount, Value: 2}, Voters: []Voter{ana, ana}}, VerdictUnreachable},
		"two rules of two people":     {Ballot{Quorum: Quorum{Mode: QuorumAny}, Minimums: []int{1, 1}, Voters: []Voter{ana, bo}}, VerdictApproved},
		"two rules of one person":     {Ballot{Quorum: Quorum{Mode: QuorumAny}, Minimums: []int{1, 1}, Voters: []Voter{ana, ana}}, VerdictUnreachable},
		"an approval after abstaining": {Ballot{Quorum: Quorum{Mode: QuorumAny},
			Voters: []Voter{{State: VoterAbstained, Actor: "ana"}, ana}}, VerdictApproved},
		"approvals without a name": {Ballot{Quorum: Quorum{Mode: QuorumCount, Value: 2},
			Voters: []Voter{{State: VoterApproved}, {State: VoterApproved}}}, VerdictApproved},
		"a required member of a pool": {Ballot{Pool: true, Quorum: Quorum{Mode: QuorumAny},
			Voters: []Voter{ana, {State: VoterIneligible, Required: true}}}, VerdictApproved},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.ballot.Judge(); got != tt.want {
				t.Errorf("Judge = %s, want %s", got, tt.want)
			}
		})
	}
}

// TestOutcomeWithoutRemainingApprovers: a stage ends as out of reach only after a rejection or an
// abstention, and only if the policy has that rule. Otherwise it gets a
// rescue.
func TestOutcomeWithoutRemainingApprovers(t *testing.T) {
	for _, mode := range []RejectionMode{RejectionCount, RejectionUnreachable} {
		for _, on := range []OnUnreachable{"", OnUnreachableReject, OnUnreachableBlock} {
			for cause, want := range map[Cause]bool{
				CauseOther:       false,
				CauseVote:        on != OnUnreachableBlock,
				CauseRescuerVote: on != OnUnreachableBlock || mode == RejectionUnreachable,
			} {
				b := Ballot{Rejection: Rejection{Mode: mode, Value: 9, OnUnreachable: on}, Voters: []Voter{{State: VoterApproved}, {State: VoterRejected}}}
				verdict, rescues := b.Settle(cause)
				if want != (verdict == VerdictRejected) || want != (len(rescues) == 0) {
					t.Errorf("mode %s, on_unreachable %q, cause %s: %s with %d rescues; rejected: want %t", mode, on, cause, verdict, len(rescues), want)
				}
			}
		}
	}
}

// TestARescueTakesThePlaceOfARequiredVoter: other missing approvals get rescues of
// their own.
func TestARescueTakesThePlaceOfARequiredVoter(t *testing.T) {
	b := Ballot{
		Rejection: Rejection{Mode: RejectionCount, Value: 9, OnUnreachable: OnUnreachableBlock},
		Voters:    []Voter{{State: VoterRejected, Required: true}, {State: VoterRejected}, {State: VoterAbstained, Required: true}, {State: VoterPending}},
	}
	verdict, rescues := b.Settle(CauseVote)
	want := []Rescue{{Replaces: 0, Required: true}, {Replaces: 2, Required: true}, {Replaces: -1}}
	if verdict != VerdictUndecided || !slices.Equal(rescues, want) {
		t.Errorf("Settle = %s with %+v, want undecided with %+v", verdict, rescues, want)
	}
	if b.Voters[0].Replaced || len(b.Voters) != 4 {
		t.Errorf("Settle has changed its ballot: %+v", b.Voters)
	}
}
