package engine

import (
	"context"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// ErasePerson removes the names and the address of a user from every row and keeps the id. It returns the
// number of changed rows by table. A dry run changes nothing. Event payloads contain only ids, so
// the chains stay valid.
//
// Each page of rows is one transaction. Rows erased before an error stay erased.
func (e *Deletion) ErasePerson(ctx context.Context, id string, dryRun bool) (map[string]int64, error) {
	erased := map[string]int64{}
	if !dryRun { // first: a reply that is stored after the search for its key has no name
		if err := e.store.Do(ctx, func(tx *store.Tx) error { return tx.EraseName(id) }); err != nil {
			return erased, err
		}
	}
	err := e.store.Names(ctx, id, func(found store.Named) error {
		if !dryRun {
			if err := e.store.Do(ctx, func(tx *store.Tx) error { return tx.Erase(found) }); err != nil {
				return err
			}
		}
		erased[found.Table] += int64(found.Len())
		return nil
	})
	if err != nil {
		return erased, err
	}
	known, err := e.store.KnowsPerson(ctx, id)
	if err != nil {
		return erased, err
	}
	if known {
		erased["person"] = 1
	}
	if dryRun || len(erased) == 0 {
		return erased, nil
	}
	return erased, e.store.Do(ctx, func(tx *store.Tx) error {
		if err := tx.Forget(id); err != nil {
			return err
		}
		return appendServiceEvent(tx, audit.EventAuditErased, identity.SystemRetention, wf.Resource{Type: "person", ID: id}, "")
	})
}
