package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// ErrApprovalMoved reports that a concurrent transaction has changed or leased the approval.
var ErrApprovalMoved = errors.New("the approval has changed meanwhile")

// approvalRow is registrar.Approval with the storage of each field.
type approvalRow struct {
	ClientID    string `gorm:"primaryKey"`
	Revision    int64  `gorm:"primaryKey;autoIncrement:false"`
	State       registrar.ApprovalState
	Kind        registrar.CallKind
	Wanted      registrar.Update `gorm:"column:change;serializer:jsontext;empty:{}"`
	Policy      string           `gorm:"column:policy_key"`
	Requester   string
	Title       string
	Context     string
	RequestID   string
	ContextHash string
	Comment     string    `gorm:"column:reason"`
	GrantedAt   time.Time `gorm:"column:granted_ms;serializer:millis"`
	ValidUntil  time.Time `gorm:"column:valid_until_ms;serializer:millis"`
	Standing    registrar.Standing
	AskedAt     time.Time `gorm:"column:requested_ms;serializer:millis"`
	DueAt       time.Time `gorm:"column:due_ms;serializer:millis"`
	Attempts    int
}

func (r approvalRow) approval() registrar.Approval { return registrar.Approval(r) }

var approvalTable = sqldb.TableOf[approvalRow]()

// due lists the states that require a call to the approval service.
var due = []registrar.ApprovalState{registrar.ApprovalAsking, registrar.ApprovalWaiting, registrar.ApprovalWithdrawing}

// ApprovalTx reads, leases and writes approvals in a transaction.
type ApprovalTx struct{ *sqldb.Tx }

// Add stores a new approval of a locked client.
func (tx *ApprovalTx) Add(a registrar.Approval) error {
	return wrapError(tx.Batch(approvalTable.Insert("", approvalRow(a))...), "store approval %d of client %s", a.Revision, a.ClientID)
}

// Newest returns the newest approval of a locked client and locks it, or the zero value if there
// is none.
func (tx *ApprovalTx) Newest(clientID string) (registrar.Approval, error) {
	return takeApproval(tx.Clauses(clause.Locking{Strength: "UPDATE"}), clientID)
}

// Approval returns the newest approval of a client, or the zero value if there is none.
func (s *Store) Approval(ctx context.Context, clientID string) (registrar.Approval, error) {
	return takeApproval(s.db.Read(ctx), clientID)
}

func takeApproval(q *gorm.DB, clientID string) (registrar.Approval, error) {
	row, err := sqldb.Take[approvalRow](q.Where("client_id = ?", sqldb.CleanText(clientID)).Order("revision DESC"), nil)
	return row.approval(), wrapError(err, "load approval of client %s", clientID)
}

// Put stores a changed approval. It fails with ErrApprovalMoved if the stored one has
// changed since it was read.
func (tx *ApprovalTx) Put(before, after registrar.Approval) error {
	row := approvalRow(after)
	err := sqldb.Put(tx.Tx, &row, ErrApprovalMoved, "state = ? AND attempts = ?", before.State, before.Attempts)
	return wrapError(err, "store approval %d of client %s", after.Revision, after.ClientID)
}

// ReplaceGranted ends the effect of the granted approvals of a locked client before a revision. A pass that has leased
// one of them does not store its result.
func (tx *ApprovalTx) ReplaceGranted(clientID string, revision int64) error {
	err := tx.Model(&approvalRow{}).Where("client_id = ? AND revision < ? AND "+followed, clientID, revision).
		Updates(map[string]any{"standing": registrar.StandingReplaced, "attempts": gorm.Expr("attempts + 1")}).Error
	return wrapError(err, "replace the approvals of client %s", clientID)
}

// TakeDue leases up to n approvals that are due and not decided.
func (tx *ApprovalTx) TakeDue(n int, length time.Duration) ([]registrar.Approval, error) {
	now := sqldb.Millis(tx.Now())
	return tx.lease(tx.DB.Where("state IN ? AND due_ms <= ?", due, now).Order("due_ms").Limit(n), length)
}

// followed selects granted approvals with a standing that can change; see index approval_followed.
const followed = "state = 'granted' AND standing = 'in_force'"

// TakeGranted leases up to n granted approvals that are due, those that have lapsed first.
func (tx *ApprovalTx) TakeGranted(n int, length time.Duration) ([]registrar.Approval, error) {
	now := sqldb.Millis(tx.Now())
	lapsed := clause.OrderBy{Expression: clause.Expr{
		SQL: "CASE WHEN valid_until_ms BETWEEN 1 AND ? THEN 0 ELSE 1 END, due_ms", Vars: []any{now},
	}}
	return tx.lease(tx.DB.Where(followed+" AND due_ms <= ?", now).Clauses(lapsed).Limit(n), length)
}

// TakeRequested leases the approvals of a request, also before they are due.
func (tx *ApprovalTx) TakeRequested(requestID string, length time.Duration) ([]registrar.Approval, error) {
	q := tx.DB.Where("request_id = ? AND (state IN ? OR "+followed+")", sqldb.CleanText(requestID), due)
	return tx.lease(q, length)
}

// lease leases the approvals of a query. It skips those that other processes are leasing.
func (tx *ApprovalTx) lease(q *gorm.DB, length time.Duration) ([]registrar.Approval, error) {
	var rows []approvalRow
	if err := q.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).Find(&rows).Error; err != nil {
		return nil, wrapError(err, "take approvals")
	}
	taken := sqldb.Values(rows, approvalRow.approval)
	for i, a := range taken {
		taken[i].Attempts, taken[i].DueAt = a.Attempts+1, tx.Now().Add(length)
		if err := tx.Put(a, taken[i]); err != nil {
			return nil, err
		}
	}
	return taken, nil
}
