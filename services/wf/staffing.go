package wf

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// plan is the result of evaluating a stage before its start. Creation, preview and simulation share
// it.
type plan struct {
	staffing
	status  StageStatus    // resolving, skipped, rejected or active; active also if understaffed
	skip    Skip           // of a skipped stage
	failure *refusal.Error // error of the condition; the stage runs then
}

// plan evaluates the condition of a stage and resolves its approvers.
func (c *change) plan(run *StageRun, stage policy.Stage) plan {
	applies, failure := c.applies(stage)
	switch {
	case approver.IsUnanswered(failure):
		return plan{status: StageResolving, staffing: staffing{unavailable: "when: " + failure.Message}}
	case !applies:
		return plan{status: StageSkipped, skip: Skip{Reason: SkippedByCondition, Detail: stage.When}}
	}
	found := c.staff(run, stage, 0)
	p := plan{staffing: found, status: StageActive, failure: failure}
	switch {
	case found.unavailable != "":
		p.status = StageResolving
	case !found.short || found.failed() != "":
	case stage.OnEmpty == policy.OnEmptySkip && found.nobody:
		p.status, p.skip = StageSkipped, Skip{Reason: "empty"}
	case stage.OnEmpty == policy.OnEmptyReject:
		p.status = StageRejected
	}
	return p
}

// start starts a stage. The result is a skipped, rejected, active or resolving stage; an
// understaffed stage starts as active.
func (c *change) start(run *StageRun) error {
	p := c.plan(run, c.stage(run))
	switch {
	case p.failed() != "" && c.starting:
		return refusal.New(reason.EngineRefused, "stage %s: %s", run.Key, p.failed())
	case p.status == StageResolving && c.starting:
		return reason.NoAnswer("stage %s: %s", run.Key, p.unavailable)
	case p.status == StageResolving:
		first := run.Status != StageResolving
		if *run = run.wait(p.unavailable, c.facts.At); first {
			c.note(audit.EventStageResolutionFailed, run, nil)
		}
		return nil
	}
	run.RetryAt = time.Time{}
	problems := append(slices.Clone(p.failures), p.unseen...)
	if p.failure != nil {
		problems = append([]string{"when: " + p.failure.Message}, problems...)
	}
	run.LastError = strings.Join(problems, "; ")
	p.put(run)
	switch p.status {
	case StageSkipped:
		c.skip(run, p.skip)
	case StageRejected:
		c.because = StatusReason{Code: BecauseStageEmpty, StageKey: run.Key}
		c.finishStage(run, StageRejected, ClosedStageRejected)
	default:
		run.Status, run.StartedAt = StageActive, c.facts.At
		c.note(audit.EventStageStarted, run, nil)
		c.askPeople(run) // the evaluation of the stage detects missing approvers
	}
	return nil
}

// applies reports whether the condition selects the stage. It is true if the condition fails.
func (c *change) applies(stage policy.Stage) (bool, *refusal.Error) {
	if stage.When == "" {
		return true, nil
	}
	value, failure := c.condition(stage.When)
	return value || failure != nil, failure
}

// askPeople applies delegations and creates a task for each approver without one.
func (c *change) askPeople(run *StageRun) {
	c.follow(run)
	if !run.Pool {
		c.makeTasks(run)
	}
	if c.def.Settings.RepeatApprover == policy.RepeatAutoApprove {
		c.repeat(run)
	}
}

func (c *change) skip(run *StageRun, why Skip) {
	run.Status, run.Skip, run.CompletedAt = StageSkipped, &why, c.facts.At
	run.LastError, run.RetryAt = "", time.Time{}
	c.note(audit.EventStageSkipped, run, nil)
}

// staffing is the result of resolving the approver rules of a stage.
type staffing struct {
	people      []approver.Approver
	excluded    []approver.Exclusion
	observers   []identity.User
	minimums    []int
	fallback    bool
	unseen      []string // errors of observer rules, which do not block the stage
	failures    []string // errors of invalid rules
	unavailable string   // error of the rule without a response
	short       bool     // too few approvers to reach the quorum
	nobody      bool     // no approvers, or only approvers of earlier stages
}

func (s staffing) failed() string { return strings.Join(s.failures, "; ") }

// put writes the staffing into a run.
func (s staffing) put(run *StageRun) {
	run.People, run.Excluded, run.Minimums, run.Fallback = s.people, s.excluded, s.minimums, s.fallback
	run.Observers = once(run.Observers, s.observers) // earlier observers keep read access
}

// once returns the distinct people of the lists, in order.
func once(lists ...[]identity.User) []identity.User {
	var people []identity.User
	for _, u := range slices.Concat(lists...) {
		if !slices.ContainsFunc(people, func(other identity.User) bool { return other.ID == u.ID }) {
			people = append(people, u)
		}
	}
	return people
}

// observe resolves the observers of a stage. A failed or unavailable rule yields no observers and
// does not block the stage.
func (c *change) observe(s *staffing, run *StageRun, stage policy.Stage, maxAge time.Duration) {
	c.Want(len(stage.Observers), func(i int) {
		users, failure := c.people(stage.Observers[i], run, maxAge)
		if failure != nil {
			s.unseen = append(s.unseen, fmt.Sprintf("observer rule %d: %s", i, failure.Message))
		}
		s.observers = once(s.observers, users)
	})
	if n := len(s.observers); n > policy.MaxWatch {
		s.unseen = append(s.unseen, fmt.Sprintf("%d observers, and a stage takes %d", n, policy.MaxWatch))
		s.observers = s.observers[:policy.MaxWatch]
	}
}

// staff resolves the approvers of a stage, removes excluded people and checks the quorum. A failed
// rule, and a required rule without approvers, needs an approval arranged by an admin. A missing,
// excluded or misspelt approver therefore never weakens the quorum.
func (c *change) staff(run *StageRun, stage policy.Stage, maxAge time.Duration) staffing {
	s := staffing{minimums: stage.Minimums()}
	yields := make([][]identity.User, len(stage.Approvers))
	var left map[string]bool
	approvers := func() {
		c.Want(len(yields), func(i int) {
			users, failure := c.people(stage.Approvers[i], run, maxAge)
			if failure == nil {
				yields[i] = users
			} else if s.fails("approver", i, failure) {
				s.minimums[i] = max(s.minimums[i], 1)
			}
		})
	}
	former := func() {
		var failure *refusal.Error
		if left, failure = c.left(run); failure != nil {
			s.unavailable = failure.Message
		}
	}
	observers := func() { c.observe(&s, run, stage, maxAge) }
	c.Together(approvers, former, observers)
	s.nobody = true
	for _, a := range approver.Union(yields) {
		if left[a.ID] {
			continue
		}
		a.Required = stage.Assignment != policy.AssignmentPool && slices.ContainsFunc(a.Rules, func(i int) bool { return stage.Approvers[i].Required })
		why := c.unfit(a.User, run)
		s.nobody = s.nobody && why == approver.ExcludedRepeat
		if why != "" {
			s.excluded = append(s.excluded, approver.Exclusion{User: a.User, Reason: why})
		} else {
			s.people = append(s.people, a)
		}
	}
	short := s.shortRules(stage)
	for _, i := range short {
		s.minimums[i] = max(s.minimums[i], 1)
	}
	s.weigh(stage, run)
	if s.short && stage.OnEmpty == policy.OnEmptyFallback && len(s.failures) == 0 && s.unavailable == "" {
		return c.fallBack(s, short, run, stage, maxAge)
	}
	return s
}

// left returns the former approvers of a run that the directory does not contain. Rules with
// explicit user ids still yield them.
func (c *change) left(run *StageRun) (map[string]bool, *refusal.Error) {
	left := map[string]bool{}
	var ids []string
	for _, a := range run.People {
		if a.Lost && c.Directory {
			left[a.ID] = true
			ids = append(ids, a.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	known, failure := c.Ask(approver.Whether(ids...))
	for _, u := range known {
		delete(left, u.ID)
	}
	return left, failure
}

// shortRules returns the indexes of the rules with fewer approvers than required.
func (s staffing) shortRules(stage policy.Stage) []int {
	var short []int
	for i, rule := range stage.Approvers {
		people := 0
		for _, a := range s.people {
			if slices.Contains(a.Rules, i) {
				people++
			}
		}
		if people < rule.MinApprovals || people == 0 && rule.Required && stage.Assignment != policy.AssignmentPool {
			short = append(short, i)
		}
	}
	return short
}

// fails records the error of a rule. It reports true for an invalid rule and false for an
// unavailable resolver.
func (s *staffing) fails(kind string, rule int, failure *refusal.Error) (wrong bool) {
	message := fmt.Sprintf("%s rule %d: %s", kind, rule, failure.Message)
	if failure.Reason == reason.ResolverFailed {
		s.unavailable = message
		return false
	}
	s.failures = append(s.failures, message)
	return true
}

// weigh checks the limits on approvers, and whether approvals of all approvers would reach the
// quorum.
func (s *staffing) weigh(stage policy.Stage, run *StageRun) {
	if limit := s.overLimit(stage, run); limit != "" {
		s.failures, s.people = append(s.failures, limit), nil
	}
	s.short = s.ballot(stage).Judge() == quorum.VerdictUnreachable
}

func (s staffing) ballot(stage policy.Stage) quorum.Ballot {
	b := quorum.Ballot{Quorum: stage.Quorum, Rejection: stage.Rejection, Minimums: s.minimums, Pool: stage.Assignment == policy.AssignmentPool}
	for _, a := range s.people {
		b.Voters = append(b.Voters, quorum.Voter{State: quorum.VoterPending, Rules: a.Counts()})
	}
	return b
}

// fallBack adds the fallback approvers to each understaffed rule. If only the total is too low, it
// adds them to every rule.
func (c *change) fallBack(s staffing, short []int, run *StageRun, stage policy.Stage, maxAge time.Duration) staffing {
	rules := short
	if len(rules) == 0 {
		for i := range stage.Approvers {
			rules = append(rules, i)
		}
	}
	s.fallback = true
	last := c.def.Settings.FallbackApprovers
	c.Want(len(last), func(i int) {
		if users, failure := c.people(last[i], run, maxAge); failure == nil {
			s.join(c, run, users, rules)
		} else {
			s.fails("fallback", i, failure)
		}
	})
	s.weigh(stage, run)
	return s
}

func (s *staffing) join(c *change, run *StageRun, users []identity.User, rules []int) {
	for _, u := range users {
		i := slices.IndexFunc(s.people, func(a approver.Approver) bool { return a.ID == u.ID })
		switch why := c.unfit(u, run); {
		case i >= 0:
			merged := slices.Concat(s.people[i].Rules, rules)
			s.people[i].Rules = slices.Compact(slices.Sorted(slices.Values(merged)))
		case why == "":
			s.people = append(s.people, approver.Approver{User: u, Rules: slices.Clone(rules), Fallback: true})
		case !slices.ContainsFunc(s.excluded, func(e approver.Exclusion) bool { return e.User.ID == u.ID }):
			s.excluded = append(s.excluded, approver.Exclusion{User: u, Reason: why})
		}
	}
}

func (s staffing) overLimit(stage policy.Stage, run *StageRun) string {
	switch n := len(s.people); {
	case run.Pool && n > policy.MaxPool:
		return fmt.Sprintf("%d candidates, and a pool takes at most %d", n, policy.MaxPool)
	case !run.Pool && n > policy.MaxCounted:
		return fmt.Sprintf("%d approvers, and each takes at most %d; use assignment pool", n, policy.MaxCounted)
	case run.Pool && stage.Quorum.Share(n) > policy.MaxCounted:
		return fmt.Sprintf("%d approvals needed, and a pool takes at most %d", stage.Quorum.Share(n), policy.MaxCounted)
	default:
		return ""
	}
}

// makeTasks creates a task for each approver without one in the run. A delegate holds the task or
// shares it.
func (c *change) makeTasks(run *StageRun) {
	used := run.used(c.Tasks)
	for _, a := range run.People {
		if used[a.ID] || a.Lost {
			continue
		}
		t := c.newTask(run)
		t.Assignee, t.Rules, t.Required = new(a.User), a.Rules, a.Required
		t = t.followed(a)
		t.Owner = t.Assignee
		c.Tasks = append(c.Tasks, t)
		c.note(audit.EventTaskCreated, run, &t)
	}
}

// repeat approves the tasks of approvers of an earlier stage. It skips stages that require
// reauthentication, a decision form or a comment.
func (c *change) repeat(run *StageRun) {
	stage := c.stage(run)
	if stage.Reauth != nil || len(stage.DecisionSchema) > 0 || c.def.Settings.RequireComment.Approve {
		return
	}
	caller := c.by
	c.by = identity.SystemRepeat
	for i := range c.Tasks {
		task := &c.Tasks[i]
		if !run.Owns(*task) || task.Status != TaskOpen || task.Assignee == nil || !c.approvedElsewhere(task.Assignee.ID, run) {
			continue
		}
		d := c.decision(*task, DecisionInput{ID: c.ids.next(), Action: ActionApprove}, false)
		d.Source = SourceSystem
		*task = task.decided(d)
		c.note(audit.EventTaskDecided, run, task)
	}
	c.by = caller
}

// Resolve retries the due stages: resolving stages and understaffed stages. A stage that stays
// unresolved changes without an event.
func (r Request) Resolve(def policy.Definition, f Facts) (Request, []Event, error) {
	return r.transition(def, identity.SystemDirectory, f, func(c *change) error {
		return c.resolve(func(run StageRun) bool { return !run.RetryAt.IsZero() && !f.At.Before(run.RetryAt) }, 0, false)
	})
}

// Reevaluate is Resolve on request of an admin: without regard to the retry time and without cached
// answers.
func (r Request) Reevaluate(def policy.Definition, by identity.Actor, f Facts) (Request, []Event, error) {
	return r.transition(def, by, f, func(c *change) error {
		if err := c.unexpired(); err != nil {
			return err
		}
		waits := func(run StageRun) bool { return run.Status == StageResolving || c.understaffed(&run) }
		if !slices.ContainsFunc(c.Stages, waits) {
			return refusal.New(reason.WrongState, "no stage of request %s waits for approvers; the request is %s", r.ID, r.Status)
		}
		return c.resolve(waits, -1, false)
	})
}

// understaffed reports whether a stage is blocked without any decision. A stage blocked by
// decisions stays blocked until an admin assigns its rescue task.
func (c *change) understaffed(run *StageRun) bool {
	return run.Status == StageBlocked && !slices.ContainsFunc(c.tasksOf(run), func(t Task) bool { return t.Decision != nil })
}

// resolve retries the stages selected by due. With moved, the request advances even if no stage is
// due.
func (c *change) resolve(due func(StageRun) bool, maxAge time.Duration, moved bool) error {
	if c.Status.Final() || c.Overdue(c.facts.At) {
		return nil
	}
	for i := range c.Stages {
		run := &c.Stages[i]
		if !due(*run) {
			continue
		}
		if run.Status != StageResolving {
			c.restaff(run, maxAge)
		} else if err := c.start(run); err != nil {
			return err
		}
		moved = true
	}
	if !moved {
		return nil
	}
	return c.advance()
}

// restaff re-resolves the approvers of an understaffed stage. With enough approvers the stage
// restarts, and its unassigned rescue tasks are closed.
func (c *change) restaff(run *StageRun, maxAge time.Duration) {
	found := c.staff(run, c.stage(run), maxAge)
	if found.short || found.unavailable != "" || len(found.failures) > 0 || c.fewer(run, found) {
		since := c.facts.At
		for _, t := range c.tasksOf(run) {
			if t.vacant() && t.UpdatedAt.Before(since) { // unchanged since then
				since = t.UpdatedAt
			}
		}
		*run = run.lookAgain(since, c.facts.At)
		run.LastError = cmp.Or(found.failed(), found.unavailable)
		return
	}
	before := *run
	found.put(run)
	for _, a := range before.People { // approvers assigned by an admin stay
		if (a.PlacedBy != nil || a.Given) && run.entry(a.ID) < 0 {
			a.Added = true
			run.People = append(run.People, a)
		}
	}
	for i := range c.Tasks {
		if t := &c.Tasks[i]; run.Owns(*t) && t.Status.live() {
			c.refit(t, run, before)
		}
	}
	c.askPeople(run)
}

// fewer reports whether a stage would have fewer approvers than at its start, or approvers absent
// from the directory. Their places then stay rescue tasks, so that the quorum is not weakened.
func (c *change) fewer(run *StageRun, found staffing) bool {
	ballot, _ := c.ballot(run)
	starting := 0
	for _, v := range ballot.Voters {
		if !v.Added {
			starting++
		}
	}
	var before []identity.User
	for _, a := range found.people {
		if run.entry(a.ID) >= 0 {
			before = append(before, a.User)
		}
	}
	return len(found.people) < starting || len(c.Known(before)) < len(before)
}

// refit updates a task to the re-resolved approvers of its stage. The stage has no decision yet, so
// the result equals a start with these approvers.
func (c *change) refit(t *Task, run *StageRun, before StageRun) {
	holder := t.holder()
	here := run.entry(holder)
	switch {
	case t.vacant() && t.Owner == nil:
		*t = t.closed(TaskSkipped, ClosedNotNeeded, c.facts.At)
	case t.vacant(), // the task of a former approver
		holder != "" && here < 0 && before.entry(holder) >= 0:
		*t = t.closed(TaskSkipped, ClosedApproverLost, c.facts.At)
	case here >= 0 && t.Rescue && run.People[here].PlacedBy == nil: // the rules yield the holder now
		t.Rescue, t.PlacedBy, t.Added, t.Rules, t.Required = false, nil, false, run.People[here].Rules, run.People[here].Required
		return
	default:
		return
	}
	c.note(audit.EventTaskClosed, run, t)
}

// preview computes the result of starting the stage of a run now.
func (c *change) preview(run *StageRun) (problems []string, err error) {
	stage := c.stage(run)
	p := c.plan(run, stage)
	if p.status == StageResolving {
		return nil, reason.NoAnswer("stage %s: %s", run.Key, p.unavailable)
	}
	if p.status == StageSkipped {
		run.Status, run.Skip = StageSkipped, &p.skip
		if p.skip.Reason == SkippedByCondition { // no rule was resolved
			return nil, nil
		}
	}
	p.put(run)
	c.follow(run)
	run.Count = p.ballot(stage).Count()
	problems = slices.Clone(p.failures)
	switch {
	case p.status == StageSkipped:
	case p.status == StageRejected:
		problems = append(problems, "too few people may approve: the request would be rejected")
	case p.short && len(p.failures) == 0:
		problems = append(problems, fmt.Sprintf("too few people may approve: %d are eligible, and an admin would have to find more", len(run.People)))
	}
	return problems, nil
}
