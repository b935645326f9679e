package page

import (
	"strings"
	"time"
	"unicode"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/ui/content"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/policy"
)

// StageColumn holds the stages of one parallel group.
type StageColumn struct {
	group string
	Boxes []StageBox
}

// AddBox adds the box of a run to the column of the previous run if they share a group. Otherwise
// it adds a column.
func AddBox(columns []StageColumn, run wf.StageRun, box StageBox) []StageColumn {
	if last := len(columns) - 1; last >= 0 && run.ParallelGroup != "" && columns[last].group == run.ParallelGroup {
		columns[last].Boxes = append(columns[last].Boxes, box)
		return columns
	}
	return append(columns, StageColumn{run.ParallelGroup, []StageBox{box}})
}

// StageBox is a stage of a policy, or one run of a stage of a request.
type StageBox struct {
	Name      string
	Lang      string   // of the name, if it differs from that of the page
	Look      string   // done, now, next, skipped or bad
	Status    string   // as text
	Count     string   // approvals, as text
	Why       string   // reason for the skip or the wait
	Condition string   // of a stage that has not started, before the request is sent
	Notes     []string // terms of a stage that has not started
	Due       frame.Moment
	Late      bool            // the due date is reached
	Then      []identity.User // people whom the escalation would add, in a simulation
	DueIn     string          // due date of a stage that has not started, as text
	Run       wf.StageRun     // of a request; the zero StageRun for a policy
	People    []PersonLine
	More      int // number of further people
}

// PersonLine is a user's part in a stage.
type PersonLine struct {
	identity.User
	Look     string // approve, reject, abstain, request_changes, waits, may or gone
	Text     string
	Added    bool // by the escalation of the stage
	For      *identity.User
	Decision *wf.Decision
	Data     []content.Entry // of the decision
}

const shownPeople = 8

// looks maps the status of a stage to its style.
var looks = map[wf.StageStatus]string{
	wf.StagePending: "next", wf.StageResolving: "now", wf.StageActive: "now", wf.StageBlocked: "bad", wf.StageApproved: "done",
	wf.StageRejected: "bad", wf.StageSkipped: "skipped", wf.StageExpired: "skipped", wf.StageCancelled: "skipped",
}

// urgentTime is the time before the expiry of a request from which its task is urgent.
const urgentTime = 48 * time.Hour

// DueDate is the due date of a request in a list.
type DueDate struct {
	Due  frame.Moment
	Late bool
}

// DueOf returns the earliest due date of the running stages of a request.
func (req *Request) DueOf(r wf.Request) DueDate {
	due := r.DueAt()
	return DueDate{req.MomentOrZero(due), !due.IsZero() && !req.Begun.Before(due)}
}

// Cell returns the due date for a list. ends is the time at which the request ends, of one without a due date.
func (d DueDate) Cell(req *Request, ends *time.Time) frame.Cell {
	switch {
	case d.Late:
		return frame.Cell{frame.Mark("late", req.T("due.overdue")), frame.TimeOf(d.Due)}
	case d.Due.ISO != "":
		return frame.Cell{frame.TimeOf(d.Due)}
	case ends == nil:
		return nil
	}
	class := "soft"
	if ends.Sub(req.Begun) < urgentTime {
		class = "soon"
	}
	return frame.Cell{frame.Mark(class, req.T("work.ends")), frame.TimeOf(req.Moment(*ends))}
}

// Stages returns the latest runs of all stages in columns, and the earlier runs.
func (req *Request) Stages(c wf.Case) (columns []StageColumn, earlier []StageBox) {
	for _, run := range c.Request.Stages {
		box := req.StageBox(c, run)
		if stage, ok := c.Definition.Stage(run.Key); ok && run.Status == wf.StagePending {
			box.Notes = req.Terms().pending(stage, run.Computed)
		}
		if last, _ := c.Request.LatestRun(run.Key); run.Run == last.Run {
			columns = AddBox(columns, run, box)
		} else {
			earlier = append(earlier, box)
		}
	}
	return columns, earlier
}

func (req *Request) StageBox(c wf.Case, run wf.StageRun) StageBox {
	stage, _ := c.Definition.Stage(run.Key)
	name := req.StageName(c.Definition, run.Key, run.Name)
	box := StageBox{
		Name: name.Text, Lang: name.Lang, Look: looks[run.Status], Status: req.Label("stage", run.Status), Run: run,
		Due: req.MomentOrZero(run.DueAt), Late: run.Overdue(req.Begun),
	}
	if run.Status == wf.StagePending {
		box.Due, box.DueIn = req.MomentOrZero(run.Computed.Due.At), req.Terms().DueIn(c.Definition.Settings, stage, run.Computed)
	}
	if last, _ := c.Request.LatestRun(run.Key); run.Status == wf.StageCancelled &&
		(run.Run < last.Run || c.Request.Status == wf.RequestChangesRequested) {
		box.Status = req.Label("because", wf.BecauseChangesRequested)
	}
	switch {
	case run.Skip != nil:
		box.Why = req.Label("skip", run.Skip.Reason)
	case run.Status == wf.StageBlocked:
		box.Why = req.T("stage.blocked.why")
	case run.Status == wf.StageResolving:
		box.Why = req.T("stage.resolving.why")
	}
	if run.Count.Need > 0 && run.Status != wf.StagePending && run.Status != wf.StageSkipped {
		box.Count = req.N("stage.count", run.Count.Need, run.Count.Approvals)
	}
	for _, t := range c.Request.Tasks {
		if run.Owns(t) {
			if line, shown := req.personLine(t, stage); shown {
				line.Added = t.Escalated(run)
				box.People = append(box.People, line)
			}
		}
	}
	for _, t := range c.Request.Tasks {
		if claimants := run.EligibleClaimants(t, c.Request.Tasks); run.Owns(t) && len(claimants) > 0 {
			for _, claimant := range claimants {
				box.People = append(box.People, PersonLine{
					User: claimant, Look: "may", Text: req.T("person.may"), Added: run.IsEscalated(claimant.ID),
				})
			}
			break // the other tasks have the same candidates
		}
	}
	return box.Shorten()
}

// Shorten returns a box with at most shownPeople people.
func (b StageBox) Shorten() StageBox {
	if more := len(b.People) - shownPeople; more > 0 {
		b.People, b.More = b.People[:shownPeople], more
	}
	return b
}

// personLine returns the decision or state of a task.
func (req *Request) personLine(t wf.Task, stage policy.Stage) (PersonLine, bool) {
	switch d := t.Decision; {
	case d != nil:
		line := PersonLine{
			User: d.Actor.User(), Look: string(d.Action), Text: req.Label("person", d.Action), For: d.OnBehalfOf,
			Decision: d, Data: content.Entries(req.Request.Request, d.Data, stage.DecisionSchema),
		}
		if t.Assignee != nil && (t.Assignee.ID == d.Actor.ID || d.Actor.Kind == identity.ActorSystem) {
			line.User = *t.Assignee
		}
		switch {
		case d.Override:
			line.Text = req.T("person.override", line.Text)
		case d.Actor.Kind == identity.ActorSystem:
			line.Text = req.T("person.repeat")
		}
		return line, true
	case t.Status == wf.TaskOpen || t.Status == wf.TaskClaimed:
		if t.Assignee == nil {
			text := req.T("person.rescue")
			if t.Required {
				text = req.T("person.rescue.required")
			}
			return PersonLine{Look: "gone", Text: text}, t.Kind == wf.RescueTask
		}
		line := PersonLine{User: *t.Assignee, Look: "waits", Text: req.Label("person", t.Status)}
		if by := t.ClaimedBy; by != nil && !t.HeldBy(by.ID) {
			line.User, line.For = *by, t.Assignee
		}
		return line, true
	case t.Assignee != nil:
		return PersonLine{User: *t.Assignee, Look: "gone", Text: req.Label("closed", t.CloseReason)}, true
	}
	return PersonLine{}, false
}

// EventLine is an event as a sentence.
type EventLine struct {
	Text    string
	Comment string
	When    frame.Moment
}

// coveredEvents lists events that another event covers.
var coveredEvents = map[audit.EventType]bool{
	audit.EventTaskCreated: true, audit.EventTaskClosed: true, audit.EventRequestCommented: true,
}

// EventLine returns the sentence of an event of a request, or of the zero Case. It returns false for events without
// new information.
func (req *Request) EventLine(c wf.Case, e wf.Event) (EventLine, bool) {
	line := EventLine{When: req.Moment(e.At.Time), Comment: e.Reason}
	who, whom, stage, detail := req.Actor(e.Actor), req.T("unnamed"), e.Resource.Name, ""
	if e.Task != nil && e.Task.Assignee != nil {
		whom = req.Person(*e.Task.Assignee)
	}
	if s := e.Stage; s != nil {
		stage, detail = req.stageName(c, s.Key), req.stageDetail(s)
		switch {
		case e.Type == audit.EventStageSkipped && s.Skip != nil:
			line.Comment = req.Label("skip", s.Skip.Reason)
		case e.Type == audit.EventStageEscalationEmpty:
			line.Comment = s.Error
		}
	}
	key := "event." + string(e.Type)
	if e.Type == audit.EventTaskDecided {
		key += "." + string(e.Decision.Action)
		line.Comment = e.Decision.Comment
	}
	if e.Type == audit.EventTaskCreated && e.Task != nil && e.Task.Assignee == nil {
		key += ".pool"
	}
	if line.Text = strings.TrimSpace(req.T(key, who, whom, stage, detail)); !words.Catalogue.Has(key) {
		line.Text = req.T("event.other", who, string(e.Type))
	}
	return line, !coveredEvents[e.Type]
}

// EventName returns the name of a type of events: its sentence without the names.
func (req *Request) EventName(t audit.EventType) string {
	key := "event." + string(t)
	name := []rune(strings.Trim(strings.Join(strings.Fields(req.T(key, "", "", "", "")), " "), " :"))
	if !words.Catalogue.Has(key) || len(name) == 0 {
		return string(t)
	}
	return string(unicode.ToUpper(name[0])) + string(name[1:])
}

// stageDetail returns the dates of a moved due date, or the people that an escalation added.
func (req *Request) stageDetail(s *wf.StageSummary) string {
	if s.Moved != nil {
		return req.T("event.due.from_to", req.Clock(s.Moved.From.Time), req.Clock(s.Moved.To.Time))
	}
	if len(s.Added) == 0 {
		return ""
	}
	return req.T("event.added", req.Names(s.Added))
}

// stageName returns the name of a stage of a request.
func (req *Request) stageName(c wf.Case, key string) string {
	if run, ok := c.Request.LatestRun(key); ok {
		return req.StageName(c.Definition, key, run.Name).Text
	}
	return form.Title(key)
}
