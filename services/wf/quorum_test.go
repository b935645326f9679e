package wf_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/countersign/countersign/services/wf"
)

var seatStates = []wf.SeatState{wf.SeatOpen, wf.SeatApproved, wf.SeatRejected, wf.SeatAbstained, wf.SeatLost}

// TestEveryBallotOfFourSeats judges every ballot of up to four seats, some of them
// required or added after the start, under every kind of quorum and rejection.
func TestEveryBallotOfFourSeats(t *testing.T) {
	var kinds []wf.Seat
	for _, state := range seatStates {
		for _, required := range []bool{false, true} {
			for _, added := range []bool{false, true} {
				kinds = append(kinds, wf.Seat{State: state, Required: required, Added: added})
			}
		}
	}
	all := ballots(kinds, 4)
	for _, quorum := range quorums(4) {
		for _, rejection := range []wf.Rejection{{}, {Mode: wf.RejectCount, Value: 2}, {Mode: wf.RejectUnreachable}} {
			all.check(t, wf.Ballot{Quorum: quorum, Rejection: rejection})
		}
	}
}

// TestEveryBallotOfThreeSeatsWithRuleMinimums adds approvals that have to come
// from the people of one rule.
func TestEveryBallotOfThreeSeatsWithRuleMinimums(t *testing.T) {
	var kinds []wf.Seat
	for _, state := range seatStates {
		for _, rules := range [][]int{nil, {0}, {1}, {0, 1}} {
			kinds = append(kinds, wf.Seat{State: state, Rules: rules})
			if rules != nil {
				kinds = append(kinds, wf.Seat{State: state, Rules: rules, Added: true})
			}
		}
	}
	all := ballots(kinds, 3)
	for _, minimums := range [][]int{{1, 0}, {1, 1}, {2, 0}, {2, 1}} {
		for _, quorum := range []wf.Quorum{{}, {Mode: wf.QuorumAny}, {Mode: wf.QuorumAny, WaitForAll: true}, {Mode: wf.QuorumCount, Value: 2}} {
			for _, rejection := range []wf.Rejection{{}, {Mode: wf.RejectUnreachable}} {
				all.check(t, wf.Ballot{Quorum: quorum, Rejection: rejection, Minimums: minimums})
			}
		}
	}
}

func TestSampledBallotsOfFiveSeats(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	quorums := quorums(5)
	for range 3000 {
		seats := make([]wf.Seat, 5)
		for i := range seats {
			seats[i] = wf.Seat{
				State: seatStates[random.IntN(len(seatStates))], Required: random.IntN(4) == 0, Added: random.IntN(4) == 0,
				Rules: [][]int{nil, {0}, {1}, {2}, {0, 1}, {1, 2}, {0, 1, 2}}[random.IntN(7)],
			}
		}
		one := ballots(nil, 0)
		one.add(seats)
		one.check(t, wf.Ballot{
			Quorum:    quorums[random.IntN(len(quorums))],
			Rejection: []wf.Rejection{{}, {Mode: wf.RejectCount, Value: 1 + random.IntN(3)}, {Mode: wf.RejectUnreachable}}[random.IntN(3)],
			Minimums:  []int{random.IntN(3), random.IntN(2), random.IntN(2)},
		})
	}
}

// quorums returns every kind of quorum that makes a difference with n seats.
func quorums(n int) []wf.Quorum {
	kinds := []wf.Quorum{{}, {Mode: wf.QuorumAll, MinApprovals: 2}, {Mode: wf.QuorumAny}, {Mode: wf.QuorumAny, MinApprovals: 2}}
	for value := range n {
		kinds = append(kinds, wf.Quorum{Mode: wf.QuorumCount, Value: value + 1})
	}
	for _, value := range []int{34, 50, 100} {
		kinds = append(kinds, wf.Quorum{Mode: wf.QuorumPercentage, Value: value})
	}
	for _, q := range slices.Clone(kinds) {
		q.WaitForAll = true
		kinds = append(kinds, q)
	}
	return kinds
}

// board is a set of ballots that is closed under decisions: whatever an open seat
// of one of them decides leads to another. A ballot follows all that it leads to.
type board struct {
	seats [][]wf.Seat
	next  [][]int // by ballot: what one decision leads to
	index map[string]int
}

// ballots returns every choice, in any number up to n, of these kinds of seat.
func ballots(kinds []wf.Seat, n int) *board {
	b := &board{index: map[string]int{}}
	var choose func(seats []wf.Seat, from int)
	choose = func(seats []wf.Seat, from int) {
		b.add(seats)
		if len(seats) == n {
			return
		}
		for kind := from; kind < len(kinds); kind++ {
			choose(append(slices.Clone(seats), kinds[kind]), kind)
		}
	}
	choose(nil, 0)
	return b
}

func (b *board) add(seats []wf.Seat) int {
	seats = slices.Clone(seats)
	key := make([]string, len(seats))
	for i, s := range seats {
		key[i] = fmt.Sprint(s.State, s.Required, s.Added, s.Rules)
	}
	slices.Sort(key)
	id := fmt.Sprint(key)
	if i, ok := b.index[id]; ok {
		return i
	}
	var next []int
	for i, s := range seats {
		if s.State != wf.SeatOpen {
			continue
		}
		for _, state := range []wf.SeatState{wf.SeatApproved, wf.SeatRejected, wf.SeatAbstained} {
			after := slices.Clone(seats)
			after[i].State = state
			next = append(next, b.add(after))
		}
	}
	for i := range seats {
		if seats[i].State == wf.SeatApproved {
			seats[i].Person = "p" + string(rune('0'+i))
		}
	}
	b.seats, b.next = append(b.seats, seats), append(b.next, next)
	b.index[id] = len(b.seats) - 1
	return b.index[id]
}

// check judges every ballot of the board by the rules of r.
func (b *board) check(t *testing.T, r wf.Ballot) {
	t.Helper()
	approvable := make([]bool, len(b.seats)) // now, or by some decisions of the open seats
	for i, seats := range b.seats {
		r.Seats = seats
		verdict := r.Judge()
		if want := judge(r); verdict != want {
			t.Fatalf("%+v is %s, want %s", r, verdict, want)
		}
		open := slices.ContainsFunc(seats, func(s wf.Seat) bool { return s.State == wf.SeatOpen })
		approvable[i] = verdict == wf.Approved || slices.ContainsFunc(b.next[i], func(n int) bool { return approvable[n] })
		switch {
		case verdict == wf.Undecided && !open:
			t.Fatalf("%+v is undecided, and no seat is open", r)
		case verdict == wf.Undecided && !approvable[i] && !r.Quorum.WaitForAll:
			t.Fatalf("%+v is undecided, and nothing can approve it", r)
		case verdict == wf.Unreachable && approvable[i]:
			t.Fatalf("%+v is called unreachable, and can be approved", r)
		}
	}
}

// judge is the table of the quorum rules, read from top to bottom.
func judge(b wf.Ballot) wf.Verdict {
	var n, abstained, approvals, rejections, open int
	requiredMet, requiredLost := true, false
	var yes, maybe [][]int
	for _, s := range b.Seats {
		if !s.Added {
			n++
		}
		switch s.State {
		case wf.SeatApproved:
			approvals++
			yes, maybe = append(yes, s.Rules), append(maybe, s.Rules)
		case wf.SeatOpen:
			open++
			maybe = append(maybe, s.Rules)
		case wf.SeatRejected:
			rejections++
		case wf.SeatAbstained:
			if !s.Added {
				abstained++
			}
		}
		if s.Required && s.State != wf.SeatApproved {
			requiredMet = false
			requiredLost = requiredLost || s.State != wf.SeatOpen
		}
	}
	need := n - abstained
	switch b.Quorum.Mode {
	case wf.QuorumAny:
		need = 1
	case wf.QuorumCount:
		need = b.Quorum.Value
	case wf.QuorumPercentage:
		need = (b.Quorum.Value*need + 99) / 100
	}
	need = max(need, 1, b.Quorum.MinApprovals)
	var slots []int
	for rule, least := range b.Minimums {
		for range least {
			slots = append(slots, rule)
		}
	}
	switch {
	case rejections > 0 && b.Rejection.Mode == "":
		return wf.Rejected
	case b.Rejection.Mode == wf.RejectCount && rejections >= b.Rejection.Value:
		return wf.Rejected
	case b.Quorum.WaitForAll && open > 0:
		return wf.Undecided
	case approvals >= need && requiredMet && most(slots, yes) == len(slots):
		return wf.Approved
	case approvals+open < need || requiredLost || most(slots, maybe) < len(slots):
		return wf.Unreachable
	default:
		return wf.Undecided
	}
}

// most tries every way to fill the slots with people, and returns how many the best
// one fills.
func most(slots []int, people [][]int) int {
	if len(slots) == 0 || len(people) == 0 {
		return 0
	}
	best := most(slots[1:], people)
	for i, rules := range people {
		if slices.Contains(rules, slots[0]) {
			best = max(best, 1+most(slots[1:], slices.Concat(people[:i], people[i+1:])))
		}
	}
	return best
}

func TestAPersonCountsOnce(t *testing.T) {
	ana := wf.Seat{State: wf.SeatApproved, Person: "ana", Rules: []int{0, 1}}
	bo := wf.Seat{State: wf.SeatApproved, Person: "bo", Rules: []int{1}}
	for name, tt := range map[string]struct {
		ballot wf.Ballot
		want   wf.Verdict
	}{
		"two approvals of two people": {wf.Ballot{Quorum: wf.Quorum{Mode: wf.QuorumCount, Value: 2}, Seats: []wf.Seat{ana, bo}}, wf.Approved},
		"two approvals of one person": {wf.Ballot{Quorum: wf.Quorum{Mode: wf.QuorumCount, Value: 2}, Seats: []wf.Seat{ana, ana}}, wf.Unreachable},
		"two rules of two people":     {wf.Ballot{Quorum: wf.Quorum{Mode: wf.QuorumAny}, Minimums: []int{1, 1}, Seats: []wf.Seat{ana, bo}}, wf.Approved},
		"two rules of one person":     {wf.Ballot{Quorum: wf.Quorum{Mode: wf.QuorumAny}, Minimums: []int{1, 1}, Seats: []wf.Seat{ana, ana}}, wf.Unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.ballot.Judge(); got != tt.want {
				t.Errorf("Judge = %s, want %s", got, tt.want)
			}
		})
	}
}
