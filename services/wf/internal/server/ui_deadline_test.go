package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// dated is a policy whose first stage is due on arrival, in an hour, or as the content says.
const dated = `{"policy_key":"dated","name":"Dated","settings":{
	"exclude":[{"type":"user","ids":["jonas"],"label":"authors"}],"expires_in":"P90D",
	"calendar":{"zone":"UTC","days":["mon","tue"],"from":"08:00","to":"17:00"},
	"validity":{"valid_for":"P30D"},"single_use":true},
	"stages":[{"key":"lead","name":"Lead","approvers":[{"type":"user","ids":["tom","jonas"]}],"quorum":{"mode":"any"},
		"deadline":{"due_cel":"timestamp(context.due)","on_due":"escalate","escalate_to":[{"type":"user","ids":["ines"]}]}},
	{"key":"late","name":"Late","approvers":[{"type":"user","ids":["ines"]}],"deadline":{"due_in":"P2D","remind_before":["PT4H"]}}]}`

func (s *service) dated() {
	s.t.Helper()
	s.addPolicy("dated", dated)
}

func TestPagesShowDeadlines(t *testing.T) {
	c := development(t, wftest.Schema.Fresh(t))
	c.Workers = false
	s := begin(t, c)
	s.dated()
	late := s.asked("mia", `{"policy_key":"dated","title":"A late one","context":{"due":"2020-01-02T10:00:00Z"}}`)
	s.asked("mia", `{"policy_key":"dated","title":"A later one","context":{"due":"2099-01-02T10:00:00Z"}}`)
	ines := s.signedIn("ines")
	s.worker().pass()
	ines.get("/inbox").sees(200, "added by escalation", "Overdue", "Due")
	if strings.Contains(ines.page, "A later one") {
		t.Error("ines is asked before the date")
	}
	tom := s.signedIn("tom")
	tom.post("/inbox/reader", url.Values{"language": {"en"}, "zone": {"Asia/Tokyo"}, "to": {"/inbox"}}).
		sees(200, "2 January 2099, 19:00 JST")
	if row := tom.page; strings.Index(row, "A late one") > strings.Index(row, "A later one") || strings.Count(row, ">Overdue<") != 1 {
		t.Errorf("the overdue row is not first and marked:\n%s", tom.shown())
	}
	tom.get("/inbox/requests/"+late).sees(200, ">Overdue<", "Stage Lead has reached its due date", "Approvers added to stage Lead: Inès Moreau",
		"added by escalation", "is excluded from approval by the policy (authors)", "Due 2 working days after its start")
	stage := tom.find(`(?s)<section aria-labelledby="stages"(.*?)</details>`)
	if strings.Count(stage, ">Overdue<") != 1 || strings.Count(stage, "added by escalation") != 1 {
		t.Errorf("the stage is not marked:\n%s", stage)
	}
	if line := tom.find(`(?s)<p class="byline">(.*?)</p>`); !strings.Contains(line, ">Overdue<") {
		t.Errorf("the request is not marked:\n%s", line)
	}
	moved := time.Now().UTC().AddDate(0, 1, 0)
	s.called("root1", http.MethodPatch, "/v1/wf/requests/"+late+"/stages/lead",
		fmt.Sprintf(`{"due_at":%q,"reason":"audit week"}`, moved.Format(time.RFC3339)), 200, "WF_ADMIN")
	tom.get("/inbox/requests/"+late).sees(200, "moved the due date of stage Lead from ", "audit week")
	if strings.Contains(tom.page, ">Overdue<") {
		t.Error("overdue after the move")
	}
	tom.post("/inbox/reader", url.Values{"language": {"fr"}, "zone": {"Asia/Tokyo"}, "to": {"/inbox/requests/" + late}}).
		sees(200, "a déplacé l’échéance de l’étape Lead du ", "Échéance", "ajouté par escalade", "2 jours ouvrés")
}

func TestTheConsoleComparesVersions(t *testing.T) {
	s := start(t)
	s.dated()
	change := strings.NewReplacer(`"policy_key":"dated",`, "", `"P2D","remind_before":["PT4H"]`, `"P3D"`, `"single_use":true`, `"single_use":false`,
		`"valid_for":"P30D"`, `"valid_for":"P7D"`, `"ids":["tom","jonas"]}`, `"ids":["tom","jonas"],"veto":true,"when":"context.due != ''"}`,
		`"label":"authors"`, `"label":"writers"`, `"to":"17:00"`, `"to":"16:00"`).Replace(dated)
	s.called("root1", http.MethodPut, "/v1/wf/policies/dated", change, 201, "WF_ADMIN")
	ada := s.signedIn("ada", "WF_ADMIN").get("/inbox/console/policies/dated/2/activate").sees(200,
		"(with a veto), if context.due != ''")
	for title, want := range map[string][2]string{
		"Deadline › Due in": {"P2D", "P3D"}, "Deadline › Remind before": {"PT4H", ""},
		"Settings › Validity › Valid for": {"P30D", "P7D"}, "Settings › Single use": {"Yes", ""},
		"Settings › Exclude › 1 › Label": {"authors", "writers"}, "Settings › Calendar › To": {"17:00", "16:00"},
	} {
		said := ada.find(`(?s)<dt dir="auto">` + title + `</dt><dd>(.*?)</dd>`)
		before, after, _ := strings.Cut(said, "</del>")
		if !strings.Contains(before, want[0]) || !strings.Contains(after, want[1]) {
			t.Errorf("%s: %s, want %q", title, said, want)
		}
	}
	ada.get("/inbox/console/policies/dated/1").sees(200, "Then also asks")
	ada.post("/inbox/console/policies/dated/1/simulate", url.Values{"context": {`{"due":"2099-01-02T10:00:00Z"}`}, "do": {"form"}}).
		sees(200, "2 January 2099", "Due 2 working days after its start", "Then asks Inès Moreau",
			"Without a decision it expires", "is after the end of the request")
}

// The pages show the standing of an approval, and the form that revokes it to its people while it is in force.
func TestPagesShowTheStandingOfAnApproval(t *testing.T) {
	s := start(t)
	const policy = `{"policy_key":%q,"name":"Access","settings":{%s},"stages":[{"key":"lead","name":"Lead","approvers":[{"type":"user","ids":["tom"]}]}]}`
	approved := func(key, settings string) (id string) {
		s.addPolicy(key, fmt.Sprintf(policy, key, settings))
		id = s.asked("mia", fmt.Sprintf(`{"policy_key":%q,"title":"Access to %s"}`, key, key))
		mia := s.signedIn("mia").get("/inbox/requests/"+id).sees(200, "In review")
		for _, absent := range []string{"Revoke this approval", "In force", "valid until"} {
			if strings.Contains(mia.page, absent) {
				t.Errorf("%s: %q before the approval", key, absent)
			}
		}
		task := s.signedIn("tom").get("/inbox").find(`name="task" value="(\S+) `)
		s.called("tom", http.MethodPost, "/v1/wf/tasks/"+task+"/decision", `{"action":"approve"}`, 200)
		return id
	}
	lasting, timed := approved("lasting", ""), approved("timed", `"validity":{"valid_for":"P30D"},"single_use":true`)
	mia := s.signedIn("mia")
	mia.get("/inbox/requests/"+lasting).sees(200, "In force", "Revoke this approval")
	if strings.Contains(mia.page, "valid until") || strings.Contains(mia.page, `<details open><summary>Revoke`) {
		t.Errorf("an end, or an open form:\n%s", mia.shown())
	}
	mia.get("/inbox/requests/"+timed).sees(200, "In force", "valid until", "Revoke this approval")
	s.signedIn("tom").get("/inbox/requests/"+timed).sees(200, "Revoke this approval")
	if vera := s.signedIn("vera", "WF_VIEWER").get("/inbox/requests/"+timed).sees(200, "In force"); strings.Contains(vera.page, "Revoke this approval") {
		t.Error("a viewer may revoke")
	}
	if mia.get("/inbox/mine"); strings.Contains(mia.page, "In force") {
		t.Error("the list marks approvals in force")
	}
	mia.post("/inbox/requests/"+timed+"/revoke", url.Values{"revocation": {" "}}).sees(422, "<details open><summary>Revoke this approval")
	mia.post("/inbox/requests/"+timed+"/revoke", url.Values{"revocation": {"left the team"}}).sees(200)
	mia.get("/inbox/requests/"+timed).sees(200, "Revoked", "valid until")
	if why := mia.find(`(?s)<div class="reason expired"><p>(.*?)</div>`); !strings.Contains(why,
		"Mia Keller revoked the approval") || !strings.Contains(why, "left the team") {
		t.Errorf("the end is %s", why)
	}
	if strings.Contains(mia.page, "Revoke this approval") || strings.Contains(mia.page, "In force") {
		t.Errorf("revoked, and in force:\n%s", mia.shown())
	}
	mia.post("/inbox/requests/"+timed+"/revoke", url.Values{"revocation": {"again"}}).sees(409, "Access to timed", "Mia Keller revoked the approval")
	mia.get("/inbox/mine").sees(200, ">Revoked<")
	if strings.Count(mia.page, ">Revoked<") != 1 {
		t.Errorf("the list marks another approval:\n%s", mia.shown())
	}
}

func TestAnApproverTakesADecisionBack(t *testing.T) {
	s := start(t)
	s.addPolicy("undo", `{"policy_key":"undo","name":"Undo","stages":[
		{"key":"lead","name":"Lead","approvers":[{"type":"user","ids":["tom","jonas"]}]}]}`)
	id := s.asked("mia", `{"policy_key":"undo","title":"Access"}`)
	tom := s.signedIn("tom")
	task := tom.get("/inbox").find(`name="task" value="(\S+) `)
	tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"approve"}}).sees(200)
	if jonas := s.signedIn("jonas").get("/inbox/requests/" + id).sees(200); strings.Contains(jonas.page, "Take back") {
		t.Error("another approver may take the decision back")
	}
	tom.get("/inbox/requests/"+id).sees(200, "Take back")
	tom.post("/inbox/tasks/"+task+"/withdraw", url.Values{"withdrawal-" + task: {"by mistake"}}).sees(200)
	tom.get("/inbox/requests/"+id).sees(200, "withdrew the decision", "by mistake", `value="approve"`)
	tom.post("/inbox/tasks/"+task+"/withdraw", nil).sees(409)
}
