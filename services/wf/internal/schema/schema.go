// Package schema compiles and applies the JSON Schemas of a policy: its
// context_schema and the decision_schema of its stages.
//
// A schema is a JSON Schema 2020-12 document of at most 64 KiB without references to other documents: no
// file is opened and no host is contacted. Patterns are RE2. The formats date, date-time, time, email and
// uuid are asserted; others only describe. $dynamicRef and older drafts are refused.
//
// A schema can apply itself to one value many times, so a validation has a limited number of steps, and a
// document that needs more is refused. Without the limit, nine of the ten schemas of
// TestValidationTakesABoundedNumberOfSteps take more than 15 s.
package schema

import (
	"bytes"
	"crypto/sha256"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
)

const (
	maxBytes = 64 << 10

	// maxSchemas bounds the objects and booleans of a schema, that is, its
	// subschemas. The library takes time in proportion to their square.
	maxSchemas = 2000

	// maxCached bounds the cached schemas of Validate. A compiled schema is some ten times as large as its
	// text.
	maxCached = 128
)

// Check refuses a new schema that does not compile, with the location of the first problem in it, or of which a part
// takes too many steps for every value.
func Check(raw []byte) error {
	root, err := compile(raw)
	if err != nil {
		return err
	}
	left := steps(checkSteps)
	for _, part := range reachable(root) {
		if !left.apply(nil, 0, part) {
			return invalidPart(location(part.Location), "takes too many steps to validate")
		}
	}
	return nil
}

// Validate refuses a JSON document that does not satisfy a schema, with the location of the first problem in doc and
// the number of further ones. It keeps the compiled schema. An error of the schema itself has the prefix "schema: ".
func Validate(rawSchema, doc []byte) error {
	key := sha256.Sum256(rawSchema)
	root, known := compiled.Get(key)
	if !known {
		var err error
		if root, err = compile(rawSchema); err != nil {
			return invalidPart("", "schema: %s", refusal.MessageOf(err))
		}
		compiled.Add(key, root)
	}
	value, err := parse(doc)
	if err != nil {
		return err
	}
	left := steps(minSteps + len(doc))
	if !left.apply(value, 0, root) {
		return errTooManySteps
	}
	if err := root.Validate(value); err != nil {
		return validationError(err)
	}
	return nil
}

// compiled is the cache of Validate, by the hash of the text. lru.New fails only for a size below one.
var compiled, _ = lru.New[[sha256.Size]byte, *jsonschema.Schema](maxCached)

func compile(raw []byte) (*jsonschema.Schema, error) {
	if len(raw) > maxBytes {
		return nil, invalidPart("", "is longer than %d bytes", maxBytes)
	}
	document, err := parse(raw)
	if err != nil {
		return nil, err
	}
	if schemas(document) > maxSchemas {
		return nil, invalidPart("", "has more than %d subschemas", maxSchemas)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(compilePattern)
	c.AssertFormat()
	if err := c.AddResource(base, document); err != nil {
		return nil, err
	}
	root, err := c.Compile(base)
	if err != nil {
		return nil, compileError(err)
	}
	return root, examine(root)
}

// parse decodes a document without loss. Strict decoding bounds its depth and its
// numbers.
func parse(raw []byte) (any, error) {
	if err := strictjson.Check(raw, strictjson.Default); err != nil {
		return nil, invalidPart("", "%s", err)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(raw))
}

// schemas counts the values in v that may be schemas, v included.
func schemas(v any) int {
	n := 0
	switch v := v.(type) {
	case bool:
		return 1
	case []any:
		for _, item := range v {
			n += schemas(item)
		}
	case map[string]any:
		n = 1
		for _, member := range v {
			n += schemas(member)
		}
	}
	return n
}
