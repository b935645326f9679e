package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// listedRow is registrar.ListedClient with the source of each field.
type listedRow struct {
	ClientID    string
	ClientName  string
	PartnerID   string
	PartnerName string
	PolicyID    string
	PolicyName  string
	Status      registrar.ClientStatus
	CreatedAt   time.Time `gorm:"column:created_ms;serializer:millis"`
}

func (listedRow) TableName() string { return "client" }

func (r listedRow) listedClient() registrar.ListedClient { return registrar.ListedClient(r) }

// sortColumns maps sort fields to columns. There are no policy groups.
var sortColumns = map[string]string{
	"partnerId": "client.partner_id", "orgName": "partner.name", "policyGroupName": "client.id", "policyName": "policy.name",
	"clientId": "client.id", "clientName": "client.name", "status": "client.status", registrar.SortCreated: "client.created_ms",
}

// ListedClients returns one page of the clients of the partner interface and their total number; if
// partners is not nil, only of those.
func (s *Store) ListedClients(
	ctx context.Context, partners []string, l registrar.ClientList,
) (clients []registrar.ListedClient, total int64, err error) {
	var rows []listedRow
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		q := db.Table("client").Where("client.api = ?", registrar.PartnerAPI).
			Joins("LEFT JOIN partner ON partner.id = client.partner_id").Joins("LEFT JOIN policy ON policy.id = client.policy_id")
		if partners != nil {
			q = sqldb.OneOf(q, "client.partner_id", partners)
		}
		q = sqldb.Search(q, l.PartnerID, "client.partner_id")
		q = sqldb.Search(q, l.PartnerName, "partner.name")
		q = sqldb.Search(q, l.PolicyName, "policy.name")
		q = sqldb.Search(q, l.ClientName, "client.name")
		q = sqldb.Equal(q, "client.status", l.Status)
		const columns = "client.id AS client_id, client.name AS client_name, client.partner_id, " +
			"COALESCE(partner.name, '') AS partner_name, client.policy_id, COALESCE(policy.name, '') AS policy_name, " +
			"client.status, client.created_ms"
		return numberedPage(q, columns, l.Numbered, sortColumns, "client.id", &total, &rows)
	})
	return sqldb.Values(rows, listedRow.listedClient), total, wrapError(err, "list clients by page")
}
