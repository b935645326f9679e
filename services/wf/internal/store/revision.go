package store

import (
	"context"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/reason"
)

// revisionRow is the content of an earlier revision of a request.
type revisionRow struct {
	RequestID   string `gorm:"primaryKey"`
	Number      int    `gorm:"primaryKey;autoIncrement:false"`
	Context     string
	ContextHash string
	EndedMS     int64
}

var revisionTable = sqldb.TableOf[revisionRow]()

// addRevision returns the statement that stores the content of before if after has another
// revision.
func addRevision(before, after wf.Request) []sqldb.Stmt {
	if before.ID == "" || after.Revision == before.Revision {
		return nil
	}
	return revisionTable.Insert("", revisionRow{
		RequestID: before.ID, Number: before.Revision, Context: string(before.Context), ContextHash: before.ContextHash, EndedMS: ms(after.UpdatedAt),
	})
}

// Revision returns an earlier revision of a request. It fails for the present revision, which is in
// the request, and for one that does not exist.
func (s *Store) Revision(ctx context.Context, request string, number int) (wf.Revision, error) {
	none := refusal.New(reason.RequestNotFound, "revision %d of request %s is not kept", number, request)
	r, err := sqldb.Take[revisionRow](s.db.Read(ctx).Where("request_id = ? AND number = ?", request, number), none)
	if err != nil {
		return wf.Revision{}, wrapError(err, "read revision %d of request %s", number, request)
	}
	return wf.Revision{Number: r.Number, Context: []byte(r.Context), ContextHash: r.ContextHash, EndedAt: at(r.EndedMS)}, nil
}
