package api_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/api"
)

var update = flag.Bool("update", false, "rewrite openapi.yaml and testdata")

func TestOpenAPI(t *testing.T) {
	a, err := api.New(api.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	const file = "../../openapi.yaml"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("openapi.yaml is not what the code says; run make openapi")
	}
	for _, word := range []string{"HTTPValidationError", `"422"`} {
		if strings.Contains(string(got), word) {
			t.Errorf("the document has %s, which the doors never send", word)
		}
	}
}
