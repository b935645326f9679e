package inbox

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/reason"
)

// soon is the time before expiry at which a request moves to the top.
const soon = 48 * time.Hour

// workPage lists the reader's tasks.
type workPage struct {
	Q, Policy string
	Policies  []policyChoice
	Mine      []workItem // assigned to the reader
	Pool      []workItem // claimable
	StandIn   []workItem // as a delegate
	Count     int64      // number of the reader's tasks
	Next      string     // address of the next page; empty on the last
	Result    string     // counts of outcomes, as text
	Outcomes  []outcome
}

// Empty reports whether there are no tasks.
func (p workPage) Empty() bool { return len(p.Mine)+len(p.Pool)+len(p.StandIn) == 0 }

type policyChoice struct {
	Key    string
	Count  int64
	Chosen bool
}

// workItem is a task in the list.
type workItem struct {
	wf.TaskItem
	Soon bool
}

// For returns the delegator of the task; nil if the reader is not a delegate.
func (w workItem) For(by identity.Actor) *identity.User {
	switch t := w.Task; {
	case t.OnBehalfOf != nil:
		return t.OnBehalfOf
	case t.SharedWith != nil && t.SharedWith.ID == by.ID:
		return t.Assignee
	}
	return nil
}

// work lists the reader's tasks.
func (v *visit) work() error { return v.showWork(http.StatusOK, "", nil) }

func (v *visit) showWork(status int, result string, outcomes []outcome) error {
	ctx, query := v.R.Context(), v.R.URL.Query()
	p := workPage{Q: query.Get("q"), Policy: query.Get("policy"), Result: result, Outcomes: outcomes}
	filter := wf.TaskFilter{Inbox: v.By.ID, Status: []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed}, Q: cut(p.Q, 200), Sort: "priority"}
	if p.Policy != "" {
		filter.PolicyKey = []string{cut(p.Policy, 128)}
	}
	items, next, err := v.engine.Tasks(ctx, v.By, filter, wf.Page{Limit: 100, Cursor: query.Get("cursor")})
	if err != nil {
		return err
	}
	if err = v.countWork(&p, items, next != "" || query.Get("cursor") != ""); err != nil {
		return err
	}
	p.Next = v.Rest(Root, next)
	for _, item := range items {
		w := v.workItem(item)
		switch {
		case item.Task.Assignee == nil:
			p.Pool = append(p.Pool, w)
		case w.For(v.By) != nil:
			p.StandIn = append(p.StandIn, w)
		default:
			p.Mine = append(p.Mine, w)
		}
	}
	for _, list := range [][]workItem{p.Mine, p.Pool, p.StandIn} {
		slices.SortStableFunc(list, moreUrgent)
	}
	title := v.T("work.title")
	if n := p.Count; n > 0 {
		title = v.T("work.title.count", n)
	}
	return v.show(status, "work", title, p)
}

func (v *visit) workItem(item wf.TaskItem) workItem {
	ends := item.Request.ExpiresAt
	return workItem{item, ends != nil && ends.Sub(v.Begun) < soon}
}

// moreUrgent orders requests near their expiry first, the earliest at the top.
func moreUrgent(a, b workItem) int {
	switch {
	case a.Soon && b.Soon:
		return a.Request.ExpiresAt.Compare(*b.Request.ExpiresAt)
	case a.Soon:
		return -1
	case b.Soon:
		return 1
	}
	return 0
}

// countWork counts the reader's tasks by policy. If the page shows all of them, they are counted
// there.
func (v *visit) countWork(p *workPage, items []wf.TaskItem, part bool) error {
	by := map[string]int64{}
	if !part && p.Q == "" && p.Policy == "" {
		for _, item := range items {
			by[item.Request.PolicyKey]++
			if item.Task.Assignee != nil && item.Task.Assignee.ID == v.By.ID {
				p.Count++
			}
		}
	} else {
		open := []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed}
		for _, filter := range []wf.TaskFilter{{Inbox: v.By.ID, Status: open}, {Assignee: v.By.ID, Status: open}} {
			counts, _, err := v.engine.TaskStats(v.R.Context(), v.By, filter)
			if err != nil {
				return err
			}
			for _, c := range counts {
				if filter.Inbox != "" {
					by[c.PolicyKey] += c.Count
				} else {
					p.Count += c.Count
				}
			}
		}
	}
	for key, n := range by {
		p.Policies = append(p.Policies, policyChoice{key, n, key == p.Policy})
	}
	slices.SortFunc(p.Policies, func(a, b policyChoice) int { return cmp.Compare(a.Key, b.Key) })
	return nil
}

// claim claims a task.
func (v *visit) claim(id string) error {
	return v.onTask(id, "claimTask", "claimed", func() (engine.Reply, error) {
		return v.engine.ClaimTask(v.R.Context(), v.By, id, "")
	})
}

// release releases a claimed task.
func (v *visit) release(id string) error {
	return v.onTask(id, "unclaimTask", "released", func() (engine.Reply, error) {
		return v.engine.UnclaimTask(v.R.Context(), v.By, id, "")
	})
}

// onTask changes a task and redirects to its request.
func (v *visit) onTask(id, operation, note string, change func() (engine.Reply, error)) error {
	var reply engine.Reply
	err := v.attempt(operation, wf.Resource{Type: "task", ID: id}, func() (err error) {
		reply, err = change()
		return err
	})
	refusal, refused := errors.AsType[*refusal.Error](err)
	switch {
	case refused && refusal.StepUp != nil:
		return v.keep("stepup", stepUp(refusal.StepUp))
	case !errors.Is(err, errFind) && (!refused || refusal.Reason == reason.DatabaseDown):
		return v.Done(err, Root+"/requests/"+reply.Case.Request.ID, note)
	}
	// The form keeps the submitted values.
	c, gone := v.engine.Task(v.R.Context(), v.By, id)
	if gone != nil {
		return cmp.Or(err, gone)
	}
	v.R.PostForm.Set("task", id)
	if !refused {
		return v.showRequest(http.StatusOK, c, "", v.R.PostForm)
	}
	return v.showRequest(v.statusOf(refusal), c, v.whyOfTask(refusal, c, id), v.R.PostForm)
}

// outcome is the result of one of several tasks.
type outcome struct {
	Title, Link string
	Why         string // refusal; empty on success
}

// mostAtOnce is the maximum number of tasks of one form.
const mostAtOnce = 100

// decideSeveral applies the same action to several tasks. Each has its own outcome.
func (v *visit) decideSeveral() error {
	f := v.R.PostForm
	action, ids := f.Get("action"), f["task"]
	if len(ids) > mostAtOnce {
		ids = ids[:mostAtOnce]
	}
	var outcomes []outcome
	for _, raw := range ids {
		id, seen, _ := strings.Cut(raw, " ")
		o, err := v.doOne(id, seen, action, f.Get("comment"))
		if err != nil {
			return err
		}
		outcomes = append(outcomes, o)
	}
	return v.showWork(http.StatusOK, v.resultOf(action, outcomes), outcomes)
}

// resultOf returns the counts of an action on several tasks, as text.
func (v *visit) resultOf(action string, outcomes []outcome) string {
	done := 0
	for _, o := range outcomes {
		if o.Why == "" {
			done++
		}
	}
	return v.T("work.result."+action, done, len(outcomes)-done)
}

// doOne decides, claims or releases one of several tasks. seen is the hash of the content shown. A
// refusal is an outcome; other errors end the whole form.
func (v *visit) doOne(id, seen, action, comment string) (outcome, error) {
	ctx := v.R.Context()
	c, err := v.engine.Task(ctx, v.By, id)
	o := outcome{Title: v.TitleOf(c.Request), Link: Root + "/requests/" + c.Request.ID}
	if err == nil {
		err = v.attempt("decideTask", wf.Resource{Type: "task", ID: id}, func() error {
			switch action {
			case "claim":
				_, err = v.engine.ClaimTask(ctx, v.By, id, "")
			case "release":
				_, err = v.engine.UnclaimTask(ctx, v.By, id, "")
			case string(wf.ActionApprove), string(wf.ActionReject):
				_, err = v.engine.DecideTask(ctx, v.By, id, wf.DecisionInput{Action: wf.Action(action), Comment: trimmed(comment, maxComment), ExpectedContextHash: seen, Bulk: true}, "", nil)
			default:
				err = refusal.At(reason.NotListed, "/action", "no such action")
			}
			return err
		})
	}
	refusal, refused := errors.AsType[*refusal.Error](err)
	switch {
	case refused && refusal.Reason == reason.DatabaseDown, err != nil && !refused:
		return o, err
	case refused:
		o.Why = v.whyOfTask(refusal, c, id)
	}
	return o, nil
}

// why returns a refusal in the reader's language.
func (v *visit) why(refusal *refusal.Error) string {
	switch {
	case refusal.StepUp != nil:
		return v.T("refused.stepup")
	case refusal.Reason == reason.Missing && refusal.Where == "/comment":
		return v.T("refused.comment")
	case refusal.Reason == reason.Missing && refusal.Where == "/data":
		return v.T("refused.data")
	}
	return v.T("refused." + string(refusal.Reason.General()))
}

// whyOfTask returns the refusal of an action on a task. It names the user who decided, holds or
// withdrew it.
func (v *visit) whyOfTask(refusal *refusal.Error, c wf.Case, id string) string {
	task, _ := c.Request.Task(id)
	if refusal.StepUp != nil || refusal.Reason != reason.WrongState && refusal.Reason != reason.Forbidden {
		return v.why(refusal)
	}
	switch decided := decisionBehind(c.Request, task); {
	case decided != nil:
		return v.T("refused.decided."+string(decided.Action), v.Actor(decided.Actor), v.When(decided.DecidedAt.Time).Text)
	case c.Request.Status.Final():
		return v.whyOfRequest(refusal, c.Request)
	case task.Assignee == nil || task.Assignee.ID == v.By.ID:
		return v.why(refusal)
	case task.Status == wf.TaskClaimed:
		return v.T("refused.claimed", v.Person(*task.Assignee))
	}
	return v.T("refused.assignee", v.Person(*task.Assignee), v.Person(v.By.User))
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

// whyOfRequest returns the refusal of an action on a request. It names the user who withdrew the
// request.
func (v *visit) whyOfRequest(refusal *refusal.Error, r wf.Request) string {
	switch why := r.StatusReason; {
	case refusal.Reason != reason.WrongState || !r.Status.Final() || why == nil:
		return v.why(refusal)
	case why.Code != wf.BecauseWithdrawn:
		return v.Word("because", why.Code)
	}
	events, _, err := v.engine.Events(v.R.Context(), v.By, r.ID, wf.Page{Limit: 200})
	for _, e := range events {
		if err == nil && e.Type == audit.EventRequestCancelled {
			return v.T("refused.withdrawn", v.Actor(e.Actor))
		}
	}
	return v.Word("because", wf.BecauseWithdrawn)
}

// TitleOf returns the display title of a request.
func (v *visit) TitleOf(r wf.Request) string {
	switch {
	case r.Title != "":
		return r.Title
	case r.ArtifactID != "":
		return strings.TrimSpace(r.ArtifactType + " " + r.ArtifactID)
	case r.ID == "":
		return v.T("request.unknown")
	}
	return v.T("request.untitled", r.PolicyKey)
}

// cut returns a text of at most n bytes.
func cut(s string, n int) string { return strings.ToValidUTF8(s[:min(len(s), n)], "") }
