package people

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
)

// otherTask is a task that the reader may reassign but not decide.
type otherTask struct {
	wf.Task
	Other  page.Picker
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
	Other    page.Picker
	To       string // submitted assignee
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
		Task: t, Stage: stage, May: page.Set(may), For: c.OnBehalfOf(t, c.Request.Run(t), req.By), Comment: sent.Get("comment"),
		Abstain: allow.Abstain, Changes: allow.RequestChanges == nil || *allow.RequestChanges, StepUp: stage.Reauth != nil,
		Anyone: req.Admin() || allow.Reassign == policy.ReassignAny, NeedsReason: need.Reassign,
		Other: req.Picker("other-"+t.ID, req.T("reassign.other"), sent), Reason: sent.Get("reason-" + t.ID),
		To: sent.Get("to-" + t.ID),
	}
	if len(stage.DecisionSchema) > 0 {
		data := sent
		if !slices.ContainsFunc(slices.Collect(maps.Keys(sent)), func(name string) bool { return strings.HasPrefix(name, "data/") }) {
			data = nil // shows the defaults
		}
		f.Data, _, _ = req.Form(stage.DecisionSchema, form.Node{}, data, "data")
	}
	f.Files, _, _ = filesForm(req, sent)
	req.SetErrors(f.Data, f.Files)
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

// actions lists the actions of the decision form.
var actions = wf.Action("").Values()

// DecideTask records the reader's decision.
func DecideTask(req *page.Request, id string) error {
	ctx, f := req.R.Context(), req.Fields()
	f.Values.Set("task", id) // the page shows this task again
	c, err := req.Engine.Tasks.GetTask(ctx, req.By, id)
	if err != nil {
		return err
	}
	in := wf.DecisionInput{
		Action:  wf.Action(f.Values.Get("action")),
		Comment: f.Text("comment", "decide.comment", page.MaxComment), OnBehalfOf: f.Values.Get("behalf"),
		ExpectedContextHash: f.Values.Get("seen"), Page: true,
	}
	if !slices.Contains(actions, in.Action) {
		return req.ShowForm(returnPath(req, c.Request.ID), signin.Form{})
	}
	task, _ := c.Request.Task(id)
	if stage, _ := c.Definition.Stage(task.StageKey); len(stage.DecisionSchema) > 0 {
		inputs, data, _ := req.Form(stage.DecisionSchema, form.Node{}, f.Values, "data")
		f.Errors = append(form.Errors(inputs), f.Errors...)
		in.Data = []byte(data.JSON())
	}
	inputs, files, _ := filesForm(req, f.Values)
	in.Attachments, f.Errors = files, append(f.Errors, form.Errors(inputs)...)
	if len(f.Errors) > 0 {
		return f.Invalid(returnPath(req, c.Request.ID))
	}
	return changeTask(f, id, "decideTask", string(in.Action), func() (engine.Reply, error) {
		return req.Engine.Tasks.DecideTask(ctx, req.By, id, in, "", nil)
	})
}

// ClaimTask claims a task.
func ClaimTask(req *page.Request, id string) error {
	f := req.Fields()
	return changeTask(f, id, "claimTask", "claimed", func() (engine.Reply, error) {
		return req.Engine.Tasks.ClaimTask(req.R.Context(), req.By, id, f.Values.Get("behalf"), "")
	})
}

// ReleaseTask releases a claimed task.
func ReleaseTask(req *page.Request, id string) error {
	return changeTask(req.Fields(), id, "unclaimTask", "released", func() (engine.Reply, error) {
		return req.Engine.Tasks.UnclaimTask(req.R.Context(), req.By, id, "")
	})
}

// ReassignTask reassigns a task.
func ReassignTask(req *page.Request, id string) error {
	f := req.Fields()
	to := cmp.Or(req.PickedUser(f.Values, "other-"+id), f.Values.Get("to-"+id))
	why := f.Text("reason-"+id, "reassign.reason", page.MaxComment)
	if to == "" {
		f.Fail("other-"+id, "reassign.other", req.T("form.person"))
	}
	if len(f.Errors) > 0 {
		c, err := req.Engine.Tasks.GetTask(req.R.Context(), req.By, id)
		if err != nil {
			return err
		}
		return f.Invalid(returnPath(req, c.Request.ID))
	}
	return changeTask(f, id, "reassignTask", "reassigned", func() (engine.Reply, error) {
		return req.Engine.Tasks.ReassignTask(req.R.Context(), req.By, id, to, why, "", nil)
	})
}

// changeTask changes a task and redirects to its request. A refusal is answered with the page of the form.
func changeTask(f *page.Fields, id, operation, note string, change func() (engine.Reply, error)) error {
	req := f.Request
	var reply engine.Reply
	err := req.Attempt(operation, wf.Resource{Type: "task", ID: id}, func() (err error) {
		reply, err = change()
		return err
	})
	refused, ok := page.IsRefused(err)
	switch {
	case !ok && err != nil:
		return err
	case !ok && !req.By.Has(identity.RoleViewer) && !reply.Case.HasPart(req.By.ID):
		return req.Complete(nil, page.Root, note) // the user no longer reads the request
	case !ok:
		return req.Complete(nil, returnPath(req, reply.Case.Request.ID), note)
	case refused.StepUp != nil:
		return req.RequireStepUp(stepUp(refused.StepUp))
	}
	c, failed := req.Engine.Tasks.GetTask(req.R.Context(), req.By, id)
	if failed != nil {
		return err
	}
	f.Values.Set("task", id)
	shown := signin.Form{Status: req.StatusOf(refused), Problem: req.WhyOfTask(refused, c, id)}
	switch refused.Where {
	case "/data":
		task, _ := c.Request.Task(id)
		stage, _ := c.Definition.Stage(task.StageKey)
		inputs, _, _ := req.Form(stage.DecisionSchema, form.Node{}, f.Values, "data")
		f.Errors = append(f.Errors, fieldErrors(req, inputs, "data", refused)...)
	case "/comment":
		f.Fail("comment", "decide.comment", req.RefusalText(refused))
	case "/reason":
		f.Fail("reason-"+id, "reassign.reason", req.T("form.required"))
	case "/new_assignee":
		f.Fail("other-"+id, "reassign.other", req.T("form.unknown"))
	}
	if shown.Errors = f.Errors; len(shown.Errors) > 0 {
		shown.Problem = ""
	}
	return req.ShowForm(returnPath(req, c.Request.ID), shown)
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
