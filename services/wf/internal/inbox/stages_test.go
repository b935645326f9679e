package inbox

import (
	"testing"

	"github.com/countersign/countersign/services/wf"
)

func TestStagesOfAGroupAreBesideEachOther(t *testing.T) {
	var columns []stageColumn
	for _, run := range []wf.StageRun{{Key: "a"}, {Key: "b"}, {Key: "c", ParallelGroup: "one"}, {Key: "d", ParallelGroup: "one"}, {Key: "e", ParallelGroup: "two"}} {
		columns = beside(columns, run, stageBox{Name: run.Key})
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
