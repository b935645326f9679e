package engine

import (
	"context"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// ErasePerson deletes the name and the address of a user, and the stored replies that have them. Documents, events and
// their hashes contain ids only, which stay. It returns the number of rows by table. A dry run changes nothing.
func (e *Deletion) ErasePerson(ctx context.Context, id string, dryRun bool) (rows map[string]int64, err error) {
	err = e.store.Do(ctx, func(tx *store.Tx) (err error) {
		if rows, err = tx.Erase(id, dryRun); err != nil || dryRun || len(rows) == 0 {
			return err
		}
		return appendServiceEvent(tx, audit.EventAuditErased, identity.SystemRetention, wf.Resource{Type: "person", ID: id}, "")
	})
	if err != nil || dryRun || len(rows) == 0 {
		return rows, err
	}
	// A call that read the name before may have stored its reply since.
	return rows, e.store.Do(ctx, func(tx *store.Tx) error { return tx.EraseReplies(id) })
}
