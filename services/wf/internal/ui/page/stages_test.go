package page

import (
	"testing"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/policy"
)

func TestStagesOfAGroupAreBesideEachOther(t *testing.T) {
	var columns []StageColumn
	for _, run := range []wf.StageRun{{Key: "a"}, {Key: "b"}, {Key: "c", ParallelGroup: "one"}, {Key: "d", ParallelGroup: "one"}, {Key: "e", ParallelGroup: "two"}} {
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
