package store

import (
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf/reason"
)

// scan is a part of a list that one index returns in list order.
type scan struct {
	where string
	args  []any
}

func (s scan) and(where string, args ...any) scan {
	if s.where == "" {
		return scan{where, args}
	}
	return scan{s.where + " AND " + where, append(s.args[:len(s.args):len(s.args)], args...)}
}

// split splits each scan into one scan per value of a column.
func split[T any](scans []scan, column string, values []T) []scan {
	var all []scan
	for _, s := range scans {
		for _, v := range values {
			all = append(all, s.and(column+" = ?", v))
		}
	}
	return all
}

// pageOf returns the query for one page of a list made of disjoint scans. The columns must include
// id. The database reads at most one page per scan, so the cost is independent of the list's
// length. narrow adds filters to each scan.
func pageOf[R any](db *gorm.DB, list sqldb.List[R], paging sqldb.Paging[R], columns, from string, scans []scan, narrow func(*gorm.DB) *gorm.DB) *gorm.DB {
	var parts []*gorm.DB
	for _, s := range scans {
		parts = append(parts, paging.Apply(narrow(db.Table(from).Select(columns).Where(s.where, s.args...))))
	}
	return mergePages(db, list, paging, parts)
}

// mergePages returns the query that merges pages of several queries into one page.
func mergePages[R any](db *gorm.DB, list sqldb.List[R], paging sqldb.Paging[R], pages []*gorm.DB) *gorm.DB {
	if len(pages) == 1 {
		return pages[0]
	}
	all, args := union(pages)
	return db.Table("("+all+") AS merged", args...).Order(orderOf(list, "merged")).Limit(paging.Limit)
}

// union returns the text and the arguments of a UNION ALL over queries.
func union(queries []*gorm.DB) (text string, args []any) {
	for _, q := range queries {
		args = append(args, q)
	}
	return "SELECT * FROM (?) AS part" + strings.Repeat(" UNION ALL SELECT * FROM (?) AS part", len(queries)-1), args
}

// orderOf returns the ORDER BY of a list for columns of a table with the id as id.
func orderOf[R any](list sqldb.List[R], table string) string {
	from := sqldb.List[R]{ID: table + ".id", Desc: list.Desc}
	for _, n := range list.Numbers {
		from.Numbers = append(from.Numbers, table+n[strings.LastIndexByte(n, '.'):])
	}
	return from.OrderBy()
}

// shelf describes a skip scan over an index. Rows with equal values in the columns of by form a
// run, sorted in list order. The database skips from run to run and reads at most one page of each
// selected run. The cost of a page is independent of the number of rows and of the filtered
// columns.
type shelf struct {
	table  string
	where  scan     // condition on the leading index columns
	by     []string // index columns between the condition and the order, none if the order follows directly
	within *gorm.DB // query for the only values of the first column of by, nil for all
}

// each joins every row of a table with the rows of a query, as part.
func (s shelf) each(db *gorm.DB, table string, found *gorm.DB) (text string, arg *gorm.DB) {
	if db.Name() == "postgres" {
		return table + " CROSS JOIN LATERAL (?) AS part", found.Select("*")
	}
	// CROSS JOIN fixes the join order in SQLite.
	return table + " CROSS JOIN " + s.table + " AS part ON part.rowid IN (?)", found.Select("rowid")
}

// runs returns the recursive query for the distinct values of by.
func (s shelf) runs(db *gorm.DB) *gorm.DB {
	first := func(of string, alike int) *gorm.DB { // the first row with equal values in the first columns of by
		q := db.Table(s.table).Where(s.where.where, s.where.args...).Order(columnsOf(s.table, s.by)).Limit(1)
		for _, column := range s.by[:alike] {
			q = q.Where(s.table + "." + column + " = " + of + "." + column)
		}
		return q
	}
	given, fixed := db.Table("(SELECT 1 AS number) AS one"), 0
	if s.within != nil {
		given, fixed = s.within, 1
	}
	var next *gorm.DB
	if db.Name() == "postgres" {
		next = first("run", fixed).Where("(" + columnsOf(s.table, s.by[fixed:]) + ") > (" + columnsOf("run", s.by[fixed:]) + ")")
	} else { // SQLite uses only the first column of a row comparison
		var nearest []*gorm.DB
		for alike := len(s.by) - 1; alike >= fixed; alike-- {
			nearest = append(nearest, first("run", alike).Select("rowid").Where(s.table+"."+s.by[alike]+" > run."+s.by[alike]))
		}
		text, args := union(nearest)
		next = db.Table("("+text+") AS next", args...).Limit(1)
	}
	begin, firstRows := s.each(db, "(?) AS given", first("given", fixed))
	step, nextRows := s.each(db, "run", next)
	columns := columnsOf("part", s.by)
	return db.Raw("WITH RECURSIVE run AS (SELECT "+columns+" FROM "+begin+" UNION ALL SELECT "+columns+" FROM "+step+") SELECT * FROM run",
		given, firstRows, nextRows)
}

// rows returns the query for the columns of the indexed rows, as part. narrow filters the runs by
// their columns; find adds to the query for the rows of one run.
func (s shelf) rows(db *gorm.DB, columns string, narrow, find func(*gorm.DB) *gorm.DB) *gorm.DB {
	rows := db.Table(s.table).Where(s.where.where, s.where.args...)
	if len(s.by) == 0 {
		return db.Table("(?) AS part", find(rows).Select("*")).Select(columns)
	}
	for _, column := range s.by {
		rows = rows.Where(s.table + "." + column + " = run." + column)
	}
	text, found := s.each(db, "(?) AS run", find(rows))
	return narrow(db.Table(text, s.runs(db), found).Select(columns))
}

// page returns the query for the columns of one page. narrow filters the runs, bound adds to the
// query for the rows of one run.
func page[R any](db *gorm.DB, s shelf, list sqldb.List[R], paging sqldb.Paging[R], columns string, narrow, bound func(*gorm.DB) *gorm.DB) *gorm.DB {
	all := s.rows(db, columns, narrow, func(q *gorm.DB) *gorm.DB { return paging.Apply(bound(q)) })
	return db.Table("(?) AS listed", all).Order(orderOf(list, "listed")).Limit(paging.Limit)
}

// readPage reads a page of keys and returns the cursor of the next page.
func readPage[R any](q *gorm.DB, keys sqldb.Table[R], paging sqldb.Paging[R]) (page []R, nextPage string, err error) {
	if err := keys.Read(q, func(key R) { page = append(page, key) }); err != nil {
		return nil, "", err
	}
	return paging.Cut(page)
}

// columnsOf returns a list of qualified column names.
func columnsOf(table string, columns []string) string {
	return table + "." + strings.Join(columns, ", "+table+".")
}

// sortedBy returns the order with the name, or the first one when name is empty.
func sortedBy[R any](orders []sqldb.List[R], name string) (sqldb.List[R], error) {
	if name == "" {
		return orders[0], nil
	}
	i := slices.IndexFunc(orders, func(l sqldb.List[R]) bool { return l.Sort == name })
	if i < 0 {
		return sqldb.List[R]{}, refusal.At(reason.BadParameter, "/sort", "not a sort of this list")
	}
	return orders[i], nil
}
