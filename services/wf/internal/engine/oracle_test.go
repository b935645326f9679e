package engine_test

import (
	"fmt"
	"slices"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// oracle recomputes a stage run from its stored decisions, by trying every assignment of people to
// places. It shares no code with the service: the rules are implemented again, as documented.
type oracle struct {
	stage    policy.Stage
	run      wf.StageRun
	minimums []int
	voters   []ballotist
	starting int // tasks, or people of the pool, at the start
	abstains int // abstentions among them that are still in place
	noes     int
	override bool
	decided  bool // at least one decision exists
	vetoed   bool // by a rejection for a rule with a veto
	repeats  bool // approvers of another stage are excluded
}

// ballotist is the holder of a task, a member of a pool, or an open rescue task.
type ballotist struct {
	who      string // decider or candidate; empty for an open rescue task
	fits     []bool // by rule
	said     wf.Action
	live     bool // holds a task, or is the rescue
	free     bool // of a pool, and has not acted
	seat     int
	required bool
	replaced bool
	open     bool // may still approve
}

func newOracle(def policy.Definition, document string, r wf.Request, run wf.StageRun) *oracle {
	o := &oracle{run: run, repeats: def.Settings.RepeatApprover == policy.RepeatExclude}
	stage, _ := def.Stage(run.Key)
	o.stage = over(stage, document)
	o.minimums = run.Minimums
	if o.minimums == nil { // of a stage that had ended when this version came
		for _, rule := range o.stage.Approvers {
			o.minimums = append(o.minimums, rule.MinApprovals)
		}
	}
	o.decided = slices.ContainsFunc(o.tasks(r), func(t wf.Task) bool { return t.Decision != nil })
	if run.Pool {
		o.readPool(r)
	} else {
		o.readTasks(r)
	}
	return o
}

func (o *oracle) tasks(r wf.Request) []wf.Task {
	return slices.DeleteFunc(slices.Clone(r.Tasks), func(t wf.Task) bool { return t.StageKey != o.run.Key || t.StageRun != o.run.Run })
}

func isLive(t wf.Task) bool { return t.Status == wf.TaskOpen || t.Status == wf.TaskClaimed }

// ends reports whether the task was open until its stage ended.
func ends(t wf.Task) bool { return isLive(t) || t.CloseReason == wf.ClosedStageRejected }

func decider(t wf.Task) string {
	if t.Decision.Actor.Kind == identity.ActorSystem {
		return t.Assignee.ID
	}
	return t.Decision.Actor.ID
}

func (o *oracle) fit(rules []int, all bool) []bool {
	fits := make([]bool, len(o.minimums))
	for i := range fits {
		fits[i] = all || slices.Contains(rules, i)
	}
	return fits
}

func (o *oracle) readTasks(r wf.Request) {
	tasks := o.tasks(r)
	for _, t := range tasks {
		if t.CloseReason == wf.ClosedNotNeeded || t.CloseReason == wf.ClosedApproverLost {
			continue
		}
		v := ballotist{seat: t.Seat, fits: o.fit(t.Rules, t.Rescue), required: t.Required, live: isLive(t), open: ends(t)}
		v.replaced = slices.ContainsFunc(tasks, func(other wf.Task) bool { return other.Replaces == t.Seat })
		if t.Assignee != nil {
			v.who = t.Assignee.ID
		}
		if t.Decision != nil {
			v.who, v.said = decider(t), t.Decision.Action
			o.override = o.override || t.Decision.Override
		}
		if !t.Added {
			o.starting++
			if v.said == wf.ActionAbstain && !v.replaced {
				o.abstains++
			}
		}
		o.hear(v, t.Added)
	}
}

// hear adds a voter. People that were added, on a rescue or by an escalation, have every veto.
func (o *oracle) hear(v ballotist, every bool) {
	if v.said == wf.ActionReject {
		o.noes++
		for i, rule := range o.stage.Approvers {
			o.vetoed = o.vetoed || rule.Veto && (every || v.fits[i])
		}
	}
	o.voters = append(o.voters, v)
}

func (o *oracle) readPool(r wf.Request) {
	tasks := o.tasks(r)
	for _, a := range o.run.People {
		v := ballotist{who: a.ID, fits: o.fit(a.Rules, a.PlacedBy != nil)}
		acts := false
		for _, t := range tasks {
			owner := t.Assignee
			if owner == nil || owner.ID != a.ID || !isLive(t) && t.Decision == nil && !ends(t) {
				continue
			}
			acts, v.live, v.open = true, isLive(t), ends(t)
			if t.Decision != nil {
				v.who, v.said, v.open = decider(t), t.Decision.Action, false
				o.override = o.override || t.Decision.Override
			}
		}
		if !acts && !a.Ineligible && !(o.repeats && busy(r, o.run, a.ID)) {
			v.free, v.open = true, true
		}
		if !a.Added {
			o.starting++
			if v.said == wf.ActionAbstain {
				o.abstains++
			}
		}
		o.hear(v, false)
	}
	for _, t := range tasks {
		if t.Kind == wf.RescueTask && t.Assignee == nil && ends(t) {
			o.voters = append(o.voters, ballotist{fits: o.fit(nil, true), live: isLive(t), open: true})
		}
		o.override = o.override || t.Decision != nil && t.Decision.Override
	}
}

// busy reports whether a person has approved another stage, or has a task of one that runs
// at the same time.
func busy(r wf.Request, run wf.StageRun, id string) bool {
	return slices.ContainsFunc(r.Tasks, func(t wf.Task) bool {
		return t.StageKey != run.Key && latest(r, t) && (t.Decision != nil && t.Decision.Action == wf.ActionApprove && decider(t) == id ||
			ends(t) && t.Assignee != nil && t.Assignee.ID == id)
	})
}

// latest reports whether a task is of the last run of its stage.
func latest(r wf.Request, t wf.Task) bool {
	run := 0
	for _, s := range r.Stages {
		if s.Key == t.StageKey {
			run = max(run, s.Run)
		}
	}
	return run == t.StageRun
}

// need is how many people have to approve.
func (o *oracle) need() int {
	q := o.stage.Quorum
	n := o.starting - o.abstains
	switch q.Mode {
	case quorum.QuorumAny:
		n = 1
	case quorum.QuorumCount:
		n = q.Value
	case quorum.QuorumPercentage:
		percent := q.Value * n
		n = percent / 100
		if percent%100 != 0 {
			n++
		}
	}
	return max(n, 1, q.MinApprovals, o.kept())
}

func (o *oracle) kept() int {
	sum := 0
	for _, n := range o.minimums {
		sum += n
	}
	return sum
}

// placed is how many places of the rules these people can fill, each at most one.
func placed(people [][]bool, places []int) int {
	if len(people) == 0 || !slices.ContainsFunc(places, func(n int) bool { return n > 0 }) {
		return 0
	}
	best := placed(people[1:], places)
	for rule, fits := range people[0] {
		if fits && places[rule] > 0 {
			left := slices.Clone(places)
			left[rule]--
			best = max(best, 1+placed(people[1:], left))
		}
	}
	return best
}

// enough reports whether the stage is approved when these have approved.
func (o *oracle) enough(counts func(ballotist) bool) bool {
	var people [][]bool
	actors := map[string]bool{}
	approvals := 0
	for _, v := range o.voters {
		switch {
		case !counts(v):
			if v.required && !v.replaced && !o.run.Pool {
				return false
			}
			continue
		case v.said != "" && actors[v.who]: // one person, one approval
			continue
		case v.said != "":
			actors[v.who] = true
		}
		approvals++
		people = append(people, v.fits)
	}
	return approvals >= o.need() && placed(people, o.minimums) == o.kept()
}

func (v ballotist) yes() bool     { return v.said == wf.ActionApprove }
func (v ballotist) yetYes() bool  { return v.yes() || v.open && !v.replaced }
func (v ballotist) engaged() bool { return v.yes() || v.live && !v.replaced }

func (o *oracle) refuses() bool {
	if o.vetoed {
		return true
	}
	switch o.stage.Rejection.Mode {
	case quorum.RejectionCount:
		return o.noes >= o.stage.Rejection.Value
	case quorum.RejectionUnreachable:
		return false
	default:
		return o.noes > 0
	}
}

// waits reports whether open decisions keep a stage with wait_for_all undecided.
func (o *oracle) waits() bool {
	return o.stage.Quorum.WaitForAll && !o.run.Pool && slices.ContainsFunc(o.voters, func(v ballotist) bool { return v.open && !v.replaced })
}

// accuse returns the error of a run with its context, or "".
func accuse(def policy.Definition, document string, r wf.Request, run wf.StageRun) string {
	o := newOracle(def, document, r, run)
	for i, rule := range o.stage.Approvers {
		if run.Status == wf.StageApproved && !o.override && !run.Pool && rule.Required && o.minimums[i] == 0 &&
			!slices.ContainsFunc(o.voters, func(v ballotist) bool { return v.required && v.yes() }) {
			return "approved without its required people"
		}
		if o.minimums[i] < rule.MinApprovals && run.Minimums != nil {
			return fmt.Sprintf("rule %d needs %d approvals, and the run requires %d", i, rule.MinApprovals, o.minimums[i])
		}
	}
	switch {
	case o.override:
		return "" // an admin's decision replaces the count
	case run.Status == wf.StageApproved && o.refuses():
		return fmt.Sprintf("approved against %d rejections", o.noes)
	case run.Status == wf.StageApproved && !o.enough(ballotist.yes):
		return "approved without its required people and minimums"
	case run.Status == wf.StageApproved && o.waits():
		return "approved before all decisions"
	case run.Status == wf.StageRejected && len(o.voters) > 0 && !o.refuses() && o.enough(ballotist.yetYes):
		return "rejected although it could still be approved"
	case run.Status != wf.StageActive && run.Status != wf.StageBlocked:
		return ""
	case run.Status == wf.StageBlocked && run.RetryAt.IsZero() != o.decided:
		return fmt.Sprintf("blocked, decided in %t, and looked at again at %s", o.decided, run.RetryAt)
	case o.refuses():
		return "open although it is rejected"
	case o.enough(ballotist.yes) && !o.waits():
		return "open although it is approved"
	case !o.enough(ballotist.yetYes):
		return "open although approval is impossible"
	case run.Pool:
		return o.accuseOffer(r)
	default:
		return ""
	}
}

// accuseOffer compares the open tasks of a pool and their candidates with the needs of the stage.
func (o *oracle) accuseOffer(r wf.Request) string {
	var engaged [][]bool
	for _, v := range o.voters {
		if v.engaged() {
			engaged = append(engaged, v.fits)
		}
	}
	have := placed(engaged, o.minimums)
	gap, kept := max(o.need()-len(engaged), 0), o.kept()-have
	offered := 0
	for _, t := range o.tasks(r) {
		if isLive(t) && t.Kind == wf.ApproverTask && t.Assignee == nil {
			offered++
		}
	}
	if offered != max(gap, kept) {
		return fmt.Sprintf("%d tasks are open, and it needs %d", offered, max(gap, kept))
	}
	var may, want []string
	for _, claimant := range o.run.Claimants(r.Tasks) {
		if !(o.repeats && busy(r, o.run, claimant.ID)) { // a repeated approver is refused at the attempt
			may = append(may, claimant.ID)
		}
	}
	for _, v := range o.voters {
		if v.free && offered > 0 && (gap > kept || placed(append(slices.Clone(engaged), v.fits), o.minimums) > have) && !o.acts(r, v.who) {
			want = append(want, v.who)
		}
	}
	slices.Sort(may)
	slices.Sort(want)
	if !slices.Equal(may, want) {
		return fmt.Sprintf("%v may take a task, and it should be %v", may, want)
	}
	if offered > 0 && len(want) == 0 {
		return "its open tasks have no eligible claimant"
	}
	return ""
}

// acts reports whether a person holds a task of the run, or has decided one, for themself
// or for another.
func (o *oracle) acts(r wf.Request, id string) bool {
	return slices.ContainsFunc(o.tasks(r), func(t wf.Task) bool {
		return t.Assignee != nil && (isLive(t) || t.Decision != nil) &&
			(t.Assignee.ID == id || t.Status == wf.TaskClaimed && t.ClaimedBy.ID == id || t.Decision != nil && t.Decision.Actor.ID == id)
	})
}

// stuck returns the reason why a request cannot advance, or "".
func stuck(r wf.Request) string {
	if r.Status.Final() || r.Status == wf.RequestChangesRequested {
		return ""
	}
	for _, run := range r.Stages {
		switch run.Status {
		case wf.StageResolving:
			if !run.RetryAt.IsZero() {
				return ""
			}
		case wf.StageActive, wf.StageBlocked:
			for _, t := range r.Tasks {
				if t.StageKey != run.Key || t.StageRun != run.Run || !isLive(t) {
					continue
				}
				if t.Assignee != nil || t.Kind == wf.RescueTask || len(run.Claimants(r.Tasks)) > 0 {
					return ""
				}
			}
		}
	}
	return "no claimable live task, and no timer"
}
