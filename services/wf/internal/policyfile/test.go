package policyfile

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/policy"
)

// testFile is the content of a file with tests of a policy.
type testFile struct {
	Policy    string     `json:"policy" minLength:"1" maxLength:"1024"`
	Directory Directory  `json:"directory,omitzero"`
	Cases     []testCase `json:"cases" minItems:"1" maxItems:"500"`
}

// testCase is a simulated request, its course and the expected result.
type testCase struct {
	Name   string             `json:"name" minLength:"1" maxLength:"200"`
	Given  testRequest        `json:"given"`
	Play   []engine.PlayEntry `json:"play,omitempty" maxItems:"100"`
	Expect testExpectation    `json:"expect"`
}

// testRequest is the created request.
type testRequest struct {
	Requester    string      `json:"requester" minLength:"1" maxLength:"255"`
	Context      view.Object `json:"context,omitempty"`
	ArtifactType string      `json:"artifact_type,omitempty" maxLength:"128"` // that of the policy when absent
	ArtifactID   string      `json:"artifact_id,omitempty" maxLength:"255"`
	At           time.Time   `json:"at,omitzero"` // of the creation; defaultTime when absent
}

// testExpectation holds the expected members. Members that are not named are not compared.
type testExpectation struct {
	Refused int    `json:"refused,omitempty" minimum:"400" maximum:"499"` // status of the refused creation or entry of play
	Message string `json:"message,omitempty" maxLength:"1000"`            // part of the message of the refusal

	Warnings []string `json:"warnings,omitempty" maxItems:"50"` // parts of warnings of the simulation

	Outcome    engine.Outcome   `json:"outcome,omitempty"`
	Status     wf.RequestStatus `json:"status,omitempty"`
	Reason     string           `json:"reason,omitempty" maxLength:"64"` // code of status_reason
	Standing   wf.Standing      `json:"standing,omitempty"`
	ValidFrom  time.Time        `json:"valid_from,omitzero"`
	ValidUntil time.Time        `json:"valid_until,omitzero"`
	ExpiresAt  time.Time        `json:"expires_at,omitzero"`
	Stages     []testStage      `json:"stages,omitempty" maxItems:"20"`
}

// testStage holds the expected members of a stage. Lists of people are compared as sets.
type testStage struct {
	Key         string         `json:"key" minLength:"1" maxLength:"64"`
	Status      wf.StageStatus `json:"status,omitempty"`
	Need        *int           `json:"need,omitempty"`
	Seats       *int           `json:"seats,omitempty"`
	Approvals   *int           `json:"approvals,omitempty"`
	Rejections  *int           `json:"rejections,omitempty"`
	Abstentions *int           `json:"abstentions,omitempty"`
	DueAt       time.Time      `json:"due_at,omitzero"`
	Approvers   []string       `json:"approvers,omitempty" maxItems:"1000"`
	Added       []string       `json:"added,omitempty" maxItems:"1000"`    // by escalation
	Open        []string       `json:"open,omitempty" maxItems:"1000"`     // assignees of open tasks
	Excluded    []string       `json:"excluded,omitempty" maxItems:"1000"` // by requester, submitter, repeat or rule
	Observers   []string       `json:"observers,omitempty" maxItems:"1000"`
	EscalateTo  []string       `json:"escalate_to,omitempty" maxItems:"1000"` // people whom the deadline would add at the start
}

// defaultTime is the time of the creation in cases without one: a Monday.
var defaultTime = time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC)

// Tests are the tests of a file.
type Tests struct {
	Document
	Policy string // name of the policy's file, relative to that of the tests
	file   testFile
}

// ReadTests reads a file with tests.
func (r *Reader) ReadTests(name string, content []byte) (Tests, []Problem) {
	doc, problems := parseObject(name, content, "policy, directory and cases")
	if len(problems) > 0 {
		return Tests{Document: doc}, problems
	}
	file, details := web.ReadDocument[testFile](r.api.Server, doc.JSON)
	return Tests{Document: doc, Policy: file.Policy, file: file}, doc.problems(details)
}

// Result is the result of one case.
type Result struct {
	Name     string
	Problems []Problem // empty if it passed
}

// Run runs the cases against a policy. It fails if the time of ctx is over.
func (r *Reader) Run(ctx context.Context, t Tests, p Policy) ([]Result, error) {
	offline := engine.NewOffline(t.file.Directory.Resolve)
	var cases struct {
		Cases []struct{ Expect json.RawMessage }
	}
	if err := json.Unmarshal(t.JSON, &cases); err != nil {
		return nil, err
	}
	results := make([]Result, len(t.file.Cases))
	for i, c := range t.file.Cases {
		run := &caseRun{Document: t.Document, at: fmt.Sprintf("/cases/%d", i), test: c, policy: p}
		if err := run.simulate(ctx, offline); err != nil {
			return nil, err
		}
		if err := run.check(cases.Cases[i].Expect); err != nil {
			return nil, err
		}
		results[i] = Result{c.Name, sortByLine(run.problems)}
	}
	return results, ctx.Err()
}

// caseRun is a case in progress.
type caseRun struct {
	Document
	at       string // pointer to the case
	test     testCase
	policy   Policy
	sim      engine.DryRun
	problems []Problem
}

func (c *caseRun) fail(pointer, format string, args ...any) {
	c.problems = append(c.problems, c.problem(c.at+pointer, format, args...))
}

func (c *caseRun) simulate(ctx context.Context, offline *engine.Policies) error {
	given := c.test.Given
	in := engine.DryRunInput{At: cmp.Or(given.At, defaultTime), Play: c.test.Play}
	in.ArtifactType, in.ArtifactID = given.ArtifactType, given.ArtifactID
	var err error
	if in.Context, err = strictjson.Canonical([]byte(cmp.Or(string(given.Context.RawMessage), "{}"))); err == nil {
		in.ContextHash, err = strictjson.Sum(in.Context)
	}
	if err != nil {
		c.fail("/given/context", "%s", err)
		return nil
	}
	if invalid, ok := errors.AsType[*refusal.Error](engine.CheckPlay(in.Play)); ok {
		for _, p := range invalid.List() {
			c.fail(p.Where, "%s", p.Message)
		}
		return nil
	}
	if err := identity.CheckUserID(given.Requester); err != nil {
		c.fail("/given/requester", "%s", err)
		return nil
	}
	requester := identity.Actor{User: identity.User{ID: given.Requester}, Kind: identity.ActorUser}
	version := policy.Version{Key: c.policy.Key, Number: 1, Definition: c.policy.Definition}
	c.sim, err = offline.DryRun(ctx, requester, version, in)
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		c.fail("/given", "%s", refused.Message)
		return nil
	}
	return err
}

// check compares the result with the expected members.
func (c *caseRun) check(expect json.RawMessage) error {
	if len(c.problems) > 0 {
		return nil
	}
	c.checkRefusals()
	if c.sim.Refusal != nil && len(c.problems) > 0 {
		return nil // the request has no state to compare
	}
	for i, part := range c.test.Expect.Warnings {
		if !slices.ContainsFunc(c.sim.Warnings, func(w string) bool { return strings.Contains(w, part) }) {
			c.fail(fmt.Sprintf("/expect/warnings/%d", i), "no warning contains it; the warnings are %q", c.sim.Warnings)
		}
	}
	var want map[string]any
	if err := json.Unmarshal(expect, &want); err != nil {
		return err
	}
	for _, name := range []string{"refused", "message", "warnings"} {
		delete(want, name)
	}
	raw, err := json.Marshal(c.result())
	if err != nil {
		return err
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		return err
	}
	c.compare("/expect", want, got)
	return nil
}

// checkRefusals compares the refusals of the creation and of the entries with the expected one. Others fail the
// case.
func (c *caseRun) checkRefusals() {
	want, found := c.test.Expect, false
	refuse := func(pointer string, refused *refusal.Error) {
		if refused == nil {
			return
		}
		status, _ := api.Code(refused.Reason)
		status = cmp.Or(status, http.StatusUnprocessableEntity) // of invalid input
		if want.Refused == status && strings.Contains(refused.Message, want.Message) {
			found = true
			return
		}
		c.fail(pointer, "is refused with %d: %s", status, refused.Message)
	}
	refuse("/given", c.sim.Refusal)
	for i, played := range c.sim.Play {
		if c.sim.Refusal == nil {
			refuse(fmt.Sprintf("/play/%d", i), played.Refusal)
		}
	}
	if want.Refused != 0 && !found && len(c.problems) == 0 {
		c.fail("/expect/refused", "nothing is refused; the request is %s", c.sim.Request.Status)
	}
}

// result returns the members that an expectation can name.
func (c *caseRun) result() testExpectation {
	r := c.sim.Request
	got := testExpectation{
		Outcome: c.sim.Outcome, Status: r.Status, Standing: r.Standing, ValidFrom: r.ValidFrom, ValidUntil: r.ValidUntil,
	}
	if r.StatusReason != nil {
		got.Reason = string(r.StatusReason.Code)
	}
	if r.ExpiresAt != nil {
		got.ExpiresAt = *r.ExpiresAt
	}
	for _, s := range c.sim.Stages {
		run, started := r.LatestRun(s.Run.Key)
		if !started {
			run = s.Run
		}
		got.Stages = append(got.Stages, stageResult(s, run, r))
	}
	return got
}

func stageResult(s engine.DryStage, run wf.StageRun, r wf.Request) testStage {
	ids := func(users []identity.User) []string {
		return view.List(users, func(u identity.User) string { return u.ID })
	}
	got := testStage{
		Key: run.Key, Status: run.Status, Need: &run.Count.Need, Seats: &run.Count.Voters, Approvals: &run.Count.Approvals,
		Rejections: &run.Count.Rejections, Abstentions: &run.Count.Abstentions, DueAt: run.DueAt,
		Approvers: []string{}, Added: []string{}, Open: []string{}, Observers: ids(run.Observers), EscalateTo: ids(s.EscalateTo),
		Excluded: view.List(run.Excluded, func(e approver.Exclusion) string { return e.User.ID }),
	}
	for _, a := range run.People {
		got.Approvers = append(got.Approvers, a.ID)
		if a.Escalated {
			got.Added = append(got.Added, a.ID)
		}
	}
	for _, t := range r.Tasks {
		live := t.Status == wf.TaskOpen || t.Status == wf.TaskClaimed
		if t.StageKey == run.Key && t.StageRun == run.Run && live && t.Assignee != nil {
			got.Open = append(got.Open, t.Assignee.ID)
		}
	}
	return got
}

// compare compares the named members of an expected value with those of the result.
func (c *caseRun) compare(pointer string, want, got any) {
	switch want := want.(type) {
	case map[string]any:
		members, _ := got.(map[string]any)
		for name, value := range want {
			c.compare(pointer+"/"+name, value, members[name])
		}
	case []any:
		items, _ := got.([]any)
		if strings.HasSuffix(pointer, "/stages") {
			c.compareStages(pointer, want, items)
		} else if !slices.Equal(set(want), set(items)) {
			c.fail(pointer, "is %s, not %s", text(items), text(want))
		}
	default:
		if !equal(want, got) {
			c.fail(pointer, "is %s, not %s", text(got), text(want))
		}
	}
}

// compareStages compares stages of the same key.
func (c *caseRun) compareStages(pointer string, want, got []any) {
	for i, stage := range want {
		at := fmt.Sprintf("%s/%d", pointer, i)
		key := stage.(map[string]any)["key"]
		found := slices.IndexFunc(got, func(s any) bool { return s.(map[string]any)["key"] == key })
		if found < 0 {
			c.fail(at+"/key", "the policy has no stage %s", text(key))
			continue
		}
		c.compare(at, stage, got[found])
	}
}

// equal compares scalars. Timestamps are equal if they are the same instant. An absent member equals null.
func equal(want, got any) bool {
	a, isText := want.(string)
	b, _ := got.(string)
	if isText {
		at, err := time.Parse(time.RFC3339, a)
		other, bad := time.Parse(time.RFC3339, b)
		if err == nil && bad == nil {
			return at.Equal(other)
		}
	}
	return want == got
}

// set returns the sorted texts of a list, each once.
func set(list []any) []string {
	texts := make([]string, len(list))
	for i, value := range list {
		texts[i] = text(value)
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// text returns a value as JSON, for messages.
func text(value any) string {
	raw, err := json.Marshal(value)
	return cmp.Or(string(raw), fmt.Sprint(err))
}
