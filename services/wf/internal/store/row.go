package store

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/sqldb"
)

// codec writes values as the JSON of text columns and reads them back, in the rows of the
// hot path, which gorm does not write. The first error is kept.
type codec struct{ err error }

func (c *codec) text(v any) string {
	text, err := sqldb.EncodeJSON(v)
	c.keep(err)
	return text
}

func (c *codec) read(text string, into any) { c.keep(sqldb.DecodeJSON(text, into)) }

func (c *codec) keep(err error) {
	if c.err == nil {
		c.err = err
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

// The words of every row.
var (
	ms        = sqldb.Millis
	at        = sqldb.Time
	printable = sqldb.Printable
	isID      = sqldb.IsID
	hasID     = sqldb.HasID
)

// lockRow locks rows against other writers. It lets pass what only refers to them:
// a request that starts must not wait for an activation.
var lockRow = clause.Locking{Strength: "NO KEY UPDATE"}

// equalID is sqldb.Equal for a column of ids.
func equalID(q *gorm.DB, column, id string) *gorm.DB {
	if id != "" && !isID(id) {
		return q.Where("1 = 0")
	}
	return sqldb.Equal(q, column, id)
}

// labelled is the condition that a column of labels has all of some; none if there are none.
func labelled(db *gorm.DB, column string, labels map[string]string) (all scan) {
	where := "EXISTS (SELECT 1 FROM json_each(" + column + ") WHERE key = ? AND value = ?)"
	if db.Name() == "postgres" {
		where = column + " @> jsonb_build_object(?::text, ?::text)"
	}
	for key, value := range labels {
		all = all.and(where, printable(key), printable(value))
	}
	return all
}

// all is sqldb.Values for rows whose JSON is read by codec, which may fail.
func all[R, T any](rows []R, value func(R) (T, error)) ([]T, error) {
	list := make([]T, 0, len(rows))
	for _, row := range rows {
		v, err := value(row)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// inOrder returns the rows in the order of their ids.
func inOrder[R any](rows []R, ids []string, id func(R) string) []R {
	found, ordered := make(map[string]int, len(rows)), make([]R, 0, len(rows))
	for i, row := range rows {
		found[id(row)] = i
	}
	for _, id := range ids {
		if i, ok := found[id]; ok {
			ordered = append(ordered, rows[i])
		}
	}
	return ordered
}

// ids returns the ids that a query finds. What it does is for the error.
func ids(q *gorm.DB, doing string, args ...any) ([]string, error) {
	var list []string
	err := q.Scan(&list).Error
	return list, failed(err, doing, args...)
}
