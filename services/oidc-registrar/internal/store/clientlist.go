package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

var clientsByCreation = sqldb.List[clientRow]{
	Name: "clients", Sort: "created_at", Numbers: []string{"created_ms"}, ID: "id", Desc: true,
	Place: func(r clientRow) ([]int64, string) { return []int64{sqldb.Millis(r.CreatedAt)}, r.ID },
}

// Clients lists clients, the newest first.
func (s *Store) Clients(ctx context.Context, f registrar.ClientFilter, p registrar.Page) ([]registrar.Client, string, error) {
	rows, nextPage, err := clientsByCreation.Page(s.db, filterClients(s.db.Read(ctx), f), f, p)
	return sqldb.Values(rows, clientRow.client), nextPage, wrapError(err, "list clients")
}

// originOf is the expression of registrar.Client.Origin. It is that of the index client_by_origin.
const originOf = "(CASE WHEN substr(created_by, 1, 21) = 'initial access token:' OR " + isOpen +
	" THEN 'rfc7591' ELSE api END)"

// isOpen selects clients of open registration. It is the condition of the index client_open.
const isOpen = "substr(created_by, 1, 18) = '" + registrar.OpenActor + "'"

// CountOpen counts the clients of open registration under a policy that the identity provider has not confirmed, and
// those that are not INACTIVE. It locks the policy, so that concurrent registrations cannot exceed a limit.
func (tx *Tx) CountOpen(policyID string) (unapproved, live int64, err error) {
	if _, err = takePolicy(tx.Clauses(clause.Locking{Strength: "UPDATE"}), policyID); err != nil {
		return 0, 0, err
	}
	open := func() *gorm.DB { return tx.Table("client").Where(isOpen+" AND policy_id = ?", policyID) }
	err = open().Where("status IN ('PENDING', 'FAILED')").Count(&unapproved).Error
	if err == nil {
		err = open().Where("status <> 'INACTIVE'").Count(&live).Error
	}
	return unapproved, live, wrapError(err, "count the open registrations under policy %s", policyID)
}

// EndedClients returns up to n clients after an id, in order: those that have expired at a time and are not INACTIVE
// for good, and those of open registration that were registered before another time and have no granted approval.
func (s *Store) EndedClients(
	ctx context.Context, now, openBefore time.Time, after string, n int,
) ([]registrar.Client, error) {
	const expired = "expires_ms BETWEEN 1 AND ? AND NOT (final AND status = 'INACTIVE')"
	const unapproved = isOpen + " AND created_ms < ? AND status IN ('PENDING', 'FAILED') AND NOT EXISTS " +
		"(SELECT 1 FROM approval a WHERE a.client_id = client.id AND a.state = 'granted')"
	var rows []clientRow
	err := s.db.Read(ctx).Where("id > ? AND NOT outcome_unknown AND ("+expired+" OR "+unapproved+")",
		after, sqldb.Millis(now), sqldb.Millis(openBefore)).Order("id").Limit(n).Find(&rows).Error
	return sqldb.Values(rows, clientRow.client), wrapError(err, "list the clients whose time is over")
}

// filterClients applies f.
func filterClients(q *gorm.DB, f registrar.ClientFilter) *gorm.DB {
	q = whereIn(q, "partner_id", f.Partners)
	q = sqldb.Equal(q, "partner_id", f.PartnerID)
	q = sqldb.Equal(q, "api", f.API)
	q = sqldb.Equal(q, originOf, f.Origin)
	q = sqldb.Equal(q, "policy_id", f.PolicyID)
	q = sqldb.Equal(q, "status", f.Status)
	if f.OutcomeUnknown {
		q = q.Where("outcome_unknown")
	}
	if f.Suspended {
		q = q.Where("suspended")
	}
	if f.KeyThumbprint != "" {
		q = q.Where("id IN (SELECT client_id FROM client_key WHERE thumbprint = ?)", sqldb.CleanText(f.KeyThumbprint))
	}
	if f.AwaitsApproval {
		q = q.Where("id IN (SELECT client_id FROM approval WHERE state IN ('asking', 'waiting'))")
	}
	if f.Differs {
		q = q.Where("id IN (SELECT client_id FROM difference)")
	}
	return sqldb.Search(q, f.Q, "id", "name")
}
