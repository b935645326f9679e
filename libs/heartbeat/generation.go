package heartbeat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
)

const (
	// witnessKept is the retention of a witness. A missing witness is a loss until then.
	witnessKept = 90 * 24 * time.Hour
)

// witness is the knowledge of a process about committed writes. Its heartbeats are numbered, and the database holds the
// number of the last one. A lower number in the database proves that it went back: to a backup, or to a standby that
// lacked the last transactions.
type witness struct {
	events Events
	mark   string // file of the last number; empty for none

	process string // id of the process

	mu         sync.Mutex
	id         string // of the process or of its mark
	beats      int64  // of the last acknowledged heartbeat; 0 for none
	at         time.Time
	timeline   int64 // of PostgreSQL at that heartbeat
	doubt      bool  // a heartbeat failed since then
	held       bool
	generation int64
	listed     int64   // generation whose lost writes are stored; 0 for none
	count      int64   // of all writes
	noted      []Write // since the start of the last heartbeat
	pending    []Write // before, and since the last acknowledged heartbeat
	earlier    []Write // before that

	losses oplog.Throttle
	marked sync.Once
}

// Watch sets the query of the events of writes, and the file for the number of the last heartbeat, so that a loss is
// noticed after a restart too. Both may be empty. It precedes the first Beat.
func (h *Process) Watch(events Events, mark string) error {
	h.witness.events, h.witness.mark = events, mark
	if mark == "" {
		return nil
	}
	content, err := os.ReadFile(mark) // #nosec G304 -- the operator's setting
	if errors.Is(err, os.ErrNotExist) {
		h.witness.id = uuid.NewString()
		return nil
	}
	var m markContent
	if err == nil {
		err = json.Unmarshal(content, &m)
	}
	if err != nil {
		return fmt.Errorf("read the mark of the heartbeat: %w", err)
	}
	h.witness.id, h.witness.beats, h.witness.at = m.ID, m.Beats, m.At
	return nil
}

// markContent is the content of the mark.
type markContent struct {
	ID    string    `json:"id"`
	Beats int64     `json:"beats"`
	At    time.Time `json:"at"`
}

// Held reports whether outbound calls wait: acknowledged writes are lost and RecoverCommand has not begun a new
// generation, or the next heartbeat has yet to show whether they are.
func (h *Process) Held() bool {
	h.witness.mu.Lock()
	defer h.witness.mu.Unlock()
	return h.witness.held || h.witness.doubt || h.witness.beats > 0 && h.witness.timeline != h.db.Timeline()
}

// Generation returns the number of the generation. It grows with each RecoverCommand.
func (h *Process) Generation() int64 {
	h.witness.mu.Lock()
	defer h.witness.mu.Unlock()
	return max(h.witness.generation, 1)
}

// Measure exports the state of the hold.
func (h *Process) Measure(registry *metrics.Registry) {
	registry.Func("outbound_held", "1 while outbound calls are held, because the database lost acknowledged writes.", func() float64 {
		h.witness.mu.Lock()
		defer h.witness.mu.Unlock()
		if h.witness.held {
			return 1
		}
		return 0
	})
}

// reading is the result of the checks of a heartbeat.
type reading struct {
	beats      int64 // stored; -1 without a row
	generation int64 // 0 without a row
	heldMS     int64
	number     int64  // of the generation
	found      string // the loss that is found now, or was before
	lost       bool   // found now
	missing    []Write
}

// check compares the database with the witness. It returns the statements of the heartbeat.
func (h *Process) check(tx *sqldb.Tx, known *witness, timeline int64) (r reading, stmts []sqldb.Stmt, err error) {
	r.beats = -1
	err = tx.Load(
		sqldb.Select{SQL: "SELECT beats FROM witness WHERE id = ?", Args: []any{known.id}, Into: &r.beats},
		sqldb.Select{SQL: "SELECT number, held_ms, found FROM generation ORDER BY number DESC LIMIT 1", Each: func(scan func(...any) error) error {
			return scan(&r.generation, &r.heldMS, &r.found)
		}},
	)
	if err != nil {
		return r, nil, fmt.Errorf("read the witness: %w", err)
	}
	now := tx.Now()
	r.lost = known.beats > 0 && r.beats < known.beats && now.Sub(known.at) < witnessKept
	r.number = max(r.generation, 1)
	if doubtful := known.doubt || known.beats > 0 && known.timeline != timeline; known.events.Query != "" {
		if r.lost || doubtful || r.heldMS > 0 {
			if r.missing, err = known.events.absent(tx, known.noted); err != nil {
				return r, nil, err
			}
		}
		r.lost = r.lost || doubtful && slices.ContainsFunc(r.missing, func(w Write) bool { return !w.Sent })
		if r.lost || r.heldMS > 0 && known.listed != r.number {
			before, err := known.events.absent(tx, known.earlier)
			if err != nil {
				return r, nil, err
			}
			r.missing = append(before, r.missing...)
		}
	}
	if r.lost {
		at := known.at.UTC().Format(time.RFC3339)
		if r.found = fmt.Sprintf("heartbeat %d of %s was acknowledged and the database has %d", known.beats, at, max(r.beats, 0)); r.beats >= known.beats {
			r.found = "the database lacks events that were committed after the heartbeat of " + at
		}
		if r.generation == 0 {
			stmts = append(stmts, sqldb.Stmt{
				SQL:  "INSERT INTO generation (number, started_ms, held_ms, found) VALUES (?, ?, 0, '') ON CONFLICT (number) DO NOTHING",
				Args: []any{r.number, now.UnixMilli()},
			})
		}
		if r.heldMS == 0 {
			stmts = append(stmts, sqldb.Stmt{
				SQL: "UPDATE generation SET held_ms = ?, found = ? WHERE number = ?", Args: []any{now.UnixMilli(), r.found, r.number},
			})
		}
	}
	if r.lost || r.heldMS > 0 {
		stmts = append(stmts, insertLost(r.missing, known.process, r.number)...)
	}
	stmts = append(stmts, sqldb.Stmt{
		SQL:  "INSERT INTO witness (id, beats, seen_ms) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET beats = CASE WHEN witness.beats > excluded.beats THEN witness.beats ELSE excluded.beats END, seen_ms = excluded.seen_ms",
		Args: []any{known.id, r.next(known), now.UnixMilli()},
	})
	return r, stmts, nil
}

// next returns the number of the heartbeat. It exceeds that of a heartbeat with an unknown outcome.
func (r reading) next(known *witness) int64 {
	if r.lost {
		return max(r.beats, 0) + 1
	}
	return max(r.beats, known.beats) + 1
}

// snapshot returns a copy of the witness for a heartbeat that begins now.
func (w *witness) snapshot() *witness {
	w.mu.Lock()
	defer w.mu.Unlock()
	isOld := func(one Write) bool { return one.At.Before(w.at.Add(-writeKept)) }
	w.pending, w.noted = slices.DeleteFunc(newest(append(w.pending, w.noted...)), isOld), nil
	w.earlier = slices.DeleteFunc(w.earlier, isOld)
	return &witness{
		process: w.process, events: w.events, id: w.id, beats: w.beats, at: w.at, timeline: w.timeline, doubt: w.doubt,
		listed: w.listed, noted: w.pending, earlier: w.earlier,
	}
}

// fail records a failed heartbeat: the connection is lost, and the next one can lead to another server.
func (w *witness) fail() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.doubt = w.beats > 0
}

// acknowledge records a committed heartbeat and reports a loss.
func (w *witness) acknowledge(ctx context.Context, log *slog.Logger, known *witness, r reading, at time.Time, timeline int64) {
	held := r.lost || r.heldMS > 0
	w.mu.Lock()
	w.beats, w.at, w.timeline, w.doubt = r.next(known), at, timeline, false
	w.held, w.generation, w.listed = held, r.number, 0
	w.earlier, w.pending = newest(append(w.earlier, w.pending...)), nil
	if held {
		w.listed, w.earlier = r.number, without(w.earlier, r.missing)
	}
	content, err := json.Marshal(markContent{w.id, w.beats, w.at})
	w.mu.Unlock()
	if held {
		w.losses.LogFailure(ctx, log, slog.LevelError, "the database lost acknowledged writes; outbound calls are held until recover begins a new generation",
			"loss", r.found, "lost_writes", len(r.missing))
	} else {
		w.losses.LogRecovery(ctx, log, "a new generation began; outbound calls continue", "generation", r.number)
	}
	if w.mark == "" {
		return
	}
	if err == nil {
		err = seal.ReplaceFile(w.mark, string(content))
	}
	if err != nil {
		w.marked.Do(func() { log.ErrorContext(ctx, "mark of the database not written", "error", err) })
	}
}
