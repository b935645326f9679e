package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

// wire maps each reason to its code and status.
var wire = map[error]struct {
	code   string
	status int
}{
	reason.PolicyNotFound:     {"WF-001", 404},
	reason.PolicyExists:       {"WF-002", 409},
	reason.RequestNotFound:    {"WF-003", 404},
	reason.TaskNotFound:       {"WF-004", 404},
	reason.DelegationNotFound: {"WF-004", 404},
	web.Starting:              {"WF-005", 503},
	web.Busy:                  {"WF-005", 503},
	web.OutOfTime:             {"WF-005", 503},
	reason.DatabaseDown:       {"WF-006", 503},
	reason.EngineRefused:      {"WF-007", 400},
	reason.WrongState:         {"WF-007", 409},
	reason.ResolverFailed:     {"WF-007", 503},
	web.Unauthenticated:       {"WF-008", 401},
	reason.Forbidden:          {"WF-008", 403},
	reason.KeyReused:          {"WF-009", 409},
	reason.BadDefinition:      {"WF-010", 400},

	// Codes outside the catalogue.
	web.NoRoute:             {"WF-090", 404},
	web.Misdirected:         {"WF-090", 421},
	web.WrongMethod:         {"WF-091", 405},
	web.TooLarge:            {"WF-092", 413},
	web.WrongMediaType:      {"WF-093", 415},
	web.TooMany:             {"WF-094", 429},
	reason.EndpointNotFound: {"WF-095", 404},
	web.ReadOnly:            {"WF-096", 503},
	web.BadRequest:          {"WF-099", 400},
	web.TooSlow:             {"WF-099", 408},
	web.Internal:            {"WF-099", 500},
}

// Code returns the status and code of a reason, for the document and the inbox pages.
func Code(reason error) (status int, code string) {
	row := wire[reason]
	return row.status, row.code
}

// result is the return value of a handler: a value, or the stored bytes of an earlier reply.
type result[T any] struct {
	Value    T
	Raw      []byte // instead of Value
	Status   int    // instead of the operation's
	Replayed bool
	Location string
	ETag     string
	Waited   bool // a long poll
}

// renderedReply returns the reply that the engine has rendered, or stored on the first use of its key. T is its type,
// for the document.
func renderedReply[T any](r engine.Reply, err error) (result[T], error) {
	return result[T]{Raw: r.Body, Replayed: r.Replayed, Location: r.Location, ETag: r.ETag}, err
}

// output is the reply type of huma.
type output struct {
	Status   int
	Location string `header:"Location" doc:"Where the new object is; with 201."`
	ETag     string `header:"ETag" doc:"Of the object, for If-Match; not with lists."`
	Replayed string `header:"Idempotency-Replayed" doc:"true when this is the reply to an earlier call with the same Idempotency-Key."`
	Applied  string `header:"Preference-Applied" doc:"wait if the call waited (RFC 7240, section 3)."`
	Body     json.RawMessage
}

// register registers a handler for an operation. It returns the value in an envelope.
func register[I, T any](a *API, op operation, handle func(context.Context, *I) (result[T], error)) {
	if object, ok := unknown[objectOf(op.Path)]; ok && strings.Contains(op.Path, "{") {
		op.Refusals = append(op.Refusals, object.reason)
	}
	handle = checked(a, op, handle)
	web.Register(a.Server, web.Operation(op), success[T](a), func(ctx context.Context, in *I) (*output, error) {
		r, err := handle(ctx, in)
		if err != nil {
			return nil, err
		}
		if op.Access.Token {
			_ = a.engine.People.RememberActor(ctx, actorOf(ctx)) // the next call tries again
		}
		out := &output{Status: cmp.Or(r.Status, op.Status), Location: r.Location, ETag: r.ETag, Body: r.Raw}
		if r.Replayed {
			out.Replayed = "true"
		}
		if r.Waited {
			out.Applied = "wait"
		}
		if out.Body == nil {
			known := func(ids []string) (map[string]identity.User, error) { // probes answer before there is an engine
				return a.engine.People.Known(ctx)(ids)
			}
			if r.Value, err = view.WithNames(r.Value, known); err != nil {
				return nil, err
			}
			out.Body, err = view.Encode(a.Now(), r.Value)
		}
		return out, err
	}, func(documented *huma.Operation) {
		describe[I](documented)
		if _, polls := any(new(I)).(interface{ limit() time.Duration }); !polls {
			delete(documented.Responses[strconv.Itoa(op.Status)].Headers, "Preference-Applied")
		}
		if another, ok := any(new(I)).(interface{ otherStatus() int }); ok {
			same := *documented.Responses[strconv.Itoa(op.Status)]
			same.Description = http.StatusText(another.otherStatus())
			documented.Responses[strconv.Itoa(another.otherStatus())] = &same
		}
	})
}

// streamed is a reply that is written during its creation.
type streamed struct{ Body func(huma.Context) }

// newReply returns a reply with a complete body.
func newReply(media string, body []byte) *streamed {
	return &streamed{func(ctx huma.Context) {
		ctx.SetHeader("Content-Type", media)
		ctx.SetStatus(http.StatusOK)
		_, _ = ctx.BodyWriter().Write(body) // the caller may have disconnected
	}}
}

// registerDocument is register for a public JSON document, which has no envelope. Callers and proxies may keep it for
// five minutes.
func registerDocument(a *API, op operation, description string, read func(context.Context) ([]byte, error)) {
	schema := &huma.Schema{Type: huma.TypeObject, Description: description, AdditionalProperties: true}
	web.Register(a.Server, web.Operation(op), schema, func(ctx context.Context, _ *struct{}) (*streamed, error) {
		body, err := read(ctx)
		return &streamed{func(ctx huma.Context) {
			ctx.SetHeader("Cache-Control", "max-age=300")
			newReply(mediaJSON, body).Body(ctx)
		}}, err
	})
}

// describe documents parameters that struct tags cannot express.
func describe[I any](documented *huma.Operation) {
	if said, ok := any(new(I)).(interface{ parameters() []*huma.Param }); ok {
		documented.Parameters = said.parameters()
	}
}

// success returns the schema of a value in its envelope.
func success[T any](a *API) *huma.Schema {
	return a.Server.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[envelope.Success[T]](), true, "")
}

// fail converts a refusal to its reply. Other errors are passed to package web, which logs them and
// replies without detail.
func (a *API) fail(ctx context.Context, op web.Operation, err error) error {
	refused, ok := errors.AsType[*refusal.Error](err)
	switch {
	case !ok:
		return err
	case errors.Is(refused, reason.BadInput):
		return web.Unprocessable(details(refused)...)
	}
	a.record(ctx, op, refused)
	if !isDeclared(op, refused.Reason) {
		return fmt.Errorf("%s refused with the undeclared reason %s: %w", op.ID, refused.Reason, err)
	}
	if refused.Reason == reason.DatabaseDown && err != error(refused) { // the error has a cause to log
		a.Unavailable(ctx, op, err)
	}
	row := wire[refused.Reason]
	oplog.Note(ctx, slog.String("reason", string(refused.Reason)))
	var headers http.Header
	if op.ID == toolsOperation && refused.Reason == web.Unauthenticated {
		headers = a.Agents.challenge()
	}
	return web.Refuse(row.status, row.code, envelope.Fail(view.ServiceID, a.Now(), row.code, refused.Message), headers)
}

// record adds a refusal to the audit trail and to the log.
func (a *API) record(ctx context.Context, op web.Operation, refused *refusal.Error) {
	switch {
	case refused.Reason == reason.Forbidden:
		a.recordRefusal(ctx, refused)
		if by := web.CallerOf[caller](ctx); by.service != "" { // a person may have this right
			a.Logger.InfoContext(ctx, "service account refused", "operation", op.ID, "client", by.Client, "rule", by.service)
		}
	case refused.Reason == reason.WrongState && refused.RetryAfter == 0: // with RetryAfter it is an in-flight duplicate
		a.recordRefusal(ctx, refused)
	}
}

// isDeclared reports whether the document lists the reason for the operation. Reasons of package web
// are documented there.
func isDeclared(op web.Operation, r refusal.Reason) bool {
	return slices.Contains(web.Reasons, r) || slices.Contains(op.Refusals, error(r))
}

// kinds maps the reasons of invalid input to types of 422 details.
var kinds = map[refusal.Reason]string{
	reason.BadInput:     "value_error",
	reason.BadParameter: "value_error",
	reason.BadDuration:  "duration_parsing",
	reason.BadName:      "string_pattern_mismatch",
	reason.BadURL:       "url_parsing",
	reason.BadPolicy:    "policy_invalid",
	reason.Missing:      "missing",
	reason.NotListed:    "enum",
	reason.TooLong:      "too_long",
	reason.TooShort:     "string_too_short",
}

// details returns the 422 details of a refusal of input.
func details(refused *refusal.Error) []web.Detail {
	return view.List(refused.List(), func(p refusal.Problem) web.Detail {
		root, kind := "body", kinds[p.Reason]
		if p.Reason == reason.BadParameter {
			root = "query"
		}
		if kind == "value_error" {
			p.Message = "Value error, " + p.Message // as FastAPI
		}
		return web.Detail{Type: kind, Loc: append([]any{root}, strictjson.Steps(p.Where)...), Msg: p.Message}
	})
}

// failureHeaders documents the headers of refusals.
var failureHeaders = map[int]map[string]*huma.Header{
	401: {"WWW-Authenticate": {Description: "RFC 6750, section 3", Schema: &huma.Schema{Type: huma.TypeString}}},
	403: {
		"WWW-Authenticate": {
			Description: "When a stronger or fresher authentication would do: RFC 9470, section 3",
			Schema:      &huma.Schema{Type: huma.TypeString},
		},
	},
	503: {"Retry-After": {Description: "Seconds", Schema: &huma.Schema{Type: huma.TypeInteger}}},
}

// document adds the parts that reflection cannot derive: schemas without a handler, and the
// webhooks.
func (a *API) document() {
	schemas := a.Server.API.OpenAPI().Components.Schemas
	schemas.RegisterTypeAlias(reflect.TypeFor[envelope.Time](), reflect.TypeFor[time.Time]())
	schemas.RegisterTypeAlias(reflect.TypeFor[audit.End](), reflect.TypeFor[[3]any]())
	text := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: doc} }
	schemas.Map()["Failure"] = web.FailureSchema(map[string]*huma.Schema{
		"id": text("Service identifier"), "version": text("Envelope version"),
		"responsetime": {Type: huma.TypeString, Format: "date-time", Description: "Time of the reply"},
	}, 1, `^WF-\d{3}$`, "message")
	a.documentWebhooks()
}
