package wf

import (
	"maps"
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
func (c *change) evaluate(source string, yields policy.Yield) policy.Value {
	return c.def.Programs.Evaluate(source, yields, c.Request.input(c.def, c.facts.At))
}

// fits validates a document by a schema of the policy. Both are optional.
func (c *change) fits(schema, document []byte) *refusal.Error {
	if len(schema) == 0 {
		return nil
	}
	return c.def.Programs.Fits(schema, document)
}

// input returns the input of the policy's expressions at a time.
func (r Request) input(def policy.Definition, now time.Time) policy.Input {
	in := policy.Input{
		Context: r.Context,
		Request: policy.RequestInput{
			ID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID,
			Revision: r.Revision, CreatedAt: r.CreatedAt, Priority: string(r.Priority), Labels: r.Labels,
		},
		Requester: policy.RequesterInput{ID: r.Requester.ID, Username: r.Requester.Username, Email: r.Requester.Email},
		Stages:    make(map[string]policy.StageInput, len(def.Stages)),
		Now:       now,
	}
	for _, stage := range def.Stages {
		facts := policy.StageInput{Status: string(StagePending)}
		if run, ok := r.LatestRun(stage.Key); ok {
			facts.Status, facts.Approvals = string(run.Status), run.Count.Approvals
		}
		for _, u := range r.ApproversOf(stage.Key) {
			facts.Approvers = append(facts.Approvers, u.ID)
		}
		in.Stages[stage.Key] = facts
	}
	return in
}

// Applies returns the value of a condition of the policy at a time.
func (c Case) Applies(condition string) policy.Value {
	return c.Definition.Programs.Evaluate(condition, policy.YieldsBool, c.Request.input(c.Definition, c.Now))
}
