package condition_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/internal/condition"
)

// batch is a closed schema with a member of each kind.
const batch = `{
	"type": "object", "additionalProperties": false, "required": ["amount", "count", "district", "lines", "owner"],
	"properties": {
		"amount": {"type": "number"}, "count": {"type": "integer"}, "level": {"type": "integer", "minimum": 1, "maximum": 5},
		"district": {"type": "string"}, "urgent": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}},
		"lines": {"type": "array", "items": {"type": "object", "required": ["payee"], "additionalProperties": false,
			"properties": {"payee": {"type": "string"}, "amount": {"type": "number"}}}},
		"owner": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "email": {"type": "string"}}, "unevaluatedProperties": false},
		"note": {"type": ["string", "null"]}, "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "ref": {"$ref": "#/properties/count"},
		"mixed": {"enum": ["a", 1]}, "one": {"enum": ["a", "b"]}, "yes": {"const": true}, "open": {"type": "object", "properties": {"a": {"type": "integer"}}},
		"byname": {"type": "object", "additionalProperties": false, "patternProperties": {"^x-": {"type": "string"}}},
		"map": {"type": "object", "additionalProperties": {"type": "integer"}}
	}}`

func TestImpossibleConditionsAreRefused(t *testing.T) {
	env := newEnv(t)
	for name, tt := range map[string]struct{ expr, want string }{
		"a member that a closed schema lacks":     {`context.amuont > 5`, "line 1, column 8: context.amuont is not in context_schema; did you mean amount?"},
		"one in a presence test":                  {`has(context.nothing)`, "context.nothing is not in context_schema"},
		"one in brackets":                         {`context["nothing"] == 1`, "context.nothing is not in context_schema"},
		"one of a member":                         {`context.owner.name == "x"`, "context.owner.name is not in context_schema"},
		"one of an item":                          {`context.lines[0].total > 1`, "context.lines[].total is not in context_schema"},
		"one of each item":                        {`context.lines.all(l, l.total > 1)`, "l.total is not in context_schema"},
		"one that no pattern lets in":             {`has(context.byname) && context.byname.y == "x"`, "context.byname.y is not in context_schema"},
		"a string that is compared with a number": {`context.district > 5`, "line 1, column 18: > does not take (string, int)"},
		"a string that equals a number":           {`context.district == 5`, "context.district is string and never equals int"},
		"an integer that equals a string":         {`context.count == "5"`, "context.count is int or double and never equals string"},
		"an integer that is a condition":          {`context.count && true`, "context.count is int or double, not a bool"},
		"an integer that begins with a letter":    {`context.count.startsWith("a")`, "startsWith does not take (int or double, string)"},
		"a small integer with a double":           {`has(context.level) && context.level * 1.5 > 2.0`, "* does not take (int, double)"},
		"a string with members":                   {`context.district.name == ""`, "context.district is string and has no members"},
		"a string with elements":                  {`context.district[0] == ""`, "context.district is string and has no elements"},
		"a macro over a string":                   {`context.district.all(x, true)`, "context.district is string, and a macro needs a list or an object"},
		"a number in a list of strings":           {`has(context.tags) && 5 in context.tags`, "the literal is int and is never in a list of string"},
		"a condition that is a string":            {`context.district`, "yields string, not a bool"},
		"a choice of strings":                     {`context.amount > 1 ? context.district : context.owner.id`, "yields string, not a bool"},
		"one of several strings":                  {`context.one > 1`, "> does not take (string, int)"},
		"a constant":                              {`context.yes == "yes"`, "context.yes is bool and never equals string"},
		"the second line":                         {"context.amount > 1 &&\n  context.nothing", "line 2, column 10: context.nothing is not in context_schema\n |   context.nothing\n |          ^"},
		"two of them":                             {`context.x == 1 || context.y == 1`, "context.x is not in context_schema; 1 more\n"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := env.Checker([]byte(batch)).Bool(tt.expr)
			if !errors.Is(err, condition.Invalid) || !strings.Contains(refusal.MessageOf(err), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
	for expr, want := range map[string]string{
		`context.count`:  "yields int or double, not a string or a list of strings",
		`context.lines`:  "yields a list of object, not a string or a list of strings",
		`context.urgent`: "yields bool, not a string or a list of strings",
	} {
		if _, err := env.Checker([]byte(batch)).Strings(expr); !errors.Is(err, condition.Invalid) || !strings.Contains(refusal.MessageOf(err), want) {
			t.Errorf("%s: error = %v, want %q", expr, err, want)
		}
	}
}

// Each of these has a value for the context beside it, so none may be refused.
func TestSatisfiableConditionsAreAccepted(t *testing.T) {
	env := newEnv(t)
	const rest = `,"count":4,"district":"Gulu","lines":[],"owner":{"id":"ana"}}`
	for _, tt := range []struct{ expr, context string }{
		{`context.amount * 2 > 5`, `{"amount":3` + rest},
		{`context.amount * 2.0 > 5`, `{"amount":3.5` + rest},
		{`context.amount > 5.0 || context.amount <= 5`, `{"amount":3.5` + rest},
		{`context.count == 4.0 && context.count % 2 == 0`, `{"amount":1` + rest},
		{`context.count * 1.5 > 1.0`, `{"amount":1,"count":1e30,"district":"","lines":[],"owner":{"id":""}}`},
		{`context["district"] == "Gulu" && "district" in context && size(context) > 3`, `{"amount":1` + rest},
		{`context.all(k, k != "") && context.owner == {"id": "ana"}`, `{"amount":1` + rest},
		{`context.note != null && context.note.startsWith("a")`, `{"note":"abc"` + rest},
		{`context.district != null`, `{"amount":1` + rest},
		{`context.either == 5 && context.ref == "x" && context.mixed == 1`, `{"either":5,"ref":"x","mixed":1` + rest},
		{`context.open.b.c == 1`, `{"open":{"b":{"c":1}}` + rest},
		{`context.byname["x-a"] == "b" && context.map.any == 1`, `{"byname":{"x-a":"b"},"map":{"any":1}` + rest},
		{`(context.amount > 1 ? context.count : context.district) == "Gulu"`, `{"amount":1` + rest},
		{`context.lines.exists(l, has(l.amount) && l.amount > 1) || !has(context.tags) || "x" in context.tags`, `{"amount":1` + rest},
		{`context.lines.map(l, l.payee) == [] && context.lines.filter(l, l.payee == "x").size() == 0`, `{"amount":1` + rest},
		{`dyn(context.district) != 5 && string(context.count) == "4" && double(context.count) / 8.0 == 0.5`, `{"amount":1` + rest},
		{`type(context.count) == int && context.lines.size() == 0 && [1, 2][context.count - 4] == 1`, `{"amount":1` + rest},
	} {
		if _, err := env.Checker([]byte(batch)).Bool(tt.expr); err != nil {
			t.Errorf("%s is refused: %v", tt.expr, err)
		}
		if got, err := env.Bool(t.Context(), tt.expr, input(tt.context)); err != nil || !got {
			t.Errorf("%s = %t, %v of %s: the row tests nothing", tt.expr, got, err, tt.context)
		}
	}
}

func TestPossiblyFailingConditionsReturnWarnings(t *testing.T) {
	env := newEnv(t)
	for expr, want := range map[string]string{
		`context.urgent`:                                                                  "context.urgent may be missing",
		`context.urgent && context.amount > 1`:                                            "context.urgent may be missing",
		`context.owner.email == ""`:                                                       "context.owner.email may be missing",
		`context.lines.all(l, l.amount > 1)`:                                              "l.amount may be missing",
		`has(context.owner.email) || context.urgent`:                                      "context.urgent may be missing",
		`has(context.open) && context.open.b == 1`:                                        "context.open.b is not declared in context_schema",
		`context.count * 1.5 > 2.0`:                                                       "* does not take (int, double)",
		`context.amount * 2 > 5`:                                                          "* does not take (double, int)",
		`has(context.urgent) && context.urgent`:                                           "",
		`context.urgent && has(context.urgent)`:                                           "",
		`!has(context.urgent) || context.urgent`:                                          "",
		`has(context.urgent) ? context.urgent : false`:                                    "",
		`!has(context.urgent) ? true : context.urgent`:                                    "",
		`"urgent" in context && context["urgent"]`:                                        "",
		`context.lines.all(l, has(l.amount)) && context.lines.all(l, l.amount > 1)`:       "l.amount may be missing",
		`context.lines.exists(l, has(l.amount) && context.lines.exists(l, l.amount > 1))`: "l.amount may be missing",
		`!(has(context.urgent) && !context.urgent)`:                                       "",
		`context.lines.all(l, !has(l.amount) || l.amount>1)`:                              "",
		`has(context.owner.email) && context.owner.email!=""`:                             "",
		`context.amount > 5 && context.amount < 7.5`:                                      "",
		`context.count > 5.5 || context.count == 2.0`:                                     "",
		`context.owner.id == requester.id`:                                                "",
		`has(context.map) && context.map.any == 1`:                                        "context.map.any may be missing",
		`request.labels.team == "x" && stages.a.approvals>1`:                              "",
	} {
		warnings, err := env.Checker([]byte(batch)).Bool(expr)
		if err != nil || len(warnings) > 1 || (want == "") != (len(warnings) == 0) || want != "" && !strings.HasPrefix(warnings[0], want) {
			t.Errorf("%s: warnings %q, %v, want %q", expr, warnings, err, want)
		}
	}
}

func TestUnconstrainedSchemaRefusesNothing(t *testing.T) {
	env := newEnv(t)
	for _, schema := range []string{
		``, `true`, `{}`, `[]`, `{"type":"object"}`, `{"type":["object","null"]}`, `{"$ref":"#/$defs/a","$defs":{"a":{}},"additionalProperties":false}`,
		`{"allOf":[{"properties":{"a":{"type":"integer"}}}],"additionalProperties":false}`, `{"type":"object","required":["a"]}`,
	} {
		for _, expr := range []string{`context.a.b > 5`, `context.c == "x" && context.c`, `context.all(x, x == "")`} {
			if warnings, err := env.Checker([]byte(schema)).Bool(expr); err != nil || len(warnings) > 0 {
				t.Errorf("%s with %s: %q, %v", expr, schema, warnings, err)
			}
		}
	}
}

func TestOpenSchemaWarnsOfUndeclaredMembers(t *testing.T) {
	warnings, err := newEnv(t).Checker([]byte(`{"properties":{"amount":{"type":"number"}},"required":["amount","owner"]}`)).
		Bool(`context.amuont > 1 && context.owner == "x"`)
	if want := []string{"context.amuont is not declared in context_schema; did you mean amount?"}; err != nil || !slices.Equal(warnings, want) {
		t.Errorf("warnings %q, %v, want %q", warnings, err, want)
	}
}

func TestAStageThatThePolicyDoesNotHaveIsWorthAWarning(t *testing.T) {
	env := newEnv(t)
	for expr, want := range map[string]string{
		`stages.checks.approvals > 1 && stages["second-check"].status == "approved"`: "",
		`stages.check.approvals > 1`:                      "the policy has no stage check; did you mean checks?",
		`stages["other"].status == "approved"`:            "the policy has no stage other",
		`has(stages.other) && stages.other.approvals > 1`: "",
	} {
		warnings, err := env.Checker(nil, "checks", "second-check").Bool(expr)
		if err != nil || strings.Join(warnings, ", ") != want {
			t.Errorf("%s: warnings %q, %v, want %q", expr, warnings, err, want)
		}
	}
}

func TestAMistakeGetsAHintAndACaret(t *testing.T) {
	env := newEnv(t)
	checker := env.Checker([]byte(`{"properties":{"amount":{"type":"number"}},"required":["amount"]}`))
	for expr, want := range map[string]string{
		`context.amount = 1`:                    "write == to compare",
		`context.amount > 1 & context.amount<2`: "write && for and",
		`context.amount > 1 | context.amount<2`: "write || for or",
		`context.amount > 1 and true`:           "write && for and",
		`context.amount > 1 AND true`:           "write && for and",
		`context.amount > 1 or true`:            "write || for or",
		`not true`:                              "write ! for not",
		`context.amount <> 1`:                   "write != for not equal",
		`request.priority == ‘high’`:            "straight quotes",
		`request.priority == "high`:             "must end with the quote",
		`contxt.amount > 1`:                     "did you mean context?",
		`amount > 1`:                            "did you mean context.amount?",
		`request.artefact_id == ""`:             "did you mean artifact_id?",
		`1.5 * request.revision > 1.0`:          "do not mix",
	} {
		_, err := checker.Bool(expr)
		if err == nil {
			t.Errorf("%s is accepted", expr)
			continue
		}
		lines := strings.Split(refusal.MessageOf(err), "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[0], "line 1, column ") || !strings.Contains(lines[0], want) ||
			lines[1] != " | "+expr || strings.TrimLeft(lines[2], " |") != "^" {
			t.Errorf("%s: error =\n%v\nwant the hint %q", expr, err, want)
		}
	}
}

func TestTheCaretIsUnderThePlaceOfALongLine(t *testing.T) {
	_, err := newEnv(t).Checker(nil).Bool(strings.Repeat("true && ", 100) + "é ü nothing")
	lines := strings.Split(refusal.MessageOf(err), "\n")
	if len(lines) != 3 || len([]rune(lines[1])) > 124 || []rune(lines[1])[strings.Index(lines[2], "^")] != 'é' {
		t.Errorf("error =\n%v", err)
	}
}

// Whatever is refused because of the schema has no value for any context that the
// schema lets in, or always the same one.
func TestNothingIsRefusedThatHasAValueForSomeContext(t *testing.T) {
	env := newEnv(t)
	checker := env.Checker([]byte(batch))
	contexts := []string{
		`{"amount":3,"count":4,"district":"Gulu","lines":[],"owner":{"id":"ana"}}`,
		`{"amount":2.5,"count":1e30,"level":5,"district":"","urgent":true,"tags":["a",""],"lines":[{"payee":"p","amount":1}],
			"owner":{"id":"","email":"a"},"note":null,"either":1,"ref":[1],"mixed":"a","open":{"a":1,"b":{}},"byname":{"x-a":"a"},"map":{"a":1}}`,
		`{"amount":-1,"count":-1,"level":1,"district":"a","urgent":false,"tags":[],"lines":[{"payee":"a"}],
			"owner":{"id":"a"},"note":"a","either":"a","ref":"a","mixed":1,"open":{"a":-1},"byname":{},"map":{}}`,
	}
	operands := []string{
		`context.amount`, `context.count`, `context.level`, `context.district`, `context.urgent`, `context.tags`, `context.lines`, `context.owner`,
		`context.note`, `context.either`, `context.ref`, `context.mixed`, `context.open`, `context.byname`, `context.map`, `context.open.b`,
		`context`, `context.lines[0].payee`, `context.tags[0]`, `1`, `1u`, `1.5`, `"a"`, `true`, `null`, `["a"]`, `{"a": 1}`, `now`, `duration("1h")`, `request`,
	}
	seconds := []string{
		`context.amount`, `context.count`, `context.level`, `context.district`, `context.tags`, `context.owner`, `1`, `1.5`, `"a"`, `true`, `["a"]`, `now`,
	}
	refused := 0
	for _, form := range []string{
		`A == B`, `A != B`, `A < B`, `A + B == A + B`, `A - B == A - B`, `A * B == A * B`, `A / B == A / B`, `A % B == A % B`, `A in B`, `A[B] == A[B]`,
		`A.startsWith(B)`, `A && B`, `(A ? B : B) == B`, `A.a == B`, `-A == B`,
		`A`, `!A`, `has(A.a)`, `size(A) == 0`, `int(A) == 1`, `string(A) == "1"`, `A.all(x, true)`, `A.map(x, x) == A`,
	} {
		for _, a := range operands {
			for i, b := range seconds {
				if i > 0 && !strings.Contains(form, "B") {
					break
				}
				expr := strings.NewReplacer("A", a, "B", b).Replace(form)
				if _, err := checker.Bool(expr); err == nil {
					continue
				}
				if _, err := env.Checker(nil).Bool(expr); err != nil {
					continue // with any schema
				}
				refused++
				outcomes := map[bool]bool{}
				for _, context := range contexts {
					if value, err := env.Bool(t.Context(), expr, input(context)); err == nil {
						outcomes[value] = true
					}
				}
				if len(outcomes) > 1 {
					t.Errorf("%s is refused, and can be true and false", expr)
				}
			}
		}
	}
	if refused < 1000 {
		t.Errorf("only %d expressions are refused: the test proves nothing", refused)
	}
}
