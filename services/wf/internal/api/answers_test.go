package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// An optional member that is null equals its absence, so a repeat may have either. Members outside
// the schema are compared byte by byte.
func TestANullMemberIsNotAnotherBody(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	post := func(body string) Reply { return w.rita.Post("/v1/wf/requests", body, header, "k") }
	const attachment = `"name":"a","url":"https://files.example/a","media_type":"text/plain"`
	first := post(`{"policy_key":"p","context":{"a":null},"title":null,"attachments":[{` + attachment + `,"size":null}]}`).Want(201)
	replays(t, first, post(`{"policy_key":"p","context":{"a":null},"attachments":[{`+attachment+`}]}`))
	replays(t, first, post(`{"policy_key":"p","context":{"a":null},"labels":null,"attachments":[{`+attachment+`}],"comment":null}`))
	post(`{"policy_key":"p","context":{},"attachments":[{`+attachment+`}]}`).Refused(409, "WF-009")
	post(`{"policy_key":"p","context":{"a":null},"title":"x","attachments":[{`+attachment+`}]}`).Refused(409, "WF-009")

	path := "/v1/wf/tasks/" + task(t, first, "ana") + "/decision"
	decided := w.ana.Post(path, `{"action":"approve","data":{"x":null}}`, header, "d").Want(200)
	replays(t, decided, w.ana.Post(path, `{"action":"approve","comment":null,"data":{"x":null}}`, header, "d"))
	w.ana.Post(path, `{"action":"approve","data":{}}`, header, "d").Refused(409, "WF-009")
}

// An operation that takes no body refuses the members of one.
func TestActivateRejectsUnknownMembers(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	const path = "/v1/wf/policies/p/versions/1/"
	for _, action := range []string{"activate", "deactivate"} {
		reply := w.root.Post(path+action, `{"force":true}`)
		reply.Refused(422, "")
		if !strings.Contains(string(reply.Body), `"loc":["body","force"]`) {
			t.Errorf("%s does not name the member", reply)
		}
		w.root.Post(path+action, `[]`).Refused(422, "")
		w.root.Post(path+action, `{`).Refused(422, "")
		w.root.Post(path+action, `{}`).Want(200)
		w.root.Post("/v1/wf/policies/p/versions/1/activate", nil).Want(200)
	}
	w.ana.Post("/v1/wf/tasks/"+task(t, w.request("p", ""), "ana")+"/claim", `{"assignee":"bo"}`).Refused(422, "")
}

func TestAPatternThatMatchesNoPolicyIsRefused(t *testing.T) {
	w := boot(t, Options{})
	for path, body := range map[string]string{
		"/v1/wf/admin/webhooks": `{"name":"a","url":"https://a.example/","policy_keys":[%q]}`,
		"/v1/wf/delegations":    `{"delegate_to":"dan","ends_at":"2026-03-05T00:00:00Z","scope":{"policy_keys":[%q]}}`,
	} {
		for _, blank := range []string{"", " "} {
			reply := w.root.Post(path, fmt.Sprintf(body, blank))
			reply.Refused(422, "")
			if !strings.Contains(string(reply.Body), `"policy_keys",0]`) {
				t.Errorf("%s does not name the member", reply)
			}
		}
	}
	w.root.Post("/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-05T00:00:00Z","scope":{"stage_keys":[""]}}`).Refused(422, "")
}
