package store

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
)

// trigram is how many characters a text needs for an index to find it.
const trigram = 3

// fewMatches is how many requests a search may find for them to be read and sorted. What
// more requests have is soon found in the order of a list.
const fewMatches = 1000

// windows are how many rows of a list are looked through for those with a text: before
// the text's index is asked, and after that.
var windows = [2]int{200, 600}

// fold is a text as searches compare it: letters of any case, and characters that Unicode
// holds for the same in a search (NFKC), are equal. Databases fold by their locale, or only
// ASCII.
func fold(text string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text)))
}

// textMatch is the condition that the title or the artifact id of a request has a text in
// it.
func textMatch(text string) scan {
	pattern := sqldb.LikePattern(fold(text))
	return scan{`(request.folded_title LIKE ? ESCAPE '\' OR request.folded_artifact_id LIKE ? ESCAPE '\')`, []any{pattern, pattern}}
}

// indexed returns the condition that an index has for a text and labels that few requests
// have. Texts of fewer than three characters are in no index, and labels not on SQLite.
func indexed(db *gorm.DB, text string, labels map[string]string) (match scan, few bool, err error) {
	text = fold(text)
	long := utf8.RuneCountInString(text) >= trigram
	if db.Name() == "postgres" {
		found := labelled(db, "request.labels", labels) // all of it is in an index, which knows how many have it
		if long {
			found = found.and(`request.folded_title || E'\n' || request.folded_artifact_id LIKE ?`, sqldb.LikePattern(text))
		}
		if found.where == "" {
			return scan{}, false, nil
		}
		few, err := expectsFew(db, found)
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
	var n int
	err = db.Raw("SELECT count(*) FROM (SELECT 1 FROM request_search WHERE request_search MATCH ? LIMIT ?)", phrase, fewMatches+1).Scan(&n).Error
	return textMatch(text).and("request.id IN (SELECT request_id FROM request_search WHERE request_search MATCH ?)", phrase), n <= fewMatches, err
}

// expectsFew reports whether PostgreSQL expects few requests to match. To count them
// takes as long as to find them all.
func expectsFew(db *gorm.DB, match scan) (bool, error) {
	var text string
	if err := db.Raw("EXPLAIN (FORMAT JSON) SELECT FROM request WHERE "+match.where, match.args...).Scan(&text).Error; err != nil {
		return false, err
	}
	var plans []struct {
		Plan struct {
			Rows float64 `json:"Plan Rows"`
		}
	}
	err := json.Unmarshal([]byte(text), &plans)
	return err == nil && len(plans) == 1 && plans[0].Plan.Rows <= fewMatches, err
}

// searched reads a page of those rows of a list whose requests match, and the cursor of the
// next one. It looks through the next rows in order, as near finds them; from joins
// their requests. What few requests have is found by its index. Else the page ends where
// it has looked for long enough, with fewer rows than it could have, and the next one goes
// on from there.
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

// SearchIndexed reports whether an index serves searches. On PostgreSQL there is none
// where the extension pg_trgm could not be made.
func (s *Store) SearchIndexed(ctx context.Context) (bool, error) {
	if !s.db.Postgres() {
		return true, nil
	}
	var indexed bool
	err := s.db.Read(ctx).Raw("SELECT to_regclass('request_search') IS NOT NULL").Scan(&indexed).Error
	return indexed, failed(err, "look for the index of searches")
}
