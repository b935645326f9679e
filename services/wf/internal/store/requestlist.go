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
	ID        string
	CreatedMS int64
	UpdatedMS int64
}

const byUpdate = "updated_at"

// requestOrder returns a list order of requests, newest first, for the columns of a table.
func requestOrder(sort, table, id string) (sqldb.List[requestKey], error) {
	return sortedBy([]sqldb.List[requestKey]{
		{
			Name: "requests", Sort: "created_at", Numbers: []string{table + ".created_ms"}, ID: id, Desc: true,
			Place: func(k requestKey) ([]int64, string) { return []int64{k.CreatedMS}, k.ID },
		},
		{
			Name: "requests", Sort: byUpdate, Numbers: []string{table + ".updated_ms"}, ID: id, Desc: true,
			Place: func(k requestKey) ([]int64, string) { return []int64{k.UpdatedMS}, k.ID },
		},
	}, sort)
}

// everyStatus lists the statuses of requests.
var everyStatus = []wf.RequestStatus{
	wf.RequestInReview, wf.RequestBlocked, wf.RequestChangesRequested, wf.RequestApproved, wf.RequestRejected, wf.RequestCancelled, wf.RequestExpired,
}

// requestQuery returns the scans for a filter. In the order of creation the requests of a person are
// scanned by participant; requesters and submitters are participants.
func requestQuery(db *gorm.DB, f wf.RequestFilter) (l listQuery[requestKey], err error) {
	created, left := f.Sort != byUpdate, f
	table, id := "request", "request.id"
	person := cmp.Or(f.Own, f.Participant, f.Requester)
	if len(f.Owned) > 0 {
		person = cmp.Or(f.Participant, f.Requester)
	}
	switch {
	case created && f.Own != "" && person == "":
		left.Own = ""
		l.scans = ownedScans(f)
		for i := range l.scans {
			l.scans[i] = l.scans[i].intersect("NOT "+hasPart, printable(f.Own))
		}
		l.also = cond("request.user_id = ?", printable(f.Own))
		l.alsoFrom = "(SELECT request_id AS id, created_ms, user_id FROM participant WHERE reader) AS request"
	case created && person != "":
		table, id = "participant", "participant.request_id"
		l.scans = []scan{{"participant.user_id = ? AND participant.reader", []any{printable(person)}}}
	case !created && f.Requester != "":
		l.scans = []scan{{"request.requester_id = ?", []any{printable(f.Requester)}}}
		left.Requester, person = "", f.Requester
	default:
		l.scans, left.Status, person = requestsInStatus(f), nil, ""
		if created && len(f.PolicyKey) > 0 && len(f.PolicyKey) <= maxSplit {
			l.scans, left.PolicyKey = splitScans(l.scans, "request.policy_key", sqldb.Values(f.PolicyKey, printable)), nil
		}
	}
	if created {
		for i := range l.scans {
			l.scans[i] = allOf(l.scans[i], createdBetween(table+".created_ms", f))
		}
		if l.alsoFrom != "" {
			l.also = allOf(l.also, createdBetween(table+".created_ms", f))
		}
		left.CreatedAfter, left.CreatedBefore = time.Time{}, time.Time{}
	}
	for _, covered := range []*string{&left.Own, &left.Participant} {
		if *covered == person {
			*covered = ""
		}
	}
	l.List, err = requestOrder(f.Sort, table, id)
	l.from, l.columns = table, id+" AS id, "+strings.Join(l.Numbers, ", ")
	l.filter, l.join = conditions(db, left), "JOIN request ON request.id = merged.id"
	return l, err
}

// ownedScans returns the scans of the requests of owned policies.
func ownedScans(f wf.RequestFilter) []scan {
	keys := sqldb.Values(f.Owned, printable)
	if len(keys) > maxSplit {
		return splitScans([]scan{cond("request.policy_key IN ?", keys)}, "request.status", everyStatus)
	}
	return splitScans(splitScans([]scan{{}}, "request.policy_key", keys), "request.status", everyStatus)
}

// maxSplit bounds the policies that a list scans one by one.
const maxSplit = 10

// requestsInStatus returns one scan for each status of a filter. Overdue requests read as expired,
// whatever their stored status; see wf.Request.AsOf.
func requestsInStatus(f wf.RequestFilter) []scan {
	if len(f.Status) == 0 {
		return splitScans([]scan{{}}, "request.status", everyStatus)
	}
	var scans []scan
	for _, status := range f.Status {
		in := scan{"request.status = ?", []any{status}}
		if !status.Final() {
			in = in.intersect("NOT "+overdue, ms(f.AsOf))
		}
		scans = append(scans, in)
		if status == wf.RequestExpired {
			scans = append(scans, scan{overdue, []any{ms(f.AsOf)}})
		}
	}
	return scans
}

// createdBetween returns the condition of a filter on the time of creation.
func createdBetween(column string, f wf.RequestFilter) scan {
	return allOf(
		cond(column+" > ?", ms(f.CreatedAfter)).when(!f.CreatedAfter.IsZero()),
		cond(column+" < ?", ms(f.CreatedBefore)).when(!f.CreatedBefore.IsZero()),
	)
}

// conditions returns the condition of a filter, empty for an empty filter.
func conditions(db *gorm.DB, f wf.RequestFilter) scan {
	status := cond("request.status IN ? AND NOT "+overdue, f.Status, ms(f.AsOf))
	if slices.Contains(f.Status, wf.RequestExpired) {
		status = cond("(request.status IN ? OR "+overdue+")", f.Status, ms(f.AsOf))
	}
	return allOf(
		status.when(len(f.Status) > 0),
		whereIn("request.policy_key", f.PolicyKey),
		whereIn("request.artifact_type", f.ArtifactType),
		whereIn("request.artifact_id", f.ArtifactID),
		cond("request.requester_id = ?", printable(f.Requester)).when(f.Requester != ""),
		cond(hasPart, printable(f.Participant)).when(f.Participant != ""),
		cond(hasPart, printable(f.Own)).when(f.Own != "" && len(f.Owned) == 0),
		cond("("+hasPart+" OR request.policy_key IN ?)", printable(f.Own), sqldb.Values(f.Owned, printable)).
			when(f.Own != "" && len(f.Owned) > 0),
		createdBetween("request.created_ms", f),
		labelScan(db, "request.labels", f.Labels),
		ofStanding(f),
		stageDue("<=", f.AsOf, f).is(f.Due.Overdue),
		stageDue("<", f.Due.Before, f).when(!f.Due.Before.IsZero()),
		cond("request.status = 'approved' AND request.valid_until_ms > 0 AND request.valid_until_ms < ?", ms(f.ValidBefore)).
			when(!f.ValidBefore.IsZero()),
		textMatch(f.Q).when(f.Q != ""),
	)
}

// stageDue returns the condition that a request has a running stage with a due date before t. Expired requests have
// none.
func stageDue(before string, t time.Time, f wf.RequestFilter) scan {
	return cond("(NOT "+overdue+" AND request.due_ms > 0 AND request.due_ms "+before+" ?)", ms(f.AsOf), ms(t))
}

// ofStanding returns the condition of a filter on the standing of approvals. An approval past its validity
// reads as lapsed, whatever its stored standing; see wf.Request.AsOf.
func ofStanding(f wf.RequestFilter) scan {
	var some scan
	for _, standing := range f.Standing {
		one := scan{"request.standing = ?", []any{standing}}
		switch standing {
		case wf.StandingPending:
			one = scan{"request.status = 'approved' AND request.standing = '' AND request.valid_from_ms > ?", []any{ms(f.AsOf)}}
		case wf.StandingInForce:
			one = scan{"request.status = 'approved' AND request.standing = '' AND request.valid_from_ms <= ? AND NOT " + lapsed,
				[]any{ms(f.AsOf), ms(f.AsOf)}}
		case wf.StandingLapsed:
			one = scan{"(request.standing = ? OR " + lapsed + ")", []any{standing, ms(f.AsOf)}}
		}
		if some.where != "" {
			some.where += " OR "
		}
		some = scan{some.where + one.where, append(some.args, one.args...)}
	}
	if some.where == "" {
		return some
	}
	return scan{"(" + some.where + ")", some.args}
}

// indexedRequests returns the queries for the ids of requests by the indexes of a filter's members.
func indexedRequests(db *gorm.DB, f wf.RequestFilter) (queries []*gorm.DB) {
	if len(f.ArtifactID) > 0 {
		queries = append(queries, sqldb.OneOf(db.Table("request").Select("id"), "artifact_id", f.ArtifactID))
	}
	queries = append(queries, indexedText(db, f.Q)...)
	if labels := labelScan(db, "labels", f.Labels); labels.where != "" && db.Name() == "postgres" {
		queries = append(queries, db.Table("request").Select("id").Where(labels.where, labels.args...))
	}
	for _, id := range []string{f.Participant, f.Own, f.Requester} {
		if owner := id == f.Own && len(f.Owned) > 0 && id != f.Participant && id != f.Requester; id != "" && !owner {
			queries = append(queries, db.Table("participant").Select("request_id").Where("user_id = ? AND reader", printable(id)))
		}
	}
	return queries
}

// requestPage reads a page of keys and returns the cursor of the next page.
func (s *Store) requestPage(db *gorm.DB, f wf.RequestFilter, p wf.Page) (keys []requestKey, nextPage string, err error) {
	l, err := requestQuery(db, f)
	if err != nil {
		return nil, "", err
	}
	if l.filter.where != "" {
		ids, few, err := selectIDs(indexedRequests(db, f)...)
		if err != nil {
			return nil, "", err
		}
		if few {
			which, arg := sqldb.Among(db, "request.id", ids)
			all := allOf(conditions(db, f), cond(which, arg))
			l = listQuery[requestKey]{from: "request", scans: []scan{all}}
			if l.List, err = requestOrder(f.Sort, "request", "request.id"); err != nil {
				return nil, "", err
			}
			l.columns = "request.id, " + strings.Join(l.Numbers, ", ")
		}
	}
	paging, err := l.Paging(s.db, db, f, p)
	if err != nil {
		return nil, "", err
	}
	return l.page(db, paging)
}

// Requests lists requests without their content. The status is as of f.AsOf.
func (s *Store) Requests(ctx context.Context, f wf.RequestFilter, p wf.Page) (list []wf.Request, nextPage string, err error) {
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		if f.AsOf.IsZero() {
			f.AsOf = tx.Now()
		}
		var keys []requestKey
		if keys, nextPage, err = s.requestPage(tx.DB, f, p); err != nil || len(keys) == 0 {
			return err
		}
		requests, err := requestsByID(tx.DB, sqldb.Values(keys, func(k requestKey) string { return k.ID }))
		for _, k := range keys {
			list = append(list, requests[k.ID].AsOf(f.AsOf))
		}
		return err
	})
	return list, nextPage, wrapError(err, "list requests")
}
