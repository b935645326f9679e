package sqldb

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/paging"
)

const (
	defaultPage = 50
	maxPage     = 200
)

func limitOf(p paging.Page) int {
	if p.Limit <= 0 {
		return defaultPage
	}
	return min(p.Limit, maxPage)
}

// ErrCursor is the error of a cursor that was not made for this list, filter and sort.
var ErrCursor = errors.New("not a cursor of this list")

// List is a list of rows in a total order: by the numbers, then by the id, all in one direction.
type List[R any] struct {
	Name    string   // of the list, without spaces
	Sort    string   // name of the order
	Numbers []string // integer expressions
	ID      string   // text or uuid column; empty if the numbers are unique
	Desc    bool

	// Place returns the sort values of a row.
	Place func(R) (numbers []int64, id string)
}

// Page reads a page of the rows of q and returns the cursor of the next one, empty on the last. See Paging.
func (l List[R]) Page(db *DB, q *gorm.DB, filter any, p paging.Page) (rows []R, nextPage string, err error) {
	paging, err := l.Paging(db, q, filter, p)
	if err != nil {
		return nil, "", err
	}
	if err := paging.Apply(q).Find(&rows).Error; err != nil {
		return nil, "", err
	}
	return paging.Cut(rows)
}

// OrderBy returns the ORDER BY of the list, without the keywords.
func (l List[R]) OrderBy() string {
	direction := ""
	if l.Desc {
		direction = " DESC"
	}
	return strings.Join(l.keys(), direction+", ") + direction
}

func (l List[R]) keys() []string {
	if l.ID == "" {
		return l.Numbers
	}
	return append(l.Numbers[:len(l.Numbers):len(l.Numbers)], l.ID)
}

// Paging reads one page of a list.
type Paging[R any] struct {
	Limit int // one row more than the page, to detect a next page

	list  List[R]
	after []any // sort values of the last row of the previous page; nil on the first page
	seal  cursorSeal
}

// Paging decodes and authenticates the cursor of a page, with the connection of q. The cursor is bound to the
// list, the filter, which must encode as JSON, and the sort; others fail with ErrCursor.
func (l List[R]) Paging(db *DB, q *gorm.DB, filter any, p paging.Page) (Paging[R], error) {
	seal, err := l.seal(db, q, filter)
	if err != nil {
		return Paging[R]{}, err
	}
	paging := Paging[R]{Limit: limitOf(p) + 1, list: l, seal: seal}
	if p.Cursor == "" {
		return paging, nil
	}
	from, err := seal.open(p.Cursor)
	if err != nil || from.Sort != l.Sort || len(from.Numbers) != len(l.Numbers) {
		return Paging[R]{}, ErrCursor
	}
	for _, n := range from.Numbers {
		paging.after = append(paging.after, n)
	}
	if l.ID != "" {
		paging.after = append(paging.after, from.ID)
	}
	return paging, nil
}

// Apply adds the order, the start and the limit of the page to a query.
func (p Paging[R]) Apply(q *gorm.DB) *gorm.DB {
	if p.after != nil {
		compare := ">"
		if p.list.Desc {
			compare = "<"
		}
		marks := "?" + strings.Repeat(", ?", len(p.after)-1)
		q = q.Where(fmt.Sprintf("(%s) %s (%s)", strings.Join(p.list.keys(), ", "), compare, marks), p.after...)
	}
	return q.Order(p.list.OrderBy()).Limit(p.Limit)
}

// Tail returns the page of rows that all have the first number first, the greatest of the list. Their query has the
// other numbers in its order.
func (p Paging[R]) Tail(first int64) Paging[R] {
	place := p.list.Place
	p.list.Place = func(row R) ([]int64, string) {
		numbers, id := place(row)
		numbers[0] = first
		return numbers, id
	}
	p.list.Numbers = p.list.Numbers[1:]
	if p.after != nil && p.after[0] == any(first) {
		p.after = p.after[1:]
	} else {
		p.after = nil
	}
	return p
}

// Cut removes the rows beyond the page and returns the cursor of the next one.
func (p Paging[R]) Cut(rows []R) ([]R, string, error) {
	if len(rows) < p.Limit {
		return rows, "", nil
	}
	rows = rows[:p.Limit-1]
	cursor, err := p.Cursor(rows[len(rows)-1])
	return rows, cursor, err
}

// Cursor returns the cursor of the page after a row.
func (p Paging[R]) Cursor(last R) (string, error) {
	numbers, id := p.list.Place(last)
	return p.seal.cursor(place{Sort: p.list.Sort, Numbers: numbers, ID: id})
}

// place is the position of a row in a list, the content of a cursor.
type place struct {
	Sort    string  `json:"s"`
	Numbers []int64 `json:"n,omitempty"`
	ID      string  `json:"i,omitempty"`
}

// sealSize is the number of bytes of the HMAC in a cursor.
const sealSize = 16

// cursorSeal authenticates the cursors of one list with one filter.
type cursorSeal func(place []byte) []byte

func (l List[R]) seal(db *DB, q *gorm.DB, filter any) (cursorSeal, error) {
	key, err := db.serviceKey(q, "cursor")
	if err != nil {
		return nil, err
	}
	scope, err := json.Marshal([]any{l.Name, filter})
	if err != nil {
		return nil, fmt.Errorf("encode the filter of %s: %w", l.Name, err)
	}
	return func(place []byte) []byte {
		mac := hmac.New(sha256.New, key)
		sum := sha256.Sum256(scope) // of fixed length, so that scope and place cannot be confused
		mac.Write(sum[:])
		mac.Write(place)
		return mac.Sum(nil)[:sealSize]
	}, nil
}

func (s cursorSeal) cursor(p place) (string, error) {
	data, err := json.Marshal(p)
	return base64.RawURLEncoding.EncodeToString(append(s(data), data...)), err
}

// open decodes a cursor. It compares the encoding, because the decoder accepts line breaks and spare bits.
func (s cursorSeal) open(cursor string) (place, error) {
	var p place
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(data) <= sealSize || base64.RawURLEncoding.EncodeToString(data) != cursor ||
		!hmac.Equal(data[:sealSize], s(data[sealSize:])) {
		return p, ErrCursor
	}
	return p, json.Unmarshal(data[sealSize:], &p)
}

// LikePattern returns the pattern of LIKE … ESCAPE '\' for texts that contain text.
func LikePattern(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(CleanText(text)) + "%"
}

// Search restricts a query to rows with a text in one of the columns, in any letter case. An empty text
// restricts nothing.
func Search(q *gorm.DB, text string, columns ...string) *gorm.DB {
	if text == "" {
		return q
	}
	pattern := LikePattern(text)
	var conditions []string
	var args []any
	for _, column := range columns {
		conditions = append(conditions, "lower("+column+`) LIKE lower(?) ESCAPE '\'`)
		args = append(args, pattern)
	}
	return q.Where("("+strings.Join(conditions, " OR ")+")", args...)
}

// OneOf restricts a query to rows with one of the values in a column. No values restrict nothing.
func OneOf[T ~string](q *gorm.DB, column string, values []T) *gorm.DB {
	if len(values) == 0 {
		return q
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = CleanText(string(v))
	}
	return q.Where(column+" IN ?", texts)
}

// Equal restricts a query to rows with the value in a column. An empty value restricts nothing.
func Equal[T ~string](q *gorm.DB, column string, value T) *gorm.DB {
	if value == "" {
		return q
	}
	return q.Where(column+" = ?", CleanText(string(value)))
}

// IsID reports whether id is a lower-case UUID. PostgreSQL accepts other spellings and fails on other texts.
func IsID(id string) bool {
	u, err := uuid.Parse(id)
	return err == nil && u.String() == id
}

// HasID restricts a query to the row with an id. Other texts than ids select no row.
func HasID(q *gorm.DB, id string) *gorm.DB {
	if !IsID(id) {
		return q.Where("1 = 0")
	}
	return q.Where("id = ?", id)
}

// NoTimeout removes the statement timeout from a transaction of a background job.
func NoTimeout(db *gorm.DB) error {
	if db.Name() == "sqlite" {
		return nil
	}
	return db.Exec("SET LOCAL statement_timeout = 0").Error // gorm has no method for SET
}
