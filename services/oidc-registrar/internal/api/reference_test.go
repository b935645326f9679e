package api_test

import (
	"net/http/httptest"
	"testing"

	"github.com/countersign/countersign/libs/web/webtest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/api"
)

func TestEveryReferenceOfTheDocumentLeadsSomewhere(t *testing.T) {
	a, err := api.New(api.Options{PublicURL: "https://clients.example"})
	if err != nil {
		t.Fatal(err)
	}
	reply := httptest.NewRecorder()
	a.ServeHTTP(reply, httptest.NewRequestWithContext(t.Context(), "GET", "/openapi.json", nil))
	broken, err := webtest.BrokenReferences(reply.Body.Bytes())
	if err != nil || len(broken) > 0 {
		t.Errorf("broken: %v, %v", broken, err)
	}
}
