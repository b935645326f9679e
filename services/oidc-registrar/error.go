package registrar

import (
	"errors"
	"fmt"
	"strings"
)

// Reason is the reason of a refusal. The set is closed: internal/api maps each reason to a code of
// each interface, and a test checks that none is missing.
type Reason string

// Invalid requests.
const (
	InvalidRequest      Reason = "invalid_request" // request missing, or its time out of range
	InvalidClientID     Reason = "invalid_client_id"
	InvalidClientName   Reason = "invalid_client_name"
	InvalidPolicyID     Reason = "invalid_policy_id"
	InvalidPartnerID    Reason = "invalid_partner_id" // authPartnerId or relyingPartyId
	MissingKey          Reason = "missing_key"
	InvalidKey          Reason = "invalid_key"
	PrivateKey          Reason = "private_key" // the request contains a private key
	InvalidClaim        Reason = "invalid_claim"
	InvalidACR          Reason = "invalid_acr"
	InvalidLogoURI      Reason = "invalid_logo_uri"
	WrongRedirectCount  Reason = "wrong_redirect_count" // redirectUris missing or not 1 to 5
	InvalidRedirectURI  Reason = "invalid_redirect_uri" // an element of redirectUris
	WrongGrantCount     Reason = "wrong_grant_count"
	InvalidGrantType    Reason = "invalid_grant_type"
	WrongAuthCount      Reason = "wrong_auth_count"
	InvalidAuthMethod   Reason = "invalid_auth_method"
	InvalidStatus       Reason = "invalid_status"        // unknown status, or a transition that is not allowed
	AlreadyInactive     Reason = "already_inactive"      // one-way deactivation
	WrongNames          Reason = "wrong_names"           // clientNameLangMap missing, or not a map of languages to names
	InvalidLanguage     Reason = "invalid_language"      // language without a code
	InvalidLanguageName Reason = "invalid_language_name" // blank, or not plain text
	LongLanguageName    Reason = "long_language_name"
	InvalidConfig       Reason = "invalid_config"        // additionalConfig
	InvalidEncKey       Reason = "invalid_enc_key"       // encPublicKey
	InvalidCatalogEntry Reason = "invalid_catalog_entry" // invalid policy, partner or mapping
)

// Conflicts with a stored client.
const (
	DuplicateClientID Reason = "duplicate_client_id"
	DuplicateKey      Reason = "duplicate_key" // two clients never share a key
	ClientNotFound    Reason = "client_not_found"
	StaleClient       Reason = "stale_client" // changed by a concurrent call; nothing was written

	NoPartner    Reason = "no_partner"    // the caller has no partner
	InvalidToken Reason = "invalid_token" // in the standard interface

	// The named partner, or the client's partner, is not the caller's.
	ForeignCreate Reason = "foreign_create"
	ForeignUpdate Reason = "foreign_update"
	ForeignRead   Reason = "foreign_read"
)

// Violations of the catalogue.
const (
	PartnerNotFound    Reason = "partner_not_found"
	PartnerInactive    Reason = "partner_inactive"
	WrongPartnerType   Reason = "wrong_partner_type"
	PolicyNotFound     Reason = "policy_not_found"
	PolicyInactive     Reason = "policy_inactive"
	WrongPolicyType    Reason = "wrong_policy_type"
	MappingNotFound    Reason = "mapping_not_found"
	MappingNotApproved Reason = "mapping_not_approved"
	MandatoryAuthTypes Reason = "mandatory_auth_types"
	NoClaims           Reason = "no_claims" // the policy allows no claims
	NoACRs             Reason = "no_acrs"
)

// Refusals of webhook administration.
const (
	EndpointNotFound Reason = "endpoint_not_found"
	WebhookState     Reason = "webhook_state" // state of an endpoint or a delivery does not allow the operation
)

// Outcomes at the identity provider.
const (
	ProviderRefused        Reason = "provider_refused"     // Error.ProviderCode holds its code, if any
	NotApproved            Reason = "not_approved"         // the approval was denied
	ProviderUnreachable    Reason = "provider_unreachable" // no usable answer; the call may have had an effect
	ProviderOutcomeUnknown Reason = "provider_doubtful"    // outcome unknown; the call must not be repeated
)

// Reasons is the closed set, in the order of this file.
var Reasons = []Reason{
	InvalidRequest, InvalidClientID, InvalidClientName, InvalidPolicyID, InvalidPartnerID, MissingKey, InvalidKey,
	PrivateKey, InvalidClaim, InvalidACR, InvalidLogoURI, WrongRedirectCount, InvalidRedirectURI, WrongGrantCount,
	InvalidGrantType, WrongAuthCount, InvalidAuthMethod, InvalidStatus, AlreadyInactive,
	WrongNames, InvalidLanguage, InvalidLanguageName, LongLanguageName, InvalidConfig, InvalidEncKey, InvalidCatalogEntry,
	DuplicateClientID, DuplicateKey, ClientNotFound, StaleClient, NoPartner, InvalidToken, ForeignCreate, ForeignUpdate, ForeignRead,
	PartnerNotFound, PartnerInactive, WrongPartnerType, PolicyNotFound, PolicyInactive, WrongPolicyType,
	MappingNotFound, MappingNotApproved, MandatoryAuthTypes, NoClaims, NoACRs,
	EndpointNotFound, WebhookState,
	ProviderRefused, NotApproved, ProviderUnreachable, ProviderOutcomeUnknown,
}

// Error makes a Reason a target for errors.Is.
func (r Reason) Error() string { return string(r) }

// ofElement reports whether r concerns an element of a list. The partner interface checks these
// last, after the catalogue.
func (r Reason) ofElement() bool {
	switch r {
	case InvalidClaim, InvalidACR, InvalidRedirectURI, InvalidGrantType, InvalidAuthMethod,
		InvalidLanguage, InvalidLanguageName, LongLanguageName:
		return true
	}
	return false
}

// Error is a refusal with a Message for the caller. Any other error is logged in full and answered
// without detail.
type Error struct {
	Reason  Reason
	Message string

	// ProviderCode is the identity provider's error code, such as invalid_redirect_uri. Only
	// ProviderRefused can have one.
	ProviderCode string
}

func (e *Error) Error() string { return string(e.Reason) + ": " + e.Message }

// Unwrap returns the Reason.
func (e *Error) Unwrap() error { return e.Reason }

// Refuse returns an Error with a formatted message.
func Refuse(r Reason, format string, args ...any) error {
	return &Error{Reason: r, Message: fmt.Sprintf(format, args...)}
}

// MessageOf returns the message of a refusal, or the full text of any other error.
func MessageOf(err error) string {
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal.Message
	}
	return err.Error()
}

// Problem is one invalid field of a request.
type Problem struct {
	// Field is the path inside the request object in the spelling of the interface used, for
	// example logoUri or redirectUris[2].
	Field string

	Reason Reason

	Blank bool // the field is a blank element of a list

	// Message completes the sentence that Field begins: "must be an https URL". It never contains
	// the value.
	Message string
}

// Invalid is a refusal with one problem for each invalid field, in the order of the report. It is
// never empty.
type Invalid []Problem

func (p Invalid) Error() string {
	text := make([]string, len(p))
	for i, problem := range p {
		text[i] = problem.Field + ": " + problem.Message
	}
	return strings.Join(text, "; ")
}

// Unwrap returns the reasons, for errors.Is.
func (p Invalid) Unwrap() []error {
	errs := make([]error, len(p))
	for i, problem := range p {
		errs[i] = problem.Reason
	}
	return errs
}

// err returns p as an error, or nil if there is no problem.
func (p Invalid) err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
