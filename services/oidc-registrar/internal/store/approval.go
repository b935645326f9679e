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

// ErrApprovalMoved means that somebody else has changed the approval, or has taken it over.
var ErrApprovalMoved = errors.New("the approval has changed meanwhile")

// approvalRow is registrar.Approval, field by field, with where each is stored.
type approvalRow struct {
	ClientID    string `gorm:"primaryKey"`
	Revision    int64  `gorm:"primaryKey;autoIncrement:false"`
	State       registrar.ApprovalState
	Kind        registrar.CallKind
	Wanted      registrar.Update `gorm:"serializer:jsontext;empty:{}"`
	Policy      string
	Requester   string
	Title       string
	Context     string
	RequestID   string
	ContextHash string
	Words       string
	AskedAt     time.Time `gorm:"column:asked_ms;serializer:millis"`
	DueAt       time.Time `gorm:"column:due_ms;serializer:millis"`
	Attempts    int
}

func (r approvalRow) approval() registrar.Approval { return registrar.Approval(r) }

var approvalTable = sqldb.TableOf[approvalRow]()

// due are the states of approvals that the approval service has to be called about.
var due = []registrar.ApprovalState{registrar.ApprovalAsking, registrar.ApprovalWaiting, registrar.ApprovalWithdrawing}

// AddApproval stores a new approval for a client that is locked.
func (tx *Tx) AddApproval(a registrar.Approval) error {
	return failed(tx.Batch(approvalTable.Insert("", approvalRow(a))...), "store approval %d of client %s", a.Revision, a.ClientID)
}

// Approval returns the newest approval for a client that is locked, and locks it; the zero
// value if there is none.
func (tx *Tx) Approval(clientID string) (registrar.Approval, error) {
	return takeApproval(tx.Clauses(clause.Locking{Strength: "UPDATE"}), clientID)
}

// Approval returns the newest approval of a client; the zero value if there is none.
func (s *Store) Approval(ctx context.Context, clientID string) (registrar.Approval, error) {
	return takeApproval(s.db.Read(ctx), clientID)
}

func takeApproval(q *gorm.DB, clientID string) (registrar.Approval, error) {
	row, err := sqldb.Take[approvalRow](q.Where("client_id = ?", sqldb.Printable(clientID)).Order("revision DESC"), nil)
	return row.approval(), failed(err, "load approval of client %s", clientID)
}

// PutApproval writes an approval back. If it has changed since it was read, it fails with
// ErrApprovalMoved.
func (tx *Tx) PutApproval(before, after registrar.Approval) error {
	row := approvalRow(after)
	err := sqldb.Put(tx.Tx, &row, ErrApprovalMoved, "state = ? AND attempts = ?", before.State, before.Attempts)
	return failed(err, "store approval %d of client %s", after.Revision, after.ClientID)
}

// TakeApprovals takes up to n approvals that the approval service has to be called about,
// for the given time; of one request, if that is not empty, also before it is due.
func (tx *Tx) TakeApprovals(n int, length time.Duration, requestID string) ([]registrar.Approval, error) {
	q := tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).Where("state IN ?", due)
	if requestID == "" {
		q = q.Where("due_ms <= ?", sqldb.Millis(tx.Now()))
	} else {
		q = q.Where("request_id = ?", sqldb.Printable(requestID))
	}
	var rows []approvalRow
	if err := q.Order("due_ms").Limit(n).Find(&rows).Error; err != nil {
		return nil, failed(err, "take approvals")
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
