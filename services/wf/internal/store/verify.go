package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"gorm.io/gorm"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

const (
	verifyPage  = 1000  // events per query
	maxBad      = 100   // chains in the result
	maxRecorded = 1_000 // breaks of one chain that are recorded
)

// Verification is the result of recomputing every chain and comparing the stored state with it.
type Verification struct {
	Chains, Events int64
	Bad            []audit.BadChain // the first 100, by name
}

// walk recomputes a chain event by event.
type walk struct {
	name        string
	audit.Chain               // the last event
	lost        bool          // the last event is invalid: the next one is checked against its own prev_hash
	good        int64         // events before the first bad one
	damaged     bool          // the chain has an invalid event
	breaks      []audit.Break // at most maxRecorded
	gaps        gaps
	fold        func(verifiedHeader) // receives every valid event
}

// gaps maps the first sequence number of each purged run of events to the run.
type gaps map[int64]audit.Gap

// add verifies the next row of the chain. It skips purged gaps; the prev_hash of the row confirms
// the hash at the end of the gap.
func (w *walk) add(row eventRow) {
	for gap, purged := w.gaps[w.Seq+1]; purged && gap.Last < row.Seq; gap, purged = w.gaps[w.Seq+1] {
		w.Chain, w.lost = audit.Chain{Seq: gap.Last, Hash: gap.Hash}, false
	}
	if row.Seq != w.Seq+1 {
		w.breakAt(w.Seq+1, "event", "")
		w.Seq, w.lost, w.damaged = row.Seq-1, true, true
	}
	e, ok := row.header()
	if before := w.Hash; ok {
		if w.lost {
			before = e.PrevHash
		}
		ok = row.isNext(audit.Chain{Seq: w.Seq, Hash: before}, e)
	}
	w.Chain, w.lost = audit.Chain{Seq: row.Seq, Hash: row.Hash}, !ok
	if !ok {
		w.damaged = true
		w.breakAt(row.Seq, "event", fingerprint(row))
		return
	}
	if !w.damaged {
		w.good++
	}
	w.fold(e)
}

// finish compares the last event with the stored end of the chain.
func (w *walk) finish(end audit.Chain) {
	if w.Seq != end.Seq || !w.lost && w.Hash != end.Hash {
		w.breakAt(min(w.Seq, end.Seq)+1, "end", fingerprint(end))
	}
}

func (w *walk) breakAt(seq int64, what, found string) {
	if len(w.breaks) < maxRecorded {
		w.breaks = append(w.breaks, audit.Break{Seq: seq, What: what, Found: found})
	}
}

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

	Request  *wf.RequestSummary `json:"request"`
	Stage    *wf.StageSummary   `json:"stage"`
	Task     *wf.TaskSummary    `json:"task"`
	Decision json.RawMessage    `json:"decision"`
	Reason   string             `json:"reason"`
}

func (r eventRow) header() (e verifiedHeader, ok bool) {
	return e, json.Unmarshal([]byte(r.Body), &e) == nil
}

// isNext reports whether the row is the next event of the chain and its columns equal its body e.
func (r eventRow) isNext(chain audit.Chain, e verifiedHeader) bool {
	_, fits := chain.Next(e.Seq, e.PrevHash, r.Hash, []byte(r.Body))
	return fits && r == rowOfEvent(r.Chain, wf.Event{
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
		var breaks []audit.Break
		breaks, count, err = verifyOne(db, name)
		if err != nil {
			return err
		}
		bad, err := badChains(db, map[string][]audit.Break{name: breaks})
		if len(bad) > 0 {
			found = bad[0]
		}
		return err
	})
	return found, count, wrapError(err, "verify chain %s", name)
}

// verifyOne verifies a chain.
func verifyOne(db *gorm.DB, name string) (breaks []audit.Break, count int64, err error) {
	if name == ServiceChain {
		w := newServiceWalk()
		if w.gaps, err = gapsOf(db); err == nil {
			err = eachEvent(db.Where("chain = ?", name), w.add)
		}
		if err == nil {
			err = w.end(db)
		}
		return w.breaks, w.good, err
	}
	rows, err := sortRequests(db.Where("id = ?", name), 1)
	if err != nil {
		return nil, 0, err
	}
	if len(rows) > 0 {
		walks, err := verifyRequests(db, rows, func(eventRow) {})
		return walks[0].breaks, walks[0].good, err
	}
	var stray int64
	if err := db.Model(&eventRow{}).Where("chain = ?", name).Count(&stray).Error; err != nil {
		return nil, 0, err
	}
	if stray == 0 {
		return nil, 0, ByID(name).unknown
	}
	return []audit.Break{strayChain}, 0, nil
}

// strayChain is the break of a chain without a request.
var strayChain = audit.Break{Seq: 1, What: "request"}

// VerifyChains verifies every chain in one snapshot. It also finds missing chains and chains
// without a request.
func (s Audit) VerifyChains(ctx context.Context) (v Verification, err error) {
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		verifier := s.NewChainVerifier()
		var found VerifyReport
		for !found.Round {
			if err := verifier.verifyRequestChains(db, &found); err != nil {
				return err
			}
		}
		for over := false; !over; {
			if over, err = verifier.verifyServiceChain(db, &found); err != nil {
				return err
			}
		}
		var strays []string
		err := db.Table("(SELECT chain FROM event WHERE chain <> 'service' EXCEPT SELECT CAST(id AS text) FROM request) AS strays").Scan(&strays).Error
		if err != nil {
			return err
		}
		for _, chain := range strays {
			verifier.bad[chain] = []audit.Break{strayChain}
		}
		if v.Bad, err = badChains(db, verifier.bad); err != nil {
			return err
		}
		return db.Table("event").Select("count(DISTINCT chain), count(*)").Row().Scan(&v.Chains, &v.Events)
	})
	return v, wrapError(err, "verify all chains")
}

// badChains sorts the breaks of the first maxBad chains and removes the breaks that admins have
// acknowledged.
func badChains(db *gorm.DB, breaks map[string][]audit.Break) ([]audit.BadChain, error) {
	var list []audit.BadChain
	for _, name := range slices.Sorted(maps.Keys(breaks)) {
		if len(breaks[name]) == 0 || len(list) == maxBad {
			continue
		}
		known, err := acknowledgedBreaks(db, name)
		if err != nil {
			return nil, err
		}
		bad := audit.BadChain{Chain: name, FirstBad: firstBad(breaks[name])}
		for _, b := range breaks[name] {
			if known[b] {
				bad.Acknowledged++
			} else {
				bad.Breaks = append(bad.Breaks, b)
			}
		}
		slices.SortStableFunc(bad.Breaks, func(a, b audit.Break) int { return cmp.Compare(a.Seq, b.Seq) })
		bad.Breaks = bad.Breaks[:min(len(bad.Breaks), audit.MaxBreaks)]
		list = append(list, bad)
	}
	return list, nil
}

// firstBad returns the lowest Seq of the invalid events. Contradicting state counts only without
// invalid events, because it is otherwise their consequence.
func firstBad(breaks []audit.Break) int64 {
	bySeq := func(a, b audit.Break) int { return cmp.Compare(a.Seq, b.Seq) }
	events := slices.DeleteFunc(slices.Clone(breaks), func(b audit.Break) bool { return b.What != "event" && b.What != "end" })
	if len(events) == 0 {
		events = breaks
	}
	return slices.MinFunc(events, bySeq).Seq
}

// acknowledgedBreaks returns the acknowledged breaks of a chain. It uses only events with a valid hash.
func acknowledgedBreaks(db *gorm.DB, chain string) (map[audit.Break]bool, error) {
	var rows []eventRow
	err := db.Where("chain = 'service' AND resource_id = ? AND type = ?", chain, audit.EventAuditAcknowledged).Find(&rows).Error
	known := map[audit.Break]bool{}
	for _, row := range rows {
		var e struct{ Breaks []audit.Break }
		head, ok := row.header()
		if !ok || !row.isNext(audit.Chain{Seq: row.Seq - 1, Hash: head.PrevHash}, head) || json.Unmarshal([]byte(row.Body), &e) != nil {
			continue
		}
		for _, b := range e.Breaks {
			known[b] = true
		}
	}
	return known, err
}

// gapsOf returns the gaps that purges left in the service's own chain. Its purge events are
// verified with the chain. Other chains have no gaps, because only denials are purged individually.
func gapsOf(db *gorm.DB) (gaps, error) {
	var bodies []string
	err := db.Model(&eventRow{}).Where("chain = 'service' AND resource_id = 'service' AND type = ?", audit.EventAuditPurged).Pluck("body", &bodies).Error
	found := gaps{}
	for _, body := range bodies {
		var e struct{ Purged audit.Purged }
		if json.Unmarshal([]byte(body), &e) != nil {
			continue // the walk reports it
		}
		for _, gap := range e.Purged.Gaps {
			if gap.First <= gap.Last { // a forged gap must not end the walk
				found[gap.First] = gap
			}
		}
	}
	return found, err
}

// eachEvent calls use for every event, ordered by chain and sequence number.
func eachEvent(q *gorm.DB, use func(eventRow)) error {
	q = q.Session(&gorm.Session{}).Order("chain, seq").Limit(verifyPage)
	rows := make([]eventRow, 1) // sorts before the first event
	for full := true; full; full = len(rows) == verifyPage {
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
