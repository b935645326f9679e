package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/libs/work"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
)

// badParameter is the partner API's code for an invalid field. Its message has a fixed form.
const badParameter = "PMS_COR_001"

// row holds the codes of a reason in both interfaces and its status.
type row struct {
	partner, provider string
	status            int
}

// codes maps every reason to its codes and status. Outcomes of registration answer 200: callers use
// the code.
var codes = map[error]row{
	registrar.InvalidRequest:      {badParameter, "invalid_request", 200},
	registrar.InvalidClientID:     {badParameter, "invalid_client_id", 200},
	registrar.InvalidClientName:   {badParameter, "invalid_client_name", 200},
	registrar.InvalidPolicyID:     {badParameter, "invalid_request", 200},
	registrar.InvalidPartnerID:    {badParameter, "invalid_rp_id", 200},
	registrar.MissingKey:          {badParameter, "invalid_public_key", 200},
	registrar.InvalidKey:          {"invalid_public_key", "invalid_public_key", 200},
	registrar.OtherKey:            {badParameter, "invalid_public_key", 200},
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
	registrar.AlreadyInactive:     {"KER-ATH-403", "FORBIDDEN", 403},
	registrar.WrongNames:          {badParameter, "invalid_client_name", 200},
	registrar.InvalidLanguage:     {"invalid_language_code", "invalid_language_code", 200},
	registrar.InvalidLanguageName: {"invalid_client_name_value", "invalid_client_name_value", 200},
	registrar.LongLanguageName:    {"invalid_client_name_length", "invalid_client_name_length", 200},
	registrar.InvalidConfig:       {"invalid_additional_config", "invalid_additional_config", 200},
	registrar.InvalidEncKey:       {"invalid_public_key", "invalid_public_key", 200},
	registrar.InvalidCatalogEntry: {badParameter, "invalid_request", 200},

	registrar.DuplicateClientID: {"PMS_IDP_001", "duplicate_client_id", 200},
	registrar.DuplicateKey:      {"PMS_IDP_001", "duplicate_public_key", 200},
	registrar.ClientNotFound:    {"PMS_IDP_004", "invalid_client_id", 200},
	registrar.StaleClient:       {"PMS_PRT_500", "unknown_error", 503},
	registrar.NoPartner:         {"PMS_CERTIFICATE_ERROR_002", "FORBIDDEN", 200},
	registrar.InvalidToken:      {"KER-ATH-401", "UNAUTHORIZED", 401},
	registrar.TokenNotFound:     {"token_not_found", "token_not_found", 200},
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

	registrar.MappingInRequest:       {"PMS_PRT_053", "invalid_request", 200},
	registrar.MappingExists:          {"PMS_PRT_060", "invalid_request", 200},
	registrar.MappingRequestNotFound: {"PMS_PMP_007", "invalid_request", 200},
	registrar.MappingDecidedApproved: {"PMS_PM_034", "invalid_request", 200},
	registrar.MappingDecidedRejected: {"PMS_PM_035", "invalid_request", 200},
	registrar.InvalidMappingStatus:   {"PMS_PM_045", "invalid_request", 200},
	registrar.DecidedByPeople:        {"KER-ATH-403", "FORBIDDEN", 403},
	registrar.OpenLimit:              {"PMS_PRT_500", "unknown_error", 429},

	registrar.NoClaims: {"PMS_IDP_005", "invalid_request", 200},
	registrar.NoACRs:   {"PMS_IDP_005", "invalid_request", 200},

	outbox.EndpointNotFound: {"webhook_not_found", "webhook_not_found", 200},
	outbox.WrongState:       {"webhook_state", "webhook_state", 200},
	outbox.BadInput:         {badParameter, "invalid_request", 200},

	registrar.ProviderRefused:        {"PMS_PRT_500", "unknown_error", 200}, // unless the provider returned a code
	registrar.NotApproved:            {"not_approved", "not_approved", 200},
	registrar.ApprovalLapsed:         {"approval_lapsed", "approval_lapsed", 200},
	registrar.ApprovalRevoked:        {"approval_revoked", "approval_revoked", 200},
	registrar.ProviderUnreachable:    {"PMS_PRT_500", "unknown_error", 503},
	registrar.ProviderOutcomeUnknown: {"PMS_PRT_500", "unknown_error", 503},

	// Failures other than outcomes of registration.
	web.BadRequest:      {badParameter, "invalid_request", 400},
	web.Unauthenticated: {"KER-ATH-401", "UNAUTHORIZED", 401},
	web.Forbidden:       {"KER-ATH-403", "FORBIDDEN", 403},
	web.NoRoute:         {badParameter, "invalid_request", 404},
	web.Misdirected:     {badParameter, "invalid_request", 421},
	web.WrongMethod:     {badParameter, "invalid_request", 405},
	web.TooLarge:        {badParameter, "invalid_request", 413},
	web.TooSlow:         {badParameter, "invalid_request", 408},
	web.TooMany:         {"PMS_PRT_500", "unknown_error", 429},
	web.WrongMediaType:  {badParameter, "invalid_request", 415},
	web.Internal:        {"PMS_PRT_500", "unknown_error", 500},
	web.Starting:        {"PMS_PRT_500", "unknown_error", 503},
	web.ReadOnly:        {"PMS_PRT_500", "unknown_error", 503},
	web.DatabaseDown:    {"PMS_PRT_500", "unknown_error", 503},
	web.Busy:            {"PMS_PRT_500", "unknown_error", 503},
	web.OutOfTime:       {"PMS_PRT_500", "unknown_error", 503},
}

// retryAfter is the Retry-After of a reason. For an unreachable provider it is the worker's first
// delay.
var retryAfter = map[refusal.Reason]time.Duration{
	registrar.ProviderUnreachable:    work.Schedule[0],
	registrar.ProviderOutcomeUnknown: time.Hour, // needs an admin
	registrar.StaleClient:            time.Second,
}

// maxProblems is the maximum number of entries in errors.
const maxProblems = 50

// later holds the codes of later releases of an interface for their new paths, where they differ
// from the table.
var later = map[apiKind]map[error]row{
	oauthAPI: {
		registrar.AlreadyInactive:    {partner: "PMS_ESI_008", status: http.StatusOK},
		registrar.DuplicateClientID:  {partner: "PMS_ESI_001"},
		registrar.DuplicateKey:       {partner: "PMS_ESI_001"},
		registrar.MappingNotApproved: {partner: "PMS_ESI_002"},
		registrar.MandatoryAuthTypes: {partner: "PMS_ESI_003"},
		registrar.ClientNotFound:     {partner: "PMS_ESI_004"},
		registrar.NoClaims:           {partner: "PMS_ESI_005"},
		registrar.NoACRs:             {partner: "PMS_ESI_006"},
		registrar.InvalidKey:         {partner: "PMS_ESI_007"},
		registrar.PrivateKey:         {partner: "PMS_ESI_007"},
		registrar.ForeignCreate:      {status: http.StatusOK},
		registrar.ForeignUpdate:      {status: http.StatusOK},
		registrar.ForeignRead:        {status: http.StatusOK},
	},
	mappingAPI: {
		registrar.PartnerNotFound: {partner: "PMS_PRT_005"},
		registrar.ForeignCreate:   {partner: "PMS_PRT_055"},
	},
	esignetAPI: {
		registrar.WrongGrantCount:  {provider: "unsupported_grant_type"},
		registrar.InvalidGrantType: {provider: "unsupported_grant_type"},
	},
}

// codeOf returns the code and status of a reason in an interface.
func codeOf(k apiKind, reason error) (code string, status int) {
	if r, ok := reason.(refusal.Reason); ok {
		reason = r.General()
	}
	c, changed := codes[reason], later[k][reason]
	if code = cmp.Or(changed.partner, c.partner); k.ofProvider() {
		code = cmp.Or(changed.provider, c.provider)
	}
	return code, cmp.Or(changed.status, c.status)
}

// apiKind is a family of paths: an interface or a later release of one. It is derived from the path.
type apiKind int

const (
	partnerAPI    apiKind = iota // also the default for other paths
	oauthAPI                     // partner management since 1.2.2
	clientMgmtAPI                // the identity provider, 0.9
	esignetAPI                   // the identity provider, eSignet paths
	rfc7591API                   // RFC 7591 and RFC 7592
	mappingAPI                   // mapping requests, partner management 1.3
)

var apiPaths = []struct {
	path string
	kind apiKind
}{
	{"/v1/idp", clientMgmtAPI},
	{"/v1/esignet", esignetAPI},
	{"/v1/partnermanager/oauth", oauthAPI},
	{"/v1/registrar/register", rfc7591API},
	{"/v1/registrar/clients", clientMgmtAPI},
	{"/v1/partnermanager/partners/{partnerId}/policy", mappingAPI},
	{"/v1/partnermanager/partners/policy", mappingAPI},
	{"/v1/partnermanager/partner-policy-requests", mappingAPI},
}

func apiOf(path string) apiKind {
	for _, k := range apiPaths {
		if path == k.path || strings.HasPrefix(path, k.path+"/") {
			return k.kind
		}
	}
	return partnerAPI
}

// ofProvider reports whether k has the envelope of the identity provider, with every invalid field,
// instead of that of partner management.
func (k apiKind) ofProvider() bool { return k == clientMgmtAPI || k == esignetAPI }

// problem is one entry of errors in the form of an interface.
type problem struct{ code, message string }

// refuse answers with at least one problem in the envelope of an interface. The partner API
// sends only the first. The reason is logged.
func (a *API) refuse(ctx context.Context, status int, k apiKind, headers http.Header, reason error, problems ...problem) error {
	oplog.Note(ctx, slog.String("reason", reason.Error()))
	if k == rfc7591API {
		return refuseStandard(status, headers, reason, problems)
	}
	if first := problems[0]; !k.ofProvider() {
		failure := envelope.FailPartner(envelopeID, envelopeVersion, time.Now(), first.code, first.message)
		return web.Refuse(status, first.code, failure, headers)
	}
	var list []envelope.ProviderError
	for _, p := range problems[:min(len(problems), maxProblems)] {
		list = append(list, envelope.ProviderError{Code: p.code, Message: p.message})
	}
	return web.Refuse(status, list[0].Code, envelope.FailProvider(time.Now(), list[0], list[1:]...), headers)
}

// problemOf returns the entry for an invalid field. parent is the path of the object with the
// field, in the client-management API.
func problemOf(k apiKind, p refusal.Problem, parent string) problem {
	code, _ := codeOf(k, p.Reason)
	if k == oauthAPI && registrar.IsBlank(p.Reason) {
		code = badParameter
	}
	field := registrar.FieldPath(p.Where)
	switch {
	case p.Where == "": // of the envelope
		return problem{code, p.Message}
	case k.ofProvider():
		return problem{code, parent + field + ": " + p.Message}
	case code == badParameter && k != rfc7591API:
		return problem{code, "Invalid request parameter - " + p.Message + " :" + field}
	}
	return problem{code, field + ": " + p.Message}
}

// fail converts a refusal to its reply. It passes any other error to package web, which logs it and
// answers without detail.
func (a *API) fail(ctx context.Context, op web.Operation, err error) error {
	k := apiOf(op.Path)
	switch {
	case errors.Is(err, engine.ErrUnavailable):
		a.Unavailable(ctx, op, err)
		err = refusal.New(web.DatabaseDown, "the database cannot be reached")
	case errors.Is(err, engine.ErrNoWrites):
		a.Unavailable(ctx, op, err)
		err = refusal.New(web.DatabaseDown, "the database takes no writes")
	case errors.Is(err, engine.ErrTimeout):
		a.Unavailable(ctx, op, err)
		err = refusal.New(web.DatabaseDown, "a database statement timed out")
	case errors.Is(err, engine.ErrBusy):
		a.Unavailable(ctx, op, err)
		err = refusal.New(web.Busy, "another call on the same client takes too long")
	}
	refused, ok := errors.AsType[*refusal.Error](err)
	switch {
	case !ok:
		return err
	case refused.Where != "" || len(refused.Problems) > 0:
		list, reason := make([]problem, 0, 1), refused.Reason.General()
		for _, p := range refused.List() {
			list = append(list, problemOf(k, p, "request."))
			if k == rfc7591API && !isRedirect(p.Reason.General()) {
				reason = p.Reason.General()
			}
		}
		return a.refuse(ctx, http.StatusOK, k, nil, reason, list...)
	}
	code, status := codeOf(k, refused.Reason)
	out := problem{cmp.Or(registrar.ProviderCode(refused.Reason), code), refused.Message}
	if isDomain := slices.Contains(registrar.Reasons, refused.Reason.General()); isDomain && out.code == badParameter && k != rfc7591API {
		out.message = "Invalid request parameter - " + refused.Message + " :request"
	}
	headers := http.Header{}
	if after, ok := retryAfter[refused.Reason]; ok {
		headers.Set("Retry-After", strconv.Itoa(int(after.Seconds())))
		a.Logger.WarnContext(ctx, "identity provider", "setting", "REGISTRAR_IDP_URL", "error", err.Error())
	}
	return a.refuse(ctx, status, k, headers, refused.Reason.General(), out)
}

// refuseSchema answers a request that violates the schema of its operation. The APIs answer 200 with
// their own codes; the partner API sends the first problem.
func (a *API) refuseSchema(ctx context.Context, op web.Operation, details []web.Detail) error {
	list, k := make([]problem, len(details)), apiOf(op.Path)
	for i, detail := range details {
		p := refusal.Problem{Where: pointerOf(detail.Loc), Reason: registrar.InvalidRequest, Message: detail.Msg}
		list[i] = problemOf(k, p, "")
	}
	return a.refuse(ctx, http.StatusOK, k, nil, registrar.InvalidRequest, list...)
}

// pointerOf converts a location to a JSON pointer without the part of the request. An offset in the
// body has no pointer of its own.
func pointerOf(loc []any) string {
	pointer := ""
	for i, step := range loc {
		if _, offset := step.(int); i > 0 && !(i == 1 && offset) {
			pointer += fmt.Sprintf("/%v", step)
		}
	}
	if pointer == "" && len(loc) > 0 {
		pointer = fmt.Sprintf("/%v", loc[0])
	}
	return pointer
}
