package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// Tests run on SQLite, a few on PostgreSQL by name; make check SUITE=postgres runs all there.
func TestMain(m *testing.M) { wftest.Main(m) }

type (
	Options = wftest.Options
	Client  = wftest.Client
	Reply   = wftest.Reply
)

var (
	Boot  = wftest.Boot
	Start = wftest.Start
	must  = wftest.Must
)

// callers is a service with the people that tests call it as.
type callers struct {
	*wftest.Service

	root *Client // WF_ADMIN
	vic  *Client // WF_VIEWER
	rita *Client // requester
	ana  *Client // approver
	bo   *Client // approver
	eve  *Client // no caller
}

// boot starts a service of its own for a test, which runs beside others.
func boot(t *testing.T, o Options) *callers {
	t.Helper()
	t.Parallel()
	return people(t, Boot(t, o))
}

// people gives a test, or a part of one, clients of its own.
func people(t *testing.T, w *wftest.Service) *callers {
	return &callers{
		Service: w, root: w.Client(t, "root", identity.RoleAdmin), vic: w.Client(t, "vic", identity.RoleViewer),
		rita: w.Client(t, "rita"), ana: w.Client(t, "ana"), bo: w.Client(t, "bo"), eve: w.Client(t, "eve"),
	}
}

// Stages of which ana and bo are the approvers.
const (
	bothApprove = `{"key":"s","name":"Stage","approvers":[{"type":"user","ids":["ana","bo"]}]}`
	anyApproves = `{"key":"s","name":"Stage","approvers":[{"type":"user","ids":["ana","bo"]}],"quorum":{"mode":"any"}}`
	poolOfTwo   = `{"key":"s","name":"Stage","assignment":"pool","approvers":[{"type":"user","ids":["ana","bo"]}],"quorum":{"mode":"any"}}`
)

// definition is the body of a policy. settings may be empty.
func definition(key, settings string, stages ...string) string {
	if settings == "" {
		settings = "{}"
	}
	return fmt.Sprintf(`{"policy_key":%q,"name":"Policy","settings":%s,"stages":[%s]}`, key, settings, strings.Join(stages, ","))
}

// policy makes an active policy.
func (w *callers) policy(key, settings string, stages ...string) {
	w.root.Post("/v1/wf/policies", definition(key, settings, stages...)).Want(201)
	w.root.Post("/v1/wf/policies/"+key+"/versions/1/activate", nil).Want(200)
}

// request makes rita create a request with these members besides policy_key.
func (w *callers) request(key, members string) Reply {
	body := fmt.Sprintf(`{"policy_key":%q`, key)
	if members != "" {
		body += "," + members
	}
	return w.rita.Post("/v1/wf/requests", body+"}").Want(201)
}

// read returns the request as the admin sees it.
func (w *callers) read(request Reply) Reply {
	return w.root.Get("/v1/wf/requests/" + request.Response("id")).Want(200)
}

// approve has ana and bo approve a request whose stage is bothApprove.
func (w *callers) approve(t *testing.T, request Reply) {
	t.Helper()
	for name, by := range map[string]*Client{"ana": w.ana, "bo": w.bo} {
		by.Post("/v1/wf/tasks/"+task(t, request, name)+"/decision", `{"action":"approve","comment":"As discussed"}`).Want(200)
	}
}

// approved returns the id of a new request of the policy that ana and bo have approved.
func (w *callers) approved(t *testing.T, key string) string {
	t.Helper()
	request := w.request(key, "")
	w.approve(t, request)
	return request.Response("id")
}

// task returns the id of a user's task in a request, or of the first unassigned one if the user is
// empty.
func task(t *testing.T, request Reply, assignee string) string {
	t.Helper()
	for i := 0; ; i++ {
		id := request.Response("tasks", i, "id")
		if id == "" {
			t.Fatalf("%q has no task in %s", assignee, request)
		}
		if request.Response("tasks", i, "assignee", "id") == assignee {
			return id
		}
	}
}

// Ids that nothing has.
const (
	unknownID = "0199a000-0000-7000-8000-000000000000"
	noID      = "not-an-id"
)

// same fails unless got equals want.
func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}
