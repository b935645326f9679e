package heartbeat_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/fstest"
	"time"

	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
)

var (
	start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	quiet = slog.New(slog.DiscardHandler)

	schema = fstest.MapFS{
		"migrations/sqlite/0001_init.sql": {Data: []byte(
			"-- +goose Up\nCREATE TABLE process (id TEXT PRIMARY KEY, host TEXT NOT NULL, version TEXT NOT NULL, works BOOLEAN NOT NULL, started_ms INTEGER NOT NULL, seen_ms INTEGER NOT NULL);\n")},
		"migrations/postgres/0001_init.sql": {Data: []byte(
			"-- +goose Up\nCREATE TABLE process (id text PRIMARY KEY, host text NOT NULL, version text NOT NULL, works boolean NOT NULL, started_ms bigint NOT NULL, seen_ms bigint NOT NULL);\n")},
	}
)

// fixture is a database whose clock the test sets.
type fixture struct {
	*timetest.Clock
	db *sqldb.DB
}

func each(t *testing.T, fn func(t *testing.T, f *fixture)) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		f := &fixture{Clock: timetest.At(start)}
		var err error
		if f.db, err = sqldb.Open(t.Context(), url, sqldb.Options{Now: f.Now, Logger: quiet}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.db.Close() })
		if err := f.db.Migrate(t.Context(), schema); err != nil {
			t.Fatal(err)
		}
		fn(t, f)
	})
}

func (f *fixture) alive(t *testing.T) (ids []string) {
	t.Helper()
	if err := f.db.Read(t.Context()).Raw(heartbeat.Alive, heartbeat.LivenessCutoff(f.Now())).Scan(&ids).Error; err != nil {
		t.Fatal(err)
	}
	return ids
}

// rows returns all stored processes.
func (f *fixture) rows(t *testing.T) (rows []struct {
	ID, Host, Version string
	StartedMS, SeenMS int64
}) {
	t.Helper()
	if err := f.db.Read(t.Context()).Raw("SELECT * FROM process ORDER BY started_ms").Scan(&rows).Error; err != nil {
		t.Fatal(err)
	}
	return rows
}

func beat(t *testing.T, h *heartbeat.Process) {
	t.Helper()
	if err := h.Beat(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAProcessIsAliveForFiveSecondsAfterItsLastBeat(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		h := heartbeat.New(f.db, "v1.2.3", true, quiet)
		if got := f.alive(t); len(got) != 0 {
			t.Errorf("before the first beat %v are alive", got)
		}
		beat(t, h)
		f.Advance(3 * time.Second)
		beat(t, h)
		f.Advance(5*time.Second - time.Millisecond)
		if got := f.alive(t); len(got) != 1 || got[0] != h.ID() {
			t.Errorf("alive are %v, want %s", got, h.ID())
		}
		f.Advance(time.Millisecond)
		if got := f.alive(t); len(got) != 0 {
			t.Errorf("after five seconds %v are alive", got)
		}
		rows := f.rows(t)
		if len(rows) != 1 || rows[0].Version != "v1.2.3" || rows[0].StartedMS != start.UnixMilli() ||
			rows[0].SeenMS != start.Add(3*time.Second).UnixMilli() {
			t.Errorf("rows = %+v", rows)
		}
		beat(t, h)
		if got := f.alive(t); len(got) != 1 {
			t.Errorf("one that is back is not alive: %v", got)
		}
	})
}

func TestTheRowOfADeadProcessIsRemovedByTheOthers(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		dead, living := heartbeat.New(f.db, "v1", true, quiet), heartbeat.New(f.db, "v1", true, quiet)
		if dead.ID() == living.ID() {
			t.Fatal("two processes have one name")
		}
		beat(t, dead)
		f.Advance(10 * time.Minute)
		beat(t, living)
		if rows := f.rows(t); len(rows) != 2 {
			t.Errorf("after ten minutes there are %d rows, want 2", len(rows))
		}
		f.Advance(time.Millisecond)
		beat(t, living)
		if rows := f.rows(t); len(rows) != 1 || rows[0].ID != living.ID() {
			t.Errorf("rows = %+v, want that of %s", rows, living.ID())
		}
	})
}

func TestTheOldestLiveProcessWithJobsLeads(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		idle := heartbeat.New(f.db, "v1", false, quiet)
		oldest, other := heartbeat.New(f.db, "v1", true, quiet), heartbeat.New(f.db, "v1", true, quiet)
		for _, step := range []struct {
			name          string
			beats         []*heartbeat.Process
			after         time.Duration
			oldest, other bool
		}{
			{"before the first beat", nil, 0, true, true},
			{"beside a process without jobs", []*heartbeat.Process{idle, other}, 0, true, true},
			{"beside an older process", []*heartbeat.Process{oldest}, 4999 * time.Millisecond, true, false},
			{"after its last beat", nil, time.Millisecond, true, true},
			{"after its return", []*heartbeat.Process{oldest}, 0, true, false},
		} {
			for _, h := range step.beats {
				beat(t, h)
			}
			f.Advance(step.after)
			for h, want := range map[*heartbeat.Process]bool{oldest: step.oldest, other: step.other} {
				if leads, err := h.Leads(t.Context()); err != nil || leads != want {
					t.Errorf("%s: the process %s leads: %t, %v, want %t", step.name, h.ID(), leads, err, want)
				}
			}
		}
	})
}

func TestAProcessBeatsAsLongAsItsJobRunsAndLeavesNoRow(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		h := heartbeat.New(f.db, "v1", true, quiet)
		ctx, stop := context.WithCancel(t.Context())
		failure := errors.New("the job failed")
		err := h.RunBeside(ctx, func(ctx context.Context) error {
			timetest.Eventually(t, "a beat", func() bool { return len(f.alive(t)) == 1 })
			stop()
			<-ctx.Done()
			// Its last work runs while the process is alive.
			f.Advance(time.Minute)
			timetest.Eventually(t, "a beat after the request to end", func() bool { return len(f.alive(t)) == 1 })
			return failure
		})
		if !errors.Is(err, failure) {
			t.Errorf("RunBeside = %v", err)
		}
		if rows := f.rows(t); len(rows) != 0 {
			t.Errorf("it left %+v", rows)
		}
	})
}

func TestAProcessWhoseDatabaseIsAwayStopsAllTheSame(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		var logs bytes.Buffer
		h := heartbeat.New(f.db, "v1", true, slog.New(slog.NewTextHandler(&logs, nil)))
		if err := h.RunBeside(t.Context(), func(context.Context) error { return f.db.Close() }); err != nil {
			t.Errorf("RunBeside = %v", err)
		}
		if !bytes.Contains(logs.Bytes(), []byte("not deleted; it expires")) {
			t.Errorf("nothing is logged: %s", &logs)
		}
	})
}
