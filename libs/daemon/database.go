package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/sqldb"
)

// DatabaseCommand is embedded by commands on the database of a possibly running service. They need a
// named database with the schema of the program, and print their result. A command calls Work.
type DatabaseCommand struct {
	DatabaseURL Secret        `env:"DATABASE_URL" help:"sqlite:PATH or postgres://… No default, except ${database} with --dev."`
	Dev         bool          `env:"DEV" help:"Development: the database that serve --dev uses."`
	Timeout     time.Duration `default:"${timeout}" help:"Time limit, including the wait for an unreachable database."`
}

// Work opens the database, runs work on it, and prints the database and the result of work, such as
// "3 endpoints re-encrypted". It neither creates nor migrates a database. The context of work ends with
// the command's timeout and at a signal. Failed work returns the completed part, or an empty text.
func (c *DatabaseCommand) Work(w *Process, p Program, work func(context.Context, *sqldb.DB) (done string, err error)) error {
	return c.open(w, p, true, func(ctx context.Context, db *sqldb.DB) error {
		state, err := db.State(ctx, p.Schema)
		if err == nil {
			err = p.stateError(state)
		}
		done := ""
		if err == nil {
			done, err = work(ctx, db)
		}
		if err != nil {
			return incompleteError(ctx, err, cmp.Or(done, "nothing was changed"))
		}
		_, err = fmt.Fprintf(w.Out, "%s: %s\n", db.Name(), done)
		return err
	})
}

// open runs fn on the database of the command. Errors name the database.
func (c *DatabaseCommand) open(w *Process, p Program, existing bool, fn func(context.Context, *sqldb.DB) error) error {
	url := string(c.DatabaseURL)
	if url == "" && c.Dev {
		url = p.Database
	}
	if url == "" {
		return fmt.Errorf("%sDATABASE_URL: %s", p.Prefix, noDatabase)
	}
	if c.Timeout <= 0 {
		return errors.New("--timeout must be more than 0s")
	}
	ctx, cancel := context.WithTimeoutCause(w.Context, c.Timeout, fmt.Errorf("not done within --timeout=%s", formatDuration(c.Timeout)))
	defer cancel()
	log := w.Logger(false)
	db, err := reach(ctx, url, sqldb.Options{Logger: log, Existing: existing}, logsAway(log))
	if err != nil {
		return fmt.Errorf("%sDATABASE_URL: %w", p.Prefix, incompleteError(ctx, err, "nothing was changed"))
	}
	defer db.Close()
	if err := fn(ctx, db); err != nil {
		return fmt.Errorf("%s: %w", db.Name(), err)
	}
	return nil
}

const noDatabase = "name the database, as sqlite:PATH or postgres://…; only --dev has one of its own"

// incompleteError returns the reason for unfinished work, with the completed part. A context that has ended
// is the reason for whatever happened after that.
func incompleteError(ctx context.Context, err error, done string) error {
	if cause := context.Cause(ctx); cause != nil {
		err = fmt.Errorf("%w (%w)", cause, err)
	}
	return fmt.Errorf("%w; %s", err, done)
}

// Migrate migrates the schema to the version of the program.
func (p Program) Migrate(ctx context.Context, db *sqldb.DB) error {
	return db.Migrate(ctx, p.Schema.Files)
}

// CheckDatabase connects once and returns the name of the database. It fails unless the schema is the program's and
// the database accepts writes. It changes nothing.
func (p Program) CheckDatabase(ctx context.Context, url Secret, log *slog.Logger) (name string, err error) {
	db, err := sqldb.Open(ctx, string(url), sqldb.Options{Logger: log, Existing: true})
	if err != nil {
		return "", err
	}
	defer db.Close()
	state, err := db.State(ctx, p.Schema)
	if err == nil {
		err = p.stateError(state)
	}
	if err == nil {
		err = db.TryWrite(ctx)
	}
	return db.Name(), err
}

// stateError returns the reason why the program cannot use a database in this state, and the remedy.
func (p Program) stateError(state sqldb.State) error {
	switch {
	case state.Foreign:
		return fmt.Errorf("the tables there are not those of %s; check %sDATABASE_URL", p.Name, p.Prefix)
	case state.IsCurrent():
		return nil
	case state.Version > state.Newest:
		return fmt.Errorf("the schema is at version %d and this program has version %d; use a newer %s", state.Version, state.Newest, p.Name)
	case state.Version == 0:
		return fmt.Errorf("there are no tables of %[1]s; check %[2]sDATABASE_URL, and if it is right run %[1]s migrate", p.Name, p.Prefix)
	default:
		return fmt.Errorf("the schema is at version %d and this program needs %d; run %s migrate first", state.Version, state.Newest, p.Name)
	}
}

// MigrateCommand brings the schema of the database up to date.
type MigrateCommand struct {
	DatabaseCommand
	Status      bool   `help:"Change nothing: print the schema version and the pending migrations. Exit 0 only without pending ones."`
	GrantTo     string `placeholder:"ROLE" help:"Then grant this PostgreSQL role the rights of the service. Required after every migration."`
	GrantReadTo string `placeholder:"ROLE" help:"Then grant this PostgreSQL role read access, without secrets."`
}

// Run migrates, or prints the pending migrations.
func (c *MigrateCommand) Run(w *Process, p Program) error {
	return c.open(w, p, c.Status, func(ctx context.Context, db *sqldb.DB) error {
		before, err := db.State(ctx, p.Schema)
		if err != nil {
			return incompleteError(ctx, err, "nothing was changed")
		}
		if before.Foreign || before.Version > before.Newest {
			return p.stateError(before)
		}
		if c.Status {
			return c.status(w, p, db, before)
		}
		if err := p.Migrate(ctx, db); err != nil {
			return incompleteError(ctx, err, migrationProgress(ctx, db, p, before))
		}
		after, err := db.State(ctx, p.Schema)
		if err == nil {
			err = p.stateError(after)
		}
		if err != nil {
			return err
		}
		text := fmt.Sprintf("schema migrated from version %d to %d", before.Version, after.Version)
		if before.Version == after.Version {
			text = fmt.Sprintf("schema is at version %d already, nothing to do", after.Version)
		}
		if c.GrantTo != "" || c.GrantReadTo != "" {
			if err := db.Grant(ctx, p.Schema, c.GrantTo, c.GrantReadTo); err != nil {
				return incompleteError(ctx, err, text)
			}
			text += "; rights granted"
		}
		_, err = fmt.Fprintf(w.Out, "%s: %s\n", db.Name(), text)
		return err
	})
}

// migrationProgress describes the progress of a failed or interrupted migration.
func migrationProgress(ctx context.Context, db *sqldb.DB, p Program, before sqldb.State) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	after, err := db.State(ctx, p.Schema)
	switch {
	case err != nil:
		return "the progress is unknown; migrate --status prints it"
	case len(after.Pending) == 0:
		return fmt.Sprintf("schema is at version %d", after.Version)
	case after.Version == before.Version:
		return fmt.Sprintf("schema stays at version %d of %d", after.Version, after.Newest)
	default:
		return fmt.Sprintf("schema migrated from version %d to %d of %d; run it again for the rest", before.Version, after.Version, after.Newest)
	}
}

// status prints the pending migrations. A pending migration is an error.
func (c *MigrateCommand) status(w *Process, p Program, db *sqldb.DB, state sqldb.State) error {
	text := fmt.Sprintf("%s: schema is at version %d, this program needs %d\n", db.Name(), state.Version, state.Newest)
	for _, file := range state.Pending {
		text += "pending: " + file + "\n"
	}
	if _, err := fmt.Fprint(w.Out, text); err != nil {
		return err
	}
	return p.stateError(state)
}

// OpenDatabase connects and migrates. It retries while the database is unreachable, and returns nil
// without an error if ctx ends first.
func (s *Settings) OpenDatabase(ctx context.Context, log *slog.Logger, p Program) (*sqldb.DB, error) {
	return s.openDatabase(ctx, log, p, logsAway(log))
}

// openDatabase is OpenDatabase and reports the result of each attempt.
func (s *Settings) openDatabase(ctx context.Context, log *slog.Logger, p Program, tried func(context.Context, error)) (*sqldb.DB, error) {
	for {
		db, err := reach(
			ctx,
			string(s.DatabaseURL),
			sqldb.Options{Now: s.Now, Logger: log, Patience: s.Patience, ReadOnly: s.ReadOnly},
			tried,
		)
		if err == nil {
			if err = s.prepare(ctx, log, db, p); err == nil {
				return db, nil
			}
			_ = db.Close()
		}
		if ctx.Err() != nil {
			return nil, nil
		}
		if !sqldb.IsTemporary(err) {
			return nil, fmt.Errorf("%sDATABASE_URL: %w", s.Prefix, err)
		}
		tried(ctx, fmt.Errorf("migrate: %w", err))
		if !Sleep(ctx, time.Second) {
			return nil, nil
		}
	}
}

// prepare migrates the schema, unless it is current. The role of the database needs no right to change tables then.
func (s *Settings) prepare(ctx context.Context, log *slog.Logger, db *sqldb.DB, p Program) error {
	state, err := db.State(ctx, p.Schema)
	if err != nil {
		return err
	}
	log.Info("database", "name", db.Name(), "schema", state.Version)
	unfit := p.stateError(state)
	switch {
	case unfit == nil:
		return nil
	case s.ReadOnly || state.Foreign || state.Version > state.Newest:
		return fmt.Errorf("%s: %w", db.Name(), unfit)
	}
	err = p.Migrate(ctx, db)
	if err != nil && !sqldb.IsTemporary(err) {
		return fmt.Errorf("%s: %w: %w", db.Name(), unfit, err)
	}
	return err
}

// logsAway logs an unreachable database: immediately, then once a minute.
func logsAway(log *slog.Logger) func(context.Context, error) {
	away := &oplog.Throttle{}
	return func(ctx context.Context, err error) {
		if err != nil {
			away.LogFailure(ctx, log, slog.LevelWarn, "database not available; retrying", "error", err)
		}
	}
}

// reach opens a database and retries while it is unreachable, until ctx ends. It reports each attempt.
func reach(ctx context.Context, url string, o sqldb.Options, tried func(context.Context, error)) (*sqldb.DB, error) {
	for {
		db, err := sqldb.Open(ctx, url, o)
		if ctx.Err() != nil || err != nil && !sqldb.IsTemporary(err) {
			return db, err
		}
		tried(ctx, err)
		if err == nil {
			return db, nil
		}
		if !Sleep(ctx, time.Second) {
			return nil, err
		}
	}
}

// Sleep waits for d and returns false if ctx ends first.
func Sleep(ctx context.Context, d time.Duration) bool {
	slept, end := context.WithTimeout(ctx, d)
	defer end()
	<-slept.Done()
	return ctx.Err() == nil
}
