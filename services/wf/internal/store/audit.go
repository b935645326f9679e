package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
)

// ofService reports whether events of the type belong only to the service's own chain.
func ofService(t audit.EventType) bool {
	noun, _, _ := strings.Cut(string(t), ".")
	return slices.Contains([]string{"audit", "auth", "delivery", "endpoint", "policy", "webhook"}, noun)
}

// auditConditions returns the condition of a filter. It repeats the conditions of partial indexes
// where the filter implies them, so that the planner can use these indexes.
func auditConditions(f wf.AuditFilter) scan {
	others := func(t audit.EventType) bool { return !ofService(t) }
	service := f.ResourceType != "" || f.ResourceID != "" || len(f.Types) > 0 && !slices.ContainsFunc(f.Types, others)
	return allOf(
		whereIn("type", f.Types),
		cond("chain = 'service'").when(service),
		cond("resource_type = ?", f.ResourceType).when(f.ResourceType != ""),
		cond("resource_id = ?", printable(f.ResourceID)).when(f.ResourceID != ""),
		cond("actor_id = ?", printable(f.Actor)).when(f.Actor != ""),
		cond("outcome = 'denied'").when(f.Outcome == wf.OutcomeDenied),
		cond("outcome = ''").when(f.Outcome == wf.OutcomeSuccess),
		cond("chain = ?", printable(f.Chain)).when(f.Chain != ""),
		anyOf(chainsOf(f.RequestID)...).when(f.RequestID != ""),
		cond("id >= ?", idAt(f.CreatedAfter.Add(time.Millisecond))).when(!f.CreatedAfter.IsZero()),
		cond("id < ?", idAt(f.CreatedBefore)).when(!f.CreatedBefore.IsZero()),
	)
}

// chainsOf returns the scans for the chain of a request, and for the events of the service's own chain about it.
func chainsOf(request string) []scan {
	id := printable(request)
	return []scan{cond("chain = ?", id), cond("chain = 'service' AND request_id <> '' AND request_id = ?", id)}
}

// usual excludes the event types that occur in every request. The partial index on the type has the
// same condition; the excluded types are frequent in id order.
const usual = "type NOT IN ('request.created', 'stage.started', 'task.created', 'task.decided', 'task.closed', 'stage.approved', 'request.approved')"

// scansOf splits a list of events into scans. Each scan has an index in id order.
func scansOf(f wf.AuditFilter) []scan {
	if f.RequestID != "" {
		return chainsOf(f.RequestID)
	}
	rare := func(t audit.EventType) bool { return !strings.Contains(usual, "'"+string(t)+"'") }
	if len(f.Types) > 0 && !slices.ContainsFunc(f.Types, func(t audit.EventType) bool { return !rare(t) }) {
		return splitScans([]scan{cond(usual)}, "type", f.Types)
	}
	return []scan{cond("1 = 1")}
}

// idAt returns the lowest id of a millisecond. Event ids start with the time of the event, see
// wf.Seed.EventID.
func idAt(t time.Time) string {
	hex := fmt.Sprintf("%012x", max(t.UnixMilli(), 0))
	return hex[:8] + "-" + hex[8:] + "-0000-0000-000000000000"
}

// auditOrder is the order by id, newest first. Event ids ascend with time.
var auditOrder = sqldb.List[rowKey]{
	Name: "audit", Sort: "audit", ID: "id", Desc: true,
	Place: func(k rowKey) ([]int64, string) { return nil, k.ID },
}

// Audit reads and verifies the events of all chains.
type Audit struct{ db *sqldb.DB }

// Events lists events of all chains, with the stored names of the people in them.
func (s Audit) Events(ctx context.Context, f wf.AuditFilter, p wf.Page) ([]wf.AuditEvent, string, error) {
	db := s.db.Read(ctx)
	l := listQuery{List: auditOrder, from: "event", columns: "id", scans: eachScan(scansOf(f), auditConditions(f))}
	keys, nextPage, err := l.read(s.db, db, f, p)
	var rows []eventRow
	if err == nil {
		err = among(db, "id", idsOf(keys)).of(db).Order(l.OrderBy()).Find(&rows).Error
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
	err := auditConditions(f).of(db.Model(&eventRow{})).Select("chain", "seq", "hash", "body").
		Where("(chain, seq) > (?, ?)", last.Chain, last.Seq).Order("chain, seq").Limit(limit).Find(&rows).Error
	return rows, wrapError(err, "read events after %d of chain %s", last.Seq, last.Chain)
}
