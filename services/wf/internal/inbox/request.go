package inbox

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/chart"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// requestPage shows one request.
type requestPage struct {
	wf.Request
	Policy     string // its name
	Link       string // a safe link, or empty
	Asked      []entry
	Changes    *changesSince // nil without an earlier revision
	JSON       string
	Columns    []stageColumn
	Chart      drawn
	Earlier    []stageBox // runs before the last changes
	Events     []eventLine
	Comments   []wf.Event
	CommentsOn bool            // the reader may comment
	Mentions   []identity.User // users to mention
	Turn       *turn           // the reader's task; nil without one
	Others     []otherTask
	May        map[string]bool
	Problem    string // error of the last form
	Said       string // text of a rejected comment
}

// otherTask is a task that the reader may reassign but not decide.
type otherTask struct {
	wf.Task
	Other  picker
	Reason string
}

// turn is a task on which the reader may act, with the submitted values.
type turn struct {
	wf.Task
	Stage    policy.Stage
	May      map[string]bool
	For      *identity.User
	Comment  string
	Needed   string // the decisions that require a comment, as text
	Data     []form.Input
	Files    []form.Input
	Eligible []identity.User // possible assignees
	Anybody  bool            // other users are possible assignees too
	Other    picker
	Reason   string
	Abstain  bool
	Changes  bool
	StepUp   bool

	NeedsReason bool // a reassignment requires a reason
}

// request shows one request.
func (v *visit) request(id string) error {
	c, err := v.engine.Request(v.R.Context(), v.By, id)
	if err != nil {
		return err
	}
	return v.showRequest(http.StatusOK, c, "", nil)
}

// showRequest shows a request. problem is the error of a form and sent its values.
func (v *visit) showRequest(status int, c wf.Case, problem string, sent url.Values) error {
	r := c.Request
	p := requestPage{
		Request: r, Policy: c.Definition.Name, Link: form.SafeLink(r.Link), Asked: v.content(r.Context, c.Definition.ContextSchema), JSON: form.Indented(r.Context),
		May: set(r.Actions(v.By)), Problem: problem, Said: sent.Get("text"),
	}
	p.Columns, p.Earlier = v.stages(c)
	p.Chart = draw(chart.OfRequest(r, c.Definition, v.chartWords()))
	var err error
	if p.Changes, err = v.changesOf(r, c.Definition.ContextSchema); err != nil {
		return err
	}
	events, _, err := v.engine.Events(v.R.Context(), v.By, r.ID, wf.Page{Limit: 200})
	if err != nil {
		return err
	}
	for _, e := range events {
		if line, told := v.eventLine(r, e); told {
			p.Events = append(p.Events, line)
		}
	}
	slices.Reverse(p.Events)
	if p.Comments, _, err = v.engine.Comments(v.R.Context(), v.By, r.ID, wf.Page{Limit: 200}); err != nil {
		return err
	}
	p.CommentsOn, p.Mentions = r.Participates(v.By.ID), v.others(r)
	for _, t := range r.Tasks {
		may := r.TaskActions(c.Definition, t, r.Run(t), v.By)
		switch {
		case slices.Contains(may, "decide") && p.Turn == nil && cmp.Or(sent.Get("task"), t.ID) == t.ID:
			p.Turn = v.turn(c, t, may, sent)
		case len(may) > 0:
			var own url.Values
			if sent.Get("task") == t.ID {
				own = sent
			}
			p.Others = append(p.Others, otherTask{t, v.picked("other", "reassign.other", own), own.Get("reason")})
		}
	}
	return v.show(status, "request", v.TitleOf(r), p)
}

func (v *visit) turn(c wf.Case, t wf.Task, may []string, sent url.Values) *turn {
	stage, _ := c.Definition.Stage(t.StageKey)
	turned := &turn{
		Task: t, Stage: stage, May: set(may), For: workItem{TaskItem: wf.TaskItem{Task: t}}.For(v.By), Comment: sent.Get("comment"),
		Abstain: stage.Allow.Abstain, Changes: stage.Allow.RequestChanges == nil || *stage.Allow.RequestChanges, StepUp: stage.Reauth != nil,
	}
	if len(stage.DecisionSchema) > 0 {
		turned.Data, _, _ = v.formOf(stage.DecisionSchema, form.Node{}, sent, "data")
	}
	need := c.Definition.Settings.RequireComment
	var needed []string
	for _, d := range []struct {
		action          wf.Action
		offered, needed bool
	}{{wf.ActionApprove, true, need.Approve}, {wf.ActionRequestChanges, turned.Changes, need.RequestChanges}, {wf.ActionAbstain, turned.Abstain, need.Abstain}, {wf.ActionReject, true, need.Reject}} {
		if d.offered && d.needed {
			needed = append(needed, v.Word("decide", d.action))
		}
	}
	turned.NeedsReason = need.Reassign
	turned.Needed = strings.Join(needed, ", ")
	turned.Files, _, _ = v.filesForm(sent)
	run := c.Request.Run(t)
	allow := stage.Allow.Reassign
	turned.Anybody = v.By.Has(identity.RoleAdmin) || allow == policy.ReassignAny
	turned.Other, turned.Reason = v.picked("other", "reassign.other", sent), sent.Get("reason")
	if allow == policy.ReassignNone && !turned.Anybody {
		return turned
	}
	for _, u := range c.Request.Receivers(c.Definition, t, run) {
		if u.ID != v.By.ID {
			turned.Eligible = append(turned.Eligible, u)
		}
	}
	return turned
}

// others returns other participants of a request, as far as the page names them.
func (v *visit) others(r wf.Request) []identity.User {
	var others []identity.User
	add := func(u identity.User) {
		if u.ID != v.By.ID && !slices.ContainsFunc(others, func(o identity.User) bool { return o.ID == u.ID }) {
			others = append(others, u)
		}
	}
	add(r.Requester)
	add(r.SubmittedBy)
	for _, t := range r.Tasks {
		if t.Assignee != nil {
			add(*t.Assignee)
		}
	}
	for _, run := range r.Stages {
		for _, u := range run.Observers {
			add(u)
		}
	}
	return others
}

func set(words []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		out[w] = true
	}
	return out
}

// actions lists the actions of the decision form.
var actions = wf.Action("").Values()

// decide records the reader's decision.
func (v *visit) decide(id string) error {
	ctx, f := v.R.Context(), v.R.PostForm
	c, err := v.engine.Task(ctx, v.By, id)
	if err != nil {
		return err
	}
	task, _ := c.Request.Task(id)
	stage, _ := c.Definition.Stage(task.StageKey)
	in := wf.DecisionInput{Action: wf.Action(f.Get("action")), Comment: trimmed(f.Get("comment"), maxComment), ExpectedContextHash: f.Get("seen")}
	f.Set("task", id) // the page shows this task again
	if !slices.Contains(actions, in.Action) {
		return v.showRequest(http.StatusOK, c, "", f)
	}
	if len(stage.DecisionSchema) > 0 {
		_, data, good := v.formOf(stage.DecisionSchema, form.Node{}, f, "data")
		if !good {
			return v.showRequest(http.StatusUnprocessableEntity, c, v.T("refused.data"), f)
		}
		in.Data = []byte(data.JSON())
	}
	var whole bool
	if _, in.Attachments, whole = v.filesForm(f); !whole {
		return v.showRequest(http.StatusUnprocessableEntity, c, v.T("ask.problem"), f)
	}
	return v.onTask(id, "decideTask", string(in.Action), func() (engine.Reply, error) {
		return v.engine.DecideTask(ctx, v.By, id, in, "", nil)
	})
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

// errFind indicates a form that was submitted only to search for users.
var errFind = errors.New("people are looked for")

// reassign reassigns a task.
func (v *visit) reassign(id string) error {
	f := v.R.PostForm
	to := cmp.Or(named(f, "other"), f.Get("to"))
	return v.onTask(id, "reassignTask", "reassigned", func() (engine.Reply, error) {
		if f.Get("find") != "" || to == "" {
			return engine.Reply{}, errFind
		}
		return v.engine.ReassignTask(v.R.Context(), v.By, id, to, trimmed(f.Get("reason"), maxComment), "", nil)
	})
}

// comment adds a comment to a request.
func (v *visit) comment(id string) error {
	f := v.R.PostForm
	in := wf.CommentInput{Text: trimmed(f.Get("text"), maxComment)}
	for _, who := range f["mention"] {
		if who != "" {
			in.Mentions = append(in.Mentions, who)
		}
	}
	_, err := v.engine.AddComment(v.R.Context(), v.By, id, in, nil)
	if refusal, refused := errors.AsType[*refusal.Error](err); refused && errors.Is(err, reason.BadInput) {
		c, err := v.engine.Request(v.R.Context(), v.By, id)
		if err != nil {
			return err
		}
		return v.showRequest(http.StatusUnprocessableEntity, c, v.why(refusal), f)
	}
	return v.Done(err, Root+"/requests/"+id, "commented")
}

// cancel cancels a request.
func (v *visit) cancel(id string) error {
	_, err := v.engine.CancelRequest(v.R.Context(), v.By, id, trimmed(v.R.PostForm.Get("reason"), maxComment), "", nil)
	if refusal, refused := errors.AsType[*refusal.Error](err); refused && refusal.Reason == reason.WrongState {
		c, err := v.engine.Request(v.R.Context(), v.By, id)
		if err != nil {
			return err
		}
		return v.showRequest(v.statusOf(refusal), c, v.whyOfRequest(refusal, c.Request), nil)
	}
	return v.Done(err, Root+"/requests/"+id, "cancelled")
}
