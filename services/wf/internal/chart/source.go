package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/quorum"
)

// maxPeople is the maximum number of people named in one box.
const maxPeople = 8

// OfPolicy returns the chart of a definition.
func OfPolicy(version int, d wf.Definition, w Words) Chart {
	c := Chart{Title: fmt.Sprintf(w.Version, d.Name, version), Start: w.Request, End: End{Word: w.Requests[wf.RequestApproved]}}
	for _, group := range d.Groups() {
		var step Step
		for _, stage := range group {
			notes := append(w.conditions(stage), append(w.rules(stage.Approvers), w.need(stage))...)
			if stage.Assignment == wf.AssignmentPool {
				notes = append(notes, w.Pool)
			}
			if watch := w.rules(stage.Observers); len(watch) > 0 {
				notes = append(notes, fmt.Sprintf(w.Observed, strings.Join(watch, ", ")))
			}
			step = append(step, Stage{Name: stage.Name, Notes: notes})
		}
		c.Steps = append(c.Steps, step)
	}
	return c
}

// OfRequest returns the chart of a request, with the last run of each stage.
func OfRequest(r wf.Request, d wf.Definition, w Words) Chart {
	c := Chart{
		Title: cmp.Or(r.Title, d.Name), Start: fmt.Sprintf(w.AskedBy, w.name(r.Requester)),
		End: End{Word: w.Requests[wf.RequestApproved], State: Later},
	}
	if r.Status != wf.RequestInReview && r.Status != wf.RequestBlocked {
		c.End = End{Word: w.Requests[r.Status], State: ends[r.Status]}
	}
	for _, group := range d.Groups() {
		var step Step
		for _, stage := range group {
			if run, ran := r.Latest(stage.Key); ran { // a policy may decide before any stage
				step = append(step, w.stage(r, stage, run))
			}
		}
		if step != nil {
			c.Steps = append(c.Steps, step)
		}
	}
	return c
}

var ends = map[wf.RequestStatus]State{
	wf.RequestApproved: Done, wf.RequestRejected: Refused, wf.RequestCancelled: Skipped, wf.RequestExpired: Skipped,
	wf.RequestChangesRequested: Blocked,
}

var stages = map[wf.StageStatus]State{
	wf.StagePending: Later, wf.StageResolving: Now, wf.StageActive: Now, wf.StageBlocked: Blocked, wf.StageApproved: Done, wf.StageRejected: Refused,
	wf.StageSkipped: Skipped, wf.StageExpired: Skipped, wf.StageCancelled: Skipped,
}

// stage returns the box of a stage run.
func (w Words) stage(r wf.Request, s wf.Stage, run wf.StageRun) Stage {
	box := Stage{Name: run.Name, State: stages[run.Status], Word: w.Stages[run.Status]}
	switch {
	case run.Status == wf.StageSkipped && run.Skip != nil && run.Skip.Reason == wf.SkippedByCondition:
		box.Notes = w.conditions(s)
		return box
	case run.Status == wf.StagePending:
		if s.When != "" {
			box.Notes = []string{w.Conditional}
		}
		for _, rule := range s.Approvers { // by name: readers of a request may lack access to its policy
			whom := rule.Name()
			if rule.IDs, rule.Usernames, rule.URL = nil, nil, ""; w.Rule != nil {
				whom = w.Rule(rule)
			}
			box.Notes = append(box.Notes, w.rule(rule, whom))
		}
		box.Notes = append(box.Notes, w.need(s))
		return box
	case run.Status == wf.StageSkipped || run.Count.Need == 0:
		return box
	}
	box.Notes = []string{fmt.Sprintf(w.Progress, run.Count.Approvals, run.Count.Need)}
	people := r.People()
	takers := map[string]bool{}
	for _, t := range r.Tasks {
		if !run.Owns(t) {
			continue
		}
		for _, taker := range run.Offered(t, r.Tasks) {
			takers[taker.ID] = true
		}
		if p, shown := w.person(t, people); shown {
			box.People = append(box.People, p)
		}
	}
	if n := len(run.Observers); n > 0 {
		var watch []string
		for _, u := range run.Observers[:min(n, maxPeople)] {
			watch = append(watch, w.name(u))
		}
		if n > maxPeople {
			watch = append(watch, fmt.Sprintf(w.More, n-maxPeople))
		}
		box.Notes = append(box.Notes, fmt.Sprintf(w.Observed, strings.Join(watch, ", ")))
	}
	if len(takers) > 0 {
		box.Notes = append(box.Notes, fmt.Sprintf(w.MayTake, len(takers)))
	}
	if more := len(box.People) - maxPeople; more > 0 {
		box.People = append(box.People[:maxPeople], Person{Name: fmt.Sprintf(w.More, more)})
	}
	return box
}

// person returns the line of a task's holder or decider.
func (w Words) person(t wf.Task, people map[string]identity.User) (Person, bool) {
	live := t.Status == wf.TaskOpen || t.Status == wf.TaskClaimed
	var p Person
	switch {
	case t.Decision != nil:
		by := t.Decision.Actor
		p = Person{Name: w.name(people[by.ID]), Word: w.Actions[t.Decision.Action], State: Done}
		if by.Kind == identity.ActorSystem && t.Assignee != nil {
			p.Name = w.name(*t.Assignee)
		} else if p.Name == "" {
			p.Name = cmp.Or(by.Username, by.ID)
		}
		if t.Decision.OnBehalfOf != nil {
			p.Word += " " + fmt.Sprintf(w.For, w.name(*t.Decision.OnBehalfOf))
		}
	case live && t.Kind == wf.RescueTask && t.Assignee == nil:
		p = Person{Name: w.Nobody, State: Blocked}
	case live && t.Assignee != nil:
		p = Person{Name: w.name(*t.Assignee), Word: w.Waits, State: Now}
		if t.OnBehalfOf != nil {
			p.Word += " " + fmt.Sprintf(w.For, w.name(*t.OnBehalfOf))
		}
	default:
		return p, false
	}
	return p, true
}

// conditions returns the note on the condition of a stage, if any.
func (w Words) conditions(s wf.Stage) []string {
	if s.When == "" {
		return nil
	}
	return []string{fmt.Sprintf(w.OnlyWhen, s.When)}
}

// rules returns one note per approver rule.
func (w Words) rules(rules []wf.Rule) []string {
	var notes []string
	for _, rule := range rules {
		whom := rule.String()
		switch people := slices.Concat(rule.IDs, rule.Usernames); {
		case w.Rule != nil:
			whom = w.Rule(rule)
		case rule.Label == "" && len(people) > 0:
			whom = strings.Join(people, ", ")
		}
		notes = append(notes, w.rule(rule, whom))
	}
	return notes
}

func (w Words) rule(rule wf.Rule, whom string) string {
	switch {
	case rule.Required:
		return fmt.Sprintf(w.Required, whom)
	case rule.MinApprovals > 0:
		return fmt.Sprintf(w.AtLeast, whom, rule.MinApprovals)
	default:
		return whom
	}
}

// need returns the note on the quorum.
func (w Words) need(s wf.Stage) string {
	switch s.Quorum.Mode {
	case quorum.QuorumAny:
		return w.One
	case quorum.QuorumCount:
		return fmt.Sprintf(w.Count, s.Quorum.Value)
	case quorum.QuorumPercentage:
		return fmt.Sprintf(w.Percentage, s.Quorum.Value)
	default:
		return w.All
	}
}
