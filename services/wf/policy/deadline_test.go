package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/calendar"
	"github.com/countersign/countersign/services/wf/policy"
)

var office = calendar.WorkingTime{Zone: "Africa/Nairobi", Days: []calendar.Weekday{"mon"}, From: "08:00", To: "17:00"}

// A stage of a and b is due in an hour, unless the row says otherwise.
func TestValidateDeadlines(t *testing.T) {
	const (
		deadline = "/stages/0/deadline"
		asks     = `{"deadline":{"on_due":"escalate","escalate_to":[{"type":"user","ids":["c"]%s}]}%s}`
		managers = `{"deadline":{"on_due":"escalate","escalate_to":[{"type":"manager","of":"assignee"}]}%s}`
	)
	for name, tt := range map[string]struct {
		stage string
		want  string // pointer of the only finding, with a ? if it is a warning; empty for none
		zone  string // of the calendar
	}{
		"an hour":               {stage: `{}`},
		"no due date":           {stage: `{"deadline":{"due_in":""}}`, want: deadline},
		"two due dates":         {stage: `{"deadline":{"due_cel":"x"}}`, want: deadline + "/due_cel"},
		"less than a minute":    {stage: `{"deadline":{"due_in":"PT59S"}}`, want: deadline + "/due_in"},
		"more than ten years":   {stage: `{"deadline":{"due_in":"P3661D"}}`, want: deadline + "/due_in"},
		"no duration":           {stage: `{"deadline":{"due_in":"soon"}}`, want: deadline + "/due_in"},
		"weeks":                 {stage: `{"deadline":{"due_in":"P1W"}}`},
		"reminders":             {stage: `{"deadline":{"remind_before":["PT30M","PT1M"]}}`},
		"a reminder twice":      {stage: `{"deadline":{"remind_before":["P1D","PT24H"]}}`, want: deadline + "/remind_before/1"},
		"a reminder of seconds": {stage: `{"deadline":{"remind_before":["PT59S"]}}`, want: deadline + "/remind_before/0"},
		"a short interval":      {stage: `{"deadline":{"remind_every":"PT59M"}}`, want: deadline + "/remind_every"},
		"an interval":           {stage: `{"deadline":{"remind_every":"PT1H"}}`},
		"expiry":                {stage: `{"deadline":{"on_due":"expire"}}`},
		"reminders after the end": {stage: `{"deadline":{"on_due":"expire","remind_every":"PT1H"}}`,
			want: deadline + "/remind_every"},
		"escalation":           {stage: fmt.Sprintf(asks, "", "")},
		"escalation to nobody": {stage: `{"deadline":{"on_due":"escalate"}}`, want: deadline + "/escalate_to"},
		"no escalation to people": {stage: `{"deadline":{"escalate_to":[{"type":"user","ids":["c"]}]}}`,
			want: deadline + "/escalate_to"},
		"escalation and wait_for_all": {stage: fmt.Sprintf(asks, "", `,"quorum":{"wait_for_all":true}`), want: deadline + "/on_due"},
		"escalation of required rules": {
			stage: fmt.Sprintf(asks, "", `,"approvers":[{"type":"user","ids":["a"],"required":true}]`), want: deadline + "/escalate_to?"},
		"a required rule": {stage: fmt.Sprintf(asks, `,"required":true`, ""), want: deadline + "/escalate_to/0/required"},
		"a minimum":       {stage: fmt.Sprintf(asks, `,"min_approvals":1`, ""), want: deadline + "/escalate_to/0/min_approvals"},
		"a veto":          {stage: fmt.Sprintf(asks, `,"veto":true`, ""), want: deadline + "/escalate_to/0/veto"},
		"a condition":     {stage: fmt.Sprintf(asks, `,"when":"true"`, ""), want: deadline + "/escalate_to/0/when"},
		"an empty rule":   {stage: fmt.Sprintf(asks, `,"ids":[]`, ""), want: deadline + "/escalate_to/0/ids"},
		"the managers":    {stage: fmt.Sprintf(managers, "")},
		"the managers of a pool": {stage: fmt.Sprintf(managers, `,"assignment":"pool","quorum":{"mode":"any"}`),
			want: deadline + "/escalate_to/0/of"},
		"the managers as approvers": {stage: `{"approvers":[{"type":"manager","of":"assignee","ids":null}]}`,
			want: "/stages/0/approvers/0/of"},
		// The reminders of a calendar have different lengths.
		"a calendar":          {stage: `{"deadline":{"due_in":"P2DT1H","remind_before":["P1D","PT24H"]}}`, zone: office.Zone},
		"no such zone":        {stage: `{}`, zone: "Mars", want: "/settings/calendar/zone"},
		"weeks of a calendar": {stage: `{"deadline":{"due_in":"P1W"}}`, zone: office.Zone, want: deadline + "/due_in"},
		"half a working day":  {stage: `{"deadline":{"due_in":"P1.5D"}}`, zone: office.Zone, want: deadline + "/due_in"},
	} {
		stage := policy.Stage{
			Key: "s", Name: "s", Approvers: []policy.Rule{{Type: policy.RuleUser, IDs: []string{"a", "b"}}},
			Deadline: &policy.Deadline{DueIn: "PT1H"},
		}
		if err := json.Unmarshal([]byte(tt.stage), &stage); err != nil {
			t.Fatal(err)
		}
		d := policy.Definition{Name: "p", Stages: []policy.Stage{stage}}
		if tt.zone != "" {
			working := office
			d.Settings.Calendar, working.Zone = &working, tt.zone
		}
		var found []string
		for _, f := range d.Validate(policy.Capabilities{Directory: true}) {
			if f.Warning != "" {
				f.Pointer += "?"
			}
			found = append(found, f.Pointer)
		}
		if got := strings.Join(found, " "); got != tt.want {
			t.Errorf("%s: findings at %s, want %s", name, got, tt.want)
		}
	}
}

func TestTimetable(t *testing.T) {
	friday := time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC) // 16:00 in Nairobi
	elapsed, working := policy.Settings{}.Timetable(), policy.Settings{Calendar: &office}.Timetable()
	for name, tt := range map[string]struct{ got, want time.Time }{
		"elapsed time after":  {elapsed.After(friday, "P1DT1H"), friday.Add(25 * time.Hour)},
		"elapsed time before": {elapsed.Before(friday, "P1W"), friday.AddDate(0, 0, -7)},
		"working time after":  {working.After(friday, "P1DT1H"), time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)},
		"working time before": {working.Before(friday, "PT10H"), time.Date(2026, 11, 9, 13, 0, 0, 0, time.UTC)},
	} {
		if !tt.got.Equal(tt.want) {
			t.Errorf("%s: %s, want %s", name, tt.got, tt.want)
		}
	}
}
