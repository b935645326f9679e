package page

import (
	"testing"
	"time"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/policy"
)

func TestStagesOfAGroupAreBesideEachOther(t *testing.T) {
	var columns []StageColumn
	for _, run := range []wf.StageRun{{Key: "a"}, {Key: "b"}, {Key: "c", ParallelGroup: "one"},
		{Key: "d", ParallelGroup: "one"}, {Key: "e", ParallelGroup: "two"}} {
		columns = AddBox(columns, run, StageBox{Name: run.Key})
	}
	got := ""
	for _, column := range columns {
		for _, box := range column.Boxes {
			got += box.Name
		}
		got += "|"
	}
	if want := "a|b|cd|e|"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestThePageStatesThatARescueIsRequired(t *testing.T) {
	req := &Request{Request: &signin.Request{Request: &frame.Request{Reader: words.Reader("en", nil)}}}
	for required, want := range map[bool]string{true: "An admin must assign a required approver", false: "An admin has to assign an approver"} {
		line, shown := req.personLine(wf.Task{Kind: wf.RescueTask, Status: wf.TaskOpen, Rescue: true, Required: required}, policy.Stage{})
		if !shown || line.Text != want {
			t.Errorf("required %t: %q, %t", required, line.Text, shown)
		}
	}
}

func TestAStageThatWasSentBackIsNotCancelled(t *testing.T) {
	req := &Request{Request: &signin.Request{Request: &frame.Request{Reader: words.Reader("en", nil)}}}
	cancelled := func(number int) wf.StageRun { return wf.StageRun{Key: "s", Run: number, Status: wf.StageCancelled} }
	for status, want := range map[wf.RequestStatus][]string{
		wf.RequestChangesRequested: {"Returned for changes", "Returned for changes"},
		wf.RequestCancelled:        {"Returned for changes", "Cancelled"},
	} {
		c := wf.Case{Request: wf.Request{Status: status, Stages: []wf.StageRun{cancelled(1), cancelled(2)}}}
		for i, run := range c.Request.Stages {
			if got := req.StageBox(c, run).Status; got != want[i] {
				t.Errorf("request %s, run %d: %q, want %q", status, run.Run, got, want[i])
			}
		}
	}
}

func TestMomentsAreRounded(t *testing.T) {
	now := time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC)
	r := &frame.Request{Reader: words.Reader("en", time.UTC), Begun: now}
	for away, want := range map[time.Duration]string{
		10*24*time.Hour - time.Second: "in 10 days", 9*24*time.Hour + 13*time.Hour: "in 10 days", 9*24*time.Hour + 11*time.Hour: "in 9 days",
		time.Hour - time.Second: "in 1 hour", 24*time.Hour - time.Second: "in 1 day", 59 * time.Second: "in a moment", 90 * time.Second: "in 2 minutes",
		-2*time.Hour + time.Minute: "2 hours ago", -14*24*time.Hour + time.Minute: "21 December 2026",
	} {
		if got := r.Moment(now.Add(away)).Text; got != want {
			t.Errorf("%s: %q, want %q", away, got, want)
		}
	}
}
