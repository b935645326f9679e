package engine

import (
	"context"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// Erase takes the names and the address of a person out of every row, where their id
// stays, and returns how many rows had them, by table. A dry run changes nothing. The
// bytes of events have ids alone, so every chain holds.
//
// A page of rows is a transaction. What was erased before an error stays erased.
func (e *Engine) Erase(ctx context.Context, id string, dryRun bool) (map[string]int64, error) {
	erased := map[string]int64{}
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
		return audit(tx, wf.EventAuditErased, wf.SystemRetention, wf.Resource{Type: "person", ID: id}, "")
	})
}
