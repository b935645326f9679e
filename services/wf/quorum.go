package wf

import "slices"

// QuorumMode says how the number of approvals that a stage needs is found.
type QuorumMode string

// The quorum modes. N is the number of seats that the stage started with, b the
// abstentions among them.
const (
	QuorumAll        QuorumMode = "all"        // N-b; the default
	QuorumAny        QuorumMode = "any"        // 1
	QuorumCount      QuorumMode = "count"      // value
	QuorumPercentage QuorumMode = "percentage" // value % of N-b, rounded up
)

// Quorum says when a stage is approved.
type Quorum struct {
	Mode         QuorumMode `json:"mode,omitempty" enum:"all,any,count,percentage" doc:"all when absent"`
	Value        int        `json:"value,omitempty" doc:"count and percentage: 1 to 100"`
	MinApprovals int        `json:"min_approvals,omitempty" doc:"Never fewer approvals than this; 1 when absent."`
	WaitForAll   bool       `json:"wait_for_all,omitempty" doc:"Judge only when every seat has decided, unless a rejection decides."`
}

// RejectionMode says when rejections end a stage.
type RejectionMode string

// The rejection modes.
const (
	RejectVeto        RejectionMode = "veto"        // one is enough; the default
	RejectCount       RejectionMode = "count"       // value of them
	RejectUnreachable RejectionMode = "unreachable" // as many as make the quorum impossible
)

// OnUnreachable says what follows when the quorum can no longer be reached.
type OnUnreachable string

// An unreachable quorum rejects the stage, or blocks it until an admin helps.
const (
	UnreachableReject OnUnreachable = "reject"
	UnreachableBlock  OnUnreachable = "block"
)

// Rejection says when a stage is rejected.
type Rejection struct {
	Mode          RejectionMode `json:"mode,omitempty" enum:"veto,count,unreachable" doc:"veto when absent"`
	Value         int           `json:"value,omitempty" doc:"count: 1 to 100"`
	OnUnreachable OnUnreachable `json:"on_unreachable,omitempty" enum:"reject,block" doc:"reject when absent"`
}

// SeatState is where a seat stands in the count.
type SeatState string

// The states of a seat. A lost seat has ended without a decision and still counts
// in N: losing approvers must not weaken a quorum.
const (
	SeatOpen      SeatState = "open"
	SeatApproved  SeatState = "approved"
	SeatRejected  SeatState = "rejected"
	SeatAbstained SeatState = "abstained"
	SeatLost      SeatState = "lost"
)

// Seat is what the quorum counts: one task of the stage.
type Seat struct {
	State    SeatState
	Person   string // who decided; approvals count by distinct person
	Rules    []int  // the approver rules that the holder, or any possible holder, came from
	Required bool
	Added    bool // joined after the start: it may help, and never raises the need
}

// Verdict is what the seats of a stage amount to.
type Verdict string

// The verdicts. Undecided means that a seat is open and its decision can matter.
const (
	Undecided   Verdict = "undecided"
	Approved    Verdict = "approved"
	Rejected    Verdict = "rejected"
	Unreachable Verdict = "unreachable"
)

// Count is how the seats of a stage stand.
type Count struct {
	Need        int `json:"need"`
	Seats       int `json:"seats"`
	Approvals   int `json:"approvals"`
	Rejections  int `json:"rejections"`
	Abstentions int `json:"abstentions"`
	Open        int `json:"open"`
}

// Ballot is a stage's rules of counting with the seats to count.
type Ballot struct {
	Quorum    Quorum
	Rejection Rejection
	Minimums  []int // min_approvals by rule
	Seats     []Seat
}

// Count counts the seats.
func (b Ballot) Count() Count {
	count := Count{Seats: len(b.Seats)}
	original, abstained := 0, 0
	people := map[string]bool{}
	for _, seat := range b.Seats {
		if !seat.Added {
			original++
		}
		switch seat.State {
		case SeatOpen:
			count.Open++
		case SeatApproved:
			people[seat.Person] = true
		case SeatRejected:
			count.Rejections++
		case SeatAbstained:
			count.Abstentions++
			if !seat.Added {
				abstained++
			}
		}
	}
	count.Approvals = len(people)
	count.Need = b.Quorum.need(original - abstained)
	return count
}

// need returns the approvals needed of n seats that have not abstained.
func (q Quorum) need(n int) int {
	least := max(q.MinApprovals, 1)
	switch q.Mode {
	case QuorumAny:
		return least
	case QuorumCount:
		return max(least, q.Value)
	case QuorumPercentage:
		return max(least, (q.Value*n+99)/100)
	default:
		return max(least, n)
	}
}

// Judge says what the seats amount to. It depends on nothing but the ballot, so
// an outcome can be recomputed from the stored decisions.
//
// Two things hold for every ballot: while it is Undecided a seat is open, and
// Unreachable is said only when no further decision could approve the stage.
func (b Ballot) Judge() Verdict {
	count := b.Count()
	switch {
	case b.Rejection.rejects(count.Rejections):
		return Rejected
	case b.Quorum.WaitForAll && count.Open > 0:
		return Undecided
	case b.met(false):
		return Approved
	case b.met(true):
		return Undecided
	default:
		return Unreachable
	}
}

// met reports whether there are approvals enough, one of every required seat among
// them, and people for the rules' minimums; with open, as if every open seat
// approved.
func (b Ballot) met(open bool) bool {
	count, slots := b.Count(), 0
	if open {
		count.Approvals += count.Open
	}
	for _, least := range b.Minimums {
		slots += least
	}
	missing := func(s Seat) bool { return s.Required && !s.counts(open) }
	return count.Approvals >= count.Need && !slices.ContainsFunc(b.Seats, missing) && b.match(open) == slots
}

// counts reports whether the seat approved; with open, or still may.
func (s Seat) counts(open bool) bool {
	return s.State == SeatApproved || open && s.State == SeatOpen
}

func (r Rejection) rejects(rejections int) bool {
	switch r.Mode {
	case RejectCount:
		return rejections >= r.Value
	case RejectUnreachable:
		return false
	default:
		return rejections > 0
	}
}

// match returns how many of the rules' minimums those who approved can fill, each
// person at most one; with open, the open seats count as if they approved.
func (b Ballot) match(open bool) int {
	var slots []int // one entry for every approval that a rule needs
	for rule, least := range b.Minimums {
		for range least {
			slots = append(slots, rule)
		}
	}
	var people [][]int
	index := map[string]int{}
	for _, seat := range b.Seats {
		i, known := index[seat.Person]
		switch {
		case !seat.counts(open):
		case seat.State == SeatApproved && known:
			people[i] = slices.Concat(people[i], seat.Rules)
		default:
			if seat.State == SeatApproved {
				index[seat.Person] = len(people)
			}
			people = append(people, seat.Rules)
		}
	}
	matched := 0
	for _, filled := range fill(slots, people) {
		if filled {
			matched++
		}
	}
	return matched
}

// fill gives each slot, which is kept for one rule's people, to at most one person,
// who came from the rules named for him. It fills as many slots as can be filled
// and says which.
//
// This is a maximum matching (augmenting paths): filling greedily calls a stage
// unreachable when another choice would have filled every slot.
func fill(slots []int, people [][]int) []bool {
	holder := make([]int, len(slots)) // slot → person, counted from 1
	var place func(person int, tried []bool) bool
	place = func(person int, tried []bool) bool {
		for slot, rule := range slots {
			if tried[slot] || !slices.Contains(people[person-1], rule) {
				continue
			}
			tried[slot] = true
			if holder[slot] == 0 || place(holder[slot], tried) {
				holder[slot] = person
				return true
			}
		}
		return false
	}
	for person := range people {
		place(person+1, make([]bool, len(slots)))
	}
	filled := make([]bool, len(slots))
	for slot, person := range holder {
		filled[slot] = person > 0
	}
	return filled
}

func (q Quorum) validate(v *validation, pointer string, s Stage) {
	switch q.Mode {
	case QuorumCount, QuorumPercentage:
		if q.Value < 1 || q.Value > 100 {
			v.add(pointer+"/value", "must be between 1 and 100 with mode %s", q.Mode)
		}
	default:
		if q.Value != 0 {
			v.add(pointer+"/value", "applies to the modes count and percentage alone")
		}
	}
	if q.MinApprovals < 0 || q.MinApprovals > maxSeats {
		v.add(pointer+"/min_approvals", "must be between 1 and %d", maxSeats)
	}
	if s.Assignment == Pool && (q.Mode == QuorumAll || q.Mode == "") {
		v.add(pointer+"/mode", "a pool needs any, count or percentage: all of a pool would have to claim")
	}
	if s.Assignment == Pool && q.WaitForAll {
		v.add(pointer+"/wait_for_all", "needs assignment each: a pool does not wait for everybody")
	}
	ruled := 0
	for _, rule := range s.Approvers {
		ruled += min(max(rule.MinApprovals, 0), maxSeats+1)
	}
	if ruled > maxSeats {
		v.add(pointer, "the rules' min_approvals sum to %d, over the limit of %d", ruled, maxSeats)
	}
	if q.Mode == QuorumCount && ruled > q.Value {
		v.add(pointer+"/value", "is %d, but the rules' min_approvals need %d", q.Value, ruled)
	}
	named, known := s.users()
	if !known {
		return
	}
	people := len(named)
	switch {
	case s.Assignment == Pool && people > maxPool:
		v.add(pointer, "%d approvers are too many; a pool takes at most %d", people, maxPool)
	case s.Assignment != Pool && people > maxSeats:
		v.add(pointer, "%d approvers need assignment pool; each takes at most %d", people, maxSeats)
	}
	if q.Mode == QuorumCount && q.Value > people {
		v.add(pointer+"/value", "is %d, but the stage names %d people", q.Value, people)
	}
	if q.MinApprovals > people {
		v.add(pointer+"/min_approvals", "is %d, but the stage names %d people", q.MinApprovals, people)
	}
	if ruled <= maxSeats {
		ballot := Ballot{Minimums: s.minimums()}
		for _, person := range named {
			ballot.Seats = append(ballot.Seats, Seat{State: SeatOpen, Rules: person.Rules})
		}
		if filled := ballot.match(true); filled < ruled {
			v.add(pointer, "the rules' min_approvals need %d people, but the stage names only %d for them", ruled, filled)
		}
	}
}

func (r Rejection) validate(v *validation, pointer string, s Stage) {
	if r.Mode == RejectCount {
		if r.Value < 1 || r.Value > 100 {
			v.add(pointer+"/value", "must be between 1 and 100 with mode count")
		} else if named, known := s.users(); known && s.Assignment == Pool && r.Value > len(named) {
			v.warn(pointer+"/value", "is %d, but the stage names %d people: so many rejections cannot come together", r.Value, len(named))
		}
	} else if r.Value != 0 {
		v.add(pointer+"/value", "applies to the mode count alone")
	}
}
