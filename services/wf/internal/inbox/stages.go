package inbox

import (
	"strings"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/words"
)

// stageColumn are the stages that run at the same time.
type stageColumn struct{ Boxes []stageBox }

// stageBox is one run of a stage, as a picture of the way of a request shows it.
type stageBox struct {
	Name   string
	Look   string // done, now, next, skipped or bad
	Status string // in words
	Count  string // approvals, in words
	Why    string // it was skipped, or waits
	Run    int
	People []personLine
	More   int // people besides those
	Out    []wf.Exclusion
	Watch  []wf.User // observers
}

// personLine is somebody's part in a stage.
type personLine struct {
	wf.User
	Look    string // approve, reject, abstain, request_changes, waits, may or gone
	Text    string
	For     *wf.User
	Comment string
	When    moment
	Data    []entry
	Files   []fileLink
}

const shownPeople = 8

// looks are how stages look, by their status.
var looks = map[wf.StageStatus]string{
	wf.StagePending: "next", wf.StageResolving: "now", wf.StageActive: "now", wf.StageBlocked: "bad", wf.StageApproved: "done",
	wf.StageRejected: "bad", wf.StageSkipped: "skipped", wf.StageExpired: "skipped", wf.StageCancelled: "skipped",
}

// stages are the last runs of all stages in columns, and the runs before those.
func (v *visit) stages(c engine.Case) (columns []stageColumn, earlier []stageBox) {
	last := map[string]int{}
	for _, run := range c.Request.Stages {
		last[run.Key] = run.Run
	}
	group := ""
	for _, run := range c.Request.Stages {
		box := v.stageBox(c, run)
		if run.Run != last[run.Key] {
			earlier = append(earlier, box)
			continue
		}
		if run.ParallelGroup != "" && run.ParallelGroup == group {
			columns[len(columns)-1].Boxes = append(columns[len(columns)-1].Boxes, box)
			continue
		}
		group = run.ParallelGroup
		columns = append(columns, stageColumn{[]stageBox{box}})
	}
	return columns, earlier
}

func (v *visit) stageBox(c engine.Case, run wf.StageRun) stageBox {
	stage, _ := c.Definition.Stage(run.Key)
	box := stageBox{Name: run.Name, Look: looks[run.Status], Status: v.Word("stage", run.Status), Run: run.Run, Out: run.Excluded, Watch: run.Observers}
	switch {
	case run.Skip != nil:
		box.Why = v.Word("skip", run.Skip.Reason)
	case run.Status == wf.StageBlocked:
		box.Why = v.T("stage.blocked.why")
	case run.Status == wf.StageResolving:
		box.Why = v.T("stage.resolving.why")
	}
	if run.Count.Need > 0 && run.Status != wf.StagePending && run.Status != wf.StageSkipped {
		box.Count = v.N("stage.count", run.Count.Need, run.Count.Approvals)
	}
	all := c.Request.ReadsAll(v.By, run)
	for _, t := range c.Request.Tasks {
		if run.Owns(t) {
			if line, told := v.personLine(t, stage, all); told {
				box.People = append(box.People, line)
			}
		}
	}
	for _, t := range c.Request.Tasks {
		takers := []wf.Taker{}
		if run.Owns(t) {
			takers = run.Offered(t, c.Request.Tasks)
		}
		for _, taker := range takers {
			box.People = append(box.People, personLine{User: taker.User, For: taker.For, Look: "may", Text: v.T("person.may")})
		}
		if len(takers) > 0 {
			break // the others are offered to the same people
		}
	}
	if len(box.People) > shownPeople {
		box.More = len(box.People) - shownPeople
		box.People = box.People[:shownPeople]
	}
	return box
}

// personLine says what somebody did with their task, or that it waits for them.
func (v *visit) personLine(t wf.Task, stage wf.Stage, all bool) (personLine, bool) {
	switch d := t.Decision; {
	case d != nil:
		line := personLine{Look: string(d.Action), Text: v.Word("person", d.Action), Comment: d.Comment, When: v.When(d.DecidedAt.Time), For: d.OnBehalfOf}
		line.User = wf.User{ID: d.Actor.ID, Username: d.Actor.Username}
		if t.Assignee != nil && (t.Assignee.ID == d.Actor.ID || d.Actor.Kind == wf.ActorSystem) {
			line.User = *t.Assignee
		}
		switch {
		case d.Override:
			line.Text = v.T("person.override", line.Text)
		case d.Actor.Kind == wf.ActorSystem:
			line.Text = v.T("person.repeat")
		}
		if all {
			line.Data = v.content(d.Data, stage.DecisionSchema)
			for _, a := range d.Attachments {
				line.Files = append(line.Files, fileLink{a, safeLink(a.URL)})
			}
		}
		return line, true
	case t.Status == wf.TaskOpen || t.Status == wf.TaskClaimed:
		if t.Assignee == nil {
			return personLine{Look: "gone", Text: v.T("person.rescue")}, t.Kind == wf.RescueTask
		}
		return personLine{User: *t.Assignee, Look: "waits", Text: v.Word("person", t.Status), For: t.OnBehalfOf}, true
	case t.Assignee != nil:
		return personLine{User: *t.Assignee, Look: "gone", Text: v.Word("closed", t.CloseReason)}, true
	}
	return personLine{}, false
}

// eventLine is something that happened, in a sentence.
type eventLine struct {
	Type    string
	Text    string
	Comment string
	When    moment
}

// quietEvents are those that another one tells.
var quietEvents = map[wf.EventType]bool{wf.EventTaskCreated: true, wf.EventTaskClosed: true, wf.EventRequestCommented: true}

// eventLine tells an event; some tell nobody anything new.
func (v *visit) eventLine(r wf.Request, e wf.Event) (eventLine, bool) {
	line := eventLine{Type: string(e.Type), When: v.When(e.At.Time), Comment: e.Reason}
	who, whom, stage := v.Actor(e.Actor), "", e.Resource.Name
	if e.Task != nil && e.Task.Assignee != nil {
		whom = v.Person(*e.Task.Assignee)
	}
	if whom == "" {
		whom = v.T("somebody")
	}
	if e.Stage != nil {
		stage = stageName(r, e.Stage.Key)
	}
	key := "event." + string(e.Type)
	if e.Decision != nil {
		key += "." + string(e.Decision.Action)
		line.Comment = e.Decision.Comment
	}
	if e.Type == wf.EventStageSkipped && e.Stage != nil && e.Stage.Skip != nil {
		line.Comment = v.Word("skip", e.Stage.Skip.Reason)
	}
	if e.Type == wf.EventTaskCreated && e.Task != nil && e.Task.Assignee == nil {
		key += ".pool"
	}
	if !words.Known(key) {
		line.Text = v.T("event.other", who, string(e.Type))
		return line, !quietEvents[e.Type]
	}
	line.Text = strings.TrimSpace(v.T(key, who, whom, stage))
	return line, !quietEvents[e.Type]
}

// stageName is the name of a stage of a request.
func stageName(r wf.Request, key string) string {
	for _, run := range r.Stages {
		if run.Key == key {
			return run.Name
		}
	}
	return spoken(key)
}
