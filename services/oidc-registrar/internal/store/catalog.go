package store

import (
	"context"
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

type partnerRow struct {
	ID      string `gorm:"primaryKey"`
	Name    string
	Type    string
	Status  string
	LogoURI string `gorm:"column:logo_uri"`
}

func (partnerRow) TableName() string { return "partner" }

const partnerColumns = "id, name, type, status, logo_uri"

func (r partnerRow) partner() registrar.Partner {
	return registrar.Partner{ID: r.ID, Name: r.Name, Type: r.Type, Status: registrar.EntryStatus(r.Status), LogoURI: r.LogoURI}
}

type policyRow struct {
	ID                 string `gorm:"primaryKey"`
	Name               string
	Type               string
	Status             string
	UserClaims         list
	ACRs               list `gorm:"column:acrs"`
	MandatoryAuthTypes list
}

func (policyRow) TableName() string { return "policy" }

const policyColumns = "id, name, type, status, user_claims, acrs, mandatory_auth_types"

func (r policyRow) policy() registrar.Policy {
	return registrar.Policy{
		ID: r.ID, Name: r.Name, Type: registrar.PolicyType(r.Type), Status: registrar.EntryStatus(r.Status),
		UserClaims: r.UserClaims, ACRs: r.ACRs, MandatoryAuthTypes: r.MandatoryAuthTypes,
	}
}

type mappingRow struct {
	PartnerID string `gorm:"primaryKey"`
	PolicyID  string `gorm:"primaryKey"`
	Status    string
}

func (mappingRow) TableName() string { return "partner_policy" }

func (r mappingRow) mapping() registrar.Mapping {
	return registrar.Mapping{PartnerID: r.PartnerID, PolicyID: r.PolicyID, Status: registrar.MappingStatus(r.Status)}
}

// upsert writes a row whether or not it is there.
func upsert(tx *Tx, row any) error {
	return tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(row).Error
}

// PutPartner stores a partner, new or changed.
func (tx *Tx) PutPartner(p registrar.Partner) error {
	row := partnerRow{ID: p.ID, Name: p.Name, Type: p.Type, Status: string(p.Status), LogoURI: p.LogoURI}
	return failed(upsert(tx, &row), "store partner %s", p.ID)
}

// PutPolicy stores a policy, new or changed.
func (tx *Tx) PutPolicy(p registrar.Policy) error {
	row := policyRow{
		ID: p.ID, Name: p.Name, Type: string(p.Type), Status: string(p.Status),
		UserClaims: p.UserClaims, ACRs: p.ACRs, MandatoryAuthTypes: p.MandatoryAuthTypes,
	}
	return failed(upsert(tx, &row), "store policy %s", p.ID)
}

// PutMapping stores a mapping, new or changed. Its partner and its policy must be
// there, which is refused with PartnerNotFound or PolicyNotFound.
func (tx *Tx) PutMapping(m registrar.Mapping) error {
	if _, err := takePartner(tx.DB, m.PartnerID); err != nil {
		return err
	}
	if _, err := takePolicy(tx.DB, m.PolicyID); err != nil {
		return err
	}
	row := mappingRow{PartnerID: m.PartnerID, PolicyID: m.PolicyID, Status: string(m.Status)}
	return failed(upsert(tx, &row), "store mapping of partner %s to policy %s", m.PartnerID, m.PolicyID)
}

// RevokeMapping withdraws a mapping. One that is not there is refused with
// MappingNotFound.
func (tx *Tx) RevokeMapping(partnerID, policyID string) error {
	result := tx.Model(&mappingRow{}).Where("partner_id = ? AND policy_id = ?", storable(partnerID), storable(policyID)).
		Update("status", string(registrar.MappingRevoked))
	none := registrar.Refuse(registrar.MappingNotFound, "partner %s has no mapping to policy %s", partnerID, policyID)
	return failed(changed(result, none), "revoke mapping of partner %s to policy %s", partnerID, policyID)
}

// Partner returns a partner. An unknown id is refused with PartnerNotFound.
func (s *Store) Partner(ctx context.Context, id string) (registrar.Partner, error) {
	return takePartner(s.read(ctx), id)
}

func takePartner(q *gorm.DB, id string) (registrar.Partner, error) {
	var row partnerRow
	err := q.Take(&row, "id = ?", storable(id)).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return registrar.Partner{}, registrar.Refuse(registrar.PartnerNotFound, "no partner %s", id)
	}
	return row.partner(), failed(err, "load partner %s", id)
}

// Policy returns a policy. An unknown id is refused with PolicyNotFound.
func (s *Store) Policy(ctx context.Context, id string) (registrar.Policy, error) {
	return takePolicy(s.read(ctx), id)
}

func takePolicy(q *gorm.DB, id string) (registrar.Policy, error) {
	var row policyRow
	err := q.Take(&row, "id = ?", storable(id)).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return registrar.Policy{}, registrar.Refuse(registrar.PolicyNotFound, "no policy %s", id)
	}
	return row.policy(), failed(err, "load policy %s", id)
}

// Partners lists partners by id. With an id it lists that one, if it is there.
func (s *Store) Partners(ctx context.Context, id string, p Page) ([]registrar.Partner, string, error) {
	q := s.read(ctx).Order("id")
	if id != "" {
		q = q.Where("id = ?", storable(id))
	}
	return listByID(p, q, partnerRow.partner, func(r partnerRow) string { return r.ID })
}

// Policies lists policies by id.
func (s *Store) Policies(ctx context.Context, p Page) ([]registrar.Policy, string, error) {
	return listByID(p, s.read(ctx).Order("id"), policyRow.policy, func(r policyRow) string { return r.ID })
}

func listByID[R, T any](p Page, q *gorm.DB, value func(R) T, id func(R) string) ([]T, string, error) {
	q, err := p.after(q, "id > ?", func(at place) []any { return []any{at.ID} })
	if err != nil {
		return nil, "", err
	}
	var rows []R
	if err := q.Find(&rows).Error; err != nil {
		return nil, "", failed(err, "list the catalogue")
	}
	return next(p, rows, value, func(r R) place { return place{ID: id(r)} })
}

// Mappings lists the mappings of a partner by policy.
func (s *Store) Mappings(ctx context.Context, partnerID string) ([]registrar.Mapping, error) {
	var rows []mappingRow
	err := s.read(ctx).Where("partner_id = ?", storable(partnerID)).Order("policy_id").Find(&rows).Error
	mappings := make([]registrar.Mapping, len(rows))
	for i, row := range rows {
		mappings[i] = row.mapping()
	}
	return mappings, failed(err, "list mappings of partner %s", partnerID)
}
