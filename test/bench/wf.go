package main

import (
	"context"
	"errors"
	"fmt"
)

// wf is the approval service. One of two approvers decides each request.
var wf = subject{
	name: "wf", program: "wf",
	callers: map[string][]string{"ana": {"--role", "WF_ADMIN"}, "rosa": nil, "ben": nil},
	prepare: func(ctx context.Context, s *service, t tokens) error {
		policy := `{"policy_key":"bench","name":"Bench","stages":[{"key":"check","name":"Check",
			"approvers":[{"type":"user","ids":["ben","bea"]}],"quorum":{"mode":"any"}}]}`
		if _, err := s.call(ctx, call{path: "/v1/wf/policies", token: t["ana"], body: []byte(policy), want: 201}); err != nil {
			return err
		}
		_, err := s.call(ctx, call{path: "/v1/wf/policies/bench/versions/1/activate", token: t["ana"], body: []byte{}, want: 200})
		return err
	},
	steps: []step{{
		name: "create request",
		call: func(t tokens, n int64, _ string) call {
			batch := fmt.Sprintf("B-%d", n)
			return call{
				path: "/v1/wf/requests", token: t["rosa"], key: "create-" + batch, want: 201,
				body: fmt.Appendf(nil, `{"policy_key":"bench","artifact_type":"disbursement_batch","artifact_id":"%s","title":"School grants, %s",`+
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
			if err != nil {
				return "", err
			}
			for _, task := range r.Tasks {
				if task.Assignee.ID == "ben" {
					return task.ID, nil
				}
			}
			return "", errors.New("no task for ben")
		},
		count: "SELECT count(*) FROM request",
	}, {
		name: "decide task", follows: true,
		call: func(t tokens, _ int64, task string) call {
			return call{
				path: "/v1/wf/tasks/" + task + "/decision", token: t["ben"], key: "decide-" + task, want: 200,
				body: []byte(`{"action":"approve","comment":"The list of payees is complete."}`),
			}
		},
		yield: func(body []byte) (string, error) {
			r, err := decodeSuccess[struct{ Request struct{ Status string } }](body)
			if err == nil && r.Request.Status != "approved" {
				err = errors.New("not approved")
			}
			return "", err
		},
		count: "SELECT count(*) FROM decision JOIN request ON request.id = decision.request_id WHERE request.status = 'approved'",
	}},
}
