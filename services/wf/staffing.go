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
func (c runChange) plan(stage policy.Stage) plan {
	applies, failure := c.applies(stage)
	switch {
	case approver.IsUnanswered(failure):
		return plan{status: StageResolving, staffing: staffing{unavailable: "when: " + failure.Message}}
	case !applies:
		return plan{status: StageSkipped, skip: Skip{Reason: SkippedByCondition, Detail: stage.When}}
	}
	found := c.staff(stage, 0)
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
func (c runChange) start() error {
	p := c.plan(c.stage())
	switch {
	case p.failed() != "" && c.starting:
		return refusal.New(reason.EngineRefused, "stage %s: %s", c.run.Key, p.failed())
	case p.status == StageResolving && c.starting:
		return reason.NoAnswer("stage %s: %s", c.run.Key, p.unavailable)
	case p.status == StageResolving:
		first := c.run.Status != StageResolving
		if *c.run = c.run.wait(p.unavailable, c.facts.At); first {
			c.note(audit.EventStageResolutionFailed, c.run, nil)
		}
		return nil
	}
	c.run.RetryAt = time.Time{}
	problems := append(slices.Clone(p.failures), p.unseen...)
	if p.failure != nil {
		problems = append([]string{"when: " + p.failure.Message}, problems...)
	}
	c.run.LastError = strings.Join(problems, "; ")
	p.put(c.run)
	switch p.status {
	case StageSkipped:
		c.skip(p.skip)
	case StageRejected:
		c.because = StatusReason{Code: BecauseStageEmpty, StageKey: c.run.Key}
		c.finishStage(StageRejected, ClosedStageRejected)
	default:
		c.run.Status, c.run.StartedAt = StageActive, c.facts.At
		c.note(audit.EventStageStarted, c.run, nil)
		c.askPeople() // the evaluation of the stage detects missing approvers
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
func (c runChange) askPeople() {
	c.follow()
	if !c.run.Pool {
		c.makeTasks()
	}
	if c.def.Settings.RepeatApprover == policy.RepeatAutoApprove {
		c.repeat()
	}
}

func (c runChange) skip(why Skip) {
	c.run.Status, c.run.Skip, c.run.CompletedAt = StageSkipped, &why, c.facts.At
	c.run.LastError, c.run.RetryAt = "", time.Time{}
	c.note(audit.EventStageSkipped, c.run, nil)
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
func (s *staffing) observe(c runChange, stage policy.Stage, maxAge time.Duration) {
	c.Want(len(stage.Observers), func(i int) {
		users, failure := c.people(stage.Observers[i], c.run, maxAge)
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
func (c runChange) staff(stage policy.Stage, maxAge time.Duration) staffing {
	s := staffing{minimums: stage.Minimums()}
	yields := make([][]identity.User, len(stage.Approvers))
	var left map[string]bool
	approvers := func() {
		c.Want(len(yields), func(i int) {
			users, failure := c.people(stage.Approvers[i], c.run, maxAge)
			if failure == nil {
				yields[i] = users
			} else if s.fails("approver", i, failure) {
				s.minimums[i] = max(s.minimums[i], 1)
			}
		})
	}
	former := func() {
		var failure *refusal.Error
		if left, failure = leftOf(c); failure != nil {
			s.unavailable = failure.Message
		}
	}
	observers := func() { s.observe(c, stage, maxAge) }
	c.Together(approvers, former, observers)
	s.nobody = true
	for _, a := range approver.Union(yields) {
		if left[a.ID] {
			continue
		}
		a.Required = stage.Assignment != policy.AssignmentPool && slices.ContainsFunc(a.Rules, func(i int) bool { return stage.Approvers[i].Required })
		why := c.unfit(a.User)
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
	s.weigh(stage, c.run)
	if s.short && stage.OnEmpty == policy.OnEmptyFallback && len(s.failures) == 0 && s.unavailable == "" {
		s.fallBack(c, short, stage, maxAge)
	}
	return s
}

// leftOf returns the former approvers of a run that the directory does not contain. Rules with
// explicit user ids still yield them.
func leftOf(c runChange) (map[string]bool, *refusal.Error) {
	left := map[string]bool{}
	var ids []string
	for _, a := range c.run.People {
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
func (s *staffing) fallBack(c runChange, short []int, stage policy.Stage, maxAge time.Duration) {
	rules := short
	if len(rules) == 0 {
		for i := range stage.Approvers {
			rules = append(rules, i)
		}
	}
	s.fallback = true
	last := c.def.Settings.FallbackApprovers
	c.Want(len(last), func(i int) {
		if users, failure := c.people(last[i], c.run, maxAge); failure == nil {
			s.join(c, users, rules)
		} else {
			s.fails("fallback", i, failure)
		}
	})
	s.weigh(stage, c.run)
}

func (s *staffing) join(c runChange, users []identity.User, rules []int) {
	for _, u := range users {
		i := slices.IndexFunc(s.people, func(a approver.Approver) bool { return a.ID == u.ID })
		switch why := c.unfit(u); {
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
func (c runChange) makeTasks() {
	used := c.run.used(c.Tasks)
	for _, a := range c.run.People {
		if used[a.ID] || a.Lost {
			continue
		}
		t := c.newTask()
		t.Assignee, t.Rules, t.Required = new(a.User), a.Rules, a.Required
		t = t.followed(a)
		t.Owner = t.Assignee
		c.Tasks = append(c.Tasks, t)
		c.note(audit.EventTaskCreated, c.run, &t)
	}
}

// repeat approves the tasks of approvers of an earlier stage. It skips stages that require
// reauthentication, a decision form or a comment.
func (c runChange) repeat() {
	stage := c.stage()
	if stage.Reauth != nil || len(stage.DecisionSchema) > 0 || c.def.Settings.RequireComment.Approve {
		return
	}
	caller := c.by
	c.by = identity.SystemRepeat
	for i := range c.Tasks {
		task := &c.Tasks[i]
		if !c.run.Owns(*task) || task.Status != TaskOpen || task.Assignee == nil || !c.approvedElsewhere(task.Assignee.ID, c.run) {
			continue
		}
		d := c.decision(*task, DecisionInput{ID: c.ids.next(), Action: ActionApprove}, false)
		d.Source = SourceSystem
		*task = task.decided(d)
		c.note(audit.EventTaskDecided, c.run, task)
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
func (r *Request) understaffed(run *StageRun) bool {
	return run.Status == StageBlocked && !slices.ContainsFunc(r.tasksOf(run), func(t Task) bool { return t.Decision != nil })
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
			c.onRun(run).restaff(maxAge)
		} else if err := c.onRun(run).start(); err != nil {
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
func (c runChange) restaff(maxAge time.Duration) {
	found := c.staff(c.stage(), maxAge)
	if found.short || found.unavailable != "" || len(found.failures) > 0 || c.fewer(found) {
		since := c.facts.At
		for _, t := range c.tasksOf(c.run) {
			if t.vacant() && t.UpdatedAt.Before(since) { // unchanged since then
				since = t.UpdatedAt
			}
		}
		*c.run = c.run.lookAgain(since, c.facts.At)
		c.run.LastError = cmp.Or(found.failed(), found.unavailable)
		return
	}
	before := *c.run
	found.put(c.run)
	for _, a := range before.People { // approvers assigned by an admin stay
		if (a.PlacedBy != nil || a.Given) && c.run.entry(a.ID) < 0 {
			a.Added = true
			c.run.People = append(c.run.People, a)
		}
	}
	for i := range c.Tasks {
		if t := &c.Tasks[i]; c.run.Owns(*t) && t.Status.live() {
			c.onTask(t).refit(before)
		}
	}
	c.askPeople()
}

// fewer reports whether a stage would have fewer approvers than at its start, or approvers absent
// from the directory. Their places then stay rescue tasks, so that the quorum is not weakened.
func (c runChange) fewer(found staffing) bool {
	ballot, _ := c.ballot()
	starting := 0
	for _, v := range ballot.Voters {
		if !v.Added {
			starting++
		}
	}
	var before []identity.User
	for _, a := range found.people {
		if c.run.entry(a.ID) >= 0 {
			before = append(before, a.User)
		}
	}
	return len(found.people) < starting || len(c.Known(before)) < len(before)
}

// refit updates a task to the re-resolved approvers of its stage. The stage has no decision yet, so
// the result equals a start with these approvers.
func (c taskChange) refit(before StageRun) {
	holder := c.task.holder()
	here := c.run.entry(holder)
	switch {
	case c.task.vacant() && c.task.Owner == nil:
		*c.task = c.task.closed(TaskSkipped, ClosedNotNeeded, c.facts.At)
	case c.task.vacant(), // the task of a former approver
		holder != "" && here < 0 && before.entry(holder) >= 0:
		*c.task = c.task.closed(TaskSkipped, ClosedApproverLost, c.facts.At)
	case here >= 0 && c.task.Rescue && c.run.People[here].PlacedBy == nil: // the rules yield the holder now
		c.task.Rescue, c.task.PlacedBy, c.task.Added, c.task.Rules, c.task.Required = false, nil, false, c.run.People[here].Rules, c.run.People[here].Required
		return
	default:
		return
	}
	c.note(audit.EventTaskClosed, c.run, c.task)
}

// preview computes the result of starting the stage of a run now.
func (c runChange) preview() (problems []string, err error) {
	stage := c.stage()
	p := c.plan(stage)
	if p.status == StageResolving {
		return nil, reason.NoAnswer("stage %s: %s", c.run.Key, p.unavailable)
	}
	if p.status == StageSkipped {
		c.run.Status, c.run.Skip = StageSkipped, &p.skip
		if p.skip.Reason == SkippedByCondition { // no rule was resolved
			return nil, nil
		}
	}
	p.put(c.run)
	c.follow()
	c.run.Count = p.ballot(stage).Count()
	problems = slices.Clone(p.failures)
	switch {
	case p.status == StageSkipped:
	case p.status == StageRejected:
		problems = append(problems, "too few people may approve: the request would be rejected")
	case p.short && len(p.failures) == 0:
		problems = append(problems, fmt.Sprintf("too few people may approve: %d are eligible, and an admin would have to find more", len(c.run.People)))
	}
	return problems, nil
}
