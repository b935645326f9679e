package store

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/sqldb"
)

// codec encodes values as JSON for the text columns of the hot path and decodes them. It keeps the
// first error.
type codec struct{ err error }

func (c *codec) text(v any) string {
	text, err := sqldb.EncodeJSON(v)
	c.recordError(err)
	return text
}

// read decodes text that codec.text encoded. The empty text yields the zero value.
func read[T any](c *codec, text string) (none T) {
	if text == "" {
		return none
	}
	v := new(T)
	c.recordError(sqldb.DecodeJSON(text, v))
	return *v
}

func (c *codec) recordError(err error) {
	if c.err == nil {
		c.err = err
	}
}

// labels encodes labels, as an empty object if there are none, because queries search the column.
func (c *codec) labels(m map[string]string) string {
	if len(m) == 0 {
		return "{}"
	}
	return c.text(m)
}

func (c *codec) readLabels(text string) map[string]string {
	if text == "{}" {
		return nil
	}
	return read[map[string]string](c, text)
}

// Shorthands for columns.
var (
	ms        = sqldb.Millis
	at        = sqldb.Time
	printable = sqldb.CleanText
	isID      = sqldb.IsID
	hasID     = sqldb.HasID
)

// lockRow locks rows against other writers but not against foreign key checks. A new request must
// not wait for an activation.
var lockRow = clause.Locking{Strength: "NO KEY UPDATE"}

// skipLocked locks rows and skips those that another transaction has locked.
var skipLocked = clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}

// printables cleans several texts.
func printables[T ~string](texts []T) []string {
	return sqldb.Values(texts, func(text T) string { return printable(string(text)) })
}

// ids returns the ids of a query. doing describes the operation in errors.
func ids(q *gorm.DB, doing string, args ...any) ([]string, error) {
	var list []string
	err := q.Scan(&list).Error
	return list, wrapError(err, doing, args...)
}
