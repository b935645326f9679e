package store

import (
	"context"

	"gorm.io/gorm"

	"github.com/countersign/countersign/services/wf"
)

var (
	patrolEvents   = 5_000 // that are recomputed at once, of requests and of the service each
	patrolRequests = 100   // whose chains are read at once
)

// Patrol recomputes the chains a part at a time, round after round, so that a change of
// the trail is found without anybody asking. It remembers in memory where it is.
type Patrol struct {
	store   *Store
	events  int    // see patrolEvents
	atOnce  int    // see patrolRequests
	after   string // the last request that was looked at in this round
	service link   // how far it is along the service's own chain
	before  map[string]int64
	bad     map[string]int64 // of this round: the first bad event by chain
}

// Patrolled is what a Patrol knows.
type Patrolled struct {
	Events int64            // recomputed now
	Round  bool             // all chains of requests have had their turn
	Bad    map[string]int64 // the first bad event of each chain that does not hold
}

// NewPatrol returns a patrol that begins.
func (s *Store) NewPatrol() *Patrol {
	return &Patrol{store: s, events: patrolEvents, atOnce: patrolRequests, after: firstID, service: link{name: serviceChain}, before: map[string]int64{}, bad: map[string]int64{}}
}

// Next recomputes the next part.
func (p *Patrol) Next(ctx context.Context) (Patrolled, error) {
	var found Patrolled
	err := p.store.db.Snapshot(ctx, func(db *gorm.DB) error {
		for !found.Round && found.Events < int64(p.events) {
			if err := p.requests(db, &found); err != nil {
				return err
			}
		}
		_, err := p.along(db, &found)
		return err
	})
	found.Bad = map[string]int64{}
	for _, list := range []map[string]int64{p.before, p.bad} {
		for chain, seq := range list {
			if len(found.Bad) < maxBad {
				found.Bad[chain] = seq
			}
		}
	}
	if found.Round {
		p.before, p.bad, p.after = p.bad, map[string]int64{}, firstID
	}
	return found, failed(err, "recompute chains")
}

// requests recomputes the chains of the next requests.
func (p *Patrol) requests(db *gorm.DB, found *Patrolled) error {
	var rows []requestRow
	err := db.Select("id", "chain_seq", "chain_hash").Where("id > ?", p.after).Order("id").Limit(p.atOnce).Find(&rows).Error
	if err != nil {
		return err
	}
	if found.Round = len(rows) < p.atOnce; len(rows) == 0 {
		return nil
	}
	walks := map[string]*link{}
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i], walks[row.ID] = row.ID, &link{name: row.ID}
	}
	err = eachEvent(db.Where("chain IN ?", names), func(event eventRow) {
		walks[event.Chain].add(event)
		found.Events++
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if bad := walks[row.ID].firstBad(wf.Chain{Seq: row.ChainSeq, Hash: row.ChainHash}); bad > 0 {
			p.bad[row.ID] = bad
		}
	}
	p.after = rows[len(rows)-1].ID
	return nil
}

// along goes on along the service's own chain, and begins again at its end or at a bad
// event. It reports whether it has come so far.
func (p *Patrol) along(db *gorm.DB, found *Patrolled) (over bool, err error) {
	gaps, err := gapsOf(db, serviceChain)
	if err != nil {
		return false, err
	}
	for _, gap := range gaps {
		if gap.First <= p.service.Seq && p.service.Seq < gap.Last { // a purge has taken away where it is
			p.service = link{name: serviceChain}
		}
	}
	p.service.gaps = gaps
	var events []eventRow
	err = db.Where("chain = ? AND seq > ?", serviceChain, p.service.Seq).Order("seq").Limit(p.events).Find(&events).Error
	if err != nil {
		return false, err
	}
	for _, event := range events {
		p.service.add(event)
	}
	found.Events += int64(len(events))
	if len(events) == p.events && !p.service.bad {
		return false, nil
	}
	end, _, err := chainEnd(db, serviceChain)
	if err != nil {
		return false, err
	}
	delete(p.before, serviceChain)
	if bad := p.service.firstBad(end); bad > 0 {
		p.bad[serviceChain] = bad
	} else {
		delete(p.bad, serviceChain)
	}
	p.service = link{name: serviceChain}
	return true, nil
}
