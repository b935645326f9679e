package wf

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// people resolves a rule. run is the stage run of the rule, nil for settings.submitters. The failure has the
// reason ResolverFailed for a missing answer, and another reason for an invalid rule. With a failure, the
// result contains the users that the rule lists by id.
func (c *change) people(rule policy.Rule, run *StageRun, maxAge time.Duration) ([]identity.User, *refusal.Error) {
	return c.peopleUpTo(0, rule, run, maxAge)
}

// peopleUpTo is people with another maximum number of people of a directory's answer than 1,000.
func (c *change) peopleUpTo(most int, rule policy.Rule, run *StageRun, maxAge time.Duration) ([]identity.User, *refusal.Error) {
	if rule.Type == policy.RuleStageActor {
		return c.ApproversOf(rule.Stage), nil
	}
	subject, failure := c.subject(rule, run)
	if failure != nil {
		return nil, failure
	}
	q := approver.Question{Rule: rule, Most: most, MaxAge: maxAge}
	if rule.Type == policy.RuleHTTP {
		q.About = c.resolverInput(rule, run)
	}
	return c.Find(q, subject)
}

// approvers resolves an approver rule of the run's stage. A rule that is off yields no people.
func (c runChange) approvers(rule int, maxAge time.Duration) ([]identity.User, *refusal.Error) {
	if c.run.Computed.IsOff(rule) {
		return nil, nil
	}
	return c.people(c.stage().Approvers[rule], c.run, maxAge)
}

// subject returns the start values of a rule: the value of its expression, or the id of the user whose
// manager it yields. The value of an expression is stored with the run, so that a recheck does not evaluate
// it again.
func (c *change) subject(rule policy.Rule, run *StageRun) ([]string, *refusal.Error) {
	source := rule.Expression()
	switch {
	case source != "":
	case rule.Type != policy.RuleManager:
		return nil, nil
	case rule.Of == policy.OfAssignee:
		return run.assignees(c.Tasks), nil
	case rule.Of == policy.OfSubmitter:
		return []string{c.SubmittedBy.ID}, nil
	default:
		return []string{c.Requester.ID}, nil
	}
	names, failure := c.names(source, run)
	if failure == nil && rule.Type == policy.RuleManager && len(names) > 1 {
		return nil, approver.Invalid("of yields %d users, not one", len(names))
	}
	return names, failure
}

// names returns the value of an expression that yields names; within a run, the stored value.
func (c *change) names(source string, run *StageRun) ([]string, *refusal.Error) {
	if run == nil {
		value := c.evaluate(source, policy.YieldsNames)
		return value.Names, value.Failure
	}
	if names, stored := run.Names[source]; stored {
		return names, nil
	}
	value := c.evaluate(source, policy.YieldsNames)
	if value.Failure == nil {
		run.Names = maps.Clone(run.Names) // shared with the request before the change
		if run.Names == nil {
			run.Names = map[string][]string{}
		}
		run.Names[source] = value.Names
	}
	return value.Names, value.Failure
}

// resolverInput returns the input of the resolver of an http rule.
func (c *change) resolverInput(rule policy.Rule, run *StageRun) *approver.ResolverInput {
	in := &approver.ResolverInput{
		PolicyKey: c.PolicyKey, PolicyVersion: c.PolicyVersion, Params: rule.Params, Context: c.Context,
		Request: approver.ResolverRequest{ID: c.ID, Requester: c.Requester, ArtifactType: c.ArtifactType, ArtifactID: c.ArtifactID},
	}
	if run != nil {
		in.StageKey = run.Key
	}
	return in
}

// condition reports whether a condition is true; an empty condition is false.
func (c *change) condition(condition string) (bool, *refusal.Error) {
	if condition == "" {
		return false, nil
	}
	value := c.evaluate(condition, policy.YieldsBool)
	return value.Bool && value.Failure == nil, value.Failure
}

// evaluate returns the value of an expression for the current request.
func (c *change) evaluate(source string, yields policy.Yield) approver.Value {
	return c.Evaluate(policy.Evaluation{Source: source, Yields: yields, Reads: Case{Request: c.Request, Definition: c.def}.Environment()})
}

// Environment returns the expression input of the request.
func (c Case) Environment() policy.Environment {
	r, def := c.Request, c.Definition
	env := policy.Environment{
		ID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, Revision: r.Revision, ArtifactType: r.ArtifactType,
		ArtifactID: r.ArtifactID, Requester: r.Requester, Context: r.Context, ContextSchema: def.ContextSchema,
		Zone: def.Settings.Zone(), Priority: string(r.Priority), Labels: r.Labels, CreatedAt: r.CreatedAt,
		Stages: make(map[string]policy.StageFacts, len(def.Stages)),
	}
	var print strings.Builder
	fmt.Fprintf(&print, "%s %s %d", r.ID, r.ContextHash, r.Revision)
	for _, stage := range def.Stages {
		facts := policy.StageFacts{Status: string(StagePending)}
		if run, ok := r.LatestRun(stage.Key); ok {
			facts.Status, facts.Approvals = string(run.Status), run.Count.Approvals
		}
		for _, u := range r.ApproversOf(stage.Key) {
			facts.Approvers = append(facts.Approvers, u.ID)
		}
		env.Stages[stage.Key] = facts
		fmt.Fprintf(&print, "\x00%s %d %q", facts.Status, facts.Approvals, facts.Approvers)
	}
	env.Fingerprint = print.String()
	return env
}
