package wf_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// crew holds all actors: ana, bo and cy are approvers, sue is a delegate of ana and bo, and an
// admin assigns max.
var crew = []string{"ana", "bo", "cy", "sue", "max"}

// role yields the people whose names begin with its letters, as long as they are there.
func role(letters string) policy.Rule { return policy.Rule{Type: policy.RuleRole, Role: letters} }

// TestEveryOrderOfTransitions drives requests with one stage and a few approvers through all
// transitions, in every order, and checks each state:
//
//   - the count of the tasks equals the count of the stage;
//   - the number of people with tasks never decreases;
//   - while it is open, a person can act, or an unassigned rescue exists;
//   - a pool offers the required tasks, and accepts exactly the eligible
//     claimants;
//   - each person acts at most once, and holds no task after a departure;
//   - a person that lost or handed over a place has no other one, unless an admin assigns it, whatever
//     an escalation, which yields them again, and a re-evaluation do;
//   - a withdrawal restores the task, and closes the rescues that are not needed without the decision;
//   - a delegation changes no task: sue decides for ana or bo, once, and without a place; after its end her claim
//     is that of the delegator.
//
// By default a sample of the orders runs; with WF_ENUMERATE=full many more.
func TestEveryOrderOfTransitions(t *testing.T) {
	t.Parallel()
	states, depth := 25, 9
	if os.Getenv("WF_ENUMERATE") == "full" {
		states, depth = 2000, 9
	}
	total, transitions := 0, 0
	for name, stage := range smallStages() {
		for _, stands := range []bool{false, true} {
			if !stage.Quorum.WaitForAll {
				stage = due(stage, escalates(role("abc"), names("max")))
			}
			j := journey{t: t, def: policyOf(stage), name: name, seen: map[string]bool{}}
			if stands {
				j.delegations = []approver.Delegation{substitute("d1", "ana"), substitute("d2", "bo")}
			}
			j.explore(states, depth)
			total += len(j.seen)
			transitions += j.transitions
		}
	}
	t.Logf("%d stages, %d states, %d transitions", 2*len(smallStages()), total, transitions)
}

func substitute(id, of string) approver.Delegation {
	return approver.Delegation{
		ID: id, User: user(of), DelegateTo: user("sue"), CreatedBy: user(of), CreatedAt: noon.Add(-time.Hour),
		StartsAt: noon.Add(-time.Hour), EndsAt: noon.Add(time.Hour),
	}
}

func smallStages() map[string]policy.Stage {
	block := func(mode quorum.RejectionMode, k int) quorum.Rejection {
		return quorum.Rejection{Mode: mode, Value: k, OnUnreachable: quorum.OnUnreachableBlock}
	}
	required := func(r policy.Rule) policy.Rule { r.Required = true; return r }
	least := func(n int, r policy.Rule) policy.Rule { r.MinApprovals = n; return r }
	count := func(n int) quorum.Quorum { return quorum.Quorum{Mode: quorum.QuorumCount, Value: n} }
	ofEach := func(q quorum.Quorum, r quorum.Rejection, rules ...policy.Rule) policy.Stage {
		return policy.Stage{Key: "s", Name: "s", Approvers: rules, Quorum: q, Rejection: r, Allow: policy.Allow{Abstain: true}}
	}
	queue := func(q quorum.Quorum, r quorum.Rejection, rules ...policy.Rule) policy.Stage {
		s := ofEach(q, r, rules...)
		s.Assignment = policy.AssignmentPool
		return s
	}
	all, anyOne := quorum.Quorum{}, quorum.Quorum{Mode: quorum.QuorumAny}
	return map[string]policy.Stage{
		"all of two, one no ends it":                  ofEach(all, quorum.Rejection{}, role("ab")),
		"all of two named, blocked when out of reach": ofEach(all, block(quorum.RejectionUnreachable, 0), names("ana", "bo")),
		"one of two, one required, blocked":           ofEach(anyOne, block(quorum.RejectionCount, 2), required(role("a")), role("b")),
		"one of two, one required, rejected": ofEach(anyOne, quorum.Rejection{Mode: quorum.RejectionUnreachable},
			required(role("a")), role("b")),
		"two of three, one of each rule, blocked": ofEach(count(2), block(quorum.RejectionUnreachable, 0),
			least(1, role("ab")), least(1, role("bc"))),
		"half of three, all have to decide": ofEach(quorum.Quorum{Mode: quorum.QuorumPercentage, Value: 50,
			WaitForAll: true}, block(quorum.RejectionCount, 2), role("abc")),
		"a pool, one of two, one no ends it":            queue(anyOne, quorum.Rejection{}, role("ab")),
		"a pool, one of two, blocked when out of reach": queue(anyOne, block(quorum.RejectionUnreachable, 0), role("ab")),
		"a pool, two of three named, rejected":          queue(count(2), quorum.Rejection{Mode: quorum.RejectionUnreachable}, names("ana", "bo", "cy")),
		"a pool, two of three named, blocked":           queue(count(2), block(quorum.RejectionCount, 2), names("ana", "bo", "cy")),
		"a pool, one of each rule that share a person":  queue(anyOne, block(quorum.RejectionUnreachable, 0), least(1, role("ab")), least(1, role("bc"))),
		"a pool, half of three, one of a rule of one": queue(quorum.Quorum{Mode: quorum.QuorumPercentage, Value: 50},
			quorum.Rejection{Mode: quorum.RejectionCount, Value: 2}, least(1, role("a")), role("bc")),
	}
}

// journey goes through the states of one request.
type journey struct {
	surroundings
	t           *testing.T
	name        string
	def         policy.Definition
	seen        map[string]bool
	queue       []moment
	transitions int
	starting    int // voters
}

// moment is a state of the request, and how it came about.
type moment struct {
	wf.Request
	gone   []string // absent from the directory
	former []string // lost or handed over a place
	path   []string
}

func (j *journey) explore(states, depth int) {
	j.surroundings.at, j.surroundings.directory = noon, true
	start := moment{}
	err := j.step(start, "start", nil, func(f wf.Facts) (wf.Request, []wf.Event, error) {
		request := draft()
		request.SubmittedBy = request.Requester
		return wf.NewRequest(request, j.def, person("rita"), f)
	})
	if err != nil {
		j.fail(start, "%v", err)
	}
	random := rand.New(rand.NewPCG(1, 2)) // near and far, when not all are looked at
	for n := 0; n < len(j.queue) && n < states; n++ {
		other := n + random.IntN(len(j.queue)-n)
		j.queue[n], j.queue[other] = j.queue[other], j.queue[n]
		m := j.queue[n]
		j.check(m)
		j.withdrawals(m)
		if m.Status.Final() || len(m.path) > depth {
			continue
		}
		for _, task := range m.Tasks {
			if live(task) {
				j.act(m, task)
			}
		}
		for _, id := range crew {
			if !slices.Contains(m.gone, id) {
				j.leaves(m, id)
			}
		}
		if len(m.gone) == 0 {
			j.sweep(m, "ana", "bo")
		}
		if run := m.Stages[0]; running(run) && !run.DueAt.IsZero() && !run.DueRecorded {
			j.step(m, "the date", nil, func(f wf.Facts) (wf.Request, []wf.Event, error) {
				f.At = run.DueAt
				return m.Apply(j.def, identity.Actor{}, f, wf.ProcessDeadlines)
			})
		}
		if m.Status == wf.RequestBlocked {
			j.step(m, "reevaluate", nil, j.by(m, root, wf.Reevaluate))
		}
	}
}

// act does what people can do with a task.
func (j *journey) act(m moment, task wf.Task) {
	for _, id := range crew {
		by := person(id)
		switch {
		case task.Kind == wf.RescueTask:
			err := j.step(m, "rescued by "+id, nil, j.by(m, root, wf.Reassign(task.ID, by.User, false, "")))
			if busy := slices.Contains(m.gone, id) || acts(m, id); busy == (err == nil) {
				j.fail(m, "assigned a rescue to %s, who acts here or has left: %t: %v", id, busy, err)
			}
			continue
		case task.Assignee != nil && !task.HeldBy(id) && id != "sue":
			continue
		}
		j.step(m, "claim by "+id, nil, j.by(m, by, wf.Claim(task.ID, "")))
		if task.Assignee != nil {
			j.step(m, "unclaim by "+id, nil, j.by(m, by, wf.Unclaim(task.ID)))
			for _, to := range []string{"cy", "max", "sue"} {
				j.step(m, id+" is replaced by "+to, nil, j.by(m, root, wf.Reassign(task.ID, user(to), false, "")))
			}
		}
		for _, action := range []wf.Action{wf.ActionApprove, wf.ActionReject, wf.ActionAbstain} {
			in := wf.DecisionInput{ID: "d-" + task.ID, Action: action}
			j.step(m, fmt.Sprintf("%s by %s", action, id), nil, j.by(m, by, wf.Decide(task.ID, in)))
		}
	}
}

// by returns the transition by which a caller takes a step at a moment.
func (j *journey) by(m moment, by identity.Actor, step wf.Step) func(wf.Facts) (wf.Request, []wf.Event, error) {
	return func(f wf.Facts) (wf.Request, []wf.Event, error) { return m.Apply(j.def, by, f, step) }
}

// withdrawals has each person withdraw each decision. Its actor may, while the stage is undecided and no rescue has
// replaced it: the holder and the claim stay, and each rescue that stays unassigned is needed.
func (j *journey) withdrawals(m moment) {
	for _, task := range m.Tasks {
		if task.Decision == nil {
			continue
		}
		replaced := slices.ContainsFunc(m.Tasks, func(o wf.Task) bool { return o.Replaces == task.Seat })
		for _, id := range crew {
			withdraw := j.by(m, person(id), wf.Withdraw(task.ID, ""))
			want := error(nil)
			switch {
			case id != task.Decision.Actor.ID:
				want = reason.Forbidden
			case replaced || !running(m.Stages[0]):
				want = reason.WrongState
			}
			j.yields = present(m.gone)
			after, events, err := j.settle(withdraw)
			if !errors.Is(err, want) {
				j.fail(m, "%s withdraws the decision of %s: %v, want %v", id, task.Decision.Actor.ID, err, want)
			}
			if err != nil {
				continue
			}
			j.withdrawn(m, after, task)
			if !slices.Contains(m.gone, task.Assignee.ID) {
				j.step(m, "withdrawal by "+id, nil, withdraw)
				continue
			}
			next := moment{after, m.gone, formerAfter(m, after, events), append(slices.Clone(m.path), "withdrawal by "+id)}
			j.step(next, "sweep", nil, j.by(next, identity.Actor{}, wf.Sweep(m.gone))) // finds the former approver's task
		}
	}
}

// withdrawn verifies the request after the withdrawal of the decision on a task.
func (j *journey) withdrawn(m moment, after wf.Request, was wf.Task) {
	task, _ := after.Task(was.ID)
	want, claimant := wf.TaskOpen, "-"
	if was.ClaimedBy != nil {
		want, claimant = wf.TaskClaimed, was.Assignee.ID
	}
	if was.ClaimedBy != nil && was.ClaimedBy.ID == was.Decision.Actor.ID {
		claimant = was.ClaimedBy.ID
	}
	if task.Decision != nil || task.Status != want || !task.HeldBy(was.Assignee.ID) ||
		held(task.ClaimedBy) != claimant {
		j.fail(m, "the withdrawal leaves %+v", task)
	}
	for i, t := range after.Tasks {
		if t.Kind != wf.RescueTask || !live(t) || t.Assignee != nil || !t.Added || t.Replaces != 0 {
			continue
		}
		without := after
		without.Tasks = slices.Delete(slices.Clone(after.Tasks), i, i+1)
		if b := j.count(moment{Request: without}, after.Stages[0]); b.Judge() != quorum.VerdictUnreachable {
			j.fail(m, "rescue %d stays after a withdrawal, and is not needed", t.Seat)
		}
	}
}

// leaves makes a person leave: the sweep detects it, or an attempt to act.
func (j *journey) leaves(m moment, id string) {
	gone := append(slices.Clone(m.gone), id)
	j.sweep(m, id)
	for _, task := range m.Tasks {
		if live(task) && task.Kind == wf.ApproverTask && (task.Assignee == nil || task.HeldBy(id)) {
			in := wf.DecisionInput{ID: "d-" + task.ID, Action: wf.ActionApprove}
			j.step(m, id+" has left and tries", gone, j.by(m, person(id), wf.Decide(task.ID, in)))
		}
	}
}

func (j *journey) sweep(m moment, ids ...string) {
	gone := append(slices.Clone(m.gone), ids...)
	j.step(m, strings.Join(ids, " and ")+" leave", gone, j.by(m, identity.Actor{}, wf.Sweep(gone)))
}

// step applies a transition to a moment. gone lists the former approvers then, if it
// changes.
func (j *journey) step(m moment, what string, gone []string, transition func(wf.Facts) (wf.Request, []wf.Event, error)) error {
	j.transitions++
	if gone == nil {
		gone = m.gone
	}
	j.yields = present(gone)
	after, events, err := j.settle(transition)
	if err != nil && len(events) == 0 {
		return err
	}
	next := moment{after, gone, formerAfter(m, after, events), append(slices.Clone(m.path), what)}
	if key := next.key(); !j.seen[key] {
		j.seen[key] = true
		j.queue = append(j.queue, next)
	}
	return err
}

// formerAfter returns the people that have lost or handed over a place, after a transition.
func formerAfter(before moment, after wf.Request, events []wf.Event) []string {
	former := slices.Clone(before.former)
	for _, t := range before.Tasks {
		now, _ := after.Task(t.ID)
		run := after.Run(now)
		who := held(t.Assignee)
		keeps := run.Pool && slices.ContainsFunc(run.People, func(a approver.Approver) bool { return a.ID == who && !a.Ineligible })
		if live(t) && live(now) && who != "-" && held(now.Assignee) != who && !keeps && !slices.Contains(former, who) {
			former = append(former, who)
		}
	}
	for _, e := range events {
		if e.Type == audit.EventTaskReassigned && e.Actor.ID == "root" {
			former = slices.DeleteFunc(former, func(id string) bool { return id == e.Task.Assignee.ID })
		}
	}
	slices.Sort(former)
	return former
}

// present answers for a directory that these people have left.
func present(gone []string) yields {
	return func(rule policy.Rule, _ time.Duration) ([]identity.User, error) {
		ids := rule.IDs
		if rule.Type == policy.RuleRole {
			ids = nil
			for _, id := range crew[:3] {
				if strings.Contains(rule.Role, id[:1]) {
					ids = append(ids, id)
				}
			}
		}
		return users(slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(gone, id) })...), nil
	}
}

// key is the same for states in which the same can happen.
func (m moment) key() string {
	var facts []string
	for _, t := range m.Tasks {
		if t.CloseReason == wf.ClosedNotNeeded {
			continue
		}
		did := ""
		if t.Decision != nil {
			did = string(t.Decision.Action) + " by " + t.Decision.Actor.ID
		}
		replaced := slices.ContainsFunc(m.Tasks, func(o wf.Task) bool { return o.Replaces == t.Seat })
		facts = append(facts, fmt.Sprint(t.Kind, t.Status, held(t.Assignee), held(t.ClaimedBy), t.Rules, t.Required, t.Added, t.Rescue, replaced, did))
	}
	for _, run := range m.Stages {
		facts = append(facts, fmt.Sprint(run.Status, run.DueRecorded))
		for _, a := range run.People {
			facts = append(facts, fmt.Sprint(a.ID, a.Rules, a.Required, a.Added, a.PlacedBy != nil, a.Ineligible))
		}
	}
	slices.Sort(facts)
	gone := slices.Sorted(slices.Values(m.gone))
	return fmt.Sprint(m.Status, gone, m.former, facts)
}

func held(u *identity.User) string {
	if u == nil {
		return "-"
	}
	return u.ID
}

// acts reports whether the person has a task, has claimed one for another person, or has decided one.
func acts(m moment, id string) bool {
	return slices.ContainsFunc(m.Tasks, func(t wf.Task) bool {
		return (live(t) || t.Decision != nil) && (held(t.Assignee) == id || t.Status == wf.TaskClaimed &&
			held(t.ClaimedBy) == id || t.Decision != nil && t.Decision.Actor.ID == id)
	})
}

func (j *journey) fail(m moment, format string, args ...any) {
	j.t.Helper()
	j.t.Fatalf("%s: %s\nafter %s\n%s", j.name, fmt.Sprintf(format, args...), strings.Join(m.path, ", "), strings.ReplaceAll(m.key(), "] ", "]\n"))
}

// check verifies a state.
func (j *journey) check(m moment) {
	run := m.Stages[0]
	b := j.count(m, run)
	verdict := b.Judge()
	good := map[wf.StageStatus][]quorum.Verdict{
		wf.StageActive: {quorum.VerdictUndecided}, wf.StageBlocked: {quorum.VerdictUndecided},
		wf.StageApproved: {quorum.VerdictApproved}, wf.StageRejected: {quorum.VerdictRejected, quorum.VerdictUnreachable},
	}[run.Status]
	if !slices.Contains(good, verdict) {
		j.fail(m, "the stage is %s, and its tasks amount to %s", run.Status, verdict)
	}
	starting := 0
	for _, v := range b.Voters {
		if !v.Added {
			starting++
		}
	}
	if j.starting = max(j.starting, starting); starting < j.starting {
		j.fail(m, "%d people have tasks, and there were %d", starting, j.starting)
	}
	for _, id := range m.former {
		if slices.ContainsFunc(m.Tasks, func(t wf.Task) bool { return live(t) && (held(t.Assignee) == id || t.HeldBy(id)) }) ||
			slices.ContainsFunc(run.Claimants(m.Tasks), func(u identity.User) bool { return u.ID == id }) {
			j.fail(m, "%s lost or handed over a place and has another", id)
		}
	}
	unassigned, waiting, busy := 0, 0, map[string]int{}
	for _, t := range m.Tasks {
		switch {
		case t.Decision != nil:
			busy[t.Decision.Actor.ID]++
		case !live(t):
		case t.Kind == wf.RescueTask:
			waiting++
		case t.Assignee == nil:
			unassigned++
		default:
			busy[t.Assignee.ID]++
			if place := run.People[max(0, slices.IndexFunc(run.People,
				func(a approver.Approver) bool { return a.ID == held(t.Assignee) }))]; run.Pool &&
				t.Rescue != (place.PlacedBy != nil) {
				j.fail(m, "the task of %s is a rescue: %t, and an admin has put them there: %t", t.Assignee.ID, t.Rescue, place.PlacedBy != nil)
			}
			if slices.Contains(m.gone, t.Assignee.ID) {
				j.fail(m, "%s has left and holds a task", t.Assignee.ID)
			}
		}
	}
	for id, n := range busy {
		if n > 1 {
			j.fail(m, "%s acts %d times", id, n)
		}
	}
	if (m.Status == wf.RequestBlocked) != (waiting > 0) {
		j.fail(m, "the request is %s, and %d rescues are unassigned", m.Status, waiting)
	}
	if m.Status.Final() {
		return
	}
	if open, _ := b.Tasks(); run.Pool && open != unassigned {
		j.fail(m, "the pool offers %d tasks, want %d", unassigned, open)
	}
	if !j.claimants(m, run) && waiting == 0 {
		j.fail(m, "the stage is open, and no person can act")
	}
}

// standsIn reports whether sue may act on a task for ana or bo. may holds the eligible claimants of a pool.
func (j *journey) standsIn(m moment, run wf.StageRun, task wf.Task, may []string) bool {
	if held(task.ClaimedBy) == "sue" {
		return true // again
	}
	if len(j.delegations) == 0 || slices.Contains(m.gone, "sue") || slices.Contains(m.former, "sue") ||
		slices.ContainsFunc(run.People, func(a approver.Approver) bool { return a.ID == "sue" }) {
		return false
	}
	others := m
	others.Tasks = slices.DeleteFunc(slices.Clone(m.Tasks), func(t wf.Task) bool { return t.ID == task.ID })
	return !acts(others, "sue") && slices.ContainsFunc([]string{"ana", "bo"}, func(owner string) bool {
		return task.HeldBy(owner) || task.Assignee == nil && task.Kind == wf.ApproverTask && slices.Contains(may, owner)
	})
}

// claimants tries every person on every task, and reports whether any can act.
func (j *journey) claimants(m moment, run wf.StageRun) bool {
	var may []string
	for _, claimant := range run.Claimants(m.Tasks) {
		if !slices.Contains(may, claimant.ID) {
			may = append(may, claimant.ID)
		}
	}
	able := false
	for _, task := range m.Tasks {
		if !live(task) {
			continue
		}
		for _, id := range crew {
			want := task.HeldBy(id)
			if task.Assignee == nil {
				want = slices.Contains(may, id) && task.Kind == wf.ApproverTask
			}
			want = want || id == "sue" && j.standsIn(m, run, task, may)
			j.yields = present(m.gone)
			_, _, err := j.settle(j.by(m, person(id), wf.Claim(task.ID, "")))
			if want != (err == nil) {
				j.fail(m, "%s may take the %s of %s: %t, and the claim returns %v", id, task.Kind, held(task.Assignee), want, err)
			}
			if err != nil && !errors.Is(err, reason.Forbidden) && !errors.Is(err, reason.WrongState) {
				j.fail(m, "%s claims the task of %s: %v", id, held(task.Assignee), err)
			}
			able = able || err == nil
		}
	}
	return able
}

// count is the ballot of a run, from its tasks and people alone.
func (j *journey) count(m moment, run wf.StageRun) quorum.Ballot {
	stage := j.def.Stages[0]
	b := quorum.Ballot{Quorum: stage.Quorum, Rejection: stage.Rejection, Minimums: run.Minimums, Pool: run.Pool}
	voters := map[string]quorum.Voter{} // of a pool, by whose place it is
	for _, t := range m.Tasks {
		if t.CloseReason == wf.ClosedNotNeeded || t.CloseReason == wf.ClosedApproverLost {
			continue
		}
		v := quorum.Voter{State: quorum.VoterIneligible, Required: t.Required, Added: t.Added, Rescue: t.Rescue}
		switch {
		case live(t):
			v.State = quorum.VoterPending
		case t.Decision != nil:
			v.Actor = t.Decision.Actor.ID
			v.State = map[wf.Action]quorum.VoterState{wf.ActionApprove: quorum.VoterApproved,
				wf.ActionReject: quorum.VoterRejected, wf.ActionAbstain: quorum.VoterAbstained}[t.Decision.Action]
		}
		for _, rule := range t.Rules {
			v.Rules |= 1 << rule
		}
		if t.Rescue {
			v.Rules = 1<<len(stage.Approvers) - 1
		}
		v.Replaced = slices.ContainsFunc(m.Tasks, func(o wf.Task) bool { return o.Replaces == t.Seat })
		switch place := held(t.Assignee); {
		case !run.Pool || t.Kind == wf.RescueTask && live(t):
			b.Voters = append(b.Voters, v)
		case place != "-" && v.State != quorum.VoterIneligible:
			voters[held(t.Assignee)] = v
		}
	}
	if !run.Pool {
		return b
	}
	for _, a := range run.People {
		v, acts := voters[a.ID]
		if !acts {
			v.State = quorum.VoterFree
			if a.Ineligible {
				v.State = quorum.VoterIneligible
			}
		}
		v.Added, v.Rules = a.Added, 0
		for _, rule := range a.Rules {
			v.Rules |= 1 << rule
		}
		if a.PlacedBy != nil {
			v.Rules = 1<<len(stage.Approvers) - 1
		}
		b.Voters = append(b.Voters, v)
	}
	return b
}
