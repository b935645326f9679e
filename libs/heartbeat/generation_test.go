package heartbeat_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/sqldb"
)

// run executes a statement.
func (f *fixture) run(t *testing.T, statement string, args ...any) {
	t.Helper()
	if err := f.db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Batch(sqldb.Stmt{SQL: statement, Args: args}) }); err != nil {
		t.Fatal(err)
	}
}

func TestADatabaseThatWentBackHoldsOutboundCalls(t *testing.T) {
	for name, test := range map[string]struct {
		back string // the change that a restore makes
		held bool
	}{
		"nothing is lost":                {"UPDATE process SET host = ''", false},
		"the last heartbeat is lost":     {"UPDATE witness SET beats = beats - 1", true},
		"the process is unknown":         {"DELETE FROM witness", true},
		"a heartbeat of unknown outcome": {"UPDATE witness SET beats = beats + 1", false},
		"another process found a loss":   {"INSERT INTO generation (number, started_ms, held_ms, found) VALUES (1, 1, 1, 'by another')", true},
		"a former generation had a loss": {"INSERT INTO generation (number, started_ms, held_ms, found) VALUES (1, 1, 1, 'before'), (7, 2, 0, '')", false},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				var lines bytes.Buffer
				h := heartbeat.New(f.db, "v1", slog.New(slog.NewTextHandler(&lines, nil)))
				other := heartbeat.New(f.db, "v1", quiet)
				for range 3 {
					beat(t, h)
				}
				f.run(t, test.back)
				beat(t, h)
				if h.Held() != test.held || strings.Contains(lines.String(), "lost acknowledged writes") != test.held {
					t.Errorf("held is %v, want %v; the log:\n%s", h.Held(), test.held, lines.String())
				}
				beat(t, other)
				if other.Held() != test.held {
					t.Errorf("another process: held is %v, want %v", other.Held(), test.held)
				}
				if !test.held {
					return
				}
				before := h.Generation()
				beat(t, h)
				if !h.Held() {
					t.Error("the hold ended by itself")
				}
				if done, err := heartbeat.BeginGeneration(t.Context(), f.db, false); err != nil || !strings.Contains(done, "are held since") {
					t.Errorf("a dry run: %q (%v)", done, err)
				}
				beat(t, h)
				if !h.Held() || h.Generation() != before {
					t.Error("a dry run ended the hold")
				}
				for range 2 {
					if _, err := heartbeat.BeginGeneration(t.Context(), f.db, true); err != nil {
						t.Fatal(err)
					}
				}
				beat(t, h)
				beat(t, other)
				if h.Held() || other.Held() || h.Generation() != start.Unix()+1 || other.Generation() != h.Generation() {
					t.Errorf("after recover: held %v, %v; generation %d, %d, want %d", h.Held(), other.Held(), h.Generation(), other.Generation(), start.Unix()+1)
				}
			})
		})
	}
}

// A loss shorter than a heartbeat is found by the events, which are read after a failed heartbeat.
func TestEventsThatAreGoneHoldOutboundCalls(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		var lines bytes.Buffer
		h := heartbeat.New(f.db, "v1", slog.New(slog.NewTextHandler(&lines, nil)))
		if err := h.Watch("event", ""); err != nil {
			t.Fatal(err)
		}
		beat(t, h)
		var ids []string
		for range 250 {
			ids = append(ids, uuid.NewString())
			f.run(t, "INSERT INTO event (id) VALUES (?)", ids[len(ids)-1])
			h.Note(ids[len(ids)-1])
		}
		fail := func() {
			t.Helper()
			f.run(t, "ALTER TABLE witness RENAME TO elsewhere")
			if err := h.Beat(t.Context()); err == nil || !h.Held() {
				t.Errorf("a failed heartbeat: %v, held is %v", err, h.Held())
			}
			f.run(t, "ALTER TABLE elsewhere RENAME TO witness")
		}
		fail()
		beat(t, h)
		if h.Held() {
			t.Fatal("held without a loss")
		}
		last := uuid.NewString()
		h.Note(last)
		fail()
		beat(t, h)
		if !h.Held() || !strings.Contains(lines.String(), "1 events of this process are lost, such as "+last) {
			t.Errorf("held is %v; the log:\n%s", h.Held(), lines.String())
		}
	})
}

func TestTheMarkShowsALossAfterARestart(t *testing.T) {
	for _, test := range []struct {
		back string
		days int
		held bool
	}{
		{"UPDATE process SET host = ''", 0, false},
		{"UPDATE witness SET beats = beats - 1", 0, true},
		{"DELETE FROM witness", 0, true},
		{"DELETE FROM witness", 91, false}, // its retention
	} {
		each(t, func(t *testing.T, f *fixture) {
			mark := filepath.Join(t.TempDir(), "mark")
			begin := func() *heartbeat.Process {
				h := heartbeat.New(f.db, "v1", quiet)
				if err := h.Watch("", mark); err != nil {
					t.Fatal(err)
				}
				beat(t, h)
				return h
			}
			h := begin()
			beat(t, h)
			f.run(t, test.back)
			f.Advance(time.Duration(test.days) * 24 * time.Hour)
			if h := begin(); h.Held() != test.held {
				t.Errorf("after %q and %d days: held is %v, want %v", test.back, test.days, h.Held(), test.held)
			}
			if err := os.WriteFile(mark, []byte("no JSON"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := heartbeat.New(f.db, "v1", quiet).Watch("", mark); err == nil {
				t.Error("a broken mark is accepted")
			}
		})
	}
}
