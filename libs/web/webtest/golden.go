// Package webtest compares generated documents and pages with their stored form.
package webtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write openapi.yaml, golden files and generated parts of pages")

// ReadGolden returns the content of a file. With -update it first writes generated to it.
func ReadGolden(t testing.TB, file string, generated []byte) []byte {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, generated, 0o600); err != nil { // #nosec G703 -- a file that a test names
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// CheckPart compares the part of a page between <!-- name --> and <!-- end of name --> with the text that make openapi
// generates. With -update it writes the part.
func CheckPart(t testing.TB, page, name, generated string) {
	t.Helper()
	content, err := os.ReadFile(page) // #nosec G304 -- a page of the repository
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, found := strings.Cut(string(content), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s lacks the markers of %s", page, name)
	}
	want := []byte(before + begin + generated + end + after)
	if !bytes.Equal(ReadGolden(t, page, want), want) {
		t.Errorf("%s differs from the %s of the code; run make openapi", page, name)
	}
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
