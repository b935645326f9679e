package api

import (
	"context"

	"github.com/countersign/countersign/libs/envelope"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// catalogEventView is one entry of the audit trail of the catalogue.
type catalogEventView struct {
	PartnerID   string                     `json:"partnerId,omitempty" doc:"Partner of the event, if any."`
	PolicyID    string                     `json:"policyId,omitempty" doc:"Policy of the event, if any."`
	Type        registrar.CatalogEventType `json:"type" doc:"Type of the event; approved and revoked concern a mapping."`
	Actor       string                     `json:"actor,omitempty" doc:"Subject of the caller, or the catalogue file; shown to PARTNER_ADMIN only."`
	At          envelope.Time              `json:"at" doc:"Time of the event."`
	Changed     []string                   `json:"changed,omitempty" doc:"Fields that changed."`
	TokenID     string                     `json:"tokenId,omitempty" doc:"Initial access token that was issued or revoked."`
	CallID      string                     `json:"callId,omitempty" doc:"X-Request-Id of the call that caused it."`
	Traceparent string                     `json:"traceparent,omitempty" doc:"W3C traceparent of the call."`
}

func viewCatalogEvent(e registrar.CatalogEvent) catalogEventView {
	return catalogEventView{e.PartnerID, e.PolicyID, e.Type, e.Actor, envelope.Time{Time: e.At}, e.Changed, e.TokenID, e.CallID, e.Traceparent}
}

type partnerEventsInput struct {
	PartnerPath
	Paging
}

func (a *API) listPartnerEvents(ctx context.Context, in *partnerEventsInput) (page[catalogEventView], error) {
	events, next, err := a.registrar.Catalog.ListPartnerEvents(ctx, callerOf(ctx), in.PartnerID, in.page())
	return newPage(events, next, err, viewCatalogEvent)
}

type policyEventsInput struct {
	PolicyPath
	Paging
}

func (a *API) listPolicyEvents(ctx context.Context, in *policyEventsInput) (page[catalogEventView], error) {
	events, next, err := a.registrar.Catalog.ListPolicyEvents(ctx, callerOf(ctx), in.PolicyID, in.page())
	return newPage(events, next, err, viewCatalogEvent)
}
