package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
)

// ofRequests lists the resource types whose events belong to the chain of a request.
var ofRequests = []string{"request", "stage", "task"}

// ofService reports whether events of the type belong only to the service's own chain.
func ofService(t audit.EventType) bool {
	noun, _, _ := strings.Cut(string(t), ".")
	return slices.Contains([]string{"audit", "auth", "delivery", "endpoint", "policy", "webhook"}, noun)
}

// auditConditions returns the condition of a filter. It repeats the conditions of partial indexes
// where the filter implies them, so that the planner can use these indexes.
func auditConditions(db *gorm.DB, f wf.AuditFilter) (all scan) {
	add := func(where string, args ...any) { all = all.and(cond(where, args...)) }
	all = whereIn("type", f.Types)
	if len(f.Types) > 0 && !slices.ContainsFunc(f.Types, func(t audit.EventType) bool { return !ofService(t) }) {
		add("chain = 'service'")
	}
	if f.Actor != "" {
		add("actor_id = ?", printable(f.Actor))
	}
	if f.ErrorCode != "" {
		add("error_code = ?", printable(f.ErrorCode))
	}
	switch {
	case f.Outcome == wf.OutcomeDenied || f.ErrorCode != "":
		add("outcome = 'denied'")
	case f.Outcome == wf.OutcomeSuccess:
		add("outcome = ''")
	}
	if f.Chain != "" {
		add("chain = ?", printable(f.Chain))
	}
	if f.RequestID != "" {
		id := printable(f.RequestID)
		add("(chain = ? OR chain = 'service' AND request_id <> '' AND request_id = ?)", id, id)
	}
	all = all.and(anyOf(resourceScans(db, f)...))
	if !f.CreatedAfter.IsZero() {
		add("id >= ?", idAt(f.CreatedAfter.Add(time.Millisecond)))
	}
	if !f.CreatedBefore.IsZero() {
		add("id < ?", idAt(f.CreatedBefore))
	}
	return all
}

// usual excludes the event types that occur in every request. The partial index on the type has the
// same condition; the excluded types are frequent in id order.
const usual = "type NOT IN ('request.created', 'stage.started', 'task.created', 'task.decided', 'task.closed', 'stage.approved', 'request.approved')"

// scansOf splits a list of events into scans. Each scan has an index in id order.
func scansOf(db *gorm.DB, f wf.AuditFilter) []scan {
	if scans := resourceScans(db, f); f.ResourceID != "" && scans != nil {
		return scans
	}
	if f.RequestID != "" {
		id := printable(f.RequestID)
		return []scan{cond("chain = ?", id), cond("chain = 'service' AND request_id <> '' AND request_id = ?", id)}
	}
	rare := func(t audit.EventType) bool { return !strings.Contains(usual, "'"+string(t)+"'") }
	if len(f.Types) > 0 && !slices.ContainsFunc(f.Types, func(t audit.EventType) bool { return !rare(t) }) {
		return splitScans([]scan{{where: usual}}, "type", f.Types)
	}
	return []scan{{where: "1 = 1"}}
}

// resourceScans returns the scans for the events of a resource, nil without a resource filter. The service
// chain is searched by columns, the chain of a request by the event body.
func resourceScans(q *gorm.DB, f wf.AuditFilter) []scan {
	if f.ResourceType == "" && f.ResourceID == "" {
		return nil
	}
	kind, id := printable(string(f.ResourceType)), printable(f.ResourceID)
	service, args := "chain = 'service'", []any{}
	for _, column := range [][2]string{{"resource_type", kind}, {"resource_id", id}} {
		if column[1] != "" {
			service, args = service+" AND "+column[0]+" = ?", append(args, column[1])
		}
	}
	if kind != "" && !slices.Contains(ofRequests, kind) || id != "" && !isID(id) {
		return []scan{cond(service, args...)}
	}
	here := cond(service, args...)
	args = nil
	member := func(name string) string { return "json_extract(body, '$.resource." + name + "')" }
	if q.Name() == "postgres" {
		member = func(name string) string { return "body::json -> 'resource' ->> '" + name + "'" }
	}
	own := "chain <> 'service'"
	if id != "" {
		own = `chain IN (SELECT ? UNION SELECT CAST(request_id AS text) FROM task WHERE id = ?)
			AND ` + member("id") + " = ?"
		args = append(args, id, id, id)
	}
	if kind != "" {
		own, args = own+" AND "+member("type")+" = ?", append(args, kind)
	}
	return []scan{here, cond(own, args...)}
}

// idAt returns the lowest id of a millisecond. Event ids start with the time of the event, see
// wf.Seed.EventID.
func idAt(t time.Time) string {
	hex := fmt.Sprintf("%012x", max(t.UnixMilli(), 0))
	return hex[:8] + "-" + hex[8:] + "-0000-0000-000000000000"
}

// auditOrder returns the list order by id, newest or oldest first. Event ids ascend with time.
func auditOrder(oldest bool) sqldb.List[rowKey] {
	place := func(k rowKey) ([]int64, string) { return nil, k.ID }
	if oldest {
		return sqldb.List[rowKey]{Name: "audit_oldest", Sort: "audit_oldest", ID: "id", Place: place}
	}
	return sqldb.List[rowKey]{Name: "audit", Sort: "audit", ID: "id", Desc: true, Place: place}
}

// Audit reads and verifies the events of all chains.
type Audit struct{ db *sqldb.DB }

// Events lists events of all chains, with the stored names of the people in them.
func (s Audit) Events(ctx context.Context, f wf.AuditFilter, p wf.Page) ([]wf.AuditEvent, string, error) {
	db := s.db.Read(ctx)
	l := listQuery{List: auditOrder(f.Oldest), from: "event", columns: "id"}
	l.scans = eachScan(scansOf(db, f), auditConditions(db, f))
	keys, nextPage, err := l.read(s.db, db, f, p)
	var rows []eventRow
	if err == nil {
		in := among(db, "id", idsOf(keys))
		err = db.Where(in.where, in.args...).Order(l.OrderBy()).Find(&rows).Error
	}
	if err != nil {
		return nil, "", wrapError(err, "list audit events")
	}
	events, err := eventsOf(db, rows)
	list := make([]wf.AuditEvent, len(events))
	for i, e := range events {
		list[i] = wf.AuditEvent{Chain: rows[i].Chain, Event: e}
	}
	return list, nextPage, err
}

// StoredEvents returns at most limit events after last, ordered by chain and sequence number. It
// takes no lock. Each chain is a prefix without gaps, up to its end at the time of the read.
func (s Audit) StoredEvents(ctx context.Context, f wf.AuditFilter, last wf.StoredEvent, limit int) ([]wf.StoredEvent, error) {
	var rows []wf.StoredEvent
	db := s.db.Read(ctx)
	all := auditConditions(db, f)
	err := db.Model(&eventRow{}).Where(all.where, all.args...).Select("chain", "seq", "hash", "body").
		Where("(chain, seq) > (?, ?)", last.Chain, last.Seq).Order("chain, seq").Limit(limit).Find(&rows).Error
	return rows, wrapError(err, "read events after %d of chain %s", last.Seq, last.Chain)
}
