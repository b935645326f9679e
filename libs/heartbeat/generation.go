package heartbeat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
)

const (
	// witnessKept is the retention of a witness. A missing witness is a loss until then.
	witnessKept = 90 * 24 * time.Hour

	// maxNoted bounds the events that are listed after a loss.
	maxNoted = 2000

	// maxNamed bounds the named events in the log.
	maxNamed = 20

	idsPerQuery = 100
)

// witness is the knowledge of a process about committed writes. Its heartbeats are numbered, and the database holds the
// number of the last one. A lower number in the database proves that it went back: to a backup, or to a standby that
// lacked the last transactions.
type witness struct {
	events string // table of events with the column id; empty for none
	mark   string // file of the last number; empty for none

	mu         sync.Mutex
	id         string
	beats      int64 // of the last acknowledged heartbeat; 0 for none
	at         time.Time
	timeline   int64 // of PostgreSQL at that heartbeat
	doubt      bool  // a heartbeat failed since then
	held       bool
	generation int64
	noted      []string // events that were committed since the start of the last acknowledged heartbeat
	earlier    []string // those before

	losses oplog.Throttle
	marked sync.Once
}

// Watch sets the table of events, whose ids Note receives, and the file for the number of the last heartbeat, so that a
// loss is noticed after a restart too. Both may be empty. It precedes the first Beat.
func (h *Process) Watch(events, mark string) error {
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

// Note records the ids of events whose commit was acknowledged.
func (h *Process) Note(ids ...string) {
	h.witness.mu.Lock()
	defer h.witness.mu.Unlock()
	h.witness.noted = append(h.witness.noted, ids...)
	if extra := len(h.witness.noted) - maxNoted; extra > 0 {
		h.witness.noted = slices.Delete(h.witness.noted, 0, extra)
	}
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
	found      string // the loss that is found now, or was before
	lost       bool   // found now
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
	var missing []string
	if known.events != "" && (r.lost || known.doubt || known.beats > 0 && known.timeline != timeline) {
		ids := known.noted
		if missing, err = absent(tx, known.events, ids); err == nil && (r.lost || len(missing) > 0) {
			var before []string
			before, err = absent(tx, known.events, known.earlier)
			missing = append(before, missing...)
		}
		if err != nil {
			return r, nil, err
		}
		r.lost = r.lost || len(missing) > 0
	}
	number := max(r.generation, 1)
	if r.lost {
		r.found = fmt.Sprintf("heartbeat %d of %s was acknowledged and the database has %d; %d events of this process are lost",
			known.beats, known.at.UTC().Format(time.RFC3339), max(r.beats, 0), len(missing))
		if named := missing[:min(len(missing), maxNamed)]; len(named) > 0 {
			r.found += ", such as " + strings.Join(named, " ")
		}
		if r.generation == 0 {
			stmts = append(stmts, sqldb.Stmt{
				SQL:  "INSERT INTO generation (number, started_ms, held_ms, found) VALUES (?, ?, 0, '') ON CONFLICT (number) DO NOTHING",
				Args: []any{number, now.UnixMilli()},
			})
		}
		if r.heldMS == 0 {
			stmts = append(stmts, sqldb.Stmt{
				SQL: "UPDATE generation SET held_ms = ?, found = ? WHERE number = ?", Args: []any{now.UnixMilli(), r.found, number},
			})
		}
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

// absent returns the ids without a row.
func absent(tx *sqldb.Tx, table string, ids []string) (missing []string, err error) {
	there := map[string]bool{}
	for chunk := range slices.Chunk(ids, idsPerQuery) {
		args := make([]any, len(chunk))
		for i, id := range chunk {
			args[i] = id
		}
		err := tx.Load(sqldb.Select{
			SQL:  "SELECT CAST(id AS text) FROM " + table + " WHERE id IN (?" + strings.Repeat(", ?", len(chunk)-1) + ")",
			Args: args,
			Each: func(scan func(...any) error) error {
				var id string
				err := scan(&id)
				there[id] = true
				return err
			},
		})
		if err != nil {
			return nil, fmt.Errorf("read the committed events: %w", err)
		}
	}
	for _, id := range ids {
		if !there[id] {
			missing = append(missing, id)
		}
	}
	return missing, nil
}

// snapshot returns a copy of the witness for a heartbeat that begins now.
func (w *witness) snapshot() *witness {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &witness{
		events: w.events, id: w.id, beats: w.beats, at: w.at, timeline: w.timeline, doubt: w.doubt,
		noted: slices.Clone(w.noted), earlier: slices.Clone(w.earlier),
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
	w.held, w.generation = held, max(r.generation, 1)
	w.noted = slices.Clone(w.noted[min(len(known.noted), len(w.noted)):])
	w.earlier = append(w.earlier, known.noted...)
	if extra := len(w.earlier) - maxNoted; extra > 0 {
		w.earlier = slices.Delete(w.earlier, 0, extra)
	}
	content, err := json.Marshal(markContent{w.id, w.beats, w.at})
	w.mu.Unlock()
	if held {
		w.losses.LogFailure(ctx, log, slog.LevelError, "the database lost acknowledged writes; outbound calls are held until recover begins a new generation",
			"loss", r.found)
	} else {
		w.losses.LogRecovery(ctx, log, "a new generation began; outbound calls continue", "generation", max(r.generation, 1))
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

// RecoverCommand begins a new generation after a loss of committed writes.
type RecoverCommand struct {
	daemon.DatabaseCommand
	NoDryRun bool `name:"no-dry-run" help:"Begin a new generation and release the held calls. Without it, print the loss."`
}

// Run prints the loss, and begins a new generation with --no-dry-run.
func (c *RecoverCommand) Run(w *daemon.Process, p daemon.Program) error {
	return c.Work(w, p, func(ctx context.Context, db *sqldb.DB) (string, error) {
		return BeginGeneration(ctx, db, c.NoDryRun)
	})
}

// BeginGeneration begins a new generation, unless dry, and describes the previous one. The number of a generation is the
// time of its begin, so that it also differs from that of a generation that a backup does not contain.
func BeginGeneration(ctx context.Context, db *sqldb.DB, begin bool) (done string, err error) {
	err = db.Do(ctx, func(tx *sqldb.Tx) error {
		var number, heldMS int64
		var found string
		err := tx.Load(sqldb.Select{SQL: "SELECT number, held_ms, found FROM generation ORDER BY number DESC LIMIT 1", Each: func(scan func(...any) error) error {
			return scan(&number, &heldMS, &found)
		}})
		if err != nil {
			return err
		}
		number = max(number, 1)
		done = fmt.Sprintf("generation %d, nothing is held", number)
		if heldMS > 0 {
			done = fmt.Sprintf("generation %d, outbound calls are held since %s: %s", number, time.UnixMilli(heldMS).UTC().Format(time.RFC3339), found)
		}
		if !begin {
			done += "; --no-dry-run begins a new generation"
			return nil
		}
		next := max(number+1, tx.Now().Unix())
		done += fmt.Sprintf("; generation %d begins", next)
		return tx.Batch(sqldb.Stmt{
			SQL: "INSERT INTO generation (number, started_ms, held_ms, found) VALUES (?, ?, 0, '')", Args: []any{next, tx.Now().UnixMilli()}, Want: 1,
		})
	})
	if err != nil {
		return "", err
	}
	return done, nil
}
