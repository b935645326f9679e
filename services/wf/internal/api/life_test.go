package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/server"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/policy"
)

// payments: two finance officers within two working days, a reminder a day before, escalation to their manager,
// never the author, the director's veto, valid for 30 days, usable once.
const payments = `{
	"policy_key": "payments", "name": "Payments",
	"settings": {
		"calendar": {"zone": "Africa/Nairobi", "days": ["mon","tue","wed","thu","fri"], "from": "08:00", "to": "17:00", "holidays": ["2026-03-10"]},
		"exclude": [{"type": "expression", "cel": "context.author", "label": "The author"}],
		"validity": {"valid_for": "P30D"}, "single_use": true
	},
	"stages": [{
		"key": "finance", "name": "Finance",
		"approvers": [
			{"type": "role", "role": "finance-officer", "min_approvals": 2, "label": "Finance"},
			{"type": "role", "role": "director", "veto": true, "label": "Director"}
		],
		"quorum": {"mode": "count", "value": 2}, "rejection": {"mode": "count", "value": 2},
		"deadline": {
			"due_in": "P2D", "remind_before": ["P1D"], "on_due": "escalate",
			"escalate_to": [{"type": "manager", "of": "assignee"}]
		}
	}]}`

// office is a directory of finance officers, a director and a manager.
func office(_ context.Context, q approver.Question) ([]identity.User, error) {
	ids := q.Rule.IDs
	switch q.Rule.Type {
	case policy.RuleRole:
		ids = map[string][]string{"finance-officer": {"fay", "gus", "hal", "ida"}, "director": {"dan"}}[q.Rule.Role]
	case policy.RuleManager:
		ids = map[string][]string{"fay": {"mia"}, "gus": {"mia"}, "hal": {"mia"}, "ida": {"mia"}}[q.From]
	}
	var people []identity.User
	for _, id := range ids {
		people = append(people, identity.User{ID: id, Username: id, Email: id + "@example.org"})
	}
	return people, nil
}

// life is a service with a directory and a mail server.
type life struct {
	*callers
	t    *testing.T
	mail *wftest.MailServer
	seen int // mails
}

// pass moves the clock, runs the loops once and delivers all webhooks and, as five minutes later, the mail.
func (w *life) pass(to time.Time) {
	w.t.Helper()
	w.Clock.Set(to)
	timers := w.Engine.Timers
	for _, loop := range []func(context.Context, time.Time, int) (int, error){timers.ExpireRequests, timers.LapseApprovals, timers.ProcessDeadlines} {
		if _, err := loop(w.t.Context(), to, 100); err != nil {
			w.t.Fatal(err)
		}
	}
	if _, err := timers.WarnOfLapse(w.t.Context(), 24*time.Hour, to, 100); err != nil {
		w.t.Fatal(err)
	}
	collected := to.Add(5 * time.Minute)
	w.Clock.Set(collected)
	if _, err := w.Engine.Notices.SendMails(w.t.Context(), collected, 100); err != nil {
		w.t.Fatal(err)
	}
	for w.Deliver(w.t) > 0 {
	}
	w.Clock.Set(to)
}

// mails returns the receivers and subjects of the mail since the last call.
func (w *life) mails() []string {
	var found []string
	all := w.mail.Accepted()
	for _, m := range all[w.seen:] {
		subject, err := new(mime.WordDecoder).DecodeHeader(m.Header("Subject"))
		if err != nil {
			w.t.Error(err)
		}
		name, _, _ := strings.Cut(strings.Trim(m.To, "<>"), "@")
		found = append(found, name+": "+subject)
	}
	w.seen = len(all)
	slices.Sort(found)
	return found
}

// hooks returns the types of the webhooks of a request in the order of its events.
func (w *life) hooks(request string) []string {
	types := map[int64]string{}
	var order []int64
	for _, hook := range w.Receiver.Got() {
		var m struct {
			Type string
			Data struct {
				Sequence int64
				Request  struct{ ID string }
			}
		}
		must(w.t, json.Unmarshal(hook.Body, &m))
		if m.Data.Request.ID == request && types[m.Data.Sequence] == "" {
			types[m.Data.Sequence] = m.Type
			order = append(order, m.Data.Sequence)
		}
	}
	slices.Sort(order)
	var found []string
	for _, seq := range order {
		found = append(found, types[seq])
	}
	return found
}

func lists(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s, want\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The policy above runs to its end with real days: each step is in the inbox, the mails, the webhooks and the
// audit trail.
func TestTheLifeOfAnApproval(t *testing.T) {
	mail := wftest.StartMail(t)
	w := &life{callers: boot(t, Options{Events: []string{"*"}, Resolve: office, Config: func(c *server.Config) {
		c.InboxURL, c.Notify.From = "https://wf.example", "Approvals <approvals@wf.example>"
		c.Notify.SMTPURL = daemon.Secret(fmt.Sprintf("smtp://127.0.0.1:%d?starttls=none", mail.Port))
	}}), t: t, mail: mail}
	named := func(id string) *Client {
		return w.ClientWith(t, id, map[string]any{"email": id + "@example.org", "email_verified": true})
	}
	rita, fay, gus, hal, mia, dan := named("rita"), named("fay"), named("gus"), named("hal"), named("mia"), named("dan")
	inbox := func(c *Client, query string) string {
		rows := c.Get("/v1/wf/tasks?inbox=me" + query).Want(200)
		return strings.Join(rows.Items("request", "title"), " ")
	}

	friday := time.Date(2026, 3, 6, 13, 0, 0, 0, time.UTC) // 16:00 in Nairobi; Tuesday is a holiday
	monday, wednesday := friday.Add(3*day), friday.Add(5*day)
	w.Clock.Set(friday)
	w.root.Post("/v1/wf/policies", payments).Want(201)
	simulated := w.root.Post("/v1/wf/policies/payments/versions/1/simulate", `{"requester":"rita","context":{"author":"gus"}}`).Want(200)
	same(t, "due date in a simulation", simulated.Response("stages", 0, "due_at"), stamp(wednesday))
	same(t, "escalation in a simulation", simulated.Response("stages", 0, "escalate_to", 0, "id"), "mia")
	w.root.Post("/v1/wf/policies/payments/versions/1/activate", nil).Want(200)
	begin := func(title string) Reply {
		return rita.Post("/v1/wf/requests", fmt.Sprintf(
			`{"policy_key":"payments","priority":"urgent","title":%q,"context":{"author":"gus","amount":900}}`, title)).Want(201)
	}

	request := begin("Grant")
	id := request.Response("id")
	same(t, "due date", request.Response("stages", 0, "due_at"), stamp(wednesday))
	same(t, "reminder", request.Response("stages", 0, "deadline", "next_reminder_at"), stamp(monday))
	same(t, "excluded", request.Response("stages", 0, "excluded", 0, "user", "id")+" "+
		request.Response("stages", 0, "excluded", 0, "reason"), "gus rule")
	w.pass(friday)
	lists(t, "mails at the start", w.mails(), "dan: Urgent: To decide: Grant (Payments)",
		"fay: Urgent: To decide: Grant (Payments)", "hal: Urgent: To decide: Grant (Payments)",
		"ida: Urgent: To decide: Grant (Payments)")
	same(t, "inbox of fay, hal, dan, gus", inbox(fay, "")+" "+inbox(hal, "")+" "+inbox(dan, "")+inbox(gus, ""), "Grant Grant Grant")
	decide(gus, task(t, request, "fay"), "approve").Refused(403, "WF-008")

	w.pass(monday.Add(-time.Millisecond))
	lists(t, "mails before the reminder", w.mails())
	w.pass(monday)
	lists(t, "mails of the reminder", w.mails(), "dan: Due soon: Grant (Payments)", "fay: Due soon: Grant (Payments)",
		"hal: Due soon: Grant (Payments)", "ida: Due soon: Grant (Payments)")
	decide(fay, task(t, request, "fay"), "approve").Want(200)
	same(t, "overdue", inbox(hal, "&overdue=true"), "")

	w.pass(wednesday)
	lists(t, "mails of the due date", w.mails(),
		"dan: Overdue: Grant (Payments)", "hal: Overdue: Grant (Payments)", "ida: Overdue: Grant (Payments)",
		"mia: Urgent: To decide: Grant (Payments)", "rita: Overdue: Grant (Payments)")
	same(t, "overdue", inbox(hal, "&overdue=true")+" "+inbox(mia, "&overdue=true")+inbox(fay, ""), "Grant Grant")
	same(t, "need", w.read(request).Response("stages", 0, "quorum", "need"), "2")
	decide(mia, task(t, w.read(request), "mia"), "approve").Want(200)
	done := w.read(request)
	until := wednesday.Add(30 * day)
	same(t, "outcome", done.Response("status")+" "+done.Response("standing")+" "+done.Response("valid_until"), "approved in_force "+stamp(until))
	w.pass(wednesday)
	lists(t, "mails of the decision", w.mails(), "rita: Approved: Grant (Payments)")

	use := fmt.Sprintf(`{"context_hash":%q,"consumer":"payment run 17"}`, done.Response("context_hash"))
	fay.Post(requestsPath+id+"/consume", use).Refused(403, "WF-008")
	same(t, "use", rita.Post(requestsPath+id+"/consume", use).Want(200).Response("standing"), "consumed")
	rita.Post(requestsPath+id+"/consume", use).Refused(409, "WF-007")
	w.pass(wednesday)

	vetoed := begin("Gold taps")
	same(t, "rejection by an officer", decide(fay, task(t, vetoed, "fay"), "reject").Want(200).Response("request", "status"), "in_review")
	same(t, "veto", decide(dan, task(t, vetoed, "dan"), "reject").Want(200).Response("request", "status_reason", "code"), "veto")

	unused := begin("Chalk")
	decide(fay, task(t, unused, "fay"), "approve").Want(200)
	decide(hal, task(t, unused, "hal"), "approve").Want(200)
	w.pass(wednesday)
	w.mails()
	w.pass(until.Add(-day))
	w.pass(until)
	same(t, "unused", w.read(unused).Response("standing"), "lapsed")
	lists(t, "mails of the lapse", w.mails(), "rita: Approval lapsed: Chalk (Payments)", "rita: Approval lapses soon: Chalk (Payments)")

	for id, want := range map[string][]string{
		id: {
			"stage.reminded", "task.decided", "stage.due", "stage.escalated", "task.created", "task.decided", "task.closed", "task.closed", "task.closed",
			"stage.approved", "request.approved", "request.consumed",
		},
		vetoed.Response("id"): {"task.decided", "task.decided", "task.closed", "task.closed", "stage.rejected", "request.rejected"},
		unused.Response("id"): {
			"task.decided", "task.decided", "task.closed", "task.closed", "stage.approved", "request.approved", "request.lapsing", "request.lapsed",
		},
	} {
		want = append([]string{"request.created", "stage.started", "task.created", "task.created", "task.created", "task.created"}, want...)
		events := w.root.Get(requestsPath + id + "/events?verify=true&limit=200")
		same(t, "verified", events.Response("verification", "valid"), "true")
		lists(t, "events", events.Items("type"), want...)
		lists(t, "webhooks", w.hooks(id), want...)
	}
}

const day = 24 * time.Hour
