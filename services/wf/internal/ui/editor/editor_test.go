package editor_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/internal/policyfile"
	"github.com/countersign/countersign/services/wf/internal/ui/editor"
)

// sent returns a form as a browser sends it.
func sent(f editor.Form) editor.Form { return editor.FormOf(f.Values()) }

func read(t *testing.T, doc string) editor.Form {
	t.Helper()
	f, err := editor.Read([]byte(doc))
	if err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	return f
}

func write(t *testing.T, doc string, f editor.Form) (string, []editor.Fault) {
	t.Helper()
	out, _, faults, err := editor.Write([]byte(doc), sent(f))
	if err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	return string(out), faults
}

// documents returns the policies of the examples, of the development service and of this test.
func documents(t testing.TB) map[string]string {
	all := map[string]string{"full": full, "compact": `{"name":"N","stages":[{"key":"a","name":"A","approvers":[{"type":"user","ids":["x"]}]}]}`}
	files, err := filepath.Glob("../../../../../docs/examples/policies/*.policy.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, problems := policyfile.Parse(file, text)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		all[filepath.Base(file)] = string(doc.JSON)
		var lines bytes.Buffer
		if err := json.Indent(&lines, doc.JSON, "", "\t"); err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)+" in lines"] = lines.String()
	}
	text, err := os.ReadFile("../examples.json")
	if err != nil {
		t.Fatal(err)
	}
	var examples map[string]json.RawMessage
	if err := json.Unmarshal(text, &examples); err != nil {
		t.Fatal(err)
	}
	for name, doc := range examples {
		all[name] = string(doc)
	}
	return all
}

// full has members that the form does not express, in an order and a notation of its own.
const full = ` {
  "stages" : [
    {"name":"Caf\u00e9", "key":"first", "x":1e3, "approvers":[ {"ids":["a", "b"],"type":"user","label":"<leads>"},
       {"type":"http","url":"https://x.example","params":{"b":1, "a":2.50}}, {"type":"role","role":"r","client":"c"} ],
      "quorum":{"value_cel":"context.n","mode":"count"}, "when":"context.amount > 10"},
    {"key":"second","name":"Second","approvers":[{"type":"group","path":"/g"},{"type":"manager","of":"submitter"},{"type":"expression","cel":"context.who"}],
      "deadline":{"due_in":"PT48H","on_due":"escalate","escalate_to":[{"type":"user","ids":["z"]}]}, "quorum":{"mode":"any","wait_for_all":true},
      "when":"context.kind == \"a \\\"b\\\"\" || has(context.x)", "assignment":"each","decision_schema":{"type":"object"}},
    {"key":"third","name":"  Third  ","approvers":[],"deadline":{"due_cel":"context.d"},"quorum":{"mode":"percentage","value":50}, "when":"context.kind == \"a \\\"b\\\"\""}
  ],
  "context_schema": {"required":["kind","amount","gone"],"additionalProperties":false,"type":"object","properties":{
    "amount":{"type":"number","minimum":0.50,"title":"Amount"}, "kind":{"enum":["a \"b\"","c"]}, "odd name":{"type":["string","null"]},
    "pick":{"oneOf":[{"const":"x","title":"X"},{"const":"y"}]}, "n":{"type":"integer"}, "who":{"type":"string","maxLength":2000}, "any":true,
    "one":{"oneOf":[{"const":1}]}, "line":{"enum":["a = b"]}
  }},
  "labels": {"b":"2","a":"1"}, "name":"Full \u0026 done", "policy_key":"full", "unknown":{"deep":[1,[2 ,3]]}, "description":" two\nlines\n ",
  "settings":{"expires_in":null,"requester_may_approve":false,"require_comment":{"abstain":true,"reject":true},"delegation":{"hops":2},
    "owners":{"users":["o"]},"max_revisions":4,"calendar":{"zone":"UTC"}}
}
`

func TestAFormWithoutChangesKeepsEveryByte(t *testing.T) {
	for name, doc := range documents(t) {
		if got, faults := write(t, doc, read(t, doc)); got != doc || len(faults) > 0 {
			t.Errorf("%s: %v\n%s\n%s", name, faults, doc, got)
		}
	}
}

func TestASubmittedFormIsReadAgain(t *testing.T) {
	for name, doc := range documents(t) {
		once := sent(read(t, doc))
		if again := sent(once); !reflect.DeepEqual(once, again) {
			t.Errorf("%s:\n%+v\n%+v", name, once, again)
		}
	}
}

func TestCasesAreKeptBesideTheDocument(t *testing.T) {
	f := sent(read(t, full))
	for _, name := range []string{"First", "Second", "Third"} {
		f, _ = f.Apply("add cases")
		content := url.Values{"c/days": {name}, "c/list#": {"2"}}
		f.Cases[len(f.Cases)-1] = editor.Case{Name: name, Requester: "mia", Content: content}
	}
	f, done := f.Apply("remove cases/1")
	if again := sent(f); !done || f.At != "cases/1" || !reflect.DeepEqual(f.Cases, again.Cases) || again.Cases[1].Content.Get("c/days") != "Third" {
		t.Errorf("%+v", f.Cases)
	}
	if got, _ := write(t, full, f); got != full {
		t.Error("cases change the document")
	}
}

func TestTheFormStatesADocument(t *testing.T) {
	f := read(t, full)
	kinds := map[string]string{}
	for _, x := range f.Fields {
		kinds[x.Name] = x.Kind
	}
	want := map[string]string{
		"amount": "number", "kind": "choice", "odd name": "other", "pick": "choice", "n": "integer", "who": "long", "any": "other", "one": "other", "line": "other",
	}
	if !reflect.DeepEqual(kinds, want) {
		t.Errorf("kinds %v", kinds)
	}
	if !f.Fields[0].Required || f.Fields[2].Required || f.Fields[3].Choices != "x = X\ny" {
		t.Errorf("fields %+v", f.Fields)
	}
	if s := f.Stages[0]; s.Need != "other" || s.If != "field" || s.Field != "amount" || s.Op != ">" || s.Value != "10" || s.People[1].Kind != "other" || s.Unit != "D" {
		t.Errorf("first stage %+v", s)
	}
	if s := f.Stages[1]; s.If != "cel" || s.Due != "48" || s.Unit != "H" || s.Need != "any" || s.People[2].Kind != "other" {
		t.Errorf("second stage %+v", s)
	}
	if s := f.Stages[2]; s.If != "field" || s.Value != `a "b"` || s.Unit != "other" || s.Count != "50" {
		t.Errorf("third stage %+v", s)
	}
	if f.Settings["expires_in"] != "null" || f.Settings["requester_may_approve"] != "" || f.Settings["max_revisions"] != "4" {
		t.Errorf("settings %v", f.Settings)
	}
	var rest []string
	for _, part := range f.Rest {
		rest = append(rest, part.Name)
	}
	slices.Sort(rest)
	if want := "context_schema/additionalProperties labels settings/calendar settings/delegation/hops settings/owners settings/require_comment/abstain unknown"; strings.Join(rest, " ") != want {
		t.Errorf("rest %v", rest)
	}
}

// Each edit changes the given text of the document, and no other.
func TestAnEditChangesItsPart(t *testing.T) {
	for name, tt := range map[string]struct {
		edit     func(*editor.Form)
		old, new string
	}{
		"name":           {func(f *editor.Form) { f.Name = "A <b>" }, `"Full \u0026 done"`, `"A <b>"`},
		"description":    {func(f *editor.Form) { f.Description = "" }, `, "description":" two\nlines\n "`, ``},
		"note":           {func(f *editor.Form) { f.Note = "Why" }, "\"calendar\":{\"zone\":\"UTC\"}}\n}", "\"calendar\":{\"zone\":\"UTC\"}},\n  \"change_note\" : \"Why\"\n}"},
		"label":          {func(f *editor.Form) { f.Fields[0].Label = "Sum" }, `"title":"Amount"`, `"title":"Sum"`},
		"field name":     {func(f *editor.Form) { f.Fields[4].Name = "number" }, `"n":{"type":"integer"}`, `"number":{"type":"integer"}`},
		"kind":           {func(f *editor.Form) { f.Fields[4].Kind = "date" }, `"n":{"type":"integer"}`, `"n":{"type":"string", "format":"date"}`},
		"choices":        {func(f *editor.Form) { f.Fields[3].Choices = "x\ny" }, `{"oneOf":[{"const":"x","title":"X"},{"const":"y"}]}`, `{"type": "string", "enum": ["x", "y"]}`},
		"required":       {func(f *editor.Form) { f.Fields[1].Required = false }, `["kind","amount","gone"]`, `["amount", "gone"]`},
		"also required":  {func(f *editor.Form) { f.Fields[4].Required = true }, `["kind","amount","gone"]`, `["kind", "amount", "gone", "n"]`},
		"removed field":  {func(f *editor.Form) { f.Fields = slices.Delete(f.Fields, 4, 5) }, ` "n":{"type":"integer"},`, ``},
		"stage name":     {func(f *editor.Form) { f.Stages[0].Name = "Bar" }, `"Caf\u00e9"`, `"Bar"`},
		"person":         {func(f *editor.Form) { f.Stages[0].People[0].IDs[1] = "c" }, `["a", "b"]`, `["a", "c"]`},
		"role":           {func(f *editor.Form) { f.Stages[0].People[2].Name = "s" }, `"role":"r"`, `"role":"s"`},
		"rule kind":      {func(f *editor.Form) { f.Stages[1].People[0].Kind = "manager" }, `{"type":"group","path":"/g"}`, `{"type":"manager"}`},
		"removed rule":   {func(f *editor.Form) { f.Stages[1].People = slices.Delete(f.Stages[1].People, 1, 2) }, `{"type":"manager","of":"submitter"},`, ``},
		"condition":      {func(f *editor.Form) { f.Stages[0].Value = "20,5" }, `"context.amount > 10"`, `"context.amount > 20.5"`},
		"operator":       {func(f *editor.Form) { f.Stages[0].Op = "<=" }, `"context.amount > 10"`, `"context.amount <= 10.0"`},
		"no condition":   {func(f *editor.Form) { f.Stages[0].If = "" }, `, "when":"context.amount > 10"`, ``},
		"expression":     {func(f *editor.Form) { f.Stages[0].If, f.Stages[0].CEL = "cel", "true" }, `"context.amount > 10"`, `"true"`},
		"quorum":         {func(f *editor.Form) { f.Stages[2].Count = "60" }, `"value":50`, `"value":60`},
		"everybody":      {func(f *editor.Form) { f.Stages[2].Need = "all" }, `,"deadline":{"due_cel":"context.d"},"quorum":{"mode":"percentage","value":50},`, `,"deadline":{"due_cel":"context.d"},`},
		"quorum by cel":  {func(f *editor.Form) { f.Stages[0].Need = "any" }, `{"value_cel":"context.n","mode":"count"}`, `{"mode":"any"}`},
		"pool":           {func(f *editor.Form) { f.Stages[1].Pool = true }, `"assignment":"each"`, `"assignment":"pool"`},
		"due":            {func(f *editor.Form) { f.Stages[1].Due, f.Stages[1].Unit = "3", "D" }, `"PT48H"`, `"P3D"`},
		"no due date":    {func(f *editor.Form) { f.Stages[1].Due = "" }, `"due_in":"PT48H",`, ``},
		"due by content": {func(f *editor.Form) { f.Stages[2].Due, f.Stages[2].Unit = "3", "H" }, `{"due_cel":"context.d"}`, `{"due_in": "PT3H"}`},
		"setting":        {func(f *editor.Form) { f.Settings["require_comment/reject"] = "" }, `,"reject":true`, ``},
		"new setting":    {func(f *editor.Form) { f.Settings["delegation/allowed"] = "false" }, `{"hops":2}`, `{"hops":2, "allowed":false}`},
		"other value":    {func(f *editor.Form) { f.Settings["max_revisions"] = "0" }, `"max_revisions":4`, `"max_revisions":0`},
	} {
		f := read(t, full)
		tt.edit(&f)
		got, faults := write(t, full, f)
		if n := strings.Count(full, tt.old); n != 1 {
			t.Fatalf("%s: the document has %d times %s", name, n, tt.old)
		}
		if want := strings.Replace(full, tt.old, tt.new, 1); got != want || len(faults) > 0 {
			t.Errorf("%s: %v\ngot  %s\nwant %s", name, faults, got, want)
		}
	}
}

// A submitted form has no parts without fields: they come from the document, except those of a rule that changed.
func TestPartsWithoutFieldsComeFromTheDocument(t *testing.T) {
	f := sent(read(t, full))
	f.Stages[0].People[0].Kind = "manager"
	_, named, _, err := editor.Write([]byte(full), f)
	if err != nil {
		t.Fatal(err)
	}
	s := named.Stages[0]
	if len(named.Rest) != len(read(t, full).Rest) || len(named.Fields[0].Rest) != 1 || s.Rest[0].Name != "x" || len(s.People[0].Rest) != 0 || len(s.People[1].Rest) != 3 {
		t.Errorf("%+v", named)
	}
}

// A new policy is made of the form alone; its names come from the labels.
func TestAFormMakesADocument(t *testing.T) {
	f := editor.Form{Key: "leave", Name: "Congés", Settings: map[string]string{"requester_may_approve": "true"}}
	for _, do := range []string{"add fields", "add fields", "add stages", "add stages", "add stages/1/people", "add stages/0/people/0/ids"} {
		var ok bool
		if f, ok = f.Apply(do); !ok {
			t.Fatal(do)
		}
	}
	f.Fields[0] = editor.Field{From: -1, Label: "Jours ouvrés", Kind: "integer", Required: true, Help: "Sans les week-ends"}
	f.Fields[1] = editor.Field{From: -1, Label: "Motif", Kind: "choice", Choices: "a = Un\nb"}
	f.Stages[0].Name, f.Stages[0].People[0].IDs = "Chef d’équipe", []string{"tom", ""}
	s := &f.Stages[1]
	s.Name, s.If, s.Field, s.Op, s.Value, s.Need, s.Count, s.Pool, s.Due, s.Unit = "RH", "field", "jours_ouvres", ">", "10", "count", "2", true, "2", "D"
	s.People[0] = editor.Rule{From: -1, Kind: "group", Name: "/hr"}
	s.People[1] = editor.Rule{From: -1, Kind: "manager"}
	got, faults := write(t, "{}", f)
	want := `{"policy_key": "leave", "name": "Congés", "context_schema": {"type":"object","properties":{"jours_ouvres": {"title": "Jours ouvrés", ` +
		`"description": "Sans les week-ends", "type": "integer"}, "motif": {"title": "Motif", "type": "string", "oneOf": [{"const": "a", "title": "Un"}, {"const": "b"}]}},` +
		` "required":["jours_ouvres"]}, "stages": [{"key": "chef_d_equipe", "name": "Chef d’équipe", "approvers": [{"type": "user", "ids": ["tom"]}]}, ` +
		`{"key": "rh", "name": "RH", "approvers": [{"type": "group", "path": "/hr"}, {"type": "manager"}], "when": "context.jours_ouvres > 10", ` +
		`"assignment": "pool", "quorum": {"mode":"count", "value":2}, "deadline": {"due_in":"P2D"}}], "settings": {"requester_may_approve":true}}`
	if compact(t, got) != compact(t, want) || len(faults) > 0 {
		t.Errorf("%v\ngot  %s\nwant %s", faults, got, want)
	}
	if again, _ := write(t, got, read(t, got)); again != got {
		t.Errorf("it changes: %s", again)
	}
}

func compact(t *testing.T, doc string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(doc)); err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	return out.String()
}

func TestFaultsAreAtTheirFields(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(*editor.Form)
		want string
	}{
		"no label":       {func(f *editor.Form) { f.Fields = append(f.Fields, editor.Field{From: -1, Kind: "text"}) }, "fields/9/label form.required"},
		"a bad name":     {func(f *editor.Form) { f.Fields[0].Name = "a b" }, "fields/0/name editor.name.bad"},
		"a name twice":   {func(f *editor.Form) { f.Fields[4].Name = "line" }, "fields/8/name editor.name.twice"},
		"no choices":     {func(f *editor.Form) { f.Fields[0].Kind = "choice" }, "fields/0/choices editor.choices.none"},
		"no value":       {func(f *editor.Form) { f.Stages[0].Value = "" }, "stages/0/value form.required"},
		"no number":      {func(f *editor.Form) { f.Stages[0].Value = "many" }, "stages/0/value form.number"},
		"no field":       {func(f *editor.Form) { f.Stages[0].Field = "none" }, "stages/0/field editor.if.field.none"},
		"no expression":  {func(f *editor.Form) { f.Stages[0].If, f.Stages[0].CEL = "cel", "" }, "stages/0/cel form.required"},
		"no count":       {func(f *editor.Form) { f.Stages[2].Count = "" }, "stages/2/count form.required"},
		"a bad count":    {func(f *editor.Form) { f.Stages[2].Count = "two" }, "stages/2/count form.integer"},
		"a bad due date": {func(f *editor.Form) { f.Stages[1].Due = "soon" }, "stages/1/due form.integer"},
		"a bad setting":  {func(f *editor.Form) { f.Settings["max_revisions"] = "{" }, "settings/max_revisions form.choice"},
		"a bad kind":     {func(f *editor.Form) { f.Stages[0].People[0].Kind = "x" }, "stages/0/people/0/kind form.choice"},
	} {
		f := read(t, full)
		tt.edit(&f)
		got, faults := write(t, full, f)
		if len(faults) != 1 || faults[0].Field+" "+faults[0].Text != tt.want {
			t.Errorf("%s: %v, want %s", name, faults, tt.want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestARenamedFieldIsRenamedInConditions(t *testing.T) {
	f := read(t, full)
	f.Fields[0].Name = "total"
	f.Stages[2].Field, f.Stages[2].Value = "amount", "7"
	got, faults := write(t, full, f)
	if len(faults) > 0 || !strings.Contains(got, `"when":"context.total > 10.0"`) && !strings.Contains(got, `"when":"context.total > 10"`) ||
		!strings.Contains(got, `"when":"context.total == 7.0"`) || !strings.Contains(got, `["kind", "total", "gone"]`) {
		t.Errorf("%v %s", faults, got)
	}
}

func TestPointersLeadToFields(t *testing.T) {
	f := read(t, full)
	f.Stages[0].People[0].IDs = []string{"a", "", "b"}
	for pointer, want := range map[string]string{
		"/policy_key": "key", "/name": "name", "/stages": "stages", "/stages/9/key": "stages", "/labels": "json", "": "json", "/context_schema": "json",
		"/context_schema/properties/kind/enum": "fields/1/label", "/context_schema/properties/odd name": "fields/2/label",
		"/stages/0/name": "stages/0/name", "/stages/0/when": "stages/0/value", "/stages/1/when": "stages/1/cel", "/stages/0/quorum/value": "stages/0/need",
		"/stages/2/quorum/value": "stages/2/count", "/stages/0/approvers": "stages/0/people", "/stages/0/approvers/0/ids/1": "stages/0/people/0/ids/2",
		"/stages/0/approvers/0/ids": "stages/0/people/0/ids/0", "/stages/0/approvers/1/url": "stages/0/people/1/kind", "/stages/0/approvers/2/role": "stages/0/people/2/name",
		"/stages/0/approvers/7": "stages/0/people", "/stages/1/deadline/due_in": "stages/1/due", "/stages/1/deadline/on_due": "stages/1", "/stages/1/reauth": "stages/1",
		"/settings/max_revisions": "settings/max_revisions", "/settings/delegation/hops": "json", "/settings/require_comment/reject": "settings/require_comment/reject",
	} {
		if got := f.FieldOf(pointer); got != want {
			t.Errorf("%s: %s, want %s", pointer, got, want)
		}
	}
}

func TestOperationsMoveParts(t *testing.T) {
	f := read(t, full)
	for _, tt := range []struct{ do, names, focus string }{
		{"up stages/1", "second first third", "stages/0"},
		{"down stages/0", "second first third", "stages/1"},
		{"remove stages/2", "first second", "stages/1"},
		{"remove stages/0", "second third", "stages/0"},
		{"add stages", "first second third ", "stages/3"},
		{"up stages/0", "", ""}, {"down stages/2", "", ""}, {"remove stages/3", "", ""}, {"add stages/1", "", ""}, {"up", "", ""}, {"up names/1", "", ""},
		{"add stages/9/people", "", ""}, {"remove stages/0/people/0/ids/5", "", ""}, {"add stages/x/people", "", ""}, {"up stages/-1", "", ""},
	} {
		after, done := f.Apply(tt.do)
		var names []string
		for _, s := range after.Stages {
			names = append(names, s.Key)
		}
		if done != (tt.focus != "") || done && (strings.Join(names, " ") != tt.names || after.At != tt.focus) {
			t.Errorf("%s: %v %v at %s", tt.do, done, names, after.At)
		}
	}
	if f.Stages[0].Key != "first" {
		t.Error("an operation changes its form")
	}
	moved, _ := f.Apply("up stages/1")
	if got, _ := write(t, full, moved); strings.Index(got, `"second"`) > strings.Index(got, `"first"`) {
		t.Error("a moved stage stays in its place")
	}
}

// Random operations that are taken back leave every byte; each document in between is JSON.
func TestOperationsThatAreTakenBackKeepEveryByte(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, doc := range documents(t) {
		first := sent(read(t, doc))
		for range 20 {
			f := first
			var back []string
			for range 1 + random.IntN(4) {
				list := "fields"
				n := len(f.Fields)
				if random.IntN(2) == 0 {
					list, n = "stages", len(f.Stages)
				}
				if n < 2 {
					continue
				}
				at := random.IntN(n - 1)
				f, _ = f.Apply("down " + list + "/" + strconv.Itoa(at))
				back = append(back, "up "+list+"/"+strconv.Itoa(at+1))
			}
			got, _ := write(t, doc, f)
			if !json.Valid([]byte(got)) {
				t.Fatalf("%s: %s", name, got)
			}
			for _, do := range slices.Backward(back) {
				f, _ = f.Apply(do)
			}
			if got, _ = write(t, doc, f); got != doc {
				t.Fatalf("%s: %v\n%s\n%s", name, back, doc, got)
			}
		}
	}
}

func TestDocumentsThatAreNoPolicy(t *testing.T) {
	for _, doc := range []string{``, `[]`, `null`, `{`, `{"a":1,"a":2}`, `"x"`} {
		if _, err := editor.Read([]byte(doc)); err == nil {
			t.Errorf("%s has a form", doc)
		}
		if _, _, _, err := editor.Write([]byte(doc), editor.Form{}); err == nil {
			t.Errorf("%s is written", doc)
		}
	}
}

// FuzzForm keeps documents, and writes JSON for every form.
func FuzzForm(f *testing.F) {
	for _, doc := range documents(f) {
		f.Add(doc, "stages/0/name=x&fields/0/kind=date&stages#=1")
	}
	f.Fuzz(func(t *testing.T, doc, query string) {
		form, err := editor.Read([]byte(doc))
		if err != nil {
			return
		}
		kept, _, _, err := editor.Write([]byte(doc), sent(form))
		if err != nil || string(kept) != doc {
			t.Fatalf("%v\n%q\n%q", err, doc, kept)
		}
		values := form.Values()
		edits, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		for name, value := range edits {
			values[name] = value
		}
		changed := editor.FormOf(values)
		for _, do := range edits["do"] {
			changed, _ = changed.Apply(do)
		}
		out, _, _, err := editor.Write([]byte(doc), changed)
		if err != nil || !json.Valid(out) {
			t.Fatalf("%v\n%q\n%q\n%q", err, doc, query, out)
		}
	})
}
