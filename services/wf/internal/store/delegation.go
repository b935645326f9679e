package store

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// delegationColumns maps the fields of wf.Delegation to columns. The database role of the service
// cannot update the columns that are written only at creation.
type delegationColumns struct {
	ID          string                  `gorm:"primaryKey"`
	User        identity.User           `gorm:"column:delegator;serializer:jsontext;<-:create"`
	DelegateTo  identity.User           `gorm:"column:delegate;serializer:jsontext;<-:create"`
	StartsAt    time.Time               `gorm:"column:starts_ms;serializer:millis"`
	EndsAt      time.Time               `gorm:"column:ends_ms;serializer:millis;<-:create"`
	Reason      string                  `gorm:"<-:create"`
	Scope       approver.Scope          `gorm:"serializer:jsontext;<-:create"`
	Mode        approver.DelegationMode `gorm:"<-:create"`
	ApplyToOpen bool                    `gorm:"<-:create"`
	ReturnOnEnd bool                    `gorm:"<-:create"`

	Started, Closed bool

	RoutedOpenTasks int      `gorm:"column:routed_tasks"`
	Warnings        []string `gorm:"serializer:jsontext"`

	CreatedBy identity.User `gorm:"serializer:jsontext;<-:create"`
	RevokedBy identity.User `gorm:"serializer:jsontext"`
	CreatedAt time.Time     `gorm:"column:created_ms;serializer:millis;autoCreateTime:false;<-:create"`
	UpdatedAt time.Time     `gorm:"column:updated_ms;serializer:millis;autoUpdateTime:false"`
	RevokedAt time.Time     `gorm:"column:revoked_ms;serializer:millis"`
}

type delegationRow struct {
	Value              delegationColumns `gorm:"embedded"`
	UserID, DelegateID string            `gorm:"<-:create"` // for searching
}

func rowOfDelegation(d approver.Delegation) *delegationRow {
	return &delegationRow{delegationColumns(d), d.User.ID, d.DelegateTo.ID}
}

func (r delegationRow) delegation() approver.Delegation { return approver.Delegation(r.Value) }

var delegationTable = sqldb.TableOf[delegationRow]()

// Delegations reads delegations.
type Delegations struct{ db *sqldb.DB }

// DelegationTx reads and writes delegations in a transaction.
type DelegationTx struct{ *sqldb.Tx }

// Add writes a new delegation.
func (tx *DelegationTx) Add(d approver.Delegation) error {
	return wrapError(tx.Create(rowOfDelegation(d)).Error, "add delegation %s", d.ID)
}

// Put writes a delegation that Delegation has locked, or that this
// transaction has added.
func (tx *DelegationTx) Put(d approver.Delegation) error {
	return wrapError(sqldb.Put(tx.Tx, rowOfDelegation(d), sqldb.ErrRowCount), "write delegation %s", d.ID)
}

// Lock loads a delegation and locks it.
func (tx *DelegationTx) Lock(id string) (approver.Delegation, error) {
	return takeDelegation(tx.Clauses(lockRow), id)
}

// Delegation returns a delegation and does not lock it.
func (tx *DelegationTx) Delegation(id string) (approver.Delegation, error) {
	return takeDelegation(tx.DB, id)
}

// Delegation returns a delegation.
func (s Delegations) Delegation(ctx context.Context, id string) (approver.Delegation, error) {
	return takeDelegation(s.db.Read(ctx), id)
}

func takeDelegation(db *gorm.DB, id string) (approver.Delegation, error) {
	row, err := sqldb.Take[delegationRow](hasID(db, id), refusal.New(reason.DelegationNotFound, "no delegation %s", id))
	return row.delegation(), wrapError(err, "load delegation %s", id)
}

// Of returns the delegations in force at tx.Now of the users and, transitively, of their
// delegates, up to hops. It takes one round trip without delegations, otherwise at most one per
// hop.
func (tx *DelegationTx) Of(users []string, hops int) ([]approver.Delegation, error) {
	var found []approver.Delegation
	asked := map[string]bool{}
	for ; hops > 0 && len(users) > 0; hops-- {
		for _, id := range users {
			asked[id] = true
		}
		var rows []delegationRow
		query, err := tx.inForce(delegationTable.From(), users, " ORDER BY id")
		if err != nil {
			return nil, err
		}
		query.Into = &rows
		if err := tx.Batch(query); err != nil {
			return nil, wrapError(err, "load delegations")
		}
		users = nil
		for _, row := range rows {
			found = append(found, row.delegation())
			if !asked[row.DelegateID] {
				asked[row.DelegateID] = true
				users = append(users, row.DelegateID)
			}
		}
	}
	return found, nil
}

// inForce completes a query for the delegations of the users that are in force at tx.Now.
func (tx *DelegationTx) inForce(from string, users []string, end string) (sqldb.Stmt, error) {
	list := "SELECT jsonb_array_elements_text(?::jsonb)"
	if tx.Name() == "sqlite" {
		list = "SELECT value FROM json_each(?)"
	}
	names, err := json.Marshal(users)
	return sqldb.Stmt{
		SQL:  from + " WHERE revoked_ms = 0 AND starts_ms <= ? AND ends_ms > ? AND user_id IN (" + list + ")" + end,
		Args: []any{ms(tx.Now()), ms(tx.Now()), string(names)},
	}, err
}

var delegationsByCreation = sqldb.List[delegationRow]{
	Name: "delegations", Sort: "created_at", Numbers: []string{"created_ms"}, ID: "id", Desc: true,
	Place: func(r delegationRow) ([]int64, string) { return []int64{ms(r.Value.CreatedAt)}, r.Value.ID },
}

// List lists delegations, newest first.
func (s Delegations) List(ctx context.Context, f wf.DelegationFilter, p wf.Page) ([]approver.Delegation, string, error) {
	q := sqldb.Equal(s.db.Read(ctx), "user_id", f.User)
	q = sqldb.Equal(q, "delegate_id", f.DelegateTo)
	if f.Own != "" {
		q = q.Where("user_id = ? OR delegate_id = ?", printable(f.Own), printable(f.Own))
	}
	if len(f.Status) > 0 {
		now, err := s.db.Now(ctx)
		if err != nil {
			return nil, "", wrapError(err, "list delegations")
		}
		q = q.Where(`CASE WHEN revoked_ms > 0 THEN 'revoked' WHEN ends_ms <= ? THEN 'ended'
			WHEN starts_ms > ? THEN 'scheduled' ELSE 'active' END IN ?`, ms(now), ms(now), f.Status)
	}
	rows, nextPage, err := delegationsByCreation.Page(s.db, q, f, p)
	return sqldb.Values(rows, delegationRow.delegation), nextPage, wrapError(err, "list delegations")
}

// Delegations returns the ids of delegations to start or to close: in force and not started, or
// ended and not closed.
func (s Due) Delegations(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Table(`(SELECT id FROM delegation WHERE NOT started AND revoked_ms = 0 AND starts_ms <= ? AND ends_ms > ?
		UNION SELECT id FROM delegation WHERE NOT closed AND (ends_ms <= ? OR revoked_ms > 0)) AS due`,
		ms(now), ms(now), ms(now)).Order("id").Limit(limit), "list due delegations")
}

// RequestsToRoute returns at most limit ids of requests in which the delegator has an open task or a place in a running
// pool. The ids are ascending and greater than after.
func (tx *DelegationTx) RequestsToRoute(d approver.Delegation, after string, limit int) ([]string, error) {
	return ids(tx.Model(&participantRow{}).Distinct("request_id").Where("live AND user_id = ? AND request_id > ?", d.User.ID, cmp.Or(after, firstID)).
		Order("request_id").Limit(limit), "list the requests of %s", d.User.ID)
}

// RequestsRouted returns at most limit ids of requests with open tasks or places of the delegate of a delegation or of
// later delegations of its chain. The ids are ascending and greater than after.
func (tx *DelegationTx) RequestsRouted(delegationID, after string, limit int) ([]string, error) {
	after = cmp.Or(after, firstID)
	return ids(tx.Table(`(WITH RECURSIVE led (id, delegate_id, starts_ms, ends_ms) AS (
			SELECT id, delegate_id, starts_ms, ends_ms FROM delegation WHERE id = ?
			UNION
			SELECT d.id, d.delegate_id, d.starts_ms, d.ends_ms FROM delegation d
			JOIN led ON d.user_id = led.delegate_id AND d.starts_ms < led.ends_ms AND d.ends_ms > led.starts_ms)
		SELECT DISTINCT request_id FROM participant WHERE live AND user_id IN (SELECT delegate_id FROM led) AND request_id > ?) AS found`,
		delegationID, after).Order("request_id").Limit(limit), "list the requests routed by delegation %s", delegationID)
}
