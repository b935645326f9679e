package quorum

import (
	"encoding/binary"
	"slices"
	"testing"
)

// These tests enumerate every order of events of every small policy: approvals, rejections (with
// and without a veto), abstentions, claims, releases, departures, exclusions, rescues, their
// assignments, and an escalation at any moment that adds one or two people. The counting is the
// ballot's own. At every position they check:
//
//  1. in an open stage a person can decide, or an unassigned rescue exists;
//  2. if all voters approve from here on, in whatever order, the stage is approved;
//  3. it is approved only by as many different people as it needs, with every required
//     voter and every rule's minimum, and not against a veto or the rejections that end it;
//  4. the number of rescues is finite;
//  5. it is out of reach only if approval is impossible, and it is never rejected because of a
//     departure or the assignment of a rescue;
//  6. the missing people of a pool are among the eligible claimants of its tasks;
//  7. a voter can reject, whatever the policy;
//  8. an escalation decides nothing and changes no need; the departure of an added voter leaves no
//     rescue, and in a pool no rescue keeps the added voters from acting.
//
// By default a sample of the policies runs. WF_ENUMERATE=full runs all.

func TestEveryOrderOfEventsOfAssignmentEach(t *testing.T) {
	e := enumeration{t: t, leaves: true}
	part := []extent{
		{[][2]int{{1, 1}, {1, 2}, {2, 1}}, []int{50}, []int{2}, []int{1, 2}},
		{[][2]int{{2, 2}}, nil, nil, []int{1}},
	}
	full := []extent{{[][2]int{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 1}}, []int{34, 50, 67, 100}, []int{1, 2, 3}, []int{1, 2}}}
	modes := []QuorumMode{QuorumAll, QuorumAny, QuorumCount, QuorumPercentage}
	for _, x := range pick(part, full) {
		x.policies(modes, func(b Ballot) {
			for _, b = range b.required() {
				for _, b.Quorum.WaitForAll = range []bool{false, true} {
					for _, b.Veto = range b.vetoes() {
						e.explore(b)
					}
				}
			}
		})
	}
	e.report()
}

func TestEveryOrderOfEventsOfPools(t *testing.T) {
	e := enumeration{t: t, leaves: true}
	part := []extent{
		{[][2]int{{1, 1}, {1, 2}}, []int{34, 50, 67, 100}, []int{1, 2, 3}, []int{1, 2}},
		{[][2]int{{2, 1}}, []int{50, 100}, []int{2}, []int{1}},
	}
	full := []extent{
		{[][2]int{{1, 1}, {1, 2}, {2, 1}}, []int{34, 50, 67, 100}, []int{1, 2, 3}, []int{1, 2}},
		{[][2]int{{2, 2}}, []int{50, 100}, []int{2}, []int{1}},
	}
	for _, x := range pick(part, full) {
		x.policies([]QuorumMode{QuorumAny, QuorumCount, QuorumPercentage}, func(b Ballot) {
			b.Pool = true
			for _, e.delegate = range []bool{false, true} {
				for _, b.Veto = range b.vetoes() {
					e.explore(b)
				}
			}
		})
	}
	e.report()
}

// TestEveryOrderOfEventsOfPoolsWithoutDepartures has larger pools: without departures there
// are no rescues.
func TestEveryOrderOfEventsOfPoolsWithoutDepartures(t *testing.T) {
	e := enumeration{t: t}
	part := []extent{{[][2]int{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 1}, {3, 2}}, []int{50}, []int{2}, []int{1}}}
	full := []extent{{[][2]int{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 1}, {3, 2}, {4, 1}, {4, 2}}, []int{34, 50, 67, 100}, []int{1, 2, 3}, []int{1}}}
	for _, x := range pick(part, full) {
		x.policies([]QuorumMode{QuorumAny, QuorumCount, QuorumPercentage}, func(b Ballot) {
			if b.Rejection.OnUnreachable == OnUnreachableReject {
				b.Pool = true
				for _, b.Veto = range b.vetoes() {
					e.explore(b)
				}
			}
		})
	}
	e.report()
}

// TestEveryOrderOfEventsWithAnEscalation takes small stages to which an escalation adds one or two people.
func TestEveryOrderOfEventsWithAnEscalation(t *testing.T) {
	e := enumeration{t: t, leaves: true}
	part := []extent{{[][2]int{{1, 1}, {1, 2}}, []int{50}, []int{2}, []int{1}}, {[][2]int{{2, 1}}, nil, nil, []int{1}}}
	full := []extent{{[][2]int{{1, 1}, {1, 2}, {2, 1}}, []int{50, 100}, []int{2}, []int{1}}}
	for _, e.rules.Pool = range []bool{false, true} {
		pool, modes := e.rules.Pool, []QuorumMode{QuorumAll, QuorumAny, QuorumCount, QuorumPercentage}
		if pool {
			modes = modes[1:]
		}
		for _, x := range pick(part, full) {
			x.policies(modes, func(b Ballot) {
				b.Pool = pool
				variants := []Ballot{b}
				if !pool {
					variants = b.required()
				}
				for _, b = range variants {
					for _, b.Veto = range b.vetoes() {
						for _, e.helpers = range pick([]int{3 - len(b.Voters)}, []int{1, 2}) {
							e.explore(b)
						}
					}
				}
			})
		}
	}
	e.report()
}

// vetoes returns the rules that may have a veto, as far as it makes a difference: none, or the first one.
func (b Ballot) vetoes() []RuleSet {
	if b.Rejection.Vetoes() {
		return []RuleSet{0}
	}
	return []RuleSet{0, 1}
}

// place is a voter with data outside the ballot.
type place struct {
	Voter
	vacant   bool // an unassigned rescue
	delegate bool // of a pool: a delegate holds the task, or has decided it
}

// helper reports whether the person was added by an escalation and is on no rescue.
func (p place) helper() bool { return p.Added && !p.vouched() }

// vouched reports whether an admin has assigned the person.
func (p place) vouched() bool { return p.Rules == EveryRule }

func (p place) with(state VoterState) place {
	p.State = state
	return p
}

// position is where a stage stands.
type position struct {
	places  []place
	verdict Verdict
	yes     []step // the results of an approval or its preparation
	rescues int    // the maximum from here on while all voters approve
	checked bool
	due     bool // escalated
}

// step leads to another position.
type step struct{ to, rescues int }

// enumeration goes through the positions of one policy after another.
type enumeration struct {
	t        *testing.T
	leaves   bool // people leave
	delegate bool // a person outside the pool is the delegate of all members
	helpers  int  // people added by an escalation; 0 for none

	rules      Ballot
	positions  []position
	index      map[string]int
	rejectable bool
	scratch    []Voter

	policies, seen, most int
}

func (e *enumeration) report() {
	e.t.Logf("%d policies, %d positions, at most %d rescues while all voters approve", e.policies, e.seen, e.most)
}

// explore goes through every position of a stage with these people.
func (e *enumeration) explore(rules Ballot) {
	e.rules, e.positions, e.index, e.rejectable = rules, e.positions[:0], map[string]int{}, false
	places := make([]place, len(rules.Voters))
	for i, v := range rules.Voters {
		places[i] = place{Voter: v}.with(VoterPending)
		if rules.Pool {
			places[i].State = VoterFree
		}
	}
	e.reach(places, CauseOther, false)
	for i := 0; i < len(e.positions); i++ {
		if e.helpers > 0 && e.positions[i].verdict == VerdictUndecided && !e.positions[i].due {
			e.escalate(i)
		}
		switch {
		case e.positions[i].verdict != VerdictUndecided:
		case rules.Pool:
			e.queue(i)
		default:
			e.actOnTasks(i)
		}
	}
	if !e.rejectable {
		e.fail("no voter can ever reject", places)
	}
	for i := range e.positions {
		if e.positions[i].verdict == VerdictUndecided {
			e.most = max(e.most, e.approving(i))
		}
	}
	e.policies++
	e.seen += len(e.positions)
}

// actOnTasks applies the possible events to a stage with assignment each.
func (e *enumeration) actOnTasks(i int) {
	places := e.positions[i].places
	for n, p := range places {
		if p.State != VoterPending || n > 0 && p == places[n-1] {
			continue
		}
		e.step(i, n, p.with(VoterApproved), CauseOther, true)
		e.step(i, n, p.with(VoterIneligible), CauseVote, false) // its time is over
		if p.Rescue {
			e.step(i, n, p.with(VoterRejected), CauseRescuerVote, false)
			continue
		}
		e.step(i, n, p.with(VoterRejected), CauseVote, false)
		e.step(i, n, p.with(VoterAbstained), CauseVote, false)
		if p.helper() {
			e.helperLeaves(i, n)
			continue
		}
		p.Rules, p.Rescue = EveryRule, true // a departure leaves a rescue
		e.step(i, n, p, CauseOther, false)
	}
}

// escalate adds people that satisfy every rule without required. In a pool, unassigned rescues without which the
// quorum stays reachable close.
func (e *enumeration) escalate(i int) {
	before := e.ballot(e.positions[i].places).Count().Need
	places := slices.Clone(e.positions[i].places)
	state := VoterPending
	if e.rules.Pool {
		state = VoterFree
	}
	for range e.helpers {
		places = append(places, place{Voter: Voter{State: state, Rules: e.optional(), Added: true}})
	}
	for n := len(places) - 1; n >= 0; n-- {
		if fewer := slices.Delete(slices.Clone(places), n, n+1); places[n].vacant && e.ballot(fewer).Judge() != VerdictUnreachable {
			places = fewer
		}
	}
	if after := e.ballot(places).Count().Need; after != before {
		e.fail("an escalation changes the need", places)
	}
	at, rescues := e.reach(places, CauseOther, true)
	if p := e.positions[at]; p.verdict != VerdictUndecided || rescues > 0 {
		e.fail("an escalation decides the stage or makes rescues", p.places)
	}
	open, claimants := e.ballot(places).Tasks()
	waits := slices.ContainsFunc(places, func(p place) bool { return p.vacant })
	free := slices.ContainsFunc(places, func(p place) bool { return p.State == VoterFree && !p.helper() })
	if e.rules.Pool && waits && !free && (open == 0 || e.optional()&claimants == 0) {
		e.fail("a rescue keeps the added people from acting", places)
	}
}

// optional returns the rules with optional voters.
func (e *enumeration) optional() (rules RuleSet) {
	for _, v := range e.rules.Voters {
		if !v.Required {
			rules |= v.Rules
		}
	}
	return rules
}

// helperLeaves closes the seat of a voter added by an escalation.
func (e *enumeration) helperLeaves(i, n int) {
	places := slices.Delete(slices.Clone(e.positions[i].places), n, n+1)
	short := e.ballot(places).Judge() == VerdictUnreachable
	if _, rescues := e.reach(places, CauseOther, e.positions[i].due); rescues > 0 && !short {
		e.fail("a departed added voter becomes a rescue", places)
	}
}

// queue applies the possible events to a pool.
func (e *enumeration) queue(i int) {
	places := e.positions[i].places
	open, claimants := e.ballot(places).Tasks()
	delegated, rescue := false, -1
	for n, p := range places {
		delegated = delegated || p.delegate
		if p.vacant {
			rescue = n
		}
	}
	able := 0
	for n, p := range places {
		switch {
		case p.vacant:
			p.vacant = false
			e.step(i, n, p, CauseOther, true) // an admin assigns a new person
		case p.State == VoterPending:
			e.held(i, n, p)
		case p.State == VoterFree:
			if open > 0 && p.Rules&claimants != 0 {
				able++
				taken := p.with(VoterPending)
				taken.Rescue = p.vouched()
				e.step(i, n, taken, CauseOther, true)
				if e.delegate && !delegated && !p.Added {
					taken.delegate = true
					e.step(i, n, taken, CauseOther, true)
				}
			}
			e.leave(i, n, p)
			if rescue >= 0 { // an admin puts a candidate on a rescue
				put := p.with(VoterPending)
				put.Rules, put.Rescue = EveryRule, true
				e.move(i, n, put, rescue)
			}
		}
	}
	if able < min(open, 1) {
		e.fail("an open task has no eligible claimant", places)
	}
}

// held applies the actions of the holder of a pool task.
func (e *enumeration) held(i, n int, p place) {
	e.step(i, n, p.with(VoterApproved), CauseOther, true)
	if p.Rescue {
		e.step(i, n, p.with(VoterRejected), CauseRescuerVote, false)
	} else {
		e.step(i, n, p.with(VoterRejected), CauseVote, false)
		e.step(i, n, p.with(VoterAbstained), CauseVote, false)
	}
	back := p.with(VoterFree)
	back.Rescue, back.delegate = false, false
	e.step(i, n, back, CauseOther, false)
	e.leave(i, n, p)
}

func (e *enumeration) leave(i, n int, p place) {
	if e.leaves {
		p.Rescue, p.delegate = false, false
		e.step(i, n, p.with(VoterIneligible), CauseOther, false)
	}
}

// move puts a person of a pool in the place of a rescue.
func (e *enumeration) move(i, n int, p place, rescue int) {
	places := slices.Clone(e.positions[i].places)
	places[n] = p
	e.follow(i, slices.Delete(places, rescue, rescue+1), CauseOther, true)
}

// step changes the place n of the position i. yes marks the steps on a path of
// approvals.
func (e *enumeration) step(i, n int, p place, cause Cause, yes bool) {
	places := slices.Clone(e.positions[i].places)
	places[n] = p
	e.follow(i, places, cause, yes)
}

func (e *enumeration) follow(i int, places []place, cause Cause, yes bool) {
	to, rescues := e.reach(places, cause, e.positions[i].due)
	if yes {
		e.positions[i].yes = append(e.positions[i].yes, step{to, rescues})
	}
}

// reach judges a stage to which something has happened, and returns its position with
// the number of rescues that were made.
func (e *enumeration) reach(places []place, cause Cause, due bool) (at, made int) {
	b := e.ballot(places)
	judged := b.Judge()
	if judged == VerdictUnreachable {
		e.checkUnreachable(b, places)
	}
	verdict, rescues := b.Settle(cause)
	if verdict == VerdictRejected && judged != VerdictRejected && cause == CauseOther {
		e.fail("rejected because of a departure or a rescue", places)
	}
	for _, r := range rescues {
		if r.Replaces >= 0 {
			places[r.Replaces].Replaced = true
		}
		v := Voter{State: VoterPending, Rules: EveryRule, Required: r.Required, Added: true, Rescue: true}
		places = append(places, place{Voter: v, vacant: e.rules.Pool})
	}
	places = e.order(places)
	key := e.key(places, verdict, due)
	if at, known := e.index[key]; known {
		return at, len(rescues)
	}
	e.index[key] = len(e.positions)
	e.positions = append(e.positions, position{places: places, verdict: verdict, due: due})
	switch b := e.ballot(places); verdict {
	case VerdictApproved:
		e.checkApproved(b, places)
	case VerdictRejected:
		e.rejectable = true
	case VerdictUndecided:
		e.checkUndecided(b, places)
	default:
		e.fail("settled as "+string(verdict), places)
	}
	return len(e.positions) - 1, len(rescues)
}

// ballot is valid until the next one.
func (e *enumeration) ballot(places []place) Ballot {
	b := e.rules
	e.scratch = e.scratch[:0]
	for i, p := range places {
		switch {
		case p.State != VoterApproved && p.State != VoterRejected && p.State != VoterAbstained:
		case p.delegate:
			p.Actor = "delegate"
		default:
			p.Actor = Names[i]
		}
		e.scratch = append(e.scratch, p.Voter)
	}
	b.Voters = e.scratch
	return b
}

// order normalizes the order of the voters, in a pool the order of the later members. Lost later
// members are dropped.
func (e *enumeration) order(places []place) []place {
	places = slices.DeleteFunc(places, func(p place) bool { return p.Added && p.State == VoterIneligible && (!p.Required || p.Replaced) })
	alike := places
	if e.rules.Pool {
		alike = places[len(e.rules.Voters):]
	}
	slices.SortFunc(alike, func(a, b place) int { return int(a.code()) - int(b.code()) })
	return places
}

func (e *enumeration) key(places []place, v Verdict, due bool) string {
	key := make([]byte, 0, 2*len(places)+2)
	for _, p := range places {
		key = binary.BigEndian.AppendUint16(key, p.code())
	}
	if due {
		key = append(key, 1)
	}
	return string(append(key, v[0]))
}

// code is different for different places.
func (p place) code() uint16 {
	code := uint16(slices.Index([]VoterState{VoterFree, VoterPending, VoterApproved, VoterRejected, VoterAbstained,
		VoterIneligible}, p.State)) // #nosec G115 -- 0 to 5
	for _, is := range []bool{p.vouched(), p.Required, p.Added, p.Rescue, p.Replaced, p.vacant, p.delegate, p.Rules&1 != 0, p.Rules&2 != 0} {
		code <<= 1
		if is {
			code |= 1
		}
	}
	return code
}

func (e *enumeration) fail(what string, places []place) {
	e.t.Helper()
	rules := e.rules
	rules.Voters = nil
	e.t.Fatalf("%s\nrules  %+v\nstart  %+v\nplaces %+v", what, rules, e.rules.Voters, places)
}

// checkUnreachable searches approvals and abstentions that would approve a stage with the verdict
// out of reach.
func (e *enumeration) checkUnreachable(b Ballot, places []place) {
	b.Voters = slices.Clone(b.Voters)
	var try func(i int) bool
	try = func(i int) bool {
		if i == len(b.Voters) {
			return b.Judge() == VerdictApproved
		}
		v := b.Voters[i]
		if !v.MayApprove() {
			return try(i + 1)
		}
		b.Voters[i].State, b.Voters[i].Actor = VoterApproved, Names[i]
		found := try(i + 1)
		if b.Voters[i].State = VoterAbstained; !found && !v.Rescue {
			found = try(i + 1)
		}
		b.Voters[i] = v
		return found
	}
	if try(0) {
		e.fail("out of reach too early", places)
	}
}

// checkApproved counts the approvals by the start of the stage.
func (e *enumeration) checkApproved(b Ballot, places []place) {
	actors := map[string]RuleSet{}
	rejections, required, starting, kept, vetoed := 0, 0, 0, 0, false
	for _, v := range b.Voters {
		switch v.State {
		case VoterApproved:
			actors[v.Actor] = v.Rules
			if v.Required {
				required++
			}
		case VoterRejected:
			rejections++
			vetoed = vetoed || v.Rules&b.Veto != 0 || v.Added && !b.Pool && b.Veto != 0
		}
		if !v.Added {
			starting++
		}
	}
	for _, v := range e.rules.Voters {
		if v.Required {
			required--
		}
	}
	people := make([]RuleSet, 0, len(actors))
	for _, rules := range actors {
		people = append(people, rules)
	}
	for _, least := range b.Minimums {
		kept += least
	}
	switch r := b.Rejection; {
	case starting != len(e.rules.Voters):
		e.fail("the start has changed", places)
	case len(people) < Need(b):
		e.fail("approved by too few people", places)
	case required != 0:
		e.fail("approved without a required voter", places)
	case Most(b.Minimums, people) < kept:
		e.fail("approved without a rule's minimum", places)
	case r.Mode == RejectionCount && rejections >= r.Value || r.Mode == RejectionVeto && rejections > 0:
		e.fail("approved against the rejections", places)
	case vetoed:
		e.fail("approved against a veto", places)
	}
}

// checkUndecided requires a person able to act.
func (e *enumeration) checkUndecided(b Ballot, places []place) {
	if again, rescues := b.Settle(CauseVote); again != VerdictUndecided || len(rescues) > 0 {
		e.fail("out of reach in spite of its rescues", places)
	}
	pending, joined := 0, 0
	for _, p := range places {
		if p.State == VoterPending {
			pending++
		}
		if p.Added {
			joined++
		}
	}
	open, _ := b.Tasks()
	if pending == 0 && (open == 0 || !b.Pool) {
		e.fail("undecided, and no person can act", places)
	}
	if joined > 2*len(e.rules.Voters)+3+e.helpers {
		e.fail("rescues without end", places)
	}
}

// approving follows every order of approvals by all voters, and returns the number of rescues
// on the way.
func (e *enumeration) approving(i int) int {
	p := &e.positions[i]
	if p.checked || p.verdict == VerdictApproved {
		return p.rescues
	}
	if p.verdict == VerdictRejected || len(p.yes) == 0 {
		e.fail("all voters approve, and the stage is not approved", p.places)
	}
	p.checked = true
	for _, s := range p.yes {
		p.rescues = max(p.rescues, s.rescues+e.approving(s.to))
	}
	return p.rescues
}
