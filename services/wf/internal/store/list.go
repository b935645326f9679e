package store

import (
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// scan is a part of a list that one index holds in the order of the list.
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

// split makes of each scan one for each value of a column.
func split[T any](scans []scan, column string, values []T) []scan {
	var all []scan
	for _, s := range scans {
		for _, v := range values {
			all = append(all, s.and(column+" = ?", v))
		}
	}
	return all
}

// pageOf returns the query for the columns of a page of a list that several scans make up,
// none of which has a row of another. One of the columns is id. Of each the database reads
// only what the page needs, so a page costs the same however long the list is. narrow adds
// to each scan.
func pageOf[R any](db *gorm.DB, list sqldb.List[R], paging sqldb.Paging[R], columns, from string, scans []scan, narrow func(*gorm.DB) *gorm.DB) *gorm.DB {
	var parts []*gorm.DB
	for _, s := range scans {
		parts = append(parts, paging.Apply(narrow(db.Table(from).Select(columns).Where(s.where, s.args...))))
	}
	return mergePages(db, list, paging, parts)
}

// mergePages returns the query for a page of what pages of several queries hold.
func mergePages[R any](db *gorm.DB, list sqldb.List[R], paging sqldb.Paging[R], pages []*gorm.DB) *gorm.DB {
	if len(pages) == 1 {
		return pages[0]
	}
	all, args := union(pages)
	return db.Table("("+all+") AS merged", args...).Order(orderOf(list, "merged")).Limit(paging.Limit)
}

// union is the text of a query for all that the queries find, and its arguments.
func union(queries []*gorm.DB) (text string, args []any) {
	for _, q := range queries {
		args = append(args, q)
	}
	return "SELECT * FROM (?) AS part" + strings.Repeat(" UNION ALL SELECT * FROM (?) AS part", len(queries)-1), args
}

// orderOf is the order of a list when its columns come from a table, and the id as id.
func orderOf[R any](list sqldb.List[R], table string) string {
	from := sqldb.List[R]{ID: table + ".id", Desc: list.Desc}
	for _, n := range list.Numbers {
		from.Numbers = append(from.Numbers, table+n[strings.LastIndexByte(n, '.'):])
	}
	return from.OrderBy()
}

// shelf is an index in which rows are filed: those that are alike in some columns stand
// together, and in the order of a list. The database goes from one such run to the next,
// and reads of each that is wanted what the page needs. So a page costs the same however
// many rows are filed, and whichever of these columns it is narrowed by.
type shelf struct {
	table  string
	where  scan     // what comes first in the index
	by     []string // the columns that follow, before those of the order; none if those do
	within *gorm.DB // finds the only values of the first of these; nil for all
}

// each joins every row of a table, as part, with those that a query finds for it.
func (s shelf) each(db *gorm.DB, table string, found *gorm.DB) (text string, arg *gorm.DB) {
	if db.Name() == "postgres" {
		return table + " CROSS JOIN LATERAL (?) AS part", found.Select("*")
	}
	// CROSS lets SQLite begin with the first of the two.
	return table + " CROSS JOIN " + s.table + " AS part ON part.rowid IN (?)", found.Select("rowid")
}

// runs is the query for the values of by that there are.
func (s shelf) runs(db *gorm.DB) *gorm.DB {
	first := func(of string, alike int) *gorm.DB { // of the rows that are alike in so many columns
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
	} else { // SQLite looks up the first column of such a pair alone
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

// rows returns the query for the columns of rows that are filed, as part. narrow says which
// runs are wanted, by their columns, and find adds to the query for the rows of one.
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

// page returns the query for the columns of a page of a list. narrow is that of rows, and
// bound adds to the query for the rows of one run.
func page[R any](db *gorm.DB, s shelf, list sqldb.List[R], paging sqldb.Paging[R], columns string, narrow, bound func(*gorm.DB) *gorm.DB) *gorm.DB {
	all := s.rows(db, columns, narrow, func(q *gorm.DB) *gorm.DB { return paging.Apply(bound(q)) })
	return db.Table("(?) AS listed", all).Order(orderOf(list, "listed")).Limit(paging.Limit)
}

// readPage reads a page of keys, and the cursor of the next one.
func readPage[R any](q *gorm.DB, keys sqldb.Table[R], paging sqldb.Paging[R]) (page []R, nextPage string, err error) {
	if err := keys.Read(q, func(key R) { page = append(page, key) }); err != nil {
		return nil, "", err
	}
	return paging.Cut(page)
}

// columnsOf is a list of columns of a table.
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
		return sqldb.List[R]{}, wf.RefuseInput("value_error", []any{"query", "sort"}, "Value error, not a sort of this list")
	}
	return orders[i], nil
}
