package policyfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/web/webtest"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/internal/policyfile"
)

const examples = "../../../../docs/examples/policies"

func newReader(t testing.TB) *policyfile.Reader {
	t.Helper()
	r, err := policyfile.NewReader()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// texts returns the problems as a file would print them.
func texts(problems []policyfile.Problem) string {
	var all []string
	for _, p := range problems {
		all = append(all, p.String())
	}
	return strings.Join(all, "\n")
}

func TestDocumentsOfTheCoreSchema(t *testing.T) {
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ","))
	}
	for name, tt := range map[string]struct{ in, want, problems string }{
		"scalars": {
			"a: [null, ~, true, FALSE, yes, on, no]\nb: [1, -1, +12, 012, 0o14, 0xFF, 1_000]\nc: [1.5, .5, 1., 1e3, -2.50, 0.1e-2]\nd:\n",
			`{"a":[null,null,true,false,"yes","on","no"],"b":[1,-1,12,12,12,255,"1_000"],"c":[1.5,0.5,1.0,1e3,-2.50,0.1e-2],"d":null}`, "",
		},
		"dates are strings": {"at: 2027-01-04T09:00:00Z\nclock: 12:30\n", `{"at":"2027-01-04T09:00:00Z","clock":"12:30"}`, ""},
		"quoted": {"a: \"1\"\nb: 'true'\nc: |\n  text\n  more\nd: >\n  one\n  line\n",
			`{"a":"1","b":"true","c":"text\nmore\n","d":"one line\n"}`, ""},
		"large numbers":          {"a: 9007199254740993\nb: 0.10000000000000000001\n", `{"a":9007199254740993,"b":0.10000000000000000001}`, ""},
		"anchors":                {"a: &x {b: [1]}\nc: *x\n", `{"a":{"b":[1]},"c":{"b":[1]}}`, ""},
		"a merge key is a key":   {"a: &x {b: 1}\nc: {<<: *x}\n", `{"a":{"b":1},"c":{"<<":{"b":1}}}`, ""},
		"unicode":                {"é/~: \"\\u2028<\"\n", "{\"é/~\":\"\u2028<\"}", ""},
		"duplicate keys":         {"a: 1\nb: {c: 1, c: 2}\na: 2\n", "", "2: /b/c: the key is given twice\n3: /a: the key is given twice"},
		"an escaped duplicate":   {"a: 1\n\"\\u0061\": 2\n", "", "2: /a: the key is given twice"},
		"tags":                   {"a: !!str 1\nb: !x {}\n", "", "1: /a: tags are not permitted\n2: /b: tags are not permitted"},
		"keys are strings":       {"1: a\n? [b]\n: c\n", "", "1: /: a key must be a string\n2: /: a key must be a string"},
		"numbers are finite":     {"a: .inf\nb: .NaN\n", "", "1: /a: a number must be finite\n2: /b: a number must be finite"},
		"numbers have 64 digits": {"a: [" + strings.Repeat("1", 65) + "]\n", "", "1: /a/0: "},
		"a large hexadecimal":    {"a: 0xFFFFFFFFFFFFFFFFFF\n", "", "1: /a: the number is too large"},
		"several documents":      {"a: 1\n---\nb: 1\n", "", "2: /: must contain one document"},
		"no document":            {"", "", "1: /: the file is empty"},
		"comments alone":         {"# nothing\n", "", "1: /: the file is empty"},
		"syntax":                 {"a: 1\nb: [1\nc: 2\n", "", "1: /: is not YAML: "},
		"an unknown alias":       {"a: *b\n", "", "1: /: is not YAML: unknown anchor 'b' referenced"},
		"depth":                  {"a: " + deep + "\n", "", "1: /a" + strings.Repeat("/0", 64) + ": values are nested deeper than 64 levels"},
		"an alias in itself":     {"a: &x [*x]\n", "", "1: /a" + strings.Repeat("/0", 32) + ": values are nested deeper than 64 levels"},
		"a bomb of aliases":      {bomb, "", ": the document has more than 20000 values"},
		"size":                   {"a: &x " + strings.Repeat("x", 1<<17) + "\nb: [*x, *x, *x]\n", "", ": the document is larger than 256 KiB"},
	} {
		doc, problems := policyfile.Parse("x.yaml", []byte(tt.in))
		if got := texts(problems); tt.problems == "" && got != "" || !strings.Contains(got, tt.problems) || (tt.problems != "") != (got != "") {
			t.Errorf("%s: problems %.300q, want %.300q", name, got, tt.problems)
		}
		if tt.problems == "" && string(doc.JSON) != tt.want {
			t.Errorf("%s: is %s, want %s", name, doc.JSON, tt.want)
		}
	}
}

func TestDocumentsOfJSON(t *testing.T) {
	doc, problems := policyfile.Parse("x.json", []byte("{\n\t\"a\": [1,\n\t2],\n\t\"b/~\": {\n\"c\": null}}"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for pointer, line := range map[string]int{"": 1, "/a": 2, "/a/0": 2, "/a/1": 3, "/a/2": 2, "/b~1~0": 4, "/b~1~0/c": 5, "/x": 1} {
		if got := doc.Line(pointer); got != line {
			t.Errorf("%s is in line %d, want %d", pointer, got, line)
		}
	}
	for in, want := range map[string]string{
		"{\n\"a\": 1,\n\"a\": 2}": "3: /a: the key is given twice", "{\n\"a\": }": "2: /a: is not JSON: ", "": "1: /: is not JSON: ",
		`"` + strings.Repeat("x", 256<<10) + `"`: "1: /: the document is larger than 256 KiB",
	} {
		if _, problems := policyfile.Parse("x.json", []byte(in)); !strings.HasPrefix(texts(problems), want) {
			t.Errorf("%.40q: %q, want %q", in, texts(problems), want)
		}
	}
}

// badPolicies maps files that are no policies to their problems. The JSON Schema also refuses those with shape.
var badPolicies = map[string]struct {
	text, problems string
	shape          bool
}{
	"no key":    {"name: A\nstages: []\n", "1: /policy_key: Field required", true},
	"a bad key": {"policy_key: a b\nname: A\nstages: []\n", "1: /policy_key: String should match pattern", true},
	"an unknown name": {"policy_key: a\nname: A\nstages: []\nsetings: {}\n",
		"4: /setings: Extra inputs are not permitted; did you mean 'settings'?", true},
	"types": {"policy_key: a\nname: 1\nstages: {}\n",
		"2: /name: Input should be a valid string\n3: /stages: Input should be a valid list", true},
	"an enumeration": {"policy_key: a\nname: A\nstages: []\nsettings: {on_behalf: all}\n", "4: /settings/on_behalf: Input should be one of", true},
	"a scalar":       {"text\n", "1: /: must be an object", true},
	"null":           {"null\n", "1: /: must be an object", true},
	"an invalid rule": {
		"policy_key: a\nname: A\nstages:\n- key: s\n  name: S\n  approvers:\n  - {type: role, role: x, ids: [ana]}\n",
		"7: /stages/0/approvers/0/ids: ", true,
	},
	"an expression": {
		"policy_key: a\nname: A\nstages:\n- key: s\n  name: S\n  when: context.x >\n  approvers: [{type: user, ids: [ana]}]\n",
		"6: /stages/0/when: ", false,
	},
	"the meaning": {
		"policy_key: a\nname: A\nstages:\n- key: s\n  name: S\n  approvers: [{type: user, ids: [ana]}]\n  quorum: {mode: count, value: 2}\n" +
			"- key: s\n  name: S\n  approvers: [{type: user, ids: [ana]}]\n",
		"7: /stages/0/quorum/value: ", false,
	},
	"a schema": {"policy_key: a\nname: A\ncontext_schema: {type: objct}\nstages: []\n", "3: /context_schema: ", false},
}

func TestProblemsOfPolicies(t *testing.T) {
	r := newReader(t)
	for name, tt := range badPolicies {
		if _, problems := r.ReadPolicy("x.policy.yaml", []byte(tt.text)); !strings.HasPrefix(texts(problems), tt.problems) {
			t.Errorf("%s: %q, want %q", name, texts(problems), tt.problems)
		}
	}
	p, problems := r.ReadPolicy("x.policy.yaml", []byte("$schema: x\npolicy_key: a\nname: A\nsettings: {expires_in: null}\nstages: []\n"))
	if len(problems) > 0 || p.Key != "a" || bytes.Contains(p.JSON, []byte("$schema")) {
		t.Errorf("read %s with %v", p.JSON, problems)
	}
}

// exampleFiles returns the content of the example policies by name.
func exampleFiles(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(examples + "/*.policy.yaml")
	if err != nil || len(names) < 12 {
		t.Fatalf("%d examples, %v", len(names), err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// policySchema compiles the JSON Schema that the service serves.
func policySchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	face, err := api.New(api.Options{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := face.PolicySchema()
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7) // that of the document must be its own
	id := document.(map[string]any)["$id"].(string)
	if err := compiler.AddResource(id, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestTheSchemaDescribesPolicyFiles(t *testing.T) {
	schema := policySchema(t)
	check := func(name string, content []byte) error {
		doc, problems := policyfile.Parse(name, content)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", name, problems)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc.JSON))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(value)
	}
	for name, content := range exampleFiles(t) {
		if err := check(name, append([]byte("$schema: "+schema.Location+"\n"), content...)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, tt := range badPolicies {
		if err := check("x.yaml", []byte(tt.text)); (err != nil) != tt.shape {
			t.Errorf("%s: refused with %v, want a refusal %t", name, err, tt.shape)
		}
	}
}

func TestExamplesHaveTheFormOfAnExport(t *testing.T) {
	r := newReader(t)
	for name, content := range exampleFiles(t) {
		p, problems := r.ReadPolicy(name, content)
		if len(problems) > 0 {
			t.Fatalf("%s: %s", name, texts(problems))
		}
		got, err := policyfile.Export(p.Key, p.Definition)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var want []byte
		for line := range bytes.Lines(content) {
			if line[0] == '#' {
				want = append(want, line...)
			}
		}
		want = append(want, got...)
		if !bytes.Equal(webtest.ReadGolden(t, name, want), want) {
			t.Errorf("%s is exported as\n%s", name, got)
		}
	}
}

// A policy with every kind of text is exported and read again without a change.
func TestAnExportIsReadAgain(t *testing.T) {
	r := newReader(t)
	for _, text := range []string{
		"yes", "null", "~", "1", "012", "0o14", "1e3", ".5", "2027-01-04", "- a", "a: b", "#a", "a # b", "'", `"`, "*a", "&a", "!a", "%a", "@a", "`a",
		"two\nlines", "two\nlines\n", "  \n x", " a", "a ", "é\u2028", "{a}", "[a]", "a, b", "?", "|", ">", "<<", "=", "true", "\\n", "\ufeffa",
		"a\u0085b", "\u007f\u0090\ufffe",
	} {
		name, _ := json.Marshal("N" + text)
		description, _ := json.Marshal(text)
		document := fmt.Appendf(nil,
			`{"policy_key":"a","name":"N","description":%s,"stages":[],"labels":{"x":%s},"context_schema":{"const":%s,"maximum":1.50}}`, description, name, description)
		p, problems := r.ReadPolicy("x.json", document)
		if len(problems) > 0 {
			t.Fatalf("%q: %s", text, texts(problems))
		}
		exported, err := policyfile.Export(p.Key, p.Definition)
		if err != nil {
			t.Errorf("%q: %v in\n%s", text, err, exported)
			continue
		}
		again, problems := r.ReadPolicy("x.yaml", exported)
		if equal, err := again.Definition.EqualExceptNote(p.Definition); err != nil || !equal || len(problems) > 0 {
			t.Errorf("%q is read as %+v, %v", text, again.Definition, problems)
		}
	}
}

const testedPolicy = `policy_key: p
name: P
settings: {single_use: true}
stages:
- {key: s, name: S, approvers: [{type: user, ids: [ana, bo]}, {type: group, path: /g}], quorum: {mode: count, value: 2}}
- {key: late, name: L, when: context.late, approvers: [{type: manager, level: 2}]}
`

func TestCasesCompareTheNamedMembers(t *testing.T) {
	r := newReader(t)
	p, problems := r.ReadPolicy("p.policy.yaml", []byte(testedPolicy))
	if len(problems) > 0 {
		t.Fatal(texts(problems))
	}
	run := func(given, play, expect string) string {
		t.Helper()
		file := fmt.Sprintf("policy: p.policy.yaml\ndirectory: {groups: {/g: [cy]}, managers: {rita: mia, mia: max}}\ncases:\n- name: c\n  given: %s\n  play: %s\n  expect: %s\n", given, play, expect)
		tests, problems := r.ReadTests("p.policy.test.yaml", []byte(file))
		if len(problems) > 0 {
			return texts(problems)
		}
		results, err := r.Run(t.Context(), tests, p)
		if err != nil {
			t.Fatal(err)
		}
		return texts(results[0].Problems)
	}
	const (
		rita = "{requester: rita, context: {late: false}}"
		both = "[{stage: s, user: ana, action: approve}, {stage: s, user: cy, action: approve}]"
	)
	for name, tt := range map[string]struct{ given, play, expect, problems string }{
		"all members": {rita, both, `{outcome: would_start, status: approved, reason: quorum_met, standing: in_force, valid_until: null,
    expires_at: 2027-02-03T09:00:00Z, stages: [{key: s, status: approved, need: 2, seats: 3, approvals: 2, rejections: 0, abstentions: 0,
    approvers: [cy, bo, ana, ana], open: [], excluded: [], observers: [], added: [], due_at: null}, {key: late, status: skipped}]}`, ""},
		"a manager of two levels": {"{requester: rita, context: {late: true}}", both, "{stages: [{key: late, approvers: [max]}]}", ""},
		"another status":          {rita, both, "{status: rejected}", `7: /cases/0/expect/status: is "approved", not "rejected"`},
		"another number":          {rita, "[]", "{stages: [{key: s, need: 1}]}", "7: /cases/0/expect/stages/0/need: is 2, not 1"},
		"another set": {rita, "[]", "{stages: [{key: s, approvers: [ana, bo]}]}",
			`7: /cases/0/expect/stages/0/approvers: is ["ana","bo","cy"], not ["ana","bo"]`},
		"another instant":  {rita, "[]", "{expires_at: 2027-02-03T09:00:01Z}", "7: /cases/0/expect/expires_at: is"},
		"the same instant": {rita, "[]", "{expires_at: 2027-02-03T12:00:00+03:00}", ""},
		"no such stage":    {rita, "[]", "{stages: [{key: x}]}", `7: /cases/0/expect/stages/0/key: the policy has no stage "x"`},
		"no such member":   {rita, "[]", "{state: approved}", "7: /cases/0/expect/state: Extra inputs are not permitted"},
		"a warning":        {rita, "[]", "{warnings: [any caller]}", ""},
		"no such warning":  {rita, "[]", "{warnings: [rain]}", "7: /cases/0/expect/warnings/0: no warning contains it"},
		"an unexpected refusal": {rita, "[{stage: s, user: eve, action: approve}]", "{status: in_review}",
			"6: /cases/0/play/0: is refused with 403: the caller is neither the assignee of task"},
		"an expected refusal": {rita, "[{stage: s, user: eve, action: approve}]",
			"{refused: 403, message: neither the assignee of task, status: in_review}", ""},
		"another refusal": {rita, "[{stage: s, user: eve, action: approve}]", "{refused: 409}", "6: /cases/0/play/0: is refused with 403"},
		"another message": {rita, "[{stage: s, user: eve, action: approve}]", "{refused: 403, message: rain}",
			"6: /cases/0/play/0: is refused with 403"},
		"a decision taken back":   {rita, "[{stage: s, user: ana, action: approve}, {stage: s, withdraw: ana}]", "{stages: [{key: s, approvals: 0}]}", ""},
		"no refusal":              {rita, both, "{refused: 403}", "7: /cases/0/expect/refused: nothing is refused; the request is approved"},
		"a bad entry":             {rita, "[{stage: s}]", "{status: approved}", "6: /cases/0/play/0: must have stage, user and action"},
		"a bad user":              {"{requester: \"system:policy\"}", "[]", "{status: approved}", "5: /cases/0/given/requester: user ids with the prefix"},
		"a failed condition runs": {"{requester: rita}", both, "{status: in_review}", ""},
	} {
		if got := run(tt.given, tt.play, tt.expect); (got == "") != (tt.problems == "") || !strings.HasPrefix(got, tt.problems) {
			t.Errorf("%s: %q, want %q", name, got, tt.problems)
		}
	}
}

func TestAnUnknownGroupIsRefused(t *testing.T) {
	r := newReader(t)
	p, _ := r.ReadPolicy("p.policy.yaml", []byte(testedPolicy))
	tests, problems := r.ReadTests("x.yaml", []byte("policy: p\ncases: [{name: c, given: {requester: rita}, expect: {refused: 400, message: /g}}]\n"))
	results, err := r.Run(t.Context(), tests, p)
	if err != nil || len(problems) > 0 || len(results[0].Problems) > 0 {
		t.Errorf("%v, %v, %v", results, problems, err)
	}
}

// The policy and the tests of the page on policy files pass.
func TestThePageOnPolicyFiles(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```yaml\n")[1:]
	if len(blocks) != 3 {
		t.Fatalf("%d blocks of YAML", len(blocks))
	}
	for i := range blocks {
		blocks[i], _, _ = strings.Cut(blocks[i], "```")
	}
	leave := string(exampleFiles(t)[examples+"/leave.policy.yaml"])
	if _, checks, _ := strings.Cut(blocks[1], "settings:\n"); !strings.Contains(leave, checks) {
		t.Errorf("the checks of the page are not those of the example:\n%s", blocks[1])
	}
	r := newReader(t)
	p, problems := r.ReadPolicy("release.policy.yaml", []byte(blocks[0]))
	tests, more := r.ReadTests("release.policy.test.yaml", []byte(blocks[2]))
	if problems = append(problems, more...); len(problems) > 0 {
		t.Fatal(texts(problems))
	}
	results, err := r.Run(t.Context(), tests, p)
	if err != nil || len(results) != 2 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for _, result := range results {
		if len(result.Problems) > 0 {
			t.Errorf("%s: %s", result.Name, texts(result.Problems))
		}
	}
}

// A file never breaks the reader. What it accepts is a strict JSON document with lines.
func FuzzReadPolicy(f *testing.F) {
	names := exampleFiles(f)
	for _, content := range names {
		f.Add(content, false)
	}
	for _, bad := range badPolicies {
		f.Add([]byte(bad.text), false)
	}
	f.Add([]byte("a: &x [*x]\n? b\n: !!str c\n"), false)
	f.Add([]byte(`{"policy_key":"a","name":"A","stages":[]}`), true)
	r := newReader(f)
	f.Fuzz(func(t *testing.T, content []byte, isJSON bool) {
		name := "x.policy.yaml"
		if isJSON {
			name = "x.policy.json"
		}
		doc, problems := policyfile.Parse(name, content)
		if slices.ContainsFunc(problems, func(p policyfile.Problem) bool { return p.Line < 1 || p.Message == "" }) {
			t.Fatalf("problems without a line: %v", problems)
		}
		if len(problems) > 0 {
			return
		}
		if err := strictjson.Check(doc.JSON, strictjson.Default); err != nil {
			t.Fatalf("%q is read as %s: %v", content, doc.JSON, err)
		}
		p, problems := r.ReadPolicy(name, content)
		if len(problems) > 0 {
			return
		}
		exported, err := policyfile.Export(p.Key, p.Definition)
		if err != nil {
			t.Fatalf("export of %q: %v", content, err)
		}
		again, problems := r.ReadPolicy("x.yaml", exported)
		if equal, err := again.Definition.EqualExceptNote(p.Definition); err != nil || !equal || len(problems) > 0 {
			t.Fatalf("%q is exported as\n%s\nand read with %v, %v", content, exported, problems, err)
		}
	})
}
