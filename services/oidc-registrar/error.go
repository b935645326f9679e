package registrar

import (
	"errors"
	"fmt"
	"strings"
)

// Reason says why the service refused. The set is closed: internal/api maps each
// one to a code of either door, and a test fails if one is missed.
type Reason string

// What is wrong with the request itself.
const (
	InvalidRequest      Reason = "invalid_request" // request missing, or its time out of range
	InvalidClientID     Reason = "invalid_client_id"
	InvalidClientName   Reason = "invalid_client_name"
	InvalidPolicyID     Reason = "invalid_policy_id"
	InvalidPartnerID    Reason = "invalid_partner_id" // authPartnerId or relyingPartyId
	MissingKey          Reason = "missing_key"
	InvalidKey          Reason = "invalid_key"
	PrivateKey          Reason = "private_key" // the caller sent a secret, which goes into the audit trail
	InvalidClaim        Reason = "invalid_claim"
	InvalidACR          Reason = "invalid_acr"
	InvalidLogoURI      Reason = "invalid_logo_uri"
	WrongRedirectCount  Reason = "wrong_redirect_count" // redirectUris missing or not 1 to 5
	InvalidRedirectURI  Reason = "invalid_redirect_uri" // an element of redirectUris
	WrongGrantCount     Reason = "wrong_grant_count"
	InvalidGrantType    Reason = "invalid_grant_type"
	WrongAuthCount      Reason = "wrong_auth_count"
	InvalidAuthMethod   Reason = "invalid_auth_method"
	InvalidStatus       Reason = "invalid_status"        // not a status, or not allowed from here
	AlreadyInactive     Reason = "already_inactive"      // it was switched off one way
	WrongNames          Reason = "wrong_names"           // clientNameLangMap missing, or not of languages and names
	InvalidLanguage     Reason = "invalid_language"      // a name in a language that has no code
	InvalidLanguageName Reason = "invalid_language_name" // blank, or not plain text
	LongLanguageName    Reason = "long_language_name"
	InvalidConfig       Reason = "invalid_config"        // additionalConfig
	InvalidEncKey       Reason = "invalid_enc_key"       // encPublicKey
	InvalidCatalogEntry Reason = "invalid_catalog_entry" // a policy, partner or mapping with a bad field
)

// What conflicts with a stored client.
const (
	DuplicateClientID Reason = "duplicate_client_id"
	DuplicateKey      Reason = "duplicate_key" // two clients never share a key
	ClientNotFound    Reason = "client_not_found"
	StaleClient       Reason = "stale_client" // changed by another call meanwhile; nothing was written

	NoPartner    Reason = "no_partner"    // the caller belongs to none
	InvalidToken Reason = "invalid_token" // of the standard door

	// The partner that is named, or that of the client, is not the caller's own.
	ForeignCreate Reason = "foreign_create"
	ForeignUpdate Reason = "foreign_update"
	ForeignRead   Reason = "foreign_read"
)

// What the catalogue says.
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
	NoClaims           Reason = "no_claims" // the policy allows none
	NoACRs             Reason = "no_acrs"
)

// What admins do with webhooks.
const (
	EndpointNotFound Reason = "endpoint_not_found"
	WebhookState     Reason = "webhook_state" // an endpoint or a delivery is not in the state for it
)

// What the identity provider says.
const (
	ProviderRefused     Reason = "provider_refused"     // Error.ProviderCode holds its code, if it gave one
	NotApproved         Reason = "not_approved"         // people were asked, and said no
	ProviderUnreachable Reason = "provider_unreachable" // no usable answer; the call may still have had its effect
	ProviderDoubtful    Reason = "provider_doubtful"    // no telling what the call has done, so that it must not be repeated
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
	ProviderRefused, NotApproved, ProviderUnreachable, ProviderDoubtful,
}

// Error makes a Reason a target for errors.Is.
func (r Reason) Error() string { return string(r) }

// ofElement reports whether r is about the value of a list's element. The partner door
// checks these last, after the catalogue.
func (r Reason) ofElement() bool {
	switch r {
	case InvalidClaim, InvalidACR, InvalidRedirectURI, InvalidGrantType, InvalidAuthMethod,
		InvalidLanguage, InvalidLanguageName, LongLanguageName:
		return true
	}
	return false
}

// Error is a refusal whose Message the caller may read. Any other error is logged in
// full, and answered without detail.
type Error struct {
	Reason  Reason
	Message string

	// ProviderCode is the identity provider's own error code, such as
	// invalid_redirect_uri. Only ProviderRefused has one, and not always.
	ProviderCode string
}

func (e *Error) Error() string { return string(e.Reason) + ": " + e.Message }

// Unwrap returns the Reason.
func (e *Error) Unwrap() error { return e.Reason }

// Refuse returns an Error with a formatted message.
func Refuse(r Reason, format string, args ...any) error {
	return &Error{Reason: r, Message: fmt.Sprintf(format, args...)}
}

// MessageOf is a refusal in the words of its message alone; of any other error it is all.
func MessageOf(err error) string {
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal.Message
	}
	return err.Error()
}

// Problem is one wrong field of a request.
type Problem struct {
	// Field is the path inside the request object in the spelling of the door
	// that was used, for example logoUri or redirectUris[2].
	Field string

	Reason Reason

	Blank bool // the field is an element of a list, and blank

	// Message completes the sentence that Field begins: "must be an https URL".
	// It never repeats the value.
	Message string
}

// Invalid is a refusal because of fields: one problem for each wrong field, in
// the order in which they are to be reported. It is never empty.
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
