package store

import (
	"context"
	"encoding/json"
	"errors"

	"gorm.io/gorm"

	"github.com/countersign/countersign/services/wf"
)

const (
	verifyPage = 1000 // events that are held at a time
	maxBad     = 100  // chains that are named
)

// Verification is what recomputing every chain has found.
type Verification struct {
	Chains, Events int64 // that are there
	Bad            []BadChain
}

// BadChain is a chain that does not hold. FirstBad is the number of its first event
// that is missing or not as it was written, or 1 when the chain belongs to nothing.
type BadChain struct {
	Chain    string
	FirstBad int64
}

// link is the last event of a chain that was found right, on the way along it.
type link struct {
	name string
	wf.Chain
	gaps gaps
	bad  bool
}

// gaps are the runs of events that a purge has deleted from a chain, by the first of them.
type gaps map[int64]wf.Gap

// add takes the next row of the chain. It goes over what a purge has deleted; that it
// ended with the right hash shows in the row.
func (l *link) add(row eventRow) {
	for gap, purged := l.gaps[l.Seq+1]; purged && gap.Last < row.Seq; gap, purged = l.gaps[l.Seq+1] {
		l.Chain = wf.Chain{Seq: gap.Last, Hash: gap.Hash}
	}
	if l.bad = l.bad || !row.follows(l.Chain); !l.bad {
		l.Chain = wf.Chain{Seq: row.Seq, Hash: row.Hash}
	}
}

// firstBad is the number of the first bad event of a chain that should end at end, and 0
// when there is none.
func (l *link) firstBad(end wf.Chain) int64 {
	switch {
	case l.bad:
		return l.Seq + 1
	case l.Chain != end:
		// The last rows are gone, or there are more than were ever written.
		return min(l.Seq, end.Seq) + 1
	default:
		return 0
	}
}

// said is what the bytes of an event say of its columns and its place. It is less than
// the event, because a million of them are read.
type said struct {
	ID        string                    `json:"id"`
	Seq       int64                     `json:"seq"`
	Type      wf.EventType              `json:"type"`
	At        wf.Stamp                  `json:"at"`
	Actor     struct{ ID string }       `json:"actor"`
	RequestID string                    `json:"request_id"`
	Resource  struct{ Type, ID string } `json:"resource"`
	Outcome   wf.EventOutcome           `json:"outcome"`
	ErrorCode string                    `json:"error_code"`
	PrevHash  string                    `json:"prev_hash"`
}

// follows reports whether the row is the next one of the chain and its columns say
// what its bytes say.
func (r eventRow) follows(chain wf.Chain) bool {
	var e said
	if json.Unmarshal([]byte(r.Body), &e) != nil {
		return false
	}
	_, fits := chain.Next(wf.Event{Seq: e.Seq, PrevHash: e.PrevHash, Hash: r.Hash}, []byte(r.Body))
	return fits && r == rowOfEvent(r.Chain, wf.Event{
		ID: e.ID, Seq: e.Seq, Type: e.Type, At: e.At, Body: []byte(r.Body), Hash: r.Hash,
		Actor: wf.ActorRef{ID: e.Actor.ID}, RequestID: e.RequestID, Resource: wf.Resource{Type: e.Resource.Type, ID: e.Resource.ID},
		Outcome: e.Outcome, Denial: wf.Denial{ErrorCode: e.ErrorCode},
	})
}

// VerifyChain recomputes the chain of a request, or the service's own for an empty
// id, from the stored bytes. firstBad is the number of the first event that is
// missing or not as it was written, 0 when the chain holds; count is how many
// events were right before it. An unknown request is refused with
// wf.RequestNotFound.
func (s *Store) VerifyChain(ctx context.Context, requestID string) (firstBad, count int64, err error) {
	if requestID != "" && !isID(requestID) {
		return 0, 0, ByID(requestID).unknown
	}
	name := chainOf(requestID)
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		ends, err := chainEnds(db, []string{name})
		if err != nil {
			return err
		}
		end, known := ends[name]
		if !known {
			return ByID(requestID).unknown
		}
		walk := link{name: name}
		if walk.gaps, err = gapsOf(db, name); err != nil {
			return err
		}
		err = eachPage(db.Where("chain = ?", name), func(rows []eventRow) error {
			for _, row := range rows {
				walk.add(row)
			}
			return nil
		})
		firstBad, count = walk.firstBad(end), walk.Seq
		return err
	})
	return firstBad, count, failed(err, "verify chain %s", name)
}

// VerifyChains recomputes every chain as they all were at one moment, and looks for
// chains that are missing, and for events that belong to none.
func (s *Store) VerifyChains(ctx context.Context) (Verification, error) {
	var v Verification
	err := s.db.Snapshot(ctx, func(db *gorm.DB) error {
		v = Verification{}
		if err := v.walk(db); err != nil {
			return err
		}
		return v.missing(db)
	})
	return v, failed(err, "verify all chains")
}

// walk goes along all events, chain by chain.
func (v *Verification) walk(db *gorm.DB) error {
	var walk link
	ends := map[string]wf.Chain{}
	over := func() {
		// A chain that is nobody's has no end, and so a first event too many.
		if bad := walk.firstBad(ends[walk.name]); bad > 0 {
			v.add(walk.name, bad)
		}
	}
	err := eachPage(db, func(rows []eventRow) error {
		names := []string{walk.name} // goes on on this page, and others begin
		for _, row := range rows {
			if row.Chain != names[len(names)-1] {
				names = append(names, row.Chain)
			}
		}
		started, err := chainEnds(db, names)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.Chain != walk.name {
				over()
				walk, ends = link{name: row.Chain}, started
				if walk.gaps, err = gapsOf(db, row.Chain); err != nil {
					return err
				}
				v.Chains++
			}
			walk.add(row)
			v.Events++
		}
		return nil
	})
	over()
	return err
}

// gapsOf returns what purges have deleted from the chain, as events say that are verified
// with it: only refusals, and so of the service's own chain alone.
func gapsOf(db *gorm.DB, chain string) (gaps, error) {
	if chain != serviceChain {
		return nil, nil
	}
	var bodies []string
	err := db.Model(&eventRow{}).Where("chain = 'service' AND resource_id = 'service' AND type = ?", wf.EventAuditPurged).Pluck("body", &bodies).Error
	found := gaps{}
	for _, body := range bodies {
		var e struct{ Purged wf.Purged }
		if json.Unmarshal([]byte(body), &e) != nil {
			continue // the walk finds it
		}
		for _, gap := range e.Purged.Gaps {
			found[gap.First] = gap
		}
	}
	return found, err
}

// missing finds chains whose events are all gone.
func (v *Verification) missing(db *gorm.DB) error {
	names := []string{serviceChain}
	for {
		ends, err := chainEnds(db, names)
		if err != nil {
			return err
		}
		var begun []string
		// The first event of the service's own chain may be purged, the last never is.
		err = db.Model(&eventRow{}).Where("chain IN ? AND (seq = 1 OR chain = 'service' AND seq = ?)", names, ends[serviceChain].Seq).Pluck("chain", &begun).Error
		if err != nil {
			return err
		}
		for _, name := range begun {
			delete(ends, name)
		}
		for name, end := range ends {
			if end.Seq > 0 {
				v.add(name, 1)
			}
		}
		q := db.Model(&requestRow{}).Order("id").Limit(verifyPage)
		if last := names[len(names)-1]; last != serviceChain {
			q = q.Where("id > ?", last)
		}
		names = nil
		if err := q.Pluck("id", &names).Error; err != nil || len(names) == 0 {
			return err
		}
	}
}

// add names a bad chain, once, while there is room.
func (v *Verification) add(chain string, firstBad int64) {
	for _, b := range v.Bad {
		if b.Chain == chain {
			return
		}
	}
	if len(v.Bad) < maxBad {
		v.Bad = append(v.Bad, BadChain{chain, firstBad})
	}
}

// eachPage gives events to use, chain by chain, a page at a time.
func eachPage(q *gorm.DB, use func([]eventRow) error) error {
	q = q.Session(&gorm.Session{}).Order("chain, seq").Limit(verifyPage)
	rows := make([]eventRow, 1) // before the first
	for full := true; full; full = len(rows) == verifyPage {
		last := rows[len(rows)-1]
		rows = nil
		if err := q.Session(&gorm.Session{}).Where("(chain, seq) > (?, ?)", last.Chain, last.Seq).Find(&rows).Error; err != nil {
			return err
		}
		if err := use(rows); err != nil {
			return err
		}
	}
	return nil
}

// chainEnds returns the ends of chains as their owners remember them. A name that is
// nobody's has none.
func chainEnds(db *gorm.DB, names []string) (map[string]wf.Chain, error) {
	ends := map[string]wf.Chain{}
	var ids []string
	for _, name := range names {
		if isID(name) {
			ids = append(ids, name)
		}
		if name == serviceChain {
			var end chainRow
			if err := db.Take(&end, "name = ?", name).Error; err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
				return nil, err
			}
			ends[name] = wf.Chain{Seq: end.Seq, Hash: end.Hash}
		}
	}
	if len(ids) == 0 {
		return ends, nil
	}
	var rows []requestRow
	if err := db.Select("id", "chain_seq", "chain_hash").Find(&rows, "id IN ?", ids).Error; err != nil {
		return nil, err
	}
	for _, row := range rows {
		ends[row.ID] = wf.Chain{Seq: row.ChainSeq, Hash: row.ChainHash}
	}
	return ends, nil
}
