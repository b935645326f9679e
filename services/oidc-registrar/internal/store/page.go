package store

import (
	"encoding/base64"
	"encoding/json"

	"gorm.io/gorm"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Page is a part of a list: at most Limit items (50 when zero, never more than
// 200) after the place where Cursor points. Cursor is empty for the first page and
// else what the page before returned as next, with the same filter.
//
// Rows that come and go between two pages are seen or not, but no row that stays
// is seen twice or missed.
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

// place is where a row stands in its list.
type place struct {
	Number int64  `json:"n,omitempty"`
	ID     string `json:"i,omitempty"`
}

// after starts the query behind the cursor. It asks for one row more than the page
// takes, to see whether there is another page. condition has a ? for each value
// that args picks from the place.
func (p Page) after(q *gorm.DB, condition string, args func(place) []any) (*gorm.DB, error) {
	if p.Cursor != "" {
		var from place
		data, err := base64.RawURLEncoding.DecodeString(p.Cursor)
		if err == nil {
			err = json.Unmarshal(data, &from)
		}
		if err != nil {
			return nil, registrar.Invalid{{Field: "cursor", Reason: registrar.InvalidRequest, Message: "is not the cursor of a page"}}
		}
		from.ID = storable(from.ID)
		q = q.Where(condition, args(from)...)
	}
	return q.Limit(p.limit() + 1), nil
}

// next cuts rows to the page and returns the domain's values with the cursor of
// the next page, which is empty on the last one.
func next[R, T any](p Page, rows []R, value func(R) T, at func(R) place) ([]T, string, error) {
	cursor := ""
	if len(rows) > p.limit() {
		rows = rows[:p.limit()]
		data, err := json.Marshal(at(rows[len(rows)-1]))
		if err != nil {
			return nil, "", err
		}
		cursor = base64.RawURLEncoding.EncodeToString(data)
	}
	values := make([]T, len(rows))
	for i, row := range rows {
		values[i] = value(row)
	}
	return values, cursor, nil
}
