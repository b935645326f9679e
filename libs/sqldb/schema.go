package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
)

// Schema is the database schema of a program.
type Schema struct {
	// Files are the migrations; see [DB.Migrate].
	Files fs.FS

	// Table is a table of the first file that no other program has. It identifies the databases of this
	// program, because the migrations of other programs have the same numbers.
	Table string

	// App and Reader are the names of roles in migrations/roles.sql and migrations/readers.sql; see [DB.Grant].
	App, Reader string
}

// State is the state of a database's schema.
type State struct {
	Version, Newest int64    // of the database, 0 without tables, and of the files
	Pending         []string // names of the files to apply, in order
	Foreign         bool     // the tables belong to another program
}

// IsCurrent reports whether the database has the schema of the files.
func (s State) IsCurrent() bool {
	return !s.Foreign && s.Version == s.Newest && len(s.Pending) == 0
}

// State compares the database with a schema. It only reads.
func (db *DB) State(ctx context.Context, schema Schema) (State, error) {
	var state State
	files, err := fs.Glob(schema.Files, path.Join("migrations", db.gorm.Name(), "*.sql"))
	if err != nil {
		return state, fmt.Errorf("read migrations: %w", err)
	}
	applied, err := db.appliedVersions(ctx)
	if err != nil {
		return state, fmt.Errorf("read database version: %w", err)
	}
	for _, file := range files {
		name := path.Base(file)
		version, err := goose.NumericComponent(name)
		if err != nil {
			return state, fmt.Errorf("read migrations: %w", err)
		}
		state.Newest = max(state.Newest, version)
		if !slices.Contains(applied, version) {
			state.Pending = append(state.Pending, name)
		}
	}
	if len(applied) == 0 || slices.Max(applied) == 0 {
		return state, nil
	}
	state.Version = slices.Max(applied)
	ours, err := db.HasTable(ctx, schema.Table)
	state.Foreign = !ours
	return state, err
}

// appliedVersions returns the versions in goose's table, none without the table.
func (db *DB) appliedVersions(ctx context.Context) (versions []int64, err error) {
	there, err := db.HasTable(ctx, goose.DefaultTablename)
	if err == nil && there {
		err = db.Read(ctx).Table(goose.DefaultTablename).Where("is_applied").Pluck("version_id", &versions).Error
	}
	return versions, err
}

// HasTable reports whether a table or index exists on the search path.
func (db *DB) HasTable(ctx context.Context, name string) (there bool, err error) {
	query := "SELECT count(*) > 0 FROM sqlite_schema WHERE type = 'table' AND name = ?"
	if db.Postgres() {
		query = "SELECT to_regclass($1) IS NOT NULL"
	}
	err = db.pool.QueryRowContext(ctx, query, name).Scan(&there)
	return there, err
}

// Grant runs migrations/roles.sql for the role app and migrations/readers.sql for the role reader, each in a
// transaction. It skips an empty role. The user of the database must own the tables. SQLite has no roles.
func (db *DB) Grant(ctx context.Context, schema Schema, app, reader string) error {
	if !db.Postgres() {
		return errors.New("only PostgreSQL has roles")
	}
	for _, grant := range []struct{ file, name, role string }{
		{"migrations/roles.sql", schema.App, app}, {"migrations/readers.sql", schema.Reader, reader},
	} {
		if grant.role == "" {
			continue
		}
		script, err := fs.ReadFile(schema.Files, grant.file)
		if err != nil {
			return fmt.Errorf("read %s: %w", grant.file, err)
		}
		text := strings.ReplaceAll(string(script), grant.name, pgx.Identifier{grant.role}.Sanitize())
		if _, err := db.pool.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("grant rights to the role %s: %w", grant.role, err)
		}
	}
	return nil
}
