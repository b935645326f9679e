package engine_test

import (
	"testing"

	"github.com/countersign/countersign/services/wf/internal/engine"
)

func TestOnlyAnAddressOfAHostWithANameIsUsed(t *testing.T) {
	for text, want := range map[string]bool{
		"ana@people.example": true, "a-na@people.example": true, "-ana@people.example": false, "ana@[127.0.0.1]": false, "ana@[IPv6:::1]": false,
		"ana@127.0.0.1": false, "Ana <ana@people.example>": false, "ana@people.example, eve@people.example": false, "ana": false,
	} {
		if got := engine.Deliverable(text); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
