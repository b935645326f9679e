package api

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/oplog"
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
var codes = map[error]row{
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
	registrar.AlreadyInactive:     {"PMS_ESI_008", "invalid_status", 200},
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
	registrar.NoClaims:           {"PMS_IDP_005", "invalid_request", 200},
	registrar.NoACRs:             {"PMS_IDP_005", "invalid_request", 200},

	registrar.EndpointNotFound: {"webhook_not_found", "webhook_not_found", 200},
	registrar.WebhookState:     {"webhook_state", "webhook_state", 200},

	registrar.ProviderRefused:     {"PMS_PRT_500", "unknown_error", 200}, // unless the provider gave a code
	registrar.NotApproved:         {"not_approved", "not_approved", 200},
	registrar.ProviderUnreachable: {"PMS_PRT_500", "unknown_error", 503},
	registrar.ProviderDoubtful:    {"PMS_PRT_500", "unknown_error", 503},

	// Not outcomes of registration.
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

// retryAfter is what a caller is told to wait: as long as the worker does after a
// first attempt that found no provider, else a moment.
var retryAfter = map[registrar.Reason]time.Duration{
	registrar.ProviderUnreachable: registrar.Delays[0],
	registrar.ProviderDoubtful:    time.Hour, // a person has to look
	registrar.StaleClient:         time.Second,
}

// maxProblems bounds the entries of errors.
const maxProblems = 50

// later are the codes that a later release of either interface has for its new paths,
// where they are not those of the table.
var later = map[door]map[error]row{
	oauthDoor: {
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
	esignetDoor: {
		registrar.WrongGrantCount:  {provider: "unsupported_grant_type"},
		registrar.InvalidGrantType: {provider: "unsupported_grant_type"},
	},
}

// codeOf is how a reason leaves at a door.
func codeOf(d door, reason error) (code string, status int) {
	c, changed := codes[reason], later[d][reason]
	if code = cmp.Or(changed.partner, c.partner); d.ofProvider() {
		code = cmp.Or(changed.provider, c.provider)
	}
	return code, cmp.Or(changed.status, c.status)
}

// door is a family of paths: an interface, or a later release of one. The path decides
// which.
type door int

const (
	partnerDoor  door = iota // and all paths of no other
	oauthDoor                // partner management since 1.2.2
	providerDoor             // the identity provider, 0.9
	esignetDoor              // and as eSignet
	standardDoor             // RFC 7591 and RFC 7592
)

var doors = []struct {
	path string
	door door
}{
	{"/v1/idp", providerDoor},
	{"/v1/esignet", esignetDoor},
	{"/v1/partnermanager/oauth", oauthDoor},
	{"/v1/registrar/register", standardDoor},
	{"/v1/registrar/clients", providerDoor},
}

func doorOf(path string) door {
	for _, d := range doors {
		if path == d.path || strings.HasPrefix(path, d.path+"/") {
			return d.door
		}
	}
	return partnerDoor
}

// ofProvider reports whether a door speaks the dialect of the identity provider, which names
// every wrong field, and not that of partner management.
func (d door) ofProvider() bool { return d == providerDoor || d == esignetDoor }

// problem is one entry of errors, in the words of a door.
type problem struct{ code, message string }

// refuse answers with problems, of which there is at least one, in the envelope of a door.
// The partner door has room for one. The log has the reason of the first.
func (a *API) refuse(ctx context.Context, status int, d door, headers http.Header, reason error, problems ...problem) error {
	oplog.Note(ctx, slog.String("reason", reason.Error()))
	if d == standardDoor {
		return refuseStandard(status, headers, reason, problems[0].message)
	}
	if first := problems[0]; !d.ofProvider() {
		return web.Refuse(status, first.code, envelope.FailPartner(a.EnvelopeID, a.EnvelopeVersion, time.Now(), first.code, first.message), headers)
	}
	var list []envelope.ProviderError
	for _, p := range problems[:min(len(problems), maxProblems)] {
		list = append(list, envelope.ProviderError{Code: p.code, Message: p.message})
	}
	return web.Refuse(status, list[0].Code, envelope.FailProvider(time.Now(), list[0], list[1:]...), headers)
}

// problemOf says what is wrong with one field. parent is the path of the object
// that the field is in, at the provider door.
func problemOf(d door, p registrar.Problem, parent string) problem {
	code, _ := codeOf(d, p.Reason)
	if d == oauthDoor && p.Blank {
		code = badParameter
	}
	switch {
	case d.ofProvider():
		return problem{code, parent + p.Field + ": " + p.Message}
	case code == badParameter && d != standardDoor:
		return problem{code, "Invalid request parameter - " + p.Message + " :" + p.Field}
	}
	return problem{code, p.Field + ": " + p.Message}
}

// fail turns a refusal into its reply. Any other error goes on to package web,
// which logs it and answers without detail.
func (a *API) fail(ctx context.Context, op web.Operation, err error) error {
	d := doorOf(op.Path)
	if problems, ok := errors.AsType[registrar.Invalid](err); ok {
		list := make([]problem, len(problems))
		for i, p := range problems {
			list[i] = problemOf(d, p, "request.")
		}
		return a.refuse(ctx, http.StatusOK, d, nil, problems[0].Reason, list...)
	}
	if refusal, ok := errors.AsType[*registrar.Error](err); ok {
		return a.refused(ctx, d, refusal, err)
	}
	switch {
	case errors.Is(err, register.ErrUnavailable):
		a.Unavailable(ctx, op, err)
		err = &web.Refusal{Reason: web.DatabaseDown, Message: "the database cannot be reached"}
	case errors.Is(err, register.ErrNoWrites):
		a.Unavailable(ctx, op, err)
		err = &web.Refusal{Reason: web.DatabaseDown, Message: "the database takes no writes"}
	case errors.Is(err, register.ErrBusy):
		a.Unavailable(ctx, op, err)
		err = &web.Refusal{Reason: web.Busy, Message: "another call on the same client takes too long"}
	}
	if refusal, ok := errors.AsType[*web.Refusal](err); ok {
		code, status := codeOf(d, refusal.Reason)
		return a.refuse(ctx, status, d, nil, refusal.Reason, problem{code, refusal.Message})
	}
	return err
}

// refused is the reply to a refusal, of which err tells the cause.
func (a *API) refused(ctx context.Context, d door, refusal *registrar.Error, err error) error {
	code, status := codeOf(d, refusal.Reason)
	out := problem{cmp.Or(refusal.ProviderCode, code), refusal.Message}
	if out.code == badParameter && d != standardDoor {
		out.message = "Invalid request parameter - " + refusal.Message + " :request"
	}
	headers := http.Header{}
	if status == http.StatusServiceUnavailable {
		headers.Set("Retry-After", strconv.Itoa(int(retryAfter[refusal.Reason].Seconds())))
		a.Logger.WarnContext(ctx, "identity provider", "error", err.Error())
	}
	return a.refuse(ctx, status, d, headers, refusal.Reason, out)
}

// unfit answers a request that does not fit its operation: the doors say so in their
// own way, with 200. At the partner door the first finding is the answer.
func (a *API) unfit(ctx context.Context, op web.Operation, details []web.Detail) error {
	list, d := make([]problem, len(details)), doorOf(op.Path)
	for i, detail := range details {
		list[i] = problemOf(d, registrar.Problem{Field: fieldOf(detail.Loc), Reason: registrar.InvalidRequest, Message: detail.Msg}, "")
	}
	return a.refuse(ctx, http.StatusOK, d, nil, registrar.InvalidRequest, list...)
}

// fieldOf spells a location as the rules spell a field. The first step says which
// part of the request it is in; an offset in the body is no field.
func fieldOf(loc []any) string {
	var b strings.Builder
	for i, step := range loc {
		switch step := step.(type) {
		case string:
			if i == 0 && len(loc) > 1 {
				if _, named := loc[1].(string); named {
					continue
				}
			}
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		case int:
			if i > 1 {
				b.WriteString("[" + strconv.Itoa(step) + "]")
			}
		}
	}
	return b.String()
}
