package api

import (
	"context"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
)

// delegationHandlers serves the operations on delegations.
type delegationHandlers struct{ *API }

func (h delegationHandlers) mount() {
	register(h.API, operation{"createDelegation", post, "/v1/wf/delegations", anyone, 201, nil,
		"Create a delegation"}, h.createDelegation)
	register(h.API, operation{"listDelegations", get, "/v1/wf/delegations", anyone, 200, nil,
		"List delegations; without a role, the caller's own"}, h.listDelegations)
	register(h.API, operation{"getDelegation", get, "/v1/wf/delegations/{id}", anyone, 200, nil,
		"Read a delegation"}, h.getDelegation)
	register(h.API, operation{"deleteDelegation", del, "/v1/wf/delegations/{id}", anyone, 200, nil,
		"Revoke a delegation"}, h.deleteDelegation)
}

// delegationView is the API representation of a delegation.
type delegationView struct {
	ID         string                    `json:"id" format:"uuid" doc:"Identifier of the delegation."`
	User       identity.User             `json:"user" doc:"The delegator."`
	DelegateTo identity.User             `json:"delegate_to" doc:"The delegate."`
	Status     approver.DelegationStatus `json:"status" doc:"Status at the time of the reply."`
	StartsAt   identity.Stamp            `json:"starts_at" doc:"When it starts."`
	EndsAt     identity.Stamp            `json:"ends_at" doc:"When it ends."`
	Reason     string                    `json:"reason,omitempty" doc:"Reason, for people."`
	Scope      approver.Scope            `json:"scope" doc:"Scope; every task when empty."`
	Warnings   []string                  `json:"warnings" doc:"Possible mistakes."`
	CreatedBy  identity.User             `json:"created_by" doc:"Creator."`
	CreatedAt  identity.Stamp            `json:"created_at" doc:"When it was made."`
	UpdatedAt  identity.Stamp            `json:"updated_at" doc:"When it last changed."`
	RevokedBy  *identity.User            `json:"revoked_by,omitempty" doc:"User that revoked it."`
	RevokedAt  *identity.Stamp           `json:"revoked_at,omitempty" doc:"When it was revoked."`
}

// viewDelegation returns the view of a delegation at a time.
func viewDelegation(d approver.Delegation, now time.Time) delegationView {
	return delegationView{
		ID: d.ID, User: d.User, DelegateTo: d.DelegateTo, Status: d.Status(now),
		StartsAt: identity.Stamp{Time: d.StartsAt}, EndsAt: identity.Stamp{Time: d.EndsAt}, Reason: d.Reason, Scope: d.Scope,
		Warnings:  append([]string{}, d.Warnings...),
		CreatedBy: d.CreatedBy, CreatedAt: identity.Stamp{Time: d.CreatedAt}, UpdatedAt: identity.Stamp{Time: d.UpdatedAt},
		RevokedBy: view.OrNull(d.RevokedBy), RevokedAt: identity.StampOf(d.RevokedAt),
	}
}

type createDelegationInput struct {
	Body struct {
		UserID     string         `json:"user_id,omitempty" minLength:"1" maxLength:"255" doc:"The delegator; the caller when absent. Only an admin may name another user."`
		DelegateTo string         `json:"delegate_to" minLength:"1" maxLength:"255" doc:"User id."`
		StartsAt   time.Time      `json:"starts_at,omitzero" doc:"Now when absent."`
		EndsAt     time.Time      `json:"ends_at" doc:"When it ends; after starts_at."`
		Reason     string         `json:"reason,omitempty" maxLength:"1000" doc:"Reason, for people."`
		Scope      approver.Scope `json:"scope,omitzero" doc:"Scope; every task when absent."`
	}
}

func (h delegationHandlers) createDelegation(ctx context.Context, in *createDelegationInput) (result[delegationView], error) {
	b := in.Body
	if err := checkYear("ends_at", b.EndsAt); err != nil {
		return result[delegationView]{}, err
	}
	d, err := h.engine.Delegations.CreateDelegation(ctx, actorOf(ctx), approver.Delegation{
		User: identity.User{ID: b.UserID}, DelegateTo: identity.User{ID: b.DelegateTo}, StartsAt: millis(b.StartsAt), EndsAt: millis(b.EndsAt),
		Reason: b.Reason, Scope: b.Scope,
	})
	return result[delegationView]{Value: viewDelegation(d, d.UpdatedAt), Location: "/v1/wf/delegations/" + d.ID}, err
}

func (h delegationHandlers) deleteDelegation(ctx context.Context, in *Identified) (result[delegationView], error) {
	d, err := h.engine.Delegations.DeleteDelegation(ctx, actorOf(ctx), in.ID)
	return result[delegationView]{Value: viewDelegation(d, d.UpdatedAt)}, err
}

func (h delegationHandlers) getDelegation(ctx context.Context, in *Identified) (result[delegationView], error) {
	d, err := h.engine.Delegations.GetDelegation(ctx, actorOf(ctx), in.ID)
	return result[delegationView]{Value: viewDelegation(d, h.Now())}, err
}

type listDelegationsInput struct {
	Paged
	UserID     string                      `query:"user_id" maxLength:"255" doc:"User id, or me."`
	DelegateTo string                      `query:"delegate_to" maxLength:"255" doc:"User id, or me."`
	Status     []approver.DelegationStatus `query:"status" doc:"Delegations in one of these states."`
}

func (h delegationHandlers) listDelegations(ctx context.Context, in *listDelegationsInput) (result[Page[delegationView]], error) {
	by := actorOf(ctx)
	items, next, err := h.engine.Delegations.ListDelegations(ctx, by, wf.DelegationFilter{
		User: resolveMe(in.UserID, by), DelegateTo: resolveMe(in.DelegateTo, by), Status: in.Status,
	}, in.page())
	now := h.Now()
	return listReply(items, next, err, func(d approver.Delegation) delegationView { return viewDelegation(d, now) })
}

// millis truncates a time to the stored precision.
func millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
