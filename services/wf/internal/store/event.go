package store

import (
	"context"
	"encoding/json"
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// serviceChain is the name of the chain of events that belong to no request.
const serviceChain = "service"

type eventRow struct {
	ID    string `gorm:"primaryKey"`
	Chain string
	Seq   int64
	Type  wf.EventType
	AtMS  int64
	Body  string
	Hash  string
}

func (eventRow) TableName() string { return "event" }

var eventTable = tableOf[eventRow]()

func rowOfEvent(chain string, e wf.Event) (eventRow, error) {
	body, err := e.Canonical()
	return eventRow{ID: e.ID, Chain: chain, Seq: e.Seq, Type: e.Type, AtMS: ms(e.At.Time), Body: string(body), Hash: e.Hash}, err
}

func (r eventRow) event() (wf.Event, error) {
	var c codec
	e := wf.Event{Hash: r.Hash}
	c.read(r.Body, &e)
	return e, failed(c.err, "read event %d of chain %s", r.Seq, r.Chain)
}

func addEvents(chain string, list []wf.Event) ([]sqldb.Stmt, error) {
	rows, err := all(list, func(e wf.Event) (eventRow, error) { return rowOfEvent(chain, e) })
	return eventTable.insert("", rows...), err
}

type chainRow struct {
	Name string `gorm:"primaryKey"`
	Seq  int64
	Hash string
}

func (chainRow) TableName() string { return "chain" }

// Append adds an event to the service's own chain, and its deliveries to the endpoints
// that select it and to the others named, which it returns. It locks the chain, which must be the
// transaction's last lock.
func (tx *Tx) Append(e wf.Event, newID func() string, others ...wf.WebhookTarget) ([]wf.Delivery, error) {
	endpoints, err := tx.Endpoints()
	if err != nil {
		return nil, err
	}
	var end chainRow
	err = tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&end, "name = ?", serviceChain).Error
	if err != nil {
		return nil, failed(err, "lock the service's chain of events")
	}
	chain, e, err := wf.Chain{Seq: end.Seq, Hash: end.Hash}.Append(e)
	if err != nil {
		return nil, err
	}
	stmts, err := addEvents(serviceChain, []wf.Event{e})
	if err != nil {
		return nil, err
	}
	deliveries, err := e.Deliveries(endpoints, wf.Audience{Named: others}, newID)
	if err != nil {
		return nil, err
	}
	stmts = append(stmts, addDeliveries(deliveries)...)
	err = tx.Batch(append(stmts, sqldb.Stmt{
		SQL: "UPDATE chain SET seq = ?, hash = ? WHERE name = ?", Args: []any{chain.Seq, chain.Hash, serviceChain}, Want: 1,
	})...)
	return deliveries, failed(err, "append event %s", e.Type)
}

// Events lists the events of a request, oldest first; an empty id stands for the
// service's own chain. stored holds the bytes of each event that its hash is over.
func (s *Store) Events(ctx context.Context, requestID string, p Page) (list []wf.Event, stored [][]byte, more string, err error) {
	if p, err = s.bind(ctx, p, "events", chainOf(requestID)); err != nil {
		return nil, nil, "", err
	}
	order := sorting{name: "events", numbers: []string{"seq"}}
	q, err := order.apply(s.read(ctx).Where("chain = ?", chainOf(requestID)), p)
	if err != nil {
		return nil, nil, "", err
	}
	var rows []eventRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, nil, "", failed(err, "list events of chain %s", chainOf(requestID))
	}
	rows, more, err = next(order, p, rows, func(r eventRow) ([]int64, string) { return []int64{r.Seq}, "" })
	if err != nil {
		return nil, nil, "", err
	}
	for _, row := range rows {
		stored = append(stored, []byte(row.Body))
	}
	list, err = all(rows, eventRow.event)
	return list, stored, more, err
}

func chainOf(requestID string) string {
	if requestID == "" {
		return serviceChain
	}
	return printable(requestID)
}

// verifyPage is how many events VerifyChain holds at a time.
const verifyPage = 200

// VerifyChain recomputes the chain of a request, or the service's own for an empty
// id, from the stored bytes. firstBad is the number of the first event that is
// missing or not as it was written, 0 when the chain holds; count is how many
// events were right before it. An unknown request is refused with
// wf.RequestNotFound.
func (s *Store) VerifyChain(ctx context.Context, requestID string) (firstBad, count int64, err error) {
	if requestID != "" && !isID(requestID) {
		return 0, 0, noRequest(requestID)
	}
	err = s.snapshot(ctx, func(db *gorm.DB) error {
		end, err := chainEnd(db, requestID)
		if err != nil {
			return err
		}
		var chain wf.Chain
		for {
			var rows []eventRow
			err := db.Where("chain = ? AND seq > ?", chainOf(requestID), chain.Seq).Order("seq").Limit(verifyPage).Find(&rows).Error
			if err != nil {
				return err
			}
			for _, row := range rows {
				if !row.follows(chain) {
					firstBad = chain.Seq + 1
					return nil
				}
				chain = wf.Chain{Seq: row.Seq, Hash: row.Hash}
				count = chain.Seq
			}
			if len(rows) < verifyPage {
				break
			}
		}
		if chain != end {
			// The last rows are gone, or there are more than were ever written.
			firstBad = min(chain.Seq, end.Seq) + 1
		}
		return nil
	})
	return firstBad, count, failed(err, "verify chain %s", chainOf(requestID))
}

// chainEnd is the end of a chain as its owner remembers it.
func chainEnd(db *gorm.DB, requestID string) (wf.Chain, error) {
	if requestID == "" {
		var end chainRow
		err := db.Take(&end, "name = ?", serviceChain).Error
		return wf.Chain{Seq: end.Seq, Hash: end.Hash}, err
	}
	var end requestRow
	err := db.Select("chain_seq", "chain_hash").Take(&end, "id = ?", requestID).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = noRequest(requestID)
	}
	return wf.Chain{Seq: end.ChainSeq, Hash: end.ChainHash}, err
}

// follows reports whether the row is the next one of the chain and its columns say
// what its bytes say.
func (r eventRow) follows(chain wf.Chain) bool {
	var e wf.Event
	if json.Unmarshal([]byte(r.Body), &e) != nil {
		return false
	}
	e.Hash = r.Hash
	_, fits := chain.Next(e, []byte(r.Body))
	return fits && e.Seq == r.Seq && e.ID == r.ID && e.Type == r.Type && ms(e.At.Time) == r.AtMS
}
