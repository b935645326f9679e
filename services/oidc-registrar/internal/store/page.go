package store

import (
	"encoding/base64"
	"encoding/json"

	"gorm.io/gorm"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

const (
	defaultPage = 50
	maxPage     = 200
)

// limit is how many items the page has.
func limit(p registrar.Page) int {
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
func after(p registrar.Page, q *gorm.DB, condition string, args func(place) []any) (*gorm.DB, error) {
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
	return q.Limit(limit(p) + 1), nil
}

// next cuts rows to the page and returns the domain's values with the cursor of
// the next page, which is empty on the last one.
func next[R, T any](p registrar.Page, rows []R, value func(R) T, at func(R) place) ([]T, string, error) {
	cursor := ""
	if len(rows) > limit(p) {
		rows = rows[:limit(p)]
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
