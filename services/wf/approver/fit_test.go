package approver_test

import (
	"testing"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
)

func TestAFitWithoutACheckIsOfNoUse(t *testing.T) {
	var unchecked approver.Fit
	for name, use := range map[string]func(){
		"User":         func() { unchecked.User() },
		"Known":        func() { unchecked.Known(identity.User{}) },
		"As":           func() { unchecked.As(approver.Approver{}) },
		"ReassignedTo": func() { approver.Approver{}.ReassignedTo(unchecked) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("a person without a check is accepted")
				}
			}()
			use()
		})
	}
}
