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
	AskedAt     time.Time `gorm:"column:requested_ms;serializer:millis"`
	DueAt       time.Time `gorm:"column:due_ms;serializer:millis"`
	Attempts    int
}

func (r approvalRow) approval() registrar.Approval { return registrar.Approval(r) }

var approvalTable = sqldb.TableOf[approvalRow]()

// due lists the states that require a call to the approval service.
var due = []registrar.ApprovalState{registrar.ApprovalAsking, registrar.ApprovalWaiting, registrar.ApprovalWithdrawing}

// AddApproval stores a new approval of a locked client.
func (tx *Tx) AddApproval(a registrar.Approval) error {
	return wrapError(tx.Batch(approvalTable.Insert("", approvalRow(a))...), "store approval %d of client %s", a.Revision, a.ClientID)
}

// Approval returns the newest approval of a locked client and locks it, or the zero value if there
// is none.
func (tx *Tx) Approval(clientID string) (registrar.Approval, error) {
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

// PutApproval stores a changed approval. It fails with ErrApprovalMoved if the stored one has
// changed since it was read.
func (tx *Tx) PutApproval(before, after registrar.Approval) error {
	row := approvalRow(after)
	err := sqldb.Put(tx.Tx, &row, ErrApprovalMoved, "state = ? AND attempts = ?", before.State, before.Attempts)
	return wrapError(err, "store approval %d of client %s", after.Revision, after.ClientID)
}

// TakeApprovals leases up to n approvals that are due. With a requestID it leases those of that
// request, also before they are due.
func (tx *Tx) TakeApprovals(n int, length time.Duration, requestID string) ([]registrar.Approval, error) {
	q := tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).Where("state IN ?", due)
	if requestID == "" {
		q = q.Where("due_ms <= ?", sqldb.Millis(tx.Now()))
	} else {
		q = q.Where("request_id = ?", sqldb.CleanText(requestID))
	}
	var rows []approvalRow
	if err := q.Order("due_ms").Limit(n).Find(&rows).Error; err != nil {
		return nil, wrapError(err, "take approvals")
	}
	taken := sqldb.Values(rows, approvalRow.approval)
	for i, a := range taken {
		taken[i].Attempts, taken[i].DueAt = a.Attempts+1, tx.Now().Add(length)
		if err := tx.PutApproval(a, taken[i]); err != nil {
			return nil, err
		}
	}
	return taken, nil
}
