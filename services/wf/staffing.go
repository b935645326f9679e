package wf

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// plan is how a stage would start if it were reached now: the one answer behind creation,
// preview and simulation.
type plan struct {
	staffing
	status  StageStatus // resolving, skipped, rejected or, also if people are missing, active
	skip    Skip        // of a skipped stage
	failure *Error      // why the condition failed; the stage runs then
}

// plan evaluates the condition of a stage and resolves its approvers.
func (c *change) plan(run *StageRun, stage Stage) (plan, error) {
	applies, failure := c.applies(stage)
	switch {
	case c.asks():
		return plan{}, errAsks
	case failure.unanswered():
		return plan{status: StageResolving, staffing: staffing{unavailable: "when: " + failure.Message}}, nil
	case !applies:
		return plan{status: StageSkipped, skip: Skip{Reason: "when_false", Detail: stage.When}}, nil
	}
	found, err := c.staff(run, stage, 0)
	p := plan{staffing: found, status: StageActive, failure: failure}
	switch {
	case err != nil:
		return p, err
	case found.unavailable != "":
		p.status = StageResolving
	case !found.short || found.failed() != "":
	case stage.OnEmpty == OnEmptySkip && found.nobody:
		p.status, p.skip = StageSkipped, Skip{Reason: "empty"}
	case stage.OnEmpty == OnEmptyReject:
		p.status = StageRejected
	}
	return p, nil
}

// start opens a stage that is reached. It may be skipped, have too few people, or wait
// for a directory or a resolver to answer.
func (c *change) start(run *StageRun) error {
	p, err := c.plan(run, c.stage(run))
	if err != nil {
		return err
	}
	switch {
	case p.failed() != "" && c.starting:
		return Refuse(EngineRefused, "stage %s: %s", run.Key, p.failed())
	case p.status == StageResolving && c.starting:
		return NoAnswer("stage %s: %s", run.Key, p.unavailable)
	case p.status == StageResolving:
		first := run.Status != StageResolving
		if *run = run.wait(p.unavailable, c.facts.At); first {
			c.note(EventStageResolutionFailed, run, nil)
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
		c.note(EventStageStarted, run, nil)
		c.askPeople(run) // judging it finds what is missing
	}
	return nil
}

// applies reports whether the stage runs, by its condition. If the condition fails, it
// runs.
func (c *change) applies(stage Stage) (bool, *Error) {
	if stage.When == "" {
		return true, nil
	}
	value, failure := c.condition(stage.When)
	return value || failure != nil, failure
}

// askPeople makes a task for everybody who has none, and follows their delegations.
func (c *change) askPeople(run *StageRun) {
	c.follow(run)
	if !run.Pool {
		c.makeTasks(run)
	}
	if c.def.Settings.RepeatApprover == RepeatAutoApprove {
		c.repeat(run)
	}
}

func (c *change) skip(run *StageRun, why Skip) {
	run.Status, run.Skip, run.CompletedAt = StageSkipped, &why, c.facts.At
	run.LastError, run.RetryAt = "", time.Time{}
	c.note(EventStageSkipped, run, nil)
}

// staffing is whom the rules of a stage yield, and whether they are enough.
type staffing struct {
	people      []Approver
	excluded    []Exclusion
	observers   []User
	minimums    []int
	fallback    bool
	unseen      []string // what is wrong with the rules of observers, which keeps nothing from going on
	failures    []string // of rules that are wrong
	unavailable string   // the rule that has no answer now
	short       bool     // people are missing
	nobody      bool     // the rules yield nobody, or nobody but people who approved before
}

func (s staffing) failed() string { return strings.Join(s.failures, "; ") }

// put writes the staffing into a run.
func (s staffing) put(run *StageRun) {
	run.People, run.Excluded, run.Minimums, run.Fallback = s.people, s.excluded, s.minimums, s.fallback
	run.Observers = once(run.Observers, s.observers) // who has read the request once goes on reading it
}

// once is the people of two lists, each of them once.
func once(lists ...[]User) []User {
	var people []User
	for _, u := range slices.Concat(lists...) {
		if !slices.ContainsFunc(people, func(other User) bool { return other.ID == u.ID }) {
			people = append(people, u)
		}
	}
	return people
}

// observe finds the observers of a stage. A rule that fails, or that has no answer now,
// yields none of them: nobody waits for an observer.
func (c *change) observe(s *staffing, run *StageRun, stage Stage, maxAge time.Duration) {
	for i, rule := range stage.Observers {
		users, failure := c.people(rule, run, maxAge)
		if failure != nil {
			s.unseen = append(s.unseen, fmt.Sprintf("observer rule %d: %s", i, failure.Message))
		}
		s.observers = once(s.observers, users)
	}
	if n := len(s.observers); n > maxWatch {
		s.unseen = append(s.unseen, fmt.Sprintf("%d observers, and a stage takes %d", n, maxWatch))
		s.observers = s.observers[:maxWatch]
	}
}

// staff finds whom the rules of a stage yield, without those who may not approve, and
// whether they are enough. A rule that fails, or that is required and yields nobody,
// needs an approval that an admin has to arrange: a missing, excluded or misspelt
// approver never makes an approval easier to get.
func (c *change) staff(run *StageRun, stage Stage, maxAge time.Duration) (staffing, error) {
	s := staffing{minimums: stage.minimums()}
	yields := make([][]User, len(stage.Approvers))
	for i, rule := range stage.Approvers {
		users, failure := c.people(rule, run, maxAge)
		if failure == nil {
			yields[i] = users
		} else if s.fails("approver", i, failure) {
			s.minimums[i] = max(s.minimums[i], 1)
		}
	}
	left, failure := c.left(run)
	if failure != nil {
		s.unavailable = failure.Message
	}
	c.observe(&s, run, stage, maxAge)
	if c.asks() {
		return s, errAsks
	}
	s.nobody = true
	for _, a := range union(yields) {
		if left[a.ID] {
			continue
		}
		a.Required = stage.Assignment != AssignmentPool && slices.ContainsFunc(a.Rules, func(i int) bool { return stage.Approvers[i].Required })
		why := c.unfit(a.User, run)
		s.nobody = s.nobody && why == ExcludedRepeat
		if why != "" {
			s.excluded = append(s.excluded, Exclusion{User: a.User, Reason: why})
		} else {
			s.people = append(s.people, a)
		}
	}
	short := s.shortRules(stage)
	for _, i := range short {
		s.minimums[i] = max(s.minimums[i], 1)
	}
	s.weigh(stage, run)
	if s.short && stage.OnEmpty == OnEmptyFallback && len(s.failures) == 0 && s.unavailable == "" {
		return c.fallBack(s, short, run, stage, maxAge)
	}
	return s, nil
}

// left returns the people of a run who have left and whom the directory does not know.
// A rule that names people by their ids still yields them.
func (c *change) left(run *StageRun) (map[string]bool, *Error) {
	left := map[string]bool{}
	var ids []string
	for _, a := range run.People {
		if a.Lost && c.facts.Directory {
			left[a.ID] = true
			ids = append(ids, a.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	known, failure := c.ask(Whether(ids...))
	for _, u := range known {
		delete(left, u.ID)
	}
	return left, failure
}

// shortRules returns the rules with fewer people than they need.
func (s staffing) shortRules(stage Stage) []int {
	var short []int
	for i, rule := range stage.Approvers {
		people := 0
		for _, a := range s.people {
			if slices.Contains(a.Rules, i) {
				people++
			}
		}
		if people < rule.MinApprovals || people == 0 && rule.Required && stage.Assignment != AssignmentPool {
			short = append(short, i)
		}
	}
	return short
}

// fails notes why a rule yields nobody, and reports whether it is wrong: it may have no
// answer now.
func (s *staffing) fails(kind string, rule int, failure *Error) (wrong bool) {
	message := fmt.Sprintf("%s rule %d: %s", kind, rule, failure.Message)
	if failure.Reason == ResolverFailed {
		s.unavailable = message
		return false
	}
	s.failures = append(s.failures, message)
	return true
}

// weigh finds whether there are too many people, or whether the stage could not be approved
// even if everybody who is asked approved.
func (s *staffing) weigh(stage Stage, run *StageRun) {
	if limit := s.overLimit(stage, run); limit != "" {
		s.failures, s.people = append(s.failures, limit), nil
	}
	s.short = s.ballot(stage).Judge() == VerdictUnreachable
}

func (s staffing) ballot(stage Stage) Ballot {
	b := Ballot{Quorum: stage.Quorum, Rejection: stage.Rejection, Minimums: s.minimums, Pool: stage.Assignment == AssignmentPool}
	for _, a := range s.people {
		b.Voters = append(b.Voters, Voter{State: VoterPending, Rules: a.fits()})
	}
	return b
}

// fallBack adds the fallback approvers as people of each rule that is short, or of
// every rule when all the people together are too few.
func (c *change) fallBack(s staffing, short []int, run *StageRun, stage Stage, maxAge time.Duration) (staffing, error) {
	rules := short
	if len(rules) == 0 {
		for i := range stage.Approvers {
			rules = append(rules, i)
		}
	}
	s.fallback = true
	for i, rule := range c.def.Settings.FallbackApprovers {
		if users, failure := c.people(rule, run, maxAge); failure == nil {
			s.join(c, run, users, rules)
		} else {
			s.fails("fallback", i, failure)
		}
	}
	if c.asks() {
		return s, errAsks
	}
	s.weigh(stage, run)
	return s, nil
}

func (s *staffing) join(c *change, run *StageRun, users []User, rules []int) {
	for _, u := range users {
		i := slices.IndexFunc(s.people, func(a Approver) bool { return a.ID == u.ID })
		switch why := c.unfit(u, run); {
		case i >= 0:
			merged := slices.Concat(s.people[i].Rules, rules)
			s.people[i].Rules = slices.Compact(slices.Sorted(slices.Values(merged)))
		case why == "":
			s.people = append(s.people, Approver{User: u, Rules: slices.Clone(rules), Fallback: true})
		case !slices.ContainsFunc(s.excluded, func(e Exclusion) bool { return e.User.ID == u.ID }):
			s.excluded = append(s.excluded, Exclusion{User: u, Reason: why})
		}
	}
}

func (s staffing) overLimit(stage Stage, run *StageRun) string {
	switch n := len(s.people); {
	case run.Pool && n > maxPool:
		return fmt.Sprintf("%d candidates, and a pool takes at most %d", n, maxPool)
	case !run.Pool && n > maxCounted:
		return fmt.Sprintf("%d approvers, and each takes at most %d; use assignment pool", n, maxCounted)
	case run.Pool && stage.Quorum.share(n) > maxCounted:
		return fmt.Sprintf("%d approvals needed, and a pool takes at most %d", stage.Quorum.share(n), maxCounted)
	default:
		return ""
	}
}

// makeTasks makes a task for everybody who has none in the run. A stand-in holds it, or
// shares it.
func (c *change) makeTasks(run *StageRun) {
	used := run.used(c.Tasks)
	for _, a := range run.People {
		if used[a.ID] || a.Lost {
			continue
		}
		t := c.task(run)
		t.Assignee, t.Rules, t.Required = new(a.User), a.Rules, a.Required
		t = t.followed(a)
		t.Owner = t.Assignee
		c.Tasks = append(c.Tasks, t)
		c.note(EventTaskCreated, run, &t)
	}
}

// repeat decides the tasks of those who approved an earlier stage. In a stage that asks
// for more than a yes, everybody decides for themselves.
func (c *change) repeat(run *StageRun) {
	stage := c.stage(run)
	if stage.Reauth != nil || len(stage.DecisionSchema) > 0 || c.def.Settings.RequireComment.Approve {
		return
	}
	caller := c.by
	c.by = SystemRepeat
	for i := range c.Tasks {
		task := &c.Tasks[i]
		if !run.Owns(*task) || task.Status != TaskOpen || task.Assignee == nil || !c.approvedElsewhere(task.Assignee.ID, run) {
			continue
		}
		d := c.decision(*task, DecisionInput{ID: c.ids.next(), Action: ActionApprove}, false)
		d.Source = "system"
		*task = task.decided(d)
		c.note(EventTaskDecided, run, task)
	}
	c.by = caller
}

// Resolve tries the stages again that wait for a directory or a resolver, and looks
// again at those with too few people, if they are due. A stage that has to go on
// waiting changes without an event.
func (r Request) Resolve(def Definition, f Facts) (Request, []Event, error) {
	c := r.begin(def, SystemDirectory, f)
	return c.end(c.resolve(func(run StageRun) bool { return !run.RetryAt.IsZero() && !f.At.Before(run.RetryAt) }, 0, false))
}

// Reevaluate does what Resolve does, at once and with new answers, because an admin
// asks.
func (r Request) Reevaluate(def Definition, by Actor, f Facts) (Request, []Event, error) {
	c := r.begin(def, by, f)
	if err := c.unexpired(); err != nil {
		return c.end(err)
	}
	waits := func(run StageRun) bool { return run.Status == StageResolving || c.understaffed(&run) }
	if !slices.ContainsFunc(c.Stages, waits) {
		return c.end(Refuse(WrongState, "no stage of request %s waits for approvers; the request is %s", r.ID, r.Status))
	}
	return c.end(c.resolve(waits, -1, false))
}

// understaffed reports whether a stage is blocked because it has too few people. A
// stage that is blocked by decisions waits for its rescue.
func (c *change) understaffed(run *StageRun) bool {
	return run.Status == StageBlocked && !slices.ContainsFunc(c.of(run), func(t Task) bool { return t.Decision != nil })
}

// resolve looks at the stages that are due. moved says that something else has changed,
// so that the request has to advance in any case.
func (c *change) resolve(due func(StageRun) bool, maxAge time.Duration, moved bool) error {
	if c.Status.Final() || c.Overdue(c.facts.At) {
		return nil
	}
	for i := range c.Stages {
		run := &c.Stages[i]
		if !due(*run) {
			continue
		}
		look := c.start
		if run.Status != StageResolving {
			look = func(run *StageRun) error { return c.restaff(run, maxAge) }
		}
		if err := look(run); err != nil {
			return err
		}
		moved = true
	}
	if !moved {
		return nil
	}
	return c.advance()
}

// restaff looks again at a stage with too few people. When there are enough it starts
// anew, and the rescues that nobody has taken are closed.
func (c *change) restaff(run *StageRun, maxAge time.Duration) error {
	found, err := c.staff(run, c.stage(run), maxAge)
	if err != nil {
		return err
	}
	waits := found.short || found.unavailable != "" || len(found.failures) > 0 || c.fewer(run, found)
	if c.asks() {
		return errAsks
	}
	if waits {
		since := c.facts.At
		for _, t := range c.of(run) {
			if t.vacant() && t.UpdatedAt.Before(since) { // it has not changed since
				since = t.UpdatedAt
			}
		}
		*run = run.lookAgain(since, c.facts.At)
		run.LastError = cmp.Or(found.failed(), found.unavailable)
		return nil
	}
	before := *run
	found.put(run)
	for _, a := range before.People { // somebody whom an admin assigned stays
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
	return nil
}

// fewer reports whether a stage would have fewer people than it started with, or again
// people who have left. Their places stay rescues then, or the approval would be easier
// to get.
func (c *change) fewer(run *StageRun, found staffing) bool {
	ballot, _ := c.ballot(run)
	starting := 0
	for _, v := range ballot.Voters {
		if !v.Added {
			starting++
		}
	}
	var before []User
	for _, a := range found.people {
		if run.entry(a.ID) >= 0 {
			before = append(before, a.User)
		}
	}
	return len(found.people) < starting || len(c.known(before)) < len(before)
}

// refit brings a task in line with the people that its stage has now. Nobody has
// decided yet, so the stage is as if it started with them.
func (c *change) refit(t *Task, run *StageRun, before StageRun) {
	holder := t.holder()
	here := run.entry(holder)
	switch {
	case t.vacant() && t.Owner == nil:
		*t = t.closed(TaskSkipped, ClosedNotNeeded, c.facts.At)
	case t.vacant(), // the task of somebody who has left
		holder != "" && here < 0 && before.entry(holder) >= 0:
		*t = t.closed(TaskSkipped, ClosedApproverLost, c.facts.At)
	case here >= 0 && t.Rescue && run.People[here].PlacedBy == nil: // the rules yield the holder now
		t.Rescue, t.PlacedBy, t.Added, t.Rules, t.Required = false, nil, false, run.People[here].Rules, run.People[here].Required
		return
	default:
		return
	}
	c.note(EventTaskClosed, run, t)
}

// preview finds what would happen if the stage of a run were reached now.
func (c *change) preview(run *StageRun) (problems []string, err error) {
	stage := c.stage(run)
	p, err := c.plan(run, stage)
	switch {
	case err != nil:
		return nil, err
	case p.status == StageResolving:
		return nil, NoAnswer("stage %s: %s", run.Key, p.unavailable)
	}
	if p.status == StageSkipped {
		run.Status, run.Skip = StageSkipped, &p.skip
		if p.skip.Reason == "when_false" { // no rule was asked
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
