package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/reason"
)

// address is a path of the operation that names nothing that exists.
func address(op wftest.Operation) string {
	return strings.NewReplacer("{id}", unknownID, "{key}", "no-such-policy", "{v}", "1").Replace(op.Path)
}

// bare calls an operation with the least that it takes.
func bare(c *Client, op wftest.Operation) Reply {
	var body any
	if op.RequestBody != nil {
		body = "{}"
	}
	return c.Do(op.Method, address(op), body)
}

// open reports whether the document lets anyone call the operation.
func open(op wftest.Operation) bool { return len(op.Security) == 0 }

// roles returns the roles of an operation in the document, of which a caller needs one; none if any
// caller is permitted.
func roles(op wftest.Operation) []string {
	var all []string
	for _, requirement := range op.Security {
		all = append(all, requirement["bearer"]...)
	}
	return all
}

func TestWithoutATokenOnlyProbesKeysAndDocumentsAnswer(t *testing.T) {
	w := boot(t, Options{})
	var public []string
	for _, op := range w.Operations() {
		reply := bare(w.Anonymous(t), op)
		if open(op) {
			public = append(public, op.Path)
			reply.Want(200)
			continue
		}
		reply.Refused(401, "WF-008")
		same(t, op.ID+": WWW-Authenticate", reply.Header.Get("WWW-Authenticate"), "Bearer")
	}
	if want := []string{"/livez", "/readyz", "/v1/wf/health", "/v1/wf/jwks.json", "/v1/wf/schemas/policy.json",
		"/version"}; !slices.Equal(public, want) {
		t.Errorf("operations without a token: %v, want %v", public, want)
	}
	for _, path := range []string{"/", "/openapi.json", "/openapi.yaml", "/docs"} {
		w.Anonymous(t).Get(path).Want(200)
	}
}

func TestATokenThatIsNotValidIsRefusedBeforeTheBodyIsRead(t *testing.T) {
	w := boot(t, Options{})
	for name, c := range map[string]*Client{
		"no subject":  w.Client(t, ""),
		"the service": w.Client(t, "system:policy"),
		"not a name":  w.Client(t, "ana\u202e"),
	} {
		t.Run(name, func(t *testing.T) { c.Post("/v1/wf/requests", "{").Refused(401, "WF-008") })
	}
}

func TestWithoutTheRoleNothingIsRead(t *testing.T) {
	w := boot(t, Options{})
	needed := 0
	for _, op := range w.Operations() {
		switch need := roles(op); {
		case len(need) == 0:
			continue
		case !slices.Contains(need, string(identity.RoleViewer)):
			bare(w.vic, op).Refused(403, "WF-008")
		}
		needed++
		bare(w.eve, op).Refused(403, "WF-008")
		if op.RequestBody != nil {
			w.eve.Do(op.Method, address(op), "{").Refused(403, "WF-008")
		}
	}
	if needed < 10 {
		t.Errorf("only %d operations need a role", needed)
	}
}

func TestAdminHasAllViewerRights(t *testing.T) {
	w := boot(t, Options{})
	for _, op := range w.Operations() {
		for _, c := range []*Client{w.root, w.vic} {
			if need := roles(op); len(need) == 0 || c == w.vic && !slices.Contains(need, string(identity.RoleViewer)) {
				continue
			}
			if reply := bare(c, op); reply.Status == http.StatusForbidden {
				t.Errorf("%s", reply)
			}
		}
	}
}

// bodySchema is the part of a schema that this test works with.
type bodySchema struct {
	Ref        string                `json:"$ref"`
	Type       any                   `json:"type"` // one, or a list with "null"
	Required   []string              `json:"required"`
	Properties map[string]bodySchema `json:"properties"`
}

// bodies returns the schema of each operation's body.
func bodies(t *testing.T, w *callers) map[string]bodySchema {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			RequestBody struct {
				Content map[string]struct {
					Schema bodySchema `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
		Components struct {
			Schemas map[string]bodySchema `json:"schemas"`
		} `json:"components"`
	}
	must(t, json.Unmarshal(w.Anonymous(t).Get("/openapi.json").Body, &document))
	found := map[string]bodySchema{}
	for _, methods := range document.Paths {
		for _, op := range methods {
			if media, ok := op.RequestBody.Content["application/json"]; ok {
				schema := media.Schema
				if schema.Ref != "" {
					schema = document.Components.Schemas[strings.TrimPrefix(schema.Ref, "#/components/schemas/")]
				}
				found[op.OperationID] = schema
			}
		}
	}
	return found
}

func TestABodyThatDoesNotFitIs422AndNotAnEnvelope(t *testing.T) {
	w := boot(t, Options{})
	schemas := bodies(t, w)
	before := w.Rows(t)
	for _, op := range w.Operations() {
		if op.RequestBody == nil {
			continue
		}
		schema := schemas[op.ID]
		if len(schema.Properties) == 0 {
			t.Errorf("%s: the document shows no members of the body", op.ID)
		}
		if len(schema.Required) > 0 {
			reply := w.root.Do(op.Method, address(op), "{}").Want(422)
			for _, name := range schema.Required {
				if !slices.Contains(details(reply), "missing body."+name) {
					t.Errorf("%s does not report that %s is missing", reply, name)
				}
			}
		}
		for name, member := range schema.Properties {
			value := "true"
			switch {
			case member.Type == nil && member.Ref == "":
				continue // takes anything
			case fmt.Sprint(member.Type) == "boolean" || fmt.Sprint(member.Type) == "[boolean null]":
				value = `"x"`
			}
			reply := w.root.Do(op.Method, address(op), fmt.Sprintf(`{%q:%s}`, name, value)).Want(422)
			if !slices.ContainsFunc(details(reply), func(d string) bool {
				return strings.HasSuffix(d, " body."+name) && !strings.HasPrefix(d, "missing")
			}) {
				t.Errorf("%s does not report that %s is wrong", reply, name)
			}
		}
		reply := w.root.Do(op.Method, address(op), `{"no_such_member":"a secret"}`).Want(422)
		if !slices.Contains(details(reply), "extra_forbidden body.no_such_member") || strings.Contains(string(reply.Body), "a secret") {
			t.Errorf("%s", reply)
		}
		if reply.Value("errors") != nil || reply.Value("id") != nil {
			t.Errorf("%s is an envelope", reply)
		}
	}
	if after := w.Rows(t); !maps.Equal(before, after) {
		t.Errorf("rows: %v, want %v", after, before)
	}
}

// details are the findings of a 422 as "type loc", the loc joined with dots.
func details(r Reply) []string {
	var body struct {
		Detail []struct {
			Type string
			Loc  []any
		}
	}
	if json.Unmarshal(r.Body, &body) != nil {
		return nil
	}
	found := make([]string, len(body.Detail))
	for i, d := range body.Detail {
		loc := make([]string, len(d.Loc))
		for j, step := range d.Loc {
			loc[j] = fmt.Sprint(step)
		}
		found[i] = d.Type + " " + strings.Join(loc, ".")
	}
	return found
}

// catalogueRow is a line of testdata/catalogue.tsv.
type catalogueRow struct {
	codes, optional []string
	only            map[string]string // the one status of a code, where the catalogue names it
}

func catalogue(t *testing.T) map[string]catalogueRow {
	t.Helper()
	content, err := os.ReadFile("testdata/catalogue.tsv")
	must(t, err)
	rows := map[string]catalogueRow{}
	for line := range strings.Lines(string(content)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		row := catalogueRow{only: map[string]string{}}
		for code := range strings.SplitSeq(columns[1], ", ") {
			code, status, limited := strings.Cut(code, " (")
			if limited {
				row.only[code] = strings.TrimSuffix(status, ")")
			}
			row.codes = append(row.codes, code)
		}
		if len(columns) > 2 {
			row.optional = strings.Split(columns[2], ", ")
		}
		rows[strings.Replace(columns[0], " ...", " /v1/wf/policies/{key}", 1)] = row
	}
	return rows
}

func TestTheDocumentDeclaresTheCodesOfTheContract(t *testing.T) {
	w := boot(t, Options{})
	rows := catalogue(t)
	everywhere := rows["*"].codes
	delete(rows, "*")
	for _, op := range w.Operations() {
		row, ofTheContract := rows[op.Method+" "+op.Path]
		if !ofTheContract {
			continue
		}
		delete(rows, op.Method+" "+op.Path)
		declared := map[string]bool{}
		for status, response := range op.Responses {
			for _, code := range response.Codes {
				if only := row.only[code]; only != "" && only != status {
					t.Errorf("%s declares %s with %s, want %s", op.ID, code, status, only)
				}
				declared[code] = true
			}
		}
		maps.DeleteFunc(declared, func(code string, _ bool) bool {
			extra := slices.Contains(everywhere, code) || slices.Contains(row.optional, code)
			return extra && !slices.Contains(row.codes, code)
		})
		if got := slices.Sorted(maps.Keys(declared)); !slices.Equal(got, row.codes) {
			t.Errorf("%s declares %v, want %v", op.ID, got, row.codes)
		}
	}
	for endpoint := range rows {
		t.Errorf("the document lacks %s", endpoint)
	}
}

func TestEveryReasonHasItsRowInTheCatalogue(t *testing.T) {
	// Callers branch on these.
	want := map[string][]int{
		"WF-001": {404}, "WF-002": {409}, "WF-003": {404}, "WF-004": {404}, "WF-005": {503}, "WF-006": {503},
		"WF-007": {400, 409, 503}, "WF-008": {401, 403}, "WF-009": {409}, "WF-010": {400},
		// Extensions: the catalogue contains neither endpoints nor the framework's refusals.
		"WF-090": {404, 421}, "WF-091": {405}, "WF-092": {413}, "WF-093": {415}, "WF-094": {429}, "WF-095": {404},
		"WF-096": {503}, "WF-099": {400, 408, 500},
	}
	wire := api.Wire()
	got := map[string][]int{}
	reasons := slices.Concat(reason.Reasons, web.Reasons)
	slices.Sort(reasons)
	reasons = slices.Compact(reasons)
	for _, why := range reasons {
		row, ok := wire[why]
		if ok == errors.Is(why, reason.BadInput) {
			t.Errorf("%s has a row: %t", why, ok)
		}
		if ok && !slices.Contains(got[row.Code], row.Status) {
			got[row.Code] = append(got[row.Code], row.Status)
		}
	}
	for _, input := range append(slices.Clone(reason.Cases), reason.BadInput) {
		if api.Kinds[input] == "" {
			t.Errorf("%s has no type of 422 details", input)
		}
	}
	for _, statuses := range got {
		slices.Sort(statuses)
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("codes and statuses: %v, want %v", got, want)
	}
	same(t, "rows", len(wire), len(reasons)-1)
}

func TestEveryRouteIsUnavailableBeforeStart(t *testing.T) {
	w := boot(t, Options{Stopped: true})
	closed(t, w, "WF-005")
	w.Anonymous(t).Get("/no/such/route").Refused(503, "WF-005")

	w.Open()
	for _, path := range []string{"/readyz?from=balancer", "/livez?t=1&t=2", "/v1/wf/health?%zz", "/version?"} {
		w.Anonymous(t).Get(path).Want(200)
	}
	w.root.Get("/v1/wf/policies").Want(200)

	w.API.Drain()
	for _, path := range []string{"/readyz", "/v1/wf/health"} {
		w.Anonymous(t).Get(path).Refused(503, "WF-005")
	}
	w.root.Get("/v1/wf/policies").Want(200)
}

func TestEveryRouteReportsDatabaseDown(t *testing.T) {
	w := boot(t, Options{})
	w.Down.Store(true)
	w.Anonymous(t).Get("/v1/wf/health").Refused(503, "WF-006")
	closed(t, w, "WF-006")

	w.Down.Store(false)
	w.Anonymous(t).Get("/v1/wf/health").Want(200)
	w.root.Get("/v1/wf/policies").Want(200)
}

// closed checks that every operation answers 503 with the code.
func closed(t *testing.T, w *callers, code string) {
	t.Helper()
	operations := w.Operations()
	replies := make([]Reply, len(operations))
	var all sync.WaitGroup
	for i, op := range operations { // at once, because each call waits some seconds for the start
		all.Go(func() { replies[i] = bare(w.root, op) })
	}
	all.Wait()
	for i, op := range operations {
		reply := replies[i]
		if op.Path == "/livez" || op.Path == "/version" {
			reply.Want(200)
			continue
		}
		reply.Refused(503, code)
		if reply.Header.Get("Retry-After") == "" {
			t.Errorf("%s lacks Retry-After", reply)
		}
	}
	w.Anonymous(t).Get("/openapi.json").Want(200)
	w.Anonymous(t).Get("/docs").Want(200)
}

func TestUnknownRoutesAndMethodsHaveTheirCodes(t *testing.T) {
	w := boot(t, Options{})
	for path, code := range map[string]string{
		"/no/such/route":                     "WF-090",
		"/v1/wf/policies/":                   "WF-090",
		"//v1/wf/requests":                   "WF-090",
		"/v1/wf/requests/a%2fb":              "WF-090",
		"/v1/wf/policies/p/versions//events": "WF-090",
	} {
		w.root.Get(path).Refused(404, code)
	}
	reply := w.root.Delete("/v1/wf/policies")
	reply.Refused(405, "WF-091")
	same(t, "Allow", reply.Header.Get("Allow"), "GET, POST")
}

func TestABodyOverTheLimitIs413(t *testing.T) {
	w := boot(t, Options{})
	for _, op := range w.Operations() {
		if op.RequestBody != nil {
			w.root.Do(op.Method, address(op), `{"x":"`+strings.Repeat("x", 256<<10)+`"}`).Refused(413, "WF-092")
		}
	}
}
