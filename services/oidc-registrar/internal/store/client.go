package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// clientRow is registrar.Client with the storage of each field.
type clientRow struct {
	ID           string `gorm:"primaryKey"`
	API          registrar.API
	Name         string
	PartnerID    string
	PolicyID     string
	Key          registrar.Key        `gorm:"embedded;embeddedPrefix:key_"`
	OtherKeys    []registrar.Key      `gorm:"serializer:jsontext;empty:[]"`
	KeySince     time.Time            `gorm:"column:key_since_ms;serializer:millis"`
	UserClaims   []string             `gorm:"serializer:jsontext;empty:[]"`
	ACRs         []string             `gorm:"column:acrs;serializer:jsontext;empty:[]"`
	LogoURI      string               `gorm:"column:logo_uri"`
	RedirectURIs []string             `gorm:"column:redirect_uris;serializer:jsontext;empty:[]"`
	GrantTypes   []string             `gorm:"serializer:jsontext;empty:[]"`
	AuthMethods  []string             `gorm:"serializer:jsontext;empty:[]"`
	Extensions   registrar.Extensions `gorm:"serializer:jsontext;empty:{}"`

	ProviderClientID string
	Mark             string
	Status           registrar.ClientStatus
	OutcomeUnknown   bool
	Failure          registrar.Failure `gorm:"embedded;embeddedPrefix:failure_"`
	Final            bool
	Suspended        bool

	CreatedBy string
	CreatedAt time.Time `gorm:"column:created_ms;serializer:millis;autoCreateTime:false"`
	UpdatedAt time.Time `gorm:"column:updated_ms;serializer:millis;autoUpdateTime:false"`
	ExpiresAt time.Time `gorm:"column:expires_ms;serializer:millis"`
	Rev       int64
}

func (r clientRow) client() registrar.Client { return registrar.Client(r) }

var clientTable = sqldb.TableOf[clientRow]()

// Conflicts holds the stored rows that decide on a registration.
type Conflicts struct {
	// Existing are the clients with the id or a key of the new one.
	Existing []registrar.Client

	// Catalogue entries of the registration's partner and policy; nil if missing. They are only
	// read for the partner interface.
	Partner *registrar.Partner
	Policy  *registrar.Policy
	Mapping *registrar.Mapping
}

// Conflicts reads the rows that decide on a new client. It does not lock: AddClient decides whether
// id and key are free.
func (tx *Tx) Conflicts(r registrar.Client) (Conflicts, error) {
	var clients []clientRow
	var partner partnerRow
	var policy policyRow
	var mapping mappingRow
	keys := []any{""} // of no client
	for _, k := range r.Keys() {
		keys = append(keys, k.Thumbprint)
	}
	queries := []sqldb.Stmt{{
		SQL: clientTable.From() + " WHERE id = ? OR id IN (SELECT client_id FROM client_key WHERE thumbprint IN (?" +
			strings.Repeat(", ?", len(keys)-1) + "))",
		Args: append([]any{r.ID}, keys...), Into: &clients,
	}, tx.Outbox.LoadEndpoints()}
	if r.API == registrar.PartnerAPI {
		queries = append(queries,
			sqldb.Stmt{SQL: partnerTable.From() + " WHERE id = ?", Args: []any{r.PartnerID}, Into: &partner},
			sqldb.Stmt{SQL: policyTable.From() + " WHERE id = ?", Args: []any{r.PolicyID}, Into: &policy},
			sqldb.Stmt{SQL: mappingTable.From() + " WHERE partner_id = ? AND policy_id = ?", Args: []any{r.PartnerID, r.PolicyID}, Into: &mapping})
	}
	if err := tx.Batch(queries...); err != nil {
		return Conflicts{}, wrapError(err, "survey for client %s", r.ID)
	}
	var found Conflicts
	if len(clients) > 0 {
		found.Existing = sqldb.Values(clients, clientRow.client)
	}
	if partner.ID != "" {
		found.Partner = (*registrar.Partner)(&partner)
	}
	if policy.ID != "" {
		found.Policy = (*registrar.Policy)(&policy)
	}
	if mapping.PartnerID != "" {
		found.Mapping = (*registrar.Mapping)(&mapping)
	}
	return found, nil
}

// AddClient stores a client, with a new mark unless it has one, its first events and, with a lease, its pending call.
// It refuses a used id or key with DuplicateClientID or DuplicateKey.
func (tx *Tx) AddClient(c registrar.Client, pending *Lease, events ...registrar.Event) error {
	c.Mark = cmp.Or(c.Mark, rand.Text())
	stmts := clientTable.Insert("", clientRow(c))
	stmts = append(stmts, reserveKeys(c.ID, c.ReservedKeys(registrar.Update{}))...)
	if pending != nil {
		stmts = append(stmts, callTable.Insert("", pending.row())...)
	}
	tx.recordState(c)
	stmts = append(stmts, tx.insertEvents(events)...)
	err := tx.Batch(stmts...)
	if name, ok := sqldb.IsUnique(err); ok {
		if strings.Contains(name, "key") { // of client_key, or client.key_thumbprint on SQLite
			return duplicateKey()
		}
		return refusal.New(registrar.DuplicateClientID, "client %s exists", c.ID)
	}
	return wrapError(err, "store client %s", c.ID)
}

func duplicateKey() error {
	return refusal.New(registrar.DuplicateKey, "Client public key already exists.")
}

// keyRow assigns a key to a client. It is unique among current and reserved keys.
type keyRow struct {
	Thumbprint string `gorm:"primaryKey"`
	ClientID   string
}

func (keyRow) TableName() string { return "client_key" }

var keyTable = sqldb.TableOf[keyRow]()

func reserveKeys(clientID string, thumbprints []string) []sqldb.Stmt {
	return keyTable.Insert("", sqldb.Values(thumbprints, func(t string) keyRow { return keyRow{t, clientID} })...)
}

// ReserveKeys reserves keys for a locked client and releases its others. It refuses a key of another
// client with DuplicateKey.
func (tx *Tx) ReserveKeys(clientID string, thumbprints []string) error {
	var held []keyRow
	if err := tx.Where("client_id = ?", clientID).Find(&held).Error; err != nil {
		return wrapError(err, "read keys of client %s", clientID)
	}
	missing := slices.Clone(thumbprints)
	for _, k := range held {
		if i := slices.Index(missing, k.Thumbprint); i >= 0 {
			missing = slices.Delete(missing, i, i+1)
		} else if err := tx.Delete(&keyRow{}, "thumbprint = ?", k.Thumbprint).Error; err != nil {
			return wrapError(err, "release a key of client %s", clientID)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	err := tx.Batch(reserveKeys(clientID, missing)...)
	if _, ok := sqldb.IsUnique(err); ok {
		return duplicateKey()
	}
	return wrapError(err, "hold keys of client %s", clientID)
}

// Client loads a client and locks it until the transaction ends. It refuses an unknown id with
// ClientNotFound.
func (tx *Tx) Client(id string) (registrar.Client, error) {
	c, err := takeClient(tx.Clauses(clause.Locking{Strength: "UPDATE"}), id)
	if err == nil {
		tx.recordState(c)
	}
	return c, err
}

// Client returns the committed state of a client. It refuses an unknown id with ClientNotFound.
func (s *Store) Client(ctx context.Context, id string) (registrar.Client, error) {
	return takeClient(s.db.Read(ctx), id)
}

func takeClient(q *gorm.DB, id string) (registrar.Client, error) {
	row, err := sqldb.Take[clientRow](q.Where("id = ?", sqldb.CleanText(id)), notFound(id))
	return row.client(), wrapError(err, "load client %s", id)
}

// PutClient stores a changed client. It refuses with StaleClient if the stored one differs from
// before. It does not write an unchanged client.
func (tx *Tx) PutClient(before, after registrar.Client) error {
	if before.Rev == after.Rev {
		return nil
	}
	if held := after.ReservedKeys(registrar.Update{}); !slices.Equal(held, before.ReservedKeys(registrar.Update{})) {
		if err := tx.ReserveKeys(after.ID, held); err != nil {
			return err
		}
	}
	tx.recordState(after)
	stale := refusal.New(registrar.StaleClient, "client %s has changed meanwhile", after.ID)
	return wrapError(sqldb.Put(tx.Tx, (*clientRow)(&after), stale, "rev = ?", before.Rev), "store client %s", after.ID)
}

// RemoveClient deletes a client with its provider record and pending call. Its events remain.
func (tx *Tx) RemoveClient(id string) error {
	tx.recordRemoval(id)
	return wrapError(sqldb.One(tx.Delete(&clientRow{}, "id = ?", id), notFound(id)), "remove client %s", id)
}
