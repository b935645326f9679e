package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// mappingRequestRow is registrar.MappingRequest with the storage of each field.
type mappingRequestRow struct {
	Key         string `gorm:"primaryKey;column:mapping_key"`
	PartnerID   string
	PolicyID    string
	UseCase     string
	State       registrar.MappingState
	Comment     string
	RequestedBy string
	CreatedAt   time.Time `gorm:"column:created_ms;serializer:millis;autoCreateTime:false"`
	UpdatedAt   time.Time `gorm:"column:updated_ms;serializer:millis;autoUpdateTime:false"`
}

func (mappingRequestRow) TableName() string { return "mapping_request" }

func (r mappingRequestRow) request() registrar.MappingRequest { return registrar.MappingRequest(r) }

// AddMappingRequest stores a new request under a new key, with its event. It refuses a second one in progress.
func (tx *CatalogTx) AddMappingRequest(r registrar.MappingRequest) (registrar.MappingRequest, error) {
	r.Key, r.CreatedAt, r.UpdatedAt = newID(), tx.Now(), tx.Now()
	err := tx.Create((*mappingRequestRow)(&r)).Error
	if _, taken := sqldb.IsUnique(err); taken {
		return r, refusal.New(registrar.MappingInRequest,
			"a request for the mapping of partner %s to policy %s is in progress", r.PartnerID, r.PolicyID)
	}
	return r, errors.Join(wrapError(err, "store mapping request"),
		tx.addMappingEvent(r, registrar.CatalogRequested, r.RequestedBy))
}

func (tx *CatalogTx) addMappingEvent(r registrar.MappingRequest, kind registrar.CatalogEventType, actor string) error {
	return tx.addEvent(registrar.CatalogEvent{PartnerID: r.PartnerID, PolicyID: r.PolicyID, Type: kind, Actor: actor})
}

// MappingRequest loads a request and locks it. It refuses an unknown key with MappingRequestNotFound.
func (tx *CatalogTx) MappingRequest(key string) (registrar.MappingRequest, error) {
	return takeMappingRequest(tx.Clauses(clause.Locking{Strength: "UPDATE"}), key)
}

// MappingRequest returns the committed state of a request. It refuses an unknown key with MappingRequestNotFound.
func (s *Store) MappingRequest(ctx context.Context, key string) (registrar.MappingRequest, error) {
	return takeMappingRequest(s.db.Read(ctx), key)
}

func takeMappingRequest(q *gorm.DB, key string) (registrar.MappingRequest, error) {
	none := refusal.New(registrar.MappingRequestNotFound, "no mapping request %s", key)
	row, err := sqldb.Take[mappingRequestRow](q.Where("mapping_key = ?", sqldb.CleanText(key)), none)
	return row.request(), wrapError(err, "load mapping request %s", key)
}

// NewestMappingRequest returns the newest request for a mapping in a state, or the zero value, and locks it.
func (tx *CatalogTx) NewestMappingRequest(
	m registrar.Mapping, state registrar.MappingState,
) (registrar.MappingRequest, error) {
	partner, policy := sqldb.CleanText(m.PartnerID), sqldb.CleanText(m.PolicyID)
	q := tx.Clauses(clause.Locking{Strength: "UPDATE"}).
		Where("partner_id = ? AND policy_id = ? AND state = ?", partner, policy, state).Order("mapping_key DESC")
	row, err := sqldb.Take[mappingRequestRow](q, nil)
	return row.request(), wrapError(err, "load mapping request")
}

// PutMappingRequest stores a decided request that is locked, with its mapping or the event of a rejection.
func (tx *CatalogTx) PutMappingRequest(r registrar.MappingRequest, actor string) error {
	err := sqldb.Put(tx.Tx, (*mappingRequestRow)(&r), nil)
	switch {
	case err != nil:
		return wrapError(err, "store mapping request %s", r.Key)
	case r.State == registrar.MappingRequestApproved:
		return tx.ChangeMapping(r.Mapping(registrar.MappingApproved), actor)
	}
	return tx.addMappingEvent(r, registrar.CatalogRejected, actor)
}

// FindPolicies returns at most two policies with an id, or with a name if the id is empty.
func (tx *CatalogTx) FindPolicies(id, name string) ([]registrar.Policy, error) {
	q := sqldb.Equal(tx.DB, "id", sqldb.CleanText(id))
	if id == "" {
		q = tx.Where("name = ?", sqldb.CleanText(name))
	}
	var rows []policyRow
	err := q.Limit(2).Find(&rows).Error
	return sqldb.Values(rows, policyRow.policy), wrapError(err, "find policies")
}

// listedMappingRow is registrar.ListedMapping with the source of each field.
type listedMappingRow struct {
	Value         mappingRequestRow `gorm:"embedded"`
	PartnerName   string
	PartnerType   string
	PartnerStatus registrar.EntryStatus
	PolicyName    string
}

func (listedMappingRow) TableName() string { return "mapping_request" }

func (r listedMappingRow) listedMapping() registrar.ListedMapping {
	return registrar.ListedMapping{
		MappingRequest: r.Value.request(), PartnerName: r.PartnerName, PartnerType: r.PartnerType,
		PartnerStatus: r.PartnerStatus, PolicyName: r.PolicyName,
	}
}

var mappingColumns = map[string]string{
	"id": "r.mapping_key", "partnerId": "r.partner_id", "orgName": "partner.name", "partnerType": "partner.type",
	"policyId": "r.policy_id", "policyName": "policy.name", "partnerComment": "r.use_case", "status": "r.state",
	registrar.SortCreated: "r.created_ms", "updatedDateTime": "r.updated_ms",
}

// MappingRequests returns one page of the mapping requests and their total number.
func (s *Store) MappingRequests(
	ctx context.Context, l registrar.MappingList,
) (list []registrar.ListedMapping, total int64, err error) {
	var rows []listedMappingRow
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		q := db.Table("mapping_request AS r").Joins("JOIN partner ON partner.id = r.partner_id").
			Joins("JOIN policy ON policy.id = r.policy_id")
		if l.Partners != nil {
			q = sqldb.OneOf(q, "r.partner_id", l.Partners)
		}
		for column, text := range map[string]string{
			"r.partner_id": l.PartnerID, "partner.name": l.PartnerName, "partner.type": l.PartnerType,
			"r.policy_id": l.PolicyID, "policy.name": l.PolicyName, "r.use_case": l.UseCase,
		} {
			q = sqldb.Search(q, text, column)
		}
		const columns = "r.*, partner.name AS partner_name, partner.type AS partner_type, " +
			"partner.status AS partner_status, policy.name AS policy_name"
		q = sqldb.Equal(q, "r.state", l.State)
		return numberedPage(q, columns, l.Numbered, mappingColumns, "r.mapping_key", &total, &rows)
	})
	return sqldb.Values(rows, listedMappingRow.listedMapping), total, wrapError(err, "list mapping requests")
}

// numberedPage counts the rows of a query and reads one page of them. Numbered pages are not stable under inserts and
// deletions.
func numberedPage(
	q *gorm.DB, columns string, n registrar.Numbered, sorts map[string]string, id string, total *int64, rows any,
) error {
	if err := q.Session(&gorm.Session{}).Count(total).Error; err != nil {
		return err
	}
	way := " ASC"
	if n.Descending {
		way = " DESC"
	}
	order := sorts[n.Sort] + way + ", " + id + way
	return q.Select(columns).Order(order).Limit(n.Size).Offset(n.Page * n.Size).Find(rows).Error
}
