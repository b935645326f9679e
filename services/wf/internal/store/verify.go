package store

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

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
		end, known, err := chainEnd(db, name)
		if err != nil {
			return err
		}
		if !known {
			return ByID(requestID).unknown
		}
		walk := link{name: name}
		if walk.gaps, err = gapsOf(db, name); err != nil {
			return err
		}
		err = eachEvent(db.Where("chain = ?", name), walk.add)
		firstBad, count = walk.firstBad(end), walk.Seq
		return err
	})
	return firstBad, count, failed(err, "verify chain %s", name)
}

// VerifyChains recomputes every chain as they all were at one moment, and looks for
// chains that are missing, and for events that belong to none.
func (s *Store) VerifyChains(ctx context.Context) (v Verification, err error) {
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		patrol := s.NewPatrol()
		var found Patrolled
		for !found.Round {
			if err := patrol.requests(db, &found); err != nil {
				return err
			}
		}
		for over := false; !over; {
			if over, err = patrol.along(db, &found); err != nil {
				return err
			}
		}
		var strays []string
		err := db.Raw("SELECT chain FROM event WHERE chain <> 'service' EXCEPT SELECT CAST(id AS text) FROM request").Scan(&strays).Error
		if err != nil {
			return err
		}
		for _, chain := range strays {
			patrol.bad[chain] = 1
		}
		v.Bad = nil
		for _, chain := range slices.Sorted(maps.Keys(patrol.bad)) {
			if len(v.Bad) < maxBad {
				v.Bad = append(v.Bad, BadChain{chain, patrol.bad[chain]})
			}
		}
		return db.Raw("SELECT count(DISTINCT chain), count(*) FROM event").Row().Scan(&v.Chains, &v.Events)
	})
	return v, failed(err, "verify all chains")
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

// eachEvent gives events to use, chain by chain.
func eachEvent(q *gorm.DB, use func(eventRow)) error {
	q = q.Session(&gorm.Session{}).Order("chain, seq").Limit(verifyPage)
	rows := make([]eventRow, 1) // before the first
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

// chainEnd returns the end of a chain as its owner remembers it, and whether it has one.
func chainEnd(db *gorm.DB, name string) (end wf.Chain, known bool, err error) {
	q := db.Model(&requestRow{}).Select("chain_seq AS seq", "chain_hash AS hash").Where("id = ?", name)
	if name == serviceChain {
		q = db.Table("chain").Select("seq", "hash").Where("name = ?", name)
	}
	var ends []wf.Chain
	if err := q.Find(&ends).Error; err != nil || len(ends) == 0 {
		return end, name == serviceChain, err
	}
	return ends[0], true, nil
}
