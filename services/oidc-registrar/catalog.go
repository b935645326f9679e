package registrar

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
)

// PolicyType is the subject of a policy. Only a client under an AuthPolicy can sign users in.
type PolicyType string

const (
	AuthPolicy      PolicyType = "Auth"
	DataSharePolicy PolicyType = "DataShare"
)

// Values returns every value.
func (PolicyType) Values() []PolicyType { return []PolicyType{AuthPolicy, DataSharePolicy} }

// AuthPartner is the type of the partners that may register clients. This service does not
// distinguish the other types.
const AuthPartner = "Auth_Partner"

// MappingStatus is the state of a partner's right to a policy.
type MappingStatus string

const (
	MappingApproved MappingStatus = "APPROVED"
	MappingRevoked  MappingStatus = "REVOKED"
)

// Values returns every value.
func (MappingStatus) Values() []MappingStatus {
	return []MappingStatus{MappingApproved, MappingRevoked}
}

// EntryStatus is the state of a partner or a policy. Only an active one can be used.
type EntryStatus string

const (
	EntryActive   EntryStatus = "ACTIVE"
	EntryInactive EntryStatus = "INACTIVE"
)

// Values returns every value.
func (EntryStatus) Values() []EntryStatus { return []EntryStatus{EntryActive, EntryInactive} }

// Policy lists the claims and ACRs that a client under it may request. A change to it does not
// change registered clients. It has these member names in the API and in a catalogue file, as have
// the other entries.
type Policy struct {
	ID     string      `json:"policyId" doc:"Identifier of the policy."`
	Name   string      `json:"name" doc:"Display name."`
	Type   PolicyType  `json:"type" doc:"Type of the policy; clients are registered under Auth policies."`
	Status EntryStatus `json:"status" doc:"Clients are registered under an ACTIVE policy only."`

	UserClaims         []string `json:"userClaims" doc:"Claims that a client under the policy may request."`
	ACRs               []string `json:"authContextRefs" doc:"Authentication context classes that a client under the policy may request."`
	MandatoryAuthTypes []string `json:"mandatoryAuthTypes" doc:"Authentication types that the policy requires."` // if any, the policy is not for OpenID Connect

	// ClientTypes are the types of the clients; empty for confidential.
	ClientTypes []string `json:"clientTypes,omitempty" doc:"Types of the clients: confidential, which is the default, public, or both. A public client has no key, and PKCE is enforced."`

	// ApprovalPolicy is empty if the policy has no approval policy of its own.
	ApprovalPolicy string `json:"approvalPolicy,omitempty" doc:"Policy of the approval service for clients under this policy."`

	// ApprovalExempt are the members of a client that change without an approval.
	ApprovalExempt []string `json:"approvalExempt,omitempty" doc:"Members that change without an approval: clientName, logoUri."`

	// ExpiresAfter is empty if the clients do not expire.
	ExpiresAfter string `json:"expiresAfter,omitempty" doc:"Time after which a client is INACTIVE for good, from P1D to P366D, by the policy of its registration."`
}

// Lifetime returns the time after which the clients of p expire, or 0.
func (p Policy) Lifetime() time.Duration {
	days, _ := lifetimeDays(p.ExpiresAfter) // checked before
	return time.Duration(days) * 24 * time.Hour
}

// maxLifetimeDays is the longest lifetime of a client, and maxOpenLifetime that without an approval in open
// registration.
const (
	maxLifetimeDays = 366
	maxOpenLifetime = 90 * 24 * time.Hour
)

// lifetimeDays parses a number of days (ISO 8601), from P1D to P366D. An empty text is none.
func lifetimeDays(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	digits, isDays := strings.CutSuffix(strings.TrimPrefix(text, "P"), "D")
	days, err := strconv.Atoi(digits)
	if err != nil || !isDays || days < 1 || days > maxLifetimeDays || text != fmt.Sprintf("P%dD", days) {
		return 0, fmt.Errorf("%s must be a number of days from P1D to P%dD", shown(text), maxLifetimeDays)
	}
	return days, nil
}

// PermitsOpen reports whether clients may be registered under p without a token: they need an approval, or expire
// within 90 days.
func (p Policy) PermitsOpen(isApproved bool) bool {
	lifetime := p.Lifetime()
	return isApproved || lifetime > 0 && lifetime <= maxOpenLifetime
}

// Partner is an organisation that may register clients.
type Partner struct {
	ID      string      `json:"partnerId" doc:"Identifier of the partner."`
	Name    string      `json:"name" doc:"Display name."`
	Type    string      `json:"type" doc:"Auth_Partner may register clients"`
	Status  EntryStatus `json:"status" doc:"Only an ACTIVE partner may register clients."`
	LogoURI string      `json:"logoUri,omitempty" doc:"Logo of the partner."`
}

// Mapping lets a partner use a policy.
type Mapping struct {
	PartnerID string        `json:"partnerId" doc:"Identifier of the partner."`
	PolicyID  string        `json:"policyId" doc:"Identifier of the policy."`
	Status    MappingStatus `json:"status" doc:"Whether the partner may use the policy."`
}

// Authorise checks that the partner of r may register a client under the policy of r. It returns r
// with the claims and ACRs of the policy. The arguments are the entries that r names, or nil for a
// missing one.
//
// It returns the first violation, in this order: partner, its status and type, policy, its status
// and type, mapping, its status, the policy's content.
func (r Registration) Authorise(partner *Partner, policy *Policy, mapping *Mapping) (Registration, error) {
	switch {
	case partner == nil:
		return r, refusal.New(PartnerNotFound, "no partner %s", r.PartnerID)
	case partner.Status != EntryActive:
		return r, refusal.New(PartnerInactive, "partner %s is not active", r.PartnerID)
	case partner.Type != AuthPartner:
		return r, refusal.New(WrongPartnerType, "partner %s is not of type %s", r.PartnerID, AuthPartner)
	case policy == nil:
		return r, refusal.New(PolicyNotFound, "no policy %s", r.PolicyID)
	case policy.Status != EntryActive:
		return r, refusal.New(PolicyInactive, "policy %s is not active", r.PolicyID)
	case policy.Type != AuthPolicy:
		return r, refusal.New(WrongPolicyType, "policy %s is not of type %s", r.PolicyID, AuthPolicy)
	case mapping == nil:
		return r, refusal.New(MappingNotFound, "partner %s has no mapping to policy %s", r.PartnerID, r.PolicyID)
	case mapping.Status != MappingApproved:
		return r, refusal.New(MappingNotApproved, "the mapping of partner %s to policy %s is not approved", r.PartnerID, r.PolicyID)
	case len(policy.MandatoryAuthTypes) > 0:
		return r, refusal.New(MandatoryAuthTypes, "policy %s has mandatory authentication types", r.PolicyID)
	case len(policy.UserClaims) == 0:
		return r, refusal.New(NoClaims, "policy %s allows no user claim", r.PolicyID)
	case len(policy.ACRs) == 0:
		return r, refusal.New(NoACRs, "policy %s allows no authentication context reference", r.PolicyID)
	}
	r.UserClaims, r.ACRs, r.lifetime = slices.Clone(policy.UserClaims), slices.Clone(policy.ACRs), policy.Lifetime()
	if len(r.AuthMethods) == 0 { // an initial access token is issued
		return r, nil
	}
	return r, policy.checkType(r.Client)
}

// exemptable are the members that a policy may exempt from approvals. They do not affect sign-in.
var exemptable = []string{"clientName", "logoUri"}

// catalogLimit bounds the lists of a policy.
const catalogLimit = 100

// CheckPolicy returns the violations of p as problems. An Auth policy is refused for a value that would
// refuse each of its clients.
func (r Rules) CheckPolicy(p Policy) error {
	var found problems
	found.entry("policyId", checkID(p.ID, 36))
	found.entry("name", checkName(p.Name))
	found.entry("type", checkOneOf(p.Type, AuthPolicy, DataSharePolicy))
	found.entry("status", checkStatus(p.Status))
	claims, acrs := r.Claims, r.ACRs
	if p.Type != AuthPolicy {
		claims, acrs = p.UserClaims, p.ACRs
	}
	found.entry("userClaims", checkNameList(p.UserClaims, claims))
	found.entry("authContextRefs", checkNameList(p.ACRs, acrs))
	if p.Type == AuthPolicy {
		found.entry("userClaims", r.Limits.check(jsonText(p.UserClaims), r.Limits.Claims))
		found.entry("authContextRefs", r.Limits.check(jsonText(p.ACRs), r.Limits.ACRs))
	}
	found.entry("mandatoryAuthTypes", checkNameList(p.MandatoryAuthTypes, p.MandatoryAuthTypes))
	found.entry("clientTypes", checkNameList(p.ClientTypes, []string{string(Confidential), string(Public)}))
	if slices.Contains(p.ClientTypes, string(Public)) && !r.EnforcesPKCE {
		found.entry("clientTypes", errors.New("cannot have public: the identity provider behind this service does not enforce PKCE for a client"))
	}
	if p.ApprovalPolicy != "" {
		found.entry("approvalPolicy", checkID(p.ApprovalPolicy, 128))
	}
	found.entry("approvalExempt", checkNameList(p.ApprovalExempt, exemptable))
	_, err := lifetimeDays(p.ExpiresAfter)
	found.entry("expiresAfter", err)
	return found.err()
}

// CheckPartner returns the violations of p as problems. The rule for its logo is that for a
// client's logo.
func (r Rules) CheckPartner(p Partner) error {
	var found problems
	found.entry("partnerId", checkID(p.ID, 100))
	found.entry("name", checkName(p.Name))
	found.entry("type", checkID(p.Type, 100))
	found.entry("status", checkStatus(p.Status))
	if p.LogoURI != "" {
		found.entry("logoUri", r.CheckLogoURI(p.LogoURI))
	}
	return found.err()
}

// Check returns the violations of m as problems.
func (m Mapping) Check() error {
	var found problems
	found.entry("partnerId", checkID(m.PartnerID, 100))
	found.entry("policyId", checkID(m.PolicyID, 36))
	found.entry("status", checkOneOf(m.Status, MappingApproved, MappingRevoked))
	return found.err()
}

// entry adds a problem with a field of a catalogue entry unless err is nil.
func (p *problems) entry(field string, err error) { p.add(field, InvalidCatalogEntry, err) }

// checkStatus accepts the statuses that a caller can set.
func checkStatus[S ClientStatus | EntryStatus](s S) error {
	return checkOneOf(s, S(EntryActive), S(EntryInactive))
}

func checkOneOf[S ~string](s, one, other S) error {
	if s != one && s != other {
		return fmt.Errorf("must be %s or %s", one, other)
	}
	return nil
}

// checkNameList accepts a list of distinct names that are among the permitted ones.
func checkNameList(list, permitted []string) error {
	if len(list) > catalogLimit {
		return fmt.Errorf("must have at most %d elements, not %d", catalogLimit, len(list))
	}
	for i, word := range list {
		if err := checkID(word, 100); err != nil {
			return fmt.Errorf("element %d %w", i, err)
		}
		if slices.Contains(list[:i], word) {
			return fmt.Errorf("element %d is the same as an earlier one", i)
		}
		if !slices.Contains(permitted, word) {
			return fmt.Errorf("element %d, %q, is not supported; permitted: %s", i, word, strings.Join(permitted, ", "))
		}
	}
	return nil
}
