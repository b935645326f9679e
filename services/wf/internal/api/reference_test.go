package api_test

import (
	"testing"

	"github.com/countersign/countersign/libs/web/webtest"
)

func TestEveryReferenceOfTheDocumentLeadsSomewhere(t *testing.T) {
	w := boot(t, Options{})
	broken, err := webtest.BrokenReferences(w.Anonymous(t).Get("/openapi.json").Want(200).Body)
	if err != nil || len(broken) > 0 {
		t.Errorf("broken: %v, %v", broken, err)
	}
}
