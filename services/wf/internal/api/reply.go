package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
)

// wire is the one place where a reason gets its code and status.
var wire = map[wf.Reason]struct {
	code   string
	status int
}{
	wf.PolicyNotFound:     {"WF-001", 404},
	wf.PolicyExists:       {"WF-002", 409},
	wf.RequestNotFound:    {"WF-003", 404},
	wf.TaskNotFound:       {"WF-004", 404},
	wf.DelegationNotFound: {"WF-004", 404},
	wf.Starting:           {"WF-005", 503},
	wf.DatabaseDown:       {"WF-006", 503},
	wf.EngineRefused:      {"WF-007", 400},
	wf.WrongState:         {"WF-007", 409},
	wf.ResolverFailed:     {"WF-007", 503},
	wf.Unauthenticated:    {"WF-008", 401},
	wf.Forbidden:          {"WF-008", 403},
	wf.KeyReused:          {"WF-009", 409},
	wf.BadDefinition:      {"WF-010", 400},
	wf.EndpointNotFound:   {"WF-095", 404}, // outside the catalogue
}

// extension has the codes of the framework's failures, outside the catalogue.
var extension = map[int]string{
	400: "WF-099", 404: "WF-090", 405: "WF-091", 413: "WF-092", 415: "WF-093", 429: "WF-094", 500: "WF-099", 503: "WF-005",
}

// failure is the body of a refusal that comes from the framework.
func (a *API) failure(_ *http.Request, status int, message string) any {
	code, known := extension[status]
	if !known {
		code = "WF-099"
	}
	if reason := a.closed(); status == http.StatusServiceUnavailable && reason != "" {
		code = wire[reason].code
	}
	return envelope.Fail(a.ServiceID, a.Now(), code, message)
}

// result is what a handler returns: a value, or the stored bytes of an earlier
// reply.
type result[T any] struct {
	Value    T
	Raw      []byte // instead of Value
	Status   int    // instead of the operation's
	Replayed bool
	Location string
	ETag     string
}

// output is what huma sends.
type output struct {
	Status   int
	Location string `header:"Location" doc:"Where the new object is; with 201."`
	ETag     string `header:"ETag" doc:"Of the object, for If-Match; not with lists."`
	Replayed string `header:"Idempotency-Replayed" doc:"true when this is the reply to an earlier call with the same Idempotency-Key."`
	Body     json.RawMessage
}

// register puts a handler behind an operation: its value leaves in an envelope,
// and its error through fail.
func register[I, T any](a *API, op operation, handle func(context.Context, *I) (result[T], error)) {
	success := a.Server.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[envelope.Success[T]](), true, "")
	_, takesBody := reflect.TypeFor[I]().FieldByName("Body")
	documented := a.humaOperation(op, takesBody, success)
	if said, ok := any(new(I)).(interface{ parameters() []*huma.Param }); ok {
		documented.Parameters = said.parameters()
	}
	if another, ok := any(new(I)).(interface{ otherStatus() int }); ok {
		same := *documented.Responses[statusText(op.status)]
		same.Description = http.StatusText(another.otherStatus())
		documented.Responses[statusText(another.otherStatus())] = &same
	}
	huma.Register(a.Server.API, documented, func(ctx context.Context, in *I) (*output, error) {
		r, err := handle(ctx, in)
		if err != nil {
			a.recordRefusal(ctx, err)
			a.logService(ctx, op, err)
			return nil, a.fail(op, err)
		}
		out := &output{Status: cmp.Or(r.Status, op.status), Location: r.Location, ETag: r.ETag, Body: r.Raw}
		if r.Replayed {
			out.Replayed = "true"
		}
		if out.Body == nil {
			out.Body, err = a.encode(r.Value)
		}
		return out, err
	})
}

// encode puts a value into the envelope.
func (a *API) encode(value any) ([]byte, error) {
	body, err := json.Marshal(envelope.Succeed(a.ServiceID, a.Now(), value))
	if err != nil {
		return nil, fmt.Errorf("encode reply: %w", err)
	}
	return body, nil
}

// fail turns a refusal into its reply. Any other error goes on to package web,
// which logs it and answers without detail.
func (a *API) fail(op operation, err error) error {
	if problems, ok := errors.AsType[wf.Problems](err); ok {
		return web.Unprocessable(policyInvalid(problems)...)
	}
	refusal, ok := errors.AsType[*wf.Error](err)
	if !ok {
		return err
	}
	if refusal.Reason == wf.BadInput {
		return web.Unprocessable(web.Detail{Type: refusal.Kind, Loc: refusal.Loc, Msg: refusal.Message})
	}
	if refusal.Reason == wf.WrongState && refusal.RetryAfter > 0 && !op.declares(wf.WrongState) {
		// Somebody held a lock for too long. Where the contract has no conflict, it is
		// the database that could not be reached in time.
		busy := *refusal
		busy.Reason, refusal = wf.DatabaseDown, &busy
	}
	row, ok := wire[refusal.Reason]
	if !ok || !op.declares(refusal.Reason) {
		return fmt.Errorf("%s refused with the undeclared reason %s: %w", op.id, refusal.Reason, err)
	}
	if refusal.Reason == wf.DatabaseDown && err != error(refusal) { // there is a cause to tell
		a.Logger.Warn("database unavailable", "operation", op.id, "error", err)
	}
	return web.Refuse(row.status, envelope.Fail(a.ServiceID, a.Now(), row.code, refusal.Message), headers(refusal, row.status))
}

// declares reports whether the document lists the reason for the operation.
func (op operation) declares(r wf.Reason) bool {
	switch r {
	case wf.Unauthenticated, wf.Forbidden:
		return op.access != open
	case wf.Starting, wf.DatabaseDown:
		return true
	default:
		return slices.Contains(op.refusals, r)
	}
}

// headers are the reply headers that belong to a refusal.
func headers(refusal *wf.Error, status int) http.Header {
	h := http.Header{}
	switch {
	case refusal.StepUp != nil: // RFC 9470, section 3
		challenge := `Bearer error="insufficient_user_authentication"`
		if len(refusal.StepUp.ACRValues) > 0 {
			challenge += fmt.Sprintf(`, acr_values=%q`, strings.Join(refusal.StepUp.ACRValues, " "))
		}
		if age, err := refusal.StepUp.MaxAge.Parse(); err == nil {
			challenge += fmt.Sprintf(`, max_age=%d`, int(age.Seconds()))
		}
		h.Set("WWW-Authenticate", challenge)
	case status == http.StatusUnauthorized: // RFC 6750, section 3
		h.Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	case refusal.RetryAfter > 0 || status == http.StatusServiceUnavailable:
		h.Set("Retry-After", strconv.Itoa(max(1, int(refusal.RetryAfter.Seconds()))))
	}
	return h
}

// policyInvalid is the 422 of POST /v1/wf/policies, which has no WF-010.
func policyInvalid(problems wf.Problems) []web.Detail {
	details := make([]web.Detail, len(problems))
	for i, p := range problems {
		loc := []any{"body"}
		for _, part := range strings.Split(p.Pointer, "/")[1:] {
			if n, err := strconv.Atoi(part); err == nil {
				loc = append(loc, n)
			} else {
				loc = append(loc, part)
			}
		}
		details[i] = web.Detail{Type: "policy_invalid", Loc: loc, Msg: p.Message}
	}
	return details
}

// refusals documents every refusal of an operation, by status.
func (a *API) refusals(op operation, takesBody bool) map[string]*huma.Response {
	codes := map[int][]string{500: {"WF-099"}}
	declare := func(reasons ...wf.Reason) {
		for _, reason := range reasons {
			row := wire[reason]
			if !slices.Contains(codes[row.status], row.code) {
				codes[row.status] = append(codes[row.status], row.code)
			}
		}
	}
	declare(op.refusals...)
	switch {
	case op.access != open:
		declare(wf.Unauthenticated, wf.Forbidden, wf.Starting, wf.DatabaseDown)
	case op.path != "/livez" && op.path != "/version":
		declare(wf.Starting, wf.DatabaseDown)
	}
	if takesBody {
		codes[413], codes[415] = []string{extension[413]}, []string{extension[415]}
	}
	out := map[string]*huma.Response{}
	for status, list := range codes {
		slices.Sort(list)
		out[statusText(status)] = &huma.Response{
			Description: http.StatusText(status) + ": " + strings.Join(list, ", "),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/Failure"}}},
			Headers:     refusalHeaders[status],
			Extensions:  map[string]any{"x-error-codes": list},
		}
	}
	return out
}

// refusalHeaders documents what headers sets.
var refusalHeaders = map[int]map[string]*huma.Header{
	401: {"WWW-Authenticate": {Description: "RFC 6750, section 3", Schema: &huma.Schema{Type: huma.TypeString}}},
	403: {"WWW-Authenticate": {Description: "When a stronger or fresher authentication would do: RFC 9470, section 3", Schema: &huma.Schema{Type: huma.TypeString}}},
	503: {"Retry-After": {Description: "Seconds", Schema: &huma.Schema{Type: huma.TypeInteger}}},
}

// document adds what reflection cannot find: schemas that no handler returns, and
// the webhooks.
func (a *API) document() {
	schemas := a.Server.API.OpenAPI().Components.Schemas
	for _, stamp := range []reflect.Type{reflect.TypeFor[wf.Stamp](), reflect.TypeFor[envelope.Time]()} {
		schemas.RegisterTypeAlias(stamp, reflect.TypeFor[time.Time]())
	}
	one := 1
	text := func(doc, pattern string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Description: doc, Pattern: pattern}
	}
	schemas.Map()["Failure"] = &huma.Schema{
		Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{
			"id": text("Service identifier", ""), "version": text("Envelope version", ""),
			"responsetime": {Type: huma.TypeString, Format: "date-time", Description: "Time of the reply"},
			"response":     {Type: "null", Description: "Always null on failure"},
			"errors": {Type: huma.TypeArray, Description: "Exactly one entry: why the call was not done.", MinItems: &one, MaxItems: &one, Items: &huma.Schema{
				Type:       huma.TypeObject,
				Properties: map[string]*huma.Schema{"errorCode": text("Stable code; branch on it", `^WF-\d{3}$`), "message": text("Text for people; may change", "")},
				Required:   []string{"errorCode", "message"},
			}},
		},
		Required: []string{"id", "version", "responsetime", "response", "errors"},
	}

	a.documentWebhooks()
}

// orNull is the schema of a value that may be null, where a struct tag cannot say so.
func orNull(s *huma.Schema) *huma.Schema {
	value := *s
	value.Description = ""
	return &huma.Schema{OneOf: []*huma.Schema{&value, {Type: "null"}}, Description: s.Description}
}

func statusText(status int) string { return strconv.Itoa(status) }

func hasSegment(path, segment string) bool {
	return slices.Contains(strings.Split(path, "/"), segment)
}
