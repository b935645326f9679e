package store

import (
	"context"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Details is a client with its approval, its pending call and its difference to the provider.
type Details struct {
	Client   registrar.Client
	Approval registrar.Approval // the newest; the zero value for none

	Call   registrar.Call // Kind is empty without a pending call
	Wanted registrar.Update

	Difference registrar.Difference
	FoundAt    time.Time // of Difference
}

// Sent returns the client as it was last sent to the provider: with its pending update.
func (d Details) Sent() (registrar.Client, error) {
	c := d.Client
	c.OutcomeUnknown = false
	if d.Call.Kind != registrar.CallUpdate {
		if c.IsUnconfirmed() {
			c.Status = registrar.ClientActive
		}
		return c, nil
	}
	return c.Update(d.Wanted, c.UpdatedAt)
}

// detailsRow is a client with its rows in other tables.
type detailsRow struct {
	Value clientRow `gorm:"embedded"`

	CallKind     registrar.CallKind
	CallChange   registrar.Update `gorm:"serializer:jsontext;empty:{}"`
	CallAttempts int
	CallDue      time.Time `gorm:"column:call_due_ms;serializer:millis"`

	DifferenceKind    registrar.DifferenceKind
	DifferenceMembers []registrar.OtherValue `gorm:"serializer:jsontext;empty:[]"`
	FoundAt           time.Time              `gorm:"column:found_ms;serializer:millis"`
}

// Details returns the committed state of a client with its details. It refuses an unknown id with ClientNotFound.
func (s *Store) Details(ctx context.Context, id string) (Details, error) {
	q := s.db.Read(ctx).Table("client").Where("client.id = ?", sqldb.CleanText(id)).
		Joins("LEFT JOIN difference d ON d.client_id = client.id").Joins("LEFT JOIN idp_call c ON c.client_id = client.id").
		Select("client.*, coalesce(c.kind, '') AS call_kind, coalesce(c.change, '{}') AS call_change, coalesce(c.attempts, 0) AS call_attempts, " +
			"coalesce(c.due_ms, 0) AS call_due_ms, coalesce(d.kind, '') AS difference_kind, coalesce(d.members, '[]') AS difference_members, " +
			"coalesce(d.found_ms, 0) AS found_ms")
	row, err := sqldb.Take[detailsRow](q, notFound(id))
	if err != nil {
		return Details{}, wrapError(err, "load client %s", id)
	}
	d := Details{
		Client: row.Value.client(), Call: registrar.Call{ClientID: id, Kind: row.CallKind, Attempts: row.CallAttempts,
			DueAt: row.CallDue}, Wanted: row.CallChange,
		Difference: registrar.Difference{Kind: row.DifferenceKind, Members: row.DifferenceMembers}, FoundAt: row.FoundAt,
	}
	d.Approval, err = s.Approval(ctx, id)
	return d, err
}

var historyBySeq = sqldb.List[eventRow]{Name: "history", Sort: "events", Numbers: []string{"seq"}, Desc: true, Place: eventsBySeq.Place}

// History lists the audit trail of a client, the newest entry first.
func (s *Store) History(ctx context.Context, f registrar.EventFilter, p registrar.Page) ([]registrar.Event, string, error) {
	rows, nextPage, err := historyBySeq.Page(s.db, s.eventsOf(ctx, f), f, p)
	return sqldb.Values(rows, eventRow.event), nextPage, wrapError(err, "list the history of client %s", f.ClientID)
}

// QueueCounts are the numbers of clients that need attention. Each is at most MaxQueueCount.
type QueueCounts struct {
	Waiting, Failed, Doubtful, Different int
}

// MaxQueueCount bounds the rows that a count reads.
const MaxQueueCount = 1001

// CountQueues counts the clients that need attention; if partners is not nil, only theirs.
func (s *Store) CountQueues(ctx context.Context, partners []string) (n QueueCounts, err error) {
	db := s.db.Read(ctx)
	count := func(where string) any {
		q := db.Table("client").Select("1").Where(where).Limit(MaxQueueCount)
		if partners != nil {
			q = whereIn(q.Where("api = ?", registrar.PartnerAPI), "partner_id", partners)
		}
		return db.Table("(?) AS q", q).Select("count(*)")
	}
	// FROM client LIMIT 1, since gorm has no SELECT without FROM. Without a client all counts are 0.
	err = db.Table("client").Select("(?) AS waiting, (?) AS failed, (?) AS doubtful, (?) AS different",
		count("id IN (SELECT client_id FROM approval WHERE state IN ('asking', 'waiting'))"),
		count("status = 'FAILED'"), count("outcome_unknown"), count("id IN (SELECT client_id FROM difference)")).Limit(1).Find(&n).Error
	return n, wrapError(err, "count the clients that need attention")
}
