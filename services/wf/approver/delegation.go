package approver

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// DelegationMode selects whether the owner keeps the right to act.
type DelegationMode string

// DelegationReplace gives the delegate the task. DelegationShare lets both act on it; the first wins.
const (
	DelegationReplace DelegationMode = "replace"
	DelegationShare   DelegationMode = "share"
)

// Values returns every value.
func (DelegationMode) Values() []DelegationMode {
	return []DelegationMode{DelegationReplace, DelegationShare}
}

// DelegationStatus is the state of a Delegation.
type DelegationStatus string

// The states of a delegation. They follow from its dates and from its revocation.
const (
	DelegationScheduled DelegationStatus = "scheduled"
	DelegationActive    DelegationStatus = "active"
	DelegationEnded     DelegationStatus = "ended"
	DelegationRevoked   DelegationStatus = "revoked"
)

// Values returns every value.
func (DelegationStatus) Values() []DelegationStatus {
	return []DelegationStatus{DelegationScheduled, DelegationActive, DelegationEnded, DelegationRevoked}
}

// maxDelegation is the longest window of a delegation.
const maxDelegation = 366 * 24 * time.Hour

// Delegation makes DelegateTo the delegate of User from StartsAt until EndsAt.
type Delegation struct {
	ID         string
	User       identity.User
	DelegateTo identity.User
	StartsAt   time.Time
	EndsAt     time.Time
	Reason     string
	Scope      Scope
	Mode       DelegationMode

	ApplyToOpen bool // includes tasks open at the start
	ReturnOnEnd bool // returns unclaimed tasks at the end

	Started bool // ApplyToOpen has been processed
	Closed  bool // ReturnOnEnd has been processed

	RoutedOpenTasks int // number of open tasks rerouted at the start
	Warnings        []string

	CreatedBy, RevokedBy            identity.User
	CreatedAt, UpdatedAt, RevokedAt time.Time
}

// Scope limits a delegation. An empty list imposes no limit.
type Scope struct {
	PolicyKeys    []string `json:"policy_keys,omitempty" minItems:"1" maxItems:"50" doc:"Patterns such as disbursement.*; every policy when absent."`
	StageKeys     []string `json:"stage_keys,omitempty" minItems:"1" maxItems:"50" doc:"Keys of stages; every stage when absent."`
	ArtifactTypes []string `json:"artifact_types,omitempty" minItems:"1" maxItems:"50" doc:"Artifact types of requests; every type when absent."`
}

// Check rejects an invalid window or delegate. Cycles are accepted, because two concurrent delegations could
// form one anyway; delegate.go of package wf ignores them.
func (d Delegation) Check(now time.Time) error {
	refuse := func(member, message string) error {
		return refusal.At(reason.BadInput, "/"+member, "%s", message)
	}
	if err := identity.CheckUserID(d.User.ID); err != nil {
		return refuse("user_id", err.Error())
	}
	if err := identity.CheckUserID(d.DelegateTo.ID); err != nil {
		return refuse("delegate_to", err.Error())
	}
	switch {
	case d.DelegateTo.ID == d.User.ID:
		return refuse("delegate_to", "a person cannot delegate to themself")
	case !d.EndsAt.After(d.StartsAt):
		return refuse("ends_at", "must be later than starts_at")
	case !d.EndsAt.After(now):
		return refuse("ends_at", "must be in the future")
	case d.EndsAt.Sub(d.StartsAt) > maxDelegation:
		return refuse("ends_at", "a delegation lasts at most 366 days")
	}
	for i, key := range d.Scope.StageKeys {
		if key == "" {
			return refusal.At(reason.TooShort, fmt.Sprintf("/scope/stage_keys/%d", i), "String should have at least 1 character")
		}
	}
	return CheckPatterns(d.Scope.PolicyKeys, "/scope/policy_keys")
}

// CheckPatterns refuses invalid patterns. where is the pointer to the list.
func CheckPatterns(patterns []string, where string) error {
	for i, pattern := range patterns {
		if strings.TrimSpace(pattern) == "" {
			return refusal.At(reason.BadInput, fmt.Sprintf("%s/%d", where, i), "must match a policy; use * for every policy")
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return refusal.At(reason.BadInput, fmt.Sprintf("%s/%d", where, i), "must be a policy key or a pattern such as disbursement.*")
		}
	}
	return nil
}

// Status returns the state of the delegation at a time.
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

// Covers reports whether the delegation is in force and its scope includes the stage of a request.
func (d Delegation) Covers(now time.Time, policyKey, stageKey, artifactType string) bool {
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

// Revoke ends a delegation early.
func (d Delegation) Revoke(by identity.User, at time.Time) (Delegation, error) {
	if s := d.Status(at); s == DelegationEnded || s == DelegationRevoked {
		return d, refusal.New(reason.DelegationNotFound, "delegation %s has ended", d.ID)
	}
	d.RevokedBy, d.RevokedAt, d.UpdatedAt = by, at, at
	return d, nil
}
