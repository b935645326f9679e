package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// copier fills a PostgreSQL database with copies of requests that the service has created. It copies
// all columns and changes ids, times, titles and artifact ids. JSON is copied unchanged, so the events
// of a copy name its template.
type copier struct {
	db       *pgx.Conn
	start    time.Time
	step     time.Duration // between the creation times of two copies
	requests int           // in the end
	made     int
}

// span is the age of the oldest copy. It is shorter than the expiry of requests.
const span = 10 * 24 * time.Hour

// template is a request to copy.
type template struct {
	id    string
	born  int64 // Unix milliseconds
	share int   // of cycle copies, or rare
}

const (
	cycle    = 50
	rare     = 0 // every second of the oldest copies
	oldest   = 200
	copyStep = 10_000 // copies of one transaction
)

func newCopier(ctx context.Context, db *pgx.Conn, requests int) (*copier, error) {
	for _, statement := range []string{
		"SET session_replication_role = replica", // the copies are consistent: no check of foreign keys
		"DELETE FROM outbox",
		"UPDATE delivery SET status = 'delivered', attempt = 1, delivered_ms = created_ms + 5",
	} {
		if _, err := db.Exec(ctx, statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
	}
	return &copier{db: db, start: time.Now().Add(-span), step: span / time.Duration(requests), requests: requests}, nil
}

// relations are the tables of a request, with a query for the rows of templates.
var relations = []struct{ table, rows, template string }{
	{"request", "request WHERE id IN (%s)", "id"},
	{"request_label", "request_label WHERE request_id IN (%s)", "request_id"},
	{"participant", "participant WHERE request_id IN (%s)", "request_id"},
	{"stage_run", "stage_run WHERE request_id IN (%s)", "request_id"},
	{
		"stage_candidate",
		"(SELECT s.*, r.request_id FROM stage_candidate s JOIN stage_run r ON r.id = s.stage_run_id WHERE r.request_id IN (%s)) s",
		"request_id",
	},
	{"task", "task WHERE request_id IN (%s)", "request_id"},
	{"inbox", "inbox WHERE request_id IN (%s)", "request_id"},
	{"decision", "decision WHERE request_id IN (%s)", "request_id"},
	{"event", "event WHERE chain IN (%s)", "chain"},
	{"message", "(SELECT m.*, e.chain FROM message m JOIN event e ON e.id = m.event_id WHERE e.chain IN (%s)) m", "chain"},
	{"delivery", "delivery WHERE request_id IN (%s)", "request_id"},
}

// fill copies until the database has a number of requests.
func (c *copier) fill(ctx context.Context, templates []template, requests int) error {
	for c.made < requests {
		end := min(c.made+copyStep, requests)
		if err := c.copy(ctx, templates, end); err != nil {
			return err
		}
		c.made = end
	}
	for _, statement := range []string{"VACUUM (ANALYZE)", "CHECKPOINT"} {
		if _, err := c.db.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func (c *copier) copy(ctx context.Context, templates []template, end int) error {
	tx, err := c.db.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	statements := []string{"DROP TABLE IF EXISTS copy", c.plan(templates, end)}
	var names []string
	for _, t := range templates {
		names = append(names, "'"+t.id+"'")
	}
	for _, r := range relations {
		columns, err := c.columns(ctx, r.table)
		if err != nil {
			return err
		}
		if len(columns) == 0 {
			continue // a version without the table
		}
		var into, values []string
		for _, column := range columns {
			into, values = append(into, column[0]), append(values, value(column[0], column[1]))
		}
		statements = append(statements, "INSERT INTO "+r.table+" ("+strings.Join(into, ", ")+") SELECT "+strings.Join(values, ", ")+
			" FROM (SELECT * FROM "+fmt.Sprintf(r.rows, strings.Join(names, ", "))+") t JOIN copy c ON c.template = t."+r.template+"::text")
	}
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return tx.Commit(ctx)
}

// plan returns the statement that creates the table of the next copies: template, prefix of the ids,
// difference of the times, and number.
func (c *copier) plan(templates []template, end int) string {
	var first, turns, born []string
	turn := 0
	for _, t := range templates {
		born = append(born, fmt.Sprintf("WHEN '%s' THEN %d", t.id, t.born))
		if t.share == rare {
			first = append(first, fmt.Sprintf("WHEN n < %d AND n %% 2 = 0 THEN '%s'", oldest, t.id))
			continue
		}
		turn += t.share
		turns = append(turns, fmt.Sprintf("WHEN n %% %d < %d THEN '%s'", cycle, turn, t.id))
	}
	const digits = "lpad(to_hex(ms), 12, '0')" // the first half of a UUIDv7 is its time
	return fmt.Sprintf(`CREATE TEMPORARY TABLE copy AS
		WITH timed AS (SELECT n, %d + n::bigint * %d AS ms, CASE %s END AS template FROM generate_series(%d, %d) n)
		SELECT n, template, substr(%s, 1, 8) || '-' || substr(%s, 9, 4) AS prefix, ms - CASE template %s END AS later FROM timed`,
		c.start.UnixMilli(), max(c.step.Milliseconds(), 1), strings.Join(append(first, turns...), " "), c.made, end-1,
		digits, digits, strings.Join(born, " "))
}

// ids are the columns with ids of a copy.
var ids = []string{"id", "request_id", "stage_run_id", "task_id", "event_id", "chain"}

// value returns the expression for a column of a copy.
func value(name, kind string) string {
	switch {
	case slices.Contains(ids, name) && kind == "uuid":
		return "(c.prefix || substr(t." + name + "::text, 14))::uuid"
	case slices.Contains(ids, name):
		return "CASE WHEN t." + name + " = '' THEN '' ELSE c.prefix || substr(t." + name + "::text, 14) END"
	case strings.HasSuffix(name, "_ms"):
		return "CASE WHEN t." + name + " = 0 THEN 0 ELSE t." + name + " + c.later END"
	case name == "artifact_id":
		return "'B-' || c.n"
	case name == "title":
		return "t.title || ' ' || c.n"
	default:
		return "t." + name
	}
}

// columns returns the names and types of the columns of a table.
func (c *copier) columns(ctx context.Context, table string) ([][2]string, error) {
	rows, err := c.db.Query(ctx, "SELECT column_name, data_type FROM information_schema.columns "+
		"WHERE table_schema = current_schema() AND is_generated = 'NEVER' AND table_name = $1 ORDER BY ordinal_position", table)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (column [2]string, err error) {
		err = row.Scan(&column[0], &column[1])
		return column, err
	})
}

// tableSize returns the bytes of the tables of requests, with indexes.
func (c *copier) tableSize(ctx context.Context) (bytes int64, err error) {
	for _, r := range relations {
		var size int64
		if err := c.db.QueryRow(ctx, "SELECT coalesce(pg_total_relation_size(to_regclass($1)), 0)", r.table).Scan(&size); err != nil {
			return 0, err
		}
		bytes += size
	}
	return bytes, nil
}
