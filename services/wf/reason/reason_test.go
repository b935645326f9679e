package reason_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/reason"
)

func TestARefusalIsItsReason(t *testing.T) {
	err := refusal.New(reason.WrongState, "task %s is %s", "t1", "completed")
	if !errors.Is(err, reason.WrongState) || errors.Is(err, reason.Forbidden) || err.Error() != "wrong_state: task t1 is completed" {
		t.Errorf("refusal = %v", err)
	}
}

func TestACaseIsItsGeneralReason(t *testing.T) {
	err := refusal.At(reason.Missing, "/comment", "comment required")
	if !errors.Is(err, reason.Missing) || !errors.Is(err, reason.BadInput) || errors.Is(err, reason.TooLong) {
		t.Errorf("%v is not a case of %s", err, reason.BadInput)
	}
	if errors.Is(refusal.New(reason.BadInput, "no number"), reason.Missing) {
		t.Errorf("%s is a case of %s", reason.BadInput, reason.Missing)
	}
}

func TestEveryReasonIsListed(t *testing.T) {
	source, err := os.ReadFile("reason.go")
	if err != nil {
		t.Fatal(err)
	}
	var declared, listed []string
	for _, m := range regexp.MustCompile(`refusal\.Reason = "(\w+)"`).FindAllSubmatch(source, -1) {
		declared = append(declared, string(m[1]))
	}
	for _, r := range reason.Reasons {
		listed = append(listed, string(r))
	}
	if !slices.Equal(listed, declared) || len(declared) < 10 {
		t.Errorf("Reasons has %v, want %v", listed, declared)
	}
	if cases := len(regexp.MustCompile(`= BadInput \+ "/`).FindAll(source, -1)); cases != len(reason.Cases) {
		t.Errorf("Cases has %d of %d cases", len(reason.Cases), cases)
	}
}
