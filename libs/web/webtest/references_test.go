package webtest_test

import (
	"slices"
	"testing"

	"github.com/countersign/countersign/libs/web/webtest"
)

func TestReferencesThatLeadNowhereAreFound(t *testing.T) {
	for document, want := range map[string][]string{
		`{"a": {"$ref": "#/b/x~1y"}, "b": {"x/y": {}}}`:                           nil,
		`{"a": [{"$ref": "#/b/z"}], "b": {"x/y": {}}}`:                            {"#/b/z"},
		`{"a": {"$ref": "b.json#/b"}, "b": {"c": {"$ref": "b.json#/b"}}}`:         {"b.json#/b"},
		`{"a": {"discriminator": {"mapping": {"x": "#/b", "y": "#/c"}}, "b": 1}}`: {"#/b", "#/c"},
	} {
		if broken, err := webtest.BrokenReferences([]byte(document)); err != nil || !slices.Equal(broken, want) {
			t.Errorf("%s: %v, %v, want %v", document, broken, err, want)
		}
	}
	if _, err := webtest.BrokenReferences([]byte("{")); err == nil {
		t.Error("half a document is no error")
	}
}
