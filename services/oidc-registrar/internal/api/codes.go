package api

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/register"
)

// badParameter is the partner door's code for a field that is wrong. Its message
// has a form of its own.
const badParameter = "PMS_COR_001"

// row says how a reason leaves at either door.
type row struct {
	partner, provider string
	status            int
}

// codes is the one place where a reason gets its codes and its status. Outcomes of
// registration answer 200: callers branch on the code.
var codes = map[registrar.Reason]row{
	registrar.InvalidRequest:      {badParameter, "invalid_request", 200},
	registrar.InvalidClientID:     {badParameter, "invalid_client_id", 200},
	registrar.InvalidClientName:   {badParameter, "invalid_client_name", 200},
	registrar.InvalidPolicyID:     {badParameter, "invalid_request", 200},
	registrar.InvalidPartnerID:    {badParameter, "invalid_rp_id", 200},
	registrar.MissingKey:          {badParameter, "invalid_public_key", 200},
	registrar.InvalidKey:          {"invalid_public_key", "invalid_public_key", 200},
	registrar.PrivateKey:          {"invalid_public_key", "invalid_public_key", 200},
	registrar.InvalidClaim:        {"invalid_claim", "invalid_claim", 200},
	registrar.InvalidACR:          {"invalid_acr", "invalid_acr", 200},
	registrar.InvalidLogoURI:      {badParameter, "invalid_uri", 200},
	registrar.WrongRedirectCount:  {badParameter, "invalid_redirect_uri", 200},
	registrar.InvalidRedirectURI:  {"invalid_redirect_uri", "invalid_redirect_uri", 200},
	registrar.WrongGrantCount:     {badParameter, "invalid_grant_type", 200},
	registrar.InvalidGrantType:    {"invalid_grant_type", "invalid_grant_type", 200},
	registrar.WrongAuthCount:      {badParameter, "invalid_client_auth", 200},
	registrar.InvalidAuthMethod:   {"invalid_client_auth", "invalid_client_auth", 200},
	registrar.InvalidStatus:       {"invalid_status", "invalid_status", 200},
	registrar.InvalidCatalogEntry: {badParameter, "invalid_request", 200},

	registrar.DuplicateClientID: {"PMS_IDP_001", "duplicate_client_id", 200},
	registrar.DuplicateKey:      {"PMS_IDP_001", "duplicate_public_key", 200},
	registrar.ClientNotFound:    {"PMS_IDP_004", "invalid_client_id", 200},
	registrar.StaleClient:       {"PMS_PRT_500", "unknown_error", 503},
	registrar.ForeignCreate:     {"PMS_POLICY_ERROR_009", "FORBIDDEN", 403},
	registrar.ForeignUpdate:     {"PMS_POLICY_ERROR_010", "FORBIDDEN", 403},
	registrar.ForeignRead:       {"PMS_POLICY_ERROR_011", "FORBIDDEN", 403},

	registrar.PartnerNotFound:    {"PMS_PRT_058", "invalid_rp_id", 200},
	registrar.PartnerInactive:    {"PMS_PMP_016", "invalid_rp_id", 200},
	registrar.WrongPartnerType:   {"PMS_PRT_059", "invalid_rp_id", 200},
	registrar.PolicyNotFound:     {"PMS_PRT_073", "invalid_request", 200},
	registrar.PolicyInactive:     {"PMS_PMP_019", "invalid_request", 200},
	registrar.WrongPolicyType:    {"PMS_PRT_057", "invalid_request", 200},
	registrar.MappingNotFound:    {"PMS_PRT_061", "invalid_request", 200},
	registrar.MappingNotApproved: {"PMS_IDP_002", "invalid_request", 200},
	registrar.MandatoryAuthTypes: {"PMS_IDP_003", "invalid_request", 200},
	registrar.NothingGranted:     {"PMS_IDP_005", "invalid_request", 200},

	registrar.ProviderRefused:     {"PMS_PRT_500", "unknown_error", 200}, // unless the provider gave a code
	registrar.ProviderUnreachable: {"PMS_PRT_500", "unknown_error", 503},
}

// transport has the codes of failures that are not outcomes of registration.
var transport = map[int]struct{ partner, provider string }{
	400: {badParameter, "invalid_request"},
	401: {"KER-ATH-401", "UNAUTHORIZED"},
	403: {"KER-ATH-403", "FORBIDDEN"},
	404: {badParameter, "invalid_request"},
	405: {badParameter, "invalid_request"},
	413: {badParameter, "invalid_request"},
	415: {badParameter, "invalid_request"},
	500: {"PMS_PRT_500", "unknown_error"},
	503: {"PMS_PRT_500", "unknown_error"},
}

// retryAfter is what a caller is told to wait: as long as the worker does after a
// first attempt that found no provider, else a moment.
var retryAfter = map[registrar.Reason]time.Duration{
	registrar.ProviderUnreachable: registrar.Delays[0],
	registrar.StaleClient:         time.Second,
}

// maxProblems bounds the entries of errors.
const maxProblems = 50

// door is one of the two interfaces. The path decides which: everything that is
// not below /v1/idp speaks the partner dialect.
type door bool

const (
	partnerDoor  door = false
	providerDoor door = true
)

func doorOf(path string) door {
	return door(path == "/v1/idp" || strings.HasPrefix(path, "/v1/idp/"))
}

// failure is the body of a failure of the transport.
func (a *API) failure(d door, status int, message string) any {
	c, ok := transport[status]
	if !ok {
		c = transport[http.StatusInternalServerError]
	}
	return a.body(d, problem{c.partner, c.provider, message, message})
}

// problem is one entry of errors, in the words of either door.
type problem struct {
	partnerCode, providerCode       string
	partnerMessage, providerMessage string
}

// body puts problems, of which there is at least one, into the envelope of a door.
// The partner door has room for one.
func (a *API) body(d door, problems ...problem) any {
	if d == partnerDoor {
		return envelope.FailPartner(a.EnvelopeID, a.EnvelopeVersion, a.now(), problems[0].partnerCode, problems[0].partnerMessage)
	}
	var list []envelope.ProviderError
	for _, p := range problems[:min(len(problems), maxProblems)] {
		list = append(list, envelope.ProviderError{Code: p.providerCode, Message: p.providerMessage})
	}
	return envelope.FailProvider(a.now(), list[0], list[1:]...)
}

// problemOf says what is wrong with one field. parent is the path of the object
// that the field is in, at the provider door.
func problemOf(p registrar.Problem, parent string) problem {
	c := codes[p.Reason]
	out := problem{c.partner, c.provider, p.Field + ": " + p.Message, parent + p.Field + ": " + p.Message}
	if c.partner == badParameter {
		out.partnerMessage = "Invalid request parameter - " + p.Message + " :" + p.Field
	}
	return out
}

// fail turns a refusal into its reply. Any other error goes on to package web,
// which logs it and answers without detail.
func (a *API) fail(d door, err error) error {
	if problems, ok := errors.AsType[registrar.Invalid](err); ok {
		list := make([]problem, len(problems))
		for i, p := range problems {
			list[i] = problemOf(p, "request.")
		}
		return web.Refuse(http.StatusOK, a.body(d, list...), nil)
	}
	if refusal, ok := errors.AsType[*registrar.Error](err); ok {
		c := codes[refusal.Reason]
		out := problem{c.partner, c.provider, refusal.Message, refusal.Message}
		if refusal.ProviderCode != "" {
			out.partnerCode, out.providerCode = refusal.ProviderCode, refusal.ProviderCode
		}
		if out.partnerCode == badParameter {
			out.partnerMessage = "Invalid request parameter - " + refusal.Message + " :request"
		}
		headers := http.Header{}
		if c.status == http.StatusServiceUnavailable {
			headers.Set("Retry-After", strconv.Itoa(int(retryAfter[refusal.Reason].Seconds())))
			a.log.Warn("identity provider", "error", err.Error())
		}
		return web.Refuse(c.status, a.body(d, out), headers)
	}
	if errors.Is(err, register.ErrUnavailable) || errors.Is(err, register.ErrBusy) {
		a.log.Error("database", "error", err.Error())
		return a.unavailable(d, "the service cannot answer now")
	}
	return err
}

// unavailable is a 503 that says when to come back.
func (a *API) unavailable(d door, message string) error {
	return web.Refuse(http.StatusServiceUnavailable, a.failure(d, http.StatusServiceUnavailable, message), http.Header{"Retry-After": {"1"}})
}
