package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// await starts calls of root that wait for a request, and returns their replies.
func (s *service) await(n int, id string) chan wftest.Reply {
	s.t.Helper()
	ctx, token, replies := context.WithoutCancel(s.t.Context()), s.root().Token, make(chan wftest.Reply, n)
	for range n {
		go func() {
			r, err := wftest.Send(ctx, http.MethodGet, s.url+"/v1/wf/requests/"+id+"?wait=55", token, nil)
			if err != nil {
				s.t.Error(err)
			}
			replies <- r
		}()
	}
	s.shows(map[string]float64{"wf_http_long_polls": float64(n)})
	return replies
}

// asks creates a request for ana and returns its id and the id of the task.
func (s *service) asks() (request, task string) {
	s.t.Helper()
	s.addPolicy("w", `{"policy_key":"w","name":"W","stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["ana"]}]}]}`)
	made := s.called("rita", http.MethodPost, "/v1/wf/requests", `{"policy_key":"w"}`, http.StatusCreated)
	return made.find(`"id":"([0-9a-f-]{36})","policy_key"`), made.find(`"tasks":\[\{"id":"([0-9a-f-]{36})"`)
}

func TestACommitOfOneProcessWakesTheCallsOfAnother(t *testing.T) {
	c := development(t, sqldbtest.Postgres(t))
	one := begin(t, c)
	another := begin(t, c)
	id, task := one.asks()
	replies := another.await(3, id)
	start := time.Now()
	one.called("ana", http.MethodPost, "/v1/wf/tasks/"+task+"/decision", `{"action":"approve"}`, http.StatusOK)
	for range 3 {
		r := timetest.Await(t, replies, "a waiting call returns")
		if r.Status != 200 || !strings.Contains(string(r.Body), `"status":"approved"`) || r.Header.Get("Preference-Applied") != "wait" {
			t.Errorf("%d %s", r.Status, r.Body)
		}
	}
	took := time.Since(start)
	t.Logf("after %s", took)
	if took > 50*time.Second {
		t.Errorf("after %s, at the end of the time of the calls", took)
	}
}
