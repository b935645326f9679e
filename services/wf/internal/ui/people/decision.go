package people

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
)

// otherTask is a task that the reader may reassign but not decide.
type otherTask struct {
	wf.Task
	Other  picker
	Reason string
}

// decisionForm is a task on which the reader may act, with the submitted values.
type decisionForm struct {
	wf.Task
	Stage    policy.Stage
	May      map[string]bool
	For      *identity.User
	Comment  string
	Needed   string // the decisions that require a comment, as text
	Data     []form.Input
	Files    []form.Input
	Eligible []identity.User // possible assignees
	Anyone   bool            // any user is a possible assignee
	Other    picker
	Reason   string
	Abstain  bool
	Changes  bool
	StepUp   bool

	NeedsReason bool // a reassignment requires a reason
}

func decisionFormOf(req *page.Request, c wf.Case, t wf.Task, may []string, sent url.Values) *decisionForm {
	stage, _ := c.Definition.Stage(t.StageKey)
	need, allow := c.Definition.Settings.RequireComment, stage.Allow
	f := &decisionForm{
		Task: t, Stage: stage, May: page.Set(may), For: delegatorOf(t, req.By), Comment: sent.Get("comment"),
		Abstain: allow.Abstain, Changes: allow.RequestChanges == nil || *allow.RequestChanges, StepUp: stage.Reauth != nil,
		Anyone: req.Admin() || allow.Reassign == policy.ReassignAny, NeedsReason: need.Reassign,
		Other: pickerOf(req, "other", "reassign.other", sent), Reason: sent.Get("reason"),
	}
	if len(stage.DecisionSchema) > 0 {
		f.Data, _, _ = req.Form(stage.DecisionSchema, form.Node{}, sent, "data")
	}
	f.Files, _, _ = filesForm(req, sent)
	var needed []string
	for _, d := range []struct {
		action wf.Action
		needed bool
	}{
		{wf.ActionApprove, need.Approve}, {wf.ActionRequestChanges, need.RequestChanges && f.Changes},
		{wf.ActionAbstain, need.Abstain && f.Abstain}, {wf.ActionReject, need.Reject},
	} {
		if d.needed {
			needed = append(needed, req.Label("decide", d.action))
		}
	}
	f.Needed = strings.Join(needed, ", ")
	if f.Anyone || allow.Reassign != policy.ReassignNone {
		f.Eligible = slices.DeleteFunc(c.Receivers(t, c.Request.Run(t)), req.IsReader)
	}
	return f
}

// delegatorOf returns the delegator of a task; nil if the user is not a delegate.
func delegatorOf(t wf.Task, by identity.Actor) *identity.User {
	switch {
	case t.OnBehalfOf != nil:
		return t.OnBehalfOf
	case t.SharedWith != nil && t.SharedWith.ID == by.ID:
		return t.Assignee
	}
	return nil
}

// actions lists the actions of the decision form.
var actions = wf.Action("").Values()

// DecideTask records the reader's decision.
func DecideTask(req *page.Request, id string) error {
	ctx, f := req.R.Context(), req.R.PostForm
	f.Set("task", id) // the page shows this task again
	c, err := req.Engine.Tasks.GetTask(ctx, req.By, id)
	if err != nil {
		return err
	}
	in := wf.DecisionInput{
		Action:  wf.Action(f.Get("action")),
		Comment: page.Trim(f.Get("comment"), page.MaxComment), ExpectedContextHash: f.Get("seen"),
	}
	if !slices.Contains(actions, in.Action) {
		return reloadTask(req, id, http.StatusOK, "")
	}
	task, _ := c.Request.Task(id)
	if stage, _ := c.Definition.Stage(task.StageKey); len(stage.DecisionSchema) > 0 {
		_, data, valid := req.Form(stage.DecisionSchema, form.Node{}, f, "data")
		if !valid {
			return reloadTask(req, id, http.StatusUnprocessableEntity, req.T("refused.data"))
		}
		in.Data = []byte(data.JSON())
	}
	var valid bool
	if _, in.Attachments, valid = filesForm(req, f); !valid {
		return reloadTask(req, id, http.StatusUnprocessableEntity, req.T("submit.problem"))
	}
	return changeTask(req, id, "decideTask", string(in.Action), func() (engine.Reply, error) {
		return req.Engine.Tasks.DecideTask(ctx, req.By, id, in, "", nil)
	})
}

// reloadTask shows the request of a task with the submitted values.
func reloadTask(req *page.Request, id string, status int, problem string) error {
	h, err := req.Engine.Requests.TaskHistory(req.R.Context(), req.By, id, 0)
	if err != nil {
		return err
	}
	return showRequest(req, status, h, problem, req.R.PostForm)
}

// ClaimTask claims a task.
func ClaimTask(req *page.Request, id string) error {
	return changeTask(req, id, "claimTask", "claimed", func() (engine.Reply, error) {
		return req.Engine.Tasks.ClaimTask(req.R.Context(), req.By, id, "")
	})
}

// ReleaseTask releases a claimed task.
func ReleaseTask(req *page.Request, id string) error {
	return changeTask(req, id, "unclaimTask", "released", func() (engine.Reply, error) {
		return req.Engine.Tasks.UnclaimTask(req.R.Context(), req.By, id, "")
	})
}

// ReassignTask reassigns a task. A form that only searches for users is shown again.
func ReassignTask(req *page.Request, id string) error {
	f := req.R.PostForm
	to := cmp.Or(pickedUser(f, "other"), f.Get("to"))
	if f.Get("find") != "" || to == "" {
		f.Set("task", id)
		return reloadTask(req, id, http.StatusOK, "")
	}
	return changeTask(req, id, "reassignTask", "reassigned", func() (engine.Reply, error) {
		why := page.Trim(f.Get("reason"), page.MaxComment)
		return req.Engine.Tasks.ReassignTask(req.R.Context(), req.By, id, to, why, "", nil)
	})
}

// changeTask changes a task and redirects to its request. After a refusal the form keeps the
// submitted values.
func changeTask(req *page.Request, id, operation, note string, change func() (engine.Reply, error)) error {
	var reply engine.Reply
	err := req.Attempt(operation, wf.Resource{Type: "task", ID: id}, func() (err error) {
		reply, err = change()
		return err
	})
	refused, ok := page.IsRefused(err)
	switch {
	case !ok:
		return req.Complete(err, page.Root+"/requests/"+reply.Case.Request.ID, note)
	case refused.StepUp != nil:
		return req.SignIn.RequireSignIn(req.Request, "stepup", stepUp(refused.StepUp))
	}
	h, failed := req.Engine.Requests.TaskHistory(req.R.Context(), req.By, id, 0)
	if failed != nil {
		return err
	}
	req.R.PostForm.Set("task", id)
	return showRequest(req, req.StatusOf(refused), h, req.WhyOfTask(refused, h.Case, id), req.R.PostForm)
}

// stepUp returns the authorization parameters for a stage that requires reauthentication (RFC
// 9470).
func stepUp(r *refusal.StepUp) url.Values {
	more := url.Values{}
	if len(r.ACRValues) > 0 {
		more.Set("acr_values", strings.Join(r.ACRValues, " "))
	}
	if r.MaxAge > 0 {
		more.Set("max_age", strconv.Itoa(int(r.MaxAge.Seconds())))
	}
	return more
}
