package store

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/trail"
)

// ServiceChain is the name of the chain for events outside any request.
const ServiceChain = trail.ServiceChain

// eventRow is an event of any chain, written on the hot path; see the package comment.
type eventRow struct {
	ID    string `gorm:"primaryKey"`
	Chain string
	Seq   int64
	Type  audit.EventType
	AtMS  int64
	Body  string
	Hash  string

	// Search columns, derived from Body. Events in the chain of a request set only ActorID.
	ActorID      string
	RequestID    string
	ResourceType wf.ResourceType
	ResourceID   string
	Outcome      wf.EventOutcome
}

var eventTable = sqldb.TableOf[eventRow]()

func rowOfEvent(chain string, e wf.Event) eventRow {
	row := eventRow{
		ID: e.ID, Chain: chain, Seq: e.Seq, Type: e.Type, AtMS: ms(e.At.Time), Body: string(e.Body), Hash: e.Hash, ActorID: e.Actor.ID,
	}
	if chain == ServiceChain {
		row.RequestID, row.ResourceType, row.ResourceID, row.Outcome = e.RequestID, e.Resource.Type, e.Resource.ID, e.Outcome
	}
	return row
}

// addEvents returns the statements that insert events. It collects their people for the write at
// the end of the transaction.
func (tx *Tx) addEvents(chain string, list []wf.Event) []sqldb.Stmt {
	rows := make([]eventRow, len(list))
	for i, e := range list {
		rows[i] = rowOfEvent(chain, e)
		tx.store.people.cacheMisses(tx.people, e.People())
	}
	tx.happened = append(tx.happened, list...)
	return eventTable.Insert("", rows...)
}

// logEvents logs events in the log line of the call. Events without a call get one line per request or
// other resource.
func (s *Store) logEvents(ctx context.Context, list []wf.Event) {
	for len(list) > 0 {
		about, n := aboutOf(list[0]), 1
		for n < len(list) && aboutOf(list[n]) == about {
			n++
		}
		types := make([]string, n)
		for i, e := range list[:n] {
			types[i] = string(e.Type)
		}
		oplog.LogEvents(ctx, s.db.Logger(), slog.String(about[0], about[1]), types, slog.String("actor", actorOf(list[0])))
		list = list[n:]
	}
}

// aboutOf returns the type and the id of the event's subject: its request, if it has one, otherwise
// its resource.
func aboutOf(e wf.Event) [2]string {
	if e.RequestID != "" {
		return [2]string{"request", e.RequestID}
	}
	return [2]string{string(e.Resource.Type), e.Resource.ID}
}

// actorOf returns the actor for the log.
func actorOf(e wf.Event) string {
	if e.Actor.Kind == identity.ActorSystem {
		return e.Actor.ID
	}
	return oplog.Subject(e.Actor.ID)
}

// Append adds an event to the service's own chain and generates its id if it has none. It returns
// the deliveries for the subscribed endpoints. Append locks the chain, which must be the caller's last lock.
func (tx *Tx) Append(e wf.Event) ([]outbox.Delivery, error) {
	return tx.AppendFor(e, wf.Audience{})
}

// AppendFor is Append with further receivers.
func (tx *Tx) AppendFor(e wf.Event, also wf.Audience) ([]outbox.Delivery, error) {
	endpoints, err := tx.Outbox.Endpoints()
	if err != nil {
		return nil, err
	}
	row, err := tx.lockChain()
	if err != nil {
		return nil, err
	}
	list := []wf.Event{e}
	_, stmts, err := tx.link(row.End, list)
	if err != nil {
		return nil, err
	}
	deliveries, err := list[0].Deliveries(endpoints, also, newID)
	if err != nil {
		return nil, err
	}
	return deliveries, wrapError(tx.Batch(append(stmts, tx.Outbox.Add(deliveries)...)...), "append event %s", e.Type)
}

// lockChain locks the service's own chain and returns its row. It must be the caller's last lock.
func (tx *Tx) lockChain() (row chainRow, err error) {
	err = tx.Table("chain").Clauses(clause.Locking{Strength: "UPDATE"}).Take(&row, "name = ?", ServiceChain).Error
	return row, wrapError(err, "lock the service's chain of events")
}

// link adds events to the locked end of the service's own chain, and returns the new end with the statements that write
// both. It generates missing ids.
func (tx *Tx) link(chain audit.Chain, list []wf.Event) (end audit.Chain, stmts []sqldb.Stmt, err error) {
	seed := wf.Seed(uuid.New())
	for i, e := range list {
		e.ID = cmp.Or(e.ID, seed.EventID(e.At.Time, chain.Seq+1))
		if chain, list[i], err = e.Link(chain); err != nil {
			return chain, nil, err
		}
	}
	return chain, append(tx.addEvents(ServiceChain, list), sqldb.Stmt{
		SQL: "UPDATE chain SET seq = ?, hash = ? WHERE name = ?", Args: []any{chain.Seq, chain.Hash, ServiceChain}, One: true,
	}), nil
}

var eventsBySeq = sqldb.List[eventRow]{
	Name: "events", Sort: "events", Numbers: []string{"seq"},
	Place: func(r eventRow) ([]int64, string) { return []int64{r.Seq}, "" },
}

// Events lists the events of a request, oldest first, with the stored names of people. An empty id selects the
// service's own chain.
func (s *Store) Events(ctx context.Context, requestID string, p wf.Page) (list []wf.Event, nextPage string, err error) {
	chain := chainOf(requestID)
	return s.eventsOf(ctx, chain, p, "chain = ?", chain)
}

// Comments lists the comment events of a request, like Events.
func (s *Store) Comments(ctx context.Context, requestID string, p wf.Page) (list []wf.Event, nextPage string, err error) {
	const where = "chain = ? AND type = ?"
	return s.eventsOf(ctx, "comments "+requestID, p, where, chainOf(requestID), audit.EventRequestCommented)
}

// eventsOf lists the events that match a condition. The cursor is bound to name.
func (s *Store) eventsOf(ctx context.Context, name string, p wf.Page, where string, args ...any) ([]wf.Event, string, error) {
	db := s.db.Read(ctx)
	rows, nextPage, err := eventsBySeq.Page(s.db, db.Where(where, args...), name, p)
	if err != nil {
		return nil, "", wrapError(err, "list events of %s", name)
	}
	list, err := eventsOf(db, rows)
	return list, nextPage, err
}

// eventsOf decodes rows into events and adds the stored names of people.
func eventsOf(db *gorm.DB, rows []eventRow) ([]wf.Event, error) {
	list, c := make([]wf.Event, len(rows)), codec{}
	for i, row := range rows {
		list[i] = read[wf.Event](&c, row.Body)
		list[i].Hash, list[i].Body = row.Hash, []byte(row.Body)
		if c.err != nil {
			return nil, wrapError(c.err, "read event %d of chain %s", row.Seq, row.Chain)
		}
	}
	return addNames(db, list)
}

func chainOf(requestID string) string {
	if requestID == "" {
		return ServiceChain
	}
	return printable(requestID)
}
