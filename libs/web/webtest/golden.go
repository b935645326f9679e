package webtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write openapi.yaml and golden files")

// ReadGolden returns the content of a file. With -update it first writes generated to it.
func ReadGolden(t testing.TB, file string, generated []byte) []byte {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, generated, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// CheckStored compares the document of a service with its openapi.yaml, seen from internal/api. With
// -update it writes the file.
func CheckStored(t testing.TB, document []byte) {
	t.Helper()
	if !bytes.Equal(ReadGolden(t, "../../openapi.yaml", document), document) {
		t.Error("openapi.yaml differs from the document of the code; run make openapi")
	}
}

// BodyExamples returns the example of each operation with a body, by operationId. document is JSON.
func BodyExamples(t testing.TB, document []byte) map[string][]byte {
	t.Helper()
	var parsed struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			RequestBody struct {
				Content map[string]struct{ Example json.RawMessage } `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(document, &parsed); err != nil {
		t.Fatal(err)
	}
	examples := map[string][]byte{}
	for _, operations := range parsed.Paths {
		for _, op := range operations {
			for _, media := range op.RequestBody.Content {
				examples[op.OperationID] = media.Example
			}
		}
	}
	return examples
}
