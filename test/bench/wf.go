package main

import (
	"errors"
	"fmt"
)

// wf is the approval service. One of two approvers decides each request.
var wf = subject{
	program: "wf",
	callers: map[string][]string{"ana": {"--role", "WF_ADMIN"}, "rosa": nil, "ben": nil},
	prepare: []call{
		{as: "ana", path: "/v1/wf/policies", want: 201, body: `{"policy_key":"bench","name":"Bench","stages":[{"key":"check","name":"Check",
			"approvers":[{"type":"user","ids":["ben","bea"]}],"quorum":{"mode":"any"}}]}`},
		{as: "ana", path: "/v1/wf/policies/bench/versions/1/activate", want: 200, body: "{}"},
	},
	steps: []step{{
		name: "create request",
		call: func(n int64, _ string) call {
			batch := fmt.Sprintf("B-%d", n)
			return call{
				as: "rosa", path: "/v1/wf/requests", key: "create-" + batch, want: 201,
				body: fmt.Sprintf(`{"policy_key":"bench","artifact_type":"disbursement_batch","artifact_id":"%s","title":"School grants, %s",`+
					`"labels":{"region":"north"},"context":{"amount":60000,"currency":"EUR","payees":["S-17","S-18","S-19"]}}`, batch, batch),
			}
		},
		yield: func(body []byte) (string, error) {
			r, err := decodeSuccess[struct {
				Tasks []struct {
					ID       string
					Assignee struct{ ID string }
				}
			}](body)
			for _, task := range r.Tasks {
				if task.Assignee.ID == "ben" {
					return task.ID, err
				}
			}
			return "", errors.Join(err, errors.New("no task for ben"))
		},
	}, {
		name: "decide task", follows: true,
		call: func(_ int64, task string) call {
			return call{
				as: "ben", path: "/v1/wf/tasks/" + task + "/decision", key: "decide-" + task, want: 200,
				body: `{"action":"approve","comment":"The list of payees is complete."}`,
			}
		},
		yield: func(body []byte) (string, error) {
			r, err := decodeSuccess[struct{ Request struct{ Status string } }](body)
			if err == nil && r.Request.Status != "approved" {
				err = errors.New("not approved")
			}
			return "", err
		},
	}, {
		name: "list requests",
		call: func(int64, string) call { return call{as: "rosa", path: "/v1/wf/requests?limit=50", want: 200} },
		yield: func(body []byte) (string, error) {
			r, err := decodeSuccess[struct{ Items []any }](body)
			if err == nil && len(r.Items) == 0 {
				err = errors.New("no requests")
			}
			return "", err
		},
	}},
}
