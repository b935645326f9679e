package store

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// partnerRow is stored under the names of its fields.
type partnerRow registrar.Partner

func (r partnerRow) partner() registrar.Partner { return registrar.Partner(r) }

// policyRow is registrar.Policy with the storage of each field; mappingRow likewise.
type policyRow struct {
	ID                 string `gorm:"primaryKey"`
	Name               string
	Type               registrar.PolicyType
	Status             registrar.EntryStatus
	UserClaims         []string `gorm:"serializer:jsontext;empty:[]"`
	ACRs               []string `gorm:"column:acrs;serializer:jsontext;empty:[]"`
	MandatoryAuthTypes []string `gorm:"serializer:jsontext;empty:[]"`
	ClientTypes        []string `gorm:"serializer:jsontext;empty:[]"`
	ApprovalPolicy     string
	ApprovalExempt     []string `gorm:"serializer:jsontext;empty:[]"`
	ExpiresAfter       string
}

func (r policyRow) policy() registrar.Policy { return registrar.Policy(r) }

type mappingRow struct {
	PartnerID string `gorm:"primaryKey"`
	PolicyID  string `gorm:"primaryKey"`
	Status    registrar.MappingStatus
}

func (mappingRow) TableName() string { return "partner_policy" }

func (r mappingRow) mapping() registrar.Mapping { return registrar.Mapping(r) }

var (
	partnerTable = sqldb.TableOf[partnerRow]()
	policyTable  = sqldb.TableOf[policyRow]()
	mappingTable = sqldb.TableOf[mappingRow]()
)

// CatalogTx reads and writes partners, policies and mappings in a transaction.
type CatalogTx struct{ *sqldb.Tx }

// upsert inserts or updates a row.
func upsert(tx *sqldb.Tx, row any) error {
	return tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(row).Error
}

// PutPartner inserts or updates a partner.
func (tx *CatalogTx) PutPartner(p registrar.Partner) error {
	return wrapError(upsert(tx.Tx, (*partnerRow)(&p)), "store partner %s", p.ID)
}

// PutPolicy inserts or updates a policy.
func (tx *CatalogTx) PutPolicy(p registrar.Policy) error {
	return wrapError(upsert(tx.Tx, (*policyRow)(&p)), "store policy %s", p.ID)
}

// PutMapping inserts or updates a mapping. It refuses a missing partner or policy with
// PartnerNotFound or PolicyNotFound.
func (tx *CatalogTx) PutMapping(m registrar.Mapping) error {
	if _, err := takePartner(tx.DB, m.PartnerID); err != nil {
		return err
	}
	if _, err := takePolicy(tx.DB, m.PolicyID); err != nil {
		return err
	}
	return wrapError(upsert(tx.Tx, (*mappingRow)(&m)), "store mapping of partner %s to policy %s", m.PartnerID, m.PolicyID)
}

// ApprovalPolicy returns the approval policy of a catalogue policy and its exempt members. Both are empty
// if the policy has none or does not exist.
func (tx *CatalogTx) ApprovalPolicy(policyID string) (policy string, exempt []string, err error) {
	row, err := sqldb.Take[policyRow](tx.Where("id = ?", policyID), nil)
	return row.ApprovalPolicy, row.ApprovalExempt, wrapError(err, "load policy %s", policyID)
}

// PartnerAndMapping reads the partner of a client and its mapping to the policy. They are nil if missing,
// and for a client of the provider interface.
func (tx *CatalogTx) PartnerAndMapping(c registrar.Client) (*registrar.Partner, *registrar.Mapping, error) {
	if c.API != registrar.PartnerAPI {
		return nil, nil, nil
	}
	var partner partnerRow
	var mapping mappingRow
	err := tx.Batch(
		sqldb.Stmt{SQL: partnerTable.From() + " WHERE id = ?", Args: []any{c.PartnerID}, Into: &partner},
		sqldb.Stmt{SQL: mappingTable.From() + " WHERE partner_id = ? AND policy_id = ?", Args: []any{c.PartnerID, c.PolicyID}, Into: &mapping})
	if err != nil {
		return nil, nil, wrapError(err, "read the standing of client %s", c.ID)
	}
	var foundPartner *registrar.Partner
	var foundMapping *registrar.Mapping
	if partner.ID != "" {
		foundPartner = (*registrar.Partner)(&partner)
	}
	if mapping.PartnerID != "" {
		foundMapping = (*registrar.Mapping)(&mapping)
	}
	return foundPartner, foundMapping, nil
}

// Partner returns a partner. It refuses an unknown id with PartnerNotFound.
func (tx *CatalogTx) Partner(id string) (registrar.Partner, error) { return takePartner(tx.DB, id) }

// Mapping returns the mapping of a partner to a policy, or nil without one.
func (tx *CatalogTx) Mapping(partnerID, policyID string) (*registrar.Mapping, error) {
	row, err := sqldb.Take[mappingRow](tx.Where("partner_id = ? AND policy_id = ?", partnerID, policyID), nil)
	if err != nil || row.PartnerID == "" {
		return nil, wrapError(err, "load mapping of partner %s to policy %s", partnerID, policyID)
	}
	return (*registrar.Mapping)(&row), nil
}

// Partner returns a partner. It refuses an unknown id with PartnerNotFound.
func (s *Store) Partner(ctx context.Context, id string) (registrar.Partner, error) {
	return takePartner(s.db.Read(ctx), id)
}

func takePartner(q *gorm.DB, id string) (registrar.Partner, error) {
	none := refusal.New(registrar.PartnerNotFound, "no partner %s", id)
	row, err := sqldb.Take[partnerRow](q.Where("id = ?", sqldb.CleanText(id)), none)
	return row.partner(), wrapError(err, "load partner %s", id)
}

// Policy returns a policy. It refuses an unknown id with PolicyNotFound.
func (s *Store) Policy(ctx context.Context, id string) (registrar.Policy, error) {
	return takePolicy(s.db.Read(ctx), id)
}

func takePolicy(q *gorm.DB, id string) (registrar.Policy, error) {
	none := refusal.New(registrar.PolicyNotFound, "no policy %s", id)
	row, err := sqldb.Take[policyRow](q.Where("id = ?", sqldb.CleanText(id)), none)
	return row.policy(), wrapError(err, "load policy %s", id)
}

var (
	partnersByID = sqldb.List[partnerRow]{
		Name: "partners", Sort: "id", ID: "id", Place: func(r partnerRow) ([]int64, string) { return nil, r.ID },
	}
	policiesByID = sqldb.List[policyRow]{
		Name: "policies", Sort: "id", ID: "id", Place: func(r policyRow) ([]int64, string) { return nil, r.ID },
	}
)

// Partners lists partners by id. With ids it lists the existing ones among those.
func (s *Store) Partners(ctx context.Context, ids []string, p registrar.Page) ([]registrar.Partner, string, error) {
	rows, nextPage, err := partnersByID.Page(s.db, whereIn(s.db.Read(ctx), "id", ids), ids, p)
	return sqldb.Values(rows, partnerRow.partner), nextPage, wrapError(err, "list partners")
}

// whereIn selects the rows whose column is in the list, or all rows for an empty list.
func whereIn(q *gorm.DB, column string, list []string) *gorm.DB {
	if len(list) == 0 {
		return q
	}
	return q.Where(clause.IN{Column: column, Values: sqldb.Values(list, func(v string) any { return sqldb.CleanText(v) })})
}

// Policies lists policies by id.
func (s *Store) Policies(ctx context.Context, p registrar.Page) ([]registrar.Policy, string, error) {
	rows, nextPage, err := policiesByID.Page(s.db, s.db.Read(ctx), nil, p)
	return sqldb.Values(rows, policyRow.policy), nextPage, wrapError(err, "list policies")
}

// Mappings lists the mappings of a partner by policy.
func (s *Store) Mappings(ctx context.Context, partnerID string) ([]registrar.Mapping, error) {
	var rows []mappingRow
	err := s.db.Read(ctx).Where("partner_id = ?", sqldb.CleanText(partnerID)).Order("policy_id").Find(&rows).Error
	return sqldb.Values(rows, mappingRow.mapping), wrapError(err, "list mappings of partner %s", partnerID)
}
