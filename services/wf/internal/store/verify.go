package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
	good    int64                // events before the first bad one
	damaged bool                 // the chain has an invalid event
	breaks  []audit.Break        // at most maxRecorded
	known   []audit.Break        // contradictions of the state at each audit.restarted, without Seq
	fold    func(verifiedHeader) // receives every valid event
}

// add verifies the next row of the chain.
func (w *walk) add(row eventRow) {
	e, readable := row.header()
	link := trail.Link{
		Seq: row.Seq, Said: e.Seq, PrevHash: e.PrevHash, Type: e.Type, Hash: row.Hash, Body: []byte(row.Body),
	}
	missing, valid := w.Next(link, readable && row.repeats(e))
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

// verifiedHeader holds the members of an event body that are verified: those repeated in columns, the chain
// position and the resulting state. It omits the rest, because a verification decodes up to a
// million events.
type verifiedHeader struct {
	ID        string              `json:"id"`
	Seq       int64               `json:"seq"`
	Type      audit.EventType     `json:"type"`
	At        identity.Stamp      `json:"at"`
	Actor     struct{ ID string } `json:"actor"`
	RequestID string              `json:"request_id"`
	Resource  wf.Resource         `json:"resource"`
	Outcome   wf.EventOutcome     `json:"outcome"`
	ErrorCode string              `json:"error_code"`
	PrevHash  string              `json:"prev_hash"`

	StateHash string             `json:"state_hash"`
	Request   *wf.RequestSummary `json:"request"`
	Reason    string             `json:"reason"`
	Breaks    []audit.Break      `json:"breaks"`
}

func (r eventRow) header() (e verifiedHeader, ok bool) {
	return e, json.Unmarshal([]byte(r.Body), &e) == nil
}

// repeats reports whether the columns of the row equal its body e.
func (r eventRow) repeats(e verifiedHeader) bool {
	return r == rowOfEvent(r.Chain, wf.Event{
		ID: e.ID, Seq: e.Seq, Type: e.Type, At: e.At, Body: []byte(r.Body), Hash: r.Hash,
		Actor: identity.ActorRef{ID: e.Actor.ID}, RequestID: e.RequestID, Resource: wf.Resource{Type: e.Resource.Type, ID: e.Resource.ID},
		Outcome: e.Outcome, Denial: wf.Denial{ErrorCode: e.ErrorCode},
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

func verifyServiceChain(db *gorm.DB) (*walk, error) {
	w := &serviceWalk{walk: walk{Chain: trail.Chain{Name: ServiceChain}}, versions: map[VersionID]versionFact{}}
	w.fold = w.foldPolicy
	var err error
	if w.Gaps, err = gapsOf(db); err == nil {
		err = eachEvent(db.Where("chain = ?", ServiceChain), w.add)
	}
	if err == nil {
		err = w.end(db)
	}
	return &w.walk, err
}

// verifyRequestChains recomputes the chains of the selected requests after an id, in the order of their ids, and
// compares the stored state with them.
func verifyRequestChains(db, selected *gorm.DB, after string, limit int) ([]*walk, error) {
	var rows []requestRow
	if err := selected.Where("id > ?", after).Order("id").Limit(limit).Find(&rows).Error; err != nil || len(rows) == 0 {
		return nil, err
	}
	walks := make([]*walk, len(rows))
	of := map[string]*walk{}
	said := map[string]*facts{}
	names := make([]string, len(rows))
	for i, row := range rows {
		f := &facts{revisions: map[int]verifiedHeader{}}
		walks[i] = &walk{Chain: trail.Chain{Name: row.Stored.ID}, fold: f.fold}
		names[i], of[row.Stored.ID], said[row.Stored.ID] = row.Stored.ID, walks[i], f
	}
	err := eachEvent(db.Where("chain IN ?", names), func(event eventRow) { of[event.Chain].add(event) })
	if err != nil {
		return walks, err
	}
	stored, err := storedStates(db, names)
	if err != nil {
		return walks, err
	}
	for i, row := range rows {
		walks[i].finish(audit.Chain{Seq: row.Stored.ChainSeq, Hash: row.Stored.ChainHash})
		walks[i].compare(said[row.Stored.ID], row, stored[row.Stored.ID])
	}
	return walks, nil
}

// facts is the state of a request according to its events.
type facts struct {
	last      verifiedHeader         // the last event
	revisions map[int]verifiedHeader // the last event of each
}

func (f *facts) fold(e verifiedHeader) {
	if e.Request != nil {
		f.last, f.revisions[e.Request.Revision] = e, e
	}
}

// storedState holds the rows of a request beside its own.
type storedState struct {
	projections
	revisions []revisionRow
}

func storedStates(db *gorm.DB, ids []string) (map[string]*storedState, error) {
	var all storedState
	err := db.Where("request_id IN ?", ids).Find(&all.tasks).Error
	if err == nil {
		err = db.Where("request_id IN ?", ids).Find(&all.inbox).Error
	}
	if err == nil {
		err = db.Where("request_id IN ?", ids).Find(&all.participants).Error
	}
	if err == nil {
		err = db.Where("request_id IN ?", ids).Find(&all.revisions).Error
	}
	of := map[string]*storedState{}
	for _, id := range ids {
		of[id] = &storedState{}
	}
	for _, row := range all.tasks {
		of[row.RequestID].tasks = append(of[row.RequestID].tasks, row)
	}
	for _, row := range all.inbox {
		of[row.RequestID].inbox = append(of[row.RequestID].inbox, row)
	}
	for _, row := range all.participants {
		of[row.RequestID].participants = append(of[row.RequestID].participants, row)
	}
	for _, row := range all.revisions {
		of[row.RequestID].revisions = append(of[row.RequestID].revisions, row)
	}
	return of, err
}

// compare compares the document of a request with the last event, and what follows from it with the stored rows.
func (w *walk) compare(said *facts, row requestRow, stored *storedState) {
	last := said.last
	if last.Seq == 0 {
		w.breakAt(1, "request", fingerprint(row.Stored.ID))
		return
	}
	w.compareValue(last.Seq, "document", row.Stored.document().Hash(), last.StateHash)
	r, err := row.Stored.request()
	if err != nil {
		w.breakAt(last.Seq, "document", fingerprint(row.Stored.Summary+row.Stored.Detail))
		return
	}
	want, err := columnsOf(r)
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
	w.compareRows(last.Seq, rowsBy(stored.tasks, derived.tasks, func(t taskRow) string { return "task " + t.ID }))
	w.compareRows(last.Seq, rowsBy(stored.inbox, derived.inbox, func(e inboxRow) string { return "inbox of " + e.UserID }))
	w.compareRows(last.Seq, rowsBy(stored.participants, derived.participants, func(p participantRow) string {
		return "participant " + p.UserID
	}))
	kept := map[int]bool{}
	for _, rev := range stored.revisions {
		kept[rev.Number] = true
		what := fmt.Sprintf("revision %d", rev.Number)
		if e, known := said.revisions[rev.Number]; known && rev.Number < last.Request.Revision {
			w.compareContent(e.Seq, what, rev.Context, rev.ContextHash, e.Request.ContextHash)
		} else {
			w.breakAt(last.Seq, what, fingerprint(rev.ContextHash))
		}
	}
	for n := 1; n < last.Request.Revision; n++ {
		if e, known := said.revisions[n]; known && !kept[n] {
			w.breakAt(e.Seq, fmt.Sprintf("revision %d", n), "")
		}
	}
}

// rowsBy returns the rows that are stored and do not follow from the document, and the reverse, with the name of the
// object of each.
func rowsBy[R comparable](stored, derived []R, what func(R) string) map[string]string {
	found := map[string]string{}
	for _, row := range subtract(derived, stored) {
		found[what(row)] = ""
	}
	for _, row := range subtract(stored, derived) {
		found[what(row)] = fingerprint(row)
	}
	return found
}

func (w *walk) compareRows(seq int64, found map[string]string) {
	for _, what := range slices.Sorted(maps.Keys(found)) {
		w.breakAt(seq, what, found[what])
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
	var bodies []string
	err := db.Model(&eventRow{}).Where("chain = 'service' AND resource_id = 'service' AND type = ?", audit.EventAuditPurged).Pluck("body", &bodies).Error
	found := trail.Gaps{}
	for _, body := range bodies {
		var e struct{ Purged *audit.Purged }
		if json.Unmarshal([]byte(body), &e) == nil { // else the walk reports it
			found.Add(ServiceChain, e.Purged)
		}
	}
	return found, err
}

// eachEvent calls use for every event, ordered by chain and sequence number.
func eachEvent(q *gorm.DB, use func(eventRow)) error {
	q = q.Session(&gorm.Session{}).Order("chain, seq").Limit(verifyEvents)
	rows := make([]eventRow, 1) // sorts before the first event
	for full := true; full; full = len(rows) == verifyEvents {
		last := rows[len(rows)-1]
		rows = nil
		if err := q.Session(&gorm.Session{}).Where("(chain, seq) > (?, ?)", last.Chain, last.Seq).Find(&rows).Error; err != nil {
			return err
		}
		for _, row := range rows {
			use(row)
		}
	}
	return nil
}

// serviceWalk recomputes the service chain and collects the policy versions in its events.
type serviceWalk struct {
	walk
	versions map[VersionID]versionFact
}

// versionFact is the state of a policy version according to events.
type versionFact struct {
	seq    int64
	status policy.VersionStatus
	hash   string
}

func (w *serviceWalk) foldPolicy(e verifiedHeader) {
	if e.Resource.Type != "policy" {
		return
	}
	id := VersionID{e.Resource.ID, e.Resource.Version}
	var status policy.VersionStatus
	switch e.Type {
	case audit.EventPolicyCreated, audit.EventPolicyVersionAdded, audit.EventPolicyUpdated:
		status = policy.VersionDraft
	case audit.EventPolicyActivated:
		for other, fact := range w.versions { // the retired version has no event of its own
			if other.PolicyKey == id.PolicyKey && fact.status == policy.VersionActive {
				fact.seq, fact.status = e.Seq, policy.VersionRetired
				w.versions[other] = fact
			}
		}
		status = policy.VersionActive
	case audit.EventPolicyDeactivated:
		status = policy.VersionRetired
	case audit.EventPolicyVersionDeleted:
		delete(w.versions, id)
		return
	default:
		return
	}
	w.versions[id] = versionFact{e.Seq, status, e.Reason}
}

// end compares the stored end of the chain and the stored policies with the events.
func (w *serviceWalk) end(db *gorm.DB) error {
	var ends []audit.Chain
	if err := db.Table("chain").Select("seq", "hash").Where("name = ?", ServiceChain).Find(&ends).Error; err != nil {
		return err
	}
	w.finish(append(ends, audit.Chain{})[0])
	stored := map[VersionID]bool{}
	var page []versionState
	for last := (VersionID{}); len(stored) == 0 || len(page) == versionPage; {
		page = nil
		err := db.Where("(policy_key, number) > (?, ?)", last.PolicyKey, last.Number).Order("policy_key, number").Limit(versionPage).Find(&page).Error
		if err != nil || len(page) == 0 {
			return w.recordMissing(stored, err)
		}
		for _, row := range page {
			last = VersionID{row.PolicyKey, row.Number}
			stored[last] = true
			w.compareVersion(last, row)
		}
	}
	return w.recordMissing(stored, nil)
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

// compareVersion compares a stored version with its events.
func (w *serviceWalk) compareVersion(id VersionID, row versionState) {
	fact, known := w.versions[id]
	if !known {
		w.breakAt(1, id.String(), fingerprint(row))
		return
	}
	w.compareValue(fact.seq, id.String()+".status", row.Status, fact.status)
	w.compareContent(fact.seq, id.String()+".definition", row.Definition, row.ContentHash, fact.hash)
}

// recordMissing records the versions in events that are absent from the table.
func (w *serviceWalk) recordMissing(stored map[VersionID]bool, err error) error {
	for id, fact := range w.versions {
		if !stored[id] {
			w.breakAt(fact.seq, id.String(), "")
		}
	}
	return err
}
