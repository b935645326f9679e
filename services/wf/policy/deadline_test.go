package policy_test

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/calendar"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// withDeadline is a policy of one stage with a due date in an hour.
func withDeadline(change func(*policy.Definition, *policy.Stage)) policy.Definition {
	d := policy.Definition{Name: "p", Stages: []policy.Stage{{
		Key: "s", Name: "s", Approvers: []policy.Rule{{Type: policy.RuleUser, IDs: []string{"a", "b"}}},
		Deadline: &policy.Deadline{DueIn: "PT1H"},
	}}}
	change(&d, &d.Stages[0])
	return d
}

func escalating(s *policy.Stage, rule policy.Rule) {
	s.Deadline.OnDue, s.Deadline.EscalateTo = policy.OnDueEscalate, []policy.Rule{rule}
}

var office = calendar.WorkingTime{Zone: "Africa/Nairobi", Days: []calendar.Weekday{"mon"}, From: "08:00", To: "17:00"}

func TestValidateDeadlines(t *testing.T) {
	carl := policy.Rule{Type: policy.RuleUser, IDs: []string{"c"}}
	const deadline = "/stages/0/deadline"
	for name, tt := range map[string]struct {
		change func(d *policy.Definition, s *policy.Stage)
		want   string // pointer of the only finding; empty for none
		warns  bool
	}{
		"an hour":             {func(_ *policy.Definition, s *policy.Stage) {}, "", false},
		"no due date":         {func(_ *policy.Definition, s *policy.Stage) { s.Deadline.DueIn = "" }, deadline, false},
		"two due dates":       {func(_ *policy.Definition, s *policy.Stage) { s.Deadline.DueCEL = "x" }, deadline + "/due_cel", false},
		"less than a minute":  {func(_ *policy.Definition, s *policy.Stage) { s.Deadline.DueIn = "PT59S" }, deadline + "/due_in", false},
		"more than ten years": {func(_ *policy.Definition, s *policy.Stage) { s.Deadline.DueIn = "P3661D" }, deadline + "/due_in", false},
		"no duration":         {func(_ *policy.Definition, s *policy.Stage) { s.Deadline.DueIn = "soon" }, deadline + "/due_in", false},
		"weeks":               {func(_ *policy.Definition, s *policy.Stage) { s.Deadline.DueIn = "P1W" }, "", false},
		"reminders": {func(_ *policy.Definition, s *policy.Stage) {
			s.Deadline.RemindBefore = []policy.Duration{"PT30M", "PT1M"}
		}, "", false},
		"a reminder twice": {func(_ *policy.Definition, s *policy.Stage) {
			s.Deadline.RemindBefore = []policy.Duration{"P1D", "PT24H"}
		}, deadline + "/remind_before/1", false},
		"a reminder of seconds": {func(_ *policy.Definition,
			s *policy.Stage) {
			s.Deadline.RemindBefore = []policy.Duration{"PT59S"}
		}, deadline + "/remind_before/0", false},
		"a short interval": {func(_ *policy.Definition, s *policy.Stage) { s.Deadline.RemindEvery = "PT59M" }, deadline + "/remind_every", false},
		"an interval":      {func(_ *policy.Definition, s *policy.Stage) { s.Deadline.RemindEvery = "PT1H" }, "", false},
		"expiry":           {func(_ *policy.Definition, s *policy.Stage) { s.Deadline.OnDue = policy.OnDueExpire }, "", false},
		"reminders after the end": {func(_ *policy.Definition, s *policy.Stage) {
			s.Deadline.OnDue, s.Deadline.RemindEvery = policy.OnDueExpire, "PT1H"
		}, deadline + "/remind_every", false},
		"escalation": {func(_ *policy.Definition, s *policy.Stage) { escalating(s, carl) }, "", false},
		"escalation to nobody": {func(_ *policy.Definition, s *policy.Stage) { s.Deadline.OnDue = policy.OnDueEscalate },
			deadline + "/escalate_to", false},
		"no escalation to people": {func(_ *policy.Definition,
			s *policy.Stage) {
			s.Deadline.EscalateTo = []policy.Rule{carl}
		}, deadline + "/escalate_to", false},
		"escalation and wait_for_all": {func(_ *policy.Definition, s *policy.Stage) {
			escalating(s, carl)
			s.Quorum.WaitForAll = true
		}, deadline + "/on_due", false},
		"escalation of required rules": {func(_ *policy.Definition, s *policy.Stage) {
			escalating(s, carl)
			s.Approvers[0].Required = true
		}, deadline + "/escalate_to", true},
		"a required rule": {func(_ *policy.Definition, s *policy.Stage) {
			escalating(s, policy.Rule{Type: policy.RuleUser, IDs: []string{"c"}, Required: true})
		}, deadline + "/escalate_to/0/required", false},
		"a minimum": {func(_ *policy.Definition, s *policy.Stage) {
			escalating(s, policy.Rule{Type: policy.RuleUser, IDs: []string{"c"}, MinApprovals: 1})
		}, deadline + "/escalate_to/0/min_approvals", false},
		"a veto": {func(_ *policy.Definition, s *policy.Stage) {
			escalating(s, policy.Rule{Type: policy.RuleUser, IDs: []string{"c"}, Veto: true})
		}, deadline + "/escalate_to/0/veto", false},
		"a condition": {func(_ *policy.Definition, s *policy.Stage) {
			escalating(s, policy.Rule{Type: policy.RuleUser, IDs: []string{"c"}, When: "true"})
		}, deadline + "/escalate_to/0/when", false},
		"an empty rule": {func(_ *policy.Definition, s *policy.Stage) {
			escalating(s, policy.Rule{Type: policy.RuleUser})
		}, deadline + "/escalate_to/0/ids", false},
		"the managers": {func(_ *policy.Definition, s *policy.Stage) {
			escalating(s, policy.Rule{Type: policy.RuleManager, Of: policy.OfAssignee})
		}, "", false},
		"the managers of a pool": {func(_ *policy.Definition, s *policy.Stage) {
			s.Assignment, s.Quorum = policy.AssignmentPool, quorum.Quorum{Mode: quorum.QuorumAny}
			escalating(s, policy.Rule{Type: policy.RuleManager, Of: policy.OfAssignee})
		}, deadline + "/escalate_to/0/of", false},
		"the managers as approvers": {func(_ *policy.Definition, s *policy.Stage) {
			s.Approvers = append(s.Approvers, policy.Rule{Type: policy.RuleManager, Of: policy.OfAssignee})
		}, "/stages/0/approvers/1/of", false},
		"a calendar": {func(d *policy.Definition, s *policy.Stage) {
			d.Settings.Calendar = &office
			s.Deadline.DueIn, s.Deadline.RemindBefore = "P2DT1H", []policy.Duration{"P1D", "PT24H"} // of different lengths
		}, "", false},
		"a calendar without days": {func(d *policy.Definition, _ *policy.Stage) {
			d.Settings.Calendar = &calendar.WorkingTime{Zone: "UTC", From: "08:00", To: "17:00"}
		}, "/settings/calendar/days", false},
		"weeks of a calendar": {func(d *policy.Definition, s *policy.Stage) {
			d.Settings.Calendar, s.Deadline.DueIn = &office, "P1W"
		}, deadline + "/due_in", false},
		"half a working day": {func(d *policy.Definition, s *policy.Stage) {
			d.Settings.Calendar, s.Deadline.DueIn = &office, "P1.5D"
		}, deadline + "/due_in", false},
	} {
		t.Run(name, func(t *testing.T) {
			var pointers []string
			warns := false
			for _, f := range withDeadline(tt.change).Validate(policy.Capabilities{Directory: true}) {
				pointers = append(pointers, f.Pointer)
				warns = warns || f.Warning != ""
			}
			if tt.want == "" && len(pointers) > 0 || tt.want != "" && !slices.Equal(pointers, []string{tt.want}) || warns != tt.warns {
				t.Errorf("findings at %v, warning %t; want %q, %t", pointers, warns, tt.want, tt.warns)
			}
		})
	}
}

func TestTimetable(t *testing.T) {
	friday := time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC) // 16:00 in Nairobi
	for name, tt := range map[string]struct {
		settings policy.Settings
		got      func(policy.Timetable) time.Time
		want     time.Time
	}{
		"elapsed time after": {policy.Settings{}, func(tt policy.Timetable) time.Time { return tt.After(friday, "P1DT1H") }, friday.Add(25 * time.Hour)},
		"elapsed time before": {
			policy.Settings{}, func(tt policy.Timetable) time.Time { return tt.Before(friday, "P1W") }, friday.AddDate(0, 0, -7),
		},
		"working time after": {
			policy.Settings{Calendar: &office}, func(tt policy.Timetable) time.Time { return tt.After(friday, "P1DT1H") },
			time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC),
		},
		"working time before": {
			policy.Settings{Calendar: &office}, func(tt policy.Timetable) time.Time { return tt.Before(friday, "PT10H") },
			time.Date(2026, 11, 9, 13, 0, 0, 0, time.UTC),
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.got(tt.settings.Timetable()); !got.Equal(tt.want) {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
