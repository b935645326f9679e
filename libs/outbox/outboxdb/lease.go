package outboxdb

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/sqldb"
)

// isAbandoned is the condition of a lease in outbox o with a dead owner. Its arguments are those of
// abandoned.
const isAbandoned = "(o.leased_ms > 0 AND o.lease_owner NOT IN ('', ?) AND o.lease_owner NOT IN (" + heartbeat.Alive + "))"

func abandonedArgs(process string, now time.Time) []any {
	return []any{process, heartbeat.LivenessCutoff(now)}
}

// isDue is the condition of a claimable delivery in outbox o: due and without a valid lease. Its
// arguments are those of due.
const isDue = "o.next_attempt_ms <= ? AND (o.leased_ms <= ? OR o.leased_ms <= ? AND " + isAbandoned + ")"

func dueArgs(process string, now time.Time) []any {
	living, dead := leaseEnd(now)
	return append([]any{ms(now), living, dead}, abandonedArgs(process, now)...)
}

// dueGroups returns the groups that are not paused and whose first delivery is due, longest waiting first,
// with the number of requests in flight and the endpoint. A skip scan (loose index scan) reads one index
// entry per group, whatever the number of its deliveries. Dead entries of sent deliveries precede the first
// delivery of a group until the next vacuum; only the skip scan reads them.
//
// Deliveries in flight are among the first of their group. The limit includes a margin for late commits.
// Leases of dead processes do not count.
var dueGroups = `WITH RECURSIVE open (name, head) AS (
		SELECT concurrency_group, next_attempt_ms FROM outbox WHERE id = (
			SELECT id FROM outbox ORDER BY concurrency_group, next_attempt_ms LIMIT 1)
		UNION ALL
		SELECT o.concurrency_group, o.next_attempt_ms FROM open JOIN outbox o ON o.id = (
			SELECT id FROM outbox WHERE concurrency_group > open.name ORDER BY concurrency_group, next_attempt_ms LIMIT 1)
	)
	SELECT open.name, open.head, (
			SELECT count(*) FROM (
				SELECT o.leased_ms FROM outbox o
				WHERE o.concurrency_group = open.name AND o.next_attempt_ms >= open.head AND NOT ` + isAbandoned + `
				ORDER BY o.next_attempt_ms, o.id LIMIT ?) AS first
			WHERE leased_ms > ?) AS busy,
		coalesce(CAST(e.id AS text), '') AS endpoint, coalesce(e.rev, 0) AS rev, coalesce(e.failures, 0) AS failures,
		coalesce(e.failing_since_ms, 0) AS failing, coalesce(e.paused_until_ms, 0) AS paused
	FROM open LEFT JOIN endpoint e ON CAST(e.id AS text) = open.name
	WHERE open.head <= ? AND coalesce(e.paused_until_ms, 0) <= ?`

// group is a concurrency group: an endpoint, or the host of callbacks.
type group struct {
	name string
	head int64 // when the first of it was or is due
	busy int

	// Members of the endpoint, if any, that change with every attempt. The others are cached by revision.
	endpoint string
	rev      int64
	health   outbox.Health
}

func (l *group) scan(scan func(into ...any) error) error {
	var failing, paused int64
	err := scan(&l.name, &l.head, &l.busy, &l.endpoint, &l.rev, &l.health.Failures, &failing, &paused)
	l.health.FailingSince, l.health.PausedUntil = at(failing), at(paused)
	return err
}

// slots returns the free slots of the group. Deliveries of a deleted or disabled endpoint are claimed too,
// for cancellation.
func (l group) slots(e *outbox.Endpoint, now time.Time, by Claimer) int {
	if e == nil || !e.Enabled {
		return by.PerTarget - l.busy
	}
	slots := e.FreeSlots(now, by.PerTarget)
	if by.Over != nil && slots == by.PerTarget { // fewer slots: the single attempt after a pause is pending
		return slots - max(0, l.busy-by.Over(l.name))
	}
	return slots - l.busy
}

// Claim is a claimed delivery with its present endpoint; a callback has none.
type Claim struct {
	outbox.Delivery
	Endpoint *outbox.Endpoint
	Group    string // concurrency group
}

// Claimer configures the claims of a worker.
type Claimer struct {
	Process   string         // its name in the table process; see package heartbeat
	PerTarget int            // most requests in flight to one target
	Jitter    func() float64 // see outbox.Delivery.Crashed

	// Over returns the number of successful exchanges on a group with unwritten outcomes. Nil is zero.
	Over func(group string) int

	// People permits claims of notices to people. Without it they wait.
	People bool

	// Signs reports whether the claimer has the keys of an endpoint. Deliveries of others wait. Nil permits
	// all.
	Signs func(outbox.Endpoint, time.Time) bool
}

// Claims is the result of ClaimDeliveries.
type Claims struct {
	Held    []*Claim
	Crashed []outbox.Delivery // lease expired without a result; in any later state
	More    bool              // further deliveries are due and wait for a slot
}

// ClaimDeliveries leases at most n due deliveries. At most PerTarget of one target are in flight, so that
// a slow receiver does not occupy all workers; concurrent claims of two replicas can exceed it. Deliveries
// of a disabled or deleted endpoint are cancelled.
//
// A lease without a result is recorded as a crash; see outbox.Delivery.Crashed.
func (s *Store) ClaimDeliveries(ctx context.Context, by Claimer, n int) (Claims, error) {
	open, endpoints, full, err := s.openGroups(ctx, by, n)
	if err != nil || len(open) == 0 {
		return Claims{More: full}, wrapError(err, "find due deliveries")
	}
	var claims Claims
	err = s.do(ctx, func(tx *Tx) error {
		claims = Claims{More: full}
		due, err := tx.dueArgs(by.Process, open)
		if err != nil {
			return err
		}
		var batch []sqldb.Stmt
		for _, l := range open {
			claims.More = claims.More || len(due[l.Name]) == l.Slots
		}
		var taken []outboxRow
		for _, found := range interleave(open, due, n) {
			claim := &Claim{found.delivery(), cmp.Or(endpoints[found.open.ConcurrencyGroup], &outbox.Endpoint{}), found.open.ConcurrencyGroup}
			d := &claim.Delivery
			if d.Status == outbox.DeliverySending {
				var crash outbox.Attempt
				before := rowOfDelivery(*d)
				*d, crash = d.RecordCrash(tx.Now(), by.Jitter())
				claims.Crashed = append(claims.Crashed, *d)
				batch = append(batch, attemptTable.Insert("", rowOfAttempt(crash))...)
				batch = append(batch, tx.store.delivery.Update(before, rowOfDelivery(*d), "")...)
				if d.Status != outbox.DeliverySending { // pending or failed
					batch = append(batch, putOutbox(*d)...)
					continue
				}
			}
			if d.Target.Endpoint != "" && !d.Target.ToPeople() && !claim.Endpoint.Enabled {
				before := rowOfDelivery(*d)
				*d = d.Cancel(tx.Now())
				batch = append(batch, tx.store.delivery.Update(before, rowOfDelivery(*d), "")...)
				batch = append(batch, putOutbox(*d)...)
				continue
			}
			d.Status = outbox.DeliverySending
			d.Lease = outbox.Lease{Token: d.Lease.Token + 1, Owner: by.Process, Since: tx.Now()}
			claims.Held, taken = append(claims.Held, claim), append(taken, rowOfOutbox(*d))
		}
		return tx.Batch(append(batch, outboxTable.UpdateAll(taken, "lease_token", "lease_owner", "leased_ms")...)...)
	})
	if err != nil {
		return Claims{}, wrapError(err, "claim deliveries")
	}
	return claims, nil
}

// openGroup is a group with claimable deliveries.
type openGroup struct {
	Name  string `json:"name"`
	Head  int64  `json:"head"`
	Slots int    `json:"slots"`
}

// openGroups returns the groups with claimable deliveries and their endpoints; full reports due deliveries
// on other groups. It runs outside the transaction, so that an idle poll does not wait for writers.
func (s *Store) openGroups(ctx context.Context, by Claimer, n int) (open []openGroup, endpoints map[string]*outbox.Endpoint, full bool, err error) {
	now, err := s.db.Now(ctx)
	if err != nil {
		return nil, nil, false, err
	}
	groups, err := s.groups(ctx, by, now)
	if err != nil {
		return nil, nil, false, err
	}
	if endpoints, err = s.endpointsOf(ctx, groups); err != nil {
		return nil, nil, false, err
	}
	for _, l := range groups {
		e := endpoints[l.name]
		if by.Signs != nil && e != nil && e.Enabled && !by.Signs(*e, now) || l.name == outbox.People && !by.People {
			continue
		}
		slots := min(n, l.slots(e, now, by))
		if slots <= 0 || len(open) >= n {
			full = true
			continue
		}
		open = append(open, openGroup{l.name, l.head, slots})
	}
	for i := range open { // no more than can be taken in turn
		open[i].Slots = min(open[i].Slots, (n+len(open)-1)/len(open))
	}
	return open, endpoints, full, nil
}

func (s *Store) groups(ctx context.Context, by Claimer, now time.Time) (groups []group, err error) {
	living, _ := leaseEnd(now)
	rows, err := s.db.Read(ctx).Table("("+dueGroups+") AS due", append(abandonedArgs(by.Process, now), 2*by.PerTarget, living, ms(now), ms(now))...).Order("head").Rows()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var l group
		if err := l.scan(rows.Scan); err != nil {
			return nil, err
		}
		groups = append(groups, l)
	}
	return groups, rows.Err()
}

// endpointsOf returns the endpoints of groups by name. It caches endpoints by revision, without health and
// encrypted keys.
func (s *Store) endpointsOf(ctx context.Context, groups []group) (map[string]*outbox.Endpoint, error) {
	var unknown []string
	for _, l := range groups {
		if known, ok := s.targets.Get(l.endpoint); l.endpoint != "" && (!ok || known.Rev != l.rev) {
			unknown = append(unknown, l.endpoint)
		}
	}
	if unknown != nil {
		var rows []endpointRow
		if err := s.db.Read(ctx).Find(&rows, "id IN ?", unknown).Error; err != nil {
			return nil, err
		}
		for _, row := range rows {
			s.targets.Add(row.ID, row.endpoint())
		}
	}
	endpoints := map[string]*outbox.Endpoint{}
	for _, l := range groups {
		if e, ok := s.targets.Get(l.endpoint); ok {
			e.Health = l.health
			endpoints[l.name] = &e
		}
	}
	return endpoints, nil
}

// dueRow is a due delivery with its payload.
type dueRow struct {
	open outboxRow
	row  deliveryRow

	payload     []byte
	traceparent string
}

// dueColumns are the columns of dueRow.scan in outbox and joined tables. %s is the column of the subject.
const dueColumns = `o.id, o.concurrency_group, o.next_attempt_ms, o.cycle, o.lease_token, o.lease_owner, o.leased_ms,
	d.event_id, d.event_type, coalesce(CAST(d.%s AS text), ''), d.sequence, coalesce(CAST(d.endpoint_id AS text), ''), d.endpoint, d.url, d.target,
	d.attempt, d.crashes, d.last_attempt_ms, d.last_status_code, d.last_error, d.last_duration_ms, d.response_excerpt, d.created_ms, d.updated_ms, m.payload, m.traceparent`

func (r *dueRow) scan(scan func(into ...any) error) error {
	o, d := &r.open, &r.row
	err := scan(&o.ID, &o.ConcurrencyGroup, &o.NextAttemptMS, &o.Cycle, &o.LeaseToken, &o.LeaseOwner, &o.LeasedMS,
		&d.EventID, &d.EventType, &d.Subject.String, &d.Sequence, &d.EndpointID.String, &d.Endpoint, &d.URL, &d.Target,
		&d.Attempt, &d.Crashes, &d.LastAttemptMS, &d.LastStatusCode, &d.LastError, &d.LastDurationMS, &d.ResponseExcerpt, &d.CreatedMS, &d.UpdatedMS, &r.payload, &r.traceparent)
	d.ID, d.Cycle = o.ID, int(o.Cycle)
	return err
}

func (r *dueRow) delivery() outbox.Delivery {
	d := r.row.delivery()
	d.Payload, d.Traceparent = r.payload, r.traceparent
	r.open.fill(&d)
	return d
}

// dueArgs loads and locks the due deliveries of the groups, longest waiting first. It skips locked rows.
func (tx *Tx) dueArgs(process string, groups []openGroup) (map[string][]*dueRow, error) {
	from := tx.store.due
	first := " WHERE o.concurrency_group = %s AND o.next_attempt_ms >= %s AND " + isDue +
		" ORDER BY o.next_attempt_ms, o.id LIMIT %s" + tx.RowLock("FOR NO KEY UPDATE OF o SKIP LOCKED")
	byGroup := map[string][]*dueRow{}
	each := func(scan func(into ...any) error) error {
		var r dueRow
		err := r.scan(scan)
		byGroup[r.open.ConcurrencyGroup] = append(byGroup[r.open.ConcurrencyGroup], &r)
		return err
	}
	var selects []sqldb.Stmt
	if tx.Name() == "sqlite" {
		for _, l := range groups {
			args := append([]any{l.Name, l.Head}, dueArgs(process, tx.Now())...)
			selects = append(selects, sqldb.Stmt{SQL: from + fmt.Sprintf(first, "?", "?", "?"), Args: append(args, l.Slots), Each: each})
		}
	} else { // one statement for all groups needs half the time
		text, err := json.Marshal(groups)
		if err != nil {
			return nil, err
		}
		selects = append(tx.commitAsync(), sqldb.Stmt{
			SQL: "SELECT due.* FROM jsonb_to_recordset(?::jsonb) AS open (name text, head bigint, slots int) CROSS JOIN LATERAL (" +
				from + fmt.Sprintf(first, "open.name", "open.head", "open.slots") + ") AS due",
			Args: append([]any{string(text)}, dueArgs(process, tx.Now())...), Each: each,
		})
	}
	return byGroup, tx.Batch(selects...)
}

// commitAsync commits the transaction asynchronously. If the server loses a lease or a success, the delivery
// is sent again as after a crash.
func (tx *Tx) commitAsync() []sqldb.Stmt {
	if tx.Name() == "sqlite" {
		return nil
	}
	var ignored string
	return []sqldb.Stmt{{SQL: "SELECT set_config('synchronous_commit', 'off', true)", Into: &ignored}}
}

// interleave interleaves the groups: the first of each, then the second, up to n.
func interleave(groups []openGroup, due map[string][]*dueRow, n int) []*dueRow {
	var rows []*dueRow
	for i, more := 0, true; more; i++ {
		more = false
		for _, l := range groups {
			if i < len(due[l.Name]) && len(rows) < n {
				rows, more = append(rows, due[l.Name][i]), true
			}
		}
	}
	return rows
}

// Finished is the outcome of an attempt, as outbox.Delivery.Finish returns it.
type Finished struct {
	Delivery outbox.Delivery
	Attempt  outbox.Attempt
}

// FinishDeliveries writes outcomes. It returns outcomes with a lost lease without writing them.
func (tx *Tx) FinishDeliveries(list []Finished) (lost []Finished, err error) {
	held, err := tx.endLeases(list)
	if err != nil {
		return nil, wrapError(err, "end the leases of finished deliveries")
	}
	var rows []deliveryRow
	var attempts []attemptRow
	var again []outboxRow
	for _, f := range list {
		if !held[f.Delivery.ID] {
			lost = append(lost, f)
			continue
		}
		rows = append(rows, rowOfDelivery(f.Delivery))
		if f.Attempt.Seq != 0 { // a cancelled delivery has no attempt
			attempts = append(attempts, rowOfAttempt(f.Attempt))
		}
		if isOpen(f.Delivery) {
			again = append(again, rowOfOutbox(f.Delivery))
		}
	}
	return lost, wrapError(tx.Batch(slices.Concat(
		tx.store.delivery.UpdateAll(rows, "url", "status", "attempt", "last_attempt_ms", "last_status_code", "last_error",
			"last_duration_ms", "response_excerpt", "delivered_ms", "updated_ms"),
		attemptTable.Insert("", attempts...), outboxTable.Insert("", again...),
	)...), "write outcomes of deliveries")
}

// endLeases deletes the worker's claims from the outbox and returns their ids. Retries are inserted with
// their next time.
func (tx *Tx) endLeases(list []Finished) (map[string]bool, error) {
	type key struct {
		ID    string `json:"id"`
		Cycle int    `json:"cycle"`
		Token int64  `json:"token"`
	}
	keys := make([]key, len(list))
	for i, f := range list {
		keys[i] = key{f.Delivery.ID, f.Delivery.Cycle, f.Delivery.Lease.Token}
	}
	text, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	// By key only, so that no plan scans the table.
	query := "DELETE FROM outbox WHERE id IN (SELECT value ->> 'id' FROM json_each(?1)) AND leased_ms > 0" +
		" AND (id, cycle, lease_token) IN (SELECT value ->> 'id', value ->> 'cycle', value ->> 'token' FROM json_each(?1)) RETURNING id"
	if tx.Name() != "sqlite" {
		query = "DELETE FROM outbox USING jsonb_to_recordset(?::jsonb) AS held (id uuid, cycle int, token bigint)" +
			" WHERE outbox.id = held.id AND outbox.cycle = held.cycle AND lease_token = token AND leased_ms > 0 RETURNING outbox.id"
	}
	held := map[string]bool{}
	taken := sqldb.Stmt{SQL: query, Args: []any{string(text)}, Each: func(scan func(into ...any) error) error {
		var id string
		err := scan(&id)
		held[id] = true
		return err
	}}
	if lost := func(f Finished) bool { return f.Attempt.Outcome != outbox.AttemptDelivered }; !slices.ContainsFunc(list, lost) {
		return held, tx.Batch(append(tx.commitAsync(), taken)...)
	}
	return held, tx.Batch(taken)
}

// ReleaseDelivery releases a claimed, unsent delivery. It ignores a lost lease.
func (s *Store) ReleaseDelivery(ctx context.Context, d outbox.Delivery) error {
	err := s.do(ctx, func(tx *Tx) error {
		return tx.Table("outbox").Where("id = ? AND cycle = ? AND lease_token = ? AND "+isSending, d.ID, d.Cycle, d.Lease.Token).
			Updates(map[string]any{"leased_ms": 0, "lease_owner": ""}).Error
	})
	return wrapError(err, "release delivery %s", d.ID)
}

// setOf returns the condition that an id is one of several, and its argument.
func (tx *Tx) setOf(ids []string) (condition, arg string) {
	if tx.Name() == "sqlite" {
		return "IN (SELECT value FROM json_each(?))", `["` + strings.Join(ids, `","`) + `"]`
	}
	return "= ANY(?::uuid[])", "{" + strings.Join(ids, ",") + "}"
}
