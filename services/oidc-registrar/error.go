package registrar

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
)

// Reason is the reason of a refusal. The set is closed: internal/api maps each reason to a code of
// each interface, and a test checks that none is missing.
type Reason = refusal.Reason

// Invalid requests.
const (
	InvalidRequest      Reason = "invalid_request" // request missing, or its time out of range
	InvalidClientID     Reason = "invalid_client_id"
	InvalidClientName   Reason = "invalid_client_name"
	InvalidPolicyID     Reason = "invalid_policy_id"
	InvalidPartnerID    Reason = "invalid_partner_id" // authPartnerId or relyingPartyId
	MissingKey          Reason = "missing_key"
	InvalidKey          Reason = "invalid_key"
	OtherKey            Reason = "other_key"   // of an update, which changes no key
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
	AlreadyInactive     Reason = "already_inactive"      // by an admin, or for good
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

	TokenNotFound Reason = "token_not_found" // no such initial access token

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

	MappingInRequest       Reason = "mapping_in_request" // a request for the mapping is in progress
	MappingExists          Reason = "mapping_exists"
	MappingRequestNotFound Reason = "mapping_request_not_found"
	MappingDecidedApproved Reason = "mapping_request_approved"
	MappingDecidedRejected Reason = "mapping_request_rejected"
	InvalidMappingStatus   Reason = "invalid_mapping_status"
	DecidedByPeople        Reason = "decided_by_people" // in the approval service
	OpenLimit              Reason = "open_limit"        // too many clients of open registration
	NoClaims               Reason = "no_claims"         // the policy allows no claims
	NoACRs                 Reason = "no_acrs"
)

// Outcomes at the identity provider.
const (
	ProviderRefused        Reason = "provider_refused" // Error.ProviderCode holds its code, if any
	NotApproved            Reason = "not_approved"     // the approval was denied
	ApprovalLapsed         Reason = "approval_lapsed"  // its validity has ended
	ApprovalRevoked        Reason = "approval_revoked"
	ProviderUnreachable    Reason = "provider_unreachable" // no usable answer; the call may have had an effect
	ProviderOutcomeUnknown Reason = "provider_doubtful"    // outcome unknown; the call must not be repeated
)

// Reasons is the closed set, in the order of this file.
var Reasons = []Reason{
	InvalidRequest, InvalidClientID, InvalidClientName, InvalidPolicyID, InvalidPartnerID, MissingKey, InvalidKey, OtherKey,
	PrivateKey, InvalidClaim, InvalidACR, InvalidLogoURI, WrongRedirectCount, InvalidRedirectURI, WrongGrantCount,
	InvalidGrantType, WrongAuthCount, InvalidAuthMethod, InvalidStatus, AlreadyInactive,
	WrongNames, InvalidLanguage, InvalidLanguageName, LongLanguageName, InvalidConfig, InvalidEncKey, InvalidCatalogEntry,
	DuplicateClientID, DuplicateKey, ClientNotFound, StaleClient, NoPartner, InvalidToken, TokenNotFound, ForeignCreate, ForeignUpdate, ForeignRead,
	PartnerNotFound, PartnerInactive, WrongPartnerType, PolicyNotFound, PolicyInactive, WrongPolicyType,
	MappingNotFound, MappingNotApproved, MandatoryAuthTypes, MappingInRequest, MappingExists, MappingRequestNotFound,
	MappingDecidedApproved, MappingDecidedRejected, InvalidMappingStatus, DecidedByPeople, OpenLimit, NoClaims, NoACRs,
	ProviderRefused, NotApproved, ApprovalLapsed, ApprovalRevoked, ProviderUnreachable, ProviderOutcomeUnknown,
}

// ofElement reports whether r concerns an element of a list. The partner API checks these
// last, after the catalogue.
func ofElement(r Reason) bool {
	switch r.General() {
	case InvalidClaim, InvalidACR, InvalidRedirectURI, InvalidGrantType, InvalidAuthMethod,
		InvalidLanguage, InvalidLanguageName, LongLanguageName:
		return true
	}
	return false
}

// problems are the invalid fields of an input, in the order of the report.
type problems []refusal.Problem

// err returns p as a refusal, or nil without problems.
func (p problems) err() error { return refusal.Invalid(p) }

// add adds a problem unless err is nil. The steps of field are separated by dots.
func (p *problems) add(field string, reason Reason, err error) {
	if err != nil {
		where := "/" + strings.ReplaceAll(field, ".", "/")
		*p = append(*p, refusal.Problem{Where: where, Reason: reason, Message: refusal.MessageOf(err)})
	}
}

// Join returns the refusal with the problems of both, or one error if the other is nil or no refusal.
func Join(first, second error) error {
	a, isRefusal := errors.AsType[*refusal.Error](first)
	b, alsoRefusal := errors.AsType[*refusal.Error](second)
	if !isRefusal || !alsoRefusal {
		return cmp.Or(first, second)
	}
	return refusal.Invalid(slices.Concat(a.List(), b.List()))
}

// ErrorOfProvider returns the identity provider's refusal. Its code is the case of the reason.
func ErrorOfProvider(code, message string) error {
	return Failure{Reason: ProviderRefused, ProviderCode: code, Message: message}.Err()
}

// ProviderCode returns the identity provider's code in a reason, such as invalid_redirect_uri, or
// an empty string.
func ProviderCode(r Reason) string {
	if r.General() != ProviderRefused {
		return ""
	}
	return r.Case()
}

// FieldPath returns the path of a field at a JSON pointer: /redirectUris/2 is redirectUris[2].
func FieldPath(pointer string) string {
	var path strings.Builder
	for _, step := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		switch {
		case step != "" && strings.Trim(step, "0123456789") == "":
			path.WriteString("[" + step + "]")
		case path.Len() > 0:
			path.WriteString("." + step)
		default:
			path.WriteString(step)
		}
	}
	return path.String()
}

// Describe returns every problem of a refusal with its field, or the full text of any other error.
func Describe(err error) string {
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok {
		return err.Error()
	}
	var text []string
	for _, p := range refused.List() {
		if p.Where != "" {
			p.Message = FieldPath(p.Where) + ": " + p.Message
		}
		text = append(text, p.Message)
	}
	return strings.Join(text, "; ")
}
