package wf

import (
	"slices"
	"time"
)

// StageStatus is where a StageRun stands.
type StageStatus string

// The states of a stage run. All but pending, resolving, active and blocked are
// final.
const (
	StagePending   StageStatus = "pending"   // not reached yet
	StageResolving StageStatus = "resolving" // reached, and who may approve cannot be found out now; it is tried again
	StageActive    StageStatus = "active"    // people are asked
	StageBlocked   StageStatus = "blocked"   // too few people; a rescue task waits for an admin
	StageApproved  StageStatus = "approved"  //
	StageRejected  StageStatus = "rejected"  //
	StageSkipped   StageStatus = "skipped"   // when was false, or nobody was there and on_empty says skip
	StageExpired   StageStatus = "expired"   // the request expired
	StageCancelled StageStatus = "cancelled" // the request was cancelled or sent back
)

// running reports whether people can still decide in the stage.
func (s StageStatus) running() bool { return s == StageActive || s == StageBlocked }

// Waits between two tries to find out who may approve: each as long as all before it
// together, within these bounds.
const (
	minRetry = 5 * time.Second
	maxRetry = 5 * time.Minute
)

// wait puts a stage off whose approvers cannot be found out now.
func (s StageRun) wait(why string, now time.Time) StageRun {
	if s.Status != StageResolving {
		s.Status, s.StartedAt = StageResolving, now
	}
	s.LastError, s.RetryAt = why, now.Add(min(max(now.Sub(s.StartedAt), minRetry), maxRetry))
	return s
}

// StageRun is one passage of a request through a stage. A resubmitted request may
// run a stage again.
type StageRun struct {
	ID            string
	Key           string
	Name          string
	Run           int // 1 for the first passage
	Status        StageStatus
	ParallelGroup string

	// People may hold a seat: resolved when the stage starts, without those in
	// Excluded, with delegates in the place of those whom they stand in for.
	People   []Approver
	Excluded []Exclusion

	// Need is the number of approvals of a pool, fixed at the start. Zero for
	// assignment each, where the quorum counts seats.
	Need int

	// Fallback is set when settings.fallback_approvers took the seats; the rules'
	// minimums do not apply to them.
	Fallback bool

	Count       Count // of the seats, as last judged
	Skip        *Skip
	LastError   string    // why a rule yielded nobody, or had no answer
	RetryAt     time.Time // of a resolving run: when it is tried again
	StartedAt   time.Time // of a resolving run: when it was reached
	CompletedAt time.Time
}

// Approver is a person who may hold a seat of a stage.
type Approver struct {
	User
	Rules        []int  `json:"rules"`                   // the approver rules that yielded him
	OnBehalfOf   *User  `json:"on_behalf_of,omitempty"`  // whom he stands in for
	DelegationID string `json:"delegation_id,omitempty"` //
	Shared       bool   `json:"shared,omitempty"`        // he and OnBehalfOf may both act, once
}

// mandate is the person whose voice the approver brings: his own, or the one of
// the person for whom he stands in.
func (a Approver) mandate() string { return mandate(a.User, a.OnBehalfOf) }

func mandate(holder User, onBehalfOf *User) string {
	if onBehalfOf != nil {
		return onBehalfOf.ID
	}
	return holder.ID
}

// fills reports whether the approver may take a seat of a pool with this Slot.
func (a Approver) fills(slot int) bool {
	return slot == freeSlot || slices.Contains(a.Rules, slot)
}

// Exclusion is a person whom the rules yielded and who may not approve.
type Exclusion struct {
	User   User            `json:"user"`
	Reason ExclusionReason `json:"reason" enum:"requester,submitter,repeat"`
}

// ExclusionReason says why a person may not approve.
type ExclusionReason string

// The reasons for exclusion: separation of duties, and one stage a person.
const (
	ExcludedRequester ExclusionReason = "requester"
	ExcludedSubmitter ExclusionReason = "submitter"
	ExcludedRepeat    ExclusionReason = "repeat"
)

// Skip says why a stage did not run.
type Skip struct {
	Reason string `json:"reason" enum:"when_false,empty"`
	Detail string `json:"detail,omitempty"`
}

// person returns the entry of a person who may hold a seat.
func (s StageRun) person(id string) (Approver, bool) {
	i := slices.IndexFunc(s.People, func(a Approver) bool { return a.ID == id })
	if i < 0 {
		return Approver{}, false
	}
	return s.People[i], true
}

// pooled reports whether the task belongs to the pool: whoever releases it gives it
// back to all. A task that was handed to somebody is his.
func (s StageRun) pooled(t Task) bool {
	return s.Need > 0 && t.counted() && t.ReassignCount == 0 && !t.Added
}

// candidate returns the entry of a person for whom the pool's task is, or was
// until somebody claimed it.
func (s StageRun) candidate(id string, t Task) (Approver, bool) {
	a, ok := s.person(id)
	return a, ok && s.pooled(t) && a.fills(t.Slot)
}

// union merges what the rules yielded into one list, each person once, in the
// order in which they were first named.
func union(rules [][]User) []Approver {
	var people []Approver
	index := map[string]int{}
	for rule, users := range rules {
		for _, user := range users {
			i, known := index[user.ID]
			if !known {
				i = len(people)
				index[user.ID] = i
				people = append(people, Approver{User: user})
			}
			if !slices.Contains(people[i].Rules, rule) {
				people[i].Rules = append(people[i].Rules, rule)
			}
		}
	}
	return people
}
