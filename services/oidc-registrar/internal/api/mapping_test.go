package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

const mappingsPath = "/v1/partnermanager/partner-policy-requests"

func decidePath(key string) string { return "/v1/partnermanager/partners/policy/" + key }

// mappings is a service with policies that demo-partner may ask for.
type mappings struct {
	t *testing.T
	*registrartest.Service
	ana string
}

func newMappings(t *testing.T, o registrartest.Options) mappings {
	w := mappings{t: t, Service: registrartest.Boot(t, o)}
	w.ana = w.Partner("ana", "demo-partner")
	put := func(path string, entry map[string]any) {
		t.Helper()
		expect(t, path, w.Call("PUT", "/v1/partnermanager/"+path, w.Admin(), map[string]any{"request": entry}), 200, "")
	}
	policy := func(name, status string) map[string]any {
		return with("name", name, "type", "Auth", "status", status, "userClaims", []any{"name"}, "authContextRefs",
			[]any{"mosip:idp:acr:password"})
	}
	for id, entry := range map[string]map[string]any{
		"health": policy("Health", "ACTIVE"), "twin-1": policy("Twin", "ACTIVE"), "twin-2": policy("Twin", "ACTIVE"),
		"old": policy("Old", "INACTIVE"),
	} {
		put("policies/"+id, entry)
	}
	put("partners/away", with("name", "Away", "type", "Auth_Partner", "status", "INACTIVE"))
	put("partners/harbour", with("name", "Harbour", "type", "Auth_Partner", "status", "ACTIVE"))
	return w
}

// request asks for a policy as a caller.
func (w mappings) request(token, partner string, members ...any) registrartest.Reply {
	w.t.Helper()
	request := with("useCaseDescription", "Sign-in of patients")
	for i := 0; i < len(members); i += 2 {
		request[members[i].(string)] = members[i+1]
	}
	return w.Call("POST", "/v1/partnermanager/partners/"+partner+"/policy/map", token, map[string]any{"request": request})
}

// key asks for a policy and returns the key.
func (w mappings) key(members ...any) string {
	w.t.Helper()
	key, _ := response(w.t, w.request(w.ana, "demo-partner", members...))["mappingkey"].(string)
	return key
}

func (w mappings) decide(key, status string) registrartest.Reply {
	w.t.Helper()
	return w.Call("PUT", decidePath(key), w.Admin(),
		map[string]any{"request": with("status", status, "comment", "By the board")})
}

// states lists the requests of a list as policy:status.
func (w mappings) states(token, query string) string {
	w.t.Helper()
	r := w.Call("GET", mappingsPath+query, token, nil)
	data, ok := r.Member("data").([]any)
	if !ok {
		return r.Code()
	}
	var list []string
	for _, item := range data {
		item := item.(map[string]any)
		list = append(list, fmt.Sprint(item["policyId"], ":", item["status"]))
	}
	return strings.Join(list, " ")
}

// mapped reports whether demo-partner has a policy.
func (w mappings) mapped(policy string) bool {
	w.t.Helper()
	r := w.Call("GET", "/v1/partnermanager/partners/demo-partner", w.ana, nil)
	return strings.Contains(r.Body, `"policyId":"`+policy+`","status":"APPROVED"`)
}

func TestAMappingRequestIsDecidedOnce(t *testing.T) {
	w := newMappings(t, registrartest.Options{})
	for name, tt := range map[string]struct {
		reply  registrartest.Reply
		status int
		code   string
	}{
		"another's partner":        {w.request(w.ana, "harbour", "policyName", "Health"), 403, "PMS_PRT_055"},
		"an unknown one":           {w.request(w.ana, "none", "policyName", "Health"), 403, "PMS_PRT_055"},
		"an unknown one, by admin": {w.request(w.Admin(), "none", "policyName", "Health"), 200, "PMS_PRT_005"},
		"an inactive partner":      {w.request(w.Admin(), "away", "policyName", "Health"), 200, "PMS_PMP_016"},
		"no such policy":           {w.request(w.ana, "demo-partner", "policyName", "None"), 200, "PMS_PRT_073"},
		"no policy named":          {w.request(w.ana, "demo-partner"), 200, "PMS_PRT_073"},
		"several of the name":      {w.request(w.ana, "demo-partner", "policyName", "Twin"), 200, "PMS_PRT_073"},
		"another of the name":      {w.request(w.ana, "demo-partner", "policyName", "Twin", "policyId", "health"), 200, "PMS_PRT_073"},
		"an inactive policy":       {w.request(w.ana, "demo-partner", "policyId", "old"), 200, "PMS_PMP_019"},
		"an approved mapping":      {w.request(w.ana, "demo-partner", "policyId", "demo-policy"), 200, "PMS_PRT_060"},
		"no description":           {w.request(w.ana, "demo-partner", "policyName", "Health", "useCaseDescription", " "), 200, "PMS_COR_001"},
		"a long description": {w.request(w.ana, "demo-partner", "policyName", "Health", "useCaseDescription",
			strings.Repeat("x", 4001)), 200, "PMS_COR_001"},
		"a control": {w.request(w.ana, "demo-partner", "policyName", "Health", "useCaseDescription", "a\u202eb"), 200, "PMS_COR_001"},
		"no key":    {w.decide("none", "Approved"), 200, "PMS_PMP_007"},
	} {
		expect(t, name, tt.reply, tt.status, tt.code)
	}
	key := w.key("policyName", "Health", "useCaseDescription", strings.Repeat("ü", 3998)+"\nx")
	expect(t, "a second request", w.request(w.Admin(), "demo-partner", "policyId", "health"), 200, "PMS_PRT_053")
	expect(t, "a decision of the partner",
		w.Call("PUT", decidePath(key), w.ana, map[string]any{"request": with("status", "Approved")}), 403, "KER-ATH-403")
	expect(t, "another status", w.decide(key, "InProgress"), 200, "PMS_PM_045")
	if w.mapped("health") {
		t.Error("mapped before the decision")
	}
	if r := w.decide(key, "REJECTED"); !strings.Contains(r.Body, `"response":"Policy mapping rejected successfully"`) {
		t.Errorf("rejected: %s", r.Body)
	}
	expect(t, "rejected again", w.decide(key, "Approved"), 200, "PMS_PM_035")
	if again := w.key("policyName", "Health"); again == key || w.mapped("health") {
		t.Errorf("asked again: %s", again)
	} else if r := w.decide(again, "approved"); !strings.Contains(r.Body, `"response":"Policy mapping approved successfully"`) || !w.mapped("health") {
		t.Errorf("approved: %s", r.Body)
	} else {
		expect(t, "approved again", w.decide(again, "Rejected"), 200, "PMS_PM_034")
	}
	twin := w.key("policyId", "twin-2")
	expect(t, "a mapping by an admin",
		w.Call("PUT", "/v1/partnermanager/partners/demo-partner/policies/twin-2", w.Admin(), nil), 200, "")
	expect(t, "its request", w.decide(twin, "Rejected"), 200, "PMS_PM_034")
	events := w.Call("GET", "/v1/partnermanager/partners/demo-partner/events", w.Admin(), nil).Body
	for _, kind := range []string{`"policyId":"health","type":"requested"`, `"policyId":"health","type":"rejected"`,
		`"policyId":"health","type":"approved"`} {
		if !strings.Contains(events, kind) {
			t.Errorf("no event %s in %s", kind, events)
		}
	}
}

func TestMappingRequestsAreListed(t *testing.T) {
	w := newMappings(t, registrartest.Options{})
	w.decide(w.key("policyId", "health", "useCaseDescription", "Patients"), "Rejected")
	w.key("policyId", "twin-1")
	response(t, w.request(w.Admin(), "harbour", "policyId", "health"))
	for _, tt := range []struct{ of, query, want string }{
		{w.ana, "", "twin-1:InProgress health:rejected"},
		{w.Admin(), "", "health:InProgress twin-1:InProgress health:rejected"},
		{w.Partner("eve", "away"), "", ""},
		{w.ana, "?status=rejected", "health:rejected"},
		{w.Admin(), "?partnerId=HARB", "health:InProgress"},
		{w.Admin(), "?orgName=harb", "health:InProgress"},
		{w.Admin(), "?partnerType=device", ""},
		{w.Admin(), "?policyId=twin", "twin-1:InProgress"},
		{w.Admin(), "?policyName=twi", "twin-1:InProgress"},
		{w.Admin(), "?partnerComment=patients&status=rejected", "health:rejected"},
		{w.Admin(), "?pageNo=1&pageSize=2", "health:rejected"},
		{w.Admin(), "?pageNo=0&pageSize=2&sortFieldName=policyId&sortType=DESC", "twin-1:InProgress health:rejected"},
		{w.Admin(), "?status=open", "PMS_COR_001"},
		{w.Admin(), "?pageNo=1", "PMS_PS_ERROR_006"},
		{w.Admin(), "?sortFieldName=policyId", "PMS_PS_ERROR_007"},
		{w.Admin(), "?sortFieldName=secret&sortType=ASC&pageNo=0&pageSize=1", "PMS_PRT_357"},
	} {
		got := w.states(tt.of, tt.query)
		if tt.query == "?pageNo=0&pageSize=2&sortFieldName=policyId&sortType=DESC" {
			got = strings.Replace(got, "health:InProgress", "health:rejected", 1) // ties are sorted by key
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.query, got, tt.want)
		}
	}
	if r := w.Call("GET", mappingsPath+"?pageNo=0&pageSize=1", w.Admin(), nil); r.Member("totalResults") != 3.0 {
		t.Errorf("%s", r.Body)
	}
	r := w.Call("GET", mappingsPath+"?status=rejected", w.ana, nil)
	for _, want := range []string{
		`"orgName":"Demo partner"`, `"partnerType":"Auth_Partner"`, `"partnerStatus":"ACTIVE"`, `"policyName":"Health"`,
		`"partnerComment":"Patients"`, `"comment":"By the board"`, `"createdDateTime":"`, `"updatedDateTime":"`,
	} {
		if !strings.Contains(r.Body, want) {
			t.Errorf("no %s in %s", want, r.Body)
		}
	}
}

func TestPeopleDecideAboutMappings(t *testing.T) {
	wf, clock := newWF(t), timetest.At(time.Now())
	a := approved{t: t, wf: wf}
	w := newMappings(t, registrartest.Options{Now: clock.Now, Config: func(c *server.Config) {
		wf.Configure(c)
		c.ApprovalPolicy, c.ApprovalMappingPolicy = "", "mappings"
	}})
	a.Service = w.Service
	wf.SetStanding(clock.Now, 24*time.Hour)
	direct := "/v1/partnermanager/partners/demo-partner/policies/health"
	ask := func() string {
		t.Helper()
		key := w.key("policyId", "health")
		a.ask()
		return key
	}
	w.Core.Catalog.MappingPolicy = ""
	key := w.key("policyId", "health")
	w.Core.Catalog.MappingPolicy = "mappings"
	expect(t, "a decision by an admin about a request that people never saw", w.decide(key, "Rejected"), 200, "")
	key = ask()
	asked := wf.Requests()[0]
	partner, _ := asked.Context["partner"].(map[string]any)
	policy, _ := asked.Context["policy"].(map[string]any)
	if asked.Policy != "mappings" || asked.Requester != "ana" || partner["partnerId"] != "demo-partner" ||
		policy["policyId"] != "health" ||
		asked.Context["useCaseDescription"] != "Sign-in of patients" || wf.keys[key] == nil {
		t.Errorf("%+v", asked)
	}
	expect(t, "a decision by an admin", w.decide(key, "Approved"), 403, "KER-ATH-403")
	expect(t, "a mapping by an admin", w.Call("PUT", direct, w.Admin(), nil), 403, "KER-ATH-403")
	a.decide("rejected", "Too many claims")
	if got := w.states(w.ana, ""); got != "health:rejected health:rejected" || w.mapped("health") {
		t.Errorf("after a rejection: %s", got)
	}
	if r := w.Call("GET", mappingsPath, w.ana, nil); !strings.Contains(r.Body, `"comment":"Too many claims"`) {
		t.Errorf("%s", r.Body)
	}
	ask()
	wf.Tamper()
	a.decide("approved", "")
	if got := w.states(w.ana, ""); got != "health:rejected health:rejected health:rejected" || w.mapped("health") {
		t.Errorf("after a decision on other content: %s", got)
	}
	ask()
	if a.decide("approved", ""); !w.mapped("health") {
		t.Errorf("after an approval: %s", w.states(w.ana, ""))
	}
	expect(t, "a mapping withdrawn by an admin", w.Call("DELETE", direct, w.Admin(), nil), 200, "")
	ask()
	a.decide("approved", "")
	follow := func() {
		t.Helper()
		if _, err := w.Core.Approvals.FollowOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	requests := wf.Requests()
	wf.Revoke(requests[len(requests)-2].ID, "Replaced") // that of the mapping that was withdrawn
	clock.Advance(10 * time.Minute)
	if follow(); !w.mapped("health") {
		t.Error("the end of an earlier approval revoked the mapping")
	}
	wf.Revoke(a.last(), "A breach")
	clock.Advance(10 * time.Minute)
	if follow(); w.mapped("health") {
		t.Error("the mapping outlives its approval")
	}
	ask()
	a.decide("approved", "")
	clock.Advance(25 * time.Hour)
	if follow(); w.mapped("health") {
		t.Error("the mapping outlives the validity of its approval")
	}
	events := w.Call("GET", "/v1/partnermanager/partners/demo-partner/events", w.Admin(), nil).Body
	if n := strings.Count(events, `"type":"revoked"`); n != 3 {
		t.Errorf("%d events of withdrawals: %s", n, events)
	}
}
