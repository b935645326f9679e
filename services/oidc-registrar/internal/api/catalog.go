package api

import (
	"context"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// mountCatalog registers the operations on policies, partners and their mappings.
func (a *API) mountCatalog() {
	const policy, partner = "/v1/partnermanager/policies/{policyId}", "/v1/partnermanager/partners/{partnerId}"
	handle(a, operation{"putPolicy", put, policy, admins, 200, nil, "Create or replace a policy"}, a.putPolicy)
	handle(a, operation{"getPolicy", get, policy, partners, 200, nil, "Read a policy"}, a.getPolicy)
	handle(a, operation{"listPolicies", get, "/v1/partnermanager/policies", partners, 200, nil,
		"List policies"}, a.listPolicies)
	handle(a, operation{"listPolicyEvents", get, policy + "/events", partners, 200, nil,
		"Read the audit trail of a policy, the oldest entry first"}, a.listPolicyEvents)
	handle(a, operation{"putPartner", put, partner, admins, 200, nil,
		"Create or replace a partner"}, a.putPartner)
	handle(a, operation{"getPartner", get, partner, partners, 200, nil,
		"Read a partner; a partner reads itself only"}, a.getPartner)
	handle(a, operation{"listPartners", get, "/v1/partnermanager/partners", partners, 200, nil,
		"List partners; a partner sees itself only"}, a.listPartners)
	handle(a, operation{"listPartnerEvents", get, partner + "/events", partners, 200, nil,
		"Read the audit trail of a partner, the oldest entry first; a partner reads its own only"}, a.listPartnerEvents)
	handle(a, operation{"approveMapping", put, partner + "/policies/{policyId}", admins, 200, nil,
		"Map a policy to a partner"}, a.approveMapping)
	handle(a, operation{"revokeMapping", del, partner + "/policies/{policyId}", admins, 200, nil,
		"Remove a policy from a partner"}, a.revokeMapping)
}

// policyView, partnerView and mappingView are the entries of the catalogue.
type (
	policyView  registrar.Policy
	partnerView registrar.Partner
	mappingView registrar.Mapping
)

func viewPolicy(p registrar.Policy) policyView {
	p.UserClaims, p.ACRs = registrar.NotNil(p.UserClaims), registrar.NotNil(p.ACRs)
	p.MandatoryAuthTypes = registrar.NotNil(p.MandatoryAuthTypes)
	return policyView(p)
}

// PolicyPath is the policy in a path, and PartnerPath the partner. They are exported for the same reason as Paging.
type PolicyPath struct {
	PolicyID string `path:"policyId" doc:"Identifier of the policy."`
}

type PartnerPath struct {
	PartnerID string `path:"partnerId" doc:"Identifier of the partner."`
}

type policyRequest struct {
	Name               string   `json:"name" doc:"Display name."`
	Type               string   `json:"type" doc:"Auth or DataShare"`
	Status             string   `json:"status" doc:"ACTIVE or INACTIVE"`
	UserClaims         []string `json:"userClaims,omitempty" doc:"Claims that a client under the policy may request."`
	ACRs               []string `json:"authContextRefs,omitempty" doc:"Authentication context classes that a client under the policy may request."`
	MandatoryAuthTypes []string `json:"mandatoryAuthTypes,omitempty" doc:"Authentication types that the policy requires."`
	ClientTypes        []string `json:"clientTypes,omitempty" doc:"Types of the clients: confidential, which is the default, public, or both."`
	ApprovalPolicy     string   `json:"approvalPolicy,omitempty" doc:"Policy of the approval service for clients under this policy."`
	ExpiresAfter       string   `json:"expiresAfter,omitempty" doc:"Lifetime of later clients in days, from P1D to P366D."`
	ApprovalExempt     []string `json:"approvalExempt,omitempty" doc:"Members that change without an approval: clientName, logoUri."`
}

type putPolicyInput struct {
	PolicyPath
	Body requestBody[policyRequest]
}

func (a *API) putPolicy(ctx context.Context, in *putPolicyInput) (policyView, error) {
	r := in.Body.Request
	p := registrar.Policy{
		ID: in.PolicyID, Name: r.Name, Type: registrar.PolicyType(r.Type), Status: registrar.EntryStatus(r.Status),
		UserClaims: r.UserClaims, ACRs: r.ACRs, MandatoryAuthTypes: r.MandatoryAuthTypes, ClientTypes: r.ClientTypes,
		ApprovalPolicy: r.ApprovalPolicy, ApprovalExempt: r.ApprovalExempt, ExpiresAfter: r.ExpiresAfter,
	}
	return viewPolicy(p), a.registrar.Catalog.PutPolicy(ctx, callerOf(ctx), p)
}

func (a *API) getPolicy(ctx context.Context, in *PolicyPath) (policyView, error) {
	p, err := a.registrar.Catalog.GetPolicy(ctx, in.PolicyID)
	return viewPolicy(p), err
}

func (a *API) listPolicies(ctx context.Context, in *Paging) (page[policyView], error) {
	policies, next, err := a.registrar.Catalog.ListPolicies(ctx, in.page())
	return newPage(policies, next, err, viewPolicy)
}

func viewPartner(p registrar.Partner) partnerView { return partnerView(p) }

type partnerRequest struct {
	Name    string `json:"name" doc:"Display name."`
	Type    string `json:"type" doc:"Auth_Partner may register clients"`
	Status  string `json:"status" doc:"ACTIVE or INACTIVE"`
	LogoURI string `json:"logoUri,omitempty" doc:"Logo of the partner, an https URL."`
}

type putPartnerInput struct {
	PartnerPath
	Cascade bool `query:"cascade" doc:"With status INACTIVE: its clients that are ACTIVE become INACTIVE too. Without it they stay as they are."`
	Body    requestBody[partnerRequest]
}

func (a *API) putPartner(ctx context.Context, in *putPartnerInput) (partnerView, error) {
	r := in.Body.Request
	p := registrar.Partner{
		ID: in.PartnerID, Name: r.Name, Type: r.Type, Status: registrar.EntryStatus(r.Status), LogoURI: r.LogoURI,
	}
	return viewPartner(p), a.registrar.Catalog.PutPartner(ctx, callerOf(ctx), p, in.Cascade)
}

// partnerDetail is a partner with its mappings.
type partnerDetail struct {
	partnerView
	Policies []mappingView `json:"policies" doc:"The policies that were mapped to the partner."`
}

func (a *API) getPartner(ctx context.Context, in *PartnerPath) (partnerDetail, error) {
	p, mappings, err := a.registrar.Catalog.GetPartner(ctx, callerOf(ctx), in.PartnerID)
	out := partnerDetail{viewPartner(p), make([]mappingView, len(mappings))}
	for i, m := range mappings {
		out.Policies[i] = mappingView(m)
	}
	return out, err
}

func (a *API) listPartners(ctx context.Context, in *Paging) (page[partnerView], error) {
	partners, next, err := a.registrar.Catalog.ListPartners(ctx, callerOf(ctx), in.page())
	return newPage(partners, next, err, viewPartner)
}

type mappingInput struct {
	PartnerPath
	PolicyPath
}

func (a *API) approveMapping(ctx context.Context, in *mappingInput) (mappingView, error) {
	m, err := a.registrar.Catalog.ApproveMapping(ctx, callerOf(ctx), in.PartnerID, in.PolicyID)
	return mappingView(m), err
}

func (a *API) revokeMapping(ctx context.Context, in *mappingInput) (mappingView, error) {
	m, err := a.registrar.Catalog.RevokeMapping(ctx, callerOf(ctx), in.PartnerID, in.PolicyID)
	return mappingView(m), err
}
