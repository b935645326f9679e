package store

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/trace"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// catalogEventColumns is registrar.CatalogEvent with the storage of each field.
type catalogEventColumns struct {
	PartnerID string
	PolicyID  string
	Type      registrar.CatalogEventType
	Actor     string
	At        time.Time `gorm:"column:at_ms;serializer:millis"`
	Changed   []string  `gorm:"serializer:jsontext;empty:[]"`
	TokenID   string

	CallID, Traceparent string
}

type catalogEventRow struct {
	Seq   int64               `gorm:"primaryKey;->"` // set by the database
	Value catalogEventColumns `gorm:"embedded"`
}

func (r catalogEventRow) event() registrar.CatalogEvent { return registrar.CatalogEvent(r.Value) }

var catalogEventTable = sqldb.TableOf[catalogEventRow]()

// AddTokenEvent appends an event of an initial access token.
func (tx *CatalogTx) AddTokenEvent(t registrar.InitialToken, kind registrar.CatalogEventType, actor string) error {
	return tx.addEvent(registrar.CatalogEvent{PartnerID: t.PartnerID, PolicyID: t.PolicyID, TokenID: t.ID, Type: kind, Actor: actor})
}

func (tx *CatalogTx) addEvent(e registrar.CatalogEvent) error {
	ctx := tx.Statement.Context
	e.At, e.CallID, e.Traceparent = tx.Now(), cmp.Or(e.CallID, oplog.CallID(ctx)), cmp.Or(e.Traceparent, trace.Parent(ctx))
	return wrapError(tx.Batch(catalogEventTable.Insert("", catalogEventRow{Value: catalogEventColumns(e)})...), "store event of the catalogue")
}

// ChangePartner is PutPartner with an event that lists the changes. It writes nothing if there are
// none.
func (tx *CatalogTx) ChangePartner(p registrar.Partner, actor string) error {
	before, err := takePartner(tx.DB, p.ID)
	e := registrar.CatalogEvent{PartnerID: p.ID, Type: registrar.CatalogUpdated, Actor: actor, Changed: before.Changes(p)}
	switch {
	case errors.Is(err, registrar.PartnerNotFound):
		e.Type, e.Changed = registrar.CatalogCreated, nil
	case err != nil || len(e.Changed) == 0:
		return err
	}
	return errors.Join(tx.PutPartner(p), tx.addEvent(e))
}

// ChangePolicy is PutPolicy with an event, like ChangePartner.
func (tx *CatalogTx) ChangePolicy(p registrar.Policy, actor string) error {
	before, err := takePolicy(tx.DB, p.ID)
	e := registrar.CatalogEvent{PolicyID: p.ID, Type: registrar.CatalogUpdated, Actor: actor, Changed: before.Changes(p)}
	switch {
	case errors.Is(err, registrar.PolicyNotFound):
		e.Type, e.Changed = registrar.CatalogCreated, nil
	case err != nil || len(e.Changed) == 0:
		return err
	}
	return errors.Join(tx.PutPolicy(p), tx.addEvent(e))
}

// ChangeMapping is PutMapping with an event, like ChangePartner.
func (tx *CatalogTx) ChangeMapping(m registrar.Mapping, actor string) error {
	return tx.changeMapping(m, actor, nil)
}

// WithdrawMapping is ChangeMapping for an existing mapping. It refuses a missing one with
// MappingNotFound.
func (tx *CatalogTx) WithdrawMapping(m registrar.Mapping, actor string) error {
	return tx.changeMapping(m, actor, refusal.New(registrar.MappingNotFound, "partner %s has no mapping to policy %s", m.PartnerID, m.PolicyID))
}

// changeMapping fails with none if the mapping is missing. If none is nil it inserts the mapping.
func (tx *CatalogTx) changeMapping(m registrar.Mapping, actor string, none error) error {
	before, err := sqldb.Take[mappingRow](tx.Where("partner_id = ? AND policy_id = ?", sqldb.CleanText(m.PartnerID), sqldb.CleanText(m.PolicyID)), none)
	if err != nil || before.Status == m.Status {
		return wrapError(err, "load mapping of partner %s to policy %s", m.PartnerID, m.PolicyID)
	}
	e := registrar.CatalogEvent{PartnerID: m.PartnerID, PolicyID: m.PolicyID, Type: registrar.CatalogApproved, Actor: actor}
	if m.Status == registrar.MappingRevoked {
		e.Type = registrar.CatalogRevoked
	}
	return errors.Join(tx.PutMapping(m), tx.addEvent(e))
}

var catalogEventsBySeq = sqldb.List[catalogEventRow]{
	Name: "catalog events", Sort: "events", Numbers: []string{"seq"},
	Place: func(r catalogEventRow) ([]int64, string) { return []int64{r.Seq}, "" },
}

// CatalogEvents lists the audit trail of partners or of a policy, the oldest first.
func (s *Store) CatalogEvents(ctx context.Context, f registrar.CatalogEventFilter, p registrar.Page) ([]registrar.CatalogEvent, string, error) {
	q := sqldb.Equal(whereIn(s.db.Read(ctx), "partner_id", f.Partners), "policy_id", f.PolicyID)
	rows, nextPage, err := catalogEventsBySeq.Page(s.db, q, f, p)
	return sqldb.Values(rows, catalogEventRow.event), nextPage, wrapError(err, "list events of the catalogue")
}
