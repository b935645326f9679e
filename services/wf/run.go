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
	StageResolving StageStatus = "resolving" // reached; who may approve is not known yet, and asked again
	StageActive    StageStatus = "active"    // people are asked
	StageBlocked   StageStatus = "blocked"   // too few people; a rescue task waits for an admin
	StageApproved  StageStatus = "approved"  //
	StageRejected  StageStatus = "rejected"  //
	StageSkipped   StageStatus = "skipped"   // when is false, or the rules yield nobody and on_empty says skip
	StageExpired   StageStatus = "expired"   // the request expired
	StageCancelled StageStatus = "cancelled" // the request was cancelled or sent back
)

// running reports whether people can still decide in the stage.
func (s StageStatus) running() bool { return s == StageActive || s == StageBlocked }

// Waits between two tries to find out who may approve. Each is as long as all before it
// together, within these bounds. A stage with too few people is looked at less often
// once it has waited for the longest.
const (
	minRetry   = 5 * time.Second
	maxRetry   = 5 * time.Minute
	staffRetry = 15 * time.Minute
)

// wait postpones a stage whose approvers cannot be found now.
func (s StageRun) wait(why string, now time.Time) StageRun {
	if s.Status != StageResolving {
		s.Status, s.StartedAt = StageResolving, now
	}
	s.LastError, s.RetryAt = why, now.Add(min(max(now.Sub(s.StartedAt), minRetry), maxRetry))
	return s
}

// lookAgain sets when a stage that has had too few people since a time is looked at
// next.
func (s StageRun) lookAgain(since, now time.Time) StageRun {
	wait := max(now.Sub(since), minRetry)
	if wait > maxRetry {
		wait = staffRetry
	}
	s.RetryAt = now.Add(wait)
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

	// People may hold a task, or take one of a pool. They are found when the stage
	// starts, without those in Excluded.
	People   []Approver
	Excluded []Exclusion

	// Observers read the request and may comment on it. They have no task, and what is
	// approved does not depend on them.
	Observers []User

	// Names holds the values of the expressions that name people, by their source. They
	// are evaluated once per run.
	Names map[string][]string

	// Minimums is how many approvals each rule's people have to give in this run. A
	// rule that failed, or that is required and yields nobody, needs at least one.
	Minimums []int

	// Wanted holds, for a pool, the rules whose people may take a task now; zero when
	// no task is unassigned.
	Wanted int64

	// Pool is set for assignment pool.
	Pool bool

	// Fallback is set when settings.fallback_approvers were asked as well.
	Fallback bool

	Count       Count // of the voters, as last judged
	Skip        *Skip
	LastError   string    // what went wrong with the rules, or with when
	RetryAt     time.Time // when the stage is tried again; zero for one that waits for people
	StartedAt   time.Time // of a resolving run: when the stage was reached
	CompletedAt time.Time
}

// Approver is a person who may approve a stage.
type Approver struct {
	User
	Rules    []int `json:"rules"`              // the approver rules that yielded them
	Required bool  `json:"required,omitempty"` // has to approve; only with assignment each
	Added    bool  `json:"added,omitempty"`    // joined after the start
	Fallback bool  `json:"fallback,omitempty"` // one of settings.fallback_approvers
	Given    bool  `json:"given,omitempty"`    // somebody gave them the place: no rule yields them
	Lost     bool  `json:"lost,omitempty"`     // has left, or the rules do not yield them any more

	// PlacedBy is the admin who put them on a rescue task: they fit every rule then.
	PlacedBy *User `json:"placed_by,omitempty"`

	// StandIn may act for them by a delegation. With assignment each, StandIn holds the
	// task, unless they share it. In a pool, whoever acts first acts.
	StandIn      *User  `json:"stand_in,omitempty"`
	DelegationID string `json:"delegation_id,omitempty"`
	Shared       bool   `json:"shared,omitempty"`
}

// fits returns the rules that the approver's approval counts for.
func (a Approver) fits() ruleSet {
	if a.PlacedBy != nil {
		return everyRule
	}
	return rulesOf(a.Rules)
}

// stands reports whether the person with the id may act for the approver.
func (a Approver) stands(id string) bool { return a.StandIn != nil && a.StandIn.ID == id }

// succeeded is the place after it was given to somebody else.
func (a Approver) succeeded(to User) Approver {
	a.User, a.Given = to, true
	return a.alone()
}

// Exclusion is a person whom the rules yielded and who may not approve.
type Exclusion struct {
	User   User            `json:"user" doc:"Who is excluded."`
	Reason ExclusionReason `json:"reason" enum:"requester,submitter,repeat" doc:"Why they may not approve: they ask for approval, submitted the request, or approved an earlier stage."`
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
	Reason string `json:"reason" enum:"when_false,empty" doc:"The stage's condition is false, or it has no approvers."`
	Detail string `json:"detail,omitempty" doc:"More about the reason, for people."`
}

// Owns reports whether a task is one of the run.
func (s StageRun) Owns(t Task) bool { return t.StageKey == s.Key && t.StageRun == s.Run }

// users are the people of the run.
func (s StageRun) users() []User {
	users := make([]User, len(s.People))
	for i, a := range s.People {
		users[i] = a.User
	}
	return users
}

// entry returns the place of a person among the people of the run, or -1.
func (s StageRun) entry(id string) int {
	return slices.IndexFunc(s.People, func(a Approver) bool { return a.ID == id })
}

// Concerns reports whether the person may approve the stage, now or later, for
// themselves or for somebody else.
func (s StageRun) Concerns(id string) bool {
	return slices.ContainsFunc(s.People, func(a Approver) bool { return a.ID == id || a.stands(id) })
}

// Takers returns who may take an unassigned task of a pool now, in the order of the
// rules. tasks has at least the tasks of the run.
func (s StageRun) Takers(tasks []Task) []Taker {
	if !s.Pool || !s.Status.running() || s.Wanted == 0 {
		return nil
	}
	used := s.used(tasks)
	takers := make([]Taker, 0, len(s.People))
	for _, a := range s.People {
		if a.Lost || used[a.ID] || a.fits()&ruleSet(s.Wanted) == 0 { // #nosec G115 -- a set of bits
			continue
		}
		takers = append(takers, Taker{User: a.User})
		if a.StandIn != nil && !used[a.StandIn.ID] {
			takers = append(takers, Taker{User: *a.StandIn, For: &a.User})
		}
	}
	return takers
}

// Offered returns who may take one task of the run now: nobody unless it is an open one
// that nobody has taken. tasks holds at least those of the run.
func (s StageRun) Offered(t Task, tasks []Task) []Taker {
	if t.Assignee != nil || t.Kind != ApproverTask || t.Status != TaskOpen {
		return nil
	}
	return s.Takers(tasks)
}

// WantedRules returns the indexes of the rules whose people may take a task of a pool
// now. rules is how many rules the stage has.
func (s StageRun) WantedRules(rules int) []int {
	return ruleSet(s.Wanted).indexes(rules) // #nosec G115 -- a set of bits
}

// Taker is a person who may take a task of a pool, for themselves or for somebody else.
type Taker struct {
	User
	For *User
}

// used returns the people who have a task of the run in hand or have decided one, and
// those for whom somebody has. Nobody acts twice.
func (s StageRun) used(tasks []Task) map[string]bool {
	used := map[string]bool{}
	for _, t := range tasks {
		if !s.Owns(t) || !t.Status.live() && t.Status != TaskCompleted || t.Assignee == nil {
			continue
		}
		used[t.Assignee.ID] = true
		if t.OnBehalfOf != nil {
			used[t.OnBehalfOf.ID] = true
		}
		if t.Decision != nil && t.Decision.Actor.Kind != ActorSystem {
			used[t.Decision.Actor.ID] = true
		}
	}
	return used
}
