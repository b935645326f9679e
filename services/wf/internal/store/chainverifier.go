package store

import (
	"context"
	"maps"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf/audit"
)

var (
	verifierEvents   = 5_000 // events per step, for requests and for the service chain each
	verifierRequests = 100   // requests per query
)

// ChainVerifier is the chain verifier. It verifies all chains repeatedly in small steps, to detect changes
// of the audit trail or of the state. Its position is held in memory.
type ChainVerifier struct {
	db      *sqldb.DB
	events  int          // see verifierEvents
	atOnce  int          // see verifierRequests
	after   string       // last verified request of this round
	service *serviceWalk // nil before the start of the service's own chain
	before  map[string][]audit.Break
	bad     map[string][]audit.Break // of this round
}

// VerifyReport is the result of one step of the chain verifier.
type VerifyReport struct {
	Events int64 // events recomputed in this step
	Round  bool  // all request chains of the round are verified
	Bad    []audit.BadChain
}

// firstID sorts before every id.
const firstID = "00000000-0000-0000-0000-000000000000"

// NewChainVerifier returns a chain verifier at the start of its first round.
func (s Audit) NewChainVerifier() *ChainVerifier {
	return &ChainVerifier{
		db:     s.db,
		events: verifierEvents,
		atOnce: verifierRequests,
		after:  firstID,
		before: map[string][]audit.Break{},
		bad:    map[string][]audit.Break{},
	}
}

// Next runs the next step. Bad holds the chains with breaks in this round or the previous one.
func (p *ChainVerifier) Next(ctx context.Context) (VerifyReport, error) {
	var found VerifyReport
	err := p.db.Snapshot(ctx, func(db *gorm.DB) error {
		for !found.Round && found.Events < int64(p.events) {
			if err := p.verifyRequestChains(db, &found); err != nil {
				return err
			}
		}
		if _, err := p.verifyServiceChain(db, &found); err != nil {
			return err
		}
		all := maps.Clone(p.before)
		maps.Copy(all, p.bad)
		var err error
		found.Bad, err = badChains(db, all)
		return err
	})
	if err == nil && found.Round {
		p.before, p.bad, p.after = p.bad, map[string][]audit.Break{}, firstID
	}
	return found, wrapError(err, "recompute chains")
}

// verifyRequestChains verifies the next page of requests.
func (p *ChainVerifier) verifyRequestChains(db *gorm.DB, found *VerifyReport) error {
	rows, err := sortRequests(db.Where("id > ?", p.after), p.atOnce)
	if err != nil {
		return err
	}
	if found.Round = len(rows) < p.atOnce; len(rows) == 0 {
		return nil
	}
	walks, err := verifyRequests(db, rows, func(eventRow) { found.Events++ })
	if err != nil {
		return err
	}
	for _, w := range walks {
		if len(w.breaks) > 0 {
			p.bad[w.name] = w.breaks
		}
	}
	p.after = rows[len(rows)-1].ID
	return nil
}

// sortRequests reads requests in the order of their ids.
func sortRequests(q *gorm.DB, limit int) ([]requestRow, error) {
	var rows []requestRow
	err := q.Order("id").Limit(limit).Find(&rows).Error
	return rows, err
}

// verifyRequests recomputes the chains of requests and compares the stored state with them. It
// calls count for every event.
func verifyRequests(db *gorm.DB, rows []requestRow, count func(eventRow)) ([]*walk, error) {
	walks := make([]*walk, len(rows))
	of := map[string]*walk{}
	said := map[string]*facts{}
	names := make([]string, len(rows))
	for i, row := range rows {
		f := newFacts()
		walks[i] = &walk{name: row.ID, fold: f.fold}
		names[i], of[row.ID], said[row.ID] = row.ID, walks[i], f
	}
	err := eachEvent(db.Where("chain IN ?", names), func(event eventRow) {
		of[event.Chain].add(event)
		count(event)
	})
	if err != nil {
		return walks, err
	}
	stored, err := statesOf(db, names)
	if err != nil {
		return walks, err
	}
	for i, row := range rows {
		walks[i].finish(audit.Chain{Seq: row.ChainSeq, Hash: row.ChainHash})
		(&comparison{walks[i]}).request(said[row.ID], row, stored[row.ID])
	}
	return walks, nil
}

// verifyServiceChain verifies the next batch of the service chain. It reports true at the end of the chain, and
// the next call restarts.
func (p *ChainVerifier) verifyServiceChain(db *gorm.DB, found *VerifyReport) (over bool, err error) {
	gaps, err := gapsOf(db)
	if err != nil {
		return false, err
	}
	for _, gap := range gaps {
		if p.service != nil && gap.First <= p.service.Seq && p.service.Seq < gap.Last { // a purge has deleted the verifier's position
			p.service = nil
		}
	}
	if p.service == nil {
		p.service = newServiceWalk()
	}
	p.service.gaps = gaps
	var events []eventRow
	err = db.Where("chain = ? AND seq > ?", ServiceChain, p.service.Seq).Order("seq").Limit(p.events).Find(&events).Error
	if err != nil {
		return false, err
	}
	for _, event := range events {
		p.service.add(event)
	}
	found.Events += int64(len(events))
	if len(events) == p.events {
		return false, nil
	}
	if err := p.service.end(db); err != nil {
		return false, err
	}
	delete(p.before, ServiceChain)
	delete(p.bad, ServiceChain)
	if len(p.service.breaks) > 0 {
		p.bad[ServiceChain] = p.service.breaks
	}
	p.service = nil
	return true, nil
}
