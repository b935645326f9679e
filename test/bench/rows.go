package main

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"
	_ "modernc.org/sqlite"             // the driver named "sqlite"
)

// copier fills a database with copies of requests that the service itself has made, by SQL: in every table of theirs it copies all columns, whatever they
// are, and changes what has to differ. Copies are as old as if one had been made every
// step since start, and their ids say so, as those of the service do.
//
// What is in JSON is copied as it is, so a timeline of a copy names its template.
type copier struct {
	db       *sql.Conn
	postgres bool
	start    time.Time
	step     time.Duration
	requests int // in the end
	made     int
}

// span is how long ago the first copy was made; none is so old that it expires.
const span = 10 * 24 * time.Hour

// template is a request to copy.
type template struct {
	id    string
	born  int64 // Unix milliseconds
	slots int   // how many of cycle copies are of it; or rare, or old
}

const (
	cycle    = 50 // copies in which every template has its share
	rare     = 0  // every second of the first oldest copies
	old      = -1 // every second of the first twentieth of the copies
	oldest   = 200
	people   = 10_007 // who stand for crowd in copies
	crowd    = "p6"
	copyStep = 10_000 // copies of one transaction
)

func newCopier(ctx context.Context, db *sql.DB, postgres bool, requests int) (*copier, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if postgres {
		// Who may do so spares the checks of foreign keys, which all hold.
		_, _ = conn.ExecContext(ctx, "SET session_replication_role = replica")
	}
	return &copier{db: conn, postgres: postgres, start: time.Now().Add(-span), step: span / time.Duration(requests), requests: requests}, nil
}

// send makes deliveries what they are once they have been sent: no worker runs, who
// would find that the trail of a copy does not hold.
func (c *copier) send(ctx context.Context) error {
	for _, statement := range []string{"DELETE FROM outbox", "UPDATE delivery SET status = 'delivered', attempt = 1, delivered_ms = created_ms + 5"} {
		if _, err := c.db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// relations are the tables of a request, and how to find the rows of templates.
var relations = []struct{ table, rows, template string }{
	{"request", "request WHERE id IN (%s)", "id"},
	{"request_label", "request_label WHERE request_id IN (%s)", "request_id"},
	{"participant", "participant WHERE request_id IN (%s)", "request_id"},
	{"stage_run", "stage_run WHERE request_id IN (%s)", "request_id"},
	{"stage_candidate", "(SELECT s.*, r.request_id FROM stage_candidate s JOIN stage_run r ON r.id = s.stage_run_id WHERE r.request_id IN (%s)) s", "request_id"},
	{"task", "task WHERE request_id IN (%s)", "request_id"},
	{"inbox", "inbox WHERE request_id IN (%s)", "request_id"},
	{"decision", "decision WHERE request_id IN (%s)", "request_id"},
	{"event", "event WHERE chain IN (%s)", "chain"},
	{"message", "(SELECT m.*, e.chain FROM message m JOIN event e ON e.id = m.event_id WHERE e.chain IN (%s)) m", "chain"},
	{"delivery", "delivery WHERE request_id IN (%s)", "request_id"},
}

// fill copies until there are so many requests beside the templates.
func (c *copier) fill(ctx context.Context, templates []template, requests int) error {
	columns, err := c.columns(ctx)
	if err != nil {
		return err
	}
	for c.made < requests {
		end := min(c.made+copyStep, requests)
		if err := c.copy(ctx, templates, columns, end); err != nil {
			return err
		}
		c.made = end
	}
	return nil
}

func (c *copier) copy(ctx context.Context, templates []template, columns map[string][]string, end int) error {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	statements := []string{"DROP TABLE IF EXISTS copy", c.plan(templates, end)}
	var names []string
	for _, t := range templates {
		names = append(names, "'"+t.id+"'")
	}
	for _, r := range relations {
		if len(columns[r.table]) == 0 {
			continue // a version without the table
		}
		var into, values []string
		for _, column := range columns[r.table] {
			name, _, _ := strings.Cut(column, " ")
			into, values = append(into, name), append(values, c.value(column))
		}
		statements = append(statements, "INSERT INTO "+r.table+" ("+strings.Join(into, ", ")+") SELECT "+strings.Join(values, ", ")+
			" FROM (SELECT * FROM "+fmt.Sprintf(r.rows, strings.Join(names, ", "))+") t JOIN copy c ON c.template = CAST(t."+r.template+" AS text)")
	}
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return tx.Commit()
}

// plan is the statement that says which copies come next: of which template, how their
// ids begin, how much later they are than the template, and their number.
func (c *copier) plan(templates []template, end int) string {
	digits := "printf('%012x', ms)"
	if c.postgres {
		digits = "lpad(to_hex(ms), 12, '0')"
	}
	var first, turns, born []string
	turn := 0
	for _, t := range templates {
		born = append(born, fmt.Sprintf("WHEN '%s' THEN %d", t.id, t.born))
		switch t.slots {
		case rare:
			first = append(first, fmt.Sprintf("WHEN n < %d AND n %% 2 = 0 THEN '%s'", oldest, t.id))
		case old:
			first = append(first, fmt.Sprintf("WHEN n < %d AND n %% 2 = 1 THEN '%s'", c.requests/20, t.id))
		default:
			turn += t.slots
			turns = append(turns, fmt.Sprintf("WHEN n %% %d < %d THEN '%s'", cycle, turn, t.id))
		}
	}
	// The first half of an id is its time, to the millisecond.
	return fmt.Sprintf(`CREATE TEMPORARY TABLE copy AS
		WITH RECURSIVE number (n) AS (SELECT %d UNION ALL SELECT n + 1 FROM number WHERE n + 1 < %d),
			timed AS (SELECT n, CAST(%d AS bigint) + CAST(n AS bigint) * %d AS ms, CASE %s END AS template FROM number)
		SELECT n, template, substr(%s, 1, 8) || '-' || substr(%s, 9, 4) AS prefix, ms - CASE template %s END AS later FROM timed`,
		c.made, end, c.start.UnixMilli(), max(c.step.Milliseconds(), 1), strings.Join(append(first, turns...), " "), digits, digits, strings.Join(born, " "))
}

// ids are the columns whose ids a copy has its own of.
var ids = []string{"id", "request_id", "stage_run_id", "task_id", "event_id", "chain"}

// value is what a copy has in a column.
func (c *copier) value(column string) string {
	name, kind, _ := strings.Cut(column, " ")
	switch {
	case slices.Contains(ids, name):
		moved := "c.prefix || substr(CAST(t." + name + " AS text), 14)"
		if kind == "uuid" {
			return "CAST(" + moved + " AS uuid)"
		}
		return "CASE WHEN t." + name + " = '' THEN '' ELSE " + moved + " END"
	case strings.HasSuffix(name, "_ms"):
		return "CASE WHEN t." + name + " = 0 THEN 0 ELSE t." + name + " + c.later END"
	case name == "user_id":
		return fmt.Sprintf("CASE WHEN t.user_id = '%s' THEN '%s-' || c.n %% %d ELSE t.user_id END", crowd, crowd, people)
	case name == "artifact_id":
		return "'B-' || c.n"
	case name == "title":
		return "t.title || ' ' || c.n"
	default:
		return "t." + name
	}
}

// columns are those of every table; in PostgreSQL a name and its type.
func (c *copier) columns(ctx context.Context) (map[string][]string, error) {
	found := map[string][]string{}
	for _, r := range relations {
		query := "SELECT name, type FROM pragma_table_info('" + r.table + "') ORDER BY cid" // #nosec G202 -- a name of the list above
		if c.postgres {
			query = "SELECT column_name, data_type FROM information_schema.columns WHERE is_generated = 'NEVER' AND table_name = '" + r.table + "' ORDER BY ordinal_position"
		}
		rows, err := c.db.QueryContext(ctx, query)
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			var name, kind string
			if err := rows.Scan(&name, &kind); err != nil {
				return nil, err
			}
			found[r.table] = append(found[r.table], name+" "+kind)
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// settle does what the database does by itself in time.
func (c *copier) settle(ctx context.Context) error {
	statements := []string{"PRAGMA wal_checkpoint(TRUNCATE)", "ANALYZE"}
	if c.postgres {
		statements = []string{"VACUUM (ANALYZE)", "CHECKPOINT"}
	}
	for _, statement := range statements {
		if _, err := c.db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// stored is how many bytes the database has, and each of its tables with its indexes.
// SQLite does not say the latter.
func (c *copier) stored(ctx context.Context) (all int64, tables map[string]int64, err error) {
	tables = map[string]int64{}
	if !c.postgres {
		err = c.db.QueryRowContext(ctx, "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()").Scan(&all)
		return all, tables, err
	}
	for _, r := range relations {
		var size sql.NullInt64
		if err := c.db.QueryRowContext(ctx, "SELECT pg_total_relation_size(to_regclass('"+r.table+"'))").Scan(&size); err != nil {
			return 0, nil, err
		}
		tables[r.table] = size.Int64
		all += size.Int64
	}
	return all, tables, nil
}
