package policy

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf/internal/condition"
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
		case d.Settings.hides(jsontext.Pointer(pointer)):
			v.add(at, "must not select a value that settings.redact hides")
		default:
			d.validateFact(v, at, steps)
		}
	}
}

// hides reports whether settings.redact selects the value at a place, a part of it, or a value around it.
func (s Settings) hides(place jsontext.Pointer) bool {
	return slices.ContainsFunc(s.Redact, func(redacted string) bool {
		hidden := jsontext.Pointer(redacted)
		return hidden.Contains(place) || place.Contains(hidden)
	})
}

// validateFact checks the place of a fact against the schema of the context. A place that it leaves open passes.
func (d Definition) validateFact(v *validation, at string, steps []string) {
	single, members, declared := condition.In(d.ContextSchema, d.Settings.Zone()).Declares(steps)
	v.refuse(!declared, at, "must select a property of context_schema")
	v.refuse(declared && !single && !slices.Equal(members, []string{"amount", "currency"}), at,
		"must select one value: a string, a number, a boolean, or an amount with its currency")
}
