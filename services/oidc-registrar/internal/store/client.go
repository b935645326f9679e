package store

import (
	"context"
	"errors"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

type clientRow struct {
	ID            string `gorm:"primaryKey"`
	Door          string
	Name          string
	PartnerID     string
	PolicyID      string
	KeyThumbprint string
	KeyJWK        string `gorm:"column:key_jwk"`
	KeyID         string
	UserClaims    list
	ACRs          list   `gorm:"column:acrs"`
	LogoURI       string `gorm:"column:logo_uri"`
	RedirectURIs  list   `gorm:"column:redirect_uris"`
	GrantTypes    list
	AuthMethods   list
	Status        string
	CreatedBy     string
	CreatedMs     int64
	UpdatedMs     int64
	Rev           int64
}

func (clientRow) TableName() string { return "client" }

// clientColumns are the columns of clientRow in the order of values.
const clientColumns = "id, door, name, partner_id, policy_id, key_thumbprint, key_jwk, key_id, user_claims, acrs, logo_uri, " +
	"redirect_uris, grant_types, auth_methods, status, created_by, created_ms, updated_ms, rev"

const insertClient = "INSERT INTO client (" + clientColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

func (r clientRow) values() []any {
	return []any{r.ID, r.Door, r.Name, r.PartnerID, r.PolicyID, r.KeyThumbprint, r.KeyJWK, r.KeyID, r.UserClaims, r.ACRs, r.LogoURI,
		r.RedirectURIs, r.GrantTypes, r.AuthMethods, r.Status, r.CreatedBy, r.CreatedMs, r.UpdatedMs, r.Rev}
}

func rowOf(c registrar.Client) clientRow {
	return clientRow{
		ID: c.ID, Door: string(c.Door), Name: c.Name, PartnerID: c.PartnerID, PolicyID: c.PolicyID,
		KeyThumbprint: c.Key.Thumbprint, KeyJWK: c.Key.JWK, KeyID: c.Key.ID,
		UserClaims: c.UserClaims, ACRs: c.ACRs, LogoURI: c.LogoURI, RedirectURIs: c.RedirectURIs, GrantTypes: c.GrantTypes,
		AuthMethods: c.AuthMethods, Status: string(c.Status), CreatedBy: c.CreatedBy,
		CreatedMs: c.CreatedAt.UnixMilli(), UpdatedMs: c.UpdatedAt.UnixMilli(), Rev: c.Rev,
	}
}

func (r clientRow) client() registrar.Client {
	return registrar.Client{
		ID: r.ID, Door: registrar.Door(r.Door), Name: r.Name, PartnerID: r.PartnerID, PolicyID: r.PolicyID,
		Key:        registrar.Key{JWK: r.KeyJWK, Thumbprint: r.KeyThumbprint, ID: r.KeyID},
		UserClaims: r.UserClaims, ACRs: r.ACRs, LogoURI: r.LogoURI, RedirectURIs: r.RedirectURIs, GrantTypes: r.GrantTypes,
		AuthMethods: r.AuthMethods, Status: registrar.ClientStatus(r.Status), CreatedBy: r.CreatedBy,
		CreatedAt: fromMillis(r.CreatedMs), UpdatedAt: fromMillis(r.UpdatedMs), Rev: r.Rev,
	}
}

// Survey is what a registration is judged against.
type Survey struct {
	// Existing are the clients with the registration's id or key: at most two.
	Existing []registrar.Client

	// What the catalogue says of the registration's partner and policy; nil where
	// it has no entry. Only looked up at the partner door.
	Partner *registrar.Partner
	Policy  *registrar.Policy
	Mapping *registrar.Mapping
}

// Survey reads what a registration is judged against. It locks nothing: whether
// id and key are free is decided by AddClient.
func (tx *Tx) Survey(r registrar.Registration) (Survey, error) {
	var (
		clients  []clientRow
		partners []partnerRow
		policies []policyRow
		mappings []mappingRow
	)
	queries := []sqldb.Select{{
		SQL: "SELECT " + clientColumns + " FROM client WHERE id = ? OR key_thumbprint = ?", Args: []any{r.ClientID, r.Key.Thumbprint}, Into: &clients,
	}}
	if r.Door == registrar.PartnerDoor {
		queries = append(queries,
			sqldb.Select{SQL: "SELECT " + partnerColumns + " FROM partner WHERE id = ?", Args: []any{r.PartnerID}, Into: &partners},
			sqldb.Select{SQL: "SELECT " + policyColumns + " FROM policy WHERE id = ?", Args: []any{r.PolicyID}, Into: &policies},
			sqldb.Select{SQL: "SELECT partner_id, policy_id, status FROM partner_policy WHERE partner_id = ? AND policy_id = ?",
				Args: []any{r.PartnerID, r.PolicyID}, Into: &mappings})
	}
	if err := tx.Load(queries...); err != nil {
		return Survey{}, failed(err, "survey for client %s", r.ClientID)
	}
	var found Survey
	for _, row := range clients {
		found.Existing = append(found.Existing, row.client())
	}
	for _, row := range partners {
		found.Partner = new(row.partner())
	}
	for _, row := range policies {
		found.Policy = new(row.policy())
	}
	for _, row := range mappings {
		found.Mapping = new(row.mapping())
	}
	return found, nil
}

// AddClient stores a client with its first events. With a lease it also stores the
// call that is owed for it. A client with its id or its key refuses it with
// DuplicateClientID or DuplicateKey.
func (tx *Tx) AddClient(c registrar.Client, owed *Lease, events ...registrar.Event) error {
	stmts := []sqldb.Stmt{{SQL: insertClient, Args: rowOf(c).values()}}
	if owed != nil {
		stmts = append(stmts, owed.insert())
	}
	if len(events) > 0 {
		stmts = append(stmts, insertEvents(events))
	}
	err := tx.Batch(stmts...)
	if name, ok := sqldb.IsUnique(err); ok {
		if strings.Contains(name, "key") { // client_key, or client.key_thumbprint on SQLite
			return registrar.Refuse(registrar.DuplicateKey, "a client with this key exists")
		}
		return registrar.Refuse(registrar.DuplicateClientID, "client %s exists", c.ID)
	}
	return failed(err, "store client %s", c.ID)
}

// Client loads a client and locks it until the transaction ends. An unknown id is
// refused with ClientNotFound.
func (tx *Tx) Client(id string) (registrar.Client, error) {
	return takeClient(tx.Clauses(clause.Locking{Strength: "UPDATE"}), id)
}

// Client returns a client as it was committed last. An unknown id is refused with
// ClientNotFound.
func (s *Store) Client(ctx context.Context, id string) (registrar.Client, error) {
	return takeClient(s.read(ctx), id)
}

func takeClient(q *gorm.DB, id string) (registrar.Client, error) {
	var row clientRow
	err := q.Take(&row, "id = ?", storable(id)).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return registrar.Client{}, notFound(id)
	}
	return row.client(), failed(err, "load client %s", id)
}

// PutClient writes a client back. If before is no longer what is stored, it is
// refused with StaleClient. A client that has not changed is not written.
func (tx *Tx) PutClient(before, after registrar.Client) error {
	if before.Rev == after.Rev {
		return nil
	}
	row := rowOf(after)
	result := tx.Model(&row).Where("rev = ?", before.Rev).Select("*").Updates(&row)
	return failed(changed(result, registrar.Refuse(registrar.StaleClient, "client %s has changed meanwhile", after.ID)), "store client %s", after.ID)
}

// RemoveClient deletes a client with what is remembered and owed for it. Its
// events stay.
func (tx *Tx) RemoveClient(id string) error {
	return failed(changed(tx.Delete(&clientRow{}, "id = ?", id), notFound(id)), "remove client %s", id)
}

// ClientFilter narrows a list of clients. A zero field does not filter.
type ClientFilter struct {
	PartnerID string
	PolicyID  string
	Status    registrar.ClientStatus
	Text      string // part of the id or the name, in any letter case
}

// Clients lists clients, the newest first.
func (s *Store) Clients(ctx context.Context, f ClientFilter, p Page) ([]registrar.Client, string, error) {
	q := s.read(ctx).Order("created_ms DESC, id DESC")
	for _, e := range []struct{ condition, value string }{
		{"partner_id = ?", f.PartnerID}, {"policy_id = ?", f.PolicyID}, {"status = ?", string(f.Status)},
	} {
		if e.value != "" {
			q = q.Where(e.condition, storable(e.value))
		}
	}
	if f.Text != "" {
		pattern := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(storable(f.Text)) + "%"
		q = q.Where(`(lower(id) LIKE lower(?) ESCAPE '\' OR lower(name) LIKE lower(?) ESCAPE '\')`, pattern, pattern)
	}
	q, err := p.after(q, "(created_ms, id) < (?, ?)", func(at place) []any { return []any{at.Number, at.ID} })
	if err != nil {
		return nil, "", err
	}
	var rows []clientRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, "", failed(err, "list clients")
	}
	return next(p, rows, clientRow.client, func(r clientRow) place { return place{r.CreatedMs, r.ID} })
}
