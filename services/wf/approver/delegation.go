package approver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

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

// Delegation permits DelegateTo to claim and decide the tasks of User from StartsAt until EndsAt or the revocation.
type Delegation struct {
	ID         string
	User       identity.User
	DelegateTo identity.User
	StartsAt   time.Time
	EndsAt     time.Time
	Reason     string
	Scope      Scope
	Warnings   []string

	Started, Ended bool // the event is recorded

	CreatedBy, RevokedBy            identity.User
	CreatedAt, UpdatedAt, RevokedAt time.Time
}

// Scope limits a delegation. An empty list imposes no limit.
type Scope struct {
	PolicyKeys    []string `json:"policy_keys,omitempty" minItems:"1" maxItems:"50" doc:"Policy keys, or prefixes such as disbursement.*; every policy when absent."`
	StageKeys     []string `json:"stage_keys,omitempty" minItems:"1" maxItems:"50" doc:"Keys of stages; every stage when absent."`
	ArtifactTypes []string `json:"artifact_types,omitempty" minItems:"1" maxItems:"50" doc:"Artifact types of requests; every type when absent."`
}

// Check rejects an invalid window, delegate or scope.
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
	for i, key := range d.Scope.PolicyKeys {
		if prefix, _ := strings.CutSuffix(key, ".*"); prefix == "" || strings.ContainsAny(prefix, "*?[\\ ") {
			return refusal.At(reason.BadInput, fmt.Sprintf("/scope/policy_keys/%d", i), "must be a policy key, or a prefix such as disbursement.*")
		}
	}
	return nil
}

// CompareNewest orders delegations by creation, the newest first.
func CompareNewest(a, b Delegation) int {
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(b.ID, a.ID))
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
	includes := func(list []string, matches func(member string) bool) bool {
		return len(list) == 0 || slices.ContainsFunc(list, matches)
	}
	return d.Status(now) == DelegationActive &&
		includes(d.Scope.PolicyKeys, func(key string) bool {
			prefix, isPrefix := strings.CutSuffix(key, "*")
			return key == policyKey || isPrefix && strings.HasPrefix(policyKey, prefix)
		}) &&
		includes(d.Scope.StageKeys, func(key string) bool { return key == stageKey }) &&
		includes(d.Scope.ArtifactTypes, func(kind string) bool { return kind == artifactType })
}

// Revoke ends a delegation early.
func (d Delegation) Revoke(by identity.User, at time.Time) (Delegation, error) {
	if s := d.Status(at); s == DelegationEnded || s == DelegationRevoked {
		return d, refusal.New(reason.DelegationNotFound, "delegation %s has ended", d.ID)
	}
	d.RevokedBy, d.RevokedAt, d.UpdatedAt = by, at, at
	return d, nil
}
