package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"github.com/countersign/countersign/libs/sqldb"
)

// table writes rows of type R in batches. Its columns are the fields of R as gorm
// sees them, so a field that is read is also written.
type table[R schema.Tabler] struct {
	name    string
	columns []*schema.Field
	keys    []*schema.Field
}

// tableOf reads the columns of R. A row type that gorm does not understand is a
// mistake in this package.
func tableOf[R schema.Tabler]() table[R] {
	parsed, err := schema.Parse(new(R), &sync.Map{}, schema.NamingStrategy{})
	if err != nil {
		panic(err)
	}
	t := table[R]{name: parsed.Table, keys: parsed.PrimaryFields}
	for _, f := range parsed.Fields {
		if f.Creatable {
			t.columns = append(t.columns, f)
		}
	}
	return t
}

// from is "SELECT every column, and more, FROM the table".
func (t table[R]) from(more ...string) string {
	return "SELECT " + strings.Join(append([]string{t.list()}, more...), ", ") + " FROM " + t.name
}

func (t table[R]) list() string {
	names := make([]string, len(t.columns))
	for i, f := range t.columns {
		names[i] = f.DBName
	}
	return strings.Join(names, ", ")
}

// maxChunk is the most rows of one INSERT.
const maxChunk = 64

// insert returns the statements that add the rows. Each inserts a power of two of
// them, so that a connection has few different statements to prepare. suffix is an
// ON CONFLICT clause or empty.
func (t table[R]) insert(suffix string, rows ...R) []sqldb.Stmt {
	tuple := "(?" + strings.Repeat(", ?", len(t.columns)-1) + ")"
	var stmts []sqldb.Stmt
	for len(rows) > 0 {
		n := maxChunk
		for n > len(rows) {
			n /= 2
		}
		stmt := sqldb.Stmt{
			SQL:  "INSERT INTO " + t.name + " (" + t.list() + ") VALUES " + tuple + strings.Repeat(", "+tuple, n-1) + suffix,
			Args: make([]any, 0, n*len(t.columns)),
		}
		for _, row := range rows[:n] {
			stmt.Args = append(stmt.Args, values(t.columns, row)...)
		}
		stmts, rows = append(stmts, stmt), rows[n:]
	}
	return stmts
}

// update returns the statement that turns the row before into after by writing what
// differs, or nothing when nothing does. guard, such as "rev = ?", must hold as well.
func (t table[R]) update(before, after R, guard string, args ...any) []sqldb.Stmt {
	old, now := values(t.columns, before), values(t.columns, after)
	var set []string
	stmt := sqldb.Stmt{Want: 1}
	for i, f := range t.columns {
		if old[i] != now[i] {
			set = append(set, f.DBName+" = ?")
			stmt.Args = append(stmt.Args, now[i])
		}
	}
	if set == nil {
		return nil
	}
	var where []string
	for _, f := range t.keys {
		where = append(where, f.DBName+" = ?")
	}
	stmt.Args = append(stmt.Args, values(t.keys, before)...)
	if guard != "" {
		where, stmt.Args = append(where, guard), append(stmt.Args, args...)
	}
	stmt.SQL = "UPDATE " + t.name + " SET " + strings.Join(set, ", ") + " WHERE " + strings.Join(where, " AND ")
	return []sqldb.Stmt{stmt}
}

// updateAll returns the statements that write some columns, texts and numbers, of rows
// that exist and whose key is id. On PostgreSQL it is one for all of them, which takes a
// third of the time of one for each.
func (t table[R]) updateAll(tx *Tx, rows []R, columns ...string) []sqldb.Stmt {
	fields := slices.DeleteFunc(slices.Clone(t.columns), func(f *schema.Field) bool { return !slices.Contains(columns, f.DBName) })
	if tx.Name() == "sqlite" {
		set := make([]string, len(fields))
		for i, f := range fields {
			set[i] = f.DBName + " = ?"
		}
		stmts := make([]sqldb.Stmt, len(rows))
		for i, row := range rows {
			stmts[i] = sqldb.Stmt{
				SQL:  "UPDATE " + t.name + " SET " + strings.Join(set, ", ") + " WHERE id = ?",
				Args: values(append(fields[:len(fields):len(fields)], t.keys...), row), Want: 1,
			}
		}
		return stmts
	}
	if len(rows) == 0 {
		return nil
	}
	var set []string
	names, lists, args := []string{"id"}, []string{"?::uuid[]"}, []any{list[string](t.keys[0], rows)}
	for _, f := range fields {
		set, names = append(set, f.DBName+" = changed."+f.DBName), append(names, f.DBName)
		if f.FieldType.Kind() == reflect.String {
			lists, args = append(lists, "?::text[]"), append(args, list[string](f, rows))
		} else {
			lists, args = append(lists, "?::bigint[]"), append(args, list[int64](f, rows))
		}
	}
	return []sqldb.Stmt{{
		SQL: "UPDATE " + t.name + " SET " + strings.Join(set, ", ") + " FROM unnest(" + strings.Join(lists, ", ") + ")" +
			" AS changed (" + strings.Join(names, ", ") + ") WHERE " + t.name + ".id = changed.id",
		Args: args, Want: int64(len(rows)),
	}}
}

// list is one column of the rows.
func list[T string | int64, R any](f *schema.Field, rows []R) []T {
	all := make([]T, len(rows))
	kind := reflect.TypeFor[T]()
	for i, row := range rows {
		all[i] = f.ReflectValueOf(context.Background(), reflect.ValueOf(row)).Convert(kind).Interface().(T)
	}
	return all
}

func values(fields []*schema.Field, row any) []any {
	v := reflect.ValueOf(row)
	out := make([]any, len(fields))
	for i, f := range fields {
		out[i], _ = f.ValueOf(context.Background(), v)
	}
	return out
}

// put writes every column of a row that exists.
func put[R any](db *gorm.DB, row *R) error {
	result := db.Model(row).Select("*").Updates(row)
	if result.Error == nil && result.RowsAffected != 1 {
		return fmt.Errorf("%w: changed %d, want 1", sqldb.ErrRowCount, result.RowsAffected)
	}
	return result.Error
}

// codec writes values as the JSON of text columns and reads them back. The zero
// value of a type is the empty text. The first error is kept.
type codec struct{ err error }

func (c *codec) text(v any) string {
	if value := reflect.ValueOf(v); !value.IsValid() || value.IsZero() {
		return ""
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && c.err == nil {
		c.err = fmt.Errorf("encode %T: %w", v, err)
	}
	return strings.TrimSuffix(buf.String(), "\n")
}

func (c *codec) read(text string, into any) {
	if text == "" {
		return
	}
	if err := json.Unmarshal([]byte(text), into); err != nil && c.err == nil {
		c.err = fmt.Errorf("decode %T: %w", into, err)
	}
}

// labels are an object even when there are none: the column is searched.
func (c *codec) labels(m map[string]string) string {
	if len(m) == 0 {
		return "{}"
	}
	return c.text(m)
}

func (c *codec) readLabels(text string) map[string]string {
	var m map[string]string
	c.read(text, &m)
	if len(m) == 0 {
		return nil
	}
	return m
}

// ms is how a time is stored: Unix milliseconds, 0 for none.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func at(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// isID reports whether id can be an id. PostgreSQL would take other spellings of a
// UUID, and fail on anything else.
func isID(id string) bool {
	u, err := uuid.Parse(id)
	return err == nil && u.String() == id
}

// printable makes bytes from outside fit for a text column: valid UTF-8, no NUL.
func printable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
