package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/internal/schema"
)

// disbursement is the context_schema of the example policy, with some more rules.
const disbursement = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object", "required": ["amount", "district"],
	"properties": {
		"amount": {"type": "number", "minimum": 0, "multipleOf": 0.01},
		"district": {"enum": ["Gulu", "Lira"]},
		"code": {"type": "string", "pattern": "^[A-Z]{2}$", "minLength": 2},
		"lines": {"type": "array", "maxItems": 3, "uniqueItems": true, "items": {"$ref": "#/$defs/line"}},
		"contact": {"oneOf": [{"required": ["phone"]}, {"required": ["email"]}]},
		"a/b~c": {"const": 1}
	},
	"additionalProperties": false,
	"$defs": {"line": {"type": "object", "required": ["payee"], "properties": {"payee": {"type": "string", "maxLength": 8}}}}
}`

func TestADocumentThatSatisfiesTheSchemaPasses(t *testing.T) {
	tests := map[string]struct{ schema, document string }{
		"the example": {disbursement,
			`{"amount":120.55,"district":"Gulu","lines":[{"payee":"p1"}],"code":"UG","contact":{"phone":"1"},"a/b~c":1.0}`},
		"a schema that is true":     {`true`, `{"a":[1]}`},
		"an empty schema":           {`{}`, `null`},
		"an anchor":                 {`{"$defs":{"x":{"$anchor":"n","type":"integer"}},"items":{"$ref":"#n"}}`, `[1, 2.0]`},
		"an id and its own pointer": {`{"$id":"https://example.org/s","$ref":"#/$defs/x","$defs":{"x":{"type":"integer"}}}`, `1`},
		"a recursive tree":          {`{"type":"object","properties":{"next":{"$ref":"#"}}}`, `{"next":{"next":{"next":{}}}}`},
		"an integer beyond doubles": {`{"type":"integer","minimum":9007199254740993}`, `9007199254740993`},
		"an exact decimal":          {`{"multipleOf":0.01}`, `1234567890123456789.01`},
		"a date":                    {`{"format":"date"}`, `"2028-02-29"`},
		"an email":                  {`{"format":"email"}`, `"ana@example.org"`},
		"a format of another type":  {`{"format":"date"}`, `20280229`},
		"other formats describe":    {`{"format":"iban"}`, `"tomorrow"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := schema.Validate([]byte(tt.schema), []byte(tt.document)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAProblemIsNamedWithItsPlaceAndWithoutTheValue(t *testing.T) {
	tests := map[string]struct{ schema, document, want string }{
		"missing member": {disbursement, `{"amount":1}`, `must have the member "district"`},
		"missing members": {`{"required":["g","f","a","b","c","d","e"]}`, `{"g":77}`,
			`must have the members "a", "b", "c", "d", "e" and 1 more`},
		"a format": {`{"properties":{"at":{"format":"date-time"}}}`, `{"at":"2027-01-04"}`,
			`/at: must have the format date-time, such as 2027-01-04T09:00:00Z`},
		"wrong type":        {disbursement, `{"amount":"secret","district":"Gulu"}`, `/amount: must be of type number, not string`},
		"below the minimum": {disbursement, `{"amount":-77,"district":"Gulu"}`, `/amount: must be at least 0`},
		"no multiple":       {disbursement, `{"amount":0.775,"district":"Gulu"}`, `/amount: must be a multiple of 0.01`},
		"not listed":        {disbursement, `{"amount":1,"district":"secret"}`, `/district: must be one of the values listed in enum`},
		"pattern":           {disbursement, `{"amount":1,"district":"Gulu","code":"secret"}`, `/code: must match the pattern "^[A-Z]{2}$"`},
		"several problems":  {disbursement, `{"amount":-1,"district":"secret","code":"s"}`, `/amount: must be at least 0; 3 more`},
		"unknown members": {disbursement, `{"amount":1,"district":"Gulu","z":"secret","y":0}`,
			`must not have the members "y", "z"`},
		"deep": {disbursement, `{"amount":1,"district":"Gulu","lines":[{"payee":"p"},{"payee":7}]}`,
			`/lines/1/payee: must be of type string, not number`},
		"too long": {disbursement, `{"amount":1,"district":"Gulu","lines":[{"payee":"secretsecret"}]}`,
			`/lines/0/payee: must have at most 8 characters`},
		"too many": {disbursement,
			`{"amount":1,"district":"Gulu","lines":[{"payee":"1"},{"payee":"2"},{"payee":"3"},{"payee":"4"}]}`,
			`/lines: must have at most 3 items`},
		"equal items": {disbursement, `{"amount":1,"district":"Gulu","lines":[{"payee":"p"},{"payee":"p"}]}`,
			`/lines: must not have equal items, as 0 and 1 are`},
		"a choice, none": {disbursement, `{"amount":1,"district":"Gulu","contact":{}}`, `/contact: must satisfy exactly one of oneOf`},
		"a choice, both": {disbursement, `{"amount":1,"district":"Gulu","contact":{"phone":"1","email":"2"}}`,
			`/contact: must satisfy exactly one of oneOf`},
		"an escaped name":         {disbursement, `{"amount":1,"district":"Gulu","a/b~c":77}`, `/a~1b~0c: must be the value of const`},
		"allOf":                   {`{"allOf":[{"minLength":9},{"maxLength":1}]}`, `"secret"`, `must have at least 9 characters; 1 more`},
		"one problem found twice": {`{"allOf":[{"minLength":9},{"minLength":9}]}`, `"secret"`, `must have at least 9 characters`},
		"anyOf":                   {`{"anyOf":[{"type":"null"},{"type":"array"}]}`, `"secret"`, `must satisfy one of anyOf`},
		"not":                     {`{"not":{"type":"string"}}`, `"secret"`, `must not satisfy not`},
		"false":                   {`{"properties":{"x":false}}`, `{"x":77}`, `/x: must be absent`},
		"contains":                {`{"contains":{"const":1}}`, `[77]`, `must have an item that satisfies contains`},
		"member names":            {`{"propertyNames":{"maxLength":3}}`, `{"long":77}`, `must not have a member named "long"`},
		"dependent member":        {`{"dependentRequired":{"a":["b"]}}`, `{"a":77}`, `must have the member "b" next to "a"`},
		"number of members":       {`{"maxProperties":0}`, `{"a":77}`, `must have at most 0 members`},
		"exclusive bounds":        {`{"exclusiveMaximum":76.25}`, `77`, `must be less than 76.25`},
		"exact beyond doubles":    {`{"maximum":9007199254740992}`, `9007199254740993`, `must be at most 9007199254740992`},
		"a long member name": {`{"additionalProperties":false}`, `{"` + strings.Repeat("n", 200) + `":77}`,
			`must not have the member "` + strings.Repeat("n", 64) + `…"`},
		"a cycle of references": {`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, `77`,
			`takes too many steps to validate`},
		"a document cut short":       {`{}`, `{"a":77`, `json_invalid at byte 7: `},
		"a member twice":             {`{}`, `{"a":77,"a":78}`, `json_duplicate_key at byte 8: `},
		"a number that would expand": {`{"maximum":1}`, `1e999999999`, `json_invalid at byte 0: `},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := schema.Validate([]byte(tt.schema), []byte(tt.document))
			var found *refusal.Error
			if !errors.As(err, &found) || !says(err, tt.want) {
				t.Fatalf("error = %v, want %s", err, tt.want)
			}
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "77") || strings.Contains(err.Error(), "://") {
				t.Errorf("error %q quotes the value or an address", err)
			}
		})
	}
}

func TestTheExampleOfAFormatHasIt(t *testing.T) {
	for _, format := range []string{"date", "date-time", "time", "email", "uuid"} {
		rules := fmt.Appendf(nil, `{"format":%q}`, format)
		_, example, found := strings.Cut(refusal.MessageOf(schema.Validate(rules, []byte(`"x"`))), ", such as ")
		if err := schema.Validate(rules, fmt.Appendf(nil, "%q", example)); err != nil || !found {
			t.Errorf("%s: %q, %v", format, example, err)
		}
	}
}

func TestASchemaThatIsMalformedIsRefusedWithItsPlace(t *testing.T) {
	tests := map[string]struct{ schema, want string }{
		"no JSON":                 {`{`, `json_invalid at byte 1: `},
		"no schema":               {`[]`, `must be of type boolean or object, not array`},
		"a keyword of wrong type": {`{"properties":{"amount":{"minimum":"0"}}}`, `/properties/amount/minimum: must be of type number, not string`},
		"an unknown type":         {`{"properties":{"amount":{"type":"decimal"}}}`, `/properties/amount/type: must satisfy one of anyOf`},
		"a bad pattern":           {`{"properties":{"a/b":{"pattern":"("}}}`, `/properties/a~1b/pattern: `},
		"a pattern beyond RE2":    {`{"pattern":"(?=a)"}`, `/pattern: pattern "(?=a)": uses lookahead, which RE2 does not support`},
		"a negative lookahead": {`{"properties":{"a":{"pattern":"^(?!x)"}}}`,
			`/properties/a/pattern: pattern "^(?!x)": uses lookahead, which RE2 does not support`},
		"a lookbehind": {`{"pattern":"(?<=a)b"}`, `/pattern: pattern "(?<=a)b": uses lookbehind, which RE2 does not support`},
		"a backreference": {`{"patternProperties":{"(a)\\1":true}}`,
			`/patternProperties: pattern "(a)\\1": uses a backreference, which RE2 does not support`},
		"a pattern that is large": {`{"pattern":"((a{30}){30}){1}(b{900})"}`, `/pattern: `},
		"a file": {`{"items":{"$ref":"file:///etc/passwd"}}`,
			`refers to "file:///etc/passwd"; only references within the schema are allowed`},
		"another host": {`{"items":{"$ref":"https://example.org/s.json#/a"}}`,
			`refers to "https://example.org/s.json"; only references within the schema are allowed`},
		"a neighbour": {`{"items":{"$ref":"other.json"}}`,
			`refers to "other.json"; only references within the schema are allowed`},
		"the metaschema": {`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`,
			`refers to "https://json-schema.org/draft/2020-12/schema"; only references within the schema are allowed`},
		"another metaschema": {`{"$schema":"https://example.org/meta"}`,
			`refers to "https://example.org/meta"; only references within the schema are allowed`},
		"an older draft":        {`{"$schema":"http://json-schema.org/draft-07/schema#"}`, `is not of JSON Schema 2020-12`},
		"an older draft inside": {`{"properties":{"a":{"$id":"https://example.org/a","$schema":"http://json-schema.org/draft-07/schema#","type":"object"}}}`, `/properties/a: is not of JSON Schema 2020-12`},
		"a place that is missing": {`{"items":{"$ref":"#/$defs/line"}}`,
			`refers to "#/$defs/line", which does not exist`},
		"an anchor that is not":      {`{"items":{"$ref":"#line"}}`, `refers to "#line", which does not exist`},
		"a dynamic reference":        {`{"$dynamicAnchor":"n","items":{"$dynamicRef":"#n"}}`, `/items: uses $dynamicRef`},
		"more than 64 KiB":           {`{"title":"` + strings.Repeat("x", 64<<10) + `"}`, `is longer than 65536 bytes`},
		"more than 2,000 subschemas": {`{"allOf":` + repeat(2000, `{}`) + `}`, `has more than 2000 subschemas`},
		"nesting":                    {strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70), `json_invalid at byte 448: `},
		"two problems":               {`{"minLength":-1,"maxLength":-1}`, `/maxLength: must be at least 0; 1 more`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := schema.Check([]byte(tt.schema))
			var found *refusal.Error
			if !errors.As(err, &found) || !says(err, tt.want) {
				t.Fatalf("error = %v, want %s", err, tt.want)
			}
			if strings.Contains(err.Error(), "schema.invalid") {
				t.Errorf("error %q shows the made-up address", err)
			}
			if err := schema.Validate([]byte(tt.schema), []byte(`{}`)); err == nil || refusal.MessageOf(err) != "schema: "+found.Message {
				t.Errorf("Validate: %v, want the same with a prefix", err)
			}
		})
	}
}

// says reports whether want is the text of err. A want that ends with a colon is a prefix; the
// text of another package follows.
func says(err error, want string) bool {
	return refusal.MessageOf(err) == want || strings.HasSuffix(want, ": ") && strings.HasPrefix(refusal.MessageOf(err), want)
}

func repeat(n int, element string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

// doubling returns n definitions, each of which applies the next one twice, and a last one.
func doubling(n int, keyword, last string) string {
	var defs strings.Builder
	for i := range n {
		fmt.Fprintf(&defs, `"d%d":{%q:[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, keyword, i+1, i+1)
	}
	return fmt.Sprintf(`"$defs":{%s"d%d":%s}`, defs.String(), n, last)
}

func TestValidationTakesABoundedNumberOfSteps(t *testing.T) {
	nested := strings.Repeat(`{"x":`, 60) + `1` + strings.Repeat(`}`, 60)
	numbers := func(from, n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprint(from + i)
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	tests := map[string]struct{ schema, document string }{
		"allOf doubled forty times":    {`{"$ref":"#/$defs/d0",` + doubling(40, "allOf", `{"type":"null"}`) + `}`, `1`},
		"anyOf doubled forty times":    {`{"$ref":"#/$defs/d0",` + doubling(40, "anyOf", `{"type":"null"}`) + `}`, `1`},
		"oneOf doubled forty times":    {`{"$ref":"#/$defs/d0",` + doubling(40, "oneOf", `{"type":"null"}`) + `}`, `1`},
		"a tree applied twice a level": {`{"anyOf":[{"$ref":"#/$defs/t"},{"$ref":"#/$defs/t"}],"$defs":{"t":{"type":"object","properties":{"x":{"$ref":"#"}}}}}`, nested},
		"two patterns for each member": {`{"patternProperties":{"^x":{"$ref":"#"},"x$":{"$ref":"#"}},"not":{"type":"number"}}`, nested},
		"under not":                    {`{"not":{"$ref":"#/$defs/u"},"$defs":{"u":{"type":"object","patternProperties":{"^x":{"$ref":"#/$defs/u"},"x$":{"$ref":"#/$defs/u"}}}}}`, nested},
		"a long enum, many items":      {`{"items":{"enum":` + numbers(1, 10_000) + `}}`, repeat(50_000, "0")},
		"a long pattern, a long text":  {`{"pattern":"(([a-z]{1,20}){1,20})+$"}`, `"` + strings.Repeat("a", 150_000) + `!"`},
		"many attempts that fail":      {`{"items":{"not":{"anyOf":` + repeat(1500, `{"type":"null"}`) + `}}}`, repeat(50_000, "0")},
		"items made to collide":        {`{"uniqueItems":true}`, repeat(20_000, `[]`)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := processorTime(t)
			err := schema.Validate([]byte(tt.schema), []byte(tt.document))
			if err == nil || refusal.MessageOf(err) != "takes too many steps to validate" {
				t.Errorf("error = %v, want that it takes too many steps", err)
			}
			if took := processorTime(t) - before; took > time.Second {
				t.Errorf("refused after %s of processor time", took)
			}
		})
	}
}

// processorTime returns the processor time of the test so far.
func processorTime(t *testing.T) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func TestASchemaThatTakesTooLongForEveryDocumentIsRefusedWhenItIsWritten(t *testing.T) {
	doubled := func(levels int, keyword string) string {
		return `{"properties":{"a":{"$ref":"#/$defs/d0"}},` + doubling(levels, keyword, `{}`) + `}`
	}
	for name, tt := range map[string]struct{ schema, want string }{
		"allOf of 22 levels": {doubled(22, "allOf"), "takes too many steps to validate"},
		"anyOf of 22 levels": {doubled(22, "anyOf"), "takes too many steps to validate"},
		"objects of 22 levels": {`{"type":"object","patternProperties":{"a":` +
			`{"type":"object","anyOf":[{"$ref":"#/$defs/d0"},{"$ref":"#/$defs/d1"}]}},` + doubled(22, "allOf")[1:],
			"takes too many steps to validate"},
		"itself at once":           {`{"allOf":[{"$ref":"#"}]}`, "takes too many steps to validate"},
		"two that call each other": {`{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"not":{"$ref":"#/$defs/b"}},"b":{"$ref":"#/$defs/a"}}}`, "takes too many steps to validate"},
		"itself if it has another": {`{"dependentSchemas":{"a":{"$ref":"#"}}}`, "takes too many steps to validate"},
		"ten levels":               {doubled(10, "allOf"), ""},
		"a tree":                   {`{"properties":{"next":{"$ref":"#"}},"items":{"anyOf":[{"$ref":"#"},{"type":"null"}]}}`, ""},
		"a schema that is none":    {`[]`, "must be of type boolean or object, not array"},
	} {
		t.Run(name, func(t *testing.T) {
			before := processorTime(t)
			err := schema.Check([]byte(tt.schema))
			if took := processorTime(t) - before; took > time.Second {
				t.Errorf("%s of processor time", took)
			}
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasSuffix(refusal.MessageOf(err), tt.want)) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestALargeDocumentIsWithinTheSteps(t *testing.T) {
	line := `{"payee":"p-000001","amount":1200.5,"currency":"UGX","method":"bank","district":"d77"}`
	districts := strings.Builder{}
	for i := range 150 {
		fmt.Fprintf(&districts, `"d%d",`, i)
	}
	rules := `{"type":"object","properties":{"lines":{"type":"array","items":{"type":"object","required":["payee","amount"],
		"properties":{"payee":{"type":"string","pattern":"^p-[0-9]{6}$"},"amount":{"type":"number","minimum":0},"currency":{"enum":["UGX","KES"]},
		"method":{"type":"string","maxLength":10},"district":{"enum":[` + strings.TrimSuffix(districts.String(), ",") +
		`]}},"additionalProperties":false}}}}`
	if err := schema.Validate([]byte(rules), []byte(`{"lines":`+repeat(2300, line)+`}`)); err != nil {
		t.Error(err)
	}
}

func TestASchemaIsSafeForConcurrentUse(t *testing.T) {
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 100 {
				if err := schema.Validate([]byte(disbursement), []byte(`{"amount":1,"district":"Gulu"}`)); err != nil {
					t.Error(err)
				}
				if err := schema.Validate([]byte(disbursement), []byte(`{"amount":1}`)); err == nil {
					t.Error("a document without a district passes")
				}
				// New schemas turn the cache over.
				if err := schema.Validate(fmt.Appendf(nil, `{"maximum":%d}`, worker*100+i), []byte(`-1`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzValidate(f *testing.F) {
	f.Add(disbursement, `{"amount":1,"district":"Gulu"}`)
	f.Add(`{"$ref":"#"}`, `{}`)
	f.Add(`{"$id":"a","$ref":"a#/b"}`, `{}`)
	f.Add(`{"$dynamicRef":"#a","$dynamicAnchor":"a"}`, `[1]`)
	f.Add(`{"uniqueItems":true,"unevaluatedItems":false,"prefixItems":[true]}`, `[1,1.0,{"a":[]}]`)
	f.Add(`{"if":{"const":1},"then":false,"else":{"enum":[null]}}`, `1e2`)
	f.Fuzz(func(t *testing.T, rules, document string) {
		err := schema.Validate([]byte(rules), []byte(document))
		var found *refusal.Error
		if err != nil && !errors.As(err, &found) {
			t.Fatalf("error of %q is not a refusal: %v", rules, err)
		}
	})
}
