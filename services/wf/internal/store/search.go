package store

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
)

// trigram is the minimum number of characters for the text index.
const trigram = 3

// fewMatches is the result size up to which matches are read from the index and sorted. Larger
// results are found quickly by a scan in list order.
const fewMatches = 1000

// windows are the numbers of rows scanned in list order: before the text index is queried, and
// after it.
var windows = [2]int{200, 600}

// fold normalizes a text for searches: it ignores case and applies NFKC. The databases fold by
// locale, or only ASCII.
func fold(text string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text)))
}

// textMatch returns the condition that the title or the artifact id of a request contains the text.
func textMatch(text string) scan {
	pattern := sqldb.LikePattern(fold(text))
	return scan{`(request.folded_title LIKE ? ESCAPE '\' OR request.folded_artifact_id LIKE ? ESCAPE '\')`, []any{pattern, pattern}}
}

// indexed returns an index condition for a text and labels, and reports whether few requests match.
// The index does not cover texts of fewer than three characters, nor labels on SQLite.
func indexed(db *gorm.DB, text string, labels map[string]string) (match scan, few bool, err error) {
	text = fold(text)
	long := utf8.RuneCountInString(text) >= trigram
	if db.Name() == "postgres" {
		found := labelled(db, "request.labels", labels) // fully indexed, with statistics on the number of matches
		if long {
			found = found.and(`request.folded_title || E'\n' || request.folded_artifact_id LIKE ?`, sqldb.LikePattern(text))
		}
		if found.where == "" {
			return scan{}, false, nil
		}
		few, err := countsFew(db, "request WHERE "+found.where, found.args...)
		if long {
			match := textMatch(text)
			found = found.and(match.where, match.args...)
		}
		return scan{"request.id = ANY(ARRAY(SELECT request.id FROM request WHERE " + found.where + "))", found.args}, few, err
	}
	if !long {
		return scan{}, false, nil
	}
	phrase := `"` + strings.ReplaceAll(printable(text), `"`, `""`) + `"`
	few, err = countsFew(db, "request_search WHERE request_search MATCH ?", phrase)
	return textMatch(text).and("request.id IN (SELECT request_id FROM request_search WHERE request_search MATCH ?)", phrase), few, err
}

// countsFew reports whether at most fewMatches rows match.
func countsFew(db *gorm.DB, from string, args ...any) (bool, error) {
	var n int
	err := db.Raw("SELECT count(*) FROM (SELECT 1 FROM "+from+" LIMIT ?) few", append(slices.Clone(args), fewMatches+1)...).Scan(&n).Error
	return n <= fewMatches, err
}

// searched reads a page of the rows whose requests match, and the cursor of the next page. near
// returns the next rows in list order; from joins their requests. A small result is read through
// its index. Otherwise the page ends at the scan limit, possibly with fewer rows, and its cursor
// continues there.
func searched[R any](db *gorm.DB, match scan, list sqldb.List[R], keys sqldb.Table[R], paging sqldb.Paging[R], from string,
	near func(sqldb.Paging[R]) *gorm.DB, index func() (found scan, few bool, err error), matching func(scan) *gorm.DB,
) (rows []R, nextPage string, err error) {
	table, _, _ := strings.Cut(from, " ")
	window := paging
	for i, limit := range windows {
		window.Limit = limit
		numbered := db.Table("(?) AS "+table, near(window)).Select(table + ".*, row_number() OVER (ORDER BY " + orderOf(list, table) + ") AS number")
		var last R
		var number int
		var found bool
		q := db.Table("(?) AS "+from, numbered).Select(table+".*, "+match.where+" AS found", match.args...).Where("("+match.where+" OR number = ?)", append(match.args, limit)...)
		err := keys.Read(q.Order(orderOf(list, table)).Limit(paging.Limit-len(rows)), func(row R) {
			if last = row; found {
				rows = append(rows, row)
			}
		}, &number, &found)
		if err != nil {
			return nil, "", err
		}
		if len(rows) == paging.Limit || number < limit {
			return paging.Cut(rows)
		}
		if i == len(windows)-1 {
			nextPage, err = paging.Cursor(last)
			return rows, nextPage, err
		}
		window = window.After(last)
		if found, few, err := index(); err != nil {
			return nil, "", err
		} else if few {
			return readPage(matching(found), keys, paging)
		}
	}
	return nil, "", nil
}

// SearchIndexed reports whether a text index exists. PostgreSQL has none if the extension pg_trgm
// could not be created.
func (s *Store) SearchIndexed(ctx context.Context) (bool, error) {
	if !s.db.Postgres() {
		return true, nil
	}
	var indexed bool
	err := s.db.Read(ctx).Raw("SELECT to_regclass('request_search') IS NOT NULL").Scan(&indexed).Error
	return indexed, failed(err, "look for the index of searches")
}
