package engine

import (
	"errors"
	"testing"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
)

// What takes long is answered when no transaction is open, also when time is up.
func TestNothingIsCalculatedInATransaction(t *testing.T) {
	e := New(Options{Store: &store.Store{}})
	for name, open := range map[string]approver.Unanswered{
		"a schema":      {Documents: []policy.Document{{Schema: []byte(`{}`), Value: []byte(`{}`)}}},
		"an expression": {Evaluations: []policy.Evaluation{{Source: "true"}}},
		"a question":    {Questions: []approver.Question{approver.ExistingUsers("ana")}},
	} {
		for _, ended := range []bool{false, true} {
			a := e.Tasks.answers()
			a.ended = ended
			if err := a.lookUp(nil, &open); !errors.Is(err, errOpen) || a.open != &open {
				t.Errorf("%s, ended %t: %v, want the transaction to be rolled back", name, ended, err)
			}
			if n := len(a.known.Documents) + len(a.known.Values) + len(a.known.People); n != 0 {
				t.Errorf("%s, ended %t: %d answers", name, ended, n)
			}
		}
	}
}
