package heartbeat_test

import (
	"bytes"
	"fmt"
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
				if done, err := heartbeat.BeginGeneration(t.Context(), f.db, false, 0); err != nil || !strings.Contains(done, "are held since") {
					t.Errorf("a dry run: %q (%v)", done, err)
				}
				beat(t, h)
				if !h.Held() || h.Generation() != before {
					t.Error("a dry run ended the hold")
				}
				for range 2 {
					if _, err := heartbeat.BeginGeneration(t.Context(), f.db, true, 0); err != nil {
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

// byID is the query of events by their key, and byTime that by their time.
var (
	byID   = heartbeat.Events{Query: "SELECT CAST(id AS text) FROM event WHERE id"}
	byTime = heartbeat.Events{Query: "SELECT CAST(id AS text) FROM event WHERE at_ms", ByTime: true}
)

// watched returns a process with a heartbeat.
func (f *fixture) watched(t *testing.T, events heartbeat.Events, log *slog.Logger) *heartbeat.Process {
	t.Helper()
	h := heartbeat.New(f.db, "v1", log)
	if err := h.Watch(events, ""); err != nil {
		t.Fatal(err)
	}
	beat(t, h)
	return h
}

// commit stores an event and notes it.
func (f *fixture) commit(t *testing.T, h *heartbeat.Process, text string) heartbeat.Write {
	t.Helper()
	w := heartbeat.Write{Event: uuid.NewString(), At: f.Now(), About: "request 1", Text: text}
	f.run(t, "INSERT INTO event (id, at_ms) VALUES (?, ?)", w.Event, w.At.UnixMilli())
	h.Note(w)
	return w
}

// lose deletes an event.
func (f *fixture) lose(t *testing.T, w heartbeat.Write) {
	t.Helper()
	f.run(t, "DELETE FROM event WHERE id = ?", w.Event)
}

// fail makes a heartbeat that fails.
func (f *fixture) fail(t *testing.T, h *heartbeat.Process) {
	t.Helper()
	f.run(t, "ALTER TABLE witness RENAME TO elsewhere")
	if err := h.Beat(t.Context()); err == nil || !h.Held() {
		t.Errorf("a failed heartbeat: %v, held is %v", err, h.Held())
	}
	f.run(t, "ALTER TABLE elsewhere RENAME TO witness")
}

// recovery returns the text of recover.
func (f *fixture) recovery(t *testing.T, begin bool, limit int) string {
	t.Helper()
	done, err := heartbeat.BeginGeneration(t.Context(), f.db, begin, limit)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// A loss shorter than a heartbeat is found by the events, which are read after a failed heartbeat.
func TestEventsThatAreGoneHoldOutboundCalls(t *testing.T) {
	for _, events := range []heartbeat.Events{byID, byTime} {
		each(t, func(t *testing.T, f *fixture) {
			var lines bytes.Buffer
			h := f.watched(t, events, slog.New(slog.NewTextHandler(&lines, nil)))
			for range 600 {
				f.commit(t, h, "created")
			}
			f.fail(t, h)
			beat(t, h)
			if h.Held() {
				t.Fatal("held without a loss")
			}
			f.Advance(time.Second)
			h.Note(heartbeat.Write{Event: uuid.NewString(), At: f.Now(), Text: "a message for an event of another process", Sent: true})
			f.fail(t, h)
			beat(t, h)
			if h.Held() {
				t.Fatal("held for a message alone")
			}
			f.lose(t, f.commit(t, h, "decided"))
			f.fail(t, h)
			beat(t, h)
			if !h.Held() || !strings.Contains(lines.String(), "lost_writes=2") {
				t.Errorf("held is %v; the log:\n%s", h.Held(), lines.String())
			}
			if got := f.recovery(t, false, 0); !strings.Contains(got, ": the database lacks events that were committed after the heartbeat of 2026-03-01T12:00:01Z\n1 lost events, and 1 messages") || !strings.Contains(got, " lost decided\n") {
				t.Errorf("recover: %s", got)
			}
		})
	}
}

// Each process stores its lost events and the messages that it sent for them, also those that end after the discovery.
func TestRecoverListsTheLostEventsAndTheirMessages(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		first, second := f.watched(t, byID, quiet), f.watched(t, byID, quiet)
		message := func(h *heartbeat.Process, w heartbeat.Write, text string) {
			w.Text, w.Sent = text, true
			h.Note(w)
		}
		old := f.commit(t, first, "of a day ago")
		beat(t, first)
		f.Advance(25 * time.Hour)
		beat(t, first)
		beat(t, second)
		kept, lost := f.commit(t, first, "kept"), f.commit(t, first, "created")
		message(first, kept, "kept message")
		message(second, lost, "webhook 1")
		message(second, old, "message of a day ago")
		beat(t, first)
		beat(t, second)
		f.lose(t, old)
		f.lose(t, lost)
		f.run(t, "UPDATE witness SET beats = beats - 1 WHERE id = ?", first.ID())
		beat(t, first)
		beat(t, second)
		message(second, lost, "webhook 2")
		message(second, old, "late message of a day ago")
		beat(t, second)
		beat(t, second) // nothing is stored twice
		at := lost.At.Format("2006-01-02T15:04:05.000Z")
		list := "\n1 lost events, and 2 messages and calls that were sent for lost events:\nrequest 1\n" +
			"  " + at + " lost created\n  " + at + " sent webhook 1\n  " + at + " sent webhook 2\n"
		if got := f.recovery(t, false, 3); !strings.Contains(got, "heartbeat 4 of 2026-03-02T13:00:00Z was acknowledged and the database has 3\n") || !strings.HasSuffix(got, list+"--no-dry-run begins a new generation") {
			t.Errorf("recover: %s", got)
		}
		if got := f.recovery(t, false, 2); strings.Contains(got, "webhook 2") || !strings.Contains(got, "\nand 1 more; --limit=0 prints all\n") {
			t.Errorf("recover with a limit: %s", got)
		}
		for range 2 { // the second ends no loss
			if got := f.recovery(t, true, 0); !strings.Contains(got, list) {
				t.Errorf("recover: %s", got)
			}
		}
		if got := f.recovery(t, false, 0); !strings.HasPrefix(got, fmt.Sprintf("generation %d, nothing is held; the last loss was in generation 1", f.Now().Unix()+1)+list) {
			t.Errorf("recover after the recovery: %s", got)
		}
		for range 2 { // the next losses
			beat(t, first)
			beat(t, second)
			f.Advance(time.Hour)
			f.lose(t, f.commit(t, first, "of the next loss"))
			f.fail(t, first)
			beat(t, first)
			beat(t, second)
			for _, begin := range []bool{true, false} {
				if got := f.recovery(t, begin, 0); strings.Count(got, "Z lost ") != 1 || !strings.Contains(got, "\n1 lost events, and 0 messages") || strings.Contains(got, "webhook") {
					t.Errorf("recover from the next loss: %s", got)
				}
			}
		}
	})
}

// A process without memory of its writes, such as one that was started after the loss, lists nothing.
func TestRecoverAfterTheEndOfTheProcessNamesNoEvent(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		h := f.watched(t, byID, quiet)
		f.run(t, "INSERT INTO generation (number, started_ms, held_ms, found) VALUES (1, 1, 1, 'before'), (7, 2, 0, '')")
		f.run(t, "INSERT INTO lost_write (process, number, generation, about, at_ms, sent, description) VALUES ('p', 1, 1, 'request 1', 1, true, 'of generation 1')")
		f.run(t, "DELETE FROM witness")
		beat(t, h)
		if got := f.recovery(t, false, 0); strings.Contains(got, "of generation 1") || !strings.Contains(got, "\nno process has a lost event in memory, which ends with the process\n") {
			t.Errorf("recover: %s", got)
		}
	})
}

// The list of a process is bounded: the newest writes remain.
func TestTheMemoryOfWritesIsBounded(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		h := f.watched(t, byID, quiet)
		for range 3 {
			for range 4000 {
				h.Note(heartbeat.Write{Event: uuid.NewString(), At: f.Now(), Text: "created"})
			}
			beat(t, h)
		}
		f.run(t, "DELETE FROM witness")
		beat(t, h)
		if got := f.recovery(t, false, 1); !strings.Contains(got, "\n10000 lost events") {
			t.Errorf("recover: %s", got)
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
				if err := h.Watch(heartbeat.Events{}, mark); err != nil {
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
			if err := heartbeat.New(f.db, "v1", quiet).Watch(heartbeat.Events{}, mark); err == nil {
				t.Error("a broken mark is accepted")
			}
		})
	}
}
