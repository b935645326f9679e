package engine

import (
	"errors"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// What takes long is answered when no transaction is open, also when time is up.
func TestNothingIsCalculatedInATransaction(t *testing.T) {
	e := New(Options{Store: &store.Store{}})
	for name, open := range map[string]wf.Unanswered{
		"a schema":      {Documents: []wf.Document{{Schema: []byte(`{}`), Value: []byte(`{}`)}}},
		"an expression": {Evaluations: []wf.Evaluation{{Source: "true"}}},
		"a question":    {Questions: []wf.Question{wf.Whether("ana")}},
	} {
		for _, ended := range []bool{false, true} {
			a := e.answers()
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
