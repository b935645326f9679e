package engine

import (
	"context"
	"errors"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// RequestMapping stores the request of a partner for the mapping to a policy, which its id names, or else its name.
// With a mapping policy, the approval service decides about it.
func (g *Catalog) RequestMapping(
	ctx context.Context, by Caller, r registrar.MappingRequest, policyName string,
) (registrar.MappingRequest, error) {
	if !by.Owns(r.PartnerID) {
		return r, refusal.New(registrar.ForeignCreate, "partner %s is not the caller's own", r.PartnerID)
	}
	if err := r.Check(); err != nil {
		return r, err
	}
	r.State, r.RequestedBy = registrar.MappingInProgress, by.Subject
	err := g.change(ctx, by, "mapping request of "+r.PartnerID, func(tx *store.Tx) error {
		partner, err := tx.Catalog.Partner(r.PartnerID)
		if err != nil {
			return err
		}
		policy, err := namedPolicy(tx, r.PolicyID, policyName)
		if err != nil {
			return err
		}
		r.PolicyID = policy.ID
		mapping, err := tx.Catalog.Mapping(partner.ID, policy.ID)
		if err == nil {
			err = r.Permit(partner, policy, mapping)
		}
		if err != nil {
			return err
		}
		if r, err = tx.Catalog.AddMappingRequest(r); err != nil || g.MappingPolicy == "" {
			return err
		}
		asked, err := r.Ask(partner, policy, g.MappingPolicy)
		if err != nil {
			return err
		}
		return tx.Approvals.Add(asked)
	})
	if err == nil && g.MappingPolicy != "" && g.WakeApprovals != nil {
		g.WakeApprovals()
	}
	return r, err
}

// namedPolicy returns the policy with an id, or else the only one with a name.
func namedPolicy(tx *store.Tx, id, name string) (registrar.Policy, error) {
	found, err := tx.Catalog.FindPolicies(id, name)
	switch {
	case err != nil:
		return registrar.Policy{}, err
	case len(found) == 0 || id != "" && name != "" && found[0].Name != name:
		return registrar.Policy{}, refusal.New(registrar.PolicyNotFound, "no policy with this name or policyId")
	case len(found) > 1:
		return registrar.Policy{}, refusal.New(registrar.PolicyNotFound,
			"several policies are named %.80q: name one by policyId", name)
	}
	return found[0], nil
}

// DecideMapping approves or rejects a mapping request, for an admin, unless the approval service decides. A request
// from before MappingPolicy was set has no approval there.
func (g *Catalog) DecideMapping(
	ctx context.Context, by Caller, key, status, comment string,
) (registrar.MappingRequest, error) {
	if err := by.requireAdmin(); err != nil {
		return registrar.MappingRequest{}, err
	}
	var decided registrar.MappingRequest
	err := g.change(ctx, by, "mapping request "+key, func(tx *store.Tx) error {
		r, err := tx.Catalog.MappingRequest(key)
		if err == nil {
			decided, err = g.decideMapping(tx, by, r, status, comment)
		}
		return err
	})
	return decided, err
}

// decideMapping decides a locked request, and withdraws its approval if it has one from an earlier setting.
func (g *core) decideMapping(
	tx *store.Tx, by Caller, r registrar.MappingRequest, status, comment string,
) (registrar.MappingRequest, error) {
	asked, err := tx.Approvals.Newest(r.Subject())
	if err == nil && asked.ClientID != "" {
		err = g.refuseAdminDecision()
	}
	if err != nil {
		return r, err
	}
	decided, err := r.Decide(status, comment, tx.Now())
	if err == nil && asked.Open() {
		err = tx.Approvals.Put(asked, asked.Withdraw(tx.Now()))
	}
	if err != nil {
		return r, err
	}
	return decided, tx.Catalog.PutMappingRequest(decided, by.Subject)
}

// AdminDecides reports whether an admin decides about a request with an approval, which is nil without one.
func (g *Catalog) AdminDecides(asked *registrar.Approval) bool {
	return asked == nil || g.refuseAdminDecision() == nil
}

// refuseAdminDecision refuses the decision of an admin if the approval service decides about mappings.
func (g *core) refuseAdminDecision() error {
	if g.MappingPolicy == "" {
		return nil
	}
	return refusal.New(registrar.DecidedByPeople,
		"people decide about mappings in the approval service, under the policy %s "+
			"(REGISTRAR_APPROVAL_MAPPING_POLICY)", g.MappingPolicy)
}

// ListMappingRequests returns a page of mapping requests and their total number: all for an admin, those of their own
// partners for a partner's caller.
func (g *Catalog) ListMappingRequests(
	ctx context.Context, by Caller, l registrar.MappingList,
) ([]registrar.ListedMapping, int64, error) {
	if !by.Admin {
		if len(by.Partners) == 0 {
			return nil, 0, refusal.New(registrar.ForeignRead, "the caller belongs to no partner")
		}
		l.Partners = by.Partners
	}
	return g.store.MappingRequests(ctx, l)
}

// GetMappingRequest returns a mapping request that the caller can read, with its approval, which is nil without one.
func (g *Catalog) GetMappingRequest(
	ctx context.Context, by Caller, key string,
) (registrar.MappingRequest, *registrar.Approval, error) {
	r, err := g.store.MappingRequest(ctx, key)
	if err == nil && !by.Owns(r.PartnerID) {
		err = refusal.New(registrar.MappingRequestNotFound, "no mapping request %s", key)
	}
	if err != nil {
		return registrar.MappingRequest{}, nil, err
	}
	asked, err := g.store.Approval(ctx, r.Subject())
	if err != nil || asked.ClientID == "" {
		return r, nil, err
	}
	return r, &asked, nil
}

// recordMappingVerdict records the verdict on a mapping request, and the decision that follows from it.
func (g *Approvals) recordMappingVerdict(tx *store.Tx, a registrar.Approval, verdict registrar.Verdict) error {
	r, err := tx.Catalog.MappingRequest(a.MappingKey())
	if err != nil {
		return err
	}
	judged := a.RecordRequest(verdict).ApplyVerdict(verdict, tx.Now())
	status := map[registrar.ApprovalState]registrar.MappingState{
		registrar.ApprovalGranted: registrar.MappingRequestApproved,
		registrar.ApprovalDenied:  registrar.MappingRequestRejected,
	}[judged.State]
	if err := tx.Approvals.Put(a, judged); err != nil || status == "" || r.State != registrar.MappingInProgress {
		return err
	}
	decided, err := r.Decide(string(status), "", tx.Now())
	if err != nil {
		return err
	}
	decided.Comment = judged.Comment
	return tx.Catalog.PutMappingRequest(decided, Worker)
}

// recordMappingStanding records the standing of the granted approval of a mapping. Its end revokes the mapping, unless
// a later request for it was approved.
func (g *Approvals) recordMappingStanding(tx *store.Tx, a registrar.Approval, verdict registrar.Verdict) error {
	r, err := tx.Catalog.MappingRequest(a.MappingKey())
	if err != nil {
		return err
	}
	revoked := r.Mapping(registrar.MappingRevoked)
	newest, err := tx.Catalog.NewestMappingRequest(revoked, registrar.MappingRequestApproved)
	if err != nil {
		return err
	}
	after := a.RecordStanding(verdict, tx.Now())
	switch {
	case newest.Key != r.Key:
		after = a
		after.Standing = registrar.StandingReplaced
	case after.HasEnded():
		err = tx.Catalog.ChangeMapping(revoked, Worker)
	}
	after.DueAt = after.NextRead(verdict, tx.Now())
	return errors.Join(err, tx.Approvals.Put(a, after))
}
