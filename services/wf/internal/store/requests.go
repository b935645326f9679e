package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// requestKey is the position of a request in a list: its id and its sort value.
type requestKey struct {
	ID string
	MS int64
}

var requestKeys = sqldb.TableOf[requestKey]()

// requestOrders returns the list orders of requests, newest first, for the columns of a table. The
// first is the default.
func requestOrders(table, id string) []sqldb.List[requestKey] {
	return []sqldb.List[requestKey]{
		{
			Name: "requests", Sort: "created_at", Numbers: []string{table + ".created_ms"}, ID: table + "." + id, Desc: true,
			Place: func(k requestKey) ([]int64, string) { return []int64{k.MS}, k.ID },
		},
		{
			Name: "requests", Sort: byUpdate, Numbers: []string{table + ".updated_ms"}, ID: table + "." + id, Desc: true,
			Place: func(k requestKey) ([]int64, string) { return []int64{k.MS}, k.ID },
		},
	}
}

const byUpdate = "updated_at"

// requestColumns returns the columns of a requestKey in an order.
func requestColumns(order sqldb.List[requestKey]) string {
	return order.ID + " AS id, " + order.Numbers[0]
}

// requestList is the access path of a request list: a skip scan in list order that applies some
// filters. The filters in left are checked on each request.
type requestList struct {
	wf.RequestFilter
	left   wf.RequestFilter
	shelf  shelf
	orders []sqldb.List[requestKey] // orders of the skip scan
}

func requestListOf(db *gorm.DB, f wf.RequestFilter) requestList {
	l := requestList{f, f, shelf{table: "request", where: scan{where: "1 = 1"}, by: []string{"status"}}, requestOrders("request", "id")}
	person := f.Requester
	if f.Sort != byUpdate {
		person = cmp.Or(f.Own, f.Participant, f.Requester)
		l.left.CreatedAfter, l.left.CreatedBefore = time.Time{}, time.Time{}
	}
	switch {
	case f.Sort == byUpdate && person != "":
		l.shelf.where = scan{"request.requester_id = ?", []any{printable(person)}}
		l.left.Requester, l.left.Status = "", nil
	case person != "":
		l.shelf = shelf{table: "participant", where: scan{"participant.user_id = ?", []any{printable(person)}}}
		if len(f.PolicyKey)+len(f.ArtifactType) > 0 {
			l.shelf.by = []string{"policy_key", "artifact_type"}
		}
		l.orders = requestOrders("participant", "request_id")
		l.left.PolicyKey, l.left.ArtifactType = nil, nil
	case f.Sort != byUpdate && len(f.PolicyKey)+len(f.ArtifactType) > 0:
		l.shelf.by = []string{"policy_key", "artifact_type", "status"}
		if len(f.PolicyKey) > 0 {
			l.shelf.within = sqldb.OneOf(db.Table("policy").Select("policy_key"), "policy_key", f.PolicyKey)
		}
		l.left.PolicyKey, l.left.ArtifactType, l.left.Status = nil, nil, nil
	default:
		l.left.Status = nil
	}
	for _, who := range []*string{&l.left.Own, &l.left.Participant} {
		if *who == person { // requesters and submitters are participants
			*who = ""
		}
	}
	return l
}

// filed reports whether the index has the column before the sort columns.
func (l requestList) filed(column string) bool { return slices.Contains(l.shelf.by, column) }

// narrowed reports whether the skip scan applies any filter.
func (l requestList) narrowed() bool {
	return len(l.shelf.where.args) > 0 || l.filed("policy_key") || l.filed("status") && len(l.Status) > 0
}

// page returns the query for one page of the skip scan.
func (l requestList) page(db *gorm.DB, order sqldb.List[requestKey], paging sqldb.Paging[requestKey]) *gorm.DB {
	narrow := func(q *gorm.DB) *gorm.DB {
		if l.filed("status") {
			q = sqldb.OneOf(q, "run.status", l.Status)
		}
		if l.filed("policy_key") {
			q = sqldb.OneOf(sqldb.OneOf(q, "run.policy_key", l.PolicyKey), "run.artifact_type", l.ArtifactType)
		}
		return q
	}
	bound := func(q *gorm.DB) *gorm.DB {
		if l.filed("status") && slices.ContainsFunc(l.Status, func(s wf.RequestStatus) bool { return !s.Final() }) {
			q = q.Where("request.id NOT IN "+overdueRequests, ms(l.AsOf))
		}
		if l.Sort != byUpdate && !l.CreatedAfter.IsZero() {
			q = q.Where(l.shelf.table+".created_ms > ?", ms(l.CreatedAfter))
		}
		if l.Sort != byUpdate && !l.CreatedBefore.IsZero() {
			q = q.Where(l.shelf.table+".created_ms < ?", ms(l.CreatedBefore))
		}
		return q
	}
	rows := []*gorm.DB{page(db, l.shelf, order, paging, strings.ReplaceAll(requestColumns(order), l.shelf.table+".", "part."), narrow, bound)}
	if l.filed("status") && slices.Contains(l.Status, wf.RequestExpired) { // overdue requests whose stored status is still open
		rows = append(rows, l.matching(db, order, paging, scan{"request.id IN " + overdueRequests, []any{ms(l.AsOf)}}))
	}
	return mergePages(db, order, paging, rows)
}

// matching returns the query for one page of the list, restricted to among.
func (l requestList) matching(db *gorm.DB, order sqldb.List[requestKey], paging sqldb.Paging[requestKey], among scan) *gorm.DB {
	all := conditions(db, l.RequestFilter).and(among.where, among.args...)
	return paging.Apply(db.Table("request").Select(requestColumns(order)).Where(all.where, all.args...))
}

// conditions returns the condition of a filter, empty for an empty filter.
func conditions(db *gorm.DB, f wf.RequestFilter) scan {
	var all scan
	switch {
	case slices.Contains(f.Status, wf.RequestExpired):
		all = all.and("(request.status IN ? OR "+overdue+")", f.Status, ms(f.AsOf))
	case len(f.Status) > 0:
		all = all.and("request.status IN ? AND NOT "+overdue, f.Status, ms(f.AsOf))
	}
	for i, values := range [][]string{f.PolicyKey, f.ArtifactType, f.ArtifactID} {
		if len(values) > 0 {
			all = all.and([]string{"request.policy_key", "request.artifact_type", "request.artifact_id"}[i]+" IN ?", sqldb.Values(values, printable))
		}
	}
	if f.Requester != "" {
		all = all.and("request.requester_id = ?", printable(f.Requester))
	}
	for _, id := range []string{f.Participant, f.Own} {
		if id != "" {
			all = all.and(hasPart, printable(id))
		}
	}
	if !f.CreatedAfter.IsZero() {
		all = all.and("request.created_ms > ?", ms(f.CreatedAfter))
	}
	if !f.CreatedBefore.IsZero() {
		all = all.and("request.created_ms < ?", ms(f.CreatedBefore))
	}
	if labels := labelled(db, "request.labels", f.Labels); labels.where != "" {
		all = all.and(labels.where, labels.args...)
	}
	if f.Q != "" {
		text := textMatch(f.Q)
		all = all.and(text.where, text.args...)
	}
	return all
}

// artifactTypes selects the existing types with one index lookup each.
const artifactTypes = `WITH RECURSIVE kind (name) AS (
		SELECT (SELECT min(artifact_type) FROM request)
		UNION ALL SELECT (SELECT min(artifact_type) FROM request WHERE artifact_type > kind.name) FROM kind WHERE kind.name IS NOT NULL)
	SELECT name FROM kind WHERE name IS NOT NULL`

// among returns the condition that a request is in the result of an index with another order. It
// reports false if the result has more than most rows or no filter selects an index.
func (s *Store) among(db *gorm.DB, l requestList, most int) (found scan, few bool, err error) {
	q, err := s.ids(db, l, most+1)
	if err != nil || q == nil {
		return scan{}, false, err
	}
	var ids []string
	if err := q.Scan(&ids).Error; err != nil || len(ids) > most {
		return scan{}, false, err
	}
	where, arg := sqldb.Among(db, "request.id", ids)
	return scan{where, []any{arg}}, true, nil
}

// ids returns the query for at most limit ids from an index with another order. It returns nil if
// no filter selects an index.
func (s *Store) ids(db *gorm.DB, l requestList, limit int) (*gorm.DB, error) {
	if len(l.ArtifactID) > 0 {
		ids := sqldb.OneOf(sqldb.OneOf(db.Table("request").Select("id"), "artifact_type", l.ArtifactType), "artifact_id", l.ArtifactID)
		if len(l.ArtifactType) == 0 {
			ids = ids.Where("artifact_type IN (" + artifactTypes + ")") // leading column of the index
		}
		return ids.Limit(limit), nil
	}
	f := l.RequestFilter
	if f.Sort = byUpdate; l.Sort == byUpdate {
		f.Sort = ""
	}
	other := requestListOf(db, f)
	if !other.narrowed() {
		return nil, nil
	}
	order, err := sortedBy(other.orders, f.Sort)
	if err != nil {
		return nil, err
	}
	paging, err := order.Paging(s.db, db, f, sqldb.Page{})
	paging.Limit = limit
	return db.Table("(?) AS other", other.page(db, order, paging)).Select("id"), err
}

// soonRead is the result size up to which an index in another order is preferred to a scan in list
// order.
var soonRead = 100

// requestKeys reads a page of keys and returns the cursor of the next page.
func (s *Store) requestKeys(db *gorm.DB, l requestList, p sqldb.Page) (keys []requestKey, nextPage string, err error) {
	order, err := sortedBy(l.orders, l.Sort)
	if err != nil {
		return nil, "", err
	}
	paging, err := order.Paging(s.db, db, l.RequestFilter, p)
	if err != nil {
		return nil, "", err
	}
	left := conditions(db, l.left)
	if left.where == "" {
		return readPage(l.page(db, order, paging), requestKeys, paging)
	}
	direct, err := sortedBy(requestOrders("request", "id"), l.Sort)
	if err != nil {
		return nil, "", err
	}
	pages, err := direct.Paging(s.db, db, l.RequestFilter, p)
	if err != nil {
		return nil, "", err
	}
	matching := func(among scan) *gorm.DB { return l.matching(db, direct, pages, among) }
	among, few, err := s.among(db, l, soonRead)
	if err != nil {
		return nil, "", err
	}
	if few {
		return readPage(matching(among), requestKeys, pages)
	}
	return searched(db, left, order, requestKeys, paging, "listed JOIN request ON request.id = listed.id",
		func(p sqldb.Paging[requestKey]) *gorm.DB { return l.page(db, order, p) },
		func() (scan, bool, error) {
			if among, few, err := s.among(db, l, fewMatches); err != nil || few {
				return among, few, err
			}
			return indexed(db, l.Q, l.Labels)
		}, matching)
}

// listedRequests is the request table without the columns that no list returns.
var listedRequests = requestTable.Without("context", "attachments", "folded_title", "folded_artifact_id")

// Requests lists requests without context, attachments, stages and tasks. The status is as of
// f.AsOf.
func (s *Store) Requests(ctx context.Context, f wf.RequestFilter, p wf.Page) (list []wf.Request, nextPage string, err error) {
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		if f.AsOf.IsZero() {
			f.AsOf = tx.Now()
		}
		var keys []requestKey
		if keys, nextPage, err = s.requestKeys(tx.DB, requestListOf(tx.DB, f), sqldb.Page(p)); err != nil || len(keys) == 0 {
			return err
		}
		ids := sqldb.Values(keys, func(k requestKey) string { return k.ID })
		var c codec
		places := placesOf(ids)
		list = make([]wf.Request, len(ids))
		where, arg := sqldb.Among(tx.DB, "id", ids)
		tx.Last()
		var row requestRow
		columns := listedRequests.Into(&row)
		return tx.Load(sqldb.Select{SQL: listedRequests.From() + " WHERE " + where, Args: []any{arg}, Each: func(scan func(into ...any) error) (err error) {
			if err := scan(columns...); err != nil {
				return err
			}
			list[places[row.ID]], err = row.request(&c)
			return err
		}})
	})
	for i := range list {
		list[i] = list[i].AsOf(f.AsOf)
	}
	return list, nextPage, failed(err, "list requests")
}
