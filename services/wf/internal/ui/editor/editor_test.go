package editor_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/ui/i18n"
	"github.com/countersign/countersign/services/wf/internal/policyfile"
	"github.com/countersign/countersign/services/wf/internal/ui/editor"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/internal/words"
)

func terms(language string) page.Terms {
	return page.Terms{Reader: i18n.Reader{Texts: words.Catalogue, Language: language, Zone: time.UTC}}
}

func open(t testing.TB, doc string) editor.Form {
	t.Helper()
	f, err := editor.Open(terms("en"), []byte(doc))
	if err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	return f
}

// values returns the fields of a form as a browser sends them.
func values(f editor.Form) url.Values {
	sent := url.Values{"draft": {f.State()}}
	editor.Each(f.Blocks(), func(b *editor.Block, _ string) {
		switch b.Kind {
		case "":
		case "choice", "boxes":
			for i, o := range b.Options {
				if o.Chosen {
					sent.Add(b.Name, o.Value)
				} else if i == 0 && b.Kind == "choice" && b.Value == "" && !b.HasEmpty() {
					sent.Set(b.Name, o.Value)
				}
			}
		default:
			sent.Set(b.Name, strings.ReplaceAll(b.Value, "\n", "\r\n"))
		}
	})
	return sent
}

// send submits a form in a language, with other values of some fields.
func send(t testing.TB, f editor.Form, language string, changes map[string]string) editor.Form {
	t.Helper()
	f.Language = language
	sent := values(f)
	for name, value := range changes {
		if !sent.Has(name) && !strings.Contains(name, "if_field") {
			t.Fatalf("the form has no field %s", name)
		}
		sent.Set(name, value)
	}
	again, ok := editor.Sent(terms(language), sent)
	if !ok {
		t.Fatal("no form")
	}
	return again.Named()
}

func canonical(t testing.TB, doc string) string {
	t.Helper()
	out, err := strictjson.Canonical([]byte(doc))
	if err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	return string(out)
}

// difference returns where two documents differ.
func difference(want, got string) string {
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	from := max(0, i-60)
	return want[from:min(len(want), i+60)] + " became " + got[from:min(len(got), i+60)]
}

func faults(f editor.Form) (all []string) {
	editor.Each(f.Blocks(), func(b *editor.Block, _ string) {
		if b.Error != "" {
			all = append(all, b.Name+": "+b.Error)
		}
	})
	return all
}

// documents returns the policies of the examples, of the development service and of this test.
func documents(t testing.TB) map[string]string {
	all := map[string]string{"full": full, "compact": `{"name":"N","stages":[{"key":"a","name":"A",
		"approvers":[{"type":"user","ids":["x"]}]}]}`, "other types": `{"name":"N","context_schema":{"properties":{"n":{"type":"integer"},
		"t":{"type":"string"}}},"stages":[{"key":"a","name":"A","approvers":[],"when":"context.n == \"5\""},
		{"key":"b","name":"B","approvers":[],"when":"context.t == 5"}]}`}
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

// full has members that the form does not express.
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
    "owners":{"users":["o"]},"max_revisions":4,"calendar":{"zone":"UTC","days":["mon"],"from":"09:00","to":"17:00","holidays":["2027-01-01"]},
    "checks":[{"cel":"true","message":"m","message_i18n":{"fr":"un\ndeux","de":"x = y"}}],"validity":{"valid_for":"PT0.5H"}}
}
`

func TestAFormWithoutChangesKeepsItsDocument(t *testing.T) {
	for name, doc := range documents(t) {
		for _, language := range words.Languages {
			f := send(t, send(t, open(t, doc), language, nil), language, nil)
			if got := canonical(t, string(f.Document())); got != canonical(t, doc) {
				t.Errorf("%s: %s", name, difference(canonical(t, doc), got))
			}
			if len(faults(f)) > 0 {
				t.Errorf("%s: %v", name, faults(f))
			}
		}
	}
}

// Each field changes its member of the document, and no other.
func TestAFieldChangesItsMember(t *testing.T) {
	type edits = map[string]string
	for name, tt := range map[string]struct {
		edits    edits
		old, new string
	}{
		"name":        {edits{"name": "A <b>"}, `"Full \u0026 done"`, `"A <b>"`},
		"description": {edits{"description": ""}, `, "description":" two\nlines\n "`, ``},
		"note": {
			edits{"change_note": "Why"},
			`"policy_key":"full"`,
			`"policy_key":"full","change_note":"Why"`,
		},
		"other languages": {
			edits{"name_i18n": "fr = Plein\r\nar = كامل"},
			`"policy_key":"full"`,
			`"policy_key":"full","name_i18n":{"fr":"Plein","ar":"كامل"}`,
		},
		"labels": {edits{"labels": "a = 1"}, `{"b":"2","a":"1"}`, `{"a":"1"}`},
		"label":  {edits{"fields/0/schema/title": "Sum"}, `"title":"Amount"`, `"title":"Sum"`},
		"field name": {
			edits{"fields/4/name": "number"},
			`"n":{"type":"integer"}`,
			`"number":{"type":"integer"}`,
		},
		"kind": {
			edits{"fields/4/kind": "date"},
			`"n":{"type":"integer"}`,
			`"n":{"type":"string", "format":"date"}`,
		},
		"choices": {
			edits{"fields/3/choices": "x\r\ny"},
			`{"oneOf":[{"const":"x","title":"X"},{"const":"y"}]}`,
			`{"type":"string","enum":["x","y"]}`,
		},
		"long text": {
			edits{"fields/5/kind": "text"},
			`{"type":"string","maxLength":2000}`,
			`{"type":"string"}`,
		},
		"no label": {edits{"fields/0/schema/title": ""}, `,"title":"Amount"`, ``},
		"optional": {edits{"fields/1/required": ""}, `["kind","amount","gone"]`, `["amount","gone"]`},
		"required": {
			edits{"fields/4/required": "true"},
			`["kind","amount","gone"]`,
			`["kind","amount","gone","n"]`,
		},
		"stage name":     {edits{"stages/0/name": "Bar"}, `"Caf\u00e9"`, `"Bar"`},
		"person":         {edits{"stages/0/approvers/0/ids/1": "c"}, `["a", "b"]`, `["a", "c"]`},
		"no person":      {edits{"stages/0/approvers/0/ids/0": ""}, `["a", "b"]`, `["b"]`},
		"another person": {edits{"stages/0/approvers/0/ids/2": "c"}, `["a", "b"]`, `["a","b","c"]`},
		"veto": {
			edits{"stages/0/approvers/0/veto": "true"},
			`"label":"<leads>"`,
			`"label":"<leads>","veto":true`,
		},
		"role": {edits{"stages/0/approvers/2/role": "s"}, `"role":"r"`, `"role":"s"`},
		"rule type": {
			edits{"stages/1/approvers/0/type": "manager"},
			`{"type":"group","path":"/g"}`,
			`{"type":"manager"}`,
		},
		"parameters": {edits{"stages/0/approvers/1/params": "{}"}, `{"b":1, "a":2.50}`, `{}`},
		"condition": {
			edits{"stages/0/if_value": "٢٠,5"},
			`"context.amount > 10"`,
			`"context.amount > 20.5"`,
		},
		"operator":     {edits{"stages/0/if_op": "<="}, `"context.amount > 10"`, `"context.amount <= 10"`},
		"no condition": {edits{"stages/0/if": ""}, `, "when":"context.amount > 10"`, ``},
		"expression": {
			edits{"stages/0/if": "cel", "stages/0/when": "true"},
			`"context.amount > 10"`,
			`"true"`,
		},
		"quorum": {edits{"stages/2/quorum/value": "60"}, `"value":50`, `"value":60`},
		"everybody": {
			edits{"stages/2/quorum/mode": ""},
			`,"quorum":{"mode":"percentage","value":50},`,
			`,`,
		},
		"pool": {
			edits{"stages/1/assignment": "pool"},
			`"assignment":"each"`,
			`"assignment":"pool"`,
		},
		"due": {edits{"stages/1/deadline/due_in": "3 days"}, `"PT48H"`, `"P3D"`},
		"no escalation": {
			edits{"stages/1/deadline/on_due": ""},
			`"on_due":"escalate","escalate_to":[{"type":"user","ids":["z"]}]`,
			`"on_due":"notify"`,
		},
		"escalation": {edits{"stages/1/deadline/escalate_to/0/ids/0": "y"}, `["z"]`, `["y"]`},
		"reminders": {
			edits{"stages/1/deadline/remind_before": "1 day\r\n2 hours 30 min"},
			`"due_in":"PT48H"`,
			`"due_in":"PT48H","remind_before":["P1D","PT2H30M"]`,
		},
		"delegation": {
			edits{"stages/2/allow/delegate": "false"},
			`"name":"  Third  "`,
			`"name":"  Third  ","allow":{"delegate":false}`,
		},
		"setting": {edits{"settings/require_comment/reject": ""}, `,"reject":true`, ``},
		"new setting": {
			edits{"settings/delegation/allowed": "false"},
			`{"hops":2}`,
			`{"hops":2,"allowed":false}`,
		},
		"number":       {edits{"settings/max_revisions": "0"}, `"max_revisions":4`, `"max_revisions":0`},
		"lifetime":     {edits{"settings/expires_in": "P7D"}, `"expires_in":null`, `"expires_in":"P7D"`},
		"owner":        {edits{"settings/owners/users/1": "p"}, `{"users":["o"]}`, `{"users":["o","p"]}`},
		"working days": {edits{"settings/calendar/days": "tue"}, `["mon"]`, `["tue"]`},
		"holidays":     {edits{"settings/calendar/holidays": ""}, `,"holidays":["2027-01-01"]`, ``},
		"no working time": {
			edits{"settings/calendar/zone": ""},
			`,"calendar":{"zone":"UTC","days":["mon"],"from":"09:00","to":"17:00","holidays":["2027-01-01"]}`,
			``,
		},
		"check": {
			edits{"settings/checks/0/message_i18n": ""},
			`,"message_i18n":{"fr":"un\ndeux","de":"x = y"}`,
			``,
		},
		"validity": {
			edits{"settings/validity/valid_for": "", "settings/validity/from_cel": "now"},
			`"valid_for":"PT0.5H"`,
			`"from_cel":"now"`,
		},
	} {
		f := send(t, open(t, full), "en", tt.edits)
		if n := strings.Count(full, tt.old); n != 1 {
			t.Fatalf("%s: the document has %d times %s", name, n, tt.old)
		}
		want := canonical(t, strings.Replace(full, tt.old, tt.new, 1))
		if name == "no escalation" {
			want = strings.Replace(want, `"on_due":"notify",`, "", 1)
			want = strings.Replace(want, `,"on_due":"notify"`, "", 1)
		}
		if got := canonical(t, string(f.Document())); got != want || len(faults(f)) > 0 {
			t.Errorf("%s: %v %s", name, faults(f), difference(want, got))
		}
	}
}

// A new policy is made of the form alone; its names come from the labels.
func TestAFormMakesADocument(t *testing.T) {
	f := open(t, "{}")
	f.New = true
	for _, do := range []string{
		"add fields", "add fields", "add stages", "add stages", "add stages", "add stages/1/approvers",
		"add stages/1/observers", "add settings/checks",
	} {
		f = f.Do(do)
	}
	f = send(t, f, "fr", map[string]string{
		"name": "Congés", "fields/0/schema/title": "Jours ouvrés", "fields/0/kind": "integer", "fields/0/required": "true",
		"fields/1/schema/title": "Motif", "fields/1/kind": "choice", "fields/1/choices": "a = Un\nb",
		"stages/0/name": "Chef d’équipe", "stages/0/approvers/0/ids/0": "tom", "stages/0/deadline/due_in": "2 jours",
		"stages/0/deadline/on_due": "escalate", "stages/0/deadline/escalate_to/0/type": "manager",
		"stages/1/name": "RH", "stages/2/name": "RH", "stages/1/if": "field", "stages/1/if_value": "10",
		"stages/1/quorum/mode": "count", "stages/1/quorum/value": "2",
		"stages/1/assignment": "pool", "stages/1/approvers/0/type": "group", "stages/1/approvers/0/path": "/hr",
		"stages/1/approvers/1/type": "manager", "stages/1/observers/0/ids/0": "ada", "settings/checks/0/cel": "true",
		"settings/checks/0/message": "Non", "settings/calendar/zone": "Europe/Paris",
	})
	f.New = true
	f = send(t, f.Named(), "fr", map[string]string{"stages/1/if_field": "jours_ouvres"})
	want := `{"policy_key":"conges","name":"Congés","context_schema":{"type":"object","properties":{"jours_ouvres":{"title":"Jours ouvrés",
		"type":"integer"},"motif":{"title":"Motif","type":"string","oneOf":[{"const":"a","title":"Un"},{"const":"b"}]}},
		"required":["jours_ouvres"]},"stages":[{"key":"chef_d_equipe","name":"Chef d’équipe","approvers":[{"type":"user","ids":["tom"]}],
		"deadline":{"due_in":"P2D","on_due":"escalate","escalate_to":[{"type":"manager"}]}},
		{"key":"rh","name":"RH","approvers":[{"type":"group","path":"/hr"},{"type":"manager"}],"when":"context.jours_ouvres > 10",
		"assignment":"pool","quorum":{"mode":"count","value":2},"observers":[{"type":"user","ids":["ada"]}]},
		{"key":"rh_2","name":"RH","approvers":[{"type":"user"}]}],
		"settings":{"checks":[{"cel":"true","message":"Non"}],
		"calendar":{"zone":"Europe/Paris","days":["mon","tue","wed","thu","fri"],"from":"09:00","to":"17:00"}}}`
	if got := canonical(t, string(f.Document())); got != canonical(t, want) || len(faults(f)) > 0 {
		t.Errorf("%v\ngot  %s\nwant %s", faults(f), got, canonical(t, want))
	}
}

// A text that is no value of its field stays in it, with a fault.
func TestFaultsAreAtTheirFields(t *testing.T) {
	type edits = map[string]string
	for want, tt := range map[string]edits{
		"name: This field is required": {"name": ""},
		"fields/4/schema/title: Use letters without accents, digits and underscores": {
			"fields/4/name": "a b",
		},
		"fields/4/schema/title: Another field has this name, fields/8/schema/title: Another field has this name": {
			"fields/4/name": "line",
		},
		"fields/0/choices: This field is required": {
			"fields/0/kind": "choice",
		},
		"stages/1/decision_schema: Enter valid JSON": {
			"stages/1/decision_schema": "{",
		},
		"stages/0/name: This field is required": {
			"stages/0/name": " ",
		},
		"stages/0/if_value: This field is required": {
			"stages/0/if_value": "",
		},
		"stages/0/if_value: Enter a number, such as 1250.50": {
			"stages/0/if_value": "many",
		},
		"stages/0/if_field: Choose a field of the form": {
			"stages/0/if_field": "none",
		},
		"stages/0/when: This field is required": {
			"stages/0/if": "cel", "stages/0/when": "",
		},
		"stages/2/quorum/value: Enter a whole number": {
			"stages/2/quorum/value": "two",
		},
		"stages/1/deadline/due_in: Enter a duration such as 2 days or 4 hours": {
			"stages/1/deadline/due_in": "soon",
		},
		"stages/1/deadline/remind_before: Enter a duration such as 2 days or 4 hours": {
			"stages/1/deadline/remind_before": "1 day\n2 moons",
		},
		"stages/0/approvers/2/role: This field is required": {
			"stages/0/approvers/2/role": "",
		},
		"settings/max_revisions: Enter a whole number": {
			"settings/max_revisions": "1.5",
		},
		"settings/checks/0/message: This field is required": {
			"settings/checks/0/message": "",
		},
	} {
		f := send(t, open(t, full), "en", tt)
		if got := strings.Join(faults(f), ", "); got != want {
			t.Errorf("%v: %s, want %s", tt, got, want)
		}
		again := values(f)
		for name, value := range tt {
			if strings.TrimSpace(value) != strings.ReplaceAll(again.Get(name), "\r", "") {
				t.Errorf("%s is %q after %q", name, again.Get(name), value)
			}
		}
		if !json.Valid(f.Document()) {
			t.Errorf("%s: %s", want, f.Document())
		}
	}
}

func TestARenamedFieldIsRenamedInConditions(t *testing.T) {
	f := open(t, full)
	for _, name := range []string{"sum", "total"} {
		f = send(t, f, "en", map[string]string{"fields/0/name": name})
	}
	got := canonical(t, string(f.Document()))
	if len(faults(f)) > 0 || !strings.Contains(got, `"context.total > 10"`) ||
		!strings.Contains(got, `["kind","total","gone"]`) {
		t.Errorf("%v %s", faults(f), got)
	}
}

func TestPointersLeadToFields(t *testing.T) {
	f := open(t, full)
	f.New = true
	blocks := f.Blocks()
	for pointer, want := range map[string]string{
		"/policy_key":                           "policy_key",
		"/name":                                 "name",
		"/stages":                               "stages",
		"/stages/9/key":                         "stages",
		"/labels":                               "labels",
		"":                                      "json",
		"/unknown":                              "json",
		"/context_schema/properties/kind/enum":  "fields/1/schema/title",
		"/context_schema/properties/odd name":   "fields/2/schema/title",
		"/stages/0/when":                        "stages/0/if_value",
		"/stages/1/when":                        "stages/1/when",
		"/stages/2/quorum/value":                "stages/2/quorum/value",
		"/stages/0/approvers":                   "stages/0/approvers",
		"/stages/0/approvers/0/ids/1":           "stages/0/approvers/0/ids/1",
		"/stages/0/approvers/0/ids":             "stages/0/approvers/0/ids/0",
		"/stages/0/approvers/7":                 "stages/0/approvers",
		"/stages/1/deadline":                    "stages/1/deadline/due_in",
		"/stages/1/deadline/escalate_to/0/type": "stages/1/deadline/escalate_to/0/type",
		"/stages/1/x":                           "stages/1",
		"/settings/delegation/hops":             "json",
		"/settings/checks/0/cel":                "settings/checks/0/cel",
		"/settings/validity":                    "settings/validity/valid_for",
		"/settings/calendar/holidays/3":         "settings/calendar/holidays",
	} {
		if got := f.FieldOf(blocks, pointer); got != want {
			t.Errorf("%s: %s, want %s", pointer, got, want)
		}
	}
}

// People have their names in the fields; one who shares a name has the id.
func TestFieldsShowNamesOfPeople(t *testing.T) {
	f := open(t, full)
	f.SetNames(map[string]string{"a": "Ann", "b": "Bea", "z": "Cy", "o": "Cy"})
	sent := values(f)
	for name, want := range map[string]string{
		"stages/0/approvers/0/ids/0": "Ann", "stages/0/approvers/0/ids/1": "Bea", "stages/0/approvers/0/ids/2": "",
		"stages/1/deadline/escalate_to/0/ids/0": "z", "settings/owners/users/0": "o",
	} {
		if sent.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, sent.Get(name), want)
		}
	}
	if got := canonical(t, string(send(t, f, "en", nil).Document())); got != canonical(t, full) {
		t.Errorf("names replace ids: %s", got)
	}
	const person = "stages/0/approvers/0/ids/0"
	if f = send(t, f, "en", map[string]string{person: "Bea"}); f.Node(person).Text != "Bea" {
		t.Error("a text becomes the id of another field")
	}
}

func TestBoxesCanAllBeUnchecked(t *testing.T) {
	f := open(t, full)
	sent := values(f)
	sent.Del("settings/calendar/days")
	if f, _ = editor.Sent(terms("en"), sent); strings.Contains(string(f.Document()), `"days"`) {
		t.Error("the unchecked days are still in the calendar")
	}
	f, _ = editor.Sent(terms("en"), url.Values{"draft": {open(t, full).State()}})
	if len(f.Node("settings/calendar/days").Items) != 1 {
		t.Error("a form without its fields has lost the days")
	}
}

func TestItemsWithoutANameAreNumbered(t *testing.T) {
	for language, want := range map[string][]string{
		"en": {"Check 1", "People 2"}, "fr": {"Contrôle 1", "Personnes 2"},
	} {
		f := open(t, full)
		f.Language = language
		titles := map[string]string{}
		editor.Each(f.Blocks(), func(b *editor.Block, _ string) { titles[b.Name] = b.Title })
		for i, name := range []string{"settings/checks/0", "stages/0/approvers/1"} {
			if titles[name] != want[i] {
				t.Errorf("%s: %s has the title %q", language, name, titles[name])
			}
		}
	}
}

func TestOperationsOfLists(t *testing.T) {
	f := open(t, full)
	for _, tt := range []struct{ do, names, focus string }{
		{"up stages/1", "second first third", "stages/0"},
		{"down stages/0", "second first third", "stages/1"},
		{"remove stages/2", "first second", "stages/1"},
		{"remove stages/0", "second third", "stages/0"},
		{"add stages", "first second third ", "stages/3"},
		{"add stages/0/approvers", "first second third", "stages/0/approvers/3"},
		{"add settings/owners/users", "first second third", "settings/owners/users"},
		{"remove settings/checks/0", "first second third", "settings/checks"},
		{"up stages/0", "first second third", ""}, {"down stages/2", "first second third", ""},
		{"remove stages/3", "first second third", ""}, {"add stages/1", "first second third", ""},
		{"up", "first second third", ""}, {"up names/1", "first second third", ""},
		{"remove settings/owners/users/0", "first second third", ""}, {"add stages/x/approvers/y", "first second third", ""},
		{"up stages/-1", "first second third", ""}, {"remove name", "first second third", ""},
	} {
		after := f.Do(tt.do)
		var names []string
		for _, s := range after.Node("stages").Items {
			names = append(names, s.Get("key").Text)
		}
		if strings.Join(names, " ") != tt.names || after.At != tt.focus {
			t.Errorf("%s: %v at %s", tt.do, names, after.At)
		}
	}
	if got := canonical(t, string(f.Document())); got != canonical(t, full) {
		t.Error("an operation changes its form")
	}
	if doc := string(f.Do("remove fields/0").Document()); !strings.Contains(doc, `["kind","gone"]`) {
		t.Errorf("a removed field is required: %s", doc)
	}
	for range 30 {
		f = f.Do("add stages")
	}
	if n := len(f.Node("stages").Items); n != 20 {
		t.Errorf("%d stages", n)
	}
	editor.Each(f.Blocks(), func(b *editor.Block, _ string) {
		if b.Name == "stages" && b.Item != "" || b.Name == "stages/0/approvers" && b.Item == "" {
			t.Errorf("%s adds %q", b.Name, b.Item)
		}
	})
}

// Random moves that are taken back keep the document.
func TestMovesThatAreTakenBackKeepTheDocument(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, doc := range documents(t) {
		for range 20 {
			f := open(t, doc)
			list := []string{"fields", "stages"}[random.IntN(2)]
			n := len(f.Node(list).Items)
			if n < 2 {
				continue
			}
			at := random.IntN(n - 1)
			f = f.Do("down " + list + "/" + strconv.Itoa(at)).Do("up " + list + "/" + strconv.Itoa(at+1))
			if got := canonical(t, string(f.Document())); got != canonical(t, doc) {
				t.Fatalf("%s: %s", name, got)
			}
		}
	}
}

func TestDocumentsThatAreNoPolicy(t *testing.T) {
	for _, doc := range []string{``, `[]`, `null`, `{`, `{"a":1,"a":2}`, `"x"`} {
		if _, err := editor.Open(terms("en"), []byte(doc)); err == nil {
			t.Errorf("%s has a form", doc)
		}
	}
	for _, draft := range []string{"", "[]", `{"draft":1}`, `{"names":{}}`} {
		if _, ok := editor.Sent(terms("en"), url.Values{"draft": {draft}}); ok {
			t.Errorf("%s is a form", draft)
		}
	}
}

// FuzzForm writes JSON for every submitted form.
func FuzzForm(f *testing.F) {
	for _, doc := range documents(f) {
		f.Add(doc, "stages/0/name=x&fields/0/kind=date&do=add+stages")
	}
	f.Fuzz(func(t *testing.T, doc, query string) {
		edits, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		form, ok := editor.Sent(terms("en"), url.Values{"draft": {`{"draft":` + doc + `}`}})
		if !ok {
			return
		}
		sent := values(form)
		maps.Copy(sent, edits)
		sent.Set("draft", form.State())
		if form, ok = editor.Sent(terms("en"), sent); !ok {
			t.Fatal("no form")
		}
		for _, do := range edits["do"] {
			form = form.Do(do)
		}
		if out := form.Named().Document(); !json.Valid(out) {
			t.Fatalf("%q\n%q\n%q", doc, query, out)
		}
	})
}
