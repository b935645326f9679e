package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// delegationRow is a delegation. Names are in person. The database role of the service cannot update the columns that
// are written only at creation.
type delegationRow struct {
	ID         string         `gorm:"primaryKey"`
	UserID     string         `gorm:"<-:create"`
	DelegateID string         `gorm:"<-:create"`
	StartsMS   int64          `gorm:"<-:create"`
	EndsMS     int64          `gorm:"<-:create"`
	Reason     string         `gorm:"<-:create"`
	Scope      approver.Scope `gorm:"serializer:jsontext;<-:create"`
	Warnings   []string       `gorm:"serializer:jsontext;<-:create"`

	Started, Ended bool

	CreatedBy            string `gorm:"<-:create"`
	RevokedBy            string
	CreatedMS            int64 `gorm:"<-:create"`
	UpdatedMS, RevokedMS int64
}

func rowOfDelegation(d approver.Delegation) *delegationRow {
	return &delegationRow{
		ID: d.ID, UserID: d.User.ID, DelegateID: d.DelegateTo.ID, StartsMS: ms(d.StartsAt), EndsMS: ms(d.EndsAt),
		Reason: d.Reason, Scope: d.Scope, Warnings: d.Warnings, Started: d.Started, Ended: d.Ended,
		CreatedBy: d.CreatedBy.ID, RevokedBy: d.RevokedBy.ID,
		CreatedMS: ms(d.CreatedAt), UpdatedMS: ms(d.UpdatedAt), RevokedMS: ms(d.RevokedAt),
	}
}

func (r delegationRow) delegation() approver.Delegation {
	user := func(id string) identity.User { return identity.User{ID: id} }
	return approver.Delegation{
		ID: r.ID, User: user(r.UserID), DelegateTo: user(r.DelegateID), StartsAt: at(r.StartsMS), EndsAt: at(r.EndsMS),
		Reason: r.Reason, Scope: r.Scope, Warnings: r.Warnings, Started: r.Started, Ended: r.Ended,
		CreatedBy: user(r.CreatedBy), RevokedBy: user(r.RevokedBy),
		CreatedAt: at(r.CreatedMS), UpdatedAt: at(r.UpdatedMS), RevokedAt: at(r.RevokedMS),
	}
}

var delegationTable = sqldb.TableOf[delegationRow]()

// Delegations reads delegations.
type Delegations struct{ db *sqldb.DB }

// DelegationTx reads and writes delegations in a transaction.
type DelegationTx struct{ *sqldb.Tx }

// Add writes a new delegation.
func (tx *DelegationTx) Add(d approver.Delegation) error {
	return wrapError(tx.Create(rowOfDelegation(d)).Error, "add delegation %s", d.ID)
}

// Put writes a delegation that Lock has locked.
func (tx *DelegationTx) Put(d approver.Delegation) error {
	return wrapError(sqldb.Put(tx.Tx, rowOfDelegation(d), sqldb.ErrRowCount), "write delegation %s", d.ID)
}

// Lock loads a delegation and locks it.
func (tx *DelegationTx) Lock(id string) (approver.Delegation, error) {
	return takeDelegation(tx.Clauses(lockRow), id)
}

// Delegation returns a delegation.
func (s Delegations) Delegation(ctx context.Context, id string) (approver.Delegation, error) {
	return takeDelegation(s.db.Read(ctx), id)
}

func takeDelegation(db *gorm.DB, id string) (approver.Delegation, error) {
	row, err := sqldb.Take[delegationRow](hasID(db, id), refusal.New(reason.DelegationNotFound, "no delegation %s", id))
	return row.delegation(), wrapError(err, "load delegation %s", id)
}

// inForce is the condition that a delegation gives a right at the time of the transaction; it has two arguments.
const inForce = "revoked_ms = 0 AND starts_ms <= ? AND ends_ms > ?"

// delegationsIn selects the delegations in force to a user, and to delegates with a claim in the request of ref.
func delegationsIn(into *[]delegationRow, now time.Time, lock, user string, ref RequestRef) sqldb.Stmt {
	return sqldb.Stmt{
		SQL: delegationTable.From() + ` WHERE (delegate_id = ? OR delegate_id IN (SELECT claimed_by_id FROM task
			WHERE request_id = ` + ref.which + ` AND status = 'claimed' AND claimed_by_id <> assignee_id)) AND ` + inForce + lock,
		Args: []any{printable(user), ref.id, ms(now), ms(now)},
		Into: into,
	}
}

// To returns the delegations in force to a user.
func (s Delegations) To(ctx context.Context, user string) (list []approver.Delegation, err error) {
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		var rows []delegationRow
		now := ms(tx.Now())
		err := tx.Where(inForce, now, now).Find(&rows, "delegate_id = ?", printable(user)).Error
		list = sqldb.Values(rows, delegationRow.delegation)
		return err
	})
	return list, wrapError(err, "load the delegations to a user")
}

// From returns the delegations in force of users.
func (tx *DelegationTx) From(users []string) ([]approver.Delegation, error) {
	var rows []delegationRow
	now := ms(tx.Now())
	err := amongTexts(tx.DB, "user_id", users).of(tx.DB).Find(&rows, inForce, now, now).Error
	return sqldb.Values(rows, delegationRow.delegation), wrapError(err, "load delegations")
}

var delegationsByCreation = sqldb.List[delegationRow]{
	Name: "delegations", Sort: "created_at", Numbers: []string{"created_ms"}, ID: "id", Desc: true,
	Place: func(r delegationRow) ([]int64, string) { return []int64{r.CreatedMS}, r.ID },
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

// Delegations returns the ids of delegations whose start or end is not recorded.
func (s Due) Delegations(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Table(`(SELECT id FROM delegation WHERE NOT started AND revoked_ms = 0 AND starts_ms <= ? AND ends_ms > ?
		UNION SELECT id FROM delegation WHERE NOT ended AND revoked_ms = 0 AND ends_ms <= ?) AS due`,
		ms(now), ms(now), ms(now)).Order("id").Limit(limit), "list due delegations")
}
