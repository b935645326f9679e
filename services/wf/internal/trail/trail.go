// Package trail verifies an exported audit trail against the checkpoints that a receiver kept, without the service.
package trail

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/receipt"
)

// maxTransaction bounds the time between the start of a transaction, which is the time of its events, and its commit.
const maxTransaction = time.Minute

// Report is the result of a verification. The trail is valid without findings.
type Report struct {
	Chains, Events, Purged int
	Findings               []string
}

// listed is the end of a chain in an event audit.checkpoint.
type listed struct {
	audit.Chain
	by int64 // seq of that event
}

// verifier holds the state of a verification.
type verifier struct {
	Report
	kept       []receipt.Checkpoint
	lists      map[string][]listed // by chain, in the order of their events
	invalid    map[string]int64    // by chain: the event that lists it as invalid, unless a later one has its end
	tombstones map[string]audit.Chain
	gaps       Gaps
	covered    time.Time // every event before it is in a list
	seen       map[string]bool
}

// Verify verifies an export of the whole trail, which is younger than the kept checkpoints. It detects a changed
// event, a chain that was cut or is missing, and an older database, except within the time after the last checkpoint.
// A damaged or cut export is a finding. It fails if the export cannot be read.
func Verify(export io.ReadSeeker, kept Kept) (Report, error) {
	v := verifier{
		kept: kept.Checkpoints, lists: map[string][]listed{}, tombstones: map[string]audit.Chain{},
		gaps: Gaps{}, seen: map[string]bool{}, invalid: map[string]int64{},
	}
	v.Findings = slices.Clone(kept.Findings)
	var complete []time.Time
	damage, err := eachEvent(export, func(e Event) {
		if e.Stored.Chain != ServiceChain {
			return
		}
		v.collect(e)
		if e.Checkpoint != nil && !e.Checkpoint.More {
			complete = append(complete, e.At.Time)
		}
	})
	if err != nil {
		return v.Report, err
	}
	if damage != "" {
		v.Findings = append(v.Findings, damage)
	}
	if n := len(complete); n > 1 {
		v.covered = complete[n-2].Add(-maxTransaction)
	}
	if _, err := export.Seek(0, io.SeekStart); err != nil {
		return v.Report, err
	}
	var w *walk
	_, err = eachEvent(export, func(e Event) {
		if w == nil || w.link.Name != e.Stored.Chain {
			v.finish(w)
			w = v.begin(e.Stored.Chain)
		}
		v.Events++
		w.add(e)
	})
	if err != nil {
		return v.Report, err
	}
	v.finish(w)
	if !v.seen[ServiceChain] {
		v.finish(v.begin(ServiceChain))
	}
	for _, chain := range slices.Sorted(maps.Keys(v.lists)) {
		if !v.seen[chain] {
			v.checkEnds(chain, 0, nil)
		}
	}
	for _, chain := range slices.Sorted(maps.Keys(v.invalid)) {
		if _, purged := v.tombstones[chain]; !purged {
			v.find(chain, "the service found it invalid: checkpoint event %d lists it", v.invalid[chain])
		}
	}
	v.Purged = len(v.tombstones)
	return v.Report, nil
}

// collect records the lists and tombstones of an event of the service chain.
func (v *verifier) collect(e Event) {
	switch {
	case e.Type == audit.EventAuditCheckpoint && e.Checkpoint != nil:
		for _, end := range e.Checkpoint.Ends {
			v.lists[end.Request] = append(v.lists[end.Request], listed{end.Chain, e.Stored.Seq})
			delete(v.invalid, end.Request)
		}
		for _, chain := range e.Checkpoint.Invalid {
			v.invalid[chain] = e.Stored.Seq
		}
	case e.Type == audit.EventAuditPurged && e.Purged != nil && e.Resource.Type == "request":
		v.tombstones[e.Resource.ID] = audit.Chain{Seq: e.Purged.Last, Hash: e.Purged.Hash}
	case e.Type == audit.EventAuditPurged:
		v.gaps.Add(e.Resource.ID, e.Purged)
	}
}

func (v *verifier) find(chain, format string, args ...any) {
	about := "request " + chain
	if chain == ServiceChain {
		about = "service chain"
	}
	v.Findings = append(v.Findings, about+": "+fmt.Sprintf(format, args...))
}

// walk verifies a chain event by event.
type walk struct {
	*verifier
	link   Chain
	hashes map[int64]string // of the events so far
	listed int64            // the last listed event
	broken bool             // a finding is reported; the others would follow from it
}

func (v *verifier) begin(chain string) *walk {
	w := &walk{verifier: v, link: Chain{Name: chain, Gaps: v.gaps}, hashes: map[int64]string{}}
	if v.seen[chain] {
		w.report("its events are in two places of the export")
	}
	v.seen[chain] = true
	v.Chains++
	for _, l := range v.lists[chain] {
		w.listed = max(w.listed, l.Seq)
	}
	return w
}

func (w *walk) report(format string, args ...any) {
	if !w.broken {
		w.find(w.link.Name, format, args...)
	}
	w.broken = true
}

// add verifies the next event of the chain.
func (w *walk) add(e Event) {
	if w.link.Restarts(e.Type) {
		w.broken = false // a new chain, with findings of its own
	}
	missing, valid := w.link.Next(e, true)
	switch {
	case missing > 0:
		w.report("event %d does not follow event %d: it was changed, or events are missing", e.Stored.Seq, missing-1)
	case !valid:
		w.report("event %d does not follow event %d: it was changed, or events are missing", e.Stored.Seq, e.Stored.Seq-1)
	case w.link.Name != ServiceChain && w.invalid[w.link.Name] == 0 && e.Stored.Seq > w.listed && e.At.Before(w.covered):
		w.report("event %d of %s is in no checkpoint", e.Stored.Seq, e.At.UTC().Format(time.RFC3339))
	}
	w.hashes[e.Stored.Seq] = e.Stored.Hash
}

// finish compares a chain with what is known about it.
func (v *verifier) finish(w *walk) {
	switch {
	case w == nil:
	case w.link.Name == ServiceChain:
		v.checkKept(w.link.Seq, w.hashes)
	case !w.broken:
		v.checkEnds(w.link.Name, w.link.Seq, w.hashes)
	}
}

// checkKept compares the service chain, with the hashes of its events, with the kept checkpoints.
func (v *verifier) checkKept(last int64, hashes map[int64]string) {
	for i, c := range v.kept {
		found, finding := hashes[c.Seq], ""
		switch {
		case i > 0 && v.kept[i-1].Link == c.Link: // received twice
		case c.Seq > last:
			finding = fmt.Sprintf("the trail ends at event %d: the chain was cut, or an older database was restored", last)
		case found == "":
			finding = fmt.Sprintf("the trail has no event %d", c.Seq)
		case found != c.Hash:
			finding = fmt.Sprintf("the trail has another event %d", c.Seq)
		}
		if finding != "" {
			v.Findings = append(v.Findings, fmt.Sprintf("checkpoint %d: %s", c.Seq, finding))
		}
	}
}

// checkEnds checks that the listed ends of a chain are on the chain, or in its tombstone. A chain that was read before
// the service chain may lack an end that was listed since, but not one that a kept checkpoint covers.
func (v *verifier) checkEnds(chain string, last int64, hashes map[int64]string) {
	kept := int64(0)
	if n := len(v.kept); n > 0 {
		kept = v.kept[n-1].Seq
	}
	tombstone, purged := v.tombstones[chain]
	for _, l := range v.lists[chain] {
		switch {
		case l.Seq <= last && hashes[l.Seq] == l.Hash:
		case l.Seq <= last:
			v.find(chain, "event %d is not the event that checkpoint event %d lists", l.Seq, l.by)
			return
		case purged && (l.Seq < tombstone.Seq || l.Chain == tombstone):
		case purged:
			v.find(chain, "checkpoint event %d lists event %d, but the record of its purge ends at event %d with another hash",
				l.by, l.Seq, tombstone.Seq)
			return
		case l.by > kept:
		case last == 0:
			v.find(chain, "it is missing; checkpoint event %d lists its event %d, and no purge is recorded", l.by, l.Seq)
			return
		default:
			v.find(chain, "the chain ends at event %d, but checkpoint event %d lists event %d", last, l.by, l.Seq)
			return
		}
	}
}
