package people

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/reason"
)

// outcome is the result of one of several tasks.
type outcome struct {
	Title, Link string
	Why         string // refusal; empty on success
}

// maxBulk is the maximum number of tasks of one form.
const maxBulk = 200

// bulkResult is the result of an action on several tasks.
type bulkResult struct {
	Text          string
	Refused, Done []outcome
}

// DecideTasks applies the same action to several tasks. Each has its own outcome. The list shows the
// selection of the refused tasks, and the comment for them.
func DecideTasks(req *page.Request) error {
	f := req.Fields()
	action, ids, list := f.Values.Get("action"), f.Values["task"], req.LocalPath(f.Values.Get("page"))
	comment := f.Text("comment", "decide.comment", page.MaxComment)
	switch {
	case len(f.Errors) > 0:
		return f.Invalid(list)
	case len(ids) == 0:
		return req.ShowForm(list, signin.Form{Status: http.StatusUnprocessableEntity, Problem: req.T("work.none")})
	}
	var result bulkResult
	rest := url.Values{}
	for _, raw := range ids[:min(len(ids), maxBulk)] {
		id, seen, _ := strings.Cut(raw, " ")
		o, err := decideOne(req, id, seen, action, comment)
		if err != nil {
			return err
		}
		if o.Why == "" {
			result.Done = append(result.Done, o)
			continue
		}
		rest.Add("task", raw)
		rest["comment"] = f.Values["comment"]
		result.Refused = append(result.Refused, o)
	}
	result.Text = req.T("work.result."+action, len(result.Done), len(result.Refused))
	return req.ShowForm(list, signin.Form{Values: rest, Result: result})
}

// decideOne decides, claims or releases one of several tasks. seen is the hash of the content shown. A
// refusal is an outcome; other errors end the whole form.
func decideOne(req *page.Request, id, seen, action, comment string) (outcome, error) {
	ctx := req.R.Context()
	c, err := req.Engine.Tasks.GetTask(ctx, req.By, id)
	o := outcome{Title: req.TitleOf(c.Request), Link: page.Root + "/requests/" + c.Request.ID}
	if err == nil {
		switch action {
		case "claim":
			_, err = req.Engine.Tasks.ClaimTask(ctx, req.By, id, "", "")
		case "release":
			_, err = req.Engine.Tasks.UnclaimTask(ctx, req.By, id, "")
		case string(wf.ActionApprove), string(wf.ActionReject):
			in := wf.DecisionInput{Action: wf.Action(action), Comment: comment, ExpectedContextHash: seen, Page: true}
			_, err = req.Engine.Tasks.DecideTask(ctx, req.By, id, in, "", nil)
		default:
			err = refusal.At(reason.NotListed, "/action", "no such action")
		}
		err = req.Audited("decideTask", wf.Resource{Type: "task", ID: id}, err)
	}
	if refused, ok := page.IsRefused(err); ok {
		o.Why = req.RefusalText(refused)
		return o, nil
	}
	return o, err
}
