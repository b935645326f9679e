package registrar

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/plaintext"
	"github.com/countersign/countersign/libs/refusal"
)

// MappingState is the state of a MappingRequest, as partner management writes it.
type MappingState string

const (
	MappingInProgress      MappingState = "InProgress"
	MappingRequestApproved MappingState = "approved" // final; the mapping became APPROVED
	MappingRequestRejected MappingState = "rejected" // final; the partner may ask again
)

// Values returns every value.
func (MappingState) Values() []MappingState {
	return []MappingState{MappingInProgress, MappingRequestApproved, MappingRequestRejected}
}

// MappingRequest is the request of a partner for the mapping to a policy. At most one for both is in progress.
type MappingRequest struct {
	Key         string // mapping key
	PartnerID   string
	PolicyID    string
	UseCase     string // the partner's description
	State       MappingState
	Comment     string // of the decision
	RequestedBy string // the caller's subject
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Maximum lengths of the texts of a request, in characters.
const (
	MaxUseCase        = 4000
	MaxMappingComment = 1000
)

// Check refuses an invalid description.
func (r MappingRequest) Check() error {
	var found problems
	found.add("useCaseDescription", InvalidRequest, checkLines(r.UseCase, MaxUseCase))
	return found.err()
}

// checkLines accepts plain text of several lines that is not blank.
func checkLines(text string, limit int) error {
	switch n := utf8.RuneCountInString(text); {
	case isBlank(text):
		return errors.New("must not be blank")
	case n > limit:
		return fmt.Errorf("is longer than %d characters", limit)
	}
	return plaintext.Check(strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(text))
}

// Permit refuses a request of a partner that is not active, for a policy that is not active, or for an approved
// mapping. mapping is nil without one.
func (r MappingRequest) Permit(partner Partner, policy Policy, mapping *Mapping) error {
	switch {
	case partner.Status != EntryActive:
		return refusal.New(PartnerInactive, "partner %s is not active", partner.ID)
	case policy.Status != EntryActive:
		return refusal.New(PolicyInactive, "policy %s is not active", policy.ID)
	case mapping != nil && mapping.Status == MappingApproved:
		return refusal.New(MappingExists, "the mapping of partner %s to policy %s is approved already", partner.ID, policy.ID)
	}
	return nil
}

// Decide approves or rejects r. The status is accepted in any letter case.
func (r MappingRequest) Decide(status, comment string, at time.Time) (MappingRequest, error) {
	switch r.State {
	case MappingRequestApproved:
		return r, refusal.New(MappingDecidedApproved, "mapping request %s is approved already", r.Key)
	case MappingRequestRejected:
		return r, refusal.New(MappingDecidedRejected, "mapping request %s is rejected already", r.Key)
	}
	state := MappingState(strings.ToLower(status))
	if state != MappingRequestApproved && state != MappingRequestRejected {
		return r, refusal.New(InvalidMappingStatus, "status: %s must be Approved or Rejected", shown(status))
	}
	if comment != "" {
		var found problems
		if found.add("comment", InvalidRequest, checkLines(comment, MaxMappingComment)); len(found) > 0 {
			return r, found.err()
		}
	}
	r.State, r.Comment, r.UpdatedAt = state, comment, at
	return r, nil
}

// Mapping returns the mapping that the request is for, with a status.
func (r MappingRequest) Mapping(status MappingStatus) Mapping {
	return Mapping{r.PartnerID, r.PolicyID, status}
}

// mappingSubject is the beginning of Approval.ClientID for a mapping request. No client has such an id.
const mappingSubject = "mapping/"

// Subject returns Approval.ClientID for the request.
func (r MappingRequest) Subject() string { return mappingSubject + r.Key }

// MappingKey returns the key of the mapping request that the approval is for, or an empty text for a client.
func (a Approval) MappingKey() string {
	key, isMapping := strings.CutPrefix(a.ClientID, mappingSubject)
	if !isMapping {
		return ""
	}
	return key
}

// Ask returns the approval for the request.
func (r MappingRequest) Ask(partner Partner, policy Policy, approvalPolicy string) (Approval, error) {
	a := Approval{
		ClientID: r.Subject(), Revision: 1, State: ApprovalAsking, Kind: CallMapping, Policy: approvalPolicy,
		Requester: r.RequestedBy, AskedAt: r.CreatedAt, DueAt: r.CreatedAt,
	}
	return a.describe("Map policy "+policy.Name+" to partner "+partner.Name, map[string]any{
		"partner": map[string]any{"partnerId": partner.ID, "name": partner.Name, "type": partner.Type},
		"policy": map[string]any{"policyId": policy.ID, "name": policy.Name,
			"userClaims": withoutNil(policy.UserClaims)},
		"useCaseDescription": r.UseCase,
	})
}

// Artifact returns type and id of the artifact of the approval at the approval service.
func (a Approval) Artifact() (kind, id string) {
	if key := a.MappingKey(); key != "" {
		return "partner-policy", key
	}
	return "oidc-client", a.ClientID
}

// MappingList selects one numbered page of mapping requests. A non-empty text must be a substring of its field,
// case-insensitive.
type MappingList struct {
	PartnerID, PartnerName, PartnerType, PolicyID, PolicyName, UseCase string

	Partners []string     // of any of these, if not nil
	State    MappingState // if not empty
	Numbered
}

// Numbered is a numbered page of a list with its order. Ties are sorted by id.
type Numbered struct {
	Sort       string
	Descending bool
	Page, Size int // pages count from 0
}

// MappingSorts lists the sort fields by their names in partner management.
var MappingSorts = []string{
	"id", "partnerId", "orgName", "partnerType", "policyId", "policyName", "partnerComment", "status", SortCreated,
	"updatedDateTime",
}

// ListedMapping is one line of a MappingList.
type ListedMapping struct {
	MappingRequest
	PartnerName, PartnerType string
	PartnerStatus            EntryStatus
	PolicyName               string
}
