package condition_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cel.dev/cel-go/common/types"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/internal/condition"
)

// untyped is the scope of a policy without a context_schema and a calendar.
var untyped = condition.In(nil, "")

// check checks an expression of a policy without a context_schema.
func check(expr string, yields condition.Yield) error {
	_, err := condition.NewChecker(nil, "").Check(expr, yields)
	return err
}

func TestAnExpressionHasAValueOfItsType(t *testing.T) {
	scope := condition.In(nil, "Africa/Nairobi")
	in := input(`{"sla":"1.5s","iso":"P2D","at":"2027-01-02T03:04:05.0069Z","day":"2027-01-04","n":2,"half":2.5,
		"big":false,"list":[1,2],"amount":1000.5,"name":"ana","names":["bo","cy"],"none":[],
		"lines":[{"owner":"bo"}],"long":"` + strings.Repeat("é", 70) + `"}`)
	for _, tt := range []struct {
		yields     condition.Yield
		expr, want string // the value, or the refusal at the evaluation
	}{
		{condition.Due, `duration("90m")`, "PT5400S"},
		{condition.Due, `duration(context.sla)`, "PT1.5S"},
		{condition.Duration, `duration("0s")`, "PT0S"},
		{condition.Due, `duration("-1s")`, "yields a negative duration"},
		{condition.Due, `context.iso`, "P2D"},
		{condition.Duration, `context.big ? "P1D" : context.iso`, "P2D"},
		{condition.Due, `context.day`, "2027-01-03T21:00:00Z"},
		{condition.Duration, `context.day`, "2027-01-04"}, // refused as a duration by the policy
		{condition.Time, `timestamp(context.day)`, "2027-01-03T21:00:00Z"},
		{condition.Due, `timestamp(context.at)`, "2027-01-02T03:04:05.006Z"},
		{condition.Time, `request.created_at + duration("1h")`, "2026-03-02T10:00:00Z"},
		{condition.Due, `context.n`, "yields double, not a duration, an ISO 8601 duration or a timestamp"},
		{condition.Time, `context.day`, "yields string, not a timestamp"},
		{condition.Due, `context.nothing`, "no such member: nothing"},
		{condition.Due, `context.list.map(x, context.list).size() > 0 ? context.iso : context.iso`, "P2D"},
		{condition.Int, `context.n`, "2"},
		{condition.Int, `context.list.size() * 2`, "4"},
		{condition.Int, `context.amount > 1000 ? 3 : 1`, "3"},
		{condition.Int, `context.half`, "yields 2.5, not a whole number"},
		{condition.Int, `context.name`, "yields string, not a whole number"},
		{condition.Int, `context.n / (context.n - 2)`, "division by zero"},
		{condition.Int, `context.n + 9223372036854775807`, "yields 9223372036854775809, not a whole number"},
		{condition.Names, `context.name`, "[ana]"},
		{condition.Names, `[context.name, "bo"]`, "[ana bo]"},
		{condition.Names, `requester.id`, "[ana]"},
		{condition.Names, `context.names`, "[bo cy]"},
		{condition.Names, `context.names + [context.name]`, "[bo cy ana]"},
		{condition.Names, `context.none`, "[]"},
		{condition.Names, `context.lines.map(l, l.owner)`, "[bo]"},
		{condition.Names, `context.amount > 5 ? "director" : "officer"`, "[director]"},
		{condition.Names, `context.list`, "yields a list with something other than strings"},
		{condition.Names, `["bo", context.n]`, "yields a list with something other than strings"},
		{condition.Names, `context.n`, "yields double, not a string or a list of strings"},
		{condition.Names, `context.lines[0]`, "yields map, not a string or a list of strings"},
		{condition.Bool, `context.name`, "yields string, not a bool"},
		{condition.Due, `duration(context.iso)`, `context.iso is not a duration such as 90m or 1h30m: "P2D"`},
		{condition.Due, `duration(context.list[0])`, `the argument of duration is not a duration such as 90m or 1h30m: 1`},
		{condition.Time, `timestamp(context.name)`,
			`context.name is not a time such as 2027-01-04T09:00:00Z, nor a date such as 2027-01-04: "ana"`},
		{condition.Int, `int(context.name)`, `context.name is not a whole number of 64 bits: "ana"`},
		{condition.Bool, `double(context.long) > 1`,
			`context.long is not a number such as 12.5: "` + strings.Repeat("é", 64) + `"`},
		{condition.Bool, `context.list.exists(x, timestamp(string(x)) > now)`,
			`the argument of timestamp is not a time such as 2027-01-04T09:00:00Z, nor a date such as 2027-01-04: "1"`},
	} {
		if _, err := condition.NewChecker(nil, "").Check(tt.expr, tt.yields, "stages"); err != nil {
			t.Errorf("%s: %v", tt.expr, err)
		}
		v, err := scope.Evaluate(tt.expr, tt.yields, in)
		var got string
		switch {
		case err != nil && v.Refused != "":
			got = refusal.MessageOf(err) + ": " + v.Refused
		case err != nil:
			got = refusal.MessageOf(err)
		case tt.yields == condition.Names:
			got = fmt.Sprint(v.Names)
		case tt.yields == condition.Int:
			got = fmt.Sprint(v.Int)
		case !v.Time.IsZero():
			got = v.Time.Format(time.RFC3339Nano)
		default:
			got = v.Length
		}
		if got != tt.want {
			t.Errorf("%s yields %q, want %q", tt.expr, got, tt.want)
		}
	}
	for yields, exprs := range map[condition.Yield][]string{
		condition.Due:  {`1`, `true`, `["P1D"]`, `now`, `stages["s"].status`, `duration("x")`},
		condition.Int:  {`1.5`, `"2"`, `true`, `[1]`, `uint(1)`},
		condition.Time: {`duration("1h")`, `"2027-01-04"`},
	} {
		for _, expr := range exprs {
			if _, err := condition.NewChecker(nil, "", "s").Check(expr, yields, "stages", "now"); err == nil {
				t.Errorf("%s is accepted as %s", expr, yields)
			}
		}
	}
	if got, err := untyped.Strings(`stages.checks.approvers`, input(`{}`)); err != nil || !slices.Equal(got, []string{"cy", "di"}) {
		t.Errorf("the approvers of a stage are %q, %v", got, err)
	}
	closed := []byte(`{"type":"object","additionalProperties":false,"properties":{"n":{"type":"integer"},"s":{"type":"string"}}}`)
	for expr, ok := range map[string]bool{`context.n`: false, `context.s`: true} {
		if _, err := condition.NewChecker(closed, "").Check(expr, condition.Due); (err == nil) != ok {
			t.Errorf("%s: %v", expr, err)
		}
	}
}

func TestTheVariablesThatAnExpressionReads(t *testing.T) {
	checker := condition.NewChecker(nil, "", "checks")
	for expr, perishable := range map[string]string{
		`context.a && request.priority == "high"`:            "",
		`requester.id == "ana" || true`:                      "",
		`context.now == 1 && context.stages == 2`:            "",
		`"stages" == context.x || "now" == context.y`:        "",
		`[1, 2].exists(n, n == context.a)`:                   "",
		`now > timestamp("2026-01-01T00:00:00Z")`:            "now",
		`context.a || now > request.created_at`:              "now",
		`stages["checks"].approvals > 1`:                     "stages",
		`stages.size() == 1`:                                 "stages",
		`context.list.all(x, stages.exists(k, k == x))`:      "stages",
		`has(stages.checks) || context.a`:                    "stages",
		`.stages.checks.approvals > 1`:                       "stages",
		`true ? true : now == now && stages.size() > 9`:      "stages",
		`{"a": now}["a"] == request.created_at || context.a`: "now",
	} {
		if got := untyped.Reads(expr, "stages", "now"); got != (perishable != "") {
			t.Errorf("Reads(%s) = %v", expr, got)
		}
		_, err := checker.Check(expr, condition.Bool, "stages", "now")
		want := "must not read " + perishable
		if (err == nil) != (perishable == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", expr, err, want)
		}
		if _, err := checker.Check(expr, condition.Bool); err != nil {
			t.Errorf("%s as a condition of a stage: %v", expr, err)
		}
	}
	if untyped.Reads("context.", "context") {
		t.Error("an invalid expression reads a variable")
	}
}

// input is a disbursement by Ana of finance, whose first stage is approved.
func input(document string) condition.Input {
	return condition.Input{
		Context: []byte(document),
		Request: condition.Request{
			ID: "r1", PolicyKey: "disbursement.batch", PolicyVersion: 3,
			ArtifactType: "pbms.disbursement_batch", ArtifactID: "b7", Revision: 2,
			CreatedAt: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), Priority: "high",
			Labels: map[string]string{"team": "finance"},
		},
		Requester: condition.Requester{
			ID: "ana", Username: "ana.k", Email: "ana@example.org",
		},
		Stages: map[string]condition.Stage{
			"checks": {Status: "approved", Approvals: 2, Approvers: []string{"cy", "di"}},
		},
		Now: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC),
	}
}

func TestAConditionReadsTheRequest(t *testing.T) {
	tests := []struct {
		expr, context string
		want          bool
	}{
		// Numbers: integers and doubles compare with each other.
		{`context.amount > 50000`, `{"amount":60000}`, true},
		{`context.amount > 50000`, `{"amount":60000.5}`, true},
		{`context.amount > 50000.0`, `{"amount":60000}`, true},
		{`context.amount > 50000.0`, `{"amount":60000.5}`, true},
		{`context.amount > 50000.0`, `{"amount":50000}`, false},
		{`context.amount == 50000.0`, `{"amount":50000}`, true},
		{`context.amount <= 50000`, `{"amount":50000.5}`, false},
		{`context.amount in [1, 50000.0]`, `{"amount":50000}`, true},
		{`double(context.amount) * 1.1 > 50000.0`, `{"amount":50000}`, true},
		{`context.amount % 1000 == 0`, `{"amount":5000}`, true},
		{`context.amount > 9.2e18`, `{"amount":9300000000000000000}`, true},
		{`context.amount > 9.2e18`, `{"amount":9210000000000000000}`, true},
		{`context.amount < -9.2e18`, `{"amount":-9300000000000000000}`, true},

		// The other types of JSON.
		{`context.district == "Gulu"`, `{"district":"Gulu"}`, true},
		{`context["district"].startsWith("Gu")`, `{"district":"Gulu"}`, true},
		{`context.urgent`, `{"urgent":true}`, true},
		{`context.owner == null`, `{"owner":null}`, true},
		{`has(context.owner)`, `{}`, false},
		{`has(context.owner) && context.owner == "x"`, ``, false},
		{`context.lines.all(l, l.amount < 100) && context.lines.exists(l, l.kind == "cash")`,
			`{"lines":[{"amount":1,"kind":"cash"},{"amount":99.5,"kind":"card"}]}`, true},
		{`context.lines.exists_one(l, l == 2) && context.lines.filter(l, l > 1).map(l, l * 2) == [4, 6]`, `{"lines":[1,2,3]}`, true},
		{`context.a == context.b`, `{"a":{"x":[1,{"y":2}]},"b":{"x":[1.0,{"y":2}]}}`, true},
		{`context.a != context.b`, `{"a":[1,2],"b":[1,3]}`, true},
		{`"x" in context && context.x in context.all && !("z" in context.all)`, `{"x":"x","all":["x","y"]}`, true},
		{`context.code.matches("^[A-Z]{2}[0-9]{4}$")`, `{"code":"UG0042"}`, true},
		{`context.a / 2.0 == 1.5 && context.b / 2 == 2.5`, `{"a":3.0000001,"b":5}`, false},

		// The typed variables.
		{`request.policy_key == "disbursement.batch" && request.policy_version == 3 && request.id == "r1"`, `{}`, true},
		{`request.artifact_type.endsWith("batch") && request.artifact_id == "b7" && request.revision > 1`, `{}`, true},
		{`request.revision > 1.5 && request.revision < 2.5`, `{}`, true},
		{`request.priority in ["high", "urgent"] && request.labels.team == "finance"`, `{}`, true},
		{`now - request.created_at == duration("1h") && request.created_at < timestamp("2026-03-02T09:30:00Z")`, `{}`, true},
		{`now.getDayOfWeek() == 1 && now.getHours() == 10`, `{}`, true},
		{`requester.id == "ana" && requester.username == "ana.k" && requester.email.contains("@")`, `{}`, true},
		{`stages.checks.status == "approved" && stages["checks"].approvals == 2 && "cy" in stages.checks.approvers`, `{}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.expr+" of "+tt.context, func(t *testing.T) {
			if err := check(tt.expr, condition.Bool); err != nil {
				t.Fatalf("check: %v", err)
			}
			got, err := untyped.Bool(tt.expr, input(tt.context))
			if err != nil || got != tt.want {
				t.Errorf("Bool = %t, %v, want %t", got, err, tt.want)
			}
		})
	}
}

func TestCompileErrorReportsPositionAndCause(t *testing.T) {
	tests := map[string]struct {
		yields condition.Yield
		expr   string
		want   string
	}{
		"nothing":    {condition.Bool, ``, "line 1, column 1: "},
		"bad syntax": {condition.Bool, "true &&\n  && false", "line 2, column 3: "},
		"unknown variable": {condition.Bool, `ctx.amount > 1`,
			"line 1, column 1: undeclared reference to 'ctx'"},
		"unknown member": {condition.Bool, `request.artefact_id == ""`,
			"line 1, column 8: undefined field 'artefact_id'"},
		"wrong operand":     {condition.Bool, `request.id > 3`, "'_>_' applied to '(string, int)'"},
		"no bool":           {condition.Bool, `request.id`, "yields string, not a bool"},
		"a list for a bool": {condition.Bool, `stages.checks.approvers`, "yields list(string), not a bool"},
		"no string":         {condition.Names, `1 + 1`, "yields int, not a string or a list of strings"},
		"a list of numbers": {condition.Names, `[1]`, "yields list(int), not a string or a list of strings"},
		"a bad pattern": {condition.Bool, `requester.id.matches("(")`,
			"the pattern of matches: error parsing regexp: missing closing )"},
		"a pattern that compiles large": {condition.Bool, `requester.id.matches("((a{30}){30})$")`,
			"the pattern of matches: compiles to"},
		"a computed pattern": {condition.Bool, `requester.id.matches(context.p)`,
			"the pattern of matches must be a literal"},
		"a bad duration": {condition.Bool, `now - request.created_at > duration("2d")`,
			"invalid duration argument"},
		"a function with I/O": {condition.Bool, `http.get("https://example.org") == ""`,
			"undeclared reference to 'http'"},
		"a macro not listed":   {condition.Bool, `optional.of(1).hasValue()`, "undeclared reference"},
		"several problems":     {condition.Bool, `a && b && c`, "; 2 more"},
		"assignment of a name": {condition.Bool, `context.x = 1`, "line 1, column 11: "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := check(tt.expr, tt.yields)
			if !errors.Is(err, condition.Invalid) || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error = %v, want kind %s and text %q", err, condition.Invalid, tt.want)
			}
			if strings.Contains(err.Error(), "types.") || strings.Contains(err.Error(), "condition.") {
				t.Errorf("error %q names a Go type", err)
			}
		})
	}
}

func repeat(n int, element string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

// doublings is an expression whose value x holds a list of 2^n leaves, made in n
// cheap steps.
func doublings(n int, double, then string) string {
	return "[context.l]" + strings.Repeat(".map(x, "+double+")", n) + ".all(x, " + then + ")"
}

func TestACostlyExpressionIsRefusedOrStopped(t *testing.T) {
	thousand := `{"a":` + repeat(1000, "1") + `}`
	long := strings.Repeat("a", 100_000)
	text := `{"s":"` + long + `"}`
	list := `{"l":` + repeat(100, "1") + `}`
	tests := map[string]struct{ expr, context, want string }{
		"three loops over one list":    {`context.a.all(x, context.a.all(y, context.a.all(z, true)))`, thousand, "may cost more than 1000000 steps"},
		"two loops over a longer list": {`context.a.all(x, context.a.all(y, x + y > 0))`, thousand, "actual cost limit exceeded"},
		"a text added to itself":       {`(` + strings.Repeat("context.s + ", 40) + `"") == ""`, text, "actual cost limit exceeded"},
		"a text doubled by map": {`[context.s]` + strings.Repeat(".map(x, x + x)", 30) + `.all(x, x == "")`, text,
			"may cost more than 1000000 steps"},
		"a typed text doubled by map": {`[requester.id]` + strings.Repeat(".map(x, x + x)", 30) + `.all(x, x == "")`,
			text, "may cost more than 1000000 steps"},
		"a pattern over a long text": {`context.s.matches("(a+)+$")`, text, "matches a text longer"},
		"a pattern over many texts": {`context.a.exists(x, context.s.matches("(a+)+$"))`, `{"s":"` + long[:4000] +
			`!","a":` + repeat(1000, "1") + `}`, "actual cost limit exceeded"},
		"a large pattern over short texts": {`context.a.exists(x, context.s.matches("(a{20}){20}$"))`, `{"s":"` + long[:40] +
			`","a":` + repeat(1000, "1") + `}`, "actual cost limit exceeded"},
		"5,000 parentheses":             {strings.Repeat("(", 5000) + "true" + strings.Repeat(")", 5000), `{}`, "longer than 4096 bytes"},
		"2,000 parentheses":             {strings.Repeat("(", 2000) + "true" + strings.Repeat(")", 2000), `{}`, "recursion"},
		"2,000 open parentheses":        {strings.Repeat("(", 4000), `{}`, "recursion"},
		"2,000 lists":                   {strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + " == []", `{}`, "recursion"},
		"nested calls":                  {strings.Repeat("size([", 500) + strings.Repeat("])", 500) + " == 1", `{}`, "recursion"},
		"a list doubled and compared":   {doublings(40, "x + x", "x == x"), list, "may cost more than 1000000 steps"},
		"a list doubled and searched":   {doublings(40, "x + x", "3 in x"), list, "may cost more than 1000000 steps"},
		"a list doubled beyond 64 bits": {doublings(80, "x + x", "size(x) > 0"), list, "recursion"},
		"a list nested and compared":    {doublings(40, "[x, x]", "x == x"), list, "memory limit exceeded"},
		"a comparison of nested lists":  {doublings(40, "[x, x]", "x != x"), list, "memory limit exceeded"},
		"a map nested and compared":     {doublings(40, `{"a": x, "b": x}`, "x == x"), list, "memory limit exceeded"},
		"a costly step that || would hide": {`context.l.exists(i, ` + doublings(20, "x + x", "x != x") + ` || true)`, list,
			"may cost more than 1000000 steps"},
		"large lists compared again, again": {`context.l.all(i, context.l.all(j, context.m == context.m))`, `{"l":` +
			repeat(100, "1") + `,"m":` + repeat(5000, "1") + `}`, "actual cost limit exceeded"},
		"the whole context compared": {`context.l.all(i, context == context)`, `{"l":` + repeat(30_000, "1") + `}`, "actual cost limit exceeded"},
		"long texts measured again, again": {`context.l.all(i, context.l.all(j, size(context.s) > 0))`, `{"l":` +
			repeat(100, "1") + `,"s":"` + long + `"}`, "actual cost limit exceeded"},
		"a large list searched often": {`context.l.all(i, 3 in context.l)`, `{"l":` + repeat(10_001, "3") + `}`, "actual cost limit exceeded"},
		"a large list compared with []": {`context.l.all(i, context.m != [])`, `{"l":` + repeat(3000, "1") + `,"m":` +
			repeat(60_000, "1") + `}`, "memory limit exceeded"},
		"a large list listed often": {`size(context.l.map(i, context.l)) > 0`, `{"l":` + repeat(60_000, "1") + `}`, "memory limit exceeded"},
		"texts added again, again": {`context.l.all(i, context.s + context.s != "")`, `{"l":` + repeat(1000, "1") +
			`,"s":"` + long + `"}`, "actual cost limit exceeded"},
		"more than 4 KiB": {`true` + strings.Repeat(" ", 4096), `{}`, "longer than 4096 bytes"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := processorTime(t)
			_, err := untyped.Bool(tt.expr, input(tt.context))
			if took := processorTime(t) - before; took > slowdown*time.Second {
				t.Errorf("%s of processor time", took)
			}
			if !errors.Is(err, condition.TooCostly) || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error = %v, want kind %s and text %q", err, condition.TooCostly, tt.want)
			}
		})
	}
}

func TestMatchesHasALimitOnTextAndPattern(t *testing.T) {
	for name, tt := range map[string]struct {
		text, pattern int // bytes of the text, instructions of the pattern
		want          string
	}{
		"the longest text":     {4096, 10, ""},
		"a longer text":        {4097, 10, "matches a text longer than 4096 bytes"},
		"the largest pattern":  {10, 500, ""},
		"a larger pattern":     {10, 501, "compiles to 501 instructions, more than 500"},
		"the limits of either": {4096, 500, ""},
	} {
		pattern := strings.Repeat("a", tt.pattern-2)
		if size, err := types.RegexProgramSize(pattern); err != nil || size != tt.pattern {
			t.Fatalf("%s: the pattern has %d instructions: %v", name, size, err)
		}
		_, err := untyped.Bool(`context.s.matches("`+pattern+`")`, input(`{"s":"`+strings.Repeat("b", tt.text)+`"}`))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error = %v, want text %q", name, err, tt.want)
		}
	}
}

// slowdown is 1, or the factor of the race detector.
var slowdown time.Duration = 1

// processorTime returns the processor time of the test so far.
func processorTime(t *testing.T) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func TestAnExpressionWithoutAValueIsAnError(t *testing.T) {
	tests := map[string]struct{ expr, context, want string }{
		"integer division by zero":      {`context.amount / context.n > 5`, `{"amount":1,"n":0}`, "division by zero"},
		"literal division by zero":      {`1 / 0 > 5`, `{}`, "division by zero"},
		"double division by zero":       {`double(context.amount) / double(context.n) < 5.0`, `{"amount":0,"n":0}`, "division by zero"},
		"modulus by zero":               {`context.amount % 0 == 0`, `{"amount":1}`, "modulus by zero"},
		"missing member":                {`context.amount > 5`, `{"amuont":6}`, "no such member: amount"},
		"missing member of a member":    {`context.a.b.c == 1`, `{"a":{"b":{}}}`, "no such member: c"},
		"missing stage":                 {`stages["director"].approvals > 0`, `{}`, "no such member: director"},
		"missing element":               {`context.a[3] == 1`, `{"a":[1]}`, "index out of bounds"},
		"a key taken from the context":  {`context[context.k] == 1`, `{"k":"secret"}`, "no such member"},
		"no context at all":             {`context.amount > 5`, ``, "no such member: amount"},
		"a text compared with a number": {`context.amount > 5`, `{"amount":"6"}`, "no such overload"},
		"a text that is no bool":        {`context.urgent`, `{"urgent":"secret"}`, "yields string, not a bool"},
		"null for a bool":               {`context.urgent && true`, `{"urgent":null}`, "no such overload"},
		"an overflow":                   {`request.revision + 9223372036854775807 > 0`, `{}`, "integer overflow"},
		"a conversion that quotes no value": {`int(context.s) > 0`, `{"s":"secret"}`,
			"context.s is not a whole number of 64 bits"},
		"a time that quotes no value": {`timestamp(context.s) > now`, `{"s":"secret"}`,
			"context.s is not a time such as 2027-01-04T09:00:00Z, nor a date such as 2027-01-04"},
		"a context that is no object": {`context.a == 1`, `["secret"]`, "the context is not a JSON object"},
		"a context that is cut":       {`context.a == 1`, `{"a":1`, "the context is not a JSON object"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := untyped.Bool(tt.expr, input(tt.context))
			if !errors.Is(err, condition.Failed) || refusal.MessageOf(err) != tt.want {
				t.Fatalf("error = %v, want kind %s and text %q", err, condition.Failed, tt.want)
			}
		})
	}

	t.Run("names: too many", func(t *testing.T) {
		_, err := untyped.Strings(`context.owners`, input(`{"owners":`+repeat(1001, `"bo"`)+`}`))
		if !errors.Is(err, condition.TooCostly) {
			t.Fatalf("error = %v, want kind %s", err, condition.TooCostly)
		}
	})
}

func TestALargeContextIsWithinTheLimits(t *testing.T) {
	line := `{"payee":"p-000001","amount":1200.5,"currency":"UGX","method":"bank"}`
	in := input(`{"lines":` + repeat(2500, line) + `,"payees":` + repeat(5000, `"p-000002"`) + `}`)
	for _, expr := range []string{
		`context.lines.all(l, l.amount < 5000 && l.currency == "UGX")`,
		`context.lines.exists(l, l.method.matches("^(bank|cash)$"))`,
		`size(context.lines.filter(l, l.amount > 1000)) == 2500`,
		`!("p-000001" in context.payees)`,
	} {
		if got, err := untyped.Bool(expr, in); err != nil || !got {
			t.Errorf("%s = %t, %v, want true", expr, got, err)
		}
	}
}

func TestAnEvaluationOutOfTimeIsNotTheExpressionsFault(t *testing.T) {
	defer condition.SetMaxTime(-1)()
	_, err := untyped.Bool(`context.a.all(x, context.a.all(y, x + y > 0))`, input(`{"a":`+repeat(1000, "1")+`}`))
	if !errors.Is(err, condition.OutOfTime) {
		t.Errorf("error = %v, want kind %s", err, condition.OutOfTime)
	}
}

func TestAScopeIsSafeForConcurrentUse(t *testing.T) {
	in := input(`{"l":[1,2,3]}`) // shared: an evaluation must not change its input
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 300 {
				// Half of the expressions are common to all, half are new and turn the cache over.
				expr := fmt.Sprintf(`context.l.exists(x, x == %d) && requester.id.matches("^a") && stages.checks.approvals == 2`, i%3+1)
				if i%2 == 1 {
					expr = fmt.Sprintf(`size(context.l) + %d == %d`, worker*1000+i, worker*1000+i+3)
				}
				if got, err := untyped.Bool(expr, in); err != nil || !got {
					t.Errorf("%s = %t, %v", expr, got, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func FuzzCompile(f *testing.F) {
	for _, expr := range []string{
		`context.amount > 50000.0`, `stages.checks.approvers.exists(r, r == "x")`, `[1, 2].map(x, x * 2)`, `((true))`,
		`"a".matches("(a+)+$")`, `{"a": b"x"}.a + bytes("é")`, `has(context.a.b) ? 1u : -2`, `now - duration("1h")`,
		`wf.Request{id: "x"}.id`, `context[context]`, "`", `r"\u00`, `[context.l].map(x, x + x).all(x, x == x)`, `dyn(1) in [[]]`,
	} {
		f.Add(expr, `{"a":{"b":1},"l":[1,"x",null]}`)
	}
	f.Fuzz(func(t *testing.T, expr, document string) {
		_, err := untyped.Bool(expr, input(document))
		var known *refusal.Error
		if err != nil && !errors.As(err, &known) {
			t.Fatalf("error of %q has no kind: %v", expr, err)
		}
		_, _ = condition.NewChecker(batch, "", "checks").Check(expr, condition.Bool)
		if checked := check(expr, condition.Bool); checked != nil && err == nil {
			t.Fatalf("%q has a value but does not pass the check: %v", expr, checked)
		}
	})
}
