package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/policy"
)

func TestSummaryValuesAreSingleValues(t *testing.T) {
	long := strings.Repeat("é", 121)
	context := fmt.Sprintf(`{"amount":1249.50,"to":{"name":"Ana"},"price":{"amount":5,"currency":"EUR"},"more":{"amount":5,"currency":"EUR","x":1},
		"tags":["a"],"yes":true,"none":null,"a/b":"x","long":%q,"huge":{"amount":1,"currency":%q}}`, long, strings.Repeat("x", 1024))
	for pointer, want := range map[string]string{
		"/amount": "1249.5", "/to/name": `"Ana"`, "/price": `{"amount":5,"currency":"EUR"}`, "/yes": "true", "/a~1b": `"x"`,
		"/long": `"` + strings.Repeat("é", 119) + `…"`,
		"/to":   "null", "/more": "null", "/tags": "null", "/tags/0": "null", "/none": "null", "/absent": "null",
		"/amount/x": "null", "/huge": "null", "x": "null",
	} {
		if got := (policy.Settings{Summary: []string{pointer}}).Summarize([]byte(context)); len(got) != 1 || string(got[0]) != want {
			t.Errorf("%s: %s, want %s", pointer, got, want)
		}
	}
	if got := (policy.Settings{}).Summarize([]byte(context)); got != nil {
		t.Errorf("%s without the setting", got)
	}
	if got := (policy.Settings{Summary: []string{"/amount"}}).Summarize([]byte("x")); len(got) != 1 || string(got[0]) != "null" {
		t.Errorf("%s of an unreadable context", got)
	}
}

func TestSummaryIsValidatedAgainstTheSchema(t *testing.T) {
	const open = `{"properties":{"amount":{"type":"number"},"tags":{"type":"array"},"to":{"type":"object","properties":{"name":{"type":"string"}}},"loop":{"$ref":"#/properties/loop"},
		"gone":{"$ref":"#/$defs/gone"},"either":{"type":"object","oneOf":[{"properties":{"a":{}}}]},
		"price":{"type":"object","properties":{"amount":{"type":"number"},"currency":{"type":"string"}}}}}`
	const fits = ""
	for _, c := range []struct{ schema, summary, want string }{
		{"", `["/anything","/a/b"]`, fits},
		{open, `["/amount","/to/name","/price"]`, fits},
		{open, `["/loop/x","/gone/x","/either/a"]`, fits},
		{open, `["/amount","/tags"]`, "/settings/summary/1: must select one value"},
		{open, `["/to"]`, "/settings/summary/0: must select one value"},
		{open, `["/to/nam"]`, "/settings/summary/0: must select a property of context_schema"},
		{open, `["/amout"]`, "/settings/summary/0: must select a property of context_schema"},
		{"", `["/a","/b","/c","/d"]`, "/settings/summary: must contain at most 3 pointers"},
		{"", `["/a","/b","/a"]`, "/settings/summary/2: must differ"},
		{"", `["a"]`, "/settings/summary/0: must be a JSON pointer"},
		{"", `[""]`, "/settings/summary/0: must be a JSON pointer to one value"},
		{"", `["/secret"]`, "/settings/summary/0: must not select a value that settings.redact hides"},
		{"", `["/secret/part"]`, "/settings/summary/0: must not select"},
		{"", `["/account"]`, "/settings/summary/0: must not select"},
		{"", `["/account/name"]`, fits},
	} {
		d := policy.Definition{Name: "P", ContextSchema: []byte(c.schema), Settings: policy.Settings{Redact: []string{"/secret", "/account/iban"}}}
		if err := json.Unmarshal([]byte(c.summary), &d.Settings.Summary); err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, f := range d.Validate(policy.Capabilities{}) {
			if f.Problem != "" {
				found = append(found, f.Pointer+": "+f.Problem)
			}
		}
		if got := strings.Join(found, "; "); (c.want == fits) != (got == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s under %.30s: %q, want %q", c.summary, c.schema, got, c.want)
		}
	}
}
