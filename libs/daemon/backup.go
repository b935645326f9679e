package daemon

import (
	"context"
	"fmt"

	"github.com/countersign/countersign/libs/sqldb"
)

// BackupCommand copies a SQLite database into a file, also while the service runs. It accepts every schema
// version, because a backup is made before the program is replaced.
type BackupCommand struct {
	DatabaseCommand
	File string `arg:"" help:"File of the copy; it must not exist."`
}

// Run writes the copy and prints its size.
func (c *BackupCommand) Run(w *Process, p Program) error {
	return c.open(w, p, true, func(ctx context.Context, db *sqldb.DB) error {
		if db.Postgres() {
			return fmt.Errorf("%w: pg_dump --format=custom --file=%s URL", sqldb.ErrNoBackup, c.File)
		}
		state, err := db.State(ctx, p.Schema)
		if err == nil && (state.Foreign || state.Version == 0) {
			err = p.stateError(state)
		}
		var size int64
		if err == nil {
			size, err = db.Backup(ctx, c.File)
		}
		if err != nil {
			return incompleteError(ctx, err, "no copy was written")
		}
		_, err = fmt.Fprintf(w.Out, "%s: copied to %s, schema version %d, %d bytes\n", db.Name(), c.File, state.Version, size)
		return err
	})
}
