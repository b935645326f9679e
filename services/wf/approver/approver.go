// Package approver resolves approver rules: questions to directories and resolvers, their answers,
// approvers, exclusions and delegations.
package approver

import (
	"slices"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/quorum"
)

// Approver is a person permitted to approve a stage.
type Approver struct {
	identity.User
	Rules      []int `json:"rules"`                // indexes of the approver rules that yield the approver
	Required   bool  `json:"required,omitempty"`   // mandatory approval; only with assignment each
	Added      bool  `json:"added,omitempty"`      // joined after the start
	Escalated  bool  `json:"escalated,omitempty"`  // added by the escalation of the stage
	Fallback   bool  `json:"fallback,omitempty"`   // one of settings.fallback_approvers
	Reassigned bool  `json:"reassigned,omitempty"` // received the place by reassignment: no rule yields them
	Ineligible bool  `json:"ineligible,omitempty"` // left the directory, or no rule yields them any more

	// PlacedBy is the admin that assigned a rescue task to the approver. The approval counts for
	// every rule then.
	PlacedBy *identity.User `json:"placed_by,omitempty"`
}

// Counts returns the rules for which the approver's approval counts.
func (a Approver) Counts() quorum.RuleSet {
	if a.PlacedBy != nil {
		return quorum.EveryRule
	}
	return quorum.Rules(a.Rules)
}

// ReassignedTo returns the pool entry after its reassignment.
func (a Approver) ReassignedTo(to Fit) Approver {
	a.User, a.Reassigned = to.User(), true
	return a
}

// Exclusion is a person excluded from approving by policy.
type Exclusion struct {
	User   identity.User   `json:"user" doc:"Excluded user."`
	Reason ExclusionReason `json:"reason" doc:"Reason for the exclusion: requester, submitter, approver of an earlier stage, or an exclude rule of the policy."`
	Label  string          `json:"label,omitempty" doc:"Name of the exclude rule."`
}

// ExclusionReason is the reason for an exclusion.
type ExclusionReason string

// The reasons for exclusion: separation of duties, one stage per person, and the exclude rules.
const (
	ExcludedRequester ExclusionReason = "requester"
	ExcludedSubmitter ExclusionReason = "submitter"
	ExcludedRepeat    ExclusionReason = "repeat"
	ExcludedByRule    ExclusionReason = "rule"
)

// Values returns every value.
func (ExclusionReason) Values() []ExclusionReason {
	return []ExclusionReason{ExcludedRequester, ExcludedSubmitter, ExcludedRepeat, ExcludedByRule}
}

// Union merges the results of rules into one list of distinct users, in the order of their first appearance.
func Union(rules [][]identity.User) []Approver {
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
