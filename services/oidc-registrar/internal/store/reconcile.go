package store

import (
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

type differenceRow struct {
	ClientID string `gorm:"primaryKey"`
	Kind     registrar.DifferenceKind
	Members  []registrar.OtherValue `gorm:"serializer:jsontext;empty:[]"`
	FoundAt  time.Time              `gorm:"column:found_ms;serializer:millis"`
}

// Difference returns the last difference of a locked client, or the zero value if there is none.
func (tx *Tx) Difference(clientID string) (registrar.Difference, error) {
	row, err := sqldb.Take[differenceRow](tx.Where("client_id = ?", clientID), nil)
	return registrar.Difference{Kind: row.Kind, Members: row.Members}, wrapError(err, "load the difference of client %s", clientID)
}

// PutDifference stores the difference of a locked client.
func (tx *Tx) PutDifference(clientID string, d registrar.Difference) error {
	if d.Kind == registrar.DifferenceNone {
		return wrapError(tx.Delete(&differenceRow{}, "client_id = ?", clientID).Error, "forget the difference of client %s", clientID)
	}
	return wrapError(upsert(tx.Tx, &differenceRow{clientID, d.Kind, d.Members, tx.Now()}), "store the difference of client %s", clientID)
}
