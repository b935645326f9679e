package people

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// worklist is the filter and the order of the reader's tasks, as in the address of their list.
type worklist struct {
	wf.TaskFilter
	query url.Values // canonical: without defaults and unknown values
}

// The values of the parameters due and sort. Without sort the list has the most urgent task first, then the oldest.
const (
	dueOverdue = "overdue"
	dueWeek    = "week" // within seven days, or overdue
	sortDue    = "due"  // tasks without a date last
	sortAge    = "age"  // the oldest first
)

var (
	roles = []string{string(wf.InboxHolder), string(wf.InboxCandidate), string(wf.InboxDelegate)}
	sorts = map[string]string{"": "priority", sortDue: "due_at", sortAge: "age"} // of the filter
)

// worklistOf reads the query of a list at a time.
func worklistOf(query url.Values, now time.Time) worklist {
	w := worklist{query: url.Values{}}
	read := func(name string, limit int, values ...string) string {
		value := frame.Truncate(strings.TrimSpace(query.Get(name)), limit)
		if value == "" || values != nil && !slices.Contains(values, value) {
			return ""
		}
		w.query.Set(name, value)
		return value
	}
	w.Q = read("q", 200)
	if key := read("policy", 128); key != "" {
		w.PolicyKey = []string{key}
	}
	w.Role = wf.InboxRole(read("role", 20, roles...))
	switch read("due", 20, dueOverdue, dueWeek) {
	case dueOverdue:
		w.Due.Overdue = new(true)
	case dueWeek:
		w.Due.Before = now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 8) // a cursor is bound to it
	}
	w.Sort = sorts[read("sort", 20, sortDue, sortAge)]
	return w
}

// IsFiltered reports whether the list leaves tasks out.
func (w worklist) IsFiltered() bool {
	return len(w.query) > 1 || len(w.query) == 1 && !w.query.Has("sort")
}

// path returns the address of the list.
func (w worklist) path() string { return strings.TrimSuffix(page.Root+"?"+w.query.Encode(), "?") }

// name returns the parameter that names the list in the address of a request.
func (w worklist) name() string { return cmp.Or(w.query.Encode(), "all") }

// requestLink returns the address of a request that the reader comes to from the list.
func (w worklist) requestLink(id string) string {
	return requestPath(id) + "?" + url.Values{"list": {w.name()}}.Encode()
}

// listOfRequest returns the list from which the reader came to the page of a request.
func listOfRequest(query url.Values, now time.Time) (w worklist, ok bool) {
	name := query.Get("list")
	values, err := url.ParseQuery(name)
	return worklistOf(values, now), err == nil && name != ""
}

// returnPath returns the address of the page of a request that sent the form, with its list.
func returnPath(req *page.Request, id string) string {
	from, _ := url.Parse(req.LocalPath(req.R.PostForm.Get("page"))) // LocalPath returns an address
	if w, ok := listOfRequest(from.Query(), req.Begun); ok && from.Path == requestPath(id) {
		return w.requestLink(id)
	}
	return requestPath(id)
}

// countText returns a number of tasks for display: "10,000+" for a lower bound.
func countText(req *page.Request, c engine.Count) string {
	text := req.GroupDigits(strconv.FormatInt(c.N, 10), 4)
	if c.AtLeast {
		text += "+"
	}
	return text
}

// filters returns the filters of the list: the policies of the reader's tasks with their counts, the roles, the due
// dates, and the order.
func (w worklist) filters(req *page.Request, counts []engine.PolicyCount) []form.Input {
	option := func(value, title string) form.Choice { return form.Choice{Value: value, Title: title} }
	var policies []form.Choice
	for _, p := range counts {
		policies = append(policies, option(p.Key, p.Name+" ("+countText(req, p.Count)+")"))
	}
	key := w.query.Get("policy")
	if key != "" && !slices.ContainsFunc(policies, func(o form.Choice) bool { return o.Value == key }) {
		policies = append(policies, option(key, key))
	}
	all := []form.Input{
		req.Filter("choice", "policy", "work.policy", policies...),
		req.Filter("choice", "role", "work.role", page.Choices(req, "work.role", roles...)...),
		req.Filter("choice", "due", "work.due", page.Choices(req, "work.due", dueOverdue, dueWeek)...),
		req.Filter("choice", "sort", "work.sort", option("", req.T("work.sort.urgency")),
			option(sortDue, req.T("work.sort.due")), option(sortAge, req.T("work.sort.age"))),
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
	w, ok := listOfRequest(query, req.Begun)
	if !ok {
		return nil, nil
	}
	found, err := req.Engine.Tasks.NextTask(req.R.Context(), req.By, w.TaskFilter, r)
	if err != nil {
		return nil, err
	}
	next := &nextTask{List: w.path(), Left: countText(req, found.Left)}
	if found.Item != nil {
		next.Title, next.Link = req.TitleOf(found.Item.Request), w.requestLink(found.Item.Request.ID)
	}
	if note := wf.Action(query.Get("note")); slices.Contains(actions, note) && query.Has("note") {
		next.Decided = string(note)
	}
	return next, nil
}
