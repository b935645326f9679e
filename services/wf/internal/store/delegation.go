package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

type delegationRow struct {
	ID                              string `gorm:"primaryKey"`
	UserID, Delegator               string
	DelegateID, Delegate            string
	StartsMS, EndsMS                int64
	Reason, Scope                   string
	Mode                            wf.DelegationMode
	ApplyToOpen, ReturnOnEnd        bool
	Started, Closed                 bool
	Routed                          int
	Warnings                        string
	CreatedBy, RevokedBy            string
	CreatedMS, UpdatedMS, RevokedMS int64
}

func (delegationRow) TableName() string { return "delegation" }

var delegationTable = tableOf[delegationRow]()

func rowOfDelegation(d wf.Delegation) (delegationRow, error) {
	var c codec
	return delegationRow{
		ID: d.ID, UserID: d.User.ID, Delegator: c.text(d.User), DelegateID: d.DelegateTo.ID, Delegate: c.text(d.DelegateTo),
		StartsMS: ms(d.StartsAt), EndsMS: ms(d.EndsAt), Reason: d.Reason, Scope: c.text(d.Scope), Mode: d.Mode,
		ApplyToOpen: d.ApplyToOpen, ReturnOnEnd: d.ReturnOnEnd, Started: d.Started, Closed: d.Closed,
		Routed: d.RoutedOpenTasks, Warnings: c.text(d.Warnings), CreatedBy: c.text(d.CreatedBy), RevokedBy: c.text(d.RevokedBy),
		CreatedMS: ms(d.CreatedAt), UpdatedMS: ms(d.UpdatedAt), RevokedMS: ms(d.RevokedAt),
	}, c.err
}

func (r delegationRow) delegation() (wf.Delegation, error) {
	var c codec
	d := wf.Delegation{
		ID: r.ID, StartsAt: at(r.StartsMS), EndsAt: at(r.EndsMS), Reason: r.Reason, Mode: r.Mode,
		ApplyToOpen: r.ApplyToOpen, ReturnOnEnd: r.ReturnOnEnd, Started: r.Started, Closed: r.Closed, RoutedOpenTasks: r.Routed,
		CreatedAt: at(r.CreatedMS), UpdatedAt: at(r.UpdatedMS), RevokedAt: at(r.RevokedMS),
	}
	c.read(r.Delegator, &d.User)
	c.read(r.Delegate, &d.DelegateTo)
	c.read(r.Scope, &d.Scope)
	c.read(r.Warnings, &d.Warnings)
	c.read(r.CreatedBy, &d.CreatedBy)
	c.read(r.RevokedBy, &d.RevokedBy)
	return d, failed(c.err, "read delegation %s", r.ID)
}

// AddDelegation writes a new delegation.
func (tx *Tx) AddDelegation(d wf.Delegation) error {
	row, err := rowOfDelegation(d)
	if err == nil {
		err = tx.Batch(delegationTable.insert("", row)...)
	}
	return failed(err, "add delegation %s", d.ID)
}

// PutDelegation writes a delegation that Delegation has locked, or that this
// transaction has added.
func (tx *Tx) PutDelegation(d wf.Delegation) error {
	row, err := rowOfDelegation(d)
	if err == nil {
		err = put(tx.DB, &row)
	}
	return failed(err, "write delegation %s", d.ID)
}

// Delegation loads a delegation and locks it.
func (tx *Tx) Delegation(id string) (wf.Delegation, error) {
	return takeDelegation(tx.Clauses(lockRow), id)
}

// ReadDelegation returns a delegation and does not lock it.
func (tx *Tx) ReadDelegation(id string) (wf.Delegation, error) { return takeDelegation(tx.DB, id) }

// ReadDelegation returns a delegation.
func (s *Store) ReadDelegation(ctx context.Context, id string) (wf.Delegation, error) {
	return takeDelegation(s.read(ctx), id)
}

func takeDelegation(db *gorm.DB, id string) (wf.Delegation, error) {
	unknown := wf.Refuse(wf.DelegationNotFound, "no delegation %s", id)
	if !isID(id) {
		return wf.Delegation{}, unknown
	}
	var row delegationRow
	err := db.Take(&row, "id = ?", id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return wf.Delegation{}, unknown
	}
	if err != nil {
		return wf.Delegation{}, failed(err, "load delegation %s", id)
	}
	return row.delegation()
}

// DelegationsOf returns the delegations in force at tx.Now of these people and, hop
// by hop, of those to whom they delegate. It takes one round trip when there are
// none, and at most one for each hop.
func (tx *Tx) DelegationsOf(users []string, hops int) ([]wf.Delegation, error) {
	var found []wf.Delegation
	asked := map[string]bool{}
	for ; hops > 0 && len(users) > 0; hops-- {
		for _, id := range users {
			asked[id] = true
		}
		var rows []delegationRow
		query, err := tx.inForce(delegationTable.from(), users, " ORDER BY id")
		if err != nil {
			return nil, err
		}
		query.Into = &rows
		if err := tx.Load(query); err != nil {
			return nil, failed(err, "load delegations")
		}
		users = nil
		for _, row := range rows {
			d, err := row.delegation()
			if err != nil {
				return nil, err
			}
			found = append(found, d)
			if !asked[row.DelegateID] {
				asked[row.DelegateID] = true
				users = append(users, row.DelegateID)
			}
		}
	}
	return found, nil
}

// inForce completes a query for the delegations of these people that are in force at
// tx.Now.
func (tx *Tx) inForce(from string, users []string, end string) (sqldb.Select, error) {
	list := "SELECT jsonb_array_elements_text(?::jsonb)"
	if tx.Name() == "sqlite" {
		list = "SELECT value FROM json_each(?)"
	}
	names, err := json.Marshal(users)
	return sqldb.Select{
		SQL:  from + " WHERE revoked_ms = 0 AND starts_ms <= ? AND ends_ms > ? AND user_id IN (" + list + ")" + end,
		Args: []any{ms(tx.Now), ms(tx.Now), string(names)},
	}, err
}

// Delegations lists delegations, newest first.
func (s *Store) Delegations(ctx context.Context, f wf.DelegationFilter, page wf.Page) ([]wf.Delegation, string, error) {
	q := equal(s.read(ctx).Model(&delegationRow{}), "user_id", f.User)
	q = equal(q, "delegate_id", f.DelegateTo)
	if f.Own != "" {
		q = q.Where("user_id = ? OR delegate_id = ?", printable(f.Own), printable(f.Own))
	}
	if len(f.Status) > 0 {
		now, err := s.db.Now(ctx)
		if err != nil {
			return nil, "", failed(err, "list delegations")
		}
		q = q.Where(`CASE WHEN revoked_ms > 0 THEN 'revoked' WHEN ends_ms <= ? THEN 'ended'
			WHEN starts_ms > ? THEN 'scheduled' ELSE 'active' END IN ?`, ms(now), ms(now), f.Status)
	}
	p, err := s.bind(ctx, page, "delegations", f)
	if err != nil {
		return nil, "", err
	}
	order := byCreation("delegation")
	q, err = order.apply(q, p)
	if err != nil {
		return nil, "", err
	}
	var rows []delegationRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, "", failed(err, "list delegations")
	}
	rows, more, err := next(order, p, rows, func(r delegationRow) ([]int64, string) { return []int64{r.CreatedMS}, r.ID })
	if err != nil {
		return nil, "", err
	}
	list, err := all(rows, delegationRow.delegation)
	return list, more, err
}

// DueDelegations returns the ids of delegations for which something is to be done:
// in force and not started, or over and not closed.
func (s *Store) DueDelegations(ctx context.Context, now time.Time, limit int) ([]string, error) {
	var ids []string
	err := s.read(ctx).Raw(`SELECT id FROM delegation WHERE NOT started AND revoked_ms = 0 AND starts_ms <= ? AND ends_ms > ?
		UNION SELECT id FROM delegation WHERE NOT closed AND (ends_ms <= ? OR revoked_ms > 0)
		ORDER BY id LIMIT ?`, ms(now), ms(now), ms(now), limit).Scan(&ids).Error
	return ids, failed(err, "list due delegations")
}
