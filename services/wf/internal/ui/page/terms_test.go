package page

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/calendar"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

func termsIn(language string) Terms {
	return Terms{words.Reader(language, time.UTC), func(u identity.User) string { return "person " + u.ID }}
}

// sample is a policy with a parallel group, conditions, a pool and a deadline.
var sample = policy.Definition{Name: "Disbursement", Stages: []policy.Stage{
	{Key: "checks", Name: "Checks", Approvers: []policy.Rule{
		{Type: policy.RuleRole, Role: "finance", MinApprovals: 1}, {Type: policy.RuleGroup, Path: "/officers", Required: true},
	}, Quorum: quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}},
	{
		Key: "legal", Name: "Legal", ParallelGroup: "reviews", When: `context.kind == "grant"`, Quorum: quorum.Quorum{Mode: quorum.QuorumAny},
		Approvers: []policy.Rule{{Type: policy.RuleUser, IDs: []string{"lea", "luc"}}},
	},
	{
		Key: "it", Name: "Security", ParallelGroup: "reviews", Assignment: policy.AssignmentPool,
		Quorum:    quorum.Quorum{Mode: quorum.QuorumPercentage, Value: 50},
		Approvers: []policy.Rule{{Type: policy.RuleHTTP, URL: "https://oncall.example.org/x", When: "context.secret"}},
		Deadline: &policy.Deadline{
			DueIn: "P2DT1H", RemindBefore: []policy.Duration{"P1D"}, RemindEvery: "PT1H", OnDue: policy.OnDueEscalate,
			EscalateTo: []policy.Rule{{Type: policy.RuleUser, IDs: []string{"cy"}}},
		},
	},
}}

func TestAPolicyIsShownAsColumns(t *testing.T) {
	d := sample
	d.Settings.Calendar = &calendar.WorkingTime{}
	columns := PolicyStages(d, termsIn("en"))
	if len(columns) != 2 || len(columns[1].Boxes) != 2 {
		t.Fatalf("columns %+v", columns)
	}
	for i, want := range [][]string{
		{"role finance (at least 1)", "group /officers (each must approve)", "2 approve"},
		{`If context.kind == "grant"`, "person lea, person luc", "One approves"},
		{
			"resolver https://oncall.example.org/x, if context.secret", "50 % approve", "The claimant decides",
			"Due after 2 working days 1 working hour", "Reminder 1 working day before", "Reminder every 1 working hour after",
			"Then also asks person cy",
		},
	} {
		box := append(columns[0].Boxes, columns[1].Boxes...)[i]
		if !slices.Equal(box.Notes, want) {
			t.Errorf("%s: %q, want %q", box.Name, box.Notes, want)
		}
	}
	if notes := PolicyStages(d, termsIn("fr"))[1].Boxes[1].Notes; !slices.Contains(notes, "Échéance après 2 jours ouvrés 1 heure ouvrée") {
		t.Errorf("French: %q", notes)
	}
}

// Readers of a request may lack access to its policy.
func TestAPendingStageHidesThePolicy(t *testing.T) {
	req := &Request{Request: &signin.Request{Request: &frame.Request{Reader: words.Reader("en", time.UTC)}}}
	var r wf.Request
	for _, s := range sample.Stages {
		r.Stages = append(r.Stages, wf.StageRun{Key: s.Key, Name: s.Name, Run: 1, Status: wf.StagePending})
	}
	columns, _ := req.Stages(wf.Case{Request: r, Definition: sample})
	var got [][]string
	for _, column := range columns {
		for _, box := range column.Boxes {
			got = append(got, box.Notes)
		}
	}
	for i, want := range [][]string{
		{"role finance (at least 1)", "group /officers (each must approve)", "2 approve"},
		{"Conditional", "named users", "One approves"},
		{"a resolver", "50 % approve"},
	} {
		if !slices.Equal(got[i], want) {
			t.Errorf("%q, want %q", got[i], want)
		}
	}
}
