package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// purgeBatch is the number of objects deleted in one transaction.
const purgeBatch = 1000

// Purge deletes objects beyond their retention, or counts them in a dry run. It returns the numbers
// by kind; after an error, the numbers deleted before it.
func Purge(ctx context.Context, db *sqldb.DB, r Retention, dryRun bool) (done string, err error) {
	p := daemon.NewProblems(prefix)
	r.check(p)
	if err := p.Err(); err != nil {
		return "", err
	}
	core := engine.New(engine.Options{Store: store.New(db)})
	kept := engine.Retention{Requests: time.Duration(r.Requests), Deliveries: recordRetention, Refusals: recordRetention}
	if dryRun {
		n, err := core.Deletion.Purgeable(ctx, kept)
		return "dry run, nothing was deleted: " + formatCounts(n) + " are old enough; --no-dry-run deletes them", err
	}
	n, err := core.Deletion.Purge(ctx, kept, purgeBatch)
	return "deleted " + formatCounts(n), err
}

func formatCounts(n store.Purgeable) string {
	return fmt.Sprintf("%d requests, %d deliveries, %d refusals, %d idempotency keys", n.Requests, n.Deliveries,
		n.Refusals, n.Keys)
}

// Erase removes the names and the address of a user from every row, or counts the rows in a dry
// run. It returns the numbers of rows by table.
func Erase(ctx context.Context, db *sqldb.DB, id string, dryRun bool) (done string, err error) {
	rows, err := engine.New(engine.Options{Store: store.New(db)}).Deletion.ErasePerson(ctx, id, dryRun)
	var list []string
	for table, n := range rows {
		list = append(list, fmt.Sprintf("%s %d", table, n))
	}
	slices.Sort(list)
	switch {
	case list == nil:
		return "nothing names " + id + " but by the id", err
	case dryRun:
		return "dry run, nothing was changed: rows that name " + id + ": " + strings.Join(list, ", ") + "; --no-dry-run erases the names", err
	default:
		return "names of " + id + " erased in rows: " + strings.Join(list, ", "), err
	}
}
