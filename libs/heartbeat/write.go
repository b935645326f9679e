package heartbeat

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
)

const (
	// maxWrites bounds the writes of a process in memory.
	maxWrites = 10_000

	// writeKept is the maximum age of a write in memory. Events of that age are not purged.
	writeKept = 24 * time.Hour

	keysPerQuery = 500
)

// Write is a committed event, or a message that was sent for it. Its texts contain no personal data.
type Write struct {
	Event string    // key of the event; see Events
	At    time.Time // of the event
	About string    // object of the event, such as "request 0199…"
	Text  string
	Sent  bool // a message, or a call to another service

	number int64 // in the process
}

// Events is the query of stored events. The zero value is that of a service without events.
type Events struct {
	Query  string // selects keys of events; it ends with the searched column, such as "SELECT id FROM event WHERE id"
	ByTime bool   // the column is the time of the event in milliseconds, and not its key
}

// Note records events whose commit was acknowledged, and messages that may have been received.
func (h *Process) Note(writes ...Write) {
	w := &h.witness
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range writes {
		w.count++
		one.number = w.count
		w.noted = append(w.noted, one)
	}
	w.noted = newest(w.noted)
}

// newest returns the last writes.
func newest(list []Write) []Write { return list[max(0, len(list)-maxWrites):] }

// without returns the writes that are not in some others.
func without(list, others []Write) []Write {
	gone := map[int64]bool{}
	for _, w := range others {
		gone[w.number] = true
	}
	return slices.DeleteFunc(list, func(w Write) bool { return gone[w.number] })
}

// absent returns the writes whose event is not stored.
func (e Events) absent(tx *sqldb.Tx, writes []Write) (missing []Write, err error) {
	there := map[string]bool{}
	var queries []sqldb.Select
	for chunk := range slices.Chunk(writes, keysPerQuery) {
		args := make([]any, len(chunk))
		for i, w := range chunk {
			if args[i] = w.Event; e.ByTime {
				args[i] = w.At.UnixMilli()
			}
		}
		queries = append(queries, sqldb.Select{
			SQL:  e.Query + " IN (?" + strings.Repeat(", ?", len(chunk)-1) + ")",
			Args: args,
			Each: func(scan func(...any) error) error {
				var key string
				err := scan(&key)
				there[key] = true
				return err
			},
		})
	}
	if err := tx.Load(queries...); err != nil {
		return nil, fmt.Errorf("read the committed events: %w", err)
	}
	for _, w := range writes {
		if !there[w.Event] {
			missing = append(missing, w)
		}
	}
	return missing, nil
}

// lostWrite is a Write whose event is lost, as stored by its process for recover.
type lostWrite struct {
	Process     string `gorm:"primaryKey"`
	Number      int64  `gorm:"primaryKey"`
	Generation  int64
	About       string
	AtMS        int64
	Sent        bool
	Description string
}

var lostTable = sqldb.TableOf[lostWrite]()

// insertLost returns the statements that store lost writes. A repetition after an unknown commit stores nothing.
func insertLost(list []Write, process string, generation int64) []sqldb.Stmt {
	return lostTable.Insert(" ON CONFLICT (process, number) DO NOTHING", sqldb.Values(list, func(w Write) lostWrite {
		return lostWrite{process, w.number, generation, w.About, w.At.UnixMilli(), w.Sent, w.Text}
	})...)
}
