package wf_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// TestEveryOrderOfTheCallSites visits every place at which a person can act, in every order, while an exclude rule and
// the memberships change: ana and bo are approvers by a rule, an escalation adds cy, sue shares the work of ana, and an
// admin, max, assigns people and overrides. At each decision it checks invariant 18, with membership_recheck strict:
//
//   - neither the actor nor the owner of the place is excluded, now or since the start;
//   - the rule behind the owner, if there is one, still yields them;
//   - nobody acts twice in a stage; an override, which forces the outcome, is no vote.
//
// By default every sequence of three steps after the start runs, with at most one change outside, for a quorum of one;
// with WF_ENUMERATE=full every sequence of five, with at most two changes, for quorums of one and two. Equal states are
// visited once, after the fewest steps.
func TestEveryOrderOfTheCallSites(t *testing.T) {
	t.Parallel()
	steps, changes, needs := 3, 1, []int{1}
	excluded := [][]string{nil, {"ana"}, {"cy"}, {"ana", "sue"}, {"bo", "max"}}
	if os.Getenv("WF_ENUMERATE") == "full" {
		steps, changes, needs = 5, 2, []int{1, 2}
		excluded = append(excluded, [][]string{{"bo"}, {"sue"}, {"max"}, {"cy", "max"}}...)
	}
	for _, need := range needs {
		states, decisions := 0, 0
		for _, first := range excluded {
			d := doors{t: t, need: need, steps: steps, changes: changes, seen: map[string]bool{}}
			d.explore(first)
			states += len(d.seen)
			decisions += d.decisions
		}
		t.Logf("need %d: %d states, %d decisions", need, states, decisions)
		if decisions == 0 {
			t.Error("nobody decides")
		}
	}
}

// doors goes through the states of one request.
type doors struct {
	surroundings
	t         *testing.T
	need      int
	steps     int
	changes   int
	def       policy.Definition
	first     []string // excluded at the start
	seen      map[string]bool
	stack     []door
	decisions int
}

// door is a state of the request and of the directory.
type door struct {
	request  wf.Request
	excluded map[string]bool // by the rule, now
	gone     map[string]bool // whom the rules do not yield any more
	given    map[string]bool // to whom an admin has given a place
	steps    int
	changes  int
	path     string
}

var doormen = []string{"ana", "bo", "cy", "sue", "max"}

func (d *doors) explore(first []string) {
	stage := policy.Stage{Key: "s", Name: "s", Approvers: []policy.Rule{roleOf("officer")}, Exclude: []policy.Rule{roleOf("author")},
		Quorum: quorum.Quorum{Mode: quorum.QuorumCount, Value: d.need}, Allow: policy.Allow{Reassign: policy.ReassignAny}}
	d.def = policyOf(due(stage, escalates(roleOf("boss"))))
	d.def.Settings = policy.Settings{OnBehalf: policy.OnBehalfSubmitters, MembershipRecheck: policy.RecheckStrict, AdminOverride: true}
	share := delegation("ana", "sue")
	share.EndsAt = noon.Add(100 * time.Hour)
	d.delegations, d.first, d.surroundings.at = []approver.Delegation{share}, first, noon
	start := door{excluded: map[string]bool{}, gone: map[string]bool{}, given: map[string]bool{}}
	for _, id := range first {
		start.excluded[id] = true
	}
	d.try(start, "start", func(f wf.Facts) (wf.Request, []wf.Event, error) { return wf.NewRequest(draft(), d.def, sam, f) })
	for len(d.stack) > 0 {
		s := d.stack[0] // those with the fewest steps first
		d.stack = d.stack[1:]
		if !s.request.Status.Final() && s.steps <= d.steps {
			d.visit(s)
		}
	}
}

// visit tries everything at a state.
func (d *doors) visit(s door) {
	r := s.request
	for _, task := range r.Tasks {
		if !live(task) {
			continue
		}
		for _, id := range doormen {
			by := person(id)
			d.try(s, id+" approves", func(f wf.Facts) (wf.Request, []wf.Event, error) {
				return r.Apply(d.def, by, f, wf.Decide(task.ID, wf.DecisionInput{ID: "d-" + task.ID, Action: wf.ActionApprove}))
			})
			d.try(s, id+" claims", func(f wf.Facts) (wf.Request, []wf.Event, error) {
				return r.Apply(d.def, by, f, wf.Claim(task.ID, ""))
			})
			given := s
			given.given = maps.Clone(s.given)
			given.given[id] = true
			d.try(given, "an admin assigns "+id, func(f wf.Facts) (wf.Request, []wf.Event, error) {
				return r.Apply(d.def, root, f, wf.Reassign(task.ID, by.User, false, ""))
			})
		}
		admin := identity.Actor{User: user("max"), Kind: identity.ActorUser, Roles: []identity.Role{identity.RoleAdmin}}
		d.try(s, "max overrides", func(f wf.Facts) (wf.Request, []wf.Event, error) {
			in := wf.DecisionInput{ID: "d-" + task.ID, Action: wf.ActionApprove, Comment: "long enough for an override"}
			return r.Apply(d.def, admin, f, wf.Decide(task.ID, in))
		})
	}
	d.try(s, "the date", func(f wf.Facts) (wf.Request, []wf.Event, error) {
		f.At = noon.Add(time.Hour)
		return r.Apply(d.def, identity.Actor{}, f, wf.ProcessDeadlines)
	})
	if s.changes == d.changes {
		return
	}
	for _, id := range doormen {
		changed := s
		changed.changes++
		changed.excluded = maps.Clone(s.excluded)
		if changed.excluded[id] = !s.excluded[id]; s.excluded[id] {
			delete(changed.excluded, id)
		}
		changed.path += fmt.Sprintf(", the rule excludes %s: %t", id, !s.excluded[id])
		d.add(changed)
		if slices.Contains(doormen[:3], id) && !s.gone[id] {
			changed := s
			changed.changes++
			changed.gone = maps.Clone(s.gone)
			changed.gone[id] = true
			changed.path += ", " + id + " loses the membership"
			d.add(changed)
		}
	}
}

// try makes a transition and checks its decisions.
func (d *doors) try(s door, what string, transition func(wf.Facts) (wf.Request, []wf.Event, error)) {
	roles := map[string][]string{"officer": {}, "boss": {}, "author": slices.Sorted(maps.Keys(s.excluded))}
	for id, role := range map[string]string{"ana": "officer", "bo": "officer", "cy": "boss"} {
		if !s.gone[id] {
			roles[role] = append(roles[role], id)
		}
	}
	slices.Sort(roles["officer"])
	d.yields = byRole(roles)
	after, events, err := d.settle(transition)
	if err != nil && len(events) == 0 || len(events) == 0 {
		return
	}
	s.path += ", " + what
	for _, task := range after.Tasks {
		was, _ := s.request.Task(task.ID)
		if task.Decision == nil || was.Decision != nil {
			continue
		}
		d.decisions++
		actor, owner := task.Decision.Actor.ID, task.Decision.Actor.ID
		if on := task.Decision.OnBehalfOf; on != nil {
			owner = on.ID
		}
		for _, id := range []string{actor, owner} {
			if s.excluded[id] || slices.Contains(d.first, id) {
				d.fail(s, "%s is excluded and decides for %s", id, owner)
			}
		}
		if !task.Decision.Override && s.gone[owner] && !s.given[owner] {
			d.fail(s, "%s decides for %s, who has lost the membership", actor, owner)
		}
		if !task.Decision.Override && slices.ContainsFunc(s.request.Tasks, func(t wf.Task) bool {
			return t.Decision != nil &&
				t.Decision.Actor.ID == actor
		}) {
			d.fail(s, "%s decides twice", actor)
		}
	}
	s.request = after
	s.steps++
	d.add(s)
}

func (d *doors) add(s door) {
	var marks []string
	for _, run := range s.request.Stages {
		marks = append(marks, fmt.Sprint(run.DueRecorded, run.EscalatedAt.IsZero(), run.TimerAt.IsZero()))
		for _, a := range run.People {
			marks = append(marks, fmt.Sprint(a.ID, a.Escalated, a.Reassigned))
		}
	}
	slices.Sort(marks)
	key := fmt.Sprint(moment{Request: s.request}.key(), marks, s.excluded, s.gone, s.given, s.changes)
	if !d.seen[key] {
		d.seen[key] = true
		d.stack = append(d.stack, s)
	}
}

func (d *doors) fail(s door, format string, args ...any) {
	d.t.Helper()
	d.t.Fatalf("%s; excluded at the start: %v\nafter%s", fmt.Sprintf(format, args...), d.first, strings.TrimPrefix(s.path, ","))
}
