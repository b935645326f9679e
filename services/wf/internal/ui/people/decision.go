package people

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/i18n"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
)

// reassignForm has the fields that give a task to another user.
type reassignForm struct {
	wf.Task
	Inputs []form.Input
	Open   bool
}

// reassignFormOf returns the form of a task. Without anyone, a user of eligible is chosen.
func reassignFormOf(req *page.Request, t wf.Task, eligible []identity.User, anyone, needsReason bool) *reassignForm {
	sent := req.Submitted.Values
	to := req.Picker("to-"+t.ID, req.T("reassign.other"), sent).Must()
	if !anyone {
		to.Kind, to.Title = "choice", req.T("reassign.to")
	}
	if !to.Searched {
		for _, u := range eligible {
			to.Options = append(to.Options, form.Choice{Value: u.ID, Title: req.Person(u), Chosen: u.ID == to.Value})
		}
	}
	why := req.Input("text", "reason-"+t.ID, "reassign.reason", sent.Get("reason-"+t.ID), page.MaxComment)
	why.Required = needsReason
	return &reassignForm{t, []form.Input{to, why}, to.Value+why.Value+to.Error+why.Error != ""}
}

// decisionForm is a task on which the reader may act, with the submitted values.
type decisionForm struct {
	wf.Task
	Title    i18n.Text // of the stage
	Stage    policy.Stage
	Seen     string // hash of the content
	May      map[string]bool
	For      *identity.User
	Comment  form.Input
	Data     []form.Input
	Files    []form.Input
	Further  []wf.Action   // besides approve and reject
	Reassign *reassignForm // nil without the right
}

// HasFiles reports whether documents are attached.
func (f *decisionForm) HasFiles() bool {
	return slices.ContainsFunc(f.Files, func(in form.Input) bool { return in.Error != "" || len(in.Inputs) > 0 })
}

// commentNeeds returns the decisions of a stage that require a comment, as text.
func commentNeeds(req *page.Request, def policy.Definition, further []wf.Action) string {
	var needed []string
	for _, action := range append([]wf.Action{wf.ActionApprove, wf.ActionReject}, further...) {
		if action.NeedsComment(def) {
			needed = append(needed, req.Label("decide", action))
		}
	}
	return strings.Join(needed, ", ")
}

func decisionFormOf(req *page.Request, c wf.Case, t wf.Task, may []string) *decisionForm {
	stage, _ := c.Definition.Stage(t.StageKey)
	allow, sent := stage.Allow, req.Submitted.Values
	f := &decisionForm{
		Task: t, Title: req.StageName(c.Definition, stage.Key, stage.Name), Stage: stage, Seen: c.Request.ContextHash,
		May: page.Set(may), For: c.OnBehalfOf(t, c.Request.Run(t), req.By),
		Comment: req.Input("line", "comment", "decide.comment", sent.Get("comment"), page.MaxComment),
	}
	if allow.RequestChanges == nil || *allow.RequestChanges {
		f.Further = append(f.Further, wf.ActionRequestChanges)
	}
	if allow.Abstain {
		f.Further = append(f.Further, wf.ActionAbstain)
	}
	if needed := commentNeeds(req, c.Definition, f.Further); needed != "" {
		f.Comment = f.Comment.WithHelp(req.T("decide.comment.needed", needed)).Must()
	}
	if len(stage.DecisionSchema) > 0 {
		data := sent
		if !slices.ContainsFunc(slices.Collect(maps.Keys(sent)),
			func(name string) bool { return strings.HasPrefix(name, "data/") }) {
			data = nil // shows the defaults
		}
		f.Data, _, _ = req.Form(stage.DecisionSchema, form.Node{}, data, "data")
	}
	f.Files, _ = filesForm(req, sent)
	req.SetErrors(f.Data, f.Files)
	anyone := req.Admin() || allow.Reassign == policy.ReassignAny
	if anyone || allow.Reassign != policy.ReassignNone {
		eligible := slices.DeleteFunc(c.Receivers(t, c.Request.Run(t)), req.IsReader)
		if f.May["reassign"] && (anyone || len(eligible) > 0) {
			f.Reassign = reassignFormOf(req, t, eligible, anyone, c.Definition.Settings.RequireComment.Reassign)
		}
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
	inputs, files := filesForm(req, f.Values)
	in.Attachments, f.Errors = files, append(f.Errors, form.Errors(inputs)...)
	if len(f.Errors) > 0 {
		return f.Invalid(returnPath(req, c.Request.ID))
	}
	reply, err := req.Engine.Tasks.DecideTask(ctx, req.By, id, in, "", nil)
	return completeTask(f, id, "decideTask", string(in.Action), reply, err)
}

// ClaimTask claims a task.
func ClaimTask(req *page.Request, id string) error {
	f := req.Fields()
	reply, err := req.Engine.Tasks.ClaimTask(req.R.Context(), req.By, id, f.Values.Get("behalf"), "")
	return completeTask(f, id, "claimTask", "claimed", reply, err)
}

// ReleaseTask releases a claimed task.
func ReleaseTask(req *page.Request, id string) error {
	reply, err := req.Engine.Tasks.UnclaimTask(req.R.Context(), req.By, id, "")
	return completeTask(req.Fields(), id, "unclaimTask", "released", reply, err)
}

// WithdrawTask takes the reader's decision back.
func WithdrawTask(req *page.Request, id string) error {
	f := req.Fields()
	why := f.Text("withdrawal-"+id, "withdraw.reason", page.MaxComment)
	reply, err := req.Engine.Tasks.WithdrawTask(req.R.Context(), req.By, id, why, "", nil)
	return completeTask(f, id, "withdrawTask", "withdrawn", reply, err)
}

// ReassignTask reassigns a task.
func ReassignTask(req *page.Request, id string) error {
	f := req.Fields()
	to, why := req.PickedUser(f.Values, "to-"+id), f.Text("reason-"+id, "reassign.reason", page.MaxComment)
	if to == "" {
		f.Fail("to-"+id, "reassign.to", req.T("form.person"))
	}
	if len(f.Errors) > 0 {
		c, err := req.Engine.Tasks.GetTask(req.R.Context(), req.By, id)
		if err != nil {
			return err
		}
		return f.Invalid(returnPath(req, c.Request.ID))
	}
	reply, err := req.Engine.Tasks.ReassignTask(req.R.Context(), req.By, id, to, why, "", nil)
	return completeTask(f, id, "reassignTask", "reassigned", reply, err)
}

// completeTask redirects to the request of a changed task. A refusal is answered with the page of the form.
func completeTask(f *page.Fields, id, operation, note string, reply engine.Reply, err error) error {
	req := f.Request
	err = req.Audited(operation, wf.Resource{Type: "task", ID: id}, err)
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
	shown := signin.Form{Status: req.StatusOf(refused), Problem: req.RefusalText(refused)}
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
		f.Fail("to-"+id, "reassign.to", req.T("form.unknown"))
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
