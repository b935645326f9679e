package store

import (
	"context"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Record is the stored form of a registrar.ProviderRecord.
type Record struct {
	ClientID         string `gorm:"primaryKey"`
	ProviderClientID string
	URI              string           `gorm:"column:uri"`
	AccessToken      registrar.Secret // sealed; empty for none
}

type recordRow Record

func (recordRow) TableName() string { return "provider_record" }

// PutRecord stores the provider's record of a client.
func (tx *Tx) PutRecord(r Record) error {
	return wrapError(upsert(tx.Tx, (*recordRow)(&r)), "store provider record of client %s", r.ClientID)
}

// Record returns the provider's record of a client, or the zero record if there is none.
func (s *Store) Record(ctx context.Context, clientID string) (Record, error) {
	row, err := sqldb.Take[recordRow](s.db.Read(ctx).Where("client_id = ?", clientID), nil)
	return Record(row), wrapError(err, "load provider record of client %s", clientID)
}

// Records returns up to n records of clients after an id, in order, and locks them.
func (tx *Tx) Records(after string, n int) ([]Record, error) {
	var rows []recordRow
	err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("client_id > ?", after).Order("client_id").Limit(n).Find(&rows).Error
	return sqldb.Values(rows, func(r recordRow) Record { return Record(r) }), wrapError(err, "load provider records")
}
