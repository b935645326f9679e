package page

import (
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/reason"
)

// RefusalText returns a refusal in the reader's language.
func (req *Request) RefusalText(refused *refusal.Error) string {
	switch {
	case refused.StepUp != nil:
		return req.T("refused.stepup")
	case refused.Reason == reason.Missing && refused.Where == "/comment":
		return req.T("refused.comment")
	case refused.Reason == reason.Missing && refused.Where == "/data":
		return req.T("refused.data")
	}
	return req.T("refused." + string(refused.Reason.General()))
}

// WhyOfTask returns the refusal of an action on a task. It names the user who decided, holds or
// withdrew it.
func (req *Request) WhyOfTask(refused *refusal.Error, c wf.Case, id string) string {
	c = Named(req, c)
	task, _ := c.Request.Task(id)
	if refused.StepUp != nil || refused.Reason != reason.WrongState && refused.Reason != reason.Forbidden {
		return req.RefusalText(refused)
	}
	switch decided := decisionBehind(c.Request, task); {
	case decided != nil:
		return req.T("refused.decided."+string(decided.Action), req.Actor(decided.Actor),
			req.Moment(decided.DecidedAt.Time).Text)
	case c.Request.Status.Final():
		return req.WhyOfRequest(refused, c.Request)
	case task.Assignee == nil || task.Assignee.ID == req.By.ID:
		return req.RefusalText(refused)
	case task.Status == wf.TaskClaimed:
		return req.T("refused.claimed", req.Person(*task.Assignee))
	}
	return req.T("refused.assignee", req.Person(*task.Assignee), req.Person(req.By.User))
}

// decisionBehind returns the decision of a closed task, or the last decision of its stage.
func decisionBehind(r wf.Request, task wf.Task) *wf.Decision {
	if task.Decision != nil || task.Status == wf.TaskOpen || task.Status == wf.TaskClaimed {
		return task.Decision
	}
	var last *wf.Decision
	run := r.Run(task)
	for _, t := range r.Tasks {
		if d := t.Decision; run.Owns(t) && d != nil && (last == nil || d.DecidedAt.After(last.DecidedAt.Time)) {
			last = d
		}
	}
	return last
}

// WhyOfRequest returns the refusal of an action on a request. It names the user who withdrew the
// request.
func (req *Request) WhyOfRequest(refused *refusal.Error, r wf.Request) string {
	switch because := r.StatusReason; {
	case refused.Reason != reason.WrongState || !r.Status.Final() || because == nil:
		return req.RefusalText(refused)
	case because.Code != wf.BecauseWithdrawn:
		return req.Label("because", because.Code)
	}
	events, _, err := req.Engine.Requests.ListEvents(req.R.Context(), req.By, r.ID, wf.Page{Limit: 200})
	for _, e := range events {
		if err == nil && e.Type == audit.EventRequestCancelled {
			return req.T("refused.withdrawn", req.Actor(e.Actor))
		}
	}
	return req.Label("because", wf.BecauseWithdrawn)
}

// TitleOf returns the display title of a request.
func (req *Request) TitleOf(r wf.Request) string {
	switch {
	case r.Title != "":
		return r.Title
	case len(r.SummaryValues) > 0:
		if title := req.factTitle(r); title != "" {
			return title
		}
	}
	switch {
	case r.ArtifactID != "":
		return strings.TrimSpace(r.ArtifactType + " " + r.ArtifactID)
	case r.ID == "":
		return req.T("request.unknown")
	}
	return req.T("request.untitled", r.PolicyKey)
}
