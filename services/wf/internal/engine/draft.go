package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Draft is a definition that is not stored. The key is empty for a new policy.
type Draft struct {
	Key        string
	Definition policy.Definition
}

// checkEditor rejects callers that may not write versions of a policy: a new one needs an admin.
func (e *Policies) checkEditor(ctx context.Context, by identity.Actor, key string) error {
	manages, err := e.Manages(ctx, by, key)
	if err == nil && !manages {
		err = refusal.New(reason.Forbidden, "only an admin, or an owner of the policy, may edit it")
	}
	return err
}

// CheckDraft returns the findings about a definition that is not stored.
func (e *Policies) CheckDraft(ctx context.Context, by identity.Actor, d Draft) (Findings, error) {
	if err := e.checkEditor(ctx, by, d.Key); err != nil {
		return Findings{}, err
	}
	return e.CheckDefinition(d.Definition), nil
}

// NamedUsers returns the users that a draft names by id: those that a token or the directory has shown, by id, and
// the ids of the others. Without an answer of the directory there are no others.
func (e *Policies) NamedUsers(ctx context.Context, by identity.Actor, d Draft) (known map[string]identity.User, unknown []string, err error) {
	if err := e.checkEditor(ctx, by, d.Key); err != nil {
		return nil, nil, err
	}
	var ids []string
	for _, rules := range rulesOf(d.Definition) {
		for _, rule := range rules {
			ids = append(ids, rule.IDs...)
		}
	}
	slices.Sort(ids)
	known, unknown, err = e.findUsers(ctx, slices.Compact(ids))
	if known != nil {
		err = nil // without an answer the page names no user as unknown
	}
	return known, unknown, err
}

// checkUsers returns a warning for each unknown user among the approvers, observers and exclusions of a definition.
// Without WF_ADMIN they are refused.
func (e *Policies) checkUsers(ctx context.Context, by identity.Actor, d policy.Definition) ([]string, error) {
	places := map[string]string{} // the first pointer to an id
	lists := rulesOf(d)
	delete(lists, "/settings/submitters") // service accounts too
	for _, pointer := range slices.Sorted(maps.Keys(lists)) {
		for i, rule := range lists[pointer] {
			for j, id := range rule.IDs {
				places[id] = cmp.Or(places[id], fmt.Sprintf("%s/%d/ids/%d", pointer, i, j))
			}
		}
	}
	known, unknown, err := e.findUsers(ctx, slices.Sorted(maps.Keys(places)))
	switch {
	case known == nil:
		return nil, err
	case err != nil:
		return []string{"the users of the policy could not be found: the directory does not answer"}, nil
	}
	var warnings []string
	var problems []refusal.Problem
	for _, id := range unknown {
		warnings = append(warnings, fmt.Sprintf("%s: %s is unknown: %s", places[id], id, e.unknownUser()))
		problems = append(problems, refusal.Problem{Reason: reason.BadInput, Where: places[id], Message: e.unknownUser()})
	}
	if by.Has(identity.RoleAdmin) {
		return warnings, nil
	}
	return nil, refusal.Invalid(problems)
}

// rulesOf returns the lists of rules of a definition, by pointer.
func rulesOf(def policy.Definition) map[string][]policy.Rule {
	lists := map[string][]policy.Rule{
		"/settings/submitters": def.Settings.Submitters, "/settings/fallback_approvers": def.Settings.FallbackApprovers,
		"/settings/exclude": def.Settings.Exclude,
	}
	for i, stage := range def.Stages {
		at := fmt.Sprintf("/stages/%d/", i)
		lists[at+"approvers"], lists[at+"exclude"], lists[at+"observers"] = stage.Approvers, stage.Exclude, stage.Observers
		if stage.Deadline != nil {
			lists[at+"deadline/escalate_to"] = stage.Deadline.EscalateTo
		}
	}
	return lists
}
