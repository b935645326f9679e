// Package webtest helps services to test the OpenAPI document that they serve.
package webtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// BrokenReferences lists the references of an OpenAPI document in JSON that lead
// nowhere, or out of it: a page that shows the document follows each of them.
func BrokenReferences(document []byte) (broken []string, err error) {
	var root any
	if err := json.Unmarshal(document, &root); err != nil {
		return nil, fmt.Errorf("decode OpenAPI document: %w", err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			mapping, _ := v["mapping"].(map[string]any)
			for _, to := range append(slices.Collect(maps.Values(mapping)), v["$ref"]) {
				if to, ok := to.(string); ok && !hasTarget(root, to) {
					broken = append(broken, to)
				}
			}
			for _, member := range v {
				walk(member)
			}
		}
	}
	walk(root)
	slices.Sort(broken)
	return slices.Compact(broken), nil
}

// hasTarget reports whether a reference names a part of the document.
func hasTarget(document any, reference string) bool {
	pointer, ok := strings.CutPrefix(reference, "#/")
	for key := range strings.SplitSeq(pointer, "/") {
		object, _ := document.(map[string]any)
		document = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]
	}
	return ok && document != nil
}
