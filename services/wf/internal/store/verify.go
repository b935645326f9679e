package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/trail"
	"github.com/countersign/countersign/services/wf/policy"
)

const (
	maxBad      = 100   // chains in the result
	maxRecorded = 1_000 // breaks of one chain that are recorded
)

var (
	verifyEvents   = 1000 // events per query
	verifyRequests = 100  // requests per query
)

// firstID sorts before every id.
const firstID = "00000000-0000-0000-0000-000000000000"

// Verification is the result of recomputing every chain and comparing the stored state with it.
type Verification struct {
	Chains, Events int64
	Bad            []audit.BadChain // the first 100, by name
}

// walk verifies a chain event by event.
type walk struct {
	trail.Chain
	good    int64             // events before the first bad one
	damaged bool              // the chain has an invalid event
	breaks  []audit.Break     // at most maxRecorded
	known   []audit.Break     // contradictions of the state at each audit.restarted, without Seq
	fold    func(trail.Event) // receives every valid event
}

// add verifies the next row of the chain.
func (w *walk) add(row eventRow) {
	e, readable := trail.Read(wf.StoredEvent{Chain: row.Chain, Seq: row.Seq, Hash: row.Hash, Body: row.Body})
	missing, valid := w.Next(e, readable && row.repeats(e))
	if missing > 0 {
		w.breakAt(missing, "event", "")
		w.damaged = true
	}
	if !valid {
		w.damaged = true
		w.breakAt(row.Seq, "event", fingerprint(row))
		return
	}
	if w.Restarts(e.Type) { // a new chain
		w.breaks, w.damaged = nil, false
		for _, b := range e.Breaks {
			w.known = append(w.known, audit.Break{What: b.What, Found: b.Found})
		}
	}
	if !w.damaged {
		w.good++
	}
	w.fold(e)
}

// finish compares the last event with the stored end of the chain.
func (w *walk) finish(end audit.Chain) {
	if !w.Ends(end) {
		w.breakAt(min(w.Seq, end.Seq)+1, "end", fingerprint(end))
	}
}

func (w *walk) breakAt(seq int64, what, found string) {
	if len(w.breaks) < maxRecorded {
		w.breaks = append(w.breaks, audit.Break{Seq: seq, What: what, Found: found})
	}
}

// bad returns the result of a finished walk; FirstBad is 0 for a valid chain.
func (w *walk) bad() audit.BadChain {
	breaks := slices.DeleteFunc(w.breaks, func(b audit.Break) bool {
		b.Seq = 0
		return !ofEvents(b) && slices.Contains(w.known, b)
	})
	bad := audit.BadChain{Chain: w.Name}
	if len(breaks) == 0 {
		return bad
	}
	slices.SortStableFunc(breaks, func(a, b audit.Break) int { return cmp.Compare(a.Seq, b.Seq) })
	bad.FirstBad = breaks[max(0, slices.IndexFunc(breaks, ofEvents))].Seq // contradicting state follows from an invalid event
	bad.Breaks = breaks[:min(len(breaks), audit.MaxBreaks)]
	return bad
}

// ofEvents reports whether the break is an invalid event, not contradicting state.
func ofEvents(b audit.Break) bool { return b.What == "event" || b.What == "end" }

// fingerprint identifies a stored value.
func fingerprint(value any) string {
	text, _ := json.Marshal(value) // cannot fail for plain values
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// repeats reports whether the columns of the row equal its body e.
func (r eventRow) repeats(e trail.Event) bool {
	return r == rowOfEvent(r.Chain, wf.Event{
		ID: e.ID, Seq: e.Seq, Type: e.Type, At: e.At, Body: []byte(r.Body), Hash: r.Hash,
		Actor: identity.ActorRef{ID: e.Actor.ID}, RequestID: e.RequestID, Resource: e.Resource,
		Outcome: e.Outcome,
	})
}

// VerifyChain verifies the chain of a request, or the service's own for an empty id: the stored
// bytes of its events, and the stored state. count is the number of events before the first invalid
// one. It fails with wf.RequestNotFound if neither the request nor events of it exist.
func (s Audit) VerifyChain(ctx context.Context, requestID string) (found audit.BadChain, count int64, err error) {
	if requestID != "" && !isID(requestID) {
		return found, 0, ByID(requestID).unknown
	}
	name := chainOf(requestID)
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		w, err := verifyOne(db, name)
		if err == nil {
			found, count = w.bad(), w.good
		}
		return err
	})
	return found, count, wrapError(err, "verify chain %s", name)
}

// verifyOne verifies a chain.
func verifyOne(db *gorm.DB, name string) (*walk, error) {
	if name == ServiceChain {
		return verifyServiceChain(db)
	}
	walks, err := verifyRequestChains(db, db.Where("id = ?", name), firstID, 1)
	if err != nil {
		return nil, err
	}
	if len(walks) > 0 {
		return walks[0], nil
	}
	var stray int64
	if err := db.Model(&eventRow{}).Where("chain = ?", name).Count(&stray).Error; err != nil {
		return nil, err
	}
	if stray == 0 {
		return nil, ByID(name).unknown
	}
	return &walk{Chain: trail.Chain{Name: name}, breaks: []audit.Break{strayChain}}, nil
}

// verifyServiceChain recomputes the service's own chain, and compares the stored policy versions with its events.
func verifyServiceChain(db *gorm.DB) (*walk, error) {
	versions := map[VersionID]versionFact{}
	w := &walk{
		Chain: trail.Chain{Name: ServiceChain}, fold: func(e trail.Event) { foldPolicy(versions, e) },
	}
	var err error
	if w.Gaps, err = gapsOf(db); err != nil {
		return w, err
	}
	if err := eachEvent(db.Where("chain = ?", ServiceChain), w.add); err != nil {
		return w, err
	}
	var end audit.Chain
	if err := db.Table("chain").Select("seq", "hash").Where("name = ?", ServiceChain).Scan(&end).Error; err != nil {
		return w, err
	}
	w.finish(end)
	place := func(row versionState) []any { return []any{row.PolicyKey, row.Number} }
	err = eachRow(db, "policy_key, number", versionPage, place, func(row versionState) {
		id := VersionID{row.PolicyKey, row.Number}
		fact, known := versions[id]
		if !known {
			w.breakAt(1, id.String(), fingerprint(row))
			return
		}
		w.compareValue(fact.seq, id.String()+".status", row.Status, fact.status)
		w.compareContent(fact.seq, id.String()+".definition", row.Definition, row.ContentHash, fact.hash)
		delete(versions, id)
	})
	for id, fact := range versions {
		w.breakAt(fact.seq, id.String(), "")
	}
	return w, err
}

// verifyRequestChains recomputes the chains of the selected requests after an id, in the order of their ids, and
// compares the stored state with them.
func verifyRequestChains(db, selected *gorm.DB, after string, limit int) ([]*walk, error) {
	var rows []requestRow
	if err := selected.Where("id > ?", after).Order("id").Limit(limit).Find(&rows).Error; err != nil || len(rows) == 0 {
		return nil, err
	}
	walks, said, names := make([]*walk, len(rows)), make([]facts, len(rows)), make([]string, len(rows))
	of := map[string]*walk{}
	for i, row := range rows {
		said[i].revisions = map[int]trail.Event{}
		walks[i], names[i] = &walk{Chain: trail.Chain{Name: row.Stored.ID}, fold: said[i].fold}, row.Stored.ID
		of[row.Stored.ID] = walks[i]
	}
	err := eachEvent(db.Where("chain IN ?", names), func(event eventRow) { of[event.Chain].add(event) })
	if err != nil {
		return walks, err
	}
	db = db.Where("request_id IN ?", names)
	tasks, err := byRequest(db, func(t taskRow) string { return t.RequestID })
	inbox, inboxErr := byRequest(db, func(e inboxRow) string { return e.RequestID })
	participants, partErr := byRequest(db, func(p participantRow) string { return p.RequestID })
	revisions, revisionErr := byRequest(db, func(r revisionRow) string { return r.RequestID })
	for i, row := range rows {
		id := row.Stored.ID
		walks[i].finish(audit.Chain{Seq: row.Stored.ChainSeq, Hash: row.Stored.ChainHash})
		walks[i].compare(said[i], row, projections{tasks[id], inbox[id], participants[id]}, revisions[id])
	}
	return walks, errors.Join(err, inboxErr, partErr, revisionErr)
}

// byRequest loads the selected rows, by request.
func byRequest[R any](selected *gorm.DB, request func(R) string) (map[string][]R, error) {
	var rows []R
	err := selected.Session(&gorm.Session{}).Find(&rows).Error
	of := map[string][]R{}
	for _, row := range rows {
		of[request(row)] = append(of[request(row)], row)
	}
	return of, err
}

// facts is the state of a request according to its events.
type facts struct {
	last      trail.Event         // the last event
	revisions map[int]trail.Event // the last event of each
}

func (f *facts) fold(e trail.Event) {
	if e.Request != nil {
		f.last, f.revisions[e.Request.Revision] = e, e
	}
}

// compare compares the document of a request with the last event, and what follows from it with the stored rows.
func (w *walk) compare(said facts, row requestRow, stored projections, revisions []revisionRow) {
	last := said.last
	if last.Seq == 0 {
		w.breakAt(1, "request", fingerprint(row.Stored.ID))
		return
	}
	w.compareValue(last.Seq, "document", row.Stored.document().Hash(), last.StateHash)
	r, err := row.Stored.request()
	var want requestRow
	if err == nil {
		want, err = columnsOf(r)
	}
	if err != nil {
		w.breakAt(last.Seq, "document", fingerprint(row.Stored.Summary+row.Stored.Detail))
		return
	}
	var c codec
	row.Labels = c.labels(c.readLabels(row.Labels)) // PostgreSQL formats JSON
	want.Stored = row.Stored
	want.Stored.ID = r.ID
	w.compareValue(last.Seq, "request", row, want)
	w.compareContent(last.Seq, "context", row.Stored.Context, r.ContextHash, last.Request.ContextHash)
	derived := project(r)
	compareRows(w, last.Seq, stored.tasks, derived.tasks, func(t taskRow) string { return "task " + t.ID })
	compareRows(w, last.Seq, stored.inbox, derived.inbox, func(e inboxRow) string { return "inbox of " + e.UserID })
	compareRows(w, last.Seq, stored.participants, derived.participants, func(p participantRow) string {
		return "participant " + p.UserID
	})
	earlier := said.revisions
	maps.DeleteFunc(earlier, func(n int, _ trail.Event) bool { return n >= last.Request.Revision })
	for _, rev := range revisions {
		what := fmt.Sprintf("revision %d", rev.Number)
		if e, known := earlier[rev.Number]; known {
			w.compareContent(e.Seq, what, rev.Context, rev.ContextHash, e.Request.ContextHash)
		} else {
			w.breakAt(last.Seq, what, fingerprint(rev.ContextHash))
		}
		delete(earlier, rev.Number)
	}
	for _, n := range slices.Sorted(maps.Keys(earlier)) {
		w.breakAt(earlier[n].Seq, fmt.Sprintf("revision %d", n), "")
	}
}

// compareRows records a break for each object with rows that are stored and do not follow from the document, or the
// reverse.
func compareRows[R comparable](w *walk, seq int64, stored, derived []R, what func(R) string) {
	found := map[string]string{}
	for _, row := range subtract(derived, stored) {
		found[what(row)] = ""
	}
	for _, row := range subtract(stored, derived) {
		found[what(row)] = fingerprint(row)
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		w.breakAt(seq, name, found[name])
	}
}

// compareValue records a break if the stored value differs from the value in the event.
func (w *walk) compareValue(seq int64, what string, stored, said any) {
	if stored != said {
		w.breakAt(seq, what, fingerprint(stored))
	}
}

// compareContent compares content with its hash, and the hash with the event.
func (w *walk) compareContent(seq int64, what, content, hash, said string) {
	sum, err := strictjson.Sum([]byte(content))
	w.compareValue(seq, what, [2]any{sum, err == nil}, [2]any{said, true})
	w.compareValue(seq, what+"_hash", hash, said)
}

// strayChain is the break of a chain without a request.
var strayChain = audit.Break{Seq: 1, What: "request"}

// VerifyChains verifies every chain in one snapshot. It also finds missing chains and chains
// without a request.
func (s Audit) VerifyChains(ctx context.Context) (v Verification, err error) {
	add := func(w *walk) {
		if bad := w.bad(); bad.FirstBad > 0 {
			v.Bad = append(v.Bad, bad)
		}
	}
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		walks := []*walk{{Chain: trail.Chain{Name: firstID}}}
		for len(walks) > 0 {
			if walks, err = verifyRequestChains(db, db, walks[len(walks)-1].Name, verifyRequests); err != nil {
				return err
			}
			for _, w := range walks {
				add(w)
			}
		}
		service, err := verifyServiceChain(db)
		if err != nil {
			return err
		}
		add(service)
		var strays []string
		const unknown = "(SELECT chain FROM event WHERE chain <> 'service' EXCEPT SELECT CAST(id AS text) FROM request) AS strays"
		err = db.Table(unknown).Scan(&strays).Error
		if err != nil {
			return err
		}
		for _, chain := range strays {
			add(&walk{Chain: trail.Chain{Name: chain}, breaks: []audit.Break{strayChain}})
		}
		return db.Table("event").Select("count(DISTINCT chain), count(*)").Row().Scan(&v.Chains, &v.Events)
	})
	slices.SortFunc(v.Bad, func(a, b audit.BadChain) int { return cmp.Compare(a.Chain, b.Chain) })
	v.Bad = v.Bad[:min(len(v.Bad), maxBad)]
	return v, wrapError(err, "verify all chains")
}

// gapsOf returns the gaps that purges left in the service's own chain. Its purge events are
// verified with the chain. Other chains have no gaps, because only denials are purged individually.
func gapsOf(db *gorm.DB) (trail.Gaps, error) {
	var rows []wf.StoredEvent
	err := db.Model(&eventRow{}).Select("body").Find(&rows,
		"chain = 'service' AND resource_id = 'service' AND type = ?", audit.EventAuditPurged).Error
	found := trail.Gaps{}
	for _, row := range rows {
		if e, readable := trail.Read(row); readable { // else the walk reports it
			found.Add(ServiceChain, e.Purged)
		}
	}
	return found, err
}

// eachEvent calls use for every event, ordered by chain and sequence number.
func eachEvent(q *gorm.DB, use func(eventRow)) error {
	return eachRow(q, "chain, seq", verifyEvents, func(row eventRow) []any { return []any{row.Chain, row.Seq} }, use)
}

// eachRow calls use for every row of a query in the order of a text and a number that identify it. It reads atOnce rows
// with a query.
func eachRow[R any](q *gorm.DB, columns string, atOnce int, place func(R) []any, use func(R)) error {
	q = q.Session(&gorm.Session{}).Order(columns).Limit(atOnce)
	for last := []any{"", 0}; ; {
		var rows []R
		if err := q.Session(&gorm.Session{}).Where("("+columns+") > (?, ?)", last...).Find(&rows).Error; err != nil {
			return err
		}
		for _, row := range rows {
			last = place(row)
			use(row)
		}
		if len(rows) < atOnce {
			return nil
		}
	}
}

// versionFact is the state of a policy version according to events.
type versionFact struct {
	seq    int64
	status policy.VersionStatus
	hash   string
}

func foldPolicy(versions map[VersionID]versionFact, e trail.Event) {
	if e.Resource.Type != "policy" {
		return
	}
	id := VersionID{e.Resource.ID, e.Resource.Version}
	var status policy.VersionStatus
	switch e.Type {
	case audit.EventPolicyCreated, audit.EventPolicyVersionAdded, audit.EventPolicyUpdated:
		status = policy.VersionDraft
	case audit.EventPolicyActivated:
		for other, fact := range versions { // the retired version has no event of its own
			if other.PolicyKey == id.PolicyKey && fact.status == policy.VersionActive {
				fact.seq, fact.status = e.Seq, policy.VersionRetired
				versions[other] = fact
			}
		}
		status = policy.VersionActive
	case audit.EventPolicyDeactivated:
		status = policy.VersionRetired
	case audit.EventPolicyVersionDeleted:
		delete(versions, id)
		return
	default:
		return
	}
	versions[id] = versionFact{e.Seq, status, e.Reason}
}

// versionPage is the number of policy versions per query.
const versionPage = 100

// versionState holds the columns of a version that events repeat.
type versionState struct {
	PolicyKey               string
	Number                  int
	Status                  policy.VersionStatus
	Definition, ContentHash string
}

func (versionState) TableName() string { return "policy_version" }

func (id VersionID) String() string {
	return fmt.Sprintf("policy %s version %d", id.PolicyKey, id.Number)
}
