package store

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/services/wf"
)

// Page is a part of a list: at most Limit items (50 when zero, never more than 200)
// after the place where Cursor points. Cursor is empty for the first page and else
// what the page before returned as next, with the same filter and sort.
//
// Rows that come and go between two pages are seen or not, but no row that stays is
// seen twice or missed, unless what the list is sorted by changes.
type Page struct {
	Limit  int
	Cursor string
}

const (
	defaultPage = 50
	maxPage     = 200
)

func (p Page) limit() int {
	if p.Limit <= 0 {
		return defaultPage
	}
	return min(p.Limit, maxPage)
}

// sorting is the order of a list: by the numbers, then by the id, all of them in the
// same direction. Together they are unique.
type sorting struct {
	name    string
	numbers []string // expressions that are integers
	id      string   // a text or uuid column; empty when the numbers are unique
	validID func(string) bool
	desc    bool
}

// place is where a row stands in a sorting.
type place struct {
	Sort    string  `json:"s"`
	Numbers []int64 `json:"n,omitempty"`
	ID      string  `json:"i,omitempty"`
}

// apply orders the query and starts it after the cursor. It asks for one row more
// than the page takes, to see whether there is another page.
func (s sorting) apply(q *gorm.DB, p Page) (*gorm.DB, error) {
	keys := s.numbers
	if s.id != "" {
		keys = append(keys[:len(keys):len(keys)], s.id)
	}
	direction, compare := "", ">"
	if s.desc {
		direction, compare = " DESC", "<"
	}
	if p.Cursor != "" {
		from, err := s.parse(p.Cursor)
		if err != nil {
			return nil, err
		}
		args := make([]any, 0, len(keys))
		for _, n := range from.Numbers {
			args = append(args, n)
		}
		if s.id != "" {
			args = append(args, from.ID)
		}
		marks := "?" + strings.Repeat(", ?", len(keys)-1)
		q = q.Where(fmt.Sprintf("(%s) %s (%s)", strings.Join(keys, ", "), compare, marks), args...)
	}
	return q.Order(strings.Join(keys, direction+", ") + direction).Limit(p.limit() + 1), nil
}

// parse reads a cursor that was made for this sorting.
func (s sorting) parse(cursor string) (place, error) {
	var from place
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(data, &from)
	}
	if err != nil || from.Sort != s.name || len(from.Numbers) != len(s.numbers) || s.id != "" && !s.validID(from.ID) {
		return from, wf.RefuseInput("value_error", []any{"query", "cursor"}, "Value error, not a cursor of this list")
	}
	return from, nil
}

// next cuts rows to the page and returns them with the cursor of the next page,
// which is empty on the last one.
func next[R any](s sorting, p Page, rows []R, at func(R) ([]int64, string)) ([]R, string, error) {
	if len(rows) <= p.limit() {
		return rows, "", nil
	}
	rows = rows[:p.limit()]
	numbers, id := at(rows[len(rows)-1])
	data, err := json.Marshal(place{Sort: s.name, Numbers: numbers, ID: id})
	return rows, base64.RawURLEncoding.EncodeToString(data), err
}

// byCreation is newest first.
func byCreation(table string) sorting {
	return sorting{name: "created_at", numbers: []string{table + ".created_ms"}, id: table + ".id", validID: isID, desc: true}
}

// search adds a case-insensitive search for a part of one of the columns.
func search(q *gorm.DB, text string, columns ...string) *gorm.DB {
	if text == "" {
		return q
	}
	pattern := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(printable(text)) + "%"
	var conditions []string
	var args []any
	for _, column := range columns {
		conditions = append(conditions, "lower("+column+`) LIKE lower(?) ESCAPE '\'`)
		args = append(args, pattern)
	}
	return q.Where("("+strings.Join(conditions, " OR ")+")", args...)
}

// oneOf adds a filter on a column; no values do not filter.
func oneOf[T ~string](q *gorm.DB, column string, values []T) *gorm.DB {
	if len(values) == 0 {
		return q
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = printable(string(v))
	}
	return q.Where(column+" IN ?", texts)
}

// equal adds a filter on a column; an empty value does not filter.
func equal(q *gorm.DB, column, value string) *gorm.DB {
	if value == "" {
		return q
	}
	return q.Where(column+" = ?", printable(value))
}

// equalID is equal for a column of ids.
func equalID(q *gorm.DB, column, id string) *gorm.DB {
	if id != "" && !isID(id) {
		return q.Where("1 = 0")
	}
	return equal(q, column, id)
}

// labelled adds a filter on a column of labels, all of which must be there.
func (s *Store) labelled(q *gorm.DB, column string, labels map[string]string) *gorm.DB {
	for key, value := range labels {
		key, value = printable(key), printable(value)
		if s.db.Postgres() {
			q = q.Where(column+" @> jsonb_build_object(?::text, ?::text)", key, value)
		} else {
			q = q.Where("EXISTS (SELECT 1 FROM json_each("+column+") WHERE key = ? AND value = ?)", key, value)
		}
	}
	return q
}
