package store

import (
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
)

// scan is a part of a list that one index holds in the order of the list.
type scan struct {
	where string
	args  []any
}

func (s scan) and(where string, args ...any) scan {
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

// window is how many rows of a list are looked through for those that a filter wants,
// before they are looked for by that filter.
const window = 2000

// pageOf returns the query for the columns of a page of a list that several scans make up,
// none of which has a row of another. One of the columns is id. Of each the database reads
// only what the page needs, so a page costs the same however long the list is. narrow adds
// to each scan.
func pageOf[R any](db *gorm.DB, list sqldb.List[R], paging sqldb.Paging[R], columns, from string, scans []scan, narrow func(*gorm.DB) *gorm.DB) *gorm.DB {
	if len(scans) == 0 {
		scans = []scan{{where: "1 = 0"}}
	}
	var parts []string
	var args []any
	for _, s := range scans {
		q := paging.Apply(narrow(db.Table(from).Select(columns).Where(s.where, s.args...)))
		if len(scans) == 1 {
			return q
		}
		parts, args = append(parts, "SELECT * FROM (?) AS part"), append(args, q)
	}
	merged := sqldb.List[R]{ID: "id", Desc: list.Desc}
	for _, n := range list.Numbers {
		merged.Numbers = append(merged.Numbers, bare(n))
	}
	return db.Table("("+strings.Join(parts, " UNION ALL ")+") AS merged", args...).Order(merged.OrderBy()).Limit(paging.Limit)
}

// bare is a column without its table.
func bare(column string) string { return column[strings.LastIndexByte(column, '.')+1:] }
