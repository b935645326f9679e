package upgrade

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// dumpOf returns the path of the dump of a service. A dump is SQL text.
func dumpOf(version, service, database string) string {
	return filepath.Join("testdata", version, service+"."+database+".sql")
}

// open opens a database of a service beside the service.
func open(t *testing.T, url string) *sql.DB {
	t.Helper()
	driver, name := "pgx", url
	if file, ok := strings.CutPrefix(url, "sqlite:"); ok {
		driver, name = "sqlite", "file:"+file+"?_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// restore creates a database of the kind, sqlite or postgres, from a dump and returns its URL.
func restore(t *testing.T, database, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	url, script := fresh(t, database), string(text)
	if database == "sqlite" {
		script = "PRAGMA synchronous = OFF; BEGIN;\n" + script + "COMMIT;"
	}
	db := open(t, url)
	if _, err := db.Exec(script); err != nil {
		t.Fatalf("restore %s: %v", path, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return url
}

func fresh(t *testing.T, database string) string {
	t.Helper()
	if database == "sqlite" {
		return sqldbtest.SQLite(t)
	}
	return sqldbtest.Postgres(t)
}

// write writes the dump of a database.
func write(t *testing.T, url, path string) {
	t.Helper()
	var text string
	if strings.HasPrefix(url, "sqlite:") {
		text = dumpSQLite(t, open(t, url))
	} else {
		text = dumpPostgres(t, url)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// dumpPostgres returns the output of pg_dump without its psql commands and comments.
func dumpPostgres(t *testing.T, url string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "pg_dump", "--no-owner", "--no-privileges", "--inserts",
		"--rows-per-insert=100", url).Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	var text strings.Builder
	blank := true
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line,
			`\`) || strings.HasPrefix(line, "--") || strings.HasPrefix(line, "SET transaction_timeout") {
			continue
		}
		if empty := line == "\n"; !empty || !blank {
			text.WriteString(line)
			blank = empty
		}
	}
	return text.String()
}

// dumpSQLite returns the tables with their rows, then the indexes and triggers. A virtual table is
// filled by its columns; its shadow tables are left out.
func dumpSQLite(t *testing.T, db *sql.DB) string {
	t.Helper()
	text := &strings.Builder{}
	for _, row := range query(t, db, `SELECT m.name, m.sql || ';' FROM sqlite_master m JOIN pragma_table_list l ON l.name = m.name
		WHERE m.type = 'table' AND l.type <> 'shadow' AND m.name <> 'sqlite_sequence' ORDER BY m.rowid`) {
		table := row[0]
		fmt.Fprintln(text, row[1])
		var columns, values []string
		for _, column := range query(t, db, "SELECT name FROM pragma_table_info('"+table+"')") {
			columns = append(columns, column[0])
			values = append(values, "quote("+column[0]+")")
		}
		rows := query(t, db, "SELECT '('||"+strings.Join(values, "||','||")+"||')' FROM "+table+" ORDER BY rowid")
		for chunk := range slices.Chunk(rows, 100) {
			var tuples []string
			for _, tuple := range chunk {
				tuples = append(tuples, tuple[0])
			}
			fmt.Fprintf(text, "INSERT INTO %s (%s) VALUES\n%s;\n", table, strings.Join(columns, ","),
				strings.Join(tuples, ",\n"))
		}
	}
	for _, row := range query(t, db,
		"SELECT sql || ';' FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid") {
		fmt.Fprintln(text, row[0])
	}
	return text.String()
}

// query returns the rows of a query as text.
func query(t *testing.T, db *sql.DB, text string, args ...any) (list [][]string) {
	t.Helper()
	rows, err := db.Query(text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		var row []string
		for _, v := range values {
			row = append(row, v.String)
		}
		list = append(list, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// count returns the number that a query yields.
func count(t *testing.T, db *sql.DB, text string) (n int) {
	t.Helper()
	if err := db.QueryRow(text).Scan(&n); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}

// runUnguarded runs statements that the triggers of a database refuse, in the order of their text.
func runUnguarded(t *testing.T, url string, statements ...string) {
	t.Helper()
	db := open(t, url)
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	before, after := []string{"SET session_replication_role = replica"}, []string{"RESET session_replication_role"}
	if strings.HasPrefix(url, "sqlite:") {
		before, after = nil, nil
		for _, trigger := range query(t, db,
			"SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid") {
			before, after = append(before, "DROP TRIGGER "+trigger[0]), append(after, trigger[1])
		}
	}
	for _, statement := range slices.Concat(before, statements, after) {
		if _, err := conn.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

var checked = regexp.MustCompile(`(?m)^CREATE TABLE (\w+)|^\s+(\w+) .*CHECK \(\w+ IN \(([^)]*)\)\)`)

// missing returns the values that the schema allows for a column by CHECK (column IN (...)) and that no
// row has. schema is a dump of SQLite.
func missing(t *testing.T, db *sql.DB, schema string) (list []string) {
	t.Helper()
	table := ""
	for _, m := range checked.FindAllStringSubmatch(schema, -1) {
		if m[1] != "" {
			table = m[1]
			continue
		}
		column, seen := m[2], map[string]bool{}
		for _, row := range query(t, db, fmt.Sprintf("SELECT DISTINCT %s FROM %s", column, table)) {
			seen[row[0]] = true
		}
		for value := range strings.SplitSeq(m[3], ",") {
			if value = strings.Trim(value, " \n'"); !seen[value] {
				list = append(list, table+"."+column+" "+value)
			}
		}
	}
	return list
}
