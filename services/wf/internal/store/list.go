package store

import (
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf/reason"
)

const (
	// maxRead bounds the rows that a page reads when a filter has no index. The page then ends
	// early, and its cursor continues after the last row that was read.
	maxRead = 1000

	// maxSelected is the number of ids up to which a page is sorted from the rows of an index in
	// another order.
	maxSelected = 1000
)

// rowLimit and idLimit are maxRead and maxSelected; tests lower them.
var rowLimit, idLimit = maxRead, maxSelected

// scan is a part of a list that one index returns in list order.
type scan struct {
	where string
	args  []any
}

// cond returns a condition.
func cond(where string, args ...any) scan { return scan{where, args} }

// when returns the condition if on is set, otherwise none.
func (s scan) when(on bool) scan {
	if !on {
		return scan{}
	}
	return s
}

// is returns the condition, its negation if want is false, and none for nil.
func (s scan) is(want *bool) scan {
	if want != nil && !*want {
		s.where = "NOT " + s.where
	}
	return s.when(want != nil)
}

// allOf joins conditions by AND.
func allOf(parts ...scan) (all scan) {
	for _, s := range parts {
		all = all.intersect(s.where, s.args...)
	}
	return all
}

func (s scan) intersect(where string, args ...any) scan {
	if s.where == "" || where == "" {
		return scan{s.where + where, append(slices.Clone(s.args), args...)}
	}
	return scan{s.where + " AND " + where, append(slices.Clone(s.args), args...)}
}

// splitScans splits each scan into one scan per value of a column.
func splitScans[T any](scans []scan, column string, values []T) []scan {
	var all []scan
	for _, s := range scans {
		for _, v := range values {
			all = append(all, s.intersect(column+" = ?", v))
		}
	}
	return all
}

// whereIn returns the condition that a column has one of the values; empty without values.
func whereIn[T ~string](column string, values []T) scan {
	if len(values) == 0 {
		return scan{}
	}
	return scan{column + " IN ?", []any{sqldb.Values(values, func(v T) string { return printable(string(v)) })}}
}

// union returns the query for the rows of several queries, or for their distinct rows.
func union(db *gorm.DB, queries []*gorm.DB, distinct bool) *gorm.DB {
	args := make([]any, len(queries))
	for i, q := range queries {
		args[i] = q
	}
	word := " UNION ALL "
	if distinct {
		word = " UNION "
	}
	text := strings.Repeat(word+"SELECT * FROM (?) AS part", len(queries))
	return db.Table("("+strings.TrimPrefix(text, word)+") AS merged", args...)
}

// listQuery reads a list as scans of a table, which are disjoint unless distinct is set.
type listQuery[R any] struct {
	sqldb.List[R]
	from, columns string // the columns include id and those of the order
	scans         []scan
	distinct      bool
	also          scan // another disjoint scan, if alsoFrom is set: of a table with the same columns
	alsoFrom      string
	filter        scan   // checked on each row of the scans, named merged
	join          string // of tables in the filter
}

// page reads a page and returns the cursor of the next one. With a filter it reads at most rowLimit
// rows.
func (l listQuery[R]) page(db *gorm.DB, paging sqldb.Paging[R]) (page []R, nextPage string, err error) {
	if page, nextPage, err = l.rows(db, paging); err != nil || nextPage != "" {
		return page, nextPage, err
	}
	return paging.Cut(page)
}

// rows reads the rows of a page and the one after it. If a filter ends the page early, it returns the cursor of the
// next page.
func (l listQuery[R]) rows(db *gorm.DB, paging sqldb.Paging[R]) (page []R, nextPage string, err error) {
	window := paging
	if l.filter.where != "" {
		window.Limit = max(rowLimit, paging.Limit)
	}
	var parts []*gorm.DB
	for _, s := range l.scans {
		parts = append(parts, window.Apply(db.Table(l.from).Select(l.columns).Where(s.where, s.args...)))
	}
	if l.alsoFrom != "" {
		parts = append(parts, window.Apply(db.Table(l.alsoFrom).Select(l.columns).Where(l.also.where, l.also.args...)))
	}
	merged := union(db, parts, l.distinct).Order(orderOf(l.List, "merged")).Limit(window.Limit)
	if l.filter.where == "" {
		return page, "", merged.Select("merged.*").Find(&page).Error
	}
	var rows []struct {
		Key    R `gorm:"embedded"`
		Number int
		Found  bool
	}
	numbered := merged.Select("merged.*, row_number() OVER (ORDER BY " + orderOf(l.List, "merged") + ") AS number")
	q := db.Table("(?) AS merged "+l.join, numbered).Select("merged.*, ("+l.filter.where+") AS found", l.filter.args...)
	last := append(slices.Clone(l.filter.args), window.Limit)
	err = q.Where("("+l.filter.where+" OR merged.number = ?)", last...).Order("merged.number").Limit(paging.Limit).Find(&rows).Error
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

// orderOf returns the ORDER BY of a list for the columns of another table.
func orderOf[R any](list sqldb.List[R], table string) string {
	from := sqldb.List[R]{ID: table + ".id", Desc: list.Desc}
	for _, n := range list.Numbers {
		from.Numbers = append(from.Numbers, table+n[strings.LastIndexByte(n, '.'):])
	}
	return from.OrderBy()
}

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

// sortedBy returns the order with the name, or the first one when name is empty.
func sortedBy[R any](orders []sqldb.List[R], name string) (sqldb.List[R], error) {
	i := slices.IndexFunc(orders, func(l sqldb.List[R]) bool { return name == "" || l.Sort == name })
	if i < 0 {
		return sqldb.List[R]{}, refusal.At(reason.BadParameter, "/sort", "not a sort of this list")
	}
	return orders[i], nil
}
