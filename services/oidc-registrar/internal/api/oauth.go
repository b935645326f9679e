package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
)

// mountOauth registers the operations of partner management since 1.2.2: with names in other languages, their own
// codes and a one-way deactivation.
func (a *API) mountOauth() {
	const path = "/v1/partnermanager/oauth/client"
	handle(a, operation{"getOauthPartnerClient", get, path + "/{client_id}", partners, 200, nil,
		"Read a client in the members of partner management"}, a.getOAuthPartnerClient)
	handle(a, operation{"listOauthPartnerClients", get, path, partners, 200, nil,
		"List clients by page number; a partner sees its own"}, a.listOAuthPartnerClients)
}

// errNoPartner refuses a caller without a partner. These paths have their own code for that.
func errNoPartner(by engine.Caller) error {
	if by.Admin || len(by.Partners) > 0 {
		return nil
	}
	return refusal.New(registrar.NoPartner, "the caller belongs to no partner")
}

// oauthClientView is a client with the member names of partner management.
type oauthClientView struct {
	ID             string                 `json:"id" doc:"Identifier of the client."`
	Name           string                 `json:"name" doc:"Display name."`
	PolicyID       string                 `json:"policyId" doc:"Policy of the client."`
	PolicyName     string                 `json:"policyName" doc:"Name of the policy."`
	RelyingPartyID string                 `json:"relyingPartyId" doc:"Partner that owns the client."`
	PublicKey      string                 `json:"publicKey" doc:"JSON Web Key of the client, as text."`
	Claims         []string               `json:"claims" doc:"Claims that the client may request."`
	ACRs           []string               `json:"acrValues" doc:"Authentication context classes that the client may request."`
	Status         registrar.ClientStatus `json:"status" doc:"Only an ACTIVE client is served by the identity provider."`
	registrar.SharedMembers
	extensionsView
}

func (a *API) getOAuthPartnerClient(ctx context.Context, in *ClientPath) (oauthClientView, error) {
	c, policy, err := a.registrar.Clients.GetListedClient(ctx, callerOf(ctx), in.ClientID)
	return oauthClientView{
		ID: c.ID, Name: c.Name, PolicyID: c.PolicyID, PolicyName: policy.Name, RelyingPartyID: c.PartnerID,
		PublicKey: c.Key.JWK, Claims: c.UserClaims, ACRs: c.ACRs, Status: c.Status, SharedMembers: c.Shared(),
		extensionsView: viewExtensions(c.Extensions),
	}, err
}

type listOAuthPartnerClientsInput struct {
	PartnerID       string `query:"partnerId" maxLength:"256" doc:"Part of the partner's id, in any letter case."`
	OrgName         string `query:"orgName" maxLength:"256" doc:"Part of the partner's name."`
	PolicyGroupName string `query:"policyGroupName" maxLength:"256" doc:"There are no groups of policies, so this finds nothing."`
	PolicyName      string `query:"policyName" maxLength:"256" doc:"Part of the policy's name."`
	ClientName      string `query:"clientName" maxLength:"256" doc:"Part of the client's name."`
	Status          string `query:"status" doc:"ACTIVE or INACTIVE"`
	NumberedPaging
}

// oauthPage is a page of the list.
type oauthPage struct{ numberedPage[oauthListed] }

// envelopeID returns the id of the envelope of lists.
func (oauthPage) envelopeID() string { return "mosip.pms.oauth.partners.clients.get" }

// null is a member that is always null. Some client generators do not support "string or null".
type null struct{}

// MarshalJSON returns null.
func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// Schema returns the schema of null.
func (null) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: "null"} }

type oauthListed struct {
	PartnerID       string                 `json:"partnerId" doc:"Partner that owns the client."`
	OrgName         string                 `json:"orgName" doc:"Name of the partner."`
	PolicyGroupName null                   `json:"policyGroupName" doc:"Always null: there are no groups of policies."`
	PolicyID        string                 `json:"policyId" doc:"Policy of the client."`
	PolicyName      string                 `json:"policyName" doc:"Name of the policy."`
	ClientID        string                 `json:"clientId" doc:"Identifier of the client."`
	ClientName      string                 `json:"clientName" doc:"Display name."`
	Status          registrar.ClientStatus `json:"status" doc:"Only an ACTIVE client is served by the identity provider."`
	CreatedAt       envelope.Time          `json:"createdDateTime" doc:"Time of the registration."`
}

func (a *API) listOAuthPartnerClients(ctx context.Context, in *listOAuthPartnerClientsInput) (oauthPage, error) {
	numbered, wrong := in.parse(registrar.ClientSorts)
	list := registrar.ClientList{
		PartnerID: in.PartnerID, PartnerName: in.OrgName, PolicyName: in.PolicyName, ClientName: in.ClientName,
		Status: registrar.ClientStatus(in.Status), None: in.PolicyGroupName != "", Numbered: numbered,
	}
	if wrong == nil && in.Status != "" && list.Status != registrar.ClientActive &&
		list.Status != registrar.ClientInactive {
		wrong = &problem{badParameter, "Invalid request parameter - must be ACTIVE or INACTIVE :status"}
	}
	if wrong != nil {
		return oauthPage{}, a.refuse(ctx, http.StatusOK, oauthAPI, nil, registrar.InvalidRequest, *wrong)
	}
	rows, total, err := a.registrar.Clients.ListPartnerClients(ctx, callerOf(ctx), list)
	return oauthPage{newNumberedPage(rows, total, numbered, func(r registrar.ListedClient) oauthListed {
		return oauthListed{
			PartnerID: r.PartnerID, OrgName: r.PartnerName, PolicyID: r.PolicyID, PolicyName: r.PolicyName,
			ClientID: r.ClientID, ClientName: r.ClientName, Status: r.Status, CreatedAt: envelope.Time{Time: r.CreatedAt},
		}
	})}, err
}
