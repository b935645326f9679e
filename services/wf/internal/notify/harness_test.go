package notify_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/notify"
	"github.com/countersign/countersign/services/wf/internal/server"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// noon is the time at which every test begins.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) { wftest.Main(m) }

const pages = "https://wf.example/inbox"

// office is the service with a mail server.
type office struct {
	*wftest.Service
	*engine.Engine
	t     *testing.T
	clock *timetest.Clock
	mail  *wftest.MailServer
	known map[string]identity.User // to the directory
	key   string                   // of the policy

	collected time.Duration // before each collection
}

// begin is the service on a database of the current run. Unlike with collecting, deliver sends all notices so far.
func begin(t *testing.T, content ...notify.Content) *office {
	t.Helper()
	o := open(t, wftest.Schema.Fresh(t), wftest.StartMail(t), timetest.At(noon), content...)
	o.collected = 5 * time.Minute
	return o
}

// collecting is the service that collects notices for five minutes.
func collecting(t *testing.T) *office {
	o := begin(t)
	o.collected = 0
	return o
}

// sealKey encrypts the secrets of endpoints.
const sealKey = "test:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="

// open is a process of the service. Its directory has every user, by default without an address.
func open(
	t *testing.T, url string, mail *wftest.MailServer, clock *timetest.Clock, content ...notify.Content,
) *office {
	t.Helper()
	o := &office{t: t, clock: clock, mail: mail, known: map[string]identity.User{}}
	o.Service = wftest.Boot(t, wftest.Options{
		URL: url, Clock: clock, Network: wftest.Local,
		Resolve: func(_ context.Context, q approver.Question) (found []identity.User, _ error) {
			for _, id := range q.Rule.IDs {
				found = append(found, cmp.Or(o.known[id], identity.User{ID: id}))
			}
			return found, nil
		},
		Config: func(c *server.Config) {
			c.EncKeys, c.InboxURL = sealKey, strings.TrimSuffix(pages, "/inbox")
			c.Notify.SMTPURL = daemon.Secret(fmt.Sprintf("smtp://127.0.0.1:%d?starttls=none", mail.Port))
			c.Notify.From = "Approvals <approvals@wf.example>"
			c.Notify.Content = append(content, notify.ContentAll)[0]
		},
	})
	o.Engine = o.Service.Engine
	return o
}

var must = wftest.Must

// chooses stores the setting of a person.
func (o *office) chooses(who string, s notice.Settings) {
	o.t.Helper()
	must(o.t, o.Notices.PutNotifications(o.t.Context(), person(who), s))
}

// person is a user with an address.
func person(id string) identity.Actor {
	return identity.Actor{Kind: identity.ActorUser, Issuer: "test",
		User: identity.User{ID: id, Username: id, Name: strings.ToUpper(id[:1]) + id[1:], Email: id + "@people.example"}}
}

func admin(id string) identity.Actor {
	by := person(id)
	by.Roles = []identity.Role{identity.RoleAdmin}
	return by
}

// knows adds users to the directory.
func (o *office) knows(ids ...string) {
	for _, id := range ids {
		o.known[id] = person(id).User
	}
}

// policy makes a policy with stages the active one.
func (o *office) policy(d policy.Definition) {
	o.t.Helper()
	o.key = "leave"
	_, err := o.Policies.CreatePolicy(o.t.Context(), admin("root"), o.key, d)
	must(o.t, err)
	_, err = o.Policies.ActivateVersion(o.t.Context(), admin("eve"), o.key, 1, "", "")
	must(o.t, err)
}

func stage(ids ...string) policy.Stage {
	return policy.Stage{Key: "s", Name: "The manager", Approvers: []policy.Rule{{Type: policy.RuleUser, IDs: ids}}}
}

func pool(ids ...string) policy.Stage {
	s := stage(ids...)
	s.Assignment, s.Quorum = policy.AssignmentPool, quorum.Quorum{Mode: quorum.QuorumCount, Value: 1}
	return s
}

// ask creates a request by rita.
func (o *office) ask(change ...func(*engine.RequestInput)) wf.Request {
	o.t.Helper()
	in := engine.RequestInput{PolicyKey: o.key, Context: []byte(`{"secret":"hunter2"}`), ContextHash: "sha256:0",
		Title: "Leave in July", Priority: wf.PriorityNormal}
	for _, c := range change {
		c(&in)
	}
	reply, err := o.Requests.CreateRequest(o.t.Context(), person("rita"), in, nil)
	must(o.t, err)
	return reply.Case.Request
}

func (o *office) decide(r wf.Request, by string, a wf.Action, words string) {
	o.t.Helper()
	var task string
	for _, t := range r.Tasks {
		if t.Assignee == nil || t.Assignee.ID == by {
			task = t.ID
		}
	}
	_, err := o.Tasks.DecideTask(o.t.Context(), person(by), task, wf.DecisionInput{Action: a, Comment: words}, "", nil)
	must(o.t, err)
}

// collect creates the due mails.
func (o *office) collect() {
	o.t.Helper()
	o.clock.Advance(o.collected)
	for n := 1; n > 0; {
		var err error
		n, err = o.Notices.SendMails(o.t.Context(), o.clock.Now(), 1000)
		must(o.t, err)
	}
}

// deliver creates the due mails, and sends due deliveries until none is left.
func (o *office) deliver() {
	o.t.Helper()
	o.collect()
	for {
		n, err := o.Sender.RunOnce(o.t.Context())
		must(o.t, err)
		if n == 0 {
			return
		}
	}
}

// got returns the subjects of the mail by recipient.
func (o *office) got() string {
	var list []string
	for _, m := range o.mail.Accepted() {
		list = append(list, m.To+" "+subject(m))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

func (o *office) wants(what string, want ...string) {
	o.t.Helper()
	slices.Sort(want)
	if got := o.got(); got != strings.Join(want, "\n") {
		o.t.Fatalf("%s:\n%s\nwant:\n%s", what, got, strings.Join(want, "\n"))
	}
}

// sent are the deliveries to people, by status and the word with it.
func (o *office) sent() map[string]int {
	o.t.Helper()
	list, _, err := o.Store.Outbox.Deliveries(o.t.Context(), outbox.DeliveryFilter{}, wf.Page{Limit: 200})
	must(o.t, err)
	out := map[string]int{}
	for _, d := range list {
		key := string(d.Status)
		if d.LastError != "" {
			key += " " + d.LastError
		}
		out[key]++
	}
	return out
}

func (o *office) states(want map[string]int) {
	o.t.Helper()
	got, _ := json.Marshal(o.sent())
	wanted, _ := json.Marshal(want)
	if string(got) != string(wanted) {
		o.t.Fatalf("deliveries: %s, want %s", got, wanted)
	}
}

// to returns the only mail to a recipient.
func (o *office) to(who string) wftest.Mail {
	o.t.Helper()
	var found []wftest.Mail
	for _, m := range o.mail.Accepted() {
		if m.To == who+"@people.example" {
			found = append(found, m)
		}
	}
	if len(found) != 1 {
		o.t.Fatalf("%s got %d mails", who, len(found))
	}
	return found[0]
}

func newUsers(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("u%05d", i)
	}
	return ids
}
