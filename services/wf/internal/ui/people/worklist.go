package people

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// worklist is the filter and the order of the reader's tasks, as in the address of their list.
type worklist struct {
	wf.WorklistFilter
	query url.Values // canonical: without defaults and unknown values
}

var roles = []wf.InboxRole{wf.InboxHolder, wf.InboxCandidate, wf.InboxDelegate}

// worklistOf reads the query of a list.
func worklistOf(query url.Values) worklist {
	w := worklist{query: url.Values{}}
	read := func(name string, limit int, valid func(string) bool) string {
		value := frame.Truncate(strings.TrimSpace(query.Get(name)), limit)
		if value == "" || !valid(value) {
			return ""
		}
		w.query.Set(name, value)
		return value
	}
	any := func(string) bool { return true }
	w.Q = read("q", 200, any)
	w.PolicyKey = read("policy", 128, any)
	w.Role = wf.InboxRole(read("role", 20, func(role string) bool { return slices.Contains(roles, wf.InboxRole(role)) }))
	w.Due = wf.WorklistDue(read("due", 20, func(due string) bool {
		return due == string(wf.DueOverdue) || due == string(wf.DueWeek)
	}))
	w.Sort = read("sort", 20, func(sort string) bool { return sort == wf.ByDueDate || sort == wf.ByAge })
	return w
}

// IsFiltered reports whether the list leaves tasks out.
func (w worklist) IsFiltered() bool {
	return w.Q != "" || w.PolicyKey != "" || w.Role != "" || w.Due != ""
}

// path returns the address of a page of the list.
func (w worklist) path(number int) string {
	query := url.Values{}
	for name, values := range w.query {
		query[name] = values
	}
	if number > 1 {
		query.Set("page", strconv.Itoa(number))
	}
	if len(query) == 0 {
		return page.Root
	}
	return page.Root + "?" + query.Encode()
}

// name returns the parameter that names the list in the address of a request.
func (w worklist) name() string { return cmp.Or(w.query.Encode(), "all") }

// requestLink returns the address of a request that the reader comes to from the list.
func (w worklist) requestLink(id string) string {
	return requestPath(id) + "?" + url.Values{"list": {w.name()}}.Encode()
}

// listOfRequest returns the list from which the reader came to the page of a request.
func listOfRequest(query url.Values) (w worklist, ok bool) {
	name := query.Get("list")
	values, err := url.ParseQuery(name)
	return worklistOf(values), err == nil && name != ""
}

// returnPath returns the address of the page of a request that sent the form, with its list.
func returnPath(req *page.Request, id string) string {
	from, err := url.Parse(req.LocalPath(req.R.PostForm.Get("page")))
	if err != nil || from.Path != requestPath(id) {
		return requestPath(id)
	}
	w, ok := listOfRequest(from.Query())
	if !ok {
		return requestPath(id)
	}
	return w.requestLink(id)
}

// countText returns a number of tasks for display: "10,000+" for a lower bound.
func countText(req *page.Request, c engine.Count) string {
	text := req.GroupDigits(strconv.FormatInt(c.N, 10), 4)
	if c.AtLeast {
		text += "+"
	}
	return text
}

// filters returns the filters of the list: the policies and the roles of the reader's tasks with their counts, the due
// dates, and the order.
func (w worklist) filters(req *page.Request, found engine.Worklist) []form.Input {
	option := func(value, title string) form.Choice { return form.Choice{Value: value, Title: title} }
	var policies, held, dues []form.Choice
	for _, p := range found.Policies {
		policies = append(policies, option(p.Key, p.Name+" ("+countText(req, p.Count)+")"))
	}
	if w.PolicyKey != "" && !slices.ContainsFunc(policies, func(o form.Choice) bool { return o.Value == w.PolicyKey }) {
		policies = append(policies, option(w.PolicyKey, w.PolicyKey))
	}
	for _, role := range roles {
		title := req.Label("work.role", role)
		if found.Roles != nil {
			title += " (" + countText(req, found.Roles[role]) + ")"
		}
		held = append(held, option(string(role), title))
	}
	for _, due := range []wf.WorklistDue{wf.DueOverdue, wf.DueWeek} {
		dues = append(dues, option(string(due), req.Label("work.due", due)))
	}
	all := []form.Input{
		req.Filter("choice", "policy", "work.policy", policies...), req.Filter("choice", "role", "work.role", held...),
		req.Filter("choice", "due", "work.due", dues...),
		req.Filter("choice", "sort", "work.sort", option("", req.T("work.sort.urgency")),
			option(wf.ByDueDate, req.T("work.sort.due")), option(wf.ByAge, req.T("work.sort.age"))),
	}
	for i, in := range all {
		all[i].Value = w.query.Get(in.Name) // without unknown values
	}
	return all
}

// nextTask is the link to the next task of the list from which the reader came.
type nextTask struct {
	List        string // address of the list
	Title, Link string // of the next task; empty if there is none
	Left        string // number of tasks left
	Decided     string // the reader's decision that the note tells of; empty without one
}

// nextOf returns the next task after a request; nil if the reader did not come from a list.
func nextOf(req *page.Request, r wf.Request) (*nextTask, error) {
	query := req.R.URL.Query()
	w, ok := listOfRequest(query)
	if !ok {
		return nil, nil
	}
	found, err := req.Engine.Tasks.NextTask(req.R.Context(), req.By, w.WorklistFilter, r)
	if err != nil {
		return nil, err
	}
	next := &nextTask{List: w.path(1), Left: countText(req, found.Left)}
	if found.Item != nil {
		next.Title, next.Link = req.TitleOf(found.Item.Request), w.requestLink(found.Item.Request.ID)
	}
	if note := wf.Action(query.Get("note")); slices.Contains(actions, note) && query.Has("note") {
		next.Decided = string(note)
	}
	return next, nil
}

// worklistOfPage returns the list whose page sent the form.
func worklistOfPage(req *page.Request) worklist {
	from, err := url.Parse(req.LocalPath(req.R.PostForm.Get("page")))
	if err != nil {
		return worklistOf(nil)
	}
	return worklistOf(from.Query())
}
