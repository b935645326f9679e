package server_test

import (
	"cmp"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

var (
	editorInput  = regexp.MustCompile(`<input type="([a-z]+)"[^>]*? name="([^"]+)"([^>]*)>`)
	editorValue  = regexp.MustCompile(` value="([^"]*)"`)
	editorSelect = regexp.MustCompile(`(?s)<select id="[^"]*" name="([^"]+)"[^>]*>(.*?)</select>`)
	editorText   = regexp.MustCompile(`(?s)<textarea id="[^"]*" name="([^"]+)"[^>]*>(.*?)</textarea>`)
	editorChosen = regexp.MustCompile(`<option dir="auto" value="([^"]*)" selected>|<option(?: dir="auto")? value="([^"]*)">`)
)

// form returns the fields of the form on the page, as a browser without scripts sends them.
func (b *browser) form() url.Values {
	form := url.Values{}
	_, page, _ := strings.Cut(b.page, `id="page"`)
	for _, m := range editorInput.FindAllStringSubmatch(page, -1) {
		value := ""
		if v := editorValue.FindStringSubmatch(m[0]); v != nil {
			value = html.UnescapeString(v[1])
		}
		switch {
		case m[1] == "checkbox" && strings.Contains(m[0], " checked"):
			form.Add(html.UnescapeString(m[2]), cmp.Or(value, "on"))
		case m[1] != "checkbox" && m[1] != "radio":
			form.Set(html.UnescapeString(m[2]), value)
		}
	}
	for _, m := range editorSelect.FindAllStringSubmatch(page, -1) {
		for i, o := range editorChosen.FindAllStringSubmatch(m[2], -1) {
			if strings.Contains(o[0], "selected") || i == 0 {
				form.Set(m[1], html.UnescapeString(o[1]+o[2]))
			}
		}
	}
	for _, m := range editorText.FindAllStringSubmatch(page, -1) {
		form.Set(m[1], strings.ReplaceAll(html.UnescapeString(m[2]), "\n", "\r\n"))
	}
	return form
}

// press fills in fields of the page's form and presses a button.
func (b *browser) press(do string, fields ...string) *browser {
	b.t.Helper()
	form := b.form()
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	form.Set("do", do)
	path, _, _ := strings.Cut(b.path, "?")
	return b.post(path, form)
}

// A person who reads no JSON makes a policy of two stages with a condition; another person activates it.
func TestAPolicyIsMadeInTheEditor(t *testing.T) {
	config := development(t, wftest.Schema.Fresh(t))
	config.FourEyes = true
	s := begin(t, config)
	ada, root := s.signedIn("ada", "WF_ADMIN"), s.signedIn("root", "WF_ADMIN")
	ada.get("/inbox/console/policies").sees(200, "New policy")
	ada.get("/inbox/console/policies/new").sees(200, "Two of a group", "Leave (time-off)")
	ada.press("start one").sees(200, "Before it can be saved:", "This field is required")
	ada.press("save", "name", "Trips abroad").sees(422, "There is a problem",
		"<bdi>Approval: Approvers: People 1: Person 1 (name or user id)</bdi>: <bdi>This field is required",
		`value="trips_abroad"`)
	ada.press("save", "stages/0/deadline/due_in", "soon").sees(422, "Enter a duration such as 2 days", `value="soon"`)
	ada.press("add fields", "stages/0/deadline/due_in", "", "stages/0/approvers/0/ids/0", "tom lindqvist").sees(200,
		"<bdi>Field 1</bdi>", "Field 1: Label")
	ada.press("add stages", "fields/0/schema/title", "Days", "fields/0/kind", "integer",
		"fields/0/required", "true").sees(200, "<bdi>Stage 2</bdi>")
	ada.press("check", "stages/1/name", "Travel desk", "stages/1/approvers/0/ids/0", "iness", "stages/1/if", "field",
		"stages/1/if_field", "days", "stages/1/if_op", ">",
		"stages/1/if_value", "10").sees(200, "The policy is valid.",
		"iness is in no directory and has never signed in", "context.days > 10")
	ada.press("check", "stages/1/approvers/0/ids/0", "Lindqvist").sees(200, "Lindqvist is in no directory")
	ada.press("up stages/1").sees(200, `id="stages/0" tabindex="-1" autofocus><legend><bdi>Travel desk`)
	ada.press("down stages/0", "stages/0/approvers/0/ids/0", "ines", "settings/expires_in", "P7D").sees(200,
		`id="stages/1" tabindex="-1" autofocus><legend><bdi>Travel desk`)
	if strings.Contains(ada.page, "never signed in") {
		t.Error("a known user has a warning")
	}
	ada.press("save").sees(200, "Draft saved", "another person with this right", "Travel desk")
	if !strings.HasPrefix(ada.path, "/inbox/console/policies/trips_abroad/1?") {
		t.Error(ada.path)
	}
	var saved struct{ Response map[string]any }
	reply := s.called("ada", http.MethodGet, "/v1/wf/policies/trips_abroad", "", 200, "WF_ADMIN")
	must(t, json.Unmarshal([]byte(reply.page), &saved))
	got, _ := json.Marshal([]any{saved.Response["context_schema"], saved.Response["stages"], saved.Response["settings"]})
	want := `[{"properties":{"days":{"title":"Days","type":"integer"}},"required":["days"],"type":"object"},` +
		`[{"approvers":[{"ids":["tom"],"type":"user"}],"key":"approval","name":"Approval"},` +
		`{"approvers":[{"ids":["ines"],"type":"user"}],"key":"travel_desk","name":"Travel desk","when":"context.days \u003e 10"}],{"expires_in":"P7D"}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	seen := ada.get("/inbox/console/policies/trips_abroad/1/activate").find(`name="seen" value="([^"]+)"`)
	ada.post("/inbox/console/policies/trips_abroad/1/activate", url.Values{"seen": {seen}}).sees(403, "You edited this draft last")
	root.get("/inbox/console/policies/trips_abroad/1").sees(200, "Activate …")
	root.post("/inbox/console/policies/trips_abroad/1/activate", url.Values{"seen": {seen}}).sees(200, "Version activated")

	// The active version is edited as a new version, a draft in place; a draft that another person changed is kept.
	root.get("/inbox/console/policies/trips_abroad/1").sees(200, "Edit as a new version")
	root.get("/inbox/console/policies/trips_abroad/1/edit").sees(200, `value="Trips abroad"`, `value="Tom Lindqvist"`)
	root.press("save", "stages/1/if_value", "12").sees(200, "Draft saved", "context.days > 12")
	ada.get("/inbox/console/policies/trips_abroad/2/edit")
	root.get("/inbox/console/policies/trips_abroad/2/edit")
	root.press("save", "name", "Trips").sees(200, "Draft saved")
	ada.press("save", "name", "Journeys").sees(409, "was changed by another person", `value="Journeys"`)
	ada.confirm("/inbox/console/policies/trips_abroad/2/delete", nil, "Delete draft 2 of Trips?").sees(200, "Draft deleted")
	ada.get("/inbox/console/policies/trips_abroad/2").sees(404)
	ada.get("/inbox/console/policies/new")
	ada.press("start one")
	ada.press("save", "name", "Twice", "policy_key", "time-off", "stages/0/approvers/0/ids/0", "tom").sees(409,
		"A policy with this key exists")
}

// A document without a form for all its parts is edited, copied and pasted without a change of them.
func TestTheEditorKeepsPartsWithoutAForm(t *testing.T) {
	s := start(t)
	ada := s.signedIn("ada", "WF_ADMIN")
	const document = "{\r\n  \"policy_key\": \"odd\", \"name\": \"Odd\",\t\"labels\": {\"b\": \"1\",  \"a\": \"2\"},\r\n  \"context_schema\": {\"properties\": {\"n\": {\"type\": \"integer\", \"minimum\": 1}}, \"type\": \"object\"},\r\n" +
		"  \"stages\": [{\"key\": \"s\", \"name\": \"S\", \"approvers\": [{\"type\": \"expression\", \"cel\": \"'tom'\"}], \"on_empty\": \"reject\", \"when\": \"context.n > 1 || true\"}]\r\n}"
	ada.get("/inbox/console/policies/new")
	ada.press("paste", "json", "[1]").sees(422, "Enter a policy as a JSON object", "[1]")
	ada.press("paste", "json", document).sees(200, "the request is rejected", "If an expression is true")
	ada.press("check", "stages/0/name", "Other").sees(200, "The policy is valid.")
	want := strings.Replace(document, `"S"`, `"Other"`, 1)
	if got := html.UnescapeString(ada.find(`(?s)<textarea id="json"[^>]*>(.*?)</textarea>`)); !sameJSON(t, got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	ada.get("/inbox/console/policies/new")
	ada.press("paste", "json", strings.Replace(document, "{", `{"cases": {"a": 1}, "fields": [7],`, 1)).sees(200)
	ada.press("save").sees(422, "cases")
	ada.press("paste", "json", strings.Replace(document, "{", `{"fields": [7],`, 1)).sees(200)
	ada.press("save").sees(200, "Draft saved")
	ada.get("/inbox/console/policies/new")
	ada.press("start copy", "copy", "purchase").sees(200, "Copy of Purchase")
	ada.press("start nothing").sees(422)
}

// sameJSON reports whether two documents have the same members.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	one, err := strictjson.Canonical([]byte(a))
	if err != nil {
		t.Fatal(err, a)
	}
	other, err := strictjson.Canonical([]byte(b))
	if err != nil {
		t.Fatal(err, b)
	}
	return string(one) == string(other)
}

// The editor of a policy is for admins and its owners, a new policy for admins.
func TestOwnersEditTheirPolicies(t *testing.T) {
	s := start(t)
	const definition = `"name":"Owned","settings":{"owners":{"users":["olga"]}},"stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["tom"]}]}]}`
	s.called("root", http.MethodPost, "/v1/wf/policies", `{"policy_key":"owned",`+definition, 201, "WF_ADMIN")
	s.called("root", http.MethodPost, "/v1/wf/policies", `{"policy_key":"other","name":"Of others","stages":[]}`, 201, "WF_ADMIN")
	olga, vera := s.signedIn("olga"), s.signedIn("vera", "WF_VIEWER")
	const path = "/inbox/console/policies/owned/1/edit"
	for _, other := range []string{"/inbox/console/policies/new", "/inbox/console/policies/time-off/1/edit"} {
		olga.get(other).sees(403)
		olga.post(other, url.Values{"do": {"start one"}}).sees(403)
	}
	vera.get(path).sees(403)
	vera.post(path, url.Values{"do": {"start one"}}).sees(403)
	vera.post("/inbox/console/policies/owned/1/delete", sure(nil)).sees(403)
	olga.get(path).sees(200, "settings/owners", "olga")
	olga.press("start copy", "copy", "other").sees(422)
	if strings.Contains(olga.page, "Of others") {
		t.Error("an owner copies a policy of others")
	}
	olga.get(path)
	olga.press("save", "name", "Hers").sees(200, "Draft saved", "Hers")
	olga.get(path)
	olga.press("paste", "json", strings.ReplaceAll(`{`+definition, "tom", "Inès")).sees(200)
	olga.press("check").sees(422, "Inès is in no directory and has never signed in")
	olga.get(path)
	olga.press("paste", "json", strings.ReplaceAll(`{`+definition, "olga", "eve")).sees(200, "eve")
	olga.press("save").sees(403, "You do not have access")
	olga.get("/inbox/console/policies/owned/1").sees(200, "Hers")
}
