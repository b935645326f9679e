package sqldb

import (
	"context"
	"encoding/json"
	"errors"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"sync"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// naming derives the table from the type of its rows: noteItemRow is in note_item. The method TableName
// overrides it.
var naming = schema.NamingStrategy{SingularTable: true, NameReplacer: strings.NewReplacer("Row", "")}

// Table returns the statements that write rows of type R in batches; gorm needs a round trip for each row.
// Its columns are gorm's columns of R, so that batches and gorm share one declaration.
type Table[R any] struct {
	name    string
	list    string // names of the columns, separated by commas
	columns []*schema.Field
	keys    []*schema.Field
}

// TableOf returns the table of R. It panics on a type without a gorm schema.
func TableOf[R any]() Table[R] {
	parsed, err := schema.Parse(new(R), &sync.Map{}, naming)
	if err != nil {
		panic(err)
	}
	t := Table[R]{name: parsed.Table, keys: parsed.PrimaryFields}
	var names []string
	for _, f := range parsed.Fields {
		if f.Creatable {
			t.columns, names = append(t.columns, f), append(names, f.DBName)
		}
	}
	t.list = strings.Join(names, ", ")
	return t
}

// From returns SELECT … FROM for all columns and further expressions.
func (t Table[R]) From(more ...string) string {
	return "SELECT " + strings.Join(append([]string{t.list}, more...), ", ") + " FROM " + t.name
}

// Columns returns the column list of a query.
func (t Table[R]) Columns() string { return t.list }

// Among returns the condition that a column of ids has one of the ids, and its argument. The text does not
// depend on the number of ids, so that a connection prepares it once.
func Among(db *gorm.DB, column string, ids []string) (where, arg string) {
	if db.Name() == "postgres" {
		return column + " = ANY(CAST(? AS uuid[]))", "{" + strings.Join(ids, ",") + "}"
	}
	list, _ := json.Marshal(ids) // never fails
	return column + " IN (SELECT value FROM json_each(?))", string(list)
}

// MaxChunk is the maximum number of rows of one INSERT.
const MaxChunk = 64

// Chunk returns the number of rows of the next statement for n rows: n up to eight, otherwise a power of
// two, so that a connection prepares few statements.
func Chunk(n int) int {
	if n <= 8 {
		return n
	}
	return min(MaxChunk, 1<<(bits.Len(uint(n))-1))
}

// Insert returns the statements that insert the rows, one for each Chunk. suffix is an ON CONFLICT clause
// or empty.
func (t Table[R]) Insert(suffix string, rows ...R) []Stmt {
	tuple := "(?" + strings.Repeat(", ?", len(t.columns)-1) + ")"
	var stmts []Stmt
	for len(rows) > 0 {
		n := Chunk(len(rows))
		stmt := Stmt{
			SQL:  "INSERT INTO " + t.name + " (" + t.list + ") VALUES " + tuple + strings.Repeat(", "+tuple, n-1) + suffix,
			Args: make([]any, 0, n*len(t.columns)),
		}
		for _, row := range rows[:n] {
			stmt.Args = append(stmt.Args, values(t.columns, row)...)
		}
		stmts, rows = append(stmts, stmt), rows[n:]
	}
	return stmts
}

// Update returns the statement that writes the columns that differ between before and after, none if they
// are equal. A guard such as "rev = ?" is an additional condition. Without a guard the caller holds the
// lock of the row.
func (t Table[R]) Update(before, after R, guard string, args ...any) []Stmt {
	old, now := values(t.columns, before), values(t.columns, after)
	var changed []*schema.Field
	var stmt Stmt
	for i, f := range t.columns {
		if old[i] != now[i] {
			changed, stmt.Args = append(changed, f), append(stmt.Args, now[i])
		}
	}
	if changed == nil {
		return nil
	}
	stmt.SQL = "UPDATE " + t.name + " SET " + assignments(changed, ", ") + " WHERE " + assignments(t.keys, " AND ")
	stmt.Args = append(stmt.Args, values(t.keys, before)...)
	if guard != "" {
		stmt.SQL, stmt.Args, stmt.One = stmt.SQL+" AND "+guard, append(stmt.Args, args...), true
	}
	return []Stmt{stmt}
}

// UpdateAll returns the statements that write some columns of existing rows.
func (t Table[R]) UpdateAll(rows []R, columns ...string) []Stmt {
	fields := slices.DeleteFunc(slices.Clone(t.columns), func(f *schema.Field) bool { return !slices.Contains(columns, f.DBName) })
	query := "UPDATE " + t.name + " SET " + assignments(fields, ", ") + " WHERE " + assignments(t.keys, " AND ")
	return Values(rows, func(row R) Stmt {
		return Stmt{SQL: query, Args: append(values(fields, row), values(t.keys, row)...), One: true}
	})
}

// assignments returns "column = ?" for each field. It also is the condition on a key.
func assignments(fields []*schema.Field, separator string) string {
	return strings.Join(Values(fields, func(f *schema.Field) string { return f.DBName + " = ?" }), separator)
}

func values(fields []*schema.Field, row any) []any {
	v := reflect.ValueOf(row)
	out := make([]any, len(fields))
	for i, f := range fields {
		out[i], _ = f.ValueOf(context.Background(), v)
	}
	return out
}

// Put writes every column of an existing row. With a guard, such as "rev = ?" and the revision that was
// read, it returns none after a concurrent change.
func Put(tx *Tx, row any, none error, guard ...any) error {
	q := tx.Model(row)
	if len(guard) > 0 {
		q = q.Where(guard[0], guard[1:]...)
	}
	return One(q.Select("*").Updates(row), none)
}

// One returns none unless the statement has changed one row.
func One(result *gorm.DB, none error) error {
	if result.Error == nil && result.RowsAffected != 1 {
		return none
	}
	return result.Error
}

// Take returns the first row of a query. It returns none if there is no row.
func Take[R any](q *gorm.DB, none error) (R, error) {
	var row R
	err := q.Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = none
	}
	return row, err
}

// Values maps rows to values.
func Values[R, T any](rows []R, value func(R) T) []T {
	list := make([]T, len(rows))
	for i, row := range rows {
		list[i] = value(row)
	}
	return list
}
