// Package heartbeat says which processes of a service are alive. Each writes a row in the
// table process of the service's database every second. What a process held that has not
// been seen for a while need not wait for the end of its lease.
package heartbeat

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
)

const (
	every = time.Second

	// Silence is how long a process that lives may be unseen. Whoever was not seen for
	// longer is taken for dead.
	Silence = 5 * time.Second

	// kept is how long the row of a dead process stays, for whoever looks for it.
	kept = 10 * time.Minute

	// endLimit bounds the removal of the row when the process stops.
	endLimit = 2 * time.Second
)

// Alive asks for the ids of the processes that are alive. Its argument is Since(now).
const Alive = "SELECT id FROM process WHERE seen_ms > ?"

// Since is when a process must have been seen last to be alive now, in milliseconds.
func Since(now time.Time) int64 { return now.Add(-Silence).UnixMilli() }

// row is a process of the service.
type row struct {
	ID        string `gorm:"primaryKey"`
	Host      string
	Version   string
	StartedMS int64
	SeenMS    int64
}

func (row) TableName() string { return "process" }

var table = sqldb.TableOf[row]()

// Heart is what this process says of itself.
type Heart struct {
	db     *sqldb.DB
	row    row
	logger *slog.Logger
}

// New returns the heart of a process, under a name of its own. It says nothing before
// Beat or While.
func New(db *sqldb.DB, version string, logger *slog.Logger) *Heart {
	host, _ := os.Hostname() // only people read it
	return &Heart{db: db, row: row{ID: uuid.Must(uuid.NewV7()).String(), Host: host, Version: version}, logger: logger}
}

// ID names the process. It is new at every start.
func (h *Heart) ID() string { return h.row.ID }

// Beat says once that the process is alive, and forgets those that died long ago.
func (h *Heart) Beat(ctx context.Context) error {
	return h.db.Do(ctx, func(tx *sqldb.Tx) error {
		h.row.SeenMS = tx.Now().UnixMilli()
		if h.row.StartedMS == 0 {
			h.row.StartedMS = h.row.SeenMS
		}
		return tx.Batch(append(
			table.Insert(" ON CONFLICT (id) DO UPDATE SET seen_ms = excluded.seen_ms", h.row),
			sqldb.Stmt{SQL: "DELETE FROM process WHERE seen_ms < ?", Args: []any{tx.Now().Add(-kept).UnixMilli()}},
		)...)
	})
}

// Run beats until ctx ends, and then takes the row away.
func (h *Heart) Run(ctx context.Context) error {
	return h.While(ctx, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	})
}

// While beats as long as job runs, which ends when ctx does, and then takes the row away:
// the process holds nothing any more.
func (h *Heart) While(ctx context.Context, job func(context.Context) error) error {
	beating, stop := context.WithCancel(context.WithoutCancel(ctx))
	loop := daemon.Loop{Name: "heartbeat", Every: every, Logger: h.logger, Pass: func(ctx context.Context) (bool, error) {
		return false, h.Beat(ctx)
	}}
	stopped := make(chan error, 1)
	go func() { stopped <- loop.Run(beating) }()
	err := job(ctx)
	stop()
	err = errors.Join(err, <-stopped)
	h.leave(ctx)
	return err
}

// leave takes the row away. If it cannot, the silence tells as much.
func (h *Heart) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
	defer cancel()
	err := h.db.Do(ctx, func(tx *sqldb.Tx) error {
		return tx.Batch(sqldb.Stmt{SQL: "DELETE FROM process WHERE id = ?", Args: []any{h.row.ID}})
	})
	if err != nil {
		h.logger.WarnContext(ctx, "the row of this process stays until it is old", "error", err)
	}
}
