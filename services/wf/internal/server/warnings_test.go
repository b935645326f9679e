package server_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/internal/wftest"
)

func TestStartupWarnsOfPoliciesWithoutSubmitters(t *testing.T) {
	c := development(t, wftest.Schema.Fresh(t))
	const warning = "any caller with a valid token may create requests"
	s := begin(t, c)
	stages := `"stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["ana"]}]}]`
	for key, settings := range map[string]string{"open": `{}`, "closed": `{"submitters":[{"type":"user","ids":["rita"]}]}`, "draft": `{}`} {
		s.post("/v1/wf/policies", `{"policy_key":"`+key+`","name":"P","settings":`+settings+`,`+stages+`}`, 201, nil)
		if key != "draft" {
			s.post("/v1/wf/policies/"+key+"/versions/1/activate", "", 200, nil)
		}
	}
	if text := s.log.String(); strings.Contains(text, warning) {
		t.Errorf("there was no policy at the start: %s", text)
	}
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	if text := begin(t, c).log.String(); !strings.Contains(text, warning) || !strings.Contains(text, `"policies":1,"first":["open"]`) {
		t.Errorf("no warning of the policy that is open: %s", text)
	}
}
