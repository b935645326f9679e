package api_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// preview returns the stages of a preview as "key status rules approvers/count need".
func preview(r Reply) string {
	list, _ := r.Value("response", "stages").([]any)
	texts := make([]string, len(list))
	for i := range list {
		at := func(path ...any) string { return r.Response(append([]any{"stages", i}, path...)...) }
		var people []string
		for n := 0; at("approvers", n, "id") != ""; n++ {
			people = append(people, at("approvers", n, "id"))
		}
		texts[i] = strings.TrimRight(fmt.Sprintf("%s %s %s %s/%s %s", at("key"), at("status"), at("rules"),
			strings.Join(people, "+"), at("approver_count"), at("need")), " ")
	}
	return strings.Join(texts, "; ")
}

const later = `{"key":"later","name":"Later","approvers":[{"type":"user","ids":["dora"],"label":"the director"}]}`

func TestPreviewListsApproversForRequester(t *testing.T) {
	w := boot(t, Options{})
	w.policy("seats", "", bothApprove, `{"key":"big","name":"Big","when":"context.amount > 100","approvers":[{"type":"user","ids":["dora"]}]}`, later)
	w.policy("queue", "", poolOfTwo, later)
	w.policy("mine", "", `{"key":"s","name":"S","approvers":[{"type":"user","ids":["rita"]}]}`)
	w.policy("auto", `{"auto_approve_when":"context.amount < 10"}`, bothApprove)
	w.policy("labels", "",
		`{"key":"s","name":"S","when":"request.priority == 'urgent' && request.labels['eu'] == 'yes'","approvers":[{"type":"user","ids":["ana"]}]}`, later)
	w.policy("rules", "", byRule("s", anaAndBo+`,{"type":"user","ids":["dora"],"label":"Director","when":"context.amount > 5"}`, ""))
	before := w.Rows(t)
	for _, row := range []struct{ name, policy, body, status, want string }{
		{"a rule that applies", "rules", `{"context":{"amount":9}}`, "in_review", `s active ["user","Director"] ana+bo+dora/3 3`},
		{"a rule that does not", "rules", `{"context":{"amount":1}}`, "in_review", `s active ["user"] ana+bo/2 2`},
		{"a large amount", "seats", `{"context":{"amount":200}}`, "in_review",
			`s active ["user"] ana+bo/2 2; big pending ["user"] /; later pending ["the director"] /`},
		{"a small one", "seats", `{"context":{"amount":50}}`, "in_review",
			`s active ["user"] ana+bo/2 2; big skipped ["user"] /; later pending ["the director"] /`},
		{"a condition that fails", "seats", `{}`, "in_review", `s active ["user"] ana+bo/2 2; big pending ["user"] /; later pending ["the director"] /`},
		{"a pool", "queue", `{}`, "in_review", `s active ["user"] /2 1; later pending ["the director"] /`},
		{"nobody but oneself", "mine", `{}`, "blocked", `s blocked ["user"] /0 1`},
		{"no decision required", "auto", `{"context":{"amount":1}}`, "approved", ""},
		{"what conditions read", "labels", `{"priority":"urgent","labels":{"eu":"yes"}}`, "in_review",
			`s active ["user"] ana/1 1; later pending ["the director"] /`},
		{"and do not", "labels", `{"priority":"urgent","labels":{"eu":"no"}}`, "in_review", `s skipped ["user"] /; later active ["the director"] dora/1 1`},
	} {
		t.Run(row.name, func(t *testing.T) {
			reply := people(t, w.Service).rita.Post("/v1/wf/policies/"+row.policy+"/preview", row.body).Want(200)
			same(t, "status", reply.Response("status"), row.status)
			same(t, "stages", preview(reply), row.want)
		})
	}
	if after := w.Rows(t); !maps.Equal(before, after) {
		t.Errorf("rows: %v, want %v", after, before)
	}
}

func TestAPreviewIsRefusedAsTheCreationWouldBe(t *testing.T) {
	var down atomic.Bool
	w := boot(t, Options{Resolve: func(_ context.Context, q approver.Question) ([]identity.User, error) {
		if down.Load() {
			return nil, reason.NoAnswer("role %s: no answer from upstream", q.Rule.Role)
		}
		return []identity.User{{ID: "olga"}}, nil
	}})
	w.policy("closed", `{"submitters":[{"type":"user","ids":["bo"]}]}`, bothApprove)
	w.policy("typed", "", bothApprove)
	w.root.Post("/v1/wf/policies", strings.Replace(definition("strict", "", bothApprove), `"name"`,
		`"artifact_type":"trip","context_schema":{"type":"object","required":["a"]},"name"`, 1)).Want(201)
	w.root.Post("/v1/wf/policies/strict/versions/1/activate", nil).Want(200)
	w.root.Post("/v1/wf/policies", definition("draft", "", bothApprove)).Want(201)
	w.policy("none", "")
	w.policy("asks", "", `{"key":"s","name":"S","approvers":[{"type":"role","role":"officer"}]}`)
	w.request("typed", `"artifact_id":"A-1"`)
	for name, row := range map[string]struct {
		policy, body string
		status       int
		code         string
	}{
		"no such policy":           {"no-such", `{}`, 404, "WF-001"},
		"no active version":        {"draft", `{}`, 404, "WF-001"},
		"not a submitter":          {"closed", `{}`, 403, "WF-008"},
		"for somebody else":        {"typed", `{"requester":"ana"}`, 403, "WF-008"},
		"a context that is wrong":  {"strict", `{"artifact_type":"trip"}`, 400, "WF-007"},
		"another type of artifact": {"strict", `{"artifact_type":"batch","context":{"a":1}}`, 400, "WF-007"},
		"no stages":                {"none", `{}`, 400, "WF-007"},
		"a taken artifact":         {"typed", `{"artifact_id":"A-1"}`, 409, "WF-007"},
		"not a user id":            {"typed", `{"requester":"system:policy"}`, 422, ""},
		"a label that hides":       {"typed", `{"labels":{"a":"\u202e"}}`, 422, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rita := people(t, w.Service).rita
			said := rita.Post("/v1/wf/policies/"+row.policy+"/preview", row.body).Refused(row.status, row.code)
			created := rita.Post("/v1/wf/requests", strings.Replace(row.body, "{", fmt.Sprintf(`{"policy_key":%q,`, row.policy), 1))
			if row.body == `{}` {
				created = rita.Post("/v1/wf/requests", fmt.Sprintf(`{"policy_key":%q}`, row.policy))
			}
			same(t, "message", said, created.Refused(row.status, row.code))
		})
	}
	same(t, "the directory answers", preview(w.rita.Post("/v1/wf/policies/asks/preview", `{}`).Want(200)), `s active ["role officer"] olga/1 1`)
	down.Store(true)
	w.rita.Post("/v1/wf/policies/asks/preview", `{}`).Refused(503, "WF-007")
	same(t, "requests", w.Rows(t)["request"], 1)
}

func TestARequesterFindsThePoliciesThatTheyMayUse(t *testing.T) {
	var down atomic.Bool
	w := boot(t, Options{Resolve: func(_ context.Context, q approver.Question) ([]identity.User, error) {
		if down.Load() {
			return nil, reason.NoAnswer("group %s: no answer from upstream", q.Rule.Path)
		}
		return []identity.User{{ID: "rita", Username: "rita.d"}}, nil
	}})
	w.policy("anyone", "", bothApprove)
	w.policy("bo-only", `{"submitters":[{"type":"user","ids":["bo"]}]}`, bothApprove)
	w.policy("by-group", `{"submitters":[{"type":"group","path":"/staff"}]}`, bothApprove)
	w.policy("by-expression", `{"submitters":[{"type":"expression","cel":"request.policy_key == 'by-expression' ? [requester.id] : []"}]}`, bothApprove)
	w.root.Post("/v1/wf/policies", definition("draft", "", bothApprove)).Want(201)
	w.root.Post("/v1/wf/policies", strings.Replace(definition("any", "", bothApprove), `"name"`, `"context_schema":true,"name"`, 1)).Want(201)
	w.root.Post("/v1/wf/policies/any/versions/1/activate", nil).Want(200)
	w.root.Post("/v1/wf/policies", strings.Replace(definition("leave", "", bothApprove), `"name":"Policy"`,
		`"context_schema":{"type":"object"},"description":"Days off","artifact_type":"leave","name":"Leave"`, 1)).Want(201)
	w.root.Post("/v1/wf/policies/leave/versions/1/activate", nil).Want(200)
	keys := func(by *Client, query string) string {
		t.Helper()
		return strings.Join(by.Get("/v1/wf/me/policies?"+query).Want(200).Items("policy_key"), " ")
	}
	same(t, "rita's", keys(w.rita, ""), "any anyone by-expression by-group leave")
	same(t, "bo's", keys(w.bo, ""), "any anyone bo-only by-expression leave")
	same(t, "an admin's", keys(w.root, ""), "any anyone by-expression leave")
	same(t, "found", keys(w.rita, "q=LEA"), "leave")
	leave := w.rita.Get("/v1/wf/me/policies?q=leave").Want(200)
	same(t, "the members for a form", leave.Response("items", 0),
		`{"artifact_type":"leave","context_schema":{"type":"object"},"description":"Days off","name":"Leave","policy_key":"leave","policy_version":1}`)
	same(t, "a schema that is no object", w.rita.Get("/v1/wf/me/policies").Want(200).Response("items", 0, "context_schema"), "true")
	same(t, "no schema", w.rita.Get("/v1/wf/me/policies?q=anyone").Response("items", 0, "context_schema"), "")

	down.Store(true)
	reply := w.rita.Get("/v1/wf/me/policies").Want(200)
	same(t, "without the directory", strings.Join(reply.Items("policy_key"), " ")+" "+reply.Response("incomplete"),
		"any anyone by-expression leave true")
}

func TestApproversFindOthersByName(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	find := func(by *Client, q string) Reply { return by.Get("/v1/wf/people?q=" + q) }
	w.request("p", "")
	w.ClientWith(t, "ana", map[string]any{"preferred_username": "abelic", "name": "Ana Bélic", "email": "ana@example.org"}).
		Post("/v1/wf/requests", `{"policy_key":"p"}`).Want(201)
	const ana = `{"items":[{"id":"ana","name":"Ana Bélic","username":"abelic"}]}`
	for _, q := range []string{"abe", "B%C3%A9l", "ANA"} {
		same(t, q, find(w.bo, q).Want(200).Text("response"), ana)
	}
	same(t, "an admin", find(w.root, "bel").Want(200).Text("response"), ana)
	same(t, "by address", find(w.bo, "example.org").Want(200).Text("response"), `{"items":[]}`)
	same(t, "a pattern", find(w.bo, "%25%25").Want(200).Text("response"), `{"items":[]}`)
	find(w.eve, "ana").Refused(403, "WF-008")
	for _, query := range []string{"", "?q=a", "?q=", "?q=ana&limit=51", "?q=" + strings.Repeat("a", 101)} {
		w.bo.Get("/v1/wf/people" + query).Want(422)
	}
}

func TestAPreviewForAnArtifactLeavesItsOverdueRequest(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"expires_in":"PT1H"}`, anyApproves)
	w.request("p", `"artifact_id":"a"`)
	w.Clock.Advance(time.Hour)
	before := w.Rows(t)
	w.rita.Post("/v1/wf/policies/p/preview", `{"artifact_id":"a"}`).Want(200)
	unchanged(t, w, before)
}
