package wf_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/countersign/countersign/services/wf"
)

func TestARefusalIsItsReason(t *testing.T) {
	err := wf.Refuse(wf.WrongState, "task %s is %s", "t1", wf.TaskCompleted)
	if !errors.Is(err, wf.WrongState) || errors.Is(err, wf.Forbidden) || err.Error() != "wrong_state: task t1 is completed" {
		t.Errorf("refusal = %v", err)
	}
}

func TestEveryReasonIsListed(t *testing.T) {
	var listed []string
	for _, r := range wf.Reasons {
		listed = append(listed, string(r))
	}
	slices.Sort(listed)
	if want := constantsByType(t, ".")["Reason"]; !slices.Equal(listed, want) {
		t.Errorf("Reasons has %v, want %v", listed, want)
	}
}
