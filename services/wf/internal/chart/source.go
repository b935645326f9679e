package chart

import (
	"cmp"
	"slices"
	"strings"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// maxPeople is the maximum number of people named in one box.
const maxPeople = 8

// OfPolicy returns the chart of a definition.
func OfPolicy(version int, d policy.Definition, w Texts) Chart {
	c := Chart{
		Title: w.T("chart.version", w.policyName(d), version), Start: w.T("chart.request"),
		End: End{Word: w.Label("request.status", wf.RequestApproved)},
	}
	for _, group := range d.Groups() {
		var step Step
		for _, stage := range group {
			notes := append(w.conditions(stage), append(w.rules(stage.Approvers), w.quorumNote(stage))...)
			if stage.Assignment == policy.AssignmentPool {
				notes = append(notes, w.T("chart.pool"))
			}
			notes = append(notes, w.exclusions(slices.Concat(d.Settings.Exclude, stage.Exclude))...)
			notes = append(notes, w.deadline(d.Settings, stage)...)
			if watch := w.rules(stage.Observers); len(watch) > 0 {
				notes = append(notes, w.T("chart.observed", strings.Join(watch, ", ")))
			}
			step = append(step, Stage{Name: w.stageName(d.Settings, stage, stage.Name), Notes: notes})
		}
		c.Steps = append(c.Steps, step)
	}
	return c
}

// OfRequest returns the chart of a request, with the last run of each stage.
func OfRequest(r wf.Request, d policy.Definition, w Texts) Chart {
	c := Chart{
		Title: cmp.Or(r.Title, w.policyName(d)), Start: w.T("chart.asked", w.name(r.Requester)),
		End: End{Word: w.Label("request.status", wf.RequestApproved), State: Later},
	}
	if r.Status != wf.RequestInReview && r.Status != wf.RequestBlocked {
		c.End = End{Word: w.Label("request.status", r.Status), State: ends[r.Status]}
	}
	for _, group := range d.Groups() {
		var step Step
		for _, stage := range group {
			if run, ran := r.LatestRun(stage.Key); ran { // a policy may decide before any stage
				step = append(step, w.stage(r, d.Settings, stage, run))
			}
		}
		if step != nil {
			c.Steps = append(c.Steps, step)
		}
	}
	return c
}

// stageName returns the name of a stage in the language of the chart.
func (w Texts) stageName(settings policy.Settings, s policy.Stage, name string) string {
	w.Content = settings.Language
	return w.Translate(s.NameI18n, name).Text
}

// policyName returns the name of a policy in the language of the chart.
func (w Texts) policyName(d policy.Definition) string {
	w.Content = d.Settings.Language
	return w.Translate(d.NameI18n, d.Name).Text
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
func (w Texts) stage(r wf.Request, settings policy.Settings, s policy.Stage, run wf.StageRun) Stage {
	box := Stage{Name: w.stageName(settings, s, run.Name), State: stages[run.Status], Word: w.Label("stage", run.Status)}
	switch {
	case run.Status == wf.StageSkipped && run.Skip != nil && run.Skip.Reason == wf.SkippedByCondition:
		box.Notes = w.conditions(s)
		return box
	case run.Status == wf.StagePending:
		if s.When != "" {
			box.Notes = []string{w.T("chart.conditional")}
		}
		for _, rule := range run.Computed.Applying(s.Approvers) {
			// By name, without expressions: readers of a request may lack access to its policy.
			rule.IDs, rule.Usernames, rule.URL, rule.When = nil, nil, "", ""
			box.Notes = append(box.Notes, w.RuleNote(rule))
		}
		if s = s.With(run.Computed); s.Quorum.ValueCEL == "" || s.Quorum.Value > 0 {
			box.Notes = append(box.Notes, w.quorumNote(s))
		}
		if due := run.Computed.Due.At; !due.IsZero() {
			box.Notes = append(box.Notes, w.T("chart.due.at", w.Clock(due)))
		} else if in := w.DueIn(settings, s, run.Computed); in != "" {
			box.Notes = append(box.Notes, w.T("chart.due", in))
		}
		return box
	case run.Status == wf.StageSkipped || run.Count.Need == 0:
		return box
	}
	box.Notes = []string{w.T("chart.progress", run.Count.Approvals, run.Count.Need)}
	if !run.DueAt.IsZero() && (run.Status == wf.StageActive || run.Status == wf.StageBlocked) {
		box.Notes = append(box.Notes, w.T("chart.due.at", w.Clock(run.DueAt)))
		if run.OnDue == policy.OnDueEscalate && run.EscalatedAt.IsZero() {
			box.Notes = append(box.Notes, w.T("chart.on_due.escalate.later"))
		}
	}
	people := r.People()
	claimants := map[string]bool{}
	for _, t := range r.Tasks {
		if !run.Owns(t) {
			continue
		}
		for _, claimant := range run.EligibleClaimants(t, r.Tasks) {
			claimants[claimant.ID] = true
		}
		if p, shown := w.person(t, people); shown {
			if t.Escalated(run) {
				p.Name += " (" + w.T("due.added") + ")"
			}
			box.People = append(box.People, p)
		}
	}
	if n := len(run.Observers); n > 0 {
		var watch []string
		for _, u := range run.Observers[:min(n, maxPeople)] {
			watch = append(watch, w.name(u))
		}
		if n > maxPeople {
			watch = append(watch, w.T("chart.more", n-maxPeople))
		}
		box.Notes = append(box.Notes, w.T("chart.observed", strings.Join(watch, ", ")))
	}
	if len(claimants) > 0 {
		box.Notes = append(box.Notes, w.T("chart.take", len(claimants)))
	}
	if more := len(box.People) - maxPeople; more > 0 {
		box.People = append(box.People[:maxPeople], Person{Name: w.T("chart.more", more)})
	}
	return box
}

// person returns the line of a task's holder or decider.
func (w Texts) person(t wf.Task, people map[string]identity.User) (Person, bool) {
	live := t.Status == wf.TaskOpen || t.Status == wf.TaskClaimed
	var p Person
	switch {
	case t.Decision != nil:
		by := t.Decision.Actor
		p = Person{Name: w.name(people[by.ID]), Word: w.Label("person", t.Decision.Action), State: Done}
		if by.Kind == identity.ActorSystem && t.Assignee != nil {
			p.Name = w.name(*t.Assignee)
		} else if p.Name == "" {
			p.Name = cmp.Or(by.Username, by.ID)
		}
		if t.Decision.OnBehalfOf != nil {
			p.Word += " " + w.T("person.for", w.name(*t.Decision.OnBehalfOf))
		}
	case live && t.Kind == wf.RescueTask && t.Assignee == nil:
		p = Person{Name: w.T("person.rescue"), State: Blocked}
	case live && t.Assignee != nil:
		p = Person{Name: w.name(*t.Assignee), Word: w.T("person.open"), State: Now}
		if t.OnBehalfOf != nil {
			p.Word += " " + w.T("person.for", w.name(*t.OnBehalfOf))
		}
	default:
		return p, false
	}
	return p, true
}

// conditions returns the note on the condition of a stage, if any.
func (w Texts) conditions(s policy.Stage) []string {
	if s.When == "" {
		return nil
	}
	return []string{w.T("chart.when", s.When)}
}

// rules returns one note per approver rule.
func (w Texts) rules(rules []policy.Rule) []string {
	var notes []string
	for _, rule := range rules {
		notes = append(notes, w.RuleNote(rule))
	}
	return notes
}

// RuleNote returns the display name of a rule with its requirement, veto and condition.
func (w Texts) RuleNote(rule policy.Rule) string {
	note := w.RuleName(rule)
	switch {
	case rule.Required:
		note = w.T("chart.required", note)
	case rule.MinApprovals > 0:
		note = w.T("chart.least", note, rule.MinApprovals)
	}
	if rule.Veto {
		note = w.T("chart.veto", note)
	}
	if rule.When != "" {
		note = w.T("chart.rule.when", note, rule.When)
	}
	return note
}

// quorumNote returns the note on the quorum.
func (w Texts) quorumNote(s policy.Stage) string {
	value := any(s.Quorum.Value)
	if s.Quorum.Value == 0 && s.Quorum.ValueCEL != "" {
		value = s.Quorum.ValueCEL
	}
	switch s.Quorum.Mode {
	case quorum.QuorumAny:
		return w.T("chart.one")
	case quorum.QuorumCount:
		return w.T("chart.count", value)
	case quorum.QuorumPercentage:
		return w.T("chart.percentage", value)
	default:
		return w.T("chart.all")
	}
}
