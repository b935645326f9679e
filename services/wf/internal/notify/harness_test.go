package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/webhooks"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/notify"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// noon is the time at which every test begins.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) { wftest.Main(m) }

const pages = "https://wf.example/inbox"

// office is the service with notifications and a mail server.
type office struct {
	*engine.Engine
	t      *testing.T
	url    string
	store  *store.Store
	clock  *timetest.Clock
	mail   *wftest.MailServer
	sender *webhooks.Sender
	log    *logtest.Log
	known  map[string]identity.User // to the directory
	key    string                   // of the policy
}

// begin is the service on a database of the current run.
func begin(t *testing.T) *office {
	t.Helper()
	return open(t, wftest.Schema.Fresh(t), wftest.StartMail(t), timetest.At(noon))
}

// collect is the time of collection of the processes that open starts. Without it, deliver sends all notices so far.
var collect time.Duration

// open is a process of the service.
func open(
	t *testing.T, url string, server *wftest.MailServer, clock *timetest.Clock, content ...notify.Content,
) *office {
	t.Helper()
	o := &office{t: t, url: url, clock: clock, mail: server, log: new(logtest.Log), known: map[string]identity.User{}}
	db := wftest.Connect(t, url, clock.Now)
	heart := heartbeat.New(db, "test", true, slog.New(slog.DiscardHandler))
	must(t, heart.Beat(t.Context()))
	keys, err := seal.Parse("test:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
	must(t, err)
	o.store = store.New(db)
	tells := engine.NotificationDefaults{Schedule: notice.Schedule{Hour: 8, Collect: collect, Zone: time.UTC}, Language: "en"}
	notifier, err := notify.New(notify.Options{
		Store: o.store, Server: notify.Server{Host: "127.0.0.1", Port: server.Port, TLS: notify.TLSNone, Connections: 4},
		From: mail.Address{Name: "Approvals", Address: "approvals@wf.example"}, Pages: pages,
		Content: append(content, "all")[0], Notifications: tells, Logger: o.log.Logger(), Metrics: metrics.New("wf", "test"),
		Lookup: func(_ context.Context, id string) (identity.User, error) { return o.known[id], nil },
	})
	must(t, err)
	t.Cleanup(notifier.Close)
	o.sender = webhooks.New(webhooks.Options{
		Store: o.store.Outbox, Settle: o.store.Settle, Service: "wf", Process: heart.ID(), Notices: notifier.Sender(),
		Jitter: func() float64 { return 0 }, Logger: o.log.Logger(), Keys: keys, Client: &http.Client{Timeout: 10 * time.Second},
		Render: notify.Chats{Reader: words.Reader("en", time.UTC), Content: append(content, "all")[0], Definition: o.store.Policies.Definition}.Render,
	})
	o.Engine = engine.New(engine.Options{
		Store: o.store, Keys: keys, EndpointURL: func(string) error { return nil }, Pages: pages, Notifications: &tells, Wake: o.sender.Wake,
	})
	return o
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

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
		n, err := o.sender.RunOnce(o.t.Context())
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
	list, _, err := o.store.Outbox.Deliveries(o.t.Context(), outbox.DeliveryFilter{}, wf.Page{Limit: 200})
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
