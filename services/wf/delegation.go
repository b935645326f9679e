package wf

import (
	"path"
	"slices"
	"time"
)

// DelegationMode says what becomes of the person who delegates.
type DelegationMode string

// Replace gives the delegate the seat. Share lets both act on it; the first wins.
const (
	Replace DelegationMode = "replace"
	Share   DelegationMode = "share"
)

// DelegationStatus is where a Delegation stands.
type DelegationStatus string

// The states of a delegation. They follow from its dates and from its revocation.
const (
	DelegationScheduled DelegationStatus = "scheduled"
	DelegationActive    DelegationStatus = "active"
	DelegationEnded     DelegationStatus = "ended"
	DelegationRevoked   DelegationStatus = "revoked"
)

// maxDelegation is the longest window of a delegation.
const maxDelegation = 366 * 24 * time.Hour

// Delegation lets DelegateTo stand in for User from StartsAt until EndsAt.
type Delegation struct {
	ID         string
	User       User
	DelegateTo User
	StartsAt   time.Time
	EndsAt     time.Time
	Reason     string
	Scope      Scope
	Mode       DelegationMode

	ApplyToOpen bool // tasks that are open at the start go to the delegate
	ReturnOnEnd bool // tasks that he has not claimed come back at the end

	Started bool // ApplyToOpen has been done
	Closed  bool // ReturnOnEnd has been done

	RoutedOpenTasks int // how many open tasks went to the delegate at the start
	Warnings        []string

	CreatedBy, RevokedBy            User
	CreatedAt, UpdatedAt, RevokedAt time.Time
}

// Scope narrows a delegation. An empty list does not narrow.
type Scope struct {
	PolicyKeys    []string `json:"policy_keys,omitempty" maxItems:"50" doc:"Patterns such as disbursement.*"`
	StageKeys     []string `json:"stage_keys,omitempty" maxItems:"50"`
	ArtifactTypes []string `json:"artifact_types,omitempty" maxItems:"50"`
}

// Check refuses a window or a person that can never be right. Loops are accepted:
// two crossing delegations could form one anyway, so resolution breaks them.
func (d Delegation) Check(now time.Time) error {
	refuse := func(member, message string) error {
		return RefuseInput("value_error", []any{"body", member}, "%s", message)
	}
	if err := CheckUserID(d.User.ID); err != nil {
		return refuse("user_id", err.Error())
	}
	if err := CheckUserID(d.DelegateTo.ID); err != nil {
		return refuse("delegate_to", err.Error())
	}
	switch {
	case d.DelegateTo.ID == d.User.ID:
		return refuse("delegate_to", "Value error, a person cannot delegate to himself")
	case !d.EndsAt.After(d.StartsAt):
		return refuse("ends_at", "Value error, must be later than starts_at")
	case !d.EndsAt.After(now):
		return refuse("ends_at", "Value error, must be in the future")
	case d.EndsAt.Sub(d.StartsAt) > maxDelegation:
		return refuse("ends_at", "Value error, a delegation lasts at most 366 days")
	}
	for i, pattern := range d.Scope.PolicyKeys {
		if _, err := path.Match(pattern, ""); err != nil {
			return RefuseInput("value_error", []any{"body", "scope", "policy_keys", i}, "Value error, is not a pattern")
		}
	}
	return nil
}

// Status returns where the delegation stands at a time.
func (d Delegation) Status(now time.Time) DelegationStatus {
	switch {
	case !d.RevokedAt.IsZero():
		return DelegationRevoked
	case !now.Before(d.EndsAt):
		return DelegationEnded
	case now.Before(d.StartsAt):
		return DelegationScheduled
	default:
		return DelegationActive
	}
}

// Revoke ends a delegation early.
func (d Delegation) Revoke(by User, at time.Time) (Delegation, error) {
	if s := d.Status(at); s == DelegationEnded || s == DelegationRevoked {
		return d, Refuse(DelegationNotFound, "delegation %s has ended", d.ID)
	}
	d.RevokedBy, d.RevokedAt, d.UpdatedAt = by, at, at
	return d, nil
}

// covers reports whether the delegation is in force and in scope.
func (d Delegation) covers(now time.Time, policyKey, stageKey, artifactType string) bool {
	matches := func(patterns []string, s string) bool {
		return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
			ok, err := path.Match(p, s)
			return ok && err == nil
		})
	}
	return d.Status(now) == DelegationActive &&
		matches(d.Scope.PolicyKeys, policyKey) &&
		matches(d.Scope.StageKeys, stageKey) &&
		matches(d.Scope.ArtifactTypes, artifactType)
}

// leave returns the candidates of a pool without the delegate, and whether he was
// one of them. Whom he replaced is a candidate again.
func (d Delegation) leave(people []Approver) (left []Approver, was bool) {
	for _, a := range people {
		if a.DelegationID != d.ID {
			left = append(left, a)
			continue
		}
		was = true
		if !a.Shared {
			left = append(left, Approver{User: *a.OnBehalfOf, Rules: a.Rules})
		}
	}
	return left, was
}

// route finds who stands in for user: it follows at most hops delegations, newest
// first, and stops at the last person who is fit. Without one it returns false,
// and the seat stays where it is. Someone already passed is never passed again, so
// loops end.
func route(user User, delegations []Delegation, hops int, covers func(Delegation) bool, fit func(User) bool) (Delegation, bool) {
	var found Delegation
	ok := false
	visited := map[string]bool{user.ID: true}
	for at := user; hops > 0; hops-- {
		var next *Delegation
		for i, d := range delegations {
			if d.User.ID == at.ID && !visited[d.DelegateTo.ID] && covers(d) && (next == nil || newer(d, *next)) {
				next = &delegations[i]
			}
		}
		if next == nil || next.Mode == Share && at.ID != user.ID {
			break // a delegate who shares keeps what he was given
		}
		at = next.DelegateTo
		visited[at.ID] = true
		if fit(at) {
			found, ok = *next, true
		}
		if next.Mode == Share {
			break // the seat stays with the sharer: there is nothing to pass on
		}
	}
	return found, ok
}

func newer(a, b Delegation) bool {
	return a.CreatedAt.After(b.CreatedAt) || a.CreatedAt.Equal(b.CreatedAt) && a.ID > b.ID
}

// Substitute gives the open tasks of the delegator to the delegate, as far as the
// delegation covers them. They stay when the directory does not know the delegate.
func (r Request) Substitute(def Definition, d Delegation, w World) (Request, []Event, error) {
	if r.Status.Final() {
		return r, nil, nil
	}
	if w.Person != nil {
		if _, found, err := w.Person(d.DelegateTo.ID); err == nil && !found {
			return r, nil, nil
		}
	}
	c := r.begin(def, Actor{User: d.CreatedBy, Kind: ByUser}, w)
	for i := range c.Tasks {
		task := &c.Tasks[i]
		if task.Status != TaskOpen || task.Assignee == nil || task.Assignee.ID != d.User.ID || task.OnBehalfOf != nil || task.SharedWith != nil {
			continue
		}
		run := c.run(task)
		stage, _ := def.Stage(run.Key)
		if !run.Status.running() || def.Settings.Hops(stage) == 0 || !d.covers(w.At, r.PolicyKey, run.Key, r.ArtifactType) {
			continue
		}
		if c.unfit(d.DelegateTo, run) != "" || c.seated(d.DelegateTo.ID, run) {
			c.note(DelegationNotApplied, run, task)
			continue
		}
		*task = d.takes(*task, w.At)
		c.note(DelegationApplied, run, task)
	}
	return c.done()
}

// takes puts the delegate on the seat of the person whom he stands in for.
func (d Delegation) takes(t Task, at time.Time) Task {
	delegator := *t.Assignee
	t.DelegationID = d.ID
	if d.Mode == Share {
		t.SharedWith = &d.DelegateTo
	} else {
		t.Assignee, t.OnBehalfOf = &d.DelegateTo, &delegator
	}
	return t.touched(at)
}

// Return takes the tasks that a delegate has not claimed back to the delegator, and
// the delegate out of the pools in which he could claim for him.
func (r Request) Return(def Definition, d Delegation, w World) (Request, []Event, error) {
	if r.Status.Final() {
		return r, nil, nil
	}
	c := r.begin(def, SystemExpiry, w)
	for i := range c.Tasks {
		task := &c.Tasks[i]
		if task.Status != TaskOpen || task.DelegationID != d.ID || task.Assignee == nil {
			continue
		}
		if task.OnBehalfOf != nil {
			if c.unfit(*task.OnBehalfOf, c.run(task)) != "" {
				continue // he is taken by a parallel stage meanwhile
			}
			task.Assignee = task.OnBehalfOf
		}
		task.OnBehalfOf, task.SharedWith, task.DelegationID = nil, nil, ""
		*task = task.touched(w.At)
		c.note(TaskReassigned, c.run(task), task)
	}
	for i := range c.Stages {
		run := &c.Stages[i]
		if people, was := d.leave(run.People); was && run.Need > 0 && run.Status.running() {
			run.People = people
			c.note(DelegationHasEnded, run, nil)
		}
	}
	return c.done()
}
