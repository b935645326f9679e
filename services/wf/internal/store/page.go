package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/services/wf"
)

// page is a page of one list: its cursors are good for no other.
type page struct {
	wf.Page
	seal func(place []byte) []byte
}

const (
	defaultPage = 50
	maxPage     = 200
)

func (p page) limit() int {
	if p.Limit <= 0 {
		return defaultPage
	}
	return min(p.Limit, maxPage)
}

// sealSize is how many bytes of the HMAC go into a cursor.
const sealSize = 16

// bind ties the page's cursors to a list and what it is filtered by, which must encode
// as JSON. Every list begins with it.
func (s *Store) bind(ctx context.Context, p wf.Page, list string, filter any) (page, error) {
	key, err := s.cursorKey(ctx)
	if err != nil {
		return page{}, err
	}
	scope, err := json.Marshal([]any{list, filter})
	if err != nil {
		return page{}, fmt.Errorf("encode the filter of %s: %w", list, err)
	}
	seal := func(place []byte) []byte {
		mac := hmac.New(sha256.New, key)
		sum := sha256.Sum256(scope) // of one length, so that the place begins where it ends
		mac.Write(sum[:])
		mac.Write(place)
		return mac.Sum(nil)[:sealSize]
	}
	return page{p, seal}, nil
}

// cursorKey is the key that all processes of the service authenticate cursors with.
func (s *Store) cursorKey(ctx context.Context) ([]byte, error) {
	if key := s.cursors.Load(); key != nil {
		return *key, nil
	}
	key, err := s.ServiceKey(ctx, "cursor")
	if err == nil {
		s.cursors.Store(&key)
	}
	return key, err
}

// sorting is the order of a list: by the numbers, then by the id, all of them in the
// same direction. Together they are unique.
type sorting struct {
	name    string
	table   string   // of the numbers and the id, where scans are made from it
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
func (s sorting) apply(q *gorm.DB, p page) (*gorm.DB, error) {
	keys, compare := s.keys(), ">"
	if s.desc {
		compare = "<"
	}
	if p.Cursor != "" {
		from, err := s.parse(p)
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
	return q.Order(s.by()).Limit(p.limit() + 1), nil
}

// by is the ORDER BY of the sorting.
func (s sorting) by() string {
	direction := ""
	if s.desc {
		direction = " DESC"
	}
	return strings.Join(s.keys(), direction+", ") + direction
}

// keys are the numbers and the id.
func (s sorting) keys() []string {
	if s.id == "" {
		return s.numbers
	}
	return append(s.numbers[:len(s.numbers):len(s.numbers)], s.id)
}

// parse reads a cursor that was made for this sorting, in the one spelling it has: the
// decoder skips line breaks and ignores spare bits.
func (s sorting) parse(p page) (place, error) {
	var from place
	data, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	sealed := err == nil && len(data) > sealSize && base64.RawURLEncoding.EncodeToString(data) == p.Cursor &&
		hmac.Equal(data[:sealSize], p.seal(data[sealSize:]))
	if sealed {
		err = json.Unmarshal(data[sealSize:], &from)
	}
	if !sealed || err != nil || from.Sort != s.name || len(from.Numbers) != len(s.numbers) || s.id != "" && !s.validID(from.ID) {
		return from, wf.RefuseInput("value_error", []any{"query", "cursor"}, "Value error, not a cursor of this list")
	}
	return from, nil
}

// next cuts rows to the page and returns them with the cursor of the next page,
// which is empty on the last one.
func next[R any](s sorting, p page, rows []R, at func(R) ([]int64, string)) ([]R, string, error) {
	if len(rows) <= p.limit() {
		return rows, "", nil
	}
	rows = rows[:p.limit()]
	numbers, id := at(rows[len(rows)-1])
	data, err := json.Marshal(place{Sort: s.name, Numbers: numbers, ID: id})
	return rows, base64.RawURLEncoding.EncodeToString(append(p.seal(data), data...)), err
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
	pattern := likePattern(text)
	var conditions []string
	var args []any
	for _, column := range columns {
		conditions = append(conditions, "lower("+column+`) LIKE lower(?) ESCAPE '\'`)
		args = append(args, pattern)
	}
	return q.Where("("+strings.Join(conditions, " OR ")+")", args...)
}

// likePattern is the pattern of LIKE for texts with this one in them.
func likePattern(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(printable(text)) + "%"
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
