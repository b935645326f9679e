package store

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/trace"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Imported is one client of an import, to be stored.
type Imported struct {
	Client registrar.Client
	Record Record // the zero value is not stored
	Event  registrar.Event
}

// ImportState holds the stored rows that decide on the clients of an import.
type ImportState struct {
	Clients  map[string]registrar.Client // by id
	Keys     map[string]string           // client id by thumbprint
	Partners map[string]bool             // existing ones
	Policies map[string]bool
}

// ImportState reads the stored rows with the ids, keys, partners and policies of the clients.
func (tx *Tx) ImportState(clients []registrar.Client) (ImportState, error) {
	a := ImportState{Clients: map[string]registrar.Client{}, Keys: map[string]string{}, Partners: map[string]bool{}, Policies: map[string]bool{}}
	var ids, thumbprints, partners, policies []any
	for _, c := range clients {
		ids = append(ids, c.ID)
		for _, t := range c.ReservedKeys(registrar.Update{}) {
			thumbprints = append(thumbprints, t)
		}
		if c.API == registrar.PartnerAPI && !a.Partners[c.PartnerID] {
			partners, a.Partners[c.PartnerID] = append(partners, c.PartnerID), true
		}
		if c.API == registrar.PartnerAPI && !a.Policies[c.PolicyID] {
			policies, a.Policies[c.PolicyID] = append(policies, c.PolicyID), true
		}
	}
	clear(a.Partners)
	clear(a.Policies)
	var rows []clientRow
	var keys []keyRow
	var foundPartners []partnerRow
	var foundPolicies []policyRow
	err := tx.Batch(
		oneOf(clientTable.From(), "id", ids, &rows), oneOf(keyTable.From(), "thumbprint", thumbprints, &keys),
		oneOf(partnerTable.From(), "id", partners, &foundPartners), oneOf(policyTable.From(), "id", policies, &foundPolicies))
	for _, r := range rows {
		a.Clients[r.ID] = r.client()
	}
	for _, k := range keys {
		a.Keys[k.Thumbprint] = k.ClientID
	}
	for _, p := range foundPartners {
		a.Partners[p.ID] = true
	}
	for _, p := range foundPolicies {
		a.Policies[p.ID] = true
	}
	return a, wrapError(err, "read the conflicts of an import")
}

// oneOf selects the rows of a list, which may be empty.
func oneOf(from, column string, list []any, into any) sqldb.Stmt {
	if len(list) == 0 {
		return sqldb.Stmt{SQL: from + " WHERE 1 = 0", Into: into}
	}
	return sqldb.Stmt{SQL: from + " WHERE " + column + " IN (?" + strings.Repeat(", ?", len(list)-1) + ")", Args: list, Into: into}
}

// AddImported stores imported clients, each with its event. It sends no webhooks, and the log line of
// the call has only counts. It refuses all of them with DuplicateClientID if a concurrent
// transaction stored one of their ids or keys.
func (tx *Tx) AddImported(list []Imported) error {
	var clients []clientRow
	var records []recordRow
	var keys []keyRow
	var events []eventRow
	for _, f := range list {
		clients = append(clients, clientRow(f.Client))
		for _, t := range f.Client.ReservedKeys(registrar.Update{}) {
			keys = append(keys, keyRow{t, f.Client.ID})
		}
		if f.Record != (Record{}) {
			records = append(records, recordRow(f.Record))
		}
		f.Event.CallID, f.Event.Traceparent = trace.CallID(tx.Statement.Context), trace.Parent(tx.Statement.Context)
		events = append(events, eventRow{Value: eventColumns(f.Event)})
	}
	// Every import inserts in this order, so that two of them do not deadlock.
	slices.SortFunc(clients, func(a, b clientRow) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(keys, func(a, b keyRow) int { return strings.Compare(a.Thumbprint, b.Thumbprint) })
	err := tx.Batch(slices.Concat(clientTable.Insert("", clients...), keyTable.Insert("", keys...),
		recordTable.Insert("", records...), eventTable.Insert("", events...))...)
	if _, ok := sqldb.IsUnique(err); ok {
		return refusal.New(registrar.DuplicateClientID, "a client of the import was registered meanwhile")
	}
	return wrapError(err, "store clients of an import")
}

// exportRow is a client with its provider record.
type exportRow struct {
	Client      clientRow `gorm:"embedded"`
	RecordURI   string
	RecordToken registrar.Secret
}

func (exportRow) TableName() string { return "client" }

// Export calls write for every confirmed client of one snapshot, the oldest first, and returns the
// number of the others. It may take long.
func (s *Store) Export(ctx context.Context, write func(registrar.Client, Record) error) (others int64, err error) {
	order := "c.created_ms, c.id"
	if s.db.Postgres() {
		order += ` COLLATE "C"` // independent of the database's locale
	}
	confirmed := []registrar.ClientStatus{registrar.ClientActive, registrar.ClientInactive}
	err = s.longSnapshot(ctx, func(db *gorm.DB) error {
		if err := db.Table("client").Where("status NOT IN ?", confirmed).Count(&others).Error; err != nil {
			return err
		}
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
	return others, wrapError(err, "export clients")
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
