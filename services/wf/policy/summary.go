package policy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/strictjson"
)

// Limits of settings.summary.
const (
	maxFacts    = 3
	maxFactText = 120  // characters of a string; the rest is cut
	maxFact     = 1024 // bytes of a value
)

// Summarize returns the values of a context that settings.summary selects, in its order and as JSON: a string, a
// number, a boolean, or an amount with its currency. Other values and absent ones are null. Without the setting it
// returns nil.
func (s Settings) Summarize(context []byte) []json.RawMessage {
	if len(s.Summary) == 0 {
		return nil
	}
	var document any
	decoder := json.NewDecoder(bytes.NewReader(context))
	decoder.UseNumber()
	if decoder.Decode(&document) != nil {
		document = nil
	}
	facts := make([]json.RawMessage, len(s.Summary))
	for i, pointer := range s.Summary {
		facts[i] = fact(document, pointer)
	}
	return facts
}

// fact returns the value at a pointer as JSON.
func fact(document any, pointer string) json.RawMessage {
	none := json.RawMessage("null")
	steps, err := parsePointer(pointer)
	if err != nil {
		return none
	}
	for _, step := range steps {
		object, _ := document.(map[string]any) // nil for another value
		document = object[step]
	}
	switch value := document.(type) {
	case string:
		document = cutText(value)
	case map[string]any:
		if len(value) != 2 || value["amount"] == nil || value["currency"] == nil {
			return none
		}
	case []any:
		return none
	}
	raw, err := json.Marshal(document)
	if err == nil {
		raw, err = strictjson.Canonical(raw)
	}
	if err != nil || len(raw) > maxFact {
		return none
	}
	return raw
}

// cutText returns a text of at most maxFactText characters.
func cutText(text string) string {
	if utf8.RuneCountInString(text) <= maxFactText {
		return text
	}
	return string([]rune(text)[:maxFactText-1]) + "…"
}

// validateSummary checks settings.summary, as far as possible against the schema of the context.
func (d Definition) validateSummary(v *validation) {
	v.refuse(len(d.Settings.Summary) > maxFacts, "/settings/summary", "must contain at most %d pointers", maxFacts)
	for i, pointer := range d.Settings.Summary {
		at := elementPointer("/settings/summary", i)
		steps, err := parsePointer(pointer)
		switch {
		case err != nil:
			v.add(at, "%s", err)
		case len(steps) == 0:
			v.add(at, "must be a JSON pointer to one value of the context, such as /amount")
		case slices.Contains(d.Settings.Summary[:i], pointer):
			v.add(at, "must differ from the other pointers")
		case d.Settings.hides(steps):
			v.add(at, "must not select a value that settings.redact hides")
		default:
			d.validateFact(v, at, steps)
		}
	}
}

// hides reports whether settings.redact selects the value at a place, a part of it, or a value around it.
func (s Settings) hides(steps []string) bool {
	return slices.ContainsFunc(s.Redact, func(pointer string) bool {
		hidden, err := parsePointer(pointer)
		n := min(len(hidden), len(steps))
		return err == nil && slices.Equal(hidden[:n], steps[:n])
	})
}

// schemaPart is the part of a JSON Schema that validateFact reads.
type schemaPart struct {
	Ref                  string                     `json:"$ref"`
	Type                 any                        `json:"type"`
	Properties           map[string]json.RawMessage `json:"properties"`
	AdditionalProperties any                        `json:"additionalProperties"`
	PatternProperties    map[string]any             `json:"patternProperties"`
	AllOf                []any                      `json:"allOf"`
	AnyOf                []any                      `json:"anyOf"`
	OneOf                []any                      `json:"oneOf"`
	If                   any                        `json:"if"`
}

// decides reports whether the properties of the part are the only ones that it describes.
func (p schemaPart) decides() bool {
	return p.PatternProperties == nil && p.AllOf == nil && p.AnyOf == nil && p.OneOf == nil && p.If == nil
}

// validateFact checks the place of a fact against the schema. A place that the schema leaves open passes.
func (d Definition) validateFact(v *validation, at string, steps []string) {
	raw := []byte(d.ContextSchema)
	for _, step := range steps {
		part, ok := d.schemaPart(raw)
		next, named := part.Properties[step]
		switch {
		case !ok:
			return
		case named:
			raw = next
		case !part.decides() || len(part.Properties) == 0:
			return
		case part.AdditionalProperties == false:
			v.add(at, "must select a property of context_schema")
			return
		default:
			v.warn(at, "context_schema has no property %.64q; a request without it shows no value", step)
			return
		}
	}
	part, ok := d.schemaPart(raw)
	_, amount := part.Properties["amount"]
	_, currency := part.Properties["currency"]
	list, object := part.Type == "array", part.Type == "object"
	v.refuse(ok && (list || object && part.decides() && !(amount && currency && len(part.Properties) == 2)), at,
		"must select one value: a string, a number, a boolean, or an amount with its currency")
}

// schemaPart reads a part of the schema of the context. It follows references within the schema, at most eight.
func (d Definition) schemaPart(raw []byte) (part schemaPart, ok bool) {
	for range 8 {
		part = schemaPart{}
		if len(raw) == 0 || json.Unmarshal(raw, &part) != nil {
			return part, false
		}
		pointer, refers := strings.CutPrefix(part.Ref, "#")
		if part.Ref == "" || !refers {
			return part, part.Ref == ""
		}
		steps, err := parsePointer(pointer)
		if err != nil {
			return part, false
		}
		raw = d.ContextSchema
		for _, step := range steps {
			var members map[string]json.RawMessage
			if json.Unmarshal(raw, &members) != nil {
				return part, false
			}
			raw = members[step]
		}
	}
	return part, false
}
