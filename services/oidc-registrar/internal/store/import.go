package store

import (
	"context"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// AddImported stores an imported client with its event, as AddClient. The log line of the call has only counts.
func (tx *Tx) AddImported(c registrar.Client, e registrar.Event) error {
	err := tx.AddClient(c, nil, e)
	tx.happened = nil
	return err
}

// exportRow is a client with its provider record.
type exportRow struct {
	Client      clientRow `gorm:"embedded"`
	RecordURI   string
	RecordToken registrar.Secret
}

func (exportRow) TableName() string { return "client" }

// Export calls write for every confirmed client of one snapshot, the oldest first. It may take long.
func (s *Store) Export(ctx context.Context, write func(registrar.Client, Record) error) error {
	order := "c.created_ms, c.id"
	if s.db.Postgres() {
		order += ` COLLATE "C"` // independent of the database's locale
	}
	confirmed := []registrar.ClientStatus{registrar.ClientActive, registrar.ClientInactive}
	err := s.longSnapshot(ctx, func(db *gorm.DB) error {
		rows, err := db.Table("client AS c").Select("c.*, coalesce(r.uri, '') AS record_uri, coalesce(r.access_token, '') AS record_token").
			Joins("LEFT JOIN provider_record AS r ON r.client_id = c.id").Where("c.status IN ?", confirmed).Order(order).Rows()
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var row exportRow
			if err := db.ScanRows(rows, &row); err != nil {
				return err
			}
			c := row.Client.client()
			record := Record{ClientID: c.ID, ProviderClientID: c.ProviderClientID, URI: row.RecordURI, AccessToken: row.RecordToken}
			if err := write(c, record); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return wrapError(err, "export clients")
}

// longSnapshot runs fn in a snapshot without time limits: its reader may be slow.
func (s *Store) longSnapshot(ctx context.Context, fn func(*gorm.DB) error) error {
	return s.db.Snapshot(ctx, func(db *gorm.DB) error {
		if err := sqldb.NoTimeout(db); err != nil {
			return err
		}
		if s.db.Postgres() {
			if err := db.Exec("SET LOCAL idle_in_transaction_session_timeout = 0").Error; err != nil {
				return err
			}
		}
		return fn(db)
	})
}
