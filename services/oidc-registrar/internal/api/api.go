// Package api is the service's HTTP interface: two front doors with their own
// envelopes and codes before one core. partner.go and provider.go are the doors,
// catalog.go the catalogue, codes.go the table of codes.
//
// A request passes, in this order: the gate, the route, the token, the media type,
// the size, strict JSON, and then the rules of its door.
package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/oidc-registrar/internal/register"
)

// Options is what an API works with.
type Options struct {
	Verifier     *bearer.Verifier
	PartnerClaim string   // the claim with the partner of an AUTH_PARTNER token
	RolePointers []string // where roles are in a token, as JSON pointers

	// EnvelopeID and EnvelopeVersion are id and version of the partner envelope.
	EnvelopeID, EnvelopeVersion string

	Version     string       // of the program
	MaxInFlight int          // calls at a time; 256 if 0
	Logger      *slog.Logger // slog.Default if nil
}

// API is the service's HTTP handler. Until Start and after Stop it answers 503 to
// all but the open paths.
type API struct {
	*web.Server
	Options
	log *slog.Logger

	// What Start brings. The gate keeps requests away until then.
	registrar *register.Engine
	ping      func(context.Context) error
	gate      atomic.Pointer[string] // why nothing is served; nil if it is
}

// Start opens the gate to the use cases. ping reports why the database cannot be
// used.
func (a *API) Start(r *register.Engine, ping func(context.Context) error) {
	a.registrar, a.ping = r, ping
	a.gate.Store(nil)
}

// Stop closes the gate.
func (a *API) Stop() { a.gate.Store(new("the service is stopping")) }

// operation is one line of the list below.
type operation struct {
	id, method, path string
	access           access
	summary          string
}

// New returns the handler with every operation on it.
func New(o Options) (*API, error) {
	a := &API{Options: o, log: o.Logger}
	if a.log == nil {
		a.log = slog.Default()
	}
	a.gate.Store(new("the service is starting"))
	a.Server = web.New(web.Options{
		Title: "OIDC client registrar", Version: "1.0", Local: "http://127.0.0.1:8082",
		Description: "Registers OpenID Connect clients of relying parties, through partner management or through the identity provider's " +
			"client management. Outcomes of registration answer 200; branch on errors[0].errorCode.",
		OpenUnknownMembers: true,
		MaxInFlight:        o.MaxInFlight,
		Failure: func(r *http.Request, status int, message string) any {
			return a.failure(doorOf(r.URL.Path), status, message)
		},
		Ready: func(*http.Request) (int, string, bool) {
			if why := a.gate.Load(); why != nil {
				return http.StatusServiceUnavailable, *why, false
			}
			return 0, "", true
		},
		Logger: a.log,
	})
	a.API.UseMiddleware(a.fit, a.authenticate)
	a.API.OpenAPI().Tags = tags
	a.describeFailures()

	handle(a, operation{"registerPartnerClient", "POST", "/v1/partnermanager/oidc/client", partners, "Register a client under a policy"}, a.registerPartnerClient)
	handle(a, operation{"updatePartnerClient", "PUT", "/v1/partnermanager/oidc/client/{client_id}", partners, "Change a client or its status"}, a.updatePartnerClient)
	handle(a, operation{"getPartnerClient", "GET", "/v1/partnermanager/oidc/client/{client_id}", partners, "Read a client"}, a.getPartnerClient)
	handle(a, operation{"listPartnerClients", "GET", "/v1/partnermanager/oidc/client", partners, "List clients, the newest first; a partner sees its own"}, a.listPartnerClients)
	handle(a, operation{"listClientEvents", "GET", "/v1/partnermanager/oidc/client/{client_id}/events", partners, "Read the audit trail of a client, the oldest entry first"}, a.listClientEvents)

	handle(a, operation{"registerProviderClient", "POST", "/v1/idp/client-mgmt/oidc-client", scoped("add_oidc_client"), "Register a client with named claims"}, a.registerProviderClient)
	handle(a, operation{"updateProviderClient", "PUT", "/v1/idp/client-mgmt/oidc-client/{client_id}", scoped("update_oidc_client"), "Change a client or its status"}, a.updateProviderClient)
	handle(a, operation{"getProviderClient", "GET", "/v1/idp/client-mgmt/oidc-client/{client_id}", scoped("get_oidc_client"), "Read a client as an identity provider needs it"}, a.getProviderClient)
	a.handleKeys(operation{"getClientKeys", "GET", "/v1/idp/client-mgmt/oidc-client/{client_id}/jwks", open, "Read a client's key as a JWK Set"})

	handle(a, operation{"putPolicy", "PUT", "/v1/partnermanager/policies/{policyId}", admins, "Create or replace a policy"}, a.putPolicy)
	handle(a, operation{"getPolicy", "GET", "/v1/partnermanager/policies/{policyId}", partners, "Read a policy"}, a.getPolicy)
	handle(a, operation{"listPolicies", "GET", "/v1/partnermanager/policies", partners, "List policies"}, a.listPolicies)
	handle(a, operation{"putPartner", "PUT", "/v1/partnermanager/partners/{partnerId}", admins, "Create or replace a partner"}, a.putPartner)
	handle(a, operation{"getPartner", "GET", "/v1/partnermanager/partners/{partnerId}", partners, "Read a partner; a partner reads itself only"}, a.getPartner)
	handle(a, operation{"listPartners", "GET", "/v1/partnermanager/partners", partners, "List partners; a partner sees itself only"}, a.listPartners)
	handle(a, operation{"approveMapping", "PUT", "/v1/partnermanager/partners/{partnerId}/policies/{policyId}", admins, "Let a partner use a policy"}, a.approveMapping)
	handle(a, operation{"revokeMapping", "DELETE", "/v1/partnermanager/partners/{partnerId}/policies/{policyId}", admins, "Withdraw a policy from a partner"}, a.revokeMapping)

	handle(a, operation{"health", "GET", "/v1/registrar/health", open, "The service can do its work"}, a.health)
	handle(a, operation{"readyz", "GET", "/readyz", open, "The service takes requests"}, a.health)
	handle(a, operation{"livez", "GET", "/livez", open, "The process runs"}, a.livez)
	handle(a, operation{"version", "GET", "/version", open, "The build"}, a.version)

	delete(a.API.OpenAPI().Components.Schemas.Map(), "HTTPValidationError") // fit answers in its place
	return a, a.ServeDocuments()
}

// now is the time of a reply.
func (a *API) now() time.Time { return time.Now() }

// reply is a success in the envelope of a door.
type reply struct {
	Body json.RawMessage
}

// handle puts a handler behind an operation: its value leaves in the envelope of
// the door, and its error through fail.
func handle[I, T any](a *API, op operation, fn func(context.Context, *I) (T, error)) {
	d := doorOf(op.path)
	documented := a.describe(op, a.answer(d, reflect.TypeFor[partnerReply[T]](), reflect.TypeFor[providerReply[T]]()))
	if _, takesBody := reflect.TypeFor[I]().FieldByName("Body"); takesBody {
		documented.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Example: examples[op.id]}}}
	}
	huma.Register(a.API, documented, func(ctx context.Context, in *I) (*reply, error) {
		value, err := fn(ctx, in)
		if err != nil {
			return nil, a.fail(d, err)
		}
		var body any = envelope.SucceedPartner(a.EnvelopeID, a.EnvelopeVersion, a.now(), value)
		if d == providerDoor {
			body = envelope.SucceedProvider(a.now(), value)
		}
		data, err := json.Marshal(body)
		return &reply{data}, err
	})
	a.forget422(op)
}

// partnerReply and providerReply give the answers with status 200 their names in the
// document.
type (
	partnerReply[T any]  envelope.PartnerSuccess[T]
	providerReply[T any] envelope.ProviderSuccess[T]
)

// answer is the schema of what answers with status 200, done or refused: one object,
// because nothing but its members tells the two apart. A caller looks at errors first.
func (a *API) answer(d door, partner, provider reflect.Type) *huma.Schema {
	schemas, limit, kind := a.API.OpenAPI().Components.Schemas, 1, partner
	if d == providerDoor {
		limit, kind = maxProblems, provider
	}
	ref := schemas.Schema(kind, true, "")
	members := schemas.SchemaFromRef(ref.Ref).Properties
	if value := members["response"]; value.OneOf == nil { // else it was here before
		value.Description = ""
		members["response"] = &huma.Schema{OneOf: []*huma.Schema{value, {Type: "null"}}, Description: "What the operation returns; null when it was refused."}
		members["errors"].MaxItems, members["errors"].Description = &limit, "Why the operation was refused; empty when it was done."
	}
	return ref
}

// describe is the operation as the document shows it.
func (a *API) describe(op operation, success *huma.Schema) huma.Operation {
	d := doorOf(op.path)
	failure := &huma.Schema{Ref: "#/components/schemas/PartnerFailure"}
	tag := "partner management"
	if d == providerDoor {
		failure = &huma.Schema{Ref: "#/components/schemas/ProviderFailure"}
		tag = "identity provider"
	} else if !strings.HasPrefix(op.path, "/v1/partnermanager/") {
		tag = "service"
	}
	out := huma.Operation{
		OperationID: op.id, Method: op.method, Path: op.path, Summary: op.summary, Description: descriptions[op.id], Tags: []string{tag},
		Security: op.access.security(), Metadata: map[string]any{"access": op.access}, SkipValidateBody: true,
		Responses: map[string]*huma.Response{},
	}
	content := func(s *huma.Schema) map[string]*huma.MediaType {
		return map[string]*huma.MediaType{"application/json": {Schema: s}}
	}
	out.Responses["200"] = &huma.Response{
		Description: "Done, or refused with the reason in errors",
		Content:     content(success),
	}
	for _, status := range op.failures() {
		out.Responses[itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: content(failure)}
	}
	return out
}

// failures are the statuses other than 200 that an operation answers with.
func (op operation) failures() []int {
	statuses := []int{500}
	if op.path != "/livez" && op.path != "/version" {
		statuses = append(statuses, 503)
	}
	if len(op.access.roles) > 0 {
		statuses = append(statuses, 401, 403)
	}
	if op.method == http.MethodPost || op.method == http.MethodPut && op.id != "approveMapping" {
		statuses = append(statuses, 413, 415)
	}
	slices.Sort(statuses)
	return statuses
}

// forget422 takes a reply out of the document that package web adds and fit never
// lets pass.
func (a *API) forget422(op operation) {
	item := a.API.OpenAPI().Paths[op.path]
	for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete} {
		if o != nil {
			delete(o.Responses, "422")
		}
	}
}

// describeFailures adds the schemas of the two failure envelopes, whose response
// is always null, which reflection cannot find.
func (a *API) describeFailures() {
	schemas := a.API.OpenAPI().Components.Schemas
	schemas.RegisterTypeAlias(reflect.TypeFor[envelope.Time](), reflect.TypeFor[time.Time]())
	str := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: doc} }
	one, many := 1, maxProblems
	schema := func(message string, limit *int, members map[string]*huma.Schema) *huma.Schema {
		members["response"] = &huma.Schema{Type: "null", Description: "Always null on failure"}
		members["errors"] = &huma.Schema{Type: huma.TypeArray, Description: "Why the call was not done", MinItems: &one, MaxItems: limit, Items: &huma.Schema{
			Type:       huma.TypeObject,
			Properties: map[string]*huma.Schema{"errorCode": str("Stable code; branch on it"), message: str("Text for people; may change")},
			Required:   []string{"errorCode", message},
		}}
		var required []string
		for name := range members {
			required = append(required, name)
		}
		slices.Sort(required)
		s := &huma.Schema{Type: huma.TypeObject, Properties: members, Required: required}
		s.PrecomputeMessages() // huma validates only what this has seen
		return s
	}
	date := &huma.Schema{Type: huma.TypeString, Format: "date-time", Description: "Time of the reply"}
	schemas.Map()["PartnerFailure"] = schema("message", &one, map[string]*huma.Schema{
		"id": str("Interface identifier"), "version": str("Envelope version"), "responsetime": date, "metadata": {Type: huma.TypeObject, Description: "Always empty."},
	})
	schemas.Map()["ProviderFailure"] = schema("errorMessage", &many, map[string]*huma.Schema{"responseTime": date})
}

func itoa(n int) string { return strconv.Itoa(n) }
