package condition_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/internal/condition"
)

// batch has a member of each kind.
var batch = []byte(`{
	"type": "object", "additionalProperties": false, "required": ["amount", "count", "district", "lines", "owner"],
	"properties": {
		"amount": {"type": "number"}, "count": {"type": "integer"}, "district": {"type": "string"}, "urgent": {"type": "boolean"},
		"from": {"type": "string", "format": "date-time"}, "day": {"type": "string", "format": "date"},
		"tags": {"type": "array", "items": {"type": "string"}}, "rates": {"type": "array", "items": {"type": "number"}},
		"lines": {"type": "array", "items": {"type": "object", "required": ["payee"],
			"properties": {"payee": {"type": "string"}, "amount": {"type": "number"}, "units": {"type": "integer"},
				"at": {"type": "string", "format": "date-time"}}}},
		"owner": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "email": {"type": "string"}}},
		"note": {"type": ["string", "null"]}, "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
		"ref": {"$ref": "#/properties/count"}, "any": {"type": "object"},
		"byname": {"type": "object", "patternProperties": {"^x-": {"type": "string"}}},
		"map": {"type": "object", "additionalProperties": {"type": "integer"}}, "first-name": {"type": "string"}
	}}`)

func TestTheSchemaTypesExpressions(t *testing.T) {
	for expr, want := range map[string]string{
		`context.amuont > 5`:                                   "line 1, column 8: undefined field 'amuont'; did you mean amount?; the fields are amount, any,",
		`has(context.nothing)`:                                 "undefined field 'nothing'",
		`context.owner.name == "x"`:                            "undefined field 'name'; the fields are email, id",
		`context.lines[0].total > 1`:                           "undefined field 'total'; the fields are amount, at, payee, units",
		`context.lines.all(l, l.total > 1)`:                    "undefined field 'total'; the fields are amount, at, payee, units",
		`requester.roles == []`:                                "undefined field 'roles'; the fields are email, id, username",
		`context.district > 5`:                                 "'_>_' applied to '(string, int)'",
		`context.district == 5`:                                "'_==_' applied to '(string, int)'",
		`context.count == "5"`:                                 "'_==_' applied to '(int, string)'",
		`context.count && true`:                                "expected type 'bool' but found 'int'",
		`context.count.startsWith("a")`:                        "'startsWith'",
		`context.district.name == ""`:                          "does not support field selection",
		`context.district.all(x, true)`:                        "cannot be range of a comprehension",
		`5 in context.tags`:                                    "'@in' applied to '(int, list(string))'",
		`context.district`:                                     "yields string, not a bool",
		`sum(context.tags) != "a"`:                             "found no matching overload for 'sum' applied to '(list(string))'",
		`timestamp("tomorrow") > now`:                          `"tomorrow" is not a time such as`,
		`context.amount > 1234567890.1234567`:                  "1234567890.1234567 has 17 significant digits; a number with a point has at most 15",
		"context.amount > 1.0 &&\n  context.nothing":           "line 2, column 10: undefined field 'nothing'",
		`context.x == 1 || context.y == 1`:                     "; 1 more",
		`amount > 1`:                                           "did you mean context.amount?",
		`contxt.amount > 1`:                                    "did you mean context?",
		`request.artefact_id == ""`:                            "did you mean artifact_id?",
		`context.map.all(k, k == 1)`:                           "'_==_' applied to '(string, int)'",
		strings.Repeat("true && ", 100) + "é ü nothing == 1.0": "Syntax error",
	} {
		_, err := condition.NewChecker(batch, "").Check(expr, condition.Bool)
		if !errors.Is(err, condition.Invalid) || !strings.Contains(refusal.MessageOf(err), want) {
			t.Errorf("%s: error = %v, want %q", expr, err, want)
		}
	}
	for expr, want := range map[string]string{
		`context.count`: "yields int, not a string or a list of strings",
		`context.rates`: "yields list(double), not a string or a list of strings",
	} {
		_, err := condition.NewChecker(batch, "").Check(expr, condition.Names)
		if !errors.Is(err, condition.Invalid) || !strings.Contains(refusal.MessageOf(err), want) {
			t.Errorf("%s: error = %v, want %q", expr, err, want)
		}
	}
}

// Each row is accepted and true for the context beside it.
func TestTypedConditionsHaveValues(t *testing.T) {
	const rest = `,"count":4,"district":"Gulu","lines":[{"payee":"p","amount":1.1,"units":2},{"payee":"q","amount":2.2}],"owner":{"id":"ana"}}`
	for _, tt := range []struct{ expr, context string }{
		{`context.amount * 2 > 5`, `{"amount":3` + rest},
		{`context.amount > 5.0 || context.amount <= 5`, `{"amount":3.5` + rest},
		{`context.count == 4.0 && context.count % 2 == 0 && context.count / 3 == 1`, `{"amount":1` + rest},
		{`context.count * 1.5 > 1.0 && 5 in context.rates && 2.5 in context.rates`, `{"amount":1,"rates":[5,2.5]` + rest},
		{`context.owner.id == "ana" && !has(context.owner.email)`, `{"amount":1` + rest},
		{`context.note != null && context.note.startsWith("a")`, `{"amount":1,"note":"abc"` + rest},
		{`context.either == 5 && context.ref == "x" && context.any.b.c == 1`, `{"amount":1,"either":5,"ref":"x","any":{"b":{"c":1}}` + rest},
		{`context.byname["x-a"] == "b" && context.map.a == 1 && "a" in context.map`, `{"amount":1,"byname":{"x-a":"b"},"map":{"a":1}` + rest},
		{"context.`first-name` == \"Ana\"", `{"amount":1,"first-name":"Ana"` + rest},
		{`sum(context.lines.map(l, l.amount)) == context.amount`, `{"amount":3.3` + rest},
		{`context.lines.exists(l, has(l.units) && l.units * l.amount == 2.2)`, `{"amount":1` + rest},
		{`context.lines.map(l, l.payee) == ["p", "q"] && context.lines.filter(l, l.payee == "x").size() == 0`, `{"amount":1` + rest},
		{`type(context.count) == int && type(context.amount) == double && string(context.count) == "4"`, `{"amount":1` + rest},
		{`date(context.day) < timestamp(context.from) && timestamp(context.day) == date("2027-01-04")`,
			`{"amount":1,"day":"2027-01-04","from":"2027-01-04T09:00:00+03:00"` + rest},
		{`(context.amount > 1 ? context.count : int(context.amount)) == 4`, `{"amount":1.5` + rest},
	} {
		if _, err := condition.NewChecker(batch, "").Check(tt.expr, condition.Bool); err != nil {
			t.Errorf("%s is refused: %v", tt.expr, err)
			continue
		}
		if got, err := condition.In(batch, "").Bool(tt.expr, input(tt.context)); err != nil || !got {
			t.Errorf("%s = %t, %v of %s", tt.expr, got, err, tt.context)
		}
	}
}

func TestPossiblyFailingConditionsReturnWarnings(t *testing.T) {
	for expr, want := range map[string]string{
		`context.urgent`:                                              "context.urgent may be missing",
		`context.urgent && context.amount > 1`:                        "context.urgent may be missing",
		`context.owner.email == ""`:                                   "context.owner.email may be missing",
		`context.lines.all(l, l.amount > 1)`:                          "l.amount may be missing",
		`has(context.owner.email) || context.urgent`:                  "context.urgent may be missing",
		`has(context.urgent) && context.urgent`:                       "",
		`!has(context.urgent) ? true : context.urgent`:                "",
		`context.lines.all(l, !has(l.amount) || l.amount > 1)`:        "",
		`context.owner.id == requester.id && context.count > 5.5`:     "",
		`has(context.map) && context.map.any == 1`:                    "",
		`request.labels.team == "x" && stages.checks.approvals > 1`:   "",
		`stages.check.approvals > 1`:                                  "the policy has no stage check; did you mean checks?",
		`stages["other"].status == "approved"`:                        "the policy has no stage other",
		`stages["second-check"].status == "approved"`:                 "",
		`has(context.from) && context.from < "2027-01-01T00:00:00Z"`:  "context.from is compared as a text",
		`has(context.day) && context.day < "2027-01-01"`:              "",
		`has(context.day) && timestamp(context.day) < now`:            "timestamp(context.day) is the begin of the day",
		`has(context.day) && date(context.day) < now`:                 "",
		`has(context.from) && "2027-01-01T00:00:00Z" == context.from`: "context.from is compared as a text",
		`context.lines.all(l, has(l.at) && l.at >= "2027-01-01")`:     "l.at is compared as a text",
		`has(context.from) && context.from.size() > 3`:                "",
		`has(context.from) && timestamp(context.from) < now`:          "",
		`has(context.note) && context.note == null || context.urgent`: "context.urgent may be missing",
	} {
		warnings, err := condition.NewChecker(batch, "", "checks", "second-check").Check(expr, condition.Bool)
		if err != nil || len(warnings) > 1 || (want == "") != (len(warnings) == 0) || want != "" && !strings.HasPrefix(warnings[0], want) {
			t.Errorf("%s: warnings %q, %v, want %q", expr, warnings, err, want)
		}
	}
}

func TestASchemaWithoutTypesRefusesNothing(t *testing.T) {
	for _, schema := range []string{
		``, `true`, `{}`, `[]`, `{"type":"object"}`, `{"type":["object","null"]}`, `{"$ref":"#/$defs/a","$defs":{"a":{}},"additionalProperties":false}`,
		`{"allOf":[{"properties":{"a":{"type":"integer"}}}],"additionalProperties":false}`, `{"type":"object","required":["a"]}`,
	} {
		for _, expr := range []string{`context.a.b > 5`, `context.c == "x" && context.c`, `context.all(x, x == "")`} {
			warnings, err := condition.NewChecker([]byte(schema), "").Check(expr, condition.Bool)
			if err != nil || len(warnings) > 0 {
				t.Errorf("%s with %s: %q, %v", expr, schema, warnings, err)
			}
		}
	}
}
