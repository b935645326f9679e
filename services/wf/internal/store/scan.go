package store

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// scan is a condition. As a part of a list, one index returns its rows in list order.
type scan struct {
	where string
	args  []any

	from string // another table than that of the list, with the same columns
}

// cond returns a condition.
func cond(where string, args ...any) scan { return scan{where: where, args: args} }

// of returns the rows of a query with the condition.
func (s scan) of(q *gorm.DB) *gorm.DB { return q.Where(s.where, s.args...) }

// when returns the condition if on is set, otherwise none.
func (s scan) when(on bool) scan {
	if !on {
		return scan{}
	}
	return s
}

// not returns the negation of a condition in parentheses.
func (s scan) not() scan { return cond("NOT "+s.where, s.args...) }

// is returns the condition, its negation if want is false, and none for nil.
func (s scan) is(want *bool) scan {
	if want != nil && !*want {
		return s.not()
	}
	return s.when(want != nil)
}

// and returns the scan with other conditions.
func (s scan) and(others ...scan) scan {
	for _, o := range others {
		if s.where != "" && o.where != "" {
			s.where += " AND "
		}
		s.where, s.args = s.where+o.where, slices.Concat(s.args, o.args)
	}
	return s
}

// allOf joins conditions by AND.
func allOf(parts ...scan) scan { return scan{}.and(parts...) }

// anyOf joins conditions by OR; empty without conditions.
func anyOf(parts ...scan) (some scan) {
	for i, s := range parts {
		if i > 0 {
			some.where += " OR "
		}
		some.where, some.args = some.where+s.where, append(some.args, s.args...)
	}
	if some.where != "" {
		some.where = "(" + some.where + ")"
	}
	return some
}

// eachScan adds a condition to each scan.
func eachScan(scans []scan, c scan) []scan {
	return sqldb.Values(scans, func(s scan) scan { return s.and(c) })
}

// splitScans splits each scan into one scan per value of a column.
func splitScans[T any](scans []scan, column string, values []T) (all []scan) {
	for _, s := range scans {
		for _, v := range values {
			all = append(all, s.and(cond(column+" = ?", v)))
		}
	}
	return all
}

// whereIn returns the condition that a column has one of the values; empty without values.
func whereIn[T ~string](column string, values []T) scan {
	return cond(column+" IN ?", printables(values)).when(len(values) > 0)
}

// among returns the condition that a column has one of the ids.
func among(db *gorm.DB, column string, ids []string) scan {
	where, arg := sqldb.Among(db, column, ids)
	return cond(where, arg)
}

// amongTexts returns the condition that a column has one of the texts. Like among, it is the same for any number.
func amongTexts(db *gorm.DB, column string, texts []string) scan {
	where := column + " IN (SELECT value FROM json_each(?))"
	if db.Name() == "postgres" {
		where = column + " IN (SELECT jsonb_array_elements_text(?::jsonb))"
	}
	list, _ := json.Marshal(printables(texts)) // never fails
	return cond(where, string(list))
}

// labelScan returns the condition that a JSON column contains all labels; empty without labels.
func labelScan(db *gorm.DB, column string, labels map[string]string) (all scan) {
	where := "EXISTS (SELECT 1 FROM json_each(" + column + ") WHERE key = ? AND value = ?)"
	if db.Name() == "postgres" {
		where = column + " @> jsonb_build_object(?::text, ?::text)"
	}
	for key, value := range labels {
		all = all.and(cond(where, printable(key), printable(value)))
	}
	return all
}

// union returns the query for the rows of several queries, or for their distinct rows.
func union(db *gorm.DB, queries []*gorm.DB, distinct bool) *gorm.DB {
	word := " UNION ALL "
	if distinct {
		word = " UNION "
	}
	text := strings.Repeat(word+"SELECT * FROM (?) AS part", len(queries))
	args := sqldb.Values(queries, func(q *gorm.DB) any { return q })
	return db.Table("("+strings.TrimPrefix(text, word)+") AS merged", args...)
}

// listQuery reads a list as scans of a table, which are disjoint unless distinct is set.
type listQuery struct {
	sqldb.List[rowKey]
	from, columns string // the columns include id and those of the order
	scans         []scan
	distinct      bool
	byUrgency     bool   // the index of the order of creation has the urgency before the time
	filter        scan   // checked on each row of the scans, named merged
	join          string // of tables in the filter
	lastDue       int64  // in the order of due dates; undated if it has rows without one
}

// read reads a page and returns the cursor of the next one. With a filter it reads at most rowLimit rows. In the order
// of due dates it reads the rows with a date by an index of these, and completes the page with the others in the order
// of creation.
func (l listQuery) read(db *sqldb.DB, tx *gorm.DB, filter any, p wf.Page) (page []rowKey, next string, err error) {
	paging, err := l.Paging(db, tx, filter, p)
	if err != nil {
		return nil, "", err
	}
	dated := l
	if l.Sort == byDueDate {
		dated.scans = eachScan(l.scans, cond("due_ms > 0").and(cond("due_ms <= ?", l.lastDue).when(l.lastDue < undated)))
	}
	page, next, err = dated.rows(tx, paging)
	if l.Sort == byDueDate && l.lastDue == undated && err == nil && next == "" && len(page) < paging.Limit {
		l.Numbers, l.filter = l.Numbers[1:], l.filter.and(cond("merged.due_ms = 0"))
		rest := paging.Tail(undated)
		rest.Limit -= len(page)
		var others []rowKey
		others, next, err = l.rows(tx, rest)
		page = append(page, others...)
	}
	if err != nil || next != "" {
		return page, next, err
	}
	return paging.Cut(page)
}

// parts returns a query for the rows of each scan.
func (l listQuery) parts(db *gorm.DB) []*gorm.DB {
	return sqldb.Values(l.scans, func(s scan) *gorm.DB {
		return s.of(db.Table(cmp.Or(s.from, l.from)).Select(l.columns))
	})
}

// rows reads the rows of a page and the one after it. If a filter ends the page early, it returns the cursor of the
// next page.
func (l listQuery) rows(db *gorm.DB, paging sqldb.Paging[rowKey]) (page []rowKey, nextPage string, err error) {
	if l.byUrgency && len(l.Numbers) == 1 {
		l.scans = splitScans(l.scans, "urgency", []int64{0, 1, 2, 3})
	}
	window := paging
	if l.filter.where != "" {
		window.Limit = max(rowLimit, paging.Limit)
	}
	order := l.List
	order.ID = "id"
	merged := union(db, sqldb.Values(l.parts(db), window.Apply), l.distinct).Order(order.OrderBy()).Limit(window.Limit)
	if l.filter.where == "" {
		return page, "", merged.Select("*").Find(&page).Error
	}
	var rows []struct {
		Key    rowKey `gorm:"embedded"`
		Number int
		Found  bool
	}
	numbered := merged.Select("*, row_number() OVER (ORDER BY " + order.OrderBy() + ") AS number")
	checked := db.Table("(?) AS merged "+l.join, numbered).
		Select("merged.*, ("+l.filter.where+") AS found", l.filter.args...)
	err = db.Table("(?) AS checked", checked).Select("*").Where("found OR number = ?", window.Limit).
		Order("number").Limit(paging.Limit).Find(&rows).Error
	if err != nil {
		return nil, "", err
	}
	for _, row := range rows {
		if row.Found {
			page = append(page, row.Key)
		}
	}
	if n := len(rows); len(page) < paging.Limit && n > 0 && rows[n-1].Number == window.Limit {
		nextPage, err = paging.Cursor(rows[n-1].Key)
	}
	return page, nextPage, err
}

func idsOf(keys []rowKey) []string { return sqldb.Values(keys, func(k rowKey) string { return k.ID }) }

// selectIDs returns the ids of the first query with at most idLimit rows. It reports false if there
// is none.
func selectIDs(queries ...*gorm.DB) (ids []string, few bool, err error) {
	for _, q := range queries {
		ids = nil
		if err := q.Limit(idLimit + 1).Scan(&ids).Error; err != nil || len(ids) <= idLimit {
			return ids, true, err
		}
	}
	return nil, false, nil
}

// fold normalizes a text for searches: it ignores case and applies NFKC. The databases fold by
// locale, or only ASCII.
func fold(text string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text)))
}

// textMatch returns the condition that the title or the artifact id of a request contains the text.
func textMatch(text string) scan {
	if strings.Contains(text, "\n") { // between the two
		return cond("1 = 0")
	}
	return cond(`request.search_text LIKE ? ESCAPE '\'`, sqldb.LikePattern(fold(text)))
}

// trigram is the minimum number of characters for the text index.
const trigram = 3

// indexedText returns the query for the ids of requests by the text index; none for a text that the
// index does not cover.
func indexedText(db *gorm.DB, text string) []*gorm.DB {
	text = fold(text)
	switch {
	case utf8.RuneCountInString(text) < trigram:
		return nil
	case db.Name() == "postgres":
		return []*gorm.DB{db.Table("request").Select("id").Where("search_text LIKE ?", sqldb.LikePattern(text))}
	default:
		phrase := `"` + strings.ReplaceAll(printable(text), `"`, `""`) + `"`
		return []*gorm.DB{db.Table("request_search").Select("request_id").Where("request_search MATCH ?", phrase)}
	}
}

// SearchIndexed reports whether a text index exists. PostgreSQL has none if the extension pg_trgm
// could not be created.
func (s *Store) SearchIndexed(ctx context.Context) (bool, error) {
	if !s.db.Postgres() {
		return true, nil
	}
	indexed, err := s.db.HasTable(ctx, "request_search")
	return indexed, wrapError(err, "find the index of searches")
}
