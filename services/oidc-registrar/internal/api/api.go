// Package api is the service's HTTP interface. The partner and client-management APIs have their own
// envelopes and codes, in codes.go, and share one engine. A method mount of each
// resource registers its operations, and each other method handles one.
//
// A request passes, in this order: the gate, the route, the token, the media type, the size, strict
// JSON, and then the rules of its interface.
package api

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/ui/session"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
)

// Options holds the dependencies and settings of an API.
type Options struct {
	Verifier     *bearer.Verifier
	PartnerClaim string   // claim with the partner of an AUTH_PARTNER token
	RolePointers []string // JSON pointers to the roles in a token

	ScopeAliases map[string][]string // further names of each of Scopes

	Version       string           // of the program
	Development   bool             // for /version
	ReadOnly      bool             // refuses every call but GET
	MaxInFlight   int              // concurrent calls; 256 if 0
	Rates         web.Rates        // of all calls
	Registrations limit.Rate       // of one partner
	Open          limit.Rate       // of registrations without a token from one address
	TokenCookie   bool             // also accepts the token from a cookie
	PublicURL     string           // public URL of the service; required by the RFC 7591 API except in development
	Now           func() time.Time // the clock of the rates; time.Now if nil
	Logger        *slog.Logger     // slog.Default if nil
	Metrics       *metrics.Registry
}

// API is the service's HTTP handler. Before Start and after Stop it answers 503 to all but the open paths.
type API struct {
	*web.Server
	Options
	registrations *limit.Limiter
	open          *limit.Limiter
	registrar     *engine.Engine // set before Start
	sessions      *session.Store // set before Start
}

// SetEngine sets the engine and the sessions of the console. Call it before Start.
func (a *API) SetEngine(r *engine.Engine, sessions *session.Store) {
	a.registrar, a.sessions = r, sessions
}

// Code returns the status and the code of a refusal in partner management.
func Code(reason error) (status int, code string) {
	code, status = codeOf(partnerAPI, reason)
	return status, code
}

// objects maps path segments to the object names of the log.
var objects = map[string]string{"client": "client", "oidc-client": "client", "oauth-client": "client",
	"clients": "client", "policies": "policy", "partners": "partner", "webhooks": "endpoint", "deliveries": "delivery"}

// operation is an operation of the document.
type operation web.Operation

const (
	get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
)

// New returns the handler with every operation registered.
func New(o Options) (*API, error) {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	a := &API{
		Options: o, registrations: limit.NewLimiter("registrations", o.Registrations, o.Now),
		open: limit.NewLimiter("open registrations", o.Open, o.Now),
	}
	a.Server = web.New(web.Options{
		Title: "OIDC client registrar", Version: "1.0", Local: "http://127.0.0.1:8082",
		Description: "Registers OpenID Connect clients of relying parties, through partner management or through the identity provider's " +
			"client management. Outcomes of registration answer 200; branch on errors[0].errorCode.",
		OpenUnknownMembers: true, Long: []string{"importClients", "exportClients", "exportAudit"},
		Open: []string{"/v1/registrar/health"}, ReadOnly: o.ReadOnly, MaxInFlight: o.MaxInFlight,
		Loopback: o.Development, HTTPS: strings.HasPrefix(o.PublicURL, "https:"), Rates: o.Rates, Service: isService,
		Now: o.Now, Logger: o.Logger, Metrics: o.Metrics, Objects: objects,
		Failure: a.fail, Unfit: a.refuseSchema, Verifier: o.Verifier, RolePointers: o.RolePointers, TokenCookie: o.TokenCookie, Caller: a.caller,
		Descriptions: descriptions, Examples: examples, Tag: tag, FailureSchema: failureSchema,
		Code: func(reason error) (int, string) { return codes[reason].status, "" },
	})
	a.API.OpenAPI().Tags = tags
	a.describeFailures()

	mountInterfaces(a)
	a.mountPartner()
	a.mountOauth()
	a.mountProvider()
	if o.PublicURL != "" || o.Development {
		a.mountStandard()
	}
	a.mountClient()
	a.mountOutcome()
	a.mountTransfer()
	a.mountAudit()
	a.mountCatalog()
	a.mountMapping()
	a.mountWebhook()
	a.mountApproval()
	a.mountHealth()
	a.documentWebhooks()
	a.ServeDocuments()
	return a, nil
}

// Members of the envelope of partner management.
const envelopeID, envelopeVersion = "mosip.partnermanagement", "1.0"

// reply is a success in the envelope of an interface.
type reply struct {
	Body json.RawMessage
}

// handle registers an operation. The result of fn is sent in the envelope of the interface.
func handle[I, T any](a *API, op operation, fn func(context.Context, *I) (T, error), changes ...func(*huma.Operation)) {
	k, ids := apiOf(op.Path), pathIDs[I](op.Method)
	success := a.answer(k, reflect.TypeFor[partnerReply[T]](), reflect.TypeFor[providerReply[T]]())
	web.Register(a.Server, web.Operation(op), success, func(ctx context.Context, in *I) (*reply, error) {
		if err := ids.check(in); err != nil {
			return nil, err
		}
		if k == oauthAPI {
			if err := errNoPartner(callerOf(ctx)); err != nil {
				return nil, err
			}
		}
		value, err := fn(callerOf(ctx).Context(ctx), in)
		if err != nil {
			return nil, err
		}
		id := envelopeID
		if own, ok := any(value).(interface{ envelopeID() string }); ok {
			id = own.envelopeID()
		}
		var body any = envelope.SucceedPartner(id, envelopeVersion, time.Now(), value)
		if k.ofProvider() {
			body = envelope.SucceedProvider(time.Now(), value)
		}
		data, err := json.Marshal(body)
		return &reply{data}, err
	}, append(changes, func(documented *huma.Operation) {
		documented.Responses["200"].Description = "Done, or refused with the reason in errors"
	})...)
}

// partnerReply and providerReply name the schemas of the replies with status 200 in the document.
type (
	partnerReply[T any]  envelope.PartnerSuccess[T]
	providerReply[T any] envelope.ProviderSuccess[T]
)

// answer returns the schema of the replies with status 200, success or refusal. It is one object,
// since only its members distinguish the two. Callers check errors first.
func (a *API) answer(k apiKind, partner, provider reflect.Type) *huma.Schema {
	schemas, limit, kind := a.API.OpenAPI().Components.Schemas, 1, partner
	if k.ofProvider() {
		limit, kind = maxProblems, provider
	}
	ref := schemas.Schema(kind, true, "")
	members := schemas.SchemaFromRef(ref.Ref).Properties
	if value := members["response"]; value.OneOf == nil { // otherwise set by an earlier operation
		members["response"] = web.OrNull(value)
		members["response"].Description = "Result of the operation; null after a refusal."
		members["errors"].MaxItems, members["errors"].Description = &limit, "Reasons of the refusal; empty after success."
	}
	return ref
}

// with returns a function that registers a handler for an operation.
func with[I, T any](a *API, fn func(context.Context, *I) (T, error)) func(web.Operation) {
	return func(op web.Operation) { handle(a, operation(op), fn) }
}

// tag returns the group of a path in the document.
func tag(path string) string {
	switch {
	case apiOf(path).ofProvider():
		return "identity provider"
	case strings.HasPrefix(path, "/v1/partnermanager/"):
		return "partner management"
	case strings.HasPrefix(path, "/v1/registrar/admin/webhooks"), strings.HasPrefix(path, "/v1/registrar/admin/deliveries"):
		return "webhooks"
	default:
		return "service"
	}
}

// failureSchema returns the schema of the failures of a path.
func failureSchema(path string) *huma.Schema {
	if apiOf(path) == rfc7591API {
		return &huma.Schema{Ref: "#/components/schemas/RegistrationFailure"}
	}
	if apiOf(path).ofProvider() {
		return &huma.Schema{Ref: "#/components/schemas/ProviderFailure"}
	}
	return &huma.Schema{Ref: "#/components/schemas/PartnerFailure"}
}

// describeFailures adds the schemas of the two failure envelopes.
func (a *API) describeFailures() {
	schemas := a.API.OpenAPI().Components.Schemas
	schemas.RegisterTypeAlias(reflect.TypeFor[envelope.Time](), reflect.TypeFor[time.Time]())
	date := &huma.Schema{Type: huma.TypeString, Format: "date-time", Description: "Time of the reply"}
	schemas.Map()["PartnerFailure"] = web.FailureSchema(map[string]*huma.Schema{
		"id": textSchema("Interface identifier"), "version": textSchema("Envelope version"), "responsetime": date,
		"metadata": {Type: huma.TypeObject, Description: "Always empty."},
	}, 1, "", "message")
	schemas.Map()["ProviderFailure"] = web.FailureSchema(map[string]*huma.Schema{"responseTime": date}, maxProblems, "", "errorMessage")
}
